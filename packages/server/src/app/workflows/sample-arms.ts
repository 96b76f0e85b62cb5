// Who would take which arm of a workflow that is not saved: simulated for the newest subscribers.
import type { ArmSample, Input, Output } from "@tidings/contract";
import type { Caller, Ctx } from "../../context.ts";
import type { SimulatedRun } from "../../pipeline/run/dry-run.ts";
import { inReadOnlyTransaction } from "../../store/db.ts";
import { listNewestSubscribers } from "../../store/subscribers/subscribers.ts";
import { simulateSubscribers } from "../events/dry-run.ts";

const maxSampled = 200;

export async function sampleArms(
  ctx: Ctx,
  caller: Caller,
  { body }: Input<"explain.sampleArms">,
): Promise<Output<"explain.sampleArms">> {
  return inReadOnlyTransaction(ctx.db, async (tx) => {
    const people = await listNewestSubscribers(tx, caller.environmentId, maxSampled);
    const to = people.map(({ subscriber_id: subscriberId }) => subscriberId);
    const runs = to.length === 0 ? [] : await simulateSubscribers({ ...ctx, db: tx }, caller, { ...body, to });
    return { data: { sampled: runs.length, steps: countTaken(runs) } };
  });
}

function countTaken(runs: readonly SimulatedRun[]): ArmSample["data"]["steps"] {
  const counts = new Map<string, Map<string, number>>();
  for (const { step, output } of runs.flatMap(({ run }) => run.jobs)) {
    if (step.type !== "branch" && step.type !== "experiment") continue;
    const taken = counts.get(step.stepId) ?? new Map<string, number>();
    counts.set(step.stepId, taken);
    const id = step.type === "branch" ? output?.arm : output?.variant;
    if (typeof id === "string") taken.set(id, (taken.get(id) ?? 0) + 1);
  }
  return [...counts].map(([stepId, taken]) => ({ stepId, taken: [...taken].map(([id, count]) => ({ id, count })) }));
}
