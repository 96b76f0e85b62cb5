// Steps that members saved to insert them into other workflows.
import { type Input, maxStepTemplates, type Output, type StepTemplate, type TemplateStep } from "@tidings/contract";
import type { Caller, Ctx } from "../../../context.ts";
import { failure, invalid } from "../../../failure.ts";
import { identifierFrom } from "../../../lib/identifiers.ts";
import { isUuid } from "../../../lib/ids.ts";
import { lockEnvironment } from "../../../store/environments/environments.ts";
import type { SavedStep } from "../../../store/tables.ts";
import {
  countStepTemplates,
  deleteStepTemplate,
  findStepTemplate,
  insertStepTemplate,
  listStepTemplates,
  renameStepTemplate,
  type StepTemplateHeadRow,
  type StepTemplateRow,
} from "../../../store/workflows/step-templates.ts";
import { refuseDuplicate } from "../../identifiers.ts";
import { readControlValues, readFilters } from "../step-controls.ts";
import { nameOf } from "./comments.ts";

const toHead = (row: StepTemplateHeadRow) => ({
  id: row.id,
  name: row.name,
  type: row.type,
  createdBy: row.created_by_name,
  createdAt: row.created_at.toISOString(),
  updatedAt: row.updated_at.toISOString(),
});

const toTemplate = (row: StepTemplateRow): StepTemplate => ({
  ...toHead({ ...row, type: row.step.type }),
  step: row.step,
});

export async function list(ctx: Ctx, { environmentId }: Caller): Promise<Output<"stepTemplates.list">> {
  return { data: (await listStepTemplates(ctx.db, environmentId, maxStepTemplates)).map(toHead) };
}

export async function retrieve(
  ctx: Ctx,
  { environmentId }: Caller,
  { params }: Input<"stepTemplates.retrieve">,
): Promise<Output<"stepTemplates.retrieve">> {
  const row = isUuid(params.templateId) && (await findStepTemplate(ctx.db, environmentId, params.templateId));
  if (!row) throw failure("STEP_TEMPLATE_NOT_FOUND", params);
  return toTemplate(row);
}

export async function create(
  ctx: Ctx,
  caller: Caller,
  { body }: Input<"stepTemplates.create">,
): Promise<Output<"stepTemplates.create">> {
  const { environmentId } = caller;
  const step = readStep(body.step);
  // The lock makes requests take turns, so that the limit holds.
  await lockEnvironment(ctx.db, environmentId);
  if ((await countStepTemplates(ctx.db, environmentId)) >= maxStepTemplates)
    throw failure("STEP_TEMPLATE_LIMIT", { limit: String(maxStepTemplates) });
  const now = ctx.now();
  const row: StepTemplateRow = {
    environment_id: environmentId,
    id: ctx.newId(),
    name: body.name.trim(),
    step,
    created_by_name: nameOf(caller),
    created_at: now,
    updated_at: now,
  };
  return toTemplate(await refuseDuplicate(() => insertStepTemplate(ctx.db, environmentId, row), nameTaken(row.name)));
}

export async function update(
  ctx: Ctx,
  { environmentId }: Caller,
  { params, body }: Input<"stepTemplates.update">,
): Promise<Output<"stepTemplates.update">> {
  const { templateId: id } = params;
  const name = body.name.trim();
  const rename = () => renameStepTemplate(ctx.db, environmentId, { id, name, now: ctx.now() });
  const row = isUuid(id) && (await refuseDuplicate(rename, nameTaken(name)));
  if (!row) throw failure("STEP_TEMPLATE_NOT_FOUND", params);
  return toTemplate(row);
}

export async function remove(
  ctx: Ctx,
  { environmentId }: Caller,
  { params }: Input<"stepTemplates.delete">,
): Promise<undefined> {
  const { templateId } = params;
  if (!isUuid(templateId) || !(await deleteStepTemplate(ctx.db, environmentId, templateId)))
    throw failure("STEP_TEMPLATE_NOT_FOUND", params);
}

const nameTaken = (name: string) => failure("STEP_TEMPLATE_NAME_TAKEN", { name });

/** With the same checks as a step of a workflow. */
function readStep(given: TemplateStep): SavedStep {
  const { values, faults } = readControlValues(given, "step.controlValues");
  const { filters, faults: filterFaults } = readFilters(given.filters ?? [], "step.filters");
  const all = { ...faults, ...filterFaults };
  if (Object.keys(all).length > 0) throw invalid(all);
  return {
    stepId: given.stepId ?? identifierFrom(given.name, "step"),
    name: given.name,
    type: given.type,
    controlValues: values,
    ...(filters.length > 0 && { filters }),
    active: given.active ?? true,
    shouldStopOnFail: given.shouldStopOnFail ?? false,
    ...(given.deadlineSeconds !== undefined && { deadlineSeconds: given.deadlineSeconds }),
  };
}
