// Workflows. Each save writes a new version; events in progress keep the version that started them.
import type { Input, Output, Step, Workflow } from "@tidings/contract";
import type { Caller, Ctx } from "../../context.ts";
import { type Failure, failure, invalid } from "../../failure.ts";
import { idFromSlug } from "../../lib/ids.ts";
import { detail } from "../../pipeline/rules/details.ts";
import { emit } from "../../pipeline/webhooks/events.ts";
import { listAudienceIds } from "../../store/audiences/audiences.ts";
import { findEnvironment, isInboxConnected } from "../../store/environments/environments.ts";
import { listVariableNames } from "../../store/environments/variables.ts";
import { cancelWaitingJobs } from "../../store/events/jobs.ts";
import { findActiveChannels } from "../../store/integrations/integrations.ts";
import { cancelPendingMessages } from "../../store/messages/messages.ts";
import { listLayoutNames } from "../../store/workflows/layouts.ts";
import { deleteTranslations } from "../../store/workflows/translations.ts";
import { findVersion } from "../../store/workflows/versions.ts";
import {
  findLastTriggered,
  findWorkflow,
  insertWorkflow,
  listStarts,
  listWorkflows,
  markWorkflowDeleted,
  replaceWorkflow,
  type StoredStep,
  versionOf,
  type WorkflowContent,
  type WorkflowRow,
} from "../../store/workflows/workflows.ts";
import { environmentNow } from "../environments/clock.ts";
import { refuseDuplicate } from "../identifiers.ts";
import { refuseUnknownCategory } from "../subscribers/categories.ts";
import { readBridgedSteps, refuseChangeOfCode } from "./bridged-content.ts";
import { diffContents, summarizeDiff } from "./version-diff.ts";
import { defaultPreference, defaultSettings, readSettings, readSteps, refuseRepeatedTags } from "./workflow-content.ts";
import { issuesOf, statusOf, toListedWorkflow, toStep, toWorkflow, type ViewFacts } from "./workflow-view.ts";

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

/**
 * By slug, internal id or identifier. An identifier may have the form of a slug, so a slug that finds nothing is not an
 * error.
 */
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
    findStarts: startsOf(ctx, environmentId),
    findAudiences: audiencesOf(ctx, environmentId),
    env: await listVariableNames(ctx.db, environmentId),
    maxWaitDays: ctx.config.maxWaitDays,
    defaultTimezone: ctx.config.defaultTimezone,
    now: ctx.now(),
    allowNetworks: ctx.config.allowNetworks,
    lastTriggeredAt,
  };
}

/** One query, for the first workflow that needs it. */
function startsOf({ db }: Ctx, environmentId: string): ViewFacts["findStarts"] {
  let found: ReturnType<typeof listStarts> | undefined;
  return () => (found ??= listStarts(db, environmentId));
}

/** One query, for the first condition that names an audience. */
function audiencesOf({ db }: Ctx, environmentId: string): ViewFacts["findAudiences"] {
  let found: ReturnType<typeof listAudienceIds> | undefined;
  return () => (found ??= listAudienceIds(db, environmentId));
}

export async function view(ctx: Ctx, row: WorkflowRow): Promise<Workflow> {
  const lastTriggeredAt = await findLastTriggered(ctx.db, row.environment_id, row.id);
  return toWorkflow(row, await viewFacts(ctx, row.environment_id, lastTriggeredAt));
}

export async function create(
  ctx: Ctx,
  caller: Caller,
  { body }: Input<"workflows.create">,
): Promise<Output<"workflows.create">> {
  refuseRepeatedTags(ctx, body.tags);
  await refuseUnknownCategory(ctx, caller.environmentId, body.categoryId);
  const content: WorkflowContent = {
    // Clients of Novu trigger a workflow right after creating it, so with its vocabulary a new one is active.
    ...readSettings(body, { ...defaultSettings, active: ctx.config.vocabulary === "novu" }),
    id: ctx.newId(),
    workflow_id: body.workflowId,
    name: body.name,
    origin: "svc-cloud",
    bridge_url: null,
    preferences_user: body.preferences?.user ?? null,
    preferences_default: body.preferences?.workflow ?? defaultPreference,
    steps: readSteps(ctx, body.steps, []),
    last_published_at: null,
    last_published_by: null,
    updated_at: ctx.now(),
    updated_by: caller.userId,
  };
  const row = await refuseDuplicate(
    () => insertWorkflow(ctx.db, caller.environmentId, { versionId: ctx.newId(), content, summary: "Created" }),
    failure("WORKFLOW_ID_TAKEN", { workflowId: body.workflowId }),
  );
  return announceCreated(ctx, row);
}

export async function announceCreated(ctx: Ctx, row: WorkflowRow): Promise<Workflow> {
  const workflow = await view(ctx, row);
  const { environment_id: environmentId, updated_at: at } = row;
  await emit(ctx, { environmentId, type: "workflow.created", at }, () => [{ object: workflow }]);
  return workflow;
}

