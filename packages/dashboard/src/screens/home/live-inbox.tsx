// The inbox that the first notification arrives in: the widget itself, as it will look in the reader's own pages. It
// opens a session without a hash, which only environments for development allow; elsewhere, and where it is refused,
// the same messages are read from time to time.
import { request } from "@tidings/client/source";
import type { Output } from "@tidings/contract";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { baseUrl } from "../../api/client.ts";
import { useOperation } from "../../api/hooks.ts";
import { useEnvironment } from "../../api/session.tsx";
import { InboxFeed } from "../../subscribers/inbox-feed.tsx";
import css from "./home.module.css";

/** What this file uses of the element (packages/inbox/src/element-class.ts). */
type Widget = HTMLElement & {
  getToken?: () => Promise<string>;
  inbox?: { getState(): { status: string }; subscribe(listener: () => void): () => void } | null;
};

let loading: Promise<unknown> | undefined;

/** Defines the element, once for the page. */
function loadWidget(): Promise<unknown> {
  loading ??= new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = new URL("inbox.js", baseUrl()).href;
    script.onload = resolve;
    script.onerror = reject;
    document.head.append(script);
  });
  return loading;
}

type LiveInboxProps = { subscriberId: string; empty: ReactNode };

export function LiveInbox({ subscriberId, empty }: LiveInboxProps) {
  const { _id, type } = useEnvironment();
  const [refusedIn, setRefusedIn] = useState("");
  // The session of a subscriber who does not exist would create it, by nothing but a look at this page.
  const subscriber = useOperation("subscribers.list", { query: { subscriberId, limit: 1 } }, { every: 3_000 });
  const isThere = (subscriber.data?.data.length ?? 0) > 0;
  if (type !== "dev" || !isThere || refusedIn === _id)
    return (
      <div className={css.inboxBody}>
        <InboxFeed subscriberId={subscriberId} limit={5} every={2_000} empty={empty} />
      </div>
    );
  return <WidgetPlace key={_id} subscriberId={subscriberId} onRefused={() => setRefusedIn(_id)} />;
}

/**
 * A session that says nothing about the subscriber: the widget itself would add the time zone of whoever examines this
 * page.
 */
async function openSession(applicationIdentifier: string, subscriberId: string): Promise<string> {
  const body = { applicationIdentifier, subscriber: { subscriberId } };
  const options = { baseUrl: baseUrl(), credentials: "omit", retries: 0 } as const;
  const { data } = await request<Output<"inbox.openSession">>(options, "inbox.openSession", { body });
  return data.token;
}

function WidgetPlace({ subscriberId, onRefused }: { subscriberId: string; onRefused: () => void }) {
  const { identifier } = useEnvironment();
  const place = useRef<HTMLDivElement>(null);
  const refuse = useRef(onRefused);
  refuse.current = onRefused;
  useEffect(() => {
    let leave: (() => void) | undefined;
    let isGone = false;
    const show = () => {
      if (isGone) return;
      const widget = document.createElement("tidings-inbox") as Widget;
      widget.setAttribute("mode", "inline");
      widget.setAttribute("url", baseUrl().replace(/\/$/, ""));
      widget.setAttribute("application-identifier", identifier);
      widget.setAttribute("subscriber-id", subscriberId);
      widget.getToken = () =>
        openSession(identifier, subscriberId).catch((error: unknown) => {
          if (!isGone) refuse.current();
          throw error;
        });
      place.current?.append(widget);
      const { inbox } = widget;
      const unsubscribe = inbox?.subscribe(() => inbox.getState().status === "error" && refuse.current());
      leave = () => {
        unsubscribe?.();
        widget.remove();
      };
    };
    loadWidget().then(show, () => refuse.current());
    return () => {
      isGone = true;
      leave?.();
    };
  }, [identifier, subscriberId]);
  return <div ref={place} className={css.widget} />;
}
