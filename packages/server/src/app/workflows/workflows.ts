// Workflows: saving is strict about structure and tolerant about content. Each save writes a new version; events under
// way keep the version that started them.
import type { Input, Output, Step, StepIn, Workflow, WorkflowPatch, WorkflowPreference } from "@tidings/contract";
import type { Caller, Ctx } from "../../context.ts";
import { type FieldFaults, failure, faultCollector, invalid } from "../../failure.ts";
import { idFromSlug, kebab, slug } from "../../lib/ids.ts";
import { createPauses } from "../../lib/pauses.ts";
import { detail } from "../../pipeline/rules/details.ts";
import { emit } from "../../pipeline/webhooks/events.ts";
import { isUniqueViolation } from "../../store/db.ts";
import { findEnvironment, isInboxConnected } from "../../store/environments/environments.ts";
import { cancelWaitingJobs } from "../../store/events/jobs.ts";
import { findActiveChannels } from "../../store/integrations/integrations.ts";
import { cancelPendingMessages } from "../../store/messages/messages.ts";
import { listLayoutNames } from "../../store/workflows/layouts.ts";
import { deleteTranslations } from "../../store/workflows/translations.ts";
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
} from "../../store/workflows/workflows.ts";
import { environmentNow } from "../environments/clock.ts";
import { freeIdentifier } from "../free-identifier.ts";
import { readFilters } from "../integrations/filters.ts";
import { payloadSchemaFault } from "./payload-schema.ts";
import { readControlValues } from "./step-controls.ts";
import { issuesOf, statusOf, toStep, toWorkflow, type ViewFacts } from "./workflow-view.ts";

export async function requireWorkflow(
  ctx: Ctx,
  environmentId: string,
  workflowId: string,
  options: { lock?: boolean } = {},
): Promise<WorkflowRow> {
  const row = await findByAnyId(ctx, environmentId, workflowId, options);
  if (!row) throw failure("WORKFLOW_NOT_FOUND", { workflowId });
  return row;
}

/** By internal id, slug or identifier. What looks like a slug may also be somebody's identifier. */
async function findByAnyId(ctx: Ctx, environmentId: string, workflowId: string, options: { lock?: boolean } = {}) {
  const fromSlug = idFromSlug(workflowId, "wf");
  const bySlug = fromSlug ? await findWorkflow(ctx.db, environmentId, fromSlug, options) : undefined;
  return bySlug ?? findWorkflow(ctx.db, environmentId, workflowId, options);
}

export async function viewFacts(
  ctx: Ctx,
  environmentId: string,
  lastTriggeredAt: Date | null = null,
): Promise<ViewFacts> {
  return {
    activeChannels: await findActiveChannels(ctx.db, environmentId),
    isInboxConnected: await isInboxConnected(ctx.db, environmentId),
    layouts: await listLayoutNames(ctx.db, environmentId),
    maxWaitDays: ctx.config.maxWaitDays,
    defaultTimezone: ctx.config.defaultTimezone,
    now: ctx.now(),
    lastTriggeredAt,
  };
}

export async function view(ctx: Ctx, row: WorkflowRow): Promise<Workflow> {
  const lastTriggeredAt = await findLastTriggered(ctx.db, row.environment_id, row.id);
  return toWorkflow(row, await viewFacts(ctx, row.environment_id, lastTriggeredAt), createPauses());
}

export async function create(
  ctx: Ctx,
  caller: Caller,
  { body }: Input<"workflows.create">,
): Promise<Output<"workflows.create">> {
  const content: WorkflowContent = {
    // Programs of the peer API create workflows and trigger them: there, a new workflow is active.
    ...settingsOf(body, { ...freshSettings, active: ctx.config.vocabulary === "novu" }),
    id: ctx.newId(),
    workflow_id: body.workflowId,
    name: body.name,
    origin: "svc-cloud",
    preferences_user: body.preferences?.user ?? null,
    preferences_default: body.preferences?.workflow ?? defaultPreference,
    steps: readSteps(ctx, body.steps, []),
    last_published_at: null,
    last_published_by: null,
    updated_at: ctx.now(),
    updated_by: caller.userId,
  };
  const row = await saving(body.workflowId, () => insertWorkflow(ctx.db, caller.environmentId, ctx.newId(), content));
  const workflow = await view(ctx, row);
  await emit(ctx, { environmentId: caller.environmentId, type: "workflow.created", at: row.updated_at }, () => [
    { object: workflow },
  ]);
  return workflow;
}

async function saving<T>(workflowId: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (isUniqueViolation(error)) throw failure("WORKFLOW_ID_TAKEN", { workflowId });
    throw error;
  }
}

const defaultPreference: WorkflowPreference = { all: { enabled: true, readOnly: false }, channels: {} };

