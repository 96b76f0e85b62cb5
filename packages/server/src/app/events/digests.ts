// Closing digests early: their windows become due now, and the pipeline goes on as if their time had come.
import { type Input, mostClosedDigests, type Output } from "@tidings/contract";
import type { Caller, Ctx } from "../../context.ts";
import { failure, invalid } from "../../failure.ts";
import { enqueueTimed } from "../../pipeline/clock/clock.ts";
import { detail } from "../../pipeline/rules/details.ts";
import { wakeTasks } from "../../pipeline/run/progress.ts";
import { makeWindowsDue } from "../../store/events/digests.ts";
import { findSubscribersByKeys } from "../../store/subscribers/subscribers.ts";
import type { WorkflowRow } from "../../store/workflows/workflows.ts";
import { environmentClock } from "../environments/clock.ts";
import { requireStep, requireWorkflow } from "../workflows/workflows.ts";

export async function close(
  ctx: Ctx,
  caller: Caller,
  { params, body }: Input<"digests.close">,
): Promise<Output<"digests.close">> {
  const { environmentId } = caller;
  // The lock makes concurrent calls take turns: the second one finds nothing left to close.
  const workflow = await requireWorkflow(ctx, environmentId, params.workflowId, { lock: true });
  const stepIds = digestStepIds(workflow, params.workflowId, body.stepId);
  const subscriberId =
    body.subscriberId === undefined ? null : await findSubscriberId(ctx, environmentId, body.subscriberId);

  const clock = await environmentClock(ctx, caller);
  const now = clock.now(environmentId);
  const closed = detail("digest_closed_early", now);
  const leaders = await makeWindowsDue(
    ctx.db,
    environmentId,
    { stepIds, subscriberId },
    closed,
    now,
    mostClosedDigests,
  );
  await enqueueTimed({ ...ctx, clock }, "wake", wakeTasks({ environmentId, ids: leaders }));
  return { closed: leaders.length, hasMore: leaders.length === mostClosedDigests };
}

function digestStepIds(workflow: WorkflowRow, workflowId: string, stepId: string | undefined): string[] {
  if (stepId === undefined) return workflow.steps.flatMap(({ id, type }) => (type === "digest" ? [id] : []));
  const { id, type } = requireStep(workflow, stepId, workflowId).step;
  if (type !== "digest") throw invalid({ stepId: { messages: ["stepId must name a digest step"], value: stepId } });
  return [id];
}

async function findSubscriberId(ctx: Ctx, environmentId: string, subscriberId: string): Promise<string> {
  const [found] = await findSubscribersByKeys(ctx.db, environmentId, [subscriberId]);
  if (!found) throw failure("SUBSCRIBER_NOT_FOUND", { subscriberId });
  return found.id;
}
