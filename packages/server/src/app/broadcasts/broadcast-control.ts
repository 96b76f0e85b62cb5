// Pausing, resuming and stopping a broadcast. Each waits for the pages in progress: after the response no one is
// started (pipeline/broadcasts/walk.ts).
import type { Broadcast, Input, Output } from "@tidings/contract";
import type { Caller, Ctx } from "../../context.ts";
import { rescheduleFixedPages } from "../../pipeline/broadcasts/freeze.ts";
import { startOf } from "../../pipeline/broadcasts/schedule.ts";
import { emitBroadcast } from "../../pipeline/broadcasts/view.ts";
import { beginFixedWalks, rankOfBroadcast } from "../../pipeline/broadcasts/walk.ts";
import { enqueueTimed } from "../../pipeline/clock/clock.ts";
import { closeEvent } from "../../pipeline/trigger/close-event.ts";
import { changeState } from "../../store/broadcasts/broadcasts.ts";
import { lockEventForCancel } from "../../store/events/events.ts";
import { environmentClock } from "../environments/clock.ts";
import { requireBroadcast, requireStatus, viewBroadcast } from "./broadcasts.ts";

export async function pause(
  ctx: Ctx,
  caller: Caller,
  { params: { broadcastId } }: Input<"broadcasts.pause">,
): Promise<Output<"broadcasts.pause">> {
  const { environmentId } = caller;
  const row = await requireBroadcast(ctx, environmentId, broadcastId, { lock: true });
  const now = (await environmentClock(ctx, caller)).now(environmentId);
  if (row.status === "paused") return viewBroadcast(ctx, row, now);
  requireStatus(row, ["scheduled", "running"], "only a broadcast that is scheduled or running can be paused");
  const paused = await changeState(ctx.db, environmentId, row.id, { status: "paused", failure: null, now });
  await emitBroadcast(ctx, "broadcast.paused", paused, now);
  return viewBroadcast(ctx, paused, now);
}

/** The event is locked before the broadcast, in the order of the pages. */
export async function resume(
  ctx: Ctx,
  caller: Caller,
  { params: { broadcastId } }: Input<"broadcasts.resume">,
): Promise<Output<"broadcasts.resume">> {
  const { environmentId } = caller;
  const { transaction_id: transactionId } = await requireBroadcast(ctx, environmentId, broadcastId);
  if (transactionId !== null) await lockEventForCancel(ctx.db, environmentId, transactionId);
  const row = await requireBroadcast(ctx, environmentId, broadcastId, { lock: true });
  const batch = { ...ctx, clock: await environmentClock(ctx, caller) };
  const now = batch.clock.now(environmentId);
  requireStatus(row, ["paused"], "only a paused broadcast can be resumed");
  const turn = row.turn + 1;
  const hasStarted = row.started_at !== null;
  const status = hasStarted ? "running" : "scheduled";
  const resumed = await changeState(ctx.db, environmentId, row.id, { status, turn, failure: null, now });
  const eventId = row.event_id!;
  const rank = await rankOfBroadcast(batch, row);
  if (hasStarted) {
    await rescheduleFixedPages(batch, resumed, now);
    await beginFixedWalks(batch, environmentId, { eventId, turn, ...rank });
  } else {
    // Its start may have passed while it was paused. A second task that comes later finds it running.
    const data = { eventId, isFreeze: true as const, ...rank };
    await enqueueTimed(batch, "fanout", [{ environmentId, data, at: startOf(row.time, now) }]);
  }
  return viewBroadcast(ctx, resumed, now);
}

export async function stop(
  ctx: Ctx,
  caller: Caller,
  { params: { broadcastId } }: Input<"broadcasts.stop">,
): Promise<Broadcast> {
  const { environmentId } = caller;
  const { transaction_id: transactionId } = await requireBroadcast(ctx, environmentId, broadcastId);
  const event = transactionId === null ? undefined : await lockEventForCancel(ctx.db, environmentId, transactionId);
  const row = await requireBroadcast(ctx, environmentId, broadcastId, { lock: true });
  const batch = { ...ctx, clock: await environmentClock(ctx, caller) };
  const now = batch.clock.now(environmentId);
  if (row.status === "stopped") return viewBroadcast(ctx, row, now);
  requireStatus(
    row,
    ["scheduled", "running", "paused"],
    "only a broadcast that is scheduled, running or paused can be stopped",
  );
  if (event) await closeEvent(batch, environmentId, event);
  const stopped = await changeState(ctx.db, environmentId, row.id, { status: "stopped", finished_at: now, now });
  return viewBroadcast(ctx, stopped, now);
}
