// The inbox without a user interface: a store that follows the service, and functions that change it.
import { createApi } from "./api.ts";
import { applyEvent, emptyList, type List, type Patch, showHeld, visibleItems } from "./list.ts";
import { startLive } from "./live.ts";
import { createMarks } from "./marks.ts";
import { createPages, toStateError } from "./pages.ts";
import { toCounts } from "./parse-events.ts";
import { createPreferences } from "./preferences.ts";
import { createStore } from "./store.ts";
import type { InboxFilter, InboxNotification, InboxOptions, InboxState, LiveEvent } from "./types.ts";

const defaultPageSize = 15;
const defaultUndoMs = 6_000;
/**
 * The list is read once the stream is open, so that nothing is missed in between; without a stream, after this time.
 */
const waitForStreamMs = 1_500;
const sayAfterMs = 500;

const initialState: InboxState = {
  status: "connecting",
  error: null,
  notifications: [],
  hasMore: false,
  list: "none",
  newCount: 0,
  filter: {},
  counts: null,
  undoable: null,
  preferences: null,
  isDevelopment: null,
  theme: null,
  maxSnoozeHours: 24,
};

/** The client of one inbox. */
export type Inbox = ReturnType<typeof createInbox>;

/**
 * Opens an inbox and keeps it up to date until `close()`.
 *
 * ```js
 * const inbox = createInbox({ url, applicationIdentifier: "development", subscriberId: "ada" });
 * inbox.subscribe(() => render(inbox.getState()));
 * await inbox.load();
 * ```
 */
export function createInbox(options: InboxOptions) {
  const store = createStore(initialState);
  const closing = new AbortController();
  const { signal } = closing;
  const patches = new Set<Patch>();
  const listeners = new Set<(notification: InboxNotification) => void>();
  let connect!: () => void;
  const connected = new Promise<void>((resolve) => {
    connect = resolve;
  });
  let list: List = emptyList;
  let isHolding = false;
  /**
   * Set by the first connection, or by a page that was requested before it: changes before the connection may be
   * missed.
   */
  let isStarted = false;
  let loading: Promise<void> | null = null;

  const api = createApi(
    options,
    ({ unreadCount, isDevelopmentMode = null, maxSnoozeDurationHours = 24, theme = null }) => {
      store.set({ isDevelopment: isDevelopmentMode, maxSnoozeHours: maxSnoozeDurationHours, theme });
      if (unreadCount && !store.getState().counts) marks.setCounts(toCounts(unreadCount, unreadCount.total));
    },
  );
  const getList = () => list;
  const setList = (next: List) => {
    list = next;
    store.set(visibleItems(list, [...patches], store.getState().filter));
  };
  const pages = createPages({
    api,
    store,
    pageSize: Math.min(100, Math.max(1, options.pageSize ?? defaultPageSize)),
    getList,
    setList,
    setCounts: (counts) => marks.setCounts(counts),
    isHolding: () => isHolding,
  });
  const apply = (event: LiveEvent) => {
    pages.note(event);
    // Before the first page, a message alone would look like the whole list.
    if (store.getState().list !== "none") setList(applyEvent(list, event, isHolding));
  };
  const { undoMs = defaultUndoMs } = options;
  const marks = createMarks({ api, store, undoMs, patches, getList, setList, apply, resync: pages.resync, signal });

  /** Waiting changes are sent first: reading the list before they arrive would briefly undo them. */
  const resync = () =>
    marks
      .sendWaiting()
      .then(pages.resync)
      .then(
        () => store.set({ status: "live" }),
        () => store.set({ status: "offline" }),
      );
  const onEvent = (event: LiveEvent) => {
    if (event.kind === "counts") return marks.setCounts(event.counts);
    if (event.kind === "resync") return void resync();
    if (marks.keepBack(event)) return;
    const isNew = event.kind === "notification" && !list.items.some(({ id }) => id === event.notification.id);
    apply(event);
    if (isNew) for (const listener of listeners) listener(event.notification);
  };

  startLive({
    api,
    options,
    signal,
    onEvent,
    onStatus: (status) => {
      store.set({ status, ...(status === "live" && { error: null }) });
      if (status === "live") connect();
    },
    onConnected: () => {
      connect();
      if (isStarted) void resync();
      isStarted = true;
    },
    onRefused: (error) => {
      store.set({ status: "error", error: toStateError(error) });
      // For the developer of the page: the message names the setting or the option to change. An element in a page of
      // React has no options until its provider gives it another client.
      const say = () => {
        // biome-ignore lint/suspicious/noConsole: the place where developers look
        if (!signal.aborted) console.error(`Tidings inbox: ${error.message} (${error.code})`);
      };
      setTimeout(say, sayAfterMs);
      connect();
    },
    currentStatus: () => store.getState().status,
  });
  const { flush } = marks;
  globalThis.addEventListener?.("pagehide", flush);
  // A tab that uses the stream of another one has no session before its first request, and no counts.
  const firstConnection = () => Promise.race([connected, after(waitForStreamMs, signal)]);
  void firstConnection()
    .then(() => (store.getState().counts || signal.aborted ? undefined : pages.refreshCounts()))
    .catch(() => {});

  return {
    getState: store.getState,
    /** Calls the listener after every change of the state; returns the function that ends it. */
    subscribe: store.subscribe,
    /** Calls the listener for every new message; returns the function that ends it. */
    onNotification: (listener: (notification: InboxNotification) => void): (() => void) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    /** Reads the first page into `state.notifications`. Later changes arrive automatically. */
    load: (): Promise<void> => {
      loading ??= (async () => {
        if (store.getState().list === "none") store.set({ list: "loading", error: null });
        await firstConnection();
        if (signal.aborted || store.getState().status === "error") return store.set({ list: "none" });
        isStarted = true;
        await pages.load("first");
      })().finally(() => {
        loading = null;
      });
      return loading;
    },
    /** Reads the next page. Does nothing when there is none, or while one is on its way. */
    loadMore: async (): Promise<void> => {
      const { hasMore, list: phase } = store.getState();
      if (hasMore && phase === "ready") await pages.load("more");
    },
    /** Reads the list and the counts again. */
    refresh: pages.resync,
    /** Chooses which messages the list shows, and reads them. */
    setFilter: async (filter: InboxFilter): Promise<void> => {
      store.set({ filter });
      isStarted = true;
      await pages.load("first");
    },
    /** Unread messages with any of the tags, for each list of tags. */
    countUnread: (lists: string[][]): Promise<number[]> =>
      pages.countAll(lists.map((tags) => ({ read: false, ...(tags.length > 0 && { tags }) }))),
    /** true: new messages are counted in `state.newCount` and shown by `showNew()`; false: they are shown at once. */
    holdNew: (isWanted: boolean): void => {
      isHolding = isWanted;
      if (!isWanted && list.held.size > 0) setList(showHeld(list));
    },
    /** Shows the messages that were held. */
    showNew: (): void => setList(showHeld(list)),
    ...marks.actions,
    ...createPreferences(api, store),
    /** Another request to `/v1/inbox`, such as `request("/web-push")`, with the token of this inbox. */
    request: api.json,
    /** Ends the connection. Deletions that wait for an undo are sent. */
    close: (): void => {
      flush();
      globalThis.removeEventListener?.("pagehide", flush);
      closing.abort();
    },
  };
}

const after = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });
