// How pages become a list. The newest page is read again and again, older ones are read once: what was found stays
// found. Pure.
import { type ActivityPage, type ActivityRow, timeOfId } from "./rows.ts";

/**
 * A part between the newest page and what was scanned before that has not been scanned yet; the search goes through it
 * first.
 */
type Gap = { until: number; next: string | null; scannedTo: string | undefined };

export type ActivityList = {
  /** Newest first. */
  rows: ActivityRow[];
  /** Where the search continues; null when everything has been scanned. */
  next: string | null;
  /** How far back the search came, where its last page was not full. */
  scannedTo: string | undefined;
  /** The newest moment that has been scanned, in ms. */
  top: number;
  gap?: Gap;
};

/** `all`: without filters. `outcome`: by the outcome of events, which changes; `other`: by what never changes. */
export type ListKind = "all" | "outcome" | "other";

const msOf = (time: string | undefined): number | undefined => (time === undefined ? undefined : Date.parse(time));

/** The page has scanned all events later than this. */
function bottomOf({ rows, next, scannedTo }: ActivityPage): number {
  if (next === null) return Number.NEGATIVE_INFINITY;
  const last = rows.at(-1);
  return msOf(scannedTo) ?? (last ? timeOfId(last.id) : Number.POSITIVE_INFINITY);
}

const topOf = ({ rows, scannedFrom }: ActivityPage): number =>
  msOf(scannedFrom) ?? (rows[0] ? Math.max(...rows.map(({ id }) => timeOfId(id))) : 0);

/** Each event once, as the first of the lists has it. */
function unite(...lists: (readonly ActivityRow[])[]): ActivityRow[] {
  const byId = new Map<string, ActivityRow>();
  for (const row of lists.flat()) if (!byId.has(row.id)) byId.set(row.id, row);
  return [...byId.values()].sort((a, b) => (a.id < b.id ? 1 : a.id > b.id ? -1 : 0));
}

export const startList = (page: ActivityPage): ActivityList => ({
  rows: unite(page.rows),
  next: page.next,
  scannedTo: page.scannedTo,
  top: topOf(page),
});

/**
 * The newest page only adds. Where events arrived faster than pages are read, some between it and the list were not
 * scanned: a list of all events starts over, a search keeps its results and scans the missing part next.
 */
export function mergeNewest(before: ActivityList | null, page: ActivityPage, kind: ListKind): ActivityList {
  if (!before) return startList(page);
  const bottom = bottomOf(page);
  const isApart = bottom > before.top;
  if (isApart && kind === "all") return startList(page);
  // Where the page has scanned again, an event drops out when it no longer matches, such as one that was pending.
  const fresh = new Set(page.rows.map(({ id }) => id));
  const kept =
    kind === "outcome" ? before.rows.filter(({ id }) => fresh.has(id) || timeOfId(id) <= bottom) : before.rows;
  const list = { ...before, rows: unite(page.rows, kept), top: Math.max(before.top, topOf(page)) };
  if (page.next === null) return { ...list, next: null, scannedTo: undefined, gap: undefined };
  if (!isApart) return list;
  const gap = before.gap ?? { until: before.top, next: before.next, scannedTo: before.scannedTo };
  return { ...list, next: page.next, scannedTo: page.scannedTo, gap };
}

/** With the next older page. At the end of a gap the search continues where it had been. */
export function appendPage(before: ActivityList, page: ActivityPage): ActivityList {
  const list = { ...before, rows: unite(before.rows, page.rows), next: page.next, scannedTo: page.scannedTo };
  if (!before.gap || bottomOf(page) > before.gap.until) return list;
  const { next, scannedTo } = before.gap;
  return { ...list, next, scannedTo, gap: undefined };
}

/** Rows that are shown, as the page has them now; new ones are left out. */
export function updateRows(list: ActivityList, page: ActivityPage): ActivityList {
  const byId = new Map(page.rows.map((row) => [row.id, row]));
  return { ...list, rows: list.rows.map((row) => byId.get(row.id) ?? row) };
}

/** How many rows of the page are not in the list; `isMore`: and how many more there are is not known. */
export function countNew(list: ActivityList, page: ActivityPage): { count: number; isMore: boolean } {
  const known = new Set(list.rows.map(({ id }) => id));
  const count = page.rows.filter(({ id }) => !known.has(id)).length;
  return { count, isMore: count > 0 && bottomOf(page) > list.top };
}