export async function update(
  ctx: Ctx,
  caller: Caller,
  { params, body }: Input<"workflows.update">,
): Promise<Output<"workflows.update">> {
  refuseRepeatedTags(ctx, body.tags);
  const row = await requireWorkflow(ctx, caller.environmentId, params.workflowId, { lock: true });
  await refuseUnknownCategory(ctx, caller.environmentId, body.categoryId);
  if (body.expectedVersion !== undefined && body.expectedVersion !== row.version_id) {
    throw await changedFailure(ctx, row, body.expectedVersion);
  }
  const isRenamed = body.workflowId !== undefined && body.workflowId !== row.workflow_id;
  // Only workflows that are defined in code can change their identifier: the code names them. Callers address all
  // others by it.
  if (isRenamed && body.origin !== "external") {
    throw invalid({ workflowId: { messages: ["workflowId cannot be changed"], value: body.workflowId } });
  }
  const { preferences } = body;
  return save(ctx, caller, row, {
    ...readSettings(body, row),
    name: body.name,
    workflow_id: body.workflowId ?? row.workflow_id,
    origin: body.origin,
    preferences_user: preferences.user === undefined ? row.preferences_user : preferences.user,
    preferences_default:
      preferences.workflow ?? (preferences.workflow === null ? defaultPreference : row.preferences_default),
    steps: row.bridge_url === null ? readSteps(ctx, body.steps, row.steps) : readBridgedSteps(row, body.steps),
  });
}

export async function patch(
  ctx: Ctx,
  caller: Caller,
  { params, body }: Input<"workflows.patch">,
): Promise<Output<"workflows.patch">> {
  refuseRepeatedTags(ctx, body.tags);
  const row = await requireWorkflow(ctx, caller.environmentId, params.workflowId, { lock: true });
  await refuseUnknownCategory(ctx, caller.environmentId, body.categoryId);
  return save(ctx, caller, row, { ...readSettings(body, row), name: body.name ?? row.name });
}

/** The row is locked, so the version in the response is the current one. */
async function changedFailure(ctx: Ctx, row: WorkflowRow, expectedVersion: string): Promise<Failure> {
  const { environment_id, id, workflow_id: workflowId, version_id: versionId } = row;
  const current = await findVersion(ctx.db, environment_id, id, versionId);
  const body = current && {
    currentVersion: { id: versionId, number: current.number, createdAt: current.created_at, summary: current.summary },
  };
  const params = { workflowId, versionId, expectedVersion: expectedVersion.slice(0, 255) };
  return failure("WORKFLOW_CHANGED", params, { body });
}

/** `summary`: of the new version; by default what differs from the present one. */
export async function save(
  ctx: Ctx,
  caller: Caller,
  row: WorkflowRow,
  changes: Partial<WorkflowContent>,
  summary?: string,
): Promise<Workflow> {
  const { environment_id, version_id, created_at, deleted_at, ...content } = row;
  const next = { ...content, ...changes, updated_at: ctx.now(), updated_by: caller.userId };
  refuseChangeOfCode(row, next);
  const contentOf = (some: WorkflowContent) => versionOf(caller.environmentId, version_id, some, "");
  const words = summary ?? summarizeDiff(diffContents(contentOf(content), contentOf(next)));
  const saved = await refuseDuplicate(
    () => replaceWorkflow(ctx.db, caller.environmentId, { versionId: ctx.newId(), content: next, summary: words }),
    failure("WORKFLOW_ID_TAKEN", { workflowId: next.workflow_id }),
  );
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
  // Internal ids differ between environments, identifiers do not: an id of the caller's environment is translated
  // first.
  const own = await findByAnyId(ctx, caller.environmentId, params.workflowId);
  const row = await findByAnyId(ctx, environment.id, own?.workflow_id ?? params.workflowId);
  if (!row) throw failure("WORKFLOW_NOT_FOUND", { workflowId: params.workflowId });
  return view(ctx, row);
}

type FoundStep = { step: StoredStep; index: number };

/** By internal id, else by slug, else by identifier: an identifier may have the form of a slug. */
export function requireStep(row: WorkflowRow, stepId: string, workflowId: string): FoundStep {
  const fromSlug = idFromSlug(stepId, "st");
  const step =
    row.steps.find(({ id }) => id === stepId) ??
    row.steps.find(({ id }) => id === fromSlug) ??
    row.steps.find((one) => one.stepId === stepId);
  if (!step) throw failure("STEP_NOT_FOUND", { stepId, workflowId });
  return { step, index: row.steps.indexOf(step) };
}

export async function retrieveStep(
  ctx: Ctx,
  caller: Caller,
  { params }: Input<"workflows.retrieveStep">,
): Promise<Output<"workflows.retrieveStep">> {
  const { workflowId, stepId } = params;
  const row = await requireWorkflow(ctx, caller.environmentId, workflowId);
  const { index } = requireStep(row, stepId, workflowId);
  const facts = await viewFacts(ctx, caller.environmentId);
  const issues = await issuesOf(row, facts);
  return toStep(row, index, issues[index], facts.env);
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
  const issues = new Map<string, Step["issues"][]>();
  const findIssues = async (some: WorkflowRow[]) => {
    for (const row of some) if (!issues.has(row.id)) issues.set(row.id, await issuesOf(row, facts));
  };
  // A status depends on issues, which are computed after reading, so the filter on it cannot be part of the query.
  const { status, offset = 0, limit = 10 } = query;
  if (status?.length) await findIssues(rows);
  const matching = status?.length ? rows.filter((row) => status.includes(statusOf(row, issues.get(row.id)!))) : rows;
  const page = matching.slice(offset, offset + limit);
  await findIssues(page);
  return {
    totalCount: matching.length,
    workflows: page.map((row) => toListedWorkflow(row, issues.get(row.id)!)),
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
  await cancelRunsOf(ctx, caller.environmentId, [row.id], now);
}

/** Cancels what waits in workflows that were deleted. */
export async function cancelRunsOf(ctx: Ctx, environmentId: string, workflowIds: string[], now: Date): Promise<void> {
  const reason = "the workflow was deleted";
  await cancelPendingMessages(ctx.db, environmentId, { workflowIds }, reason, now);
  const canceled = detail("step_canceled", now, { raw: { reason } });
  await cancelWaitingJobs(ctx.db, environmentId, { workflowIds }, canceled, now);
}
