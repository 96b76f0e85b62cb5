// Fixed pages that fail every time: divided until the failing person is alone, who is then set aside (set-aside.ts).
import type { Ctx } from "../../context.ts";
import { changeState, findBroadcast } from "../../store/broadcasts/broadcasts.ts";
import { endPage, findNextPage, lockPage, splitPage } from "../../store/broadcasts/event-pages.ts";
import { findEvents } from "../../store/events/events.ts";
import type { TaskKind } from "../../store/queue/queue.ts";
import { openBatch } from "../batch.ts";
import { enqueueTimed } from "../clock/clock.ts";
import type { FanoutTask, FixedPageTask } from "../tasks.ts";
import { endOfWalk, lanes } from "./walk.ts";

type Part = { kind: TaskKind; data: FixedPageTask };

/**
 * The halves of the page are worked on their own, and its walk continues with the next page. A page of one person is
 * separated from its walk first.
 */
export async function divideFixedPage({ db }: Ctx, environmentId: string, task: FixedPageTask): Promise<Part[]> {
  const { eventId, page, lane } = task;
  const half = await splitPage(db, environmentId, eventId, page);
  if (half === null && lane === null) return [];
  const parts: FixedPageTask[] = [{ ...task, lane: null }];
  if (half !== null) parts.push({ ...task, page: half, lane: null });
  const next = lane === null ? undefined : await findNextPage(db, environmentId, eventId, { lane, lanes, but: [page] });
  if (next) parts.push({ ...task, page: next.page });
  return parts.map((data) => ({ kind: "fanout", data }));
}

/** Called in the transaction that sets the task aside. The rest of the event continues, without this person. */
export async function setFixedPageAside(
  ctx: Ctx,
  environmentId: string,
  data: FanoutTask,
  error: string,
): Promise<void> {
  if ("isFreeze" in data) return markFailed(ctx, environmentId, data.eventId, error);
  if (!("lane" in data)) return;
  const batch = await openBatch(ctx, [environmentId]);
  const { eventId, page } = data;
  const now = batch.clock.now(environmentId);
  // Another walk may have started the page after the last try.
  const row = await lockPage(ctx.db, environmentId, eventId, page);
  if (row?.state === "waiting") {
    await endPage(ctx.db, environmentId, eventId, { page, state: "failed", gone: 0, now });
  }
  await enqueueTimed(batch, "fanout", [endOfWalk(environmentId, data)]);
}

/** The people of a broadcast could not be fixed. */
async function markFailed(ctx: Ctx, environmentId: string, eventId: string, error: string): Promise<void> {
  const [event] = await findEvents(ctx.db, environmentId, [eventId]);
  const id = event?.audience?.kind === "audiences" ? event.audience.broadcastId : undefined;
  const row = id === undefined ? undefined : await findBroadcast(ctx.db, environmentId, id, { lock: true });
  if (row?.status !== "scheduled") return;
  const failure = `Its people could not be found: ${error}`;
  await changeState(ctx.db, environmentId, row.id, {
    status: "failed",
    failure,
    finished_at: ctx.now(),
    now: ctx.now(),
  });
}
