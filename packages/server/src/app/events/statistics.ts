// Statistics by hour or by day: hours that were counted, and the latest ones, which are counted with the request.
import {
  type Input,
  maxStatisticsDays,
  maxStatisticsGroups,
  type Output,
  type StatisticsBreakdown,
  type StatisticsBucket,
  type StatisticsWaiting,
} from "@tidings/contract";
import type { Caller, Ctx } from "../../context.ts";
import { invalid } from "../../failure.ts";
import { timeOfId } from "../../lib/ids.ts";
import { waitingGroup } from "../../pipeline/clock/clock.ts";
import { captures } from "../../pipeline/objectives.ts";
import {
  type DimensionRow,
  delayedReason,
  findWorkflowNames,
  hourMs,
  latencyBounds,
  type StatisticsRow,
  sumDimensions,
  sumHours,
  sumLiveHour,
} from "../../store/events/statistics.ts";
import { findCountedHours } from "../../store/installation/statistics.ts";
import { listIntegrations } from "../../store/integrations/integrations.ts";
import { countHeld, countRetries } from "../../store/queue/held.ts";
import { maxHeldCounted } from "../integrations/integration-health.ts";

type Query = Input<"statistics.list">["query"];
type Figures = Omit<StatisticsBucket, "start">;

const dayMs = 24 * hourMs;
/** Hours that may be counted with a request, and the messages that are read for one. */
const liveHours = 2;
const maxLiveRows = 50_000;
/** Messages waiting for their next attempt that are counted. */
const maxRetriesCounted = 10_000;
/** Combinations of workflow, channel, provider and reason that a breakdown adds up. */
const maxDimensionRows = 20_000;

export async function list(
  ctx: Ctx,
  { environmentId }: Caller,
  { query }: Input<"statistics.list">,
): Promise<Output<"statistics.list">> {
  const { granularity = "hour" } = query;
  const now = ctx.now().getTime();
  const { from, to } = readRange(query, now, granularity === "day" ? dayMs : hourMs);
  const range = { from: new Date(from), to: new Date(to), captures };
  const rows = await sumHours(ctx.db, environmentId, query, { ...range, granularity });
  const live: DimensionRow[] = [];
  for (const hour of await findLiveHours(ctx, { from, to, now })) {
    live.push(...(await sumLiveHour(ctx.db, environmentId, query, { hour, captures, limit: maxLiveRows })));
  }
  rows.push(...live);
  const width = granularity === "day" ? dayMs : hourMs;
  const byBucket = Map.groupBy(rows, ({ bucket }) => Math.floor(bucket.getTime() / width) * width);
  const data: StatisticsBucket[] = [];
  for (let start = from; start < to; start += width) {
    data.push({ start: new Date(start).toISOString(), ...toFigures(byBucket.get(start) ?? []) });
  }
  const counted = query.breakdown
    ? await sumDimensions(ctx.db, environmentId, query, { ...range, limit: maxDimensionRows })
    : [];
  const breakdown = query.breakdown ? await toBreakdown(ctx, environmentId, [...counted, ...live]) : undefined;
  const waiting = await findWaiting(ctx, environmentId, query);
  return { granularity, data, totals: toFigures(rows), breakdown, waiting };
}

/** By workflow, by channel, and by provider; each list with the most messages first. */
async function toBreakdown(ctx: Ctx, environmentId: string, rows: DimensionRow[]): Promise<StatisticsBreakdown> {
  const groupsOf = (keyOf: (row: DimensionRow) => string) =>
    [...Map.groupBy(rows, keyOf).values()]
      .map((group) => ({ first: group[0]!, figures: toFigures(group) }))
      .sort((a, b) => volumeOf(b.figures) - volumeOf(a.figures))
      .slice(0, maxStatisticsGroups);
  const workflows = groupsOf((row) => row.workflow_id);
  const names = await findWorkflowNames(
    ctx.db,
    environmentId,
    workflows.map(({ first }) => first.workflow_id),
  );
  const providers = groupsOf((row) => `${row.channel} ${row.provider_id}`);
  return {
    workflows: workflows.map(({ first: { workflow_id: id }, figures }) => ({
      _id: id,
      workflowId: names.get(id)?.workflow_id ?? null,
      name: names.get(id)?.name ?? null,
      ...figures,
    })),
    channels: groupsOf((row) => row.channel).map(({ first: { channel }, figures }) => ({ channel, ...figures })),
    // A step that was skipped has called no provider: it counts for its workflow and its channel.
    providers: providers
      .filter(({ figures }) => volumeOf(figures) > 0)
      .map(({ first: { channel, provider_id }, figures }) => ({
        providerId: provider_id === "" ? null : provider_id,
        channel,
        ...figures,
      })),
  };
}

const volumeOf = ({ sent, captured, failed, failedAttempts }: Figures): number =>
  sent + captured + failed + failedAttempts;

