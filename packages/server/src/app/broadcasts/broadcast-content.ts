// What a broadcast sends: a saved workflow as it is when the broadcast is sent, or steps written in place. Either
// becomes a version that only this broadcast uses.
import { type BroadcastContent, broadcastWorkflowId, type Channel, isChannel } from "@tidings/contract";
import type { Caller, Ctx } from "../../context.ts";
import { isCritical } from "../../pipeline/rules/preferences.ts";
import type { BroadcastRow } from "../../store/broadcasts/broadcasts.ts";
import { listIntegrations } from "../../store/integrations/integrations.ts";
import { findCategory } from "../../store/subscribers/categories.ts";
import { findVersion, type NewVersion } from "../../store/workflows/versions.ts";
import {
  findWorkflow,
  type StoredStep,
  type TriggerTarget,
  versionOf,
  type WorkflowRow,
  type WorkflowVersion,
} from "../../store/workflows/workflows.ts";
import { readDraft } from "../workflows/drafts.ts";
import { toContent } from "../workflows/versions.ts";
import { workflowLevels } from "../workflows/workflow-view.ts";
import * as workflows from "../workflows/workflows.ts";
import { broadcastWorkflow } from "./broadcast-workflow.ts";

/** `row`: to be stored when the broadcast is sent. `channels`: those that its active steps use. */
type ResolvedContent = {
  row: NewVersion;
  version: WorkflowVersion;
  target: TriggerTarget;
  channels: Channel[];
};

/** `savedVersionId`: the version of the saved workflow; null for steps written in place. */
type FoundContent = ResolvedContent & { savedVersionId: string | null };

/**
 * The content as a version, or why there is none. Only reads. What awaits approval is the version of the workflow for
 * which the approval was asked.
 */
export async function resolveContent(
  ctx: Ctx,
  caller: Caller,
  draft: Pick<BroadcastRow, "content" | "status" | "approval">,
): Promise<FoundContent | { field: string; fault: string }> {
  const { environmentId } = caller;
  const { workflowId, steps } = draft.content;
  if (workflowId === undefined) {
    if (!steps || steps.length === 0)
      return { field: "content", fault: "it has no content: choose a workflow, or write at least one step" };
    const { translations: _, ...settings } = broadcastWorkflow;
    const written = await readDraft(ctx, caller, { ...settings, steps, active: true });
    return { ...asBroadcast(written), savedVersionId: null };
  }
  const stored = await findWorkflow(ctx.db, environmentId, workflowId);
  const field = "content.workflowId";
  if (!stored) return { field, fault: `workflow ${workflowId} does not exist` };
  if (!stored.active) return { field, fault: `workflow ${workflowId} is not active` };
  if (stored.bridge_url !== null) {
    return { field, fault: `workflow ${workflowId} gets its content from code, which broadcasts cannot use` };
  }
  const bound = await findUnsubscribeObstacle(ctx, stored);
  if (bound) return { field, fault: `workflow ${workflowId} is ${bound}` };
  const savedVersionId = awaitedVersionId(draft) ?? stored.version_id;
  const content = await contentOfVersion(ctx, stored, savedVersionId);
  if (!content) {
    const fault = `workflow ${workflowId} was deleted after the approval was asked for: return it to its author`;
    return { field, fault };
  }
  const row = versionOf(
    environmentId,
    ctx.newId(),
    { ...content, updated_at: ctx.now(), updated_by: caller.userId },
    "",
  );
  const { id, workflow_id, name, active, validate_payload, payload_schema, search_keys } = content;
  const resolved = asBroadcast({
    row,
    version: { id: row.id, environmentId, workflowId: id, definition: row.definition },
    target: {
      ...{ id, workflow_id, name, active, validate_payload, payload_schema, search_keys },
      version_id: row.id,
      step_count: content.steps.length,
      active_step_count: content.steps.filter((step) => step.active).length,
    },
  });
  if (resolved.target.active_step_count === 0) return { field, fault: `workflow ${workflowId} has no active steps` };
  return { ...resolved, savedVersionId };
}

/** The version that is approved or returned; null where there is none. */
export const awaitedVersionId = ({ status, approval }: Pick<BroadcastRow, "status" | "approval">): string | null =>
  (status === "awaiting_approval" && approval?.versionId) || null;

/** Null for a version of another workflow, which had the same identifier. */
async function contentOfVersion({ db }: Ctx, stored: WorkflowRow, versionId: string): Promise<WorkflowRow | null> {
  if (versionId === stored.version_id) return stored;
  const version = await findVersion(db, stored.environment_id, stored.id, versionId);
  return version ? { ...stored, ...toContent(version, stored) } : null;
}

/** What keeps people from switching the workflow off, and what to do. */
async function findUnsubscribeObstacle({ db }: Ctx, workflow: WorkflowRow): Promise<string | null> {
  const effect = "people could not unsubscribe from the broadcast";
  if (isCritical(workflowLevels(workflow))) {
    return `critical, and ${effect}: use a workflow that can be switched off`;
  }
  const { environment_id: environmentId, category_id: categoryId } = workflow;
  const category = categoryId === null ? undefined : await findCategory(db, environmentId, categoryId);
  if (!category?.is_required) return null;
  return `in the required category ${categoryId}, and ${effect}: use a workflow of another category`;
}

function asBroadcast({ row, version, target }: Omit<ResolvedContent, "channels">): ResolvedContent {
  const definition = {
    ...row.definition,
    isBroadcast: true as const,
    isCommercial: true as const,
    messageClass: "promotional" as const,
  };
  const types = definition.steps.filter((step) => step.active).map(({ type }) => type);
  return {
    row: { ...row, definition },
    version: { ...version, definition },
    target,
    channels: [...new Set(types.filter(isChannel))],
  };
}

/** The channels that have an active integration. */
export async function findActiveChannels(ctx: Ctx, environmentId: string, channels: Channel[]): Promise<Channel[]> {
  const integrations = await listIntegrations(ctx.db, environmentId);
  const active = new Set<string>(integrations.filter((one) => one.active).map(({ channel }) => channel));
  return channels.filter((channel) => active.has(channel));
}

/**
 * Creates the workflow that holds the preferences of broadcasts written in place, and switches its steps of their
 * channels on: people can then choose these channels. Called with every draft, and again when it is sent, because the
 * workflow may have been deleted meanwhile. Steps that a customer wrote stay unchanged.
 */
export async function offerBroadcastPreferences(ctx: Ctx, caller: Caller, content: BroadcastContent): Promise<void> {
  const used = new Set<string>(content.steps?.filter(({ type }) => isChannel(type)).map(({ type }) => type));
  if (content.workflowId !== undefined || used.size === 0) return;
  const row = await findWorkflow(ctx.db, caller.environmentId, broadcastWorkflowId, { lock: true });
  if (!row) {
    const { translations: _, ...body } = broadcastWorkflow;
    const steps = body.steps.map((step) => ({ ...step, name: step.name ?? step.stepId, active: used.has(step.type) }));
    await workflows.create(ctx, caller, { params: {}, query: {}, body: { ...body, steps, active: true } });
    return;
  }
  const steps = row.steps.map((step) => (used.has(step.type) && isOwnStep(step) ? { ...step, active: true } : step));
  if (steps.some((step, index) => step.active !== row.steps[index]!.active)) {
    await workflows.save(ctx, caller, row, { steps }, "Turned on the channels of a broadcast");
  }
}

const isOwnStep = ({ stepId, type, controlValues }: StoredStep): boolean =>
  broadcastWorkflow.steps.some(
    (own) => own.stepId === stepId && own.type === type && own.controlValues?.body === controlValues.body,
  );
