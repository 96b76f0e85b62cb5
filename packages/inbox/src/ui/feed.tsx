// The list: infinite scroll, the pill for new messages, arrow keys, and which messages were seen.
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { InboxNotification, InboxState } from "../client/types.ts";
import { Icon } from "./icons.tsx";
import { Item } from "./item.tsx";
import { OwnEmpty } from "./own.tsx";
import { useRowWindow } from "./row-window.ts";
import { relativeTime } from "./time.ts";
import { useNow, useUi } from "./ui.ts";

/** Further down, new messages would move what is being read. */
const nearTopPx = 40;
/** A message counts as seen when it was on screen this long. */
const seenAfterMs = 1_000;

export type View = "inbox" | "unread" | "archived" | "snoozed";

export function Feed({ state, view }: { state: InboxState; view: View }) {
  const { inbox, labels, attempt } = useUi();
  const now = useNow();
  const scroller = useRef<HTMLDivElement>(null);
  const [currentId, setCurrentId] = useState<string | null>(null);
  const { notifications, hasMore, list, newCount } = state;
  const placeOf = (id: string | null | undefined) => notifications.findIndex((item) => item.id === id);
  const found = placeOf(currentId);
  const lastIndex = useRef(0);
  // A row that has gone is replaced by the one after it.
  const current = found < 0 ? Math.max(0, Math.min(lastIndex.current, notifications.length - 1)) : found;
  if (found >= 0) lastIndex.current = found;
  const hasAvatars = useMemo(() => notifications.some(({ avatar }) => avatar), [notifications]);
  const { rows, onScroll, focusRow } = useRowWindow(scroller, notifications, current, hasMore);
  useKeptFocus(scroller, () => focusRow(current, true));
  useSeen(scroller, `${rows[0]} ${rows.at(-1)} ${notifications.length}`);
  useEffect(() => () => inbox.holdNew(false), [inbox]);

  const showNew = () => {
    scroller.current!.scrollTop = 0;
    inbox.holdNew(false);
    requestAnimationFrame(() => focusRow(0));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const target = event.target as Element;
    if (event.altKey || event.ctrlKey || event.metaKey || target.closest(".menu")) return;
    const at = placeOf(target.closest<HTMLElement>(".item")?.dataset.id);
    const item = notifications[at];
    if (!item) return;
    const next = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: notifications.length - 1 }[event.key];
    if (next !== undefined) {
      event.preventDefault();
      return focusRow(Math.max(0, Math.min(next, notifications.length - 1)));
    }
    // Letters have a meaning only while the focus is on the row itself.
    if (!target.matches(".main") || item.isSnoozed) return;
    if (event.key === "e" && !item.isArchived) attempt(inbox.archive(item.id));
    if (event.key === "u") attempt(item.isRead ? inbox.unread(item.id) : inbox.read(item.id));
  };

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys belong to the links in it
    <div
      ref={scroller}
      class="scroller"
      part="list"
      onScroll={() => {
        inbox.holdNew(scroller.current!.scrollTop > nearTopPx);
        onScroll();
      }}
      onKeyDown={onKeyDown}
    >
      {newCount > 0 && (
        <div class="pill-place">
          <button type="button" class="pill" part="pill" onClick={showNew}>
            <Icon name="up" />
            {labels.newMessages(newCount)}
          </button>
        </div>
      )}
      <Placeholder state={state} view={view} />
      {notifications.length > 0 && (
        <ul class="items" aria-label={labels.title} aria-busy={list === "loading-more"}>
          {rows.map((index) => (
            <Row
              key={notifications[index]!.id}
              item={notifications[index]!}
              now={now}
              isCurrent={index === current}
              hasAvatars={hasAvatars}
              maxSnoozeHours={state.maxSnoozeHours}
              onFocus={setCurrentId}
            />
          ))}
        </ul>
      )}
      {hasMore && <More scroller={scroller} />}
    </div>
  );
}

type RowProps = {
  item: InboxNotification;
  now: number;
  isCurrent: boolean;
  hasAvatars: boolean;
  maxSnoozeHours: number;
  onFocus: (id: string) => void;
};

/** An item that is redrawn only when something in it has changed, including the displayed time. */
function Row({ item, now, isCurrent, hasAvatars, maxSnoozeHours, onFocus }: RowProps) {
  const { locale } = useUi();
  const time = useRef({ text: "", now });
  const text = relativeTime(item.createdAt, now, locale);
  if (text !== time.current.text) time.current = { text, now };
  const shown = time.current.now;
  return useMemo(
    () => (
      <Item
        item={item}
        now={shown}
        isCurrent={isCurrent}
        hasAvatars={hasAvatars}
        maxSnoozeHours={maxSnoozeHours}
        onFocus={() => onFocus(item.id)}
      />
    ),
    [item, shown, isCurrent, hasAvatars, maxSnoozeHours],
  );
}