/** What waits now, whatever the range: for an integration that does not return, or for the next attempt. */
async function findWaiting(ctx: Ctx, environmentId: string, query: Query): Promise<StatisticsWaiting | undefined> {
  // Which workflow a task in the queue belongs to is not known without reading its messages.
  if (query.workflowId !== undefined) return undefined;
  const isWanted = (channel: string, providerId: string) =>
    (query.channel === undefined || query.channel === channel) &&
    (query.providerId === undefined || query.providerId === providerId);
  const integrations = new Map((await listIntegrations(ctx.db, environmentId)).map((one) => [one.id, one]));
  const held = await countHeld(ctx.db, environmentId, [...integrations.keys()], maxHeldCounted);
  const retries = await countRetries(ctx.db, environmentId, {
    group: waitingGroup(environmentId),
    limit: maxRetriesCounted,
  });
  const counts = [
    ...held.map(({ integration_id, ...count }) => {
      const { channel, provider_id: providerId } = integrations.get(integration_id)!;
      return { channel, providerId, ...count };
    }),
    ...retries.map(({ channel, provider_id, count, oldest }) => ({
      ...{ channel, count, oldest },
      providerId: provider_id ?? "",
    })),
  ].filter(({ channel, providerId }) => isWanted(channel, providerId));
  const providers = [...Map.groupBy(counts, ({ channel, providerId }) => `${channel} ${providerId}`).values()]
    .map((own) => ({ channel: own[0]!.channel, providerId: own[0]!.providerId, ...sumWaiting(own) }))
    .sort((a, b) => b.count - a.count);
  return { ...sumWaiting(counts), providers };
}

/** Ids are in the order of time. */
function sumWaiting(counts: { count: number; oldest: string }[]): { count: number; oldestAt?: string } {
  const oldest = counts.map((one) => one.oldest).sort()[0];
  return {
    count: counts.reduce((total, { count }) => total + count, 0),
    ...(oldest === undefined ? {} : { oldestAt: new Date(timeOfId(oldest)).toISOString() }),
  };
}

/** The latest hours, unless they have been counted. */
async function findLiveHours(ctx: Ctx, { from, to, now }: { from: number; to: number; now: number }): Promise<Date[]> {
  const current = Math.floor(now / hourMs) * hourMs;
  const latest = Array.from({ length: liveHours }, (_, index) => current - index * hourMs);
  const wanted = latest.filter((hour) => hour >= from && hour < to);
  if (wanted.length === 0) return [];
  const counted = await findCountedHours(ctx.db, new Date(Math.min(...wanted)));
  const known = new Set(counted.map(({ hour }) => hour.getTime()));
  return wanted.filter((hour) => !known.has(hour)).map((hour) => new Date(hour));
}

/** Whole hours or days that contain the range. */
function readRange(query: Query, now: number, width: number): { from: number; to: number } {
  const { granularity = "hour" } = query;
  const to = query.to ? Date.parse(query.to) : now + 1;
  const from = query.from ? Date.parse(query.from) : to - dayMs;
  if (from >= to) throw invalid({ from: { messages: ["from must be earlier than to"], value: query.from } });
  const days = maxStatisticsDays[granularity];
  if (to - from > days * dayMs) {
    const message = `from and to may be ${days} days apart with the granularity ${granularity}`;
    throw invalid({ from: { messages: [message], value: query.from } });
  }
  return { from: Math.floor(from / width) * width, to: Math.ceil(to / width) * width };
}

type Countable = "sent" | "captured" | "delivered" | "opened" | "failed" | "refused" | "failed_attempts";

const sum = (rows: StatisticsRow[], name: Countable): number => rows.reduce((total, row) => total + row[name], 0);

function toFigures(rows: StatisticsRow[]): Figures {
  const skipped: Record<string, number> = {};
  for (const { reason, skipped: count } of rows) {
    if (reason !== "" && reason !== delayedReason) skipped[reason] = (skipped[reason] ?? 0) + count;
  }
  const classes = Array.from({ length: latencyBounds.length + 1 }, (_, index) =>
    rows.reduce((total, { latency }) => total + (latency[index] ?? 0), 0),
  );
  const delayed = rows.reduce((total, row) => total + (row.reason === delayedReason ? row.skipped : 0), 0);
  const due = sum(rows, "sent") + sum(rows, "captured") + sum(rows, "failed");
  return {
    sent: sum(rows, "sent"),
    captured: sum(rows, "captured"),
    delivered: sum(rows, "delivered"),
    opened: sum(rows, "opened"),
    failed: sum(rows, "failed"),
    refused: sum(rows, "refused"),
    failedAttempts: sum(rows, "failed_attempts"),
    skipped,
    held: toHeld(skipped, delayed, due),
    latency: classes.some((count) => count > 0)
      ? { p50: estimateQuantile(classes, 0.5), p95: estimateQuantile(classes, 0.95) }
      : undefined,
  };
}

/** `due`: messages that exist. Delayed ones are among them, at the latest when they have been sent. */
function toHeld(skipped: Record<string, number>, delayed: number, due: number): Figures["held"] {
  const { attention_rolled_up: rolledUp = 0, attention_dropped: dropped = 0 } = skipped;
  const held = rolledUp + dropped + delayed;
  if (held === 0) return undefined;
  return { rolledUp, dropped, delayed, share: held / (rolledUp + dropped + Math.max(delayed, due)) };
}

/** In its class a value is assumed to be as likely as any other; the last class counts as its lower bound. */
export function estimateQuantile(classes: number[], share: number): number {
  const wanted = classes.reduce((total, count) => total + count, 0) * share;
  let below = 0;
  for (const [index, count] of classes.entries()) {
    if (count > 0 && below + count >= wanted) {
      const lower = latencyBounds[index - 1] ?? 0;
      const upper = latencyBounds[index] ?? lower;
      return Math.round(lower + ((wanted - below) / count) * (upper - lower));
    }
    below += count;
  }
  return 0;
}
