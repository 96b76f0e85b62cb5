// Workflows: saving is strict about structure and tolerant about content. Each save writes a new version; events under
// way keep the version that started them.
import type { Input, Output, StepIn, Workflow, WorkflowPatch, WorkflowPreference } from "@tidings/contract";
import type { Caller, Ctx } from "../context.ts";
import { type FieldFaults, failure, invalid } from "../failure.ts";
import { idFromSlug, kebab, slug } from "../lib/ids.ts";
import { detail } from "../pipeline/rules/details.ts";
import { isUniqueViolation } from "../store/db.ts";
import { findEnvironment } from "../store/environments.ts";
import { findActiveIntegrations } from "../store/integrations.ts";
import { cancelWaitingJobs } from "../store/jobs.ts";
import {
  findLastTriggered,
  findWorkflow,
  insertWorkflow,
  listWorkflows,
  markWorkflowDeleted,
  replaceWorkflow,
  type StoredStep,
  type WorkflowContent,
  type WorkflowRow,
} from "../store/workflows.ts";
import { compilePayloadSchema } from "./payload-schema.ts";
import { readControlValues } from "./step-controls.ts";
import { issuesOf, statusOf, toWorkflow, type ViewFacts } from "./workflow-view.ts";

async function requireWorkflow(
  ctx: Ctx,
  environmentId: string,
  workflowId: string,
  options: { lock?: boolean } = {},
): Promise<WorkflowRow> {
  const fromSlug = idFromSlug(workflowId, "wf");
  const row = await findWorkflow(ctx.db, environmentId, fromSlug ?? workflowId, options);
  if (!row) throw failure("WORKFLOW_NOT_FOUND", { workflowId });
  return row;
}

async function viewFacts(ctx: Ctx, environmentId: string, lastTriggeredAt: Date | null = null): Promise<ViewFacts> {
  const active = await findActiveIntegrations(ctx.db, [environmentId]);
  const activeChannels = new Set(active.map((integration) => integration.channel));
  return { activeChannels, maxWaitDays: ctx.config.maxWaitDays, lastTriggeredAt };
}

async function view(ctx: Ctx, row: WorkflowRow): Promise<Workflow> {
  const lastTriggeredAt = await findLastTriggered(ctx.db, row.environment_id, row.id);
  return toWorkflow(row, await viewFacts(ctx, row.environment_id, lastTriggeredAt));
}

export async function create(
  ctx: Ctx,
  caller: Caller,
  { body }: Input<"workflows.create">,
): Promise<Output<"workflows.create">> {
  const content: WorkflowContent = {
    ...settingsOf(body),
    id: ctx.newId(),
    workflow_id: body.workflowId,
    name: body.name,
    origin: "svc-cloud",
    preferences_user: body.preferences?.user ?? null,
    preferences_default: body.preferences?.workflow ?? defaultPreference,
    steps: readSteps(ctx, body.steps, []),
    updated_at: ctx.now(),
    updated_by: caller.userId,
  };
  try {
    return await view(ctx, await insertWorkflow(ctx.db, caller.environmentId, ctx.newId(), content));
  } catch (error) {
    if (isUniqueViolation(error)) throw failure("WORKFLOW_ID_TAKEN", { workflowId: body.workflowId });
    throw error;
  }
}

const defaultPreference: WorkflowPreference = { all: { enabled: true, readOnly: false }, channels: {} };

function settingsOf(body: WorkflowPatch) {
  if (body.payloadSchema) {
    const fault = compilePayloadSchema(body.payloadSchema).fault;
    if (fault) throw invalid({ payloadSchema: { messages: [`payloadSchema is not a valid JSON Schema: ${fault}`] } });
  }
  return {
    description: body.description ?? null,
    tags: (body.tags ?? []).map((tag) => tag.trim()),
    active: body.active ?? false,
    validate_payload: body.validatePayload ?? false,
    payload_schema: body.payloadSchema ?? null,
    is_translation_enabled: body.isTranslationEnabled ?? false,
    severity: body.severity ?? "none",
  };
}

/** Matches given steps with stored ones by `_id`, else by `stepId`, so that they keep their identity. */
function readSteps(ctx: Ctx, given: StepIn[], stored: StoredStep[]): StoredStep[] {
  const faults: FieldFaults = {};
  const taken = new Set(given.flatMap((step) => step.stepId ?? []));
  const seen = new Set<string>();
  const steps = given.map((step, index) => {
    const before = stored.find((old) => (step._id ? old.id === step._id : old.stepId === step.stepId));
    const { values, faults: found } = readControlValues(step, `steps.${index}.controlValues`);
    Object.assign(faults, found);
    const stepId = step.stepId ?? before?.stepId ?? freeStepId(step.name, taken);
    taken.add(stepId);
    if (seen.has(stepId)) {
      const field = `steps.${index}.stepId`;
      faults[field] = { messages: [`${field} must be unique within the workflow`], value: stepId };
    }
    seen.add(stepId);
    return {
      id: before?.id ?? ctx.newId(),
      stepId,
      name: step.name,
      type: step.type,
      controlValues: values,
      active: step.active ?? true,
      shouldStopOnFail: step.shouldStopOnFail ?? false,
    };
  });
  if (Object.keys(faults).length > 0) throw invalid(faults);
  return steps;
}

