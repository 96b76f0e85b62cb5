// What arrives for this tab: from its own stream, or from the tab that has the stream.
import type { Api } from "./api.ts";
import { runStream } from "./stream.ts";
import { joinTabs, type TabMessage } from "./tabs.ts";
import type { InboxError, InboxOptions, InboxStatus, LiveEvent } from "./types.ts";

export type LiveOptions = {
  api: Api;
  options: InboxOptions;
  onEvent: (event: LiveEvent) => void;
  onStatus: (status: InboxStatus) => void;
  /** A stream is open; earlier changes may have been missed. */
  onConnected: () => void;
  onRefused: (error: InboxError) => void;
  /** For tabs that are opened later. */
  currentStatus: () => InboxStatus;
  signal: AbortSignal;
};

export function startLive(live: LiveOptions): void {
  const { api, options, signal } = live;
  /** Known in every tab: the one that takes the stream over resumes with it. */
  let lastId: string | undefined;
  const take = (event: LiveEvent, id: string | undefined) => {
    lastId = id ?? lastId;
    live.onEvent(event);
  };
  const setStatus = (status: InboxStatus) => {
    live.onStatus(status);
    tabs.post({ kind: "status", status });
  };
  const onMessage = (message: TabMessage) => {
    if (message.kind === "event") take(message.event, message.id);
    else if (message.kind === "status") live.onStatus(message.status);
    else if (message.kind === "connected") live.onConnected();
    else if (tabs.isLeader()) tabs.post({ kind: "status", status: live.currentStatus() });
  };
  const emit = (event: LiveEvent, id: string | undefined) => {
    take(event, id);
    tabs.post({ kind: "event", event, id });
  };
  const run = () =>
    runStream({
      api,
      signal,
      lastId: () => lastId,
      onEvent: emit,
      onStatus: setStatus,
      onConnected: () => {
        live.onConnected();
        tabs.post({ kind: "connected" });
      },
      onPoll: () => emit({ kind: "resync" }, undefined),
      onRefused: live.onRefused,
    });
  // `run` may start before `joinTabs` has returned: until then, there is no tab to post to.
  let tabs: ReturnType<typeof joinTabs> = { post: () => {}, isLeader: () => true };
  tabs = joinTabs({ name: nameOf(options), run, onMessage, signal });
}

/** Without a subscriber id, two tabs cannot know whether they show the same inbox. */
function nameOf({ url, applicationIdentifier = "", subscriberId, context, shareConnection = true }: InboxOptions) {
  if (!shareConnection || !subscriberId) return null;
  return `tidings-inbox ${JSON.stringify([url, applicationIdentifier, subscriberId, context ?? null])}`;
}
