// A workflow that is not saved, as a version that runs can be simulated with. Nothing is written.
import type { WorkflowDraft } from "@tidings/contract";
import type { Caller, Ctx } from "../../context.ts";
import { identifierFrom } from "../../lib/identifiers.ts";
import {
  findWorkflow,
  type TriggerTarget,
  versionOf,
  type WorkflowContent,
  type WorkflowVersion,
} from "../../store/workflows/workflows.ts";
import { defaultPreference, defaultSettings, readSettings, readSteps } from "./workflow-content.ts";

/**
 * A draft of a workflow that exists keeps its id and those of its steps: the choices of subscribers, translations and
 * open digests of the workflow are those of the draft. Settings that the draft leaves out are the defaults, as in a new
 * workflow.
 */
export async function readDraft(
  ctx: Ctx,
  { environmentId, userId }: Caller,
  draft: WorkflowDraft,
): Promise<{ version: WorkflowVersion; target: TriggerTarget }> {
  const { workflowId } = draft;
  const stored = workflowId === undefined ? undefined : await findWorkflow(ctx.db, environmentId, workflowId);
  const content: WorkflowContent = {
    ...readSettings(draft, { ...defaultSettings, active: true }),
    id: stored?.id ?? ctx.newId(),
    workflow_id: workflowId ?? identifierFrom(draft.name, "workflow"),
    name: draft.name,
    origin: stored?.origin ?? "svc-cloud",
    bridge_url: null,
    preferences_user: draft.preferences?.user ?? null,
    preferences_default: draft.preferences?.workflow ?? defaultPreference,
    steps: readSteps(ctx, draft.steps, stored?.steps ?? []),
    last_published_at: null,
    last_published_by: null,
    updated_at: ctx.now(),
    updated_by: userId,
  };
  const { id, definition } = versionOf(environmentId, ctx.newId(), content, "");
  const { workflow_id, name, active, validate_payload, payload_schema, search_keys, steps } = content;
  return {
    version: { id, environmentId, workflowId: content.id, definition },
    target: {
      id: content.id,
      version_id: id,
      ...{ workflow_id, name, active, validate_payload, payload_schema, search_keys },
      step_count: steps.length,
      active_step_count: steps.filter((step) => step.active).length,
    },
  };
}
