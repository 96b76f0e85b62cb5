// Statistics by hour or by day: hours that were counted, and the latest ones, which are counted with the request.
import {
  type Input,
  mostStatisticsDays,
  mostStatisticsGroups,
  type Output,
  type StatisticsBreakdown,
  type StatisticsBucket,
} from "@tidings/contract";
import type { Caller, Ctx } from "../../context.ts";
import { invalid } from "../../failure.ts";
import {
  type DimensionRow,
  findWorkflowNames,
  hourMs,
  latencyBounds,
  type StatisticsRow,
  sumDimensions,
  sumHours,
  sumLiveHour,
} from "../../store/events/statistics.ts";
import { findCountedHours } from "../../store/installation/statistics.ts";

type Query = Input<"statistics.list">["query"];
type Figures = Omit<StatisticsBucket, "start">;

const dayMs = 24 * hourMs;
/** Hours that may be counted with a request, and the messages that are read for one. */
const liveHours = 2;
const maxLiveRows = 50_000;
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
  const rows = await sumHours(ctx.db, environmentId, query, { from: new Date(from), to: new Date(to), granularity });
  const live: DimensionRow[] = [];
  for (const hour of await findLiveHours(ctx, { from, to, now })) {
    live.push(...(await sumLiveHour(ctx.db, environmentId, query, hour, maxLiveRows)));
  }
  rows.push(...live);
  const width = granularity === "day" ? dayMs : hourMs;
  const byBucket = Map.groupBy(rows, ({ bucket }) => Math.floor(bucket.getTime() / width) * width);
  const data: StatisticsBucket[] = [];
  for (let start = from; start < to; start += width) {
    data.push({ start: new Date(start).toISOString(), ...toFigures(byBucket.get(start) ?? []) });
  }
  const range = { from: new Date(from), to: new Date(to), limit: maxDimensionRows };
  const breakdown = query.breakdown
    ? await toBreakdown(ctx, environmentId, [...(await sumDimensions(ctx.db, environmentId, query, range)), ...live])
    : undefined;
  return { granularity, data, totals: toFigures(rows), breakdown };
}

/** By workflow, by channel, and by provider; each list with the most messages first. */
async function toBreakdown(ctx: Ctx, environmentId: string, rows: DimensionRow[]): Promise<StatisticsBreakdown> {
  const groupsOf = (keyOf: (row: DimensionRow) => string) =>
    [...Map.groupBy(rows, keyOf).values()]
      .map((group) => ({ first: group[0]!, figures: toFigures(group) }))
      .sort((a, b) => b.figures.sent + b.figures.failed - (a.figures.sent + a.figures.failed))
      .slice(0, mostStatisticsGroups);
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
    // A step that was skipped has called no provider: it stands with its workflow and its channel.
    providers: providers
      .filter(({ figures: { sent, failed } }) => sent + failed > 0)
      .map(({ first: { channel, provider_id }, figures }) => ({
        providerId: provider_id === "" ? null : provider_id,
        channel,
        ...figures,
      })),
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
  const days = mostStatisticsDays[granularity];
  if (to - from > days * dayMs) {
    const message = `from and to may be ${days} days apart with the granularity ${granularity}`;
    throw invalid({ from: { messages: [message], value: query.from } });
  }
  return { from: Math.floor(from / width) * width, to: Math.ceil(to / width) * width };
}

const sum = (rows: StatisticsRow[], name: "sent" | "delivered" | "opened" | "failed" | "refused"): number =>
  rows.reduce((total, row) => total + row[name], 0);

function toFigures(rows: StatisticsRow[]): Figures {
  const skipped: Record<string, number> = {};
  for (const { reason, skipped: count } of rows) {
    if (reason !== "") skipped[reason] = (skipped[reason] ?? 0) + count;
  }
  const classes = Array.from({ length: latencyBounds.length + 1 }, (_, index) =>
    rows.reduce((total, { latency }) => total + (latency[index] ?? 0), 0),
  );
  return {
    sent: sum(rows, "sent"),
    delivered: sum(rows, "delivered"),
    opened: sum(rows, "opened"),
    failed: sum(rows, "failed"),
    refused: sum(rows, "refused"),
    skipped,
    latency: classes.some((count) => count > 0)
      ? { p50: estimateQuantile(classes, 0.5), p95: estimateQuantile(classes, 0.95) }
      : undefined,
  };
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
