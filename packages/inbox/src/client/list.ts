// The list of an inbox as pure functions. `items` is the server's latest state. Pending marks are applied on top of it,
// so a failed mark is simply removed and nothing has to be restored.
import type { Counts, InboxFilter, InboxNotification, LiveEvent } from "./types.ts";

/** A change that the server has not confirmed. `apply` returns null if the notification is to be deleted. */
export type Patch = {
  applies: (item: InboxNotification) => boolean;
  apply: (item: InboxNotification) => InboxNotification | null;
  /** The counts with this change. */
  count?: (counts: Counts) => Counts;
};

export type List = {
  /** By id, which is the order in time, the newest first. */
  items: InboxNotification[];
  /** Id of the last item of the last page: older ones are not loaded. Null: all are. */
  cursor: string | null;
  /** New messages that are not shown yet. */
  held: ReadonlySet<string>;
};

export const emptyList: List = { items: [], cursor: null, held: new Set() };

const newestFirst = (a: InboxNotification, b: InboxNotification): number => (a.id < b.id ? 1 : a.id > b.id ? -1 : 0);

/** Every id once; if two items have the same id, the later argument wins. */
function merge(...lists: InboxNotification[][]): InboxNotification[] {
  return [...new Map(lists.flat().map((item) => [item.id, item])).values()].sort(newestFirst);
}

export type Page = { items: InboxNotification[]; hasMore: boolean };

const cursorOf = ({ items, hasMore }: Page): string | null => (hasMore ? (items.at(-1)?.id ?? null) : null);

/** The first page, or all loaded pages at once. */
export function replaceItems(page: Page, before: List = emptyList): List {
  const known = new Map(before.items.map((item) => [item.id, item]));
  const kept = page.items.map((item) => (isSame(known.get(item.id), item) ? known.get(item.id)! : item));
  return { items: merge(kept), cursor: cursorOf(page), held: new Set() };
}

export const appendPage = (list: List, page: Page): List => ({
  ...list,
  items: merge(list.items, page.items),
  cursor: cursorOf(page),
});

/** Whether two API values are equal, regardless of the order of their members. Absent equals null. */
export function isSame(a: unknown, b: unknown): boolean {
  if (typeof a !== "object" || typeof b !== "object" || !a || !b) return (a ?? null) === (b ?? null);
  const [one, other] = [a, b] as Record<string, unknown>[];
  return Object.keys({ ...a, ...b }).every((key) => isSame(one![key], other![key]));
}

/**
 * Replaces the newest messages with a fresh read of one or more pages. Older messages are kept, unless the page shows
 * that none exist or leaves a gap to those already loaded. Unchanged messages stay the same objects.
 */
export function refreshItems(list: List, page: Page): List {
  const { cursor } = list;
  const last = page.items.at(-1)?.id ?? "";
  if (!page.hasMore || last > (list.items[0]?.id ?? "")) return replaceItems(page, list);
  const older = list.items.filter(({ id }) => id < last);
  // A page that reaches beyond the loaded messages is cut off there.
  const fresh = cursor === null ? page.items : page.items.filter(({ id }) => id >= cursor);
  const next = replaceItems({ items: [...fresh, ...older], hasMore: false }, list);
  return { ...next, cursor: cursor ?? (older[0] ? null : last) };
}

function putItem(list: List, item: InboxNotification): List {
  const items = [...list.items];
  const at = items.findIndex(({ id }) => id <= item.id);
  items.splice(at < 0 ? items.length : at, items[at]?.id === item.id ? 1 : 0, item);
  return { ...list, items };
}

function removeItems(list: List, ids: readonly string[]): List {
  const gone = new Set(ids);
  return {
    ...list,
    items: list.items.filter(({ id }) => !gone.has(id)),
    held: new Set([...list.held].filter((id) => !gone.has(id))),
  };
}

/** `isHolding`: a new message is counted, and shown later. */
export function applyEvent(list: List, event: LiveEvent, isHolding: boolean): List {
  if (event.kind === "removed") return removeItems(list, event.ids);
  if (event.kind !== "notification" && event.kind !== "changed") return list;
  const { notification } = event;
  const isKnown = list.items.some(({ id }) => id === notification.id);
  // An older message that has not been loaded yet comes with its page.
  if (!isKnown && list.cursor !== null && notification.id < list.cursor) return list;
  const next = putItem(list, notification);
  const isHeld = isHolding && !isKnown && event.kind === "notification";
  return isHeld ? { ...next, held: new Set([...list.held, notification.id]) } : next;
}

export const showHeld = (list: List): List => ({ ...list, held: new Set() });

export function isShownBy({ tags, archived, snoozed, unread }: InboxFilter, item: InboxNotification): boolean {
  if (item.isArchived !== (archived ?? false) || item.isSnoozed !== (snoozed ?? false)) return false;
  if (unread && item.isRead) return false;
  return !tags?.length || tags.some((tag) => item.tags?.includes(tag));
}

const patched = (item: InboxNotification, patches: readonly Patch[]): InboxNotification | null =>
  patches.reduce<InboxNotification | null>(
    (value, patch) => (value && patch.applies(value) ? patch.apply(value) : value),
    item,
  );

/** The visible messages: with all pending changes, without those that the filter excludes. */
export function visibleItems({ items, held }: List, patches: readonly Patch[], filter: InboxFilter) {
  const shown = items.flatMap((item) => {
    const value = patched(item, patches);
    return value && isShownBy(filter, value) ? [value] : [];
  });
  return {
    notifications: shown.filter(({ id }) => !held.has(id)),
    newCount: shown.filter(({ id }) => held.has(id)).length,
  };
}

const isCounted = (item: InboxNotification | null): boolean =>
  item !== null && !item.isRead && !item.isArchived && !item.isSnoozed;

/** The counts until the server sends its own: one more or one less, as the notification changes. */
export function adjustCounts(counts: Counts, before: InboxNotification, after: InboxNotification | null): Counts {
  const change = Number(isCounted(after)) - Number(isCounted(before));
  // At 100 the server has stopped counting.
  if (change === 0 || counts.total >= 100) return counts;
  const { severity } = before;
  return {
    ...counts,
    total: Math.max(0, counts.total + change),
    severity: { ...counts.severity, [severity]: Math.max(0, counts.severity[severity] + change) },
  };
}
