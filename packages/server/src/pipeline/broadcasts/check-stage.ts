// The stage `check`: one page of the people of a draft, simulated and counted. The page is read in a transaction that
// cannot write; the one that stores its counts enqueues the next page. A check that was replaced, and one whose draft
// was changed or sent, ends.
//
//   people.ts            the audience of a broadcast
//   simulate-people.ts   the dry run
//   check-tally.ts       counts
//   check-words.ts       sentences
//   links.ts             the links of the messages, tried after the last page
import type { Ctx, NetworkCtx } from "../../context.ts";
import {
  type CheckedBroadcast,
  type CheckState,
  countPeople,
  findCheckedBroadcast,
  findPeopleAfter,
  hasOthers,
  saveCheck,
} from "../../store/broadcasts/checks.ts";
import { isStatementTimeout } from "../../store/db.ts";
import type { Task } from "../../store/queue/queue.ts";
import { findLastSubscriberId } from "../../store/subscribers/subscribers.ts";
import { type Batch, openBatch, transactWithRetry } from "../batch.ts";
import { enqueueTimed, peekClock } from "../clock/clock.ts";
import { type CheckTask, environmentOf, peoplePerCheckPage } from "../tasks.ts";
import { addRuns } from "./check-tally.ts";
import { tryLinks } from "./links.ts";
import { isOfBroadcast } from "./people.ts";
import { simulatePeople } from "./simulate-people.ts";

export function createCheckStage(ctx: NetworkCtx) {
  return async (tasks: Task<CheckTask>[]): Promise<void> => {
    for (const task of tasks) await runCheck(ctx, task);
  };
}

/** A page that failed this often ends the check: templates may fail in ways that no page survives. */
const maxTries = 3;

async function runCheck(ctx: NetworkCtx, task: Task<CheckTask>): Promise<void> {
  const environmentId = environmentOf(task);
  const { broadcastId, checkId } = task.data;
  const row = await findCheckedBroadcast(ctx.db, environmentId, broadcastId);
  const before = row?.checked;
  const isOwn = before?.id === checkId && before.status === "running";
  const after = row && before && isOwn ? await tryPage(ctx, environmentId, row, before, task.attempt) : null;
  await transactWithRetry(ctx, async (tx) => {
    const isSaved = before && after && (await saveCheck(tx.db, environmentId, broadcastId, { before, after }));
    const batch = await openBatch(tx, [environmentId]);
    if (isSaved && after.status === "running") await enqueueCheck(batch, environmentId, task.data);
    await tx.queue.finish(tx.db, "check", [task]);
  });
}

async function tryPage(
  ctx: NetworkCtx,
  environmentId: string,
  row: CheckedBroadcast,
  state: CheckState,
  attempt: number,
): Promise<CheckState> {
  try {
    return await nextState(ctx, environmentId, row, state, attempt);
  } catch (error) {
    if (!isStatementTimeout(error)) throw error;
    return ended(ctx, state, "failed", ["The audience takes too long to read: make its rule simpler"], "audience");
  }
}

async function nextState(
  ctx: NetworkCtx,
  environmentId: string,
  row: CheckedBroadcast,
  state: CheckState,
  attempt: number,
): Promise<CheckState> {
  const stopped = stopReason(row, attempt);
  if (stopped) return ended(ctx, state, "failed", [stopped]);
  if (state.until === null && state.page === 0) return beginWalk(ctx, environmentId, row, state);
  if (state.until !== null) return countPage(ctx, environmentId, row, state);
  const faults = await tryLinks(ctx.webhookHttp, state.urls);
  return ended(ctx, { ...state, links: { count: state.urls.length, faults } }, "completed");
}

/** What is only needed while it runs is dropped: links may belong to one person. */
function ended(
  ctx: Ctx,
  state: CheckState,
  status: "completed" | "failed",
  problems: string[] = [],
  field?: string,
): CheckState {
  const items = problems.map((sentence) => ({ code: "stopped", level: "problem" as const, sentence, field }));
  return {
    ...state,
    ...{ status, page: state.page + 1, until: null, after: null, urls: [] },
    source: state.source && { ...state.source, definition: null },
    items: [...state.items, ...items],
    finishedAt: ctx.now().toISOString(),
  };
}

function stopReason({ status, revision, checked_revision }: CheckedBroadcast, attempt: number): string | null {
  if (revision !== checked_revision) return "The draft was changed while it was checked: check it again";
  if (status !== "draft" && status !== "awaiting_approval") return "The broadcast was sent before its check ended";
  return attempt >= maxTries ? "The check failed: an error ended it every time" : null;
}

/** Counts the people. Those who are created later are not checked, so that the walk ends. */
async function beginWalk(
  ctx: Ctx,
  environmentId: string,
  { audience }: CheckedBroadcast,
  state: CheckState,
): Promise<CheckState> {
  const { db } = ctx;
  const clock = await peekClock(ctx, environmentId);
  const isIncluded = await isOfBroadcast(db, environmentId, audience, clock.now(environmentId));
  const people = await countPeople(db, environmentId, isIncluded);
  const isEveryone = people > 0 && !(await hasOthers(db, environmentId, isIncluded));
  const until = people > 0 ? await findLastSubscriberId(db, environmentId) : null;
  const next = { ...state, page: 1, people, isEveryone, until };
  return until === null ? ended(ctx, { ...next, page: 0 }, "completed") : next;
}

/** After the last page, `until` is null, and the links are left. */
async function countPage(
  ctx: Ctx,
  environmentId: string,
  { id, content, audience }: CheckedBroadcast,
  state: CheckState,
): Promise<CheckState> {
  const { after, until, source, page } = state;
  const limit = peoplePerCheckPage;
  const { people, runs, refusal } = await simulatePeople(
    ctx,
    environmentId,
    { broadcastId: id, content, source: source! },
    async ({ db }, now) => {
      const isIncluded = await isOfBroadcast(db, environmentId, audience, now);
      return findPeopleAfter(db, environmentId, { isIncluded, after, until: until!, limit });
    },
  );
  const counted = addRuns(state, runs, { publicUrl: ctx.config.publicUrl });
  const isLast = people.length < limit || refusal !== null;
  const next = { ...counted, page: page + 1, after: people.at(-1)?.id ?? after, until: isLast ? null : until };
  if (refusal) return ended(ctx, counted, "failed", refusal, "content");
  return isLast && next.urls.length === 0 ? ended(ctx, counted, "completed") : next;
}

/** Each check has its own lane: a long one does not hold up other work of its environment. */
export async function enqueueCheck(batch: Batch, environmentId: string, data: CheckTask): Promise<void> {
  await enqueueTimed(batch, "check", [{ environmentId, data, lane: data.broadcastId }]);
}
