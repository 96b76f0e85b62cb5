// The list of events, newest first, page by page: which of them one request examines, and where the next one continues.
import type { ActivityEvent, Input, Output } from "@tidings/contract";
import type { Caller, Ctx } from "../../context.ts";
import { invalid } from "../../failure.ts";
import { firstIdAt, isUuid } from "../../lib/ids.ts";
import { toSearchValue } from "../../lib/search-values.ts";
import { peekClock } from "../../pipeline/clock/clock.ts";
import { type ActivityFilters, scanEvents } from "../../store/events/activity.ts";
import { maxId, minId, readFilters, withOutcomes } from "./activity.ts";
import { describeSoleRecipients } from "./activity-recipients.ts";

type Query = Input<"activity.listEvents">["query"];

/** Events that one request examines, and that one statement does; outcomes and payloads take longer to look at. */
const limits = { cheap: { most: 20_000, chunk: 20_000 }, costly: { most: 2_000, chunk: 200 } };
/** After this time a request returns what it has found. */
const maxScanMs = 1_000;
/** Ids are generated a moment before or after the time of their row. */
const slackMs = 60_000;

export async function list(
  ctx: Ctx,
  caller: Caller,
  { query }: Pick<Input<"activity.listEvents">, "query">,
): Promise<Output<"activity.listEvents">> {
  const { limit = 20, search } = query;
  const place = query.cursor === undefined ? { isByValue: search !== undefined, id: maxId } : readCursor(query.cursor);
  const filters = await readFilters(ctx, caller, query);
  const { from, last } = await readRange(ctx, caller, query);
  const { searchValue } = query;
  const isBySearch = filters.transactionId === undefined && searchValue === undefined;
  const value = isBySearch ? toSearchValue(search) : undefined;
  const scan = (own: ActivityFilters, below: string, options: ScanOptions) =>
    scanPage(ctx, caller.environmentId, own, { ...options, from, below: below < last ? below : last });
  const isCostly = query.outcome !== undefined || search !== undefined;
  const hasFilter =
    isCostly ||
    query.searchValue !== undefined ||
    Object.values(filters).some((one) => one !== undefined && one !== null);

  // Events with this search value come first, found by key however old they are. The others are searched for from the
  // newest on.
  const isByValue = place.isByValue && value !== undefined;
  const { text, ...rest } = filters;
  const byValue = isByValue
    ? await scan({ ...rest, searchValue: { only: value } }, place.id, { limit, budget: limits.costly, query })
    : undefined;
  if (byValue?.next) return answer(ctx, caller, byValue.found, { isByValue, id: byValue.next });
  const found = byValue?.found ?? [];
  const budget =
    found.length > 0 ? { ...limits.costly, most: limits.costly.chunk } : limits[isCostly ? "costly" : "cheap"];
  const named = searchValue === undefined ? {} : { searchValue: { only: toSearchValue(searchValue) ?? "" } };
  const own: ActivityFilters =
    value === undefined ? { ...filters, ...named } : { ...filters, searchValue: { without: value } };
  const scanned = await scan(own, isByValue ? maxId : place.id, {
    limit: limit - found.length,
    budget: hasFilter ? budget : undefined,
    query,
  });
  const next = scanned.next === null ? null : { isByValue: false, id: scanned.next };
  return answer(ctx, caller, [...found, ...scanned.found], next, scanned);
}

type Place = { isByValue: boolean; id: string };

async function answer(
  ctx: Ctx,
  { environmentId }: Caller,
  found: ActivityEvent[],
  next: Place | null,
  { isBehind, firstId }: Pick<ScannedPage, "isBehind" | "firstId"> = { isBehind: false, firstId: null },
): Promise<Output<"activity.listEvents">> {
  return {
    data: await describeSoleRecipients(ctx, environmentId, found),
    next: next && encodeCursor(next),
    scannedTo: next && isBehind ? timeOf(next.id) : undefined,
    scannedFrom: next && firstId ? timeOf(firstId) : undefined,
  };
}

type ScanOptions = {
  /** 0: nothing is examined, and the next page begins here. */
  limit: number;
  /** Absent where every event matches. */
  budget: { most: number; chunk: number } | undefined;
  query: Query;
};
type ScannedPage = {
  found: ActivityEvent[];
  /** The id below which the next page begins; null when there is nothing more. */
  next: string | null;
  /** The page is not full, because the request has examined as many events as it may. */
  isBehind: boolean;
  firstId: string | null;
};

/** A page of the events that match, newest first, among those that one request may look at. */
async function scanPage(
  ctx: Ctx,
  environmentId: string,
  filters: ActivityFilters,
  { limit, budget, query, from, ...range }: ScanOptions & { from: string; below: string },
): Promise<ScannedPage> {
  const { outcome } = query;
  const end = performance.now() + maxScanMs;
  const most = budget?.most ?? limits.cheap.most;
  const found: ActivityEvent[] = [];
  let { below } = range;
  let looked = 0;
  let isDone = false;
  let firstId: string | null = null;
  if (limit <= 0) return { found, next: below, isBehind: false, firstId };
  // A chunk at a time, so that a page that is full early examines no more events, and one that takes long ends.
  while (!isDone && found.length <= limit && looked < most && (looked === 0 || performance.now() < end)) {
    const scan = budget ? Math.min(budget.chunk, most - looked) : limit + 1 - found.length;
    // Whether an event has the outcome is known only after it was read.
    const options = { below, from, scan, limit: outcome ? scan : limit + 1 - found.length };
    const { rows, lastId, scanned, ...first } = await scanEvents(ctx.db, environmentId, filters, options);
    found.push(...(await withOutcomes(ctx, environmentId, rows, outcome)));
    isDone = scanned < scan && rows.length < options.limit;
    looked += scanned;
    firstId ??= first.firstId;
    // A full page ends at its last event, any other at the last one examined.
    below = rows.length === options.limit ? rows.at(-1)!.id : (lastId ?? below);
  }
  const page = found.slice(0, limit);
  const hasMore = found.length > limit;
  const next = hasMore ? page.at(-1)!.id : isDone ? null : below;
  return { found: page, next, isBehind: next !== null && !hasMore, firstId };
}

const encodeCursor = ({ isByValue, id }: Place): string => Buffer.from(isByValue ? `v${id}` : id).toString("base64url");
const timeOf = (id: string): string => new Date(Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16)).toISOString();

function readCursor(text: string): Place {
  const read = Buffer.from(text, "base64url").toString("utf8");
  const isByValue = read.startsWith("v");
  const place = { isByValue, id: isByValue ? read.slice(1) : read };
  if (isUuid(place.id) && encodeCursor(place) === text) return place;
  throw invalid({ cursor: { messages: ["cursor is not a valid cursor"], value: text } });
}

/** In real time the times of events are those in their ids, so that a window in the past is found by the key. */
async function readRange(ctx: Ctx, caller: Caller, { after, before }: Query) {
  if (after && before && new Date(after) >= new Date(before)) {
    throw invalid({ after: { messages: ["after must be earlier than before"], value: after } });
  }
  const isReal = !(await peekClock(ctx, caller.environmentId)).isStopped(caller.environmentId);
  const shifted = (time: string, ms: number) => firstIdAt(new Date(Math.max(0, Date.parse(time) + ms)));
  const last = before && isReal ? shifted(before, slackMs) : maxId;
  const from = after && isReal ? shifted(after, -slackMs) : minId;
  return { from, last };
}
