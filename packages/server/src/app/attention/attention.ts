// The attention budget of an environment. The first budget that rolls up creates the workflow that sends roll-ups.
import { type AttentionBudget, type Input, type Output, rollUpWorkflowId } from "@tidings/contract";
import { rollUpWorkflow } from "@tidings/contract/gallery";
import type { Caller, Ctx } from "../../context.ts";
import { findBudgets, setBudgets } from "../../store/attention/budgets.ts";
import { lockEnvironment } from "../../store/environments/environments.ts";
import { findWorkflow } from "../../store/workflows/workflows.ts";
import * as workflows from "../workflows/workflows.ts";
import { readBudgets } from "./read-budgets.ts";

export async function retrieve(ctx: Ctx, { environmentId }: Caller): Promise<Output<"attention.retrieve">> {
  const budgets = await findBudgets(ctx.db, environmentId);
  const workflow = await findWorkflow(ctx.db, environmentId, rollUpWorkflowId);
  return { budgets, rollUpWorkflowId: workflow ? rollUpWorkflowId : null };
}

export async function update(
  ctx: Ctx,
  caller: Caller,
  { body }: Input<"attention.update">,
): Promise<Output<"attention.update">> {
  await saveBudgets(ctx, caller, readBudgets(body.budgets));
  return retrieve(ctx, caller);
}

/**
 * `budgets`: as `readBudgets` returns them. `hasTemplate`: the caller has written the workflow of roll-ups, which stays
 * as it was written.
 */
export async function saveBudgets(
  ctx: Ctx,
  caller: Caller,
  budgets: AttentionBudget[],
  { hasTemplate = false } = {},
): Promise<void> {
  const { environmentId } = caller;
  await lockEnvironment(ctx.db, environmentId);
  const rollsUp = budgets.filter(({ overflow }) => overflow === "roll_up").map(({ channel }) => channel);
  if (rollsUp.length > 0 && !hasTemplate) await offerRollUps(ctx, caller, new Set(rollsUp));
  await setBudgets(ctx.db, environmentId, { budgets, now: ctx.now() });
}

/** The workflow that sends roll-ups has a step for every channel; those of budgets that roll up are active. */
async function offerRollUps(ctx: Ctx, caller: Caller, channels: ReadonlySet<string>): Promise<void> {
  const row = await findWorkflow(ctx.db, caller.environmentId, rollUpWorkflowId, { lock: true });
  if (!row) {
    const { translations: _, ...body } = rollUpWorkflow;
    const steps = body.steps.map((step) => ({
      ...step,
      name: step.name ?? step.stepId,
      active: channels.has(step.type),
    }));
    await workflows.create(ctx, caller, { params: {}, query: {}, body: { ...body, steps, active: true } });
    return;
  }
  const steps = row.steps.map((step) => (channels.has(step.type) ? { ...step, active: true } : step));
  if (steps.some((step, index) => step.active !== row.steps[index]!.active)) {
    await workflows.save(ctx, caller, row, { steps }, "Turned on the channels of attention budgets");
  }
}
