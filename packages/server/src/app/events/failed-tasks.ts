// Failed tasks: tasks that the pipeline gave up after their retries, listed and put back into the queue.
import type { FailedTask, Input, Output } from "@tidings/contract";
import type { Caller, Ctx } from "../../context.ts";
import { failure } from "../../failure.ts";
import { openBatch } from "../../pipeline/batch.ts";
import { enqueueTimed } from "../../pipeline/clock/clock.ts";
import {
  type FailedTaskRow,
  listFailedTasks,
  lockFailedTask,
  markTaskReplayed,
} from "../../store/events/failed-tasks.ts";
import { pageRange, toPage } from "../paging.ts";

const toFailedTask = (row: FailedTaskRow): FailedTask => ({
  id: row.id,
  kind: row.kind,
  data: row.data,
  error: row.error,
  attempts: row.attempts,
  status: row.status,
  createdAt: row.created_at.toISOString(),
  replayedAt: row.replayed_at?.toISOString(),
});

export async function list(
  ctx: Ctx,
  { environmentId }: Caller,
  { query }: Input<"failedTasks.list">,
): Promise<Output<"failedTasks.list">> {
  const { rows, totalCount } = await listFailedTasks(ctx.db, environmentId, query.status, pageRange(query));
  return { ...toPage(rows, query, toFailedTask), totalCount };
}

export async function replay(
  ctx: Ctx,
  { environmentId }: Caller,
  { params: { id } }: Input<"failedTasks.replay">,
): Promise<Output<"failedTasks.replay">> {
  const found = await lockFailedTask(ctx.db, environmentId, id);
  if (!found) throw failure("FAILED_TASK_NOT_FOUND", { id });
  if (found.status !== "open") throw failure("FAILED_TASK_NOT_OPEN", { id });
  const now = ctx.now();
  const batch = await openBatch(ctx, [environmentId]);
  await enqueueTimed(batch, found.kind, [{ environmentId, data: found.data }]);
  await markTaskReplayed(ctx.db, environmentId, id, now);
  return toFailedTask({ ...found, status: "replayed", replayed_at: now });
}
