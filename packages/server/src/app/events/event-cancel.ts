// Canceling an event, as an operation.
import type { Input, Output } from "@tidings/contract";
import type { Caller, Ctx } from "../../context.ts";
import { cancelEvent } from "../../pipeline/run/cancel-event.ts";
import { environmentClock } from "../environments/clock.ts";

export async function cancel(
  ctx: Ctx,
  caller: Caller,
  { params }: Input<"events.cancel">,
): Promise<Output<"events.cancel">> {
  const batch = { ...ctx, clock: await environmentClock(ctx, caller) };
  return cancelEvent(batch, caller.environmentId, params.transactionId);
}
