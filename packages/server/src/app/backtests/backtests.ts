// Backtests: created, listed, canceled and deleted. What a change is read into: backtest-change.ts; who is concerned:
// backtest-people.ts; the replay itself: pipeline/backtests/stage.ts.
import { type Backtest, backtestLimits, type Input, type Output } from "@tidings/contract";
import type { Caller, Ctx } from "../../context.ts";
import { failure, faultCollector } from "../../failure.ts";
import { firstIdAt } from "../../lib/ids.ts";
import { estimateNotifications, expectedOf, sampleOf, shareOf } from "../../pipeline/backtests/sample.ts";
import { enqueueBacktest } from "../../pipeline/backtests/stage.ts";
import { openBatch } from "../../pipeline/batch.ts";
import { readTime } from "../../pipeline/rules/waits.ts";
import {
  type BacktestHead,
  type BacktestRow,
  deleteBacktest,
  findBacktestHead,
  findRunningBacktest,
  insertBacktest,
  listBacktests,
} from "../../store/backtests/backtests.ts";
import { countNotifications } from "../../store/backtests/histories.ts";
import { environmentClock } from "../environments/clock.ts";
import { actorOf } from "../members/actor.ts";
import { pageRange, toPage } from "../paging.ts";
import { readChange } from "./backtest-change.ts";

const dayMs = 86_400_000;
const defaultDays = 7;

export async function create(
  ctx: Ctx,
  caller: Caller,
  { body }: Input<"backtests.create">,
): Promise<Output<"backtests.create">> {
  const { environmentId } = caller;
  const { from, to } = readPeriod(body, ctx.now());
  await refuseTestClock(ctx, caller);
  const running = await findRunningBacktest(ctx.db, environmentId);
  if (running) throw failure("BACKTEST_RUNNING", { backtestId: running });
  const change = await readChange(ctx, caller, body.change ?? {});
  const range = { from: firstIdAt(from), to: firstIdAt(to) };
  const counted = await countNotifications(ctx.db, environmentId, range, backtestLimits.countedNotifications);
  const period = { from: from.getTime(), to: to.getTime() };
  const notifications = estimateNotifications(counted, period, backtestLimits.countedNotifications);
  if (notifications === 0) throw failure("BACKTEST_EMPTY", { from: from.toISOString(), to: to.toISOString() });
  const row = await insertBacktest(ctx.db, environmentId, {
    id: ctx.newId(),
    name: body.name ?? null,
    period_from: from,
    period_to: to,
    permyriad: shareOf(notifications, body.maxNotifications ?? backtestLimits.notifications),
    notifications,
    change,
    created_by: actorOf(caller).name,
    created_at: ctx.now(),
  });
  // Another request was first.
  if (!row) {
    const other = (await findRunningBacktest(ctx.db, environmentId)) ?? "of another request";
    throw failure("BACKTEST_RUNNING", { backtestId: other });
  }
  await enqueueBacktest(await openBatch(ctx, [environmentId]), environmentId, { backtestId: row.id });
  return toBacktest(await requireBacktest(ctx, environmentId, row.id), ctx.now());
}

/** 409: notifications of a test clock are not where their ids say. */
export async function refuseTestClock(ctx: Ctx, caller: Caller): Promise<void> {
  const { environmentId } = caller;
  const clock = await environmentClock(ctx, caller);
  if (clock.isStopped(environmentId)) throw failure("BACKTEST_TEST_CLOCK", { environmentId });
}

function readPeriod({ from, to, lastDays }: Input<"backtests.create">["body"], now: Date): { from: Date; to: Date } {
  const faults = faultCollector();
  const read = (field: "from" | "to", text: string | undefined): Date | null => {
    const time = text === undefined ? null : readTime(text);
    if (text !== undefined && time === null)
      faults.add(field, `${field} must be an ISO time, such as 2026-01-31T09:00:00Z`, text);
    return time;
  };
  const first = read("from", from);
  const end = read("to", to);
  if (lastDays !== undefined && (from !== undefined || to !== undefined))
    faults.add("lastDays", "lastDays is given instead of from and to: leave one of them out", lastDays);
  if (to !== undefined && from === undefined) faults.add("from", "from is missing: give it together with to");
  faults.throwIfAny();
  const until = end && end < now ? end : now;
  const since = first ?? new Date(until.getTime() - (lastDays ?? defaultDays) * dayMs);
  if (since >= until) faults.add("from", "from must be before to, and in the past", from);
  if (until.getTime() - since.getTime() > backtestLimits.days * dayMs)
    faults.add("from", `from must be at most ${backtestLimits.days} days before to`, from);
  faults.throwIfAny();
  return { from: since, to: until };
}

