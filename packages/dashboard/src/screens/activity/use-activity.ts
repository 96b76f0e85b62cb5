// The live list: the newest page is read every few seconds and merged into what is shown; older pages are read once. So
// a list of any length costs one small request every few seconds.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { ApiError, toApiError } from "../../api/api-error.ts";
import { useEnvironment } from "../../api/session.tsx";
import {
  type ActivityList,
  appendPage,
  countNew,
  type ListKind,
  mergeNewest,
  startList,
  updateRows,
} from "./activity-pages.ts";
import { fetchActivity, newestActivity } from "./data.ts";
import type { ActivityFilters } from "./filters.ts";
import type { ActivityPage, ActivityRow } from "./rows.ts";

// Not the stream of events: a browser opens six connections to an address, so the seventh tab with one would load
// nothing.
const pollMs = 3_000;
/**
 * Pages without a row after which the reader is asked whether to keep searching: a rare outcome may be a million events
 * away.
 */
const maxEmptyPages = 10;

/** A list that was left is scrolled to where it was within this time. */
const scrollMs = 1_000;

/** `emptyPages`: in a row, since the reader last asked to keep searching. */
type Shown = ActivityList & { key: string; emptyPages: number };

export type Activity = {
  rows: readonly ActivityRow[];
  /** New rows that are held back while the reader is further down or points at a row. */
  held: { count: number; isMore: boolean };
  showHeld: () => void;
  isPending: boolean;
  /** Whether the service responds. */
  isConnected: boolean;
  error: ApiError | null;
  retry: () => void;
  hasMore: boolean;
  scannedTo: string | undefined;
  /** The search examines older pages automatically. */
  isLooking: boolean;
  loadMore: () => void;
  /** The reader asks to keep searching. */
  keepLooking: () => void;
};

const kindOf = (filters: ActivityFilters): ListKind =>
  Object.keys(filters).length === 0 ? "all" : filters.outcome !== undefined && !filters.q ? "outcome" : "other";

/** `isPointing`: the pointer or the focus is on a row. */
export function useActivity(filters: ActivityFilters, isLive: boolean, isPointing: boolean): Activity {
  const { _id: environmentId } = useEnvironment();
  const client = useQueryClient();
  const key = JSON.stringify([environmentId, filters]);
  const kind = kindOf(filters);
  const [shown, setShown] = useState<Shown | null>(null);
  // The list from the last visit, so that Back leads to the same place in it.
  const kept = useMemo(() => client.getQueryData<Shown>(keptAs(key)) ?? null, [client, key]);
  const [moreError, setMoreError] = useState<ApiError | null>(null);
  const [loadingKey, setLoadingKey] = useState("");
  const head = useQuery({ ...newestActivity(environmentId, filters), refetchInterval: isLive ? pollMs : false });
  const { data } = head;
  // The first response is drawn at once, without the second pass that the effect below would need.
  const current = shown?.key === key ? shown : (kept ?? (data ? { key, emptyPages: 0, ...startList(data) } : null));
  const held = current && data ? countNew(current, data) : { count: 0, isMore: false };
  useKept(key, current);

  const merge = useCallback(
    (page: ActivityPage) =>
      setShown((before) => {
        const own = before?.key === key ? before : kept;
        return { key, emptyPages: own?.emptyPages ?? 0, ...mergeNewest(own, page, kind) };
      }),
    [key, kind, kept],
  );
  const openedAt = useMemo(() => (kept ? performance.now() : Number.NEGATIVE_INFINITY), [kept]);
  useEffect(() => {
    if (!data) return;
    setMoreError((error) => (isUnreachable(error) ? null : error));
    // Rows above the visible ones would push the text away under the reader's eyes or pointer. Changes of rows that are
    // shown are taken. A list that was kept is about to be scrolled to where it was.
    const isReading = window.scrollY > 120 || isPointing || performance.now() < openedAt + scrollMs;
    if (!isReading || held.count === 0) return merge(data);
    setShown((before) => {
      const own = before?.key === key ? before : kept;
      return own && { ...own, ...updateRows(own, data) };
    });
  }, [data, held.count, isPointing, merge, openedAt, key, kept]);

  const loading = useRef("");
  // Cleared when the loaded page has been drawn: before that, a callback of the last drawing would load one more.
  useEffect(() => {
    loading.current = loadingKey;
  }, [loadingKey]);
  const loadMore = async (isAsked: boolean) => {
    if (loading.current === key || !current?.next) return;
    loading.current = key;
    setLoadingKey(key);
    setMoreError(null);
    try {
      const page = await fetchActivity(environmentId, filters, current.next);
      setShown((before) => {
        if (before?.key !== key) return before;
        const list = appendPage(before, page);
        const isEmpty = list.rows.length === before.rows.length;
        return { ...list, key, emptyPages: isEmpty ? (isAsked ? 0 : before.emptyPages) + 1 : 0 };
      });
    } catch (error) {
      if (loading.current === key) setMoreError(toApiError(error));
    } finally {
      if (loading.current === key) setLoadingKey("");
    }
  };
  const error = head.error ?? moreError;
  const isConnected = !isUnreachable(head.failureReason ?? error);
  const isLooking = (current?.emptyPages ?? 0) < maxEmptyPages && !error;
  return {
    rows: current?.rows ?? [],
    held,
    showHeld: () => {
      window.scrollTo({ top: 0 });
      if (data) merge(data);
    },
    isPending: !current && (head.isPending || Boolean(error)),
    isConnected,
    error: isConnected ? error : null,
    retry: () => void (head.error ? head.refetch() : loadMore(true)),
    hasMore: Boolean(current?.next),
    scannedTo: current?.scannedTo,
    isLooking: Boolean(current?.next) && (isLooking || loadingKey === key),
    loadMore: () => void (isLooking && loadMore(false)),
    keepLooking: () => void loadMore(true),
  };
}

const keptAs = (key: string) => ["activity-list", key];

/** Cached with the responses of the service: for five minutes, and until sign-out. */
function useKept(key: string, list: Shown | null): void {
  const client = useQueryClient();
  const latest = useRef(new Map<string, Shown>());
  if (list) latest.current.set(list.key, list);
  useEffect(
    () => () => {
      const left = latest.current.get(key);
      latest.current.delete(key);
      if (left) client.setQueryData(keptAs(key), left);
    },
    [client, key],
  );
}

/** Said once for the whole page, above it. */
const isUnreachable = (error: unknown): boolean => error instanceof ApiError && [0, 502, 503].includes(error.status);
