// Versions of workflows: listed, shown, compared and restored. And copies of workflows.
import type { Input, Output, VersionHead } from "@tidings/contract";
import type { Caller, Ctx } from "../../context.ts";
import { failure } from "../../failure.ts";
import { freeIdentifier, identifierFrom } from "../../lib/identifiers.ts";
import { lockEnvironment } from "../../store/environments/environments.ts";
import { copyTranslations } from "../../store/workflows/translations.ts";
import {
  type FoundVersion,
  findVersion,
  listVersions,
  type VersionHead as VersionHeadRow,
} from "../../store/workflows/versions.ts";
import {
  findWorkflowIdsLike,
  insertWorkflow,
  type WorkflowContent,
  type WorkflowRow,
} from "../../store/workflows/workflows.ts";
import { refuseDuplicate } from "../identifiers.ts";
import { readCursor, toCursorList } from "../paging.ts";
import { diffContents, type VersionContent } from "./version-diff.ts";
import { readSettings } from "./workflow-content.ts";
import { announceCreated, requireWorkflow, save } from "./workflows.ts";

const toHead = (row: VersionHeadRow, workflow: WorkflowRow): VersionHead => ({
  id: row.id,
  number: row.number,
  createdAt: row.created_at.toISOString(),
  createdBy: row.created_by === null ? undefined : { id: row.created_by, name: row.created_by_name },
  summary: row.summary,
  isCurrent: row.id === workflow.version_id,
});

async function requireVersion(
  ctx: Ctx,
  { environment_id, id, workflow_id: workflowId }: WorkflowRow,
  versionId: string,
): Promise<FoundVersion> {
  const version = await findVersion(ctx.db, environment_id, id, versionId);
  if (!version) throw failure("WORKFLOW_VERSION_NOT_FOUND", { versionId, workflowId });
  return version;
}

export async function list(
  ctx: Ctx,
  caller: Caller,
  { params, query }: Input<"workflows.listVersions">,
): Promise<Output<"workflows.listVersions">> {
  const request = readCursor(query);
  const workflow = await requireWorkflow(ctx, caller.environmentId, params.workflowId);
  const page = await listVersions(ctx.db, caller.environmentId, workflow.id, request);
  return toCursorList(page, (row) => toHead(row, workflow));
}

export async function retrieve(
  ctx: Ctx,
  caller: Caller,
  { params }: Input<"workflows.retrieveVersion">,
): Promise<Output<"workflows.retrieveVersion">> {
  const workflow = await requireWorkflow(ctx, caller.environmentId, params.workflowId);
  const version = await requireVersion(ctx, workflow, params.versionId);
  const { definition, settings } = version;
  const { steps, origin, ...content } = definition;
  return {
    ...toHead(version, workflow),
    workflow: {
      ...content,
      outsideSchedule: content.outsideSchedule ?? "hold",
      onUnknownOutcome: content.onUnknownOutcome ?? "may_duplicate",
      isTranslationEnabled: content.isTranslationEnabled ?? false,
      searchKeys: content.searchKeys ?? [],
      objectives: content.objectives ?? {},
      ...settings,
      steps: steps.map(({ id, ...step }) => ({ _id: id, ...step })),
    },
  };
}

export async function diff(
  ctx: Ctx,
  caller: Caller,
  { params }: Input<"workflows.diffVersions">,
): Promise<Output<"workflows.diffVersions">> {
  const workflow = await requireWorkflow(ctx, caller.environmentId, params.workflowId);
  const from = await requireVersion(ctx, workflow, params.fromVersionId);
  const to = await requireVersion(ctx, workflow, params.toVersionId);
  return { from: toHead(from, workflow), to: toHead(to, workflow), ...diffContents(from, to) };
}

export async function restore(
  ctx: Ctx,
  caller: Caller,
  { params }: Input<"workflows.restoreVersion">,
): Promise<Output<"workflows.restoreVersion">> {
  const row = await requireWorkflow(ctx, caller.environmentId, params.workflowId, { lock: true });
  const version = await requireVersion(ctx, row, params.versionId);
  return save(ctx, caller, row, toContent(version, row), `Restored version ${version.number}`);
}

/** The content of a version, for its current workflow. Whether the workflow is active is left out. */
export function toContent({ definition, settings }: VersionContent, row: WorkflowRow): Partial<WorkflowContent> {
  return {
    name: definition.name,
    description: definition.description,
    tags: definition.tags,
    severity: definition.severity,
    preferences_user: definition.preferences.user,
    preferences_default: definition.preferences.default,
    steps: definition.steps,
    outside_schedule: definition.outsideSchedule ?? "hold",
    on_unknown_outcome: definition.onUnknownOutcome ?? "may_duplicate",
    is_translation_enabled: definition.isTranslationEnabled ?? false,
    search_keys: definition.searchKeys ?? [],
    objectives: definition.objectives ?? null,
    category_id: definition.categoryId ?? null,
    is_commercial: definition.isCommercial ?? false,
    message_class: definition.messageClass ?? "transactional",
    priority: definition.priority ?? "normal",
    validate_payload: settings?.validatePayload ?? row.validate_payload,
    payload_schema: settings ? settings.payloadSchema : row.payload_schema,
  };
}

export async function duplicate(
  ctx: Ctx,
  caller: Caller,
  { params, body }: Input<"workflows.duplicate">,
): Promise<Output<"workflows.duplicate">> {
  const { environmentId } = caller;
  const original = await requireWorkflow(ctx, environmentId, params.workflowId);
  if (original.bridge_url !== null) {
    throw failure("WORKFLOW_IN_CODE", { workflowId: original.workflow_id, fields: "a copy" });
  }
  // Two requests at once must not choose the same identifier.
  await lockEnvironment(ctx.db, environmentId);
  const name = body.name ?? `${original.name} (copy)`.slice(0, 128);
  const base = identifierFrom(name, "workflow");
  const identifier = body.workflowId ?? freeIdentifier(base, await findWorkflowIdsLike(ctx.db, environmentId, base));
  const { environment_id, version_id, created_at, deleted_at, ...content } = original;
  const copy = {
    ...content,
    ...readSettings({ description: body.description, tags: body.tags, active: false }, original),
    id: ctx.newId(),
    workflow_id: identifier,
    name,
    origin: "svc-cloud" as const,
    steps: original.steps.map((step) => ({ ...step, id: ctx.newId() })),
    last_published_at: null,
    last_published_by: null,
    updated_at: ctx.now(),
    updated_by: caller.userId,
  };
  const row = await refuseDuplicate(
    () =>
      insertWorkflow(ctx.db, environmentId, {
        versionId: ctx.newId(),
        content: copy,
        summary: `Copied from ${original.workflow_id}`,
      }),
    failure("WORKFLOW_ID_TAKEN", { workflowId: identifier }),
  );
  const resource = (id: string) => ({ type: "workflow" as const, id });
  await copyTranslations(ctx.db, environmentId, { from: resource(original.id), to: resource(row.id), now: ctx.now() });
  return announceCreated(ctx, row);
}