export async function list(
  ctx: Ctx,
  { environmentId }: Caller,
  { query }: Input<"backtests.list">,
): Promise<Output<"backtests.list">> {
  const { offset, limit } = pageRange({ limit: 20, ...query });
  const rows = await listBacktests(ctx.db, environmentId, { offset, limit });
  const now = ctx.now();
  return toPage(rows, { limit: 20, ...query }, (row) => toBacktest({ ...row, report: null }, now));
}

export async function get(
  ctx: Ctx,
  { environmentId }: Caller,
  { params }: Input<"backtests.get">,
): Promise<Output<"backtests.get">> {
  return toBacktest(await requireBacktest(ctx, environmentId, params.backtestId), ctx.now());
}

/** A page that is being replayed finds no row to store its counts in. */
export async function cancel(
  ctx: Ctx,
  { environmentId }: Caller,
  { params: { backtestId } }: Input<"backtests.cancel">,
): Promise<Output<"backtests.cancel">> {
  const row = await requireBacktest(ctx, environmentId, backtestId, { lock: true });
  if (row.status !== "queued" && row.status !== "running")
    throw failure("BACKTEST_ENDED", { backtestId, status: row.status });
  await deleteBacktest(ctx.db, environmentId, row.id);
  const now = ctx.now();
  return toBacktest({ ...row, status: "canceled", finished_at: now }, now);
}

export async function remove(
  ctx: Ctx,
  { environmentId }: Caller,
  { params: { backtestId } }: Input<"backtests.delete">,
): Promise<Output<"backtests.delete">> {
  const row = await requireBacktest(ctx, environmentId, backtestId, { lock: true });
  await deleteBacktest(ctx.db, environmentId, row.id);
}

type ShownBacktest = BacktestHead & Pick<BacktestRow, "report">;

export async function requireBacktest(
  { db }: Ctx,
  environmentId: string,
  backtestId: string,
  options: { lock?: boolean } = {},
): Promise<ShownBacktest> {
  const row = await findBacktestHead(db, environmentId, backtestId, options);
  if (!row) throw failure("BACKTEST_NOT_FOUND", { backtestId });
  return row;
}

function toBacktest(row: ShownBacktest, now: Date): Backtest {
  const isOver = row.finished_at !== null;
  const expected = expectedOf(row);
  const share = expected === 0 ? 0 : Math.min(1, row.done / expected);
  const isDone = row.status === "completed";
  return {
    _id: row.id,
    name: row.name,
    status: row.status,
    failure: row.failure,
    from: row.period_from.toISOString(),
    to: row.period_to.toISOString(),
    workflowIds: row.workflow_ids,
    isCalibrationOnly: row.is_plain,
    sample: sampleOf(row),
    progress: {
      notifications: expected,
      done: row.done,
      people: row.people,
      percent: isDone ? 100 : Math.floor(share * 100),
      secondsLeft: isOver ? 0 : secondsLeft(row.started_at, share, now),
    },
    report: row.report,
    createdAt: row.created_at.toISOString(),
    startedAt: row.started_at?.toISOString() ?? null,
    finishedAt: row.finished_at?.toISOString() ?? null,
    createdBy: row.created_by,
  };
}

function secondsLeft(startedAt: Date | null, share: number, now: Date): number | null {
  if (!startedAt || share === 0) return null;
  const seconds = (now.getTime() - startedAt.getTime()) / 1_000;
  return Math.ceil(Math.max(0, (seconds * (1 - share)) / share));
}