type Settings = Pick<
  WorkflowContent,
  | "description"
  | "tags"
  | "active"
  | "validate_payload"
  | "payload_schema"
  | "is_translation_enabled"
  | "severity"
  | "outside_schedule"
  | "on_unknown_outcome"
>;

const freshSettings: Omit<Settings, "active"> = {
  description: null,
  tags: [],
  validate_payload: false,
  payload_schema: null,
  is_translation_enabled: false,
  severity: "none",
  outside_schedule: "hold",
  on_unknown_outcome: "may_duplicate",
};

/** The settings given; absent ones stay as they were. */
function settingsOf(body: WorkflowPatch, before: Settings): Settings {
  const faults = faultCollector();
  const schemaFault = body.payloadSchema ? payloadSchemaFault(body.payloadSchema) : null;
  if (schemaFault) faults.add("payloadSchema", `payloadSchema is not a valid JSON Schema: ${schemaFault}`);
  const tags = body.tags && new Set(body.tags.map((tag) => tag.trim()));
  for (const [index, tag] of (body.tags ?? []).entries()) {
    if (tag.trim() === "") faults.add(`tags.${index}`, `tags.${index} must not be empty`, tag);
  }
  faults.throwIfAny();
  return {
    description: body.description ?? before.description,
    tags: tags ? [...tags] : before.tags,
    active: body.active ?? before.active,
    validate_payload: body.validatePayload ?? before.validate_payload,
    payload_schema: body.payloadSchema === undefined ? before.payload_schema : body.payloadSchema,
    is_translation_enabled: body.isTranslationEnabled ?? before.is_translation_enabled,
    severity: body.severity ?? before.severity,
    outside_schedule: body.outsideSchedule ?? before.outside_schedule,
    on_unknown_outcome: body.onUnknownOutcome ?? before.on_unknown_outcome,
  };
}

/** For each given step the stored one it replaces: by `_id`, else by `stepId`, each stored one at most once. */
function matchSteps(given: StepIn[], stored: StoredStep[]): (StoredStep | undefined)[] {
  const free = new Set(stored);
  const take = (isMeant: (old: StoredStep) => boolean) => {
    const found = [...free].find(isMeant);
    if (found) free.delete(found);
    return found;
  };
  const byId = given.map((step) => (step._id === undefined ? undefined : take((old) => old.id === step._id)));
  return given.map((step, index) => byId[index] ?? take((old) => old.stepId === step.stepId));
}

/** Steps that replace stored ones keep their identity. */
function readSteps(ctx: Ctx, given: StepIn[], stored: StoredStep[]): StoredStep[] {
  const faults: FieldFaults = {};
  const matches = matchSteps(given, stored);
  const taken = new Set(given.flatMap((step, index) => step.stepId ?? matches[index]?.stepId ?? []));
  const seen = new Set<string>();
  const steps = given.map((step, index) => {
    const before = matches[index];
    const { values, faults: found } = readControlValues(step, `steps.${index}.controlValues`);
    Object.assign(faults, found);
    const { filters, faults: filterFaults } = readFilters(step.filters ?? [], `steps.${index}.filters`);
    Object.assign(faults, filterFaults);
    const stepId =
      step.stepId ?? before?.stepId ?? freeIdentifier(kebab(kebab(step.name).slice(0, 90)) || "step", taken);
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
      ...(filters.length > 0 && { filters }),
      active: step.active ?? true,
      shouldStopOnFail: step.shouldStopOnFail ?? false,
      ...(step.deadlineSeconds === undefined ? {} : { deadlineSeconds: step.deadlineSeconds }),
    };
  });
  if (Object.keys(faults).length > 0) throw invalid(faults);
  return steps;
}