/** Loads the next page before its place comes into view. */
function More({ scroller }: { scroller: { current: HTMLDivElement | null } }) {
  const { inbox, labels } = useUi();
  const end = useRef<HTMLDivElement>(null);
  useEffect(() => {
    let isNear = false;
    const load = () => void (isNear && inbox.getState().list === "ready" && inbox.loadMore().catch(() => {}));
    const observer = new IntersectionObserver(
      ([entry]) => {
        isNear = entry?.isIntersecting ?? false;
        load();
      },
      { root: scroller.current, rootMargin: "300px" },
    );
    observer.observe(end.current!);
    // A short page may leave its end in view.
    const stop = inbox.subscribe(() => inbox.getState().error === null && load());
    return () => {
      observer.disconnect();
      stop();
    };
  }, [inbox]);
  return (
    <div ref={end} class="more" role="status">
      <span class="hidden">{labels.loading}</span>
      <span class="spinner" />
    </div>
  );
}

function Placeholder({ state, view }: { state: InboxState; view: View }) {
  const { inbox, labels } = useUi();
  const { status, error, list, notifications } = state;
  if (notifications.length > 0) return null;
  if (status === "error" || (error && list !== "loading")) {
    return (
      <div class="empty" part="error" role="alert">
        <h3>{labels.errorTitle}</h3>
        {/* Trying a refused session again cannot help. */}
        {error?.code === "UNREACHABLE" && (
          <>
            <p>{labels.errorText}</p>
            <button type="button" class="action secondary" onClick={() => void inbox.load().catch(() => {})}>
              {labels.retry}
            </button>
          </>
        )}
      </div>
    );
  }
  if (list !== "ready") {
    return (
      <div class="skeletons" role="status">
        <span class="hidden">{labels.loading}</span>
        {[0, 1, 2, 3].map((row) => (
          <div key={row} class="skeleton" />
        ))}
      </div>
    );
  }
  if (state.newCount > 0) return null;
  const [title, text] = labels.empty[view];
  return (
    <div class="empty" part="empty">
      <OwnEmpty view={view} />
      <Icon name={view === "archived" ? "archive" : view === "snoozed" ? "clock" : "bell"} />
      <h3>{title}</h3>
      <p>{text}</p>
    </div>
  );
}

/** When the row with the focus leaves the list, the focus goes to the row in its place. */
function useKeptFocus(scroller: { current: HTMLDivElement | null }, restore: () => void) {
  const hadFocus = useRef(false);
  useEffect(() => {
    const element = scroller.current!;
    const root = element.getRootNode() as ShadowRoot;
    const onIn = () => {
      hadFocus.current = true;
    };
    const onOut = (event: FocusEvent) => {
      // A row that is removed has no next target of the focus.
      if (event.relatedTarget !== null) hadFocus.current = element.contains(event.relatedTarget as Node);
      else
        queueMicrotask(() => {
          if ((event.target as Element).isConnected && root.activeElement === null) hadFocus.current = false;
        });
    };
    element.addEventListener("focusin", onIn);
    element.addEventListener("focusout", onOut);
    return () => {
      element.removeEventListener("focusin", onIn);
      element.removeEventListener("focusout", onOut);
    };
  }, []);
  useLayoutEffect(() => {
    const { activeElement, host } = scroller.current!.getRootNode() as ShadowRoot;
    // The page's own content of a row is in the host, not in its shadow tree.
    if (hadFocus.current && !activeElement && !host.contains(document.activeElement)) restore();
  });
}

/** `rows`: which ones are drawn. */
function useSeen(scroller: { current: HTMLDivElement | null }, rows: string) {
  const { inbox } = useUi();
  useEffect(() => {
    const visible = new Set<string>();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const observer = new IntersectionObserver(
      (entries) => {
        for (const { target, isIntersecting } of entries) {
          const { id } = (target as HTMLElement).dataset;
          if (isIntersecting) visible.add(id!);
          else visible.delete(id!);
        }
        clearTimeout(timer);
        timer = setTimeout(() => void inbox.seen([...visible]).catch(() => {}), seenAfterMs);
      },
      { root: scroller.current, threshold: 0.5 },
    );
    for (const row of scroller.current!.querySelectorAll(".item")) observer.observe(row);
    return () => {
      clearTimeout(timer);
      observer.disconnect();
    };
  }, [inbox, rows]);
}
