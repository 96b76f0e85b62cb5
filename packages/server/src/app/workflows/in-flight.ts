// The runs of a workflow that are in progress, by version, step and what they wait for.
import { type InFlightStep, type Input, maxInFlightChecked, type Output, waitingSteps } from "@tidings/contract";
import type { Caller, Ctx } from "../../context.ts";
import { countInFlight, type InFlightRow } from "../../store/events/in-flight.ts";
import { requireWorkflow } from "./workflows.ts";

export async function retrieve(
  ctx: Ctx,
  caller: Caller,
  { params }: Input<"workflows.retrieveInFlight">,
): Promise<Output<"workflows.retrieveInFlight">> {
  const { environmentId } = caller;
  const workflow = await requireWorkflow(ctx, environmentId, params.workflowId);
  const { rows, looked } = await countInFlight(ctx.db, environmentId, workflow.id, maxInFlightChecked);
  return {
    data: rows.map(toStep),
    total: rows.reduce((sum, row) => sum + row.count, 0),
    isCapped: looked === maxInFlightChecked,
  };
}

export function toStep(row: InFlightRow): InFlightStep {
  // The jobs of a run are those of the steps that were active when it began.
  const step = row.steps.filter(({ active }) => active)[row.step_index]!;
  return {
    versionId: row.version_id,
    version: row.number,
    step: { _id: step.id, stepId: step.stepId, name: step.name, type: step.type },
    wait: waitOf(row),
    count: row.count,
    oldest: row.oldest.toISOString(),
    nextAt: row.next_at?.toISOString(),
  };
}

function waitOf({ status, type }: InFlightRow): InFlightStep["wait"] {
  if (status === "pending") return "starting";
  if (status !== "delayed") return "sending";
  return waitingSteps.find((one) => one === type) ?? "held";
}