export async function update(
  ctx: Ctx,
  caller: Caller,
  { params, body }: Input<"workflows.update">,
): Promise<Output<"workflows.update">> {
  const row = await requireWorkflow(ctx, caller.environmentId, params.workflowId, { lock: true });
  const isRenamed = body.workflowId !== undefined && body.workflowId !== row.workflow_id;
  // What is defined in code is named there; everything else is addressed by its identifier for good.
  if (isRenamed && body.origin !== "external") {
    throw invalid({ workflowId: { messages: ["workflowId cannot be changed"], value: body.workflowId } });
  }
  const { preferences } = body;
  return save(ctx, caller, row, {
    ...settingsOf(body, row),
    name: body.name,
    workflow_id: body.workflowId ?? row.workflow_id,
    origin: body.origin,
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
  return save(ctx, caller, row, { ...settingsOf(body, row), name: body.name ?? row.name });
}

async function save(ctx: Ctx, caller: Caller, row: WorkflowRow, changes: Partial<WorkflowContent>): Promise<Workflow> {
  const { environment_id, version_id, created_at, deleted_at, ...content } = row;
  const next = { ...content, ...changes, updated_at: ctx.now(), updated_by: caller.userId };
  const saved = await saving(next.workflow_id, () => replaceWorkflow(ctx.db, caller.environmentId, ctx.newId(), next));
  const workflow = await view(ctx, saved);
  await emit(ctx, { environmentId: caller.environmentId, type: "workflow.updated", at: next.updated_at }, async () => [
    { object: workflow, previousObject: await view(ctx, row) },
  ]);
  return workflow;
}

export async function retrieve(
  ctx: Ctx,
  caller: Caller,
  { params, query }: Input<"workflows.retrieve">,
): Promise<Output<"workflows.retrieve">> {
  const { environmentId } = query;
  if (!environmentId) return view(ctx, await requireWorkflow(ctx, caller.environmentId, params.workflowId));
  const environment = await findEnvironment(ctx.db, caller.organizationId, environmentId);
  if (!environment) throw failure("ENVIRONMENT_NOT_FOUND", { environmentId });
  // Environments share identifiers, not ids: an id of the caller's own environment stands for its identifier.
  const own = await findByAnyId(ctx, caller.environmentId, params.workflowId);
  const row = await findByAnyId(ctx, environment.id, own?.workflow_id ?? params.workflowId);
  if (!row) throw failure("WORKFLOW_NOT_FOUND", { workflowId: params.workflowId });
  return view(ctx, row);
}

/** The position of a step. The internal id is tried first; what looks like a slug may also be somebody's identifier. */
export function findStep(row: WorkflowRow, stepId: string): number | undefined {
  const fromSlug = idFromSlug(stepId, "st");
  const at = (isMeant: (step: StoredStep) => boolean) => row.steps.findIndex(isMeant);
  const index = [at(({ id }) => id === stepId), at(({ id }) => id === fromSlug), at((step) => step.stepId === stepId)];
  return index.find((position) => position >= 0);
}

export async function retrieveStep(
  ctx: Ctx,
  caller: Caller,
  { params }: Input<"workflows.retrieveStep">,
): Promise<Output<"workflows.retrieveStep">> {
  const { workflowId, stepId } = params;
  const row = await requireWorkflow(ctx, caller.environmentId, workflowId);
  const found = findStep(row, stepId);
  if (found === undefined) throw failure("STEP_NOT_FOUND", { stepId, workflowId });
  const issues = await issuesOf(row, await viewFacts(ctx, caller.environmentId), createPauses());
  return toStep(row, row.steps[found]!, found, issues[found]);
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
  const pauses = createPauses();
  const issues = new Map<string, Step["issues"][]>();
  const judge = async (some: WorkflowRow[]) => {
    for (const row of some) if (!issues.has(row.id)) issues.set(row.id, await issuesOf(row, facts, pauses));
  };
  const statusOfRow = (row: WorkflowRow) => statusOf(row, issues.get(row.id)!);
  // The status depends on issues that are computed here, so the filter on it comes after reading.
  if (query.status?.length) await judge(rows);
  const wanted = query.status?.length ? rows.filter((row) => query.status!.includes(statusOfRow(row))) : rows;
  const offset = query.offset ?? 0;
  const page = wanted.slice(offset, offset + (query.limit ?? 10));
  await judge(page);
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
      status: statusOfRow(row),
      origin: row.origin,
      lastTriggeredAt: row.last_triggered_at?.toISOString() ?? null,
      stepTypeOverviews: row.steps.map((step) => step.type),
      isTranslationEnabled: row.is_translation_enabled,
      steps: row.steps.map((step, index) => ({
        slug: slug(step.name, "st", step.id),
        type: step.type,
        issues: issues.get(row.id)![index],
      })),
    })),
  };
}

export async function remove(ctx: Ctx, caller: Caller, { params }: Input<"workflows.delete">): Promise<undefined> {
  const row = await requireWorkflow(ctx, caller.environmentId, params.workflowId, { lock: true });
  const now = await environmentNow(ctx, caller);
  await emit(ctx, { environmentId: caller.environmentId, type: "workflow.deleted", at: now }, async () => [
    { object: await view(ctx, row) },
  ]);
  await markWorkflowDeleted(ctx.db, caller.environmentId, row.id, now);
  await deleteTranslations(ctx.db, caller.environmentId, { type: "workflow", id: row.id });
  const target = { workflowId: row.id };
  const reason = "the workflow was deleted";
  await cancelPendingMessages(ctx.db, caller.environmentId, target, reason, now);
  const canceled = detail("step_canceled", now, { raw: { reason } });
  await cancelWaitingJobs(ctx.db, caller.environmentId, target, canceled, now);
}
