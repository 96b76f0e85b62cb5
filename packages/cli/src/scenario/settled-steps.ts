// What a scenario settles beforehand: the attention budget, and the responses to HTTP requests and variants of
// experiments, which are written into the workflows of its environment.
import type { Scenario, StepFile, WorkflowFile } from "@tidings/contract";
import { checkAttentionFile, createShapeCheck } from "@tidings/server/checks";
import { fileSchemas } from "@tidings/server/folder";
import { CliError } from "../failure.ts";
import { applyRemote, planRemote } from "../files/remote.ts";
import type { Stage } from "./environment.ts";

type Given = Scenario["given"];

export async function settleSteps(stage: Stage, given: Given): Promise<void> {
  const { responses = {}, variants = {} } = given;
  const names = [...new Set([...Object.keys(responses), ...Object.keys(variants)])];
  if (names.length === 0) return;
  const { resources } = await stage.tidings.files.export();
  const workflows = names.map((name) => {
    const workflow = resources.workflows?.find(({ workflowId }) => workflowId === name);
    if (!workflow) throw new CliError(`"given" names the workflow ${name}, which does not exist.`);
    return settleWorkflow(workflow, given);
  });
  const wanted = { resources: { workflows }, prune: false };
  const { fingerprint } = await planRemote(stage, wanted);
  await applyRemote(stage, { ...wanted, expectedFingerprint: fingerprint, allowIssues: true });
}

function settleWorkflow(workflow: WorkflowFile, { responses = {}, variants = {} }: Given): WorkflowFile {
  const { workflowId, steps } = workflow;
  const [answered, forced] = [responses[workflowId] ?? {}, variants[workflowId] ?? {}];
  const settled = steps.map((step) => {
    const response = answered[step.stepId];
    const variant = forced[step.stepId];
    if (response !== undefined) return settleResponse(step, response);
    return variant === undefined ? step : settleVariant(step, variant);
  });
  const known = new Set(steps.map(({ stepId }) => stepId));
  const unknown = [...Object.keys(answered), ...Object.keys(forced)].find((stepId) => !known.has(stepId));
  if (unknown !== undefined)
    throw new CliError(`"given" names the step ${unknown}, which ${workflowId} does not have.`);
  return { ...workflow, steps: settled };
}

function settleResponse(step: StepFile, { status = 200, body }: { status?: number; body?: unknown }): StepFile {
  if (step.type !== "http_request")
    throw new CliError(`"responses" names the step ${step.stepId}, which sends no HTTP request.`);
  return { ...step, controlValues: { ...step.controlValues, sampleResponse: { status, body } } };
}

type Variant = { id: string; weight?: number };

/** All the weight is on one variant, and no one is held out. */
function settleVariant(step: StepFile, id: string): StepFile {
  const given = step.type === "experiment" ? ((step.controlValues?.variants ?? []) as Variant[]) : [];
  if (!given.some((one) => one.id === id))
    throw new CliError(`"variants" names ${id} of the step ${step.stepId}, which is not one of its variants.`, {
      fix: given.length > 0 ? `It has ${given.map((one) => one.id).join(", ")}.` : "It is not an experiment.",
    });
  const variants = given.map((one) => ({ ...one, weight: one.id === id ? 1 : 0 }));
  const { holdOutPercent: _, ...controlValues } = step.controlValues ?? {};
  return { ...step, controlValues: { ...controlValues, variants } };
}

export async function settleAttention({ tidings }: Stage, { attention: budgets }: Given): Promise<void> {
  if (!budgets) return;
  const shape = createShapeCheck(fileSchemas.attention)({ budgets });
  const [problem] = shape.length > 0 ? shape : await checkAttentionFile({ budgets });
  if (problem) throw new CliError(`"attention" is wrong: ${problem.message}`);
  await tidings.attention.update({ body: { budgets } });
}
