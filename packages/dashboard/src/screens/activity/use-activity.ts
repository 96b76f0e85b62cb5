// The live list: the newest page is read every few seconds and merged into what is shown; older pages are read once. So a list
// of any length costs one small request every few seconds.
import { useQuery } from "@tanstack/react-query";
import { useCallback, useEffect, useRef, useState } from "react";
import { type ApiError, toApiError } from "../../api/api-error.ts";
import { useEnvironment } from "../../app/session.tsx";
import { type ActivityPage, type ActivityRow, fetchActivity, newestActivity } from "./data.ts";
import type { ActivityFilters } from "./filters.ts";

// Not the stream of events: a browser opens six connections to an address, so the seventh tab with one would load nothing.
const pollMs = 3_000;
/** Pages without a row after which the reader is asked whether to look further: a rare outcome may be a million events away. */
const mostEmptyPages = 10;

type Shown = ActivityPage & { key: string };

export type Activity = {
  rows: readonly ActivityRow[];
  /** New rows that are held back while the reader is further down. */
  held: number;
  showHeld: () => void;
  isPending: boolean;
  error: ApiError | null;
  retry: () => void;
  hasMore: boolean;
  scannedTo: string | undefined;
  isLoadingMore: boolean;
  /** The next page is loaded when the end of the list is near. */
  isLoadedAlone: boolean;
  loadMore: () => void;
};

export function useActivity(filters: ActivityFilters, isLive: boolean): Activity {
  const { _id: environmentId } = useEnvironment();
  const key = JSON.stringify([environmentId, filters]);
  const [shown, setShown] = useState<Shown>({ key: "", rows: [], next: null });
  const [isLoadingMore, setLoadingMore] = useState(false);
  const [moreError, setMoreError] = useState<ApiError | null>(null);
  const [emptyPages, setEmptyPages] = useState(0);
  const head = useQuery({ ...newestActivity(environmentId, filters), refetchInterval: isLive ? pollMs : false });
  const { data } = head;
  // The first answer is drawn at once, without the second pass that the effect below would need.
  const current = shown.key === key ? shown : data ? { key, ...data } : null;
  const held = current && data ? countNew(current.rows, data.rows) : 0;

  const merge = useCallback(
    (page: ActivityPage) => setShown((before) => mergePage(before.key === key ? before : null, page, key)),
    [key],
  );
  useEffect(() => {
    if (!data) return;
    // Rows above the visible ones would push the text away under the reader's eyes. Changes of rows that are shown are taken.
    const isReading = window.scrollY > 120;
    if (isReading && held > 0) setShown((before) => ({ ...before, rows: updateRows(before.rows, data.rows) }));
    else merge(data);
  }, [data, held, merge]);

  const loading = useRef(false);
  const loadMore = async () => {
    if (loading.current || !current?.next) return;
    loading.current = true;
    setLoadingMore(true);
    setMoreError(null);
    try {
      const page = await fetchActivity(environmentId, filters, current.next);
      setShown((before) => (before.key === key ? appendPage(before, page) : before));
      setEmptyPages((count) => (page.rows.length > 0 || count >= mostEmptyPages ? 0 : count + 1));
    } catch (error) {
      setMoreError(toApiError(error));
    } finally {
      loading.current = false;
      setLoadingMore(false);
    }
  };
  return {
    rows: current?.rows ?? [],
    held,
    showHeld: () => {
      window.scrollTo({ top: 0 });
      if (data) merge(data);
    },
    isPending: head.isPending || (!current && !head.error),
    error: head.error ?? moreError,
    retry: () => void head.refetch(),
    hasMore: Boolean(current?.next),
    scannedTo: current?.scannedTo,
    isLoadingMore,
    isLoadedAlone: emptyPages < mostEmptyPages,
    loadMore: () => void loadMore(),
  };
}

const countNew = (shown: readonly ActivityRow[], fresh: readonly ActivityRow[]): number => {
  const newest = new Set(shown.slice(0, fresh.length * 2).map(({ id }) => id));
  return shown.length === 0 ? 0 : fresh.filter(({ id }) => !newest.has(id)).length;
};

function updateRows(rows: ActivityRow[], fresh: readonly ActivityRow[]): ActivityRow[] {
  const byId = new Map(fresh.map((row) => [row.id, row]));
  return rows.map((row) => byId.get(row.id) ?? row);
}

/** Where the newest page has no row in common with the list, rows between them are missing: the list begins anew. */
function mergePage(before: Shown | null, page: ActivityPage, key: string): Shown {
  if (!before || before.rows.length === 0) return { key, ...page };
  const fresh = new Set(page.rows.map(({ id }) => id));
  const isConnected = before.rows.some(({ id }) => fresh.has(id));
  if (!isConnected) return { key, ...page };
  return { ...before, rows: [...page.rows, ...before.rows.filter(({ id }) => !fresh.has(id))] };
}

function appendPage(before: Shown, page: ActivityPage): Shown {
  const known = new Set(before.rows.map(({ id }) => id));
  return { ...before, ...page, rows: [...before.rows, ...page.rows.filter(({ id }) => !known.has(id))] };
}
