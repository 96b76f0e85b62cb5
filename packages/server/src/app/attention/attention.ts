// The attention budget of an environment. The first budget that rolls up creates the workflow that sends roll-ups.
import { type AttentionBudget, type Input, type Output, rollUpWorkflowId } from "@tidings/contract";
import { rollUpWorkflow } from "@tidings/contract/gallery";
import type { Caller, Ctx } from "../../context.ts";
import { findBudgets, setBudgets } from "../../store/attention/budgets.ts";
import { lockEnvironment } from "../../store/environments/environments.ts";
import { findWorkflow } from "../../store/workflows/workflows.ts";
import * as workflows from "../workflows/workflows.ts";
import { readBudgets, rollsUp } from "./read-budgets.ts";

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

/** `budgets`: as `readBudgets` returns them. */
export async function saveBudgets(ctx: Ctx, caller: Caller, budgets: AttentionBudget[]): Promise<void> {
  const { environmentId } = caller;
  await lockEnvironment(ctx.db, environmentId);
  if (rollsUp(budgets) && !(await findWorkflow(ctx.db, environmentId, rollUpWorkflowId))) {
    const { translations: _, ...body } = rollUpWorkflow;
    const steps = body.steps.map((step) => ({ ...step, name: step.name ?? step.stepId }));
    await workflows.create(ctx, caller, { params: {}, query: {}, body: { ...body, steps, active: true } });
  }
  await setBudgets(ctx.db, environmentId, { budgets, now: ctx.now() });
}
