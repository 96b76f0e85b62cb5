// Reads the list page by page, and again after a lost connection. Live events that arrive while a page is on its way are applied
// to it afterwards: the page may be older than they are.
import { type Api, isRefusal } from "./api.ts";
import { appendPage, applyEvent, emptyList, type List, replaceItems } from "./list.ts";
import { toCounts } from "./parse-events.ts";
import type { Store } from "./store.ts";
import {
  type Counts,
  InboxError,
  type InboxFilter,
  type InboxNotification,
  type InboxState,
  type LiveEvent,
} from "./types.ts";

const largestPage = 100;
/** More events during one request: the page is read again instead. */
const maxRecent = 200;

export type PageOptions = {
  api: Api;
  store: Store<InboxState>;
  pageSize: number;
  getList: () => List;
  setList: (list: List) => void;
  isHolding: () => boolean;
};

export function createPages({ api, store, pageSize, getList, setList, isHolding }: PageOptions) {
  /** Answers of an earlier generation are dropped. */
  let generation = 0;
  let recent: LiveEvent[] = [];
  let syncing: Promise<void> | null = null;
  let isSyncWanted = false;

  const read = async (limit: number, after?: string) => {
    const query = queryOf(store.getState().filter, limit, after);
    const { data, hasMore } = await api.json<{ data: InboxNotification[]; hasMore: boolean }>(
      `/notifications?${query}`,
    );
    return { items: data, hasMore };
  };

  const load = async (kind: "first" | "more" | "again"): Promise<void> => {
    const mine = ++generation;
    recent = [];
    const before = getList();
    if (kind === "first") setList(emptyList);
    if (kind !== "again") store.set({ list: kind === "more" ? "loading-more" : "loading", error: null });
    try {
      const wanted = Math.min(largestPage, Math.max(pageSize, before.items.length));
      const page =
        kind === "more"
          ? await read(pageSize, before.cursor ?? undefined)
          : await read(kind === "again" ? wanted : pageSize);
      if (mine !== generation) return;
      let list = kind === "more" ? appendPage(getList(), page) : replaceItems(page);
      if (kind === "again" && isHolding()) list = { ...list, held: stillHeld(before, list) };
      if (recent.length > maxRecent) isSyncWanted = true;
      for (const event of recent.slice(0, maxRecent)) list = applyEvent(list, event, isHolding());
      setList(list);
      store.set({ list: "ready", hasMore: list.cursor !== null, error: null });
    } catch (error) {
      if (mine !== generation) return;
      store.set({ list: kind === "first" ? "none" : "ready", ...(kind !== "again" && { error: toStateError(error) }) });
      throw error;
    }
  };

  /** Six counts in one request: for sessions and connections that are sent none. */
  const refreshCounts = async (): Promise<void> => {
    const severities = ["high", "medium", "low", "none"] as const;
    const unread = { read: false };
    const filters = [unread, ...severities.map((severity) => ({ ...unread, severity })), { seen: false }];
    const [total = 0, high = 0, medium = 0, low = 0, none = 0, unseen = 0] = await countAll(filters);
    store.set({ counts: toCounts({ total, severity: { high, medium, low, none } }, unseen) satisfies Counts });
  };

  const countAll = async (filters: object[]): Promise<number[]> => {
    const query = new URLSearchParams({ filters: JSON.stringify(filters) });
    const { data } = await api.json<{ data: { count: number }[] }>(`/notifications/count?${query}`);
    return data.map(({ count }) => count);
  };

  const syncOnce = async () => {
    await Promise.all([refreshCounts(), store.getState().list === "none" ? undefined : load("again")]);
  };

  return {
    load,
    refreshCounts,
    countAll,
    note: (event: LiveEvent) => {
      if (recent.length <= maxRecent) recent.push(event);
    },
    /** Reads counts and the loaded pages again. Calls during a run are answered by one more run. */
    resync: (): Promise<void> => {
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
    },
  };
}

/** What was kept back stays so, and messages that came while the connection was lost are kept back with it. */
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
