// The stage `backtest`: one page of people. The page is read in a transaction that cannot write; the one that stores
// its counts enqueues the next page, so an interrupted backtest continues where it stopped, and one that was canceled
// ends.
//
//   history.ts     what is stored about the people of a page
//   variants.ts    the engine without the change, and with it
//   replay.ts      one person on a simulated clock, around advance()
//   compare.ts     the messages of both replays
//   calibrate.ts   the unchanged replay, and what happened
//   tally.ts       counts
//   report.ts      sentences
import { backtestLimits } from "@tidings/contract";
import type { Ctx } from "../../context.ts";
import { firstIdAt } from "../../lib/ids.ts";
import {
  type BacktestRow,
  completeBacktest,
  type Difference,
  failBacktest,
  findBacktest,
  savePage,
} from "../../store/backtests/backtests.ts";
import { countDeletedPeople, findPeopleOfPeriod, type PersonOfPeriod } from "../../store/backtests/histories.ts";
import { inReadOnlyTransaction, isStatementTimeout } from "../../store/db.ts";
import type { Task } from "../../store/queue/queue.ts";
import { openBatch, transactWithRetry } from "../batch.ts";
import { enqueueTimed, peekClock } from "../clock/clock.ts";
import { type BacktestTask, environmentOf, peoplePerBacktestPage } from "../tasks.ts";
import type { Period } from "./history.ts";
import { replayPeople } from "./page.ts";
import { reportOf } from "./report.ts";
import { expectedOf, fittingPeople } from "./sample.ts";
import { countPerson, readTally, type Tally } from "./tally.ts";
import { isEmptyChange } from "./variants.ts";

/** A page that failed this often ends the backtest: templates may fail in ways that no page survives. */
const maxTries = 3;

/** Notifications of a page, exceeded by at most one person: what is in memory at once. */
const maxNotifications = 2_000;

export async function runBacktest(ctx: Ctx, tasks: Task<BacktestTask>[]): Promise<void> {
  for (const task of tasks) await runPage(ctx, task);
}

/** `isLast`: nobody follows. */
type Page = { tally: Tally; differences: Difference[]; afterId: string | null; isLast: boolean };

async function runPage(ctx: Ctx, task: Task<BacktestTask>): Promise<void> {
  const environmentId = environmentOf(task);
  const { backtestId } = task.data;
  const row = await findBacktest(ctx.db, environmentId, backtestId);
  const isOpen = row !== undefined && (row.status === "queued" || row.status === "running");
  const outcome = isOpen ? await tryPage(ctx, environmentId, row, task.attempt) : null;
  await transactWithRetry(ctx, async (tx) => {
    if (isOpen && outcome) await settlePage(tx, environmentId, row, outcome);
    await tx.queue.finish(tx.db, "backtest", [task]);
  });
}

async function settlePage(
  tx: Ctx,
  environmentId: string,
  row: BacktestRow,
  outcome: Page | { failure: string },
): Promise<void> {
  const { id, change } = row;
  const now = tx.now();
  if ("failure" in outcome) return failBacktest(tx.db, environmentId, id, { reason: outcome.failure, now });
  const { tally, isLast } = outcome;
  if (!(await savePage(tx.db, environmentId, row, { ...outcome, now }))) return;
  if (!isLast) return enqueueBacktest(await openBatch(tx, [environmentId]), environmentId, { backtestId: id });
  const report = reportOf(tally, change, isEmptyChange(change));
  await completeBacktest(tx.db, environmentId, id, { report, now });
}

async function tryPage(
  ctx: Ctx,
  environmentId: string,
  row: BacktestRow,
  attempt: number,
): Promise<Page | { failure: string }> {
  if (attempt >= maxTries) return { failure: "An error ended it every time: the log of the service names it" };
  if ((await peekClock(ctx, environmentId)).isStopped(environmentId)) {
    return { failure: "The environment got a test clock: remove the clock and start the backtest again" };
  }
  try {
    return await inReadOnlyTransaction(ctx.db, (db) => replayPage({ ...ctx, db }, environmentId, row));
  } catch (error) {
    if (!isStatementTimeout(error)) throw error;
    return { failure: "A page took too long to read: choose a shorter period" };
  }
}

async function replayPage(ctx: Ctx, environmentId: string, row: BacktestRow): Promise<Page> {
  const period: Period = { from: row.period_from.getTime(), to: row.period_to.getTime() };
  const range = { from: firstIdAt(row.period_from), to: firstIdAt(row.period_to) };
  const tally = readTally(row.tally);
  if (row.page === 0) {
    const most = backtestLimits.countedNotifications;
    tally.deletedPeople = await countDeletedPeople(ctx.db, environmentId, range, most);
  }
  const found = await findPeopleOfPeriod(ctx.db, environmentId, {
    ...range,
    after: row.after_id,
    permyriad: row.permyriad,
    limit: peoplePerBacktestPage,
  });
  const { people, isEnd } = choosePeople(found, tally, row);
  tally.isSampleCut = isEnd;
  const differences: Difference[] = [];
  await replayPeople(ctx, environmentId, { people, period, change: row.change }, (person) => {
    const own = countPerson(tally, person);
    const room = Math.max(0, backtestLimits.differences - tally.listed);
    differences.push(...own.slice(0, room));
    tally.listed += Math.min(room, own.length);
  });
  const isLast = isEnd || (people.length === found.length && found.length < peoplePerBacktestPage);
  return { tally, differences, afterId: people.at(-1)?.id ?? row.after_id, isLast };
}

/** `isEnd`: more people do not fit into the sample, which has at least one. */
function choosePeople(found: PersonOfPeriod[], { done }: Tally, row: BacktestRow) {
  const room = row.permyriad === null ? Number.POSITIVE_INFINITY : expectedOf(row) - done;
  const { fitting, isCut } = fittingPeople(found, room);
  const sampled = fitting.length === 0 && done === 0 ? found.slice(0, 1) : fitting;
  const page = fittingPeople(sampled, maxNotifications).fitting;
  const people = page.length === 0 ? sampled.slice(0, 1) : page;
  return { people, isEnd: isCut && people.length === sampled.length };
}

/** Each backtest has its own lane, and lets all other work of its environment go first. */
export async function enqueueBacktest(
  batch: Parameters<typeof enqueueTimed>[0],
  environmentId: string,
  { backtestId }: BacktestTask,
): Promise<void> {
  const data: BacktestTask = { backtestId, priority: "low" };
  await enqueueTimed(batch, "backtest", [{ environmentId, data, lane: backtestId }]);
}
