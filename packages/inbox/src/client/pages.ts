// Reads the list page by page, and again after a lost connection. Live events that arrive while a page is on its way
// are applied to it afterwards: the page may be older than they are.
import { type Api, isRefusal } from "./api.ts";
import { appendPage, applyEvent, emptyList, type List, type Page, refreshItems, replaceItems } from "./list.ts";
import { toCounts } from "./parse-events.ts";
import type { Store } from "./store.ts";
import { type Counts, InboxError, type InboxFilter, type InboxState, type LiveEvent } from "./types.ts";
import type { NotificationCounts, NotificationPage } from "./wire.ts";

const maxPage = 100;
/** How many pages are read again. In a longer list, older messages stay unchanged until they are loaded again. */
const maxPagesAgain = 10;
/** More events during one request: the page is read again instead. */
const maxRecent = 200;

export type PageOptions = {
  api: Api;
  store: Store<InboxState>;
  pageSize: number;
  getList: () => List;
  setList: (list: List) => void;
  setCounts: (counts: Counts) => void;
  isHolding: () => boolean;
};

export function createPages({ api, store, pageSize, getList, setList, setCounts, isHolding }: PageOptions) {
  /** Responses of an earlier generation are dropped: another list has been requested since. */
  let generation = 0;
  /** Pages of one list are read one after the other. */
  let turn: Promise<unknown> = Promise.resolve();
  let recent: LiveEvent[] = [];
  let syncing: Promise<void> | null = null;
  let isSyncWanted = false;

  const read = async (limit: number, after?: string): Promise<Page> => {
    const query = queryOf(store.getState().filter, limit, after);
    const { data, hasMore } = await api.json<NotificationPage>(`/notifications?${query}`);
    return { items: data, hasMore };
  };

  /** What is loaded, from the newest message down. */
  const readAgain = async ({ items, cursor }: List): Promise<Page> => {
    // A list without messages is read to the end of its first page.
    const end = cursor ?? items.at(-1)?.id ?? "~";
    const page: Page = { items: [], hasMore: false };
    let last: string | undefined;
    let count = 0;
    do {
      const next = await read(Math.min(maxPage, items.length + pageSize), last);
      page.items.push(...next.items);
      page.hasMore = next.hasMore;
      last = next.items.at(-1)?.id ?? "";
    } while (page.hasMore && last > end && ++count < maxPagesAgain);
    return page;
  };

  const run = async (kind: "first" | "more" | "again", isCurrent: () => boolean): Promise<void> => {
    if (!isCurrent()) return;
    recent = [];
    try {
      const { cursor } = getList();
      const page = await (kind === "again"
        ? readAgain(getList())
        : read(pageSize, (kind === "more" && cursor) || undefined));
      if (!isCurrent()) return;
      const before = getList();
      let list =
        kind === "more" ? appendPage(before, page) : kind === "again" ? refreshItems(before, page) : replaceItems(page);
      if (kind === "again" && isHolding()) list = { ...list, held: stillHeld(before, list) };
      for (const event of recent) list = applyEvent(list, event, isHolding());
      setList(list);
      const isWaiting = kind === "again" && store.getState().list === "loading-more";
      store.set({ list: isWaiting ? "loading-more" : "ready", hasMore: list.cursor !== null, error: null });
      if (recent.length > maxRecent) void resync().catch(() => {});
    } catch (error) {
      if (!isCurrent()) return;
      if (kind !== "again") store.set({ list: kind === "first" ? "none" : "ready", error: toStateError(error) });
      throw error;
    }
  };

  const load = (kind: "first" | "more" | "again"): Promise<void> => {
    if (kind === "first") {
      generation++;
      turn = Promise.resolve();
      setList(emptyList);
    }
    if (kind !== "again") store.set({ list: kind === "more" ? "loading-more" : "loading", error: null });
    const mine = generation;
    const work = turn.then(() => run(kind, () => mine === generation));
    turn = work.catch(() => {});
    return work;
  };

  /** Six counts in one request: for sessions and connections that are sent none. */
  const refreshCounts = async (): Promise<void> => {
    const severities = ["high", "medium", "low", "none"] as const;
    const unread = { read: false };
    const filters = [unread, ...severities.map((severity) => ({ ...unread, severity })), { seen: false }];
    const [total = 0, high = 0, medium = 0, low = 0, none = 0, unseen = 0] = await countAll(filters);
    setCounts(toCounts({ total, severity: { high, medium, low, none } }, unseen));
  };

  const countAll = async (filters: object[]): Promise<number[]> => {
    const query = new URLSearchParams({ filters: JSON.stringify(filters) });
    const { data } = await api.json<NotificationCounts>(`/notifications/count?${query}`);
    return data.map(({ count }) => count);
  };

  const syncOnce = async () => {
    await Promise.all([refreshCounts(), store.getState().list === "none" ? undefined : load("again")]);
  };

  /** Reads counts and the loaded pages again. Calls during a run lead to one more run. */
  const resync = (): Promise<void> => {
    isSyncWanted = true;
    syncing ??= (async () => {
      try {
        while (isSyncWanted) {
          isSyncWanted = false;
          await syncOnce();
        }
      } finally {
        syncing = null;
      }
    })();
    return syncing;
  };

  return {
    load,
    refreshCounts,
    countAll,
    resync,
    note: (event: LiveEvent) => {
      if (recent.length <= maxRecent) recent.push(event);
    },
  };
}

/** Messages that were held stay held, and so are those that arrived while the connection was lost. */
function stillHeld(before: List, { items }: List): Set<string> {
  const known = new Set(before.items.map(({ id }) => id));
  const newest = before.items[0]?.id ?? "";
  return new Set(items.map(({ id }) => id).filter((id) => before.held.has(id) || (!known.has(id) && id > newest)));
}

function queryOf({ tags, archived, snoozed, unread }: InboxFilter, limit: number, after?: string): URLSearchParams {
  const query = new URLSearchParams({ limit: String(limit) });
  if (after) query.set("after", after);
  query.set("archived", String(archived ?? false));
  query.set("snoozed", String(snoozed ?? false));
  if (unread) query.set("read", "false");
  for (const tag of tags ?? []) query.append("tags[]", tag);
  return query;
}

export const toStateError = (error: unknown): { code: string; message: string } =>
  error instanceof InboxError
    ? { code: isRefusal(error) ? error.code : "UNREACHABLE", message: error.message }
    : { code: "UNREACHABLE", message: String(error) };