function freeStepId(name: string, taken: ReadonlySet<string>): string {
  const base = kebab(name).slice(0, 90) || "step";
  if (!taken.has(base)) return base;
  for (let number = 1; ; number++) {
    if (!taken.has(`${base}-${number}`)) return `${base}-${number}`;
  }
}

export async function update(
  ctx: Ctx,
  caller: Caller,
  { params, body }: Input<"workflows.update">,
): Promise<Output<"workflows.update">> {
  const row = await requireWorkflow(ctx, caller.environmentId, params.workflowId, { lock: true });
  if (body.workflowId !== undefined && body.workflowId !== row.workflow_id) {
    throw invalid({ workflowId: { messages: ["workflowId cannot be changed"], value: body.workflowId } });
  }
  const { preferences } = body;
  return save(ctx, caller, row, {
    ...settingsOf(body),
    name: body.name,
    preferences_user: preferences.user === undefined ? row.preferences_user : preferences.user,
    preferences_default:
      preferences.workflow ?? (preferences.workflow === null ? defaultPreference : row.preferences_default),
    steps: readSteps(ctx, body.steps, row.steps),
  });
}

export async function patch(
  ctx: Ctx,
  caller: Caller,
  { params, body }: Input<"workflows.patch">,
): Promise<Output<"workflows.patch">> {
  const row = await requireWorkflow(ctx, caller.environmentId, params.workflowId, { lock: true });
  const given = settingsOf(body);
  return save(ctx, caller, row, {
    name: body.name ?? row.name,
    description: body.description === undefined ? row.description : given.description,
    tags: body.tags === undefined ? row.tags : given.tags,
    active: body.active === undefined ? row.active : given.active,
    validate_payload: body.validatePayload === undefined ? row.validate_payload : given.validate_payload,
    payload_schema: body.payloadSchema === undefined ? row.payload_schema : given.payload_schema,
    is_translation_enabled:
      body.isTranslationEnabled === undefined ? row.is_translation_enabled : given.is_translation_enabled,
    severity: body.severity === undefined ? row.severity : given.severity,
  });
}

async function save(ctx: Ctx, caller: Caller, row: WorkflowRow, changes: Partial<WorkflowContent>): Promise<Workflow> {
  const { environment_id, version_id, created_at, deleted_at, ...content } = row;
  const next = { ...content, ...changes, updated_at: ctx.now(), updated_by: caller.userId };
  return view(ctx, await replaceWorkflow(ctx.db, caller.environmentId, ctx.newId(), next));
}

export async function retrieve(
  ctx: Ctx,
  caller: Caller,
  { params, query }: Input<"workflows.retrieve">,
): Promise<Output<"workflows.retrieve">> {
  let { environmentId } = caller;
  if (query.environmentId) {
    const environment = await findEnvironment(ctx.db, caller.organizationId, query.environmentId);
    if (!environment) throw failure("ENVIRONMENT_NOT_FOUND", { environmentId: query.environmentId });
    environmentId = environment.id;
  }
  return view(ctx, await requireWorkflow(ctx, environmentId, params.workflowId));
}

export async function list(
  ctx: Ctx,
  caller: Caller,
  { query }: Input<"workflows.list">,
): Promise<Output<"workflows.list">> {
  const order = { by: query.orderBy ?? "createdAt", direction: query.orderDirection ?? "DESC" };
  const filters = { query: query.query, tags: query.tags };
  const rows = await listWorkflows(ctx.db, caller.environmentId, filters, order);
  const facts = await viewFacts(ctx, caller.environmentId);
  // The status depends on issues that are computed here, so the filter on it comes after reading.
  const wanted = query.status?.length ? rows.filter((row) => query.status!.includes(statusOf(row, facts))) : rows;
  const offset = query.offset ?? 0;
  const page = wanted.slice(offset, offset + (query.limit ?? 10));
  return {
    totalCount: wanted.length,
    workflows: page.map((row) => ({
      _id: row.id,
      workflowId: row.workflow_id,
      slug: slug(row.name, "wf", row.id),
      name: row.name,
      tags: row.tags,
      createdAt: row.created_at.toISOString(),
      updatedAt: row.updated_at.toISOString(),
      status: statusOf(row, facts),
      origin: row.origin as Workflow["origin"],
      lastTriggeredAt: row.last_triggered_at?.toISOString() ?? null,
      stepTypeOverviews: row.steps.map((step) => step.type),
      isTranslationEnabled: row.is_translation_enabled,
      steps: row.steps.map((step) => ({
        slug: slug(step.name, "st", step.id),
        type: step.type,
        issues: issuesOf(step, facts),
      })),
    })),
  };
}

export async function remove(ctx: Ctx, caller: Caller, { params }: Input<"workflows.delete">): Promise<undefined> {
  const row = await requireWorkflow(ctx, caller.environmentId, params.workflowId, { lock: true });
  const now = ctx.now();
  await markWorkflowDeleted(ctx.db, caller.environmentId, row.id, now);
  const canceled = detail("step_canceled", now, { raw: { reason: "the workflow was deleted" } });
  await cancelWaitingJobs(ctx.db, caller.environmentId, { workflowId: row.id }, canceled, now);
}
