// A workflow that is not saved, as a version that runs can be simulated with, or that a test is sent with.
import type { Input, Output, WorkflowDraft } from "@tidings/contract";
import type { Caller, Ctx } from "../../context.ts";
import { failure, invalid } from "../../failure.ts";
import { identifierFrom } from "../../lib/identifiers.ts";
import { keepTestVersion, type NewVersion } from "../../store/workflows/versions.ts";
import {
  findWorkflow,
  type TriggerTarget,
  versionOf,
  type WorkflowContent,
  type WorkflowVersion,
} from "../../store/workflows/workflows.ts";
import { triggerOne } from "../events/events.ts";
import { requireSubscriber } from "../subscribers/subscribers.ts";
import { defaultPreference, defaultSettings, readSettings, readSteps } from "./workflow-content.ts";
import { requireWorkflow } from "./workflows.ts";

/**
 * A draft of a workflow that exists keeps its id and those of its steps: the choices of subscribers, translations and
 * open digests of the workflow are those of the draft. Settings that the draft leaves out are the defaults, as in a new
 * workflow.
 */
export async function readDraft(
  ctx: Ctx,
  { environmentId, userId }: Caller,
  draft: WorkflowDraft,
): Promise<{ version: WorkflowVersion; target: TriggerTarget; row: NewVersion }> {
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
  const row = versionOf(environmentId, ctx.newId(), content, "");
  const { id, definition } = row;
  const { workflow_id, name, active, validate_payload, payload_schema, search_keys, steps } = content;
  return {
    row,
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

/**
 * Runs the draft for one person, as a version that no list shows and no other event gets. The row of the workflow is
 * locked for the number of the version.
 */
export async function sendTest(
  ctx: Ctx,
  caller: Caller,
  { params, body }: Input<"workflows.test">,
): Promise<Output<"workflows.test">> {
  const { environmentId } = caller;
  const stored = await requireWorkflow(ctx, environmentId, params.workflowId, { lock: true });
  const { workflow_id: workflowId } = stored;
  if (stored.bridge_url !== null) throw failure("WORKFLOW_IN_CODE", { workflowId, fields: "its steps" });
  const to = await readPerson(ctx, caller, body.to);
  const { row, target } = await readDraft(ctx, caller, { ...body.workflow, workflowId, active: true });
  const version = { ...row, definition: { ...row.definition, isTest: true as const } };
  const versionId = await keepTestVersion(ctx.db, environmentId, version);
  const event = { name: workflowId, to, payload: body.payload };
  const result = await triggerOne(ctx, caller, event, { ...target, version_id: versionId });
  const { transactionId, status, error = [] } = result;
  // A refused test stores nothing: the transaction of the request is rolled back.
  if (status !== "processed" || transactionId === undefined) {
    throw invalid({ [status === "invalid_recipients" ? "to" : "workflow.steps"]: { messages: error } });
  }
  return { transactionId, subscriberId: to.subscriberId.trim() };
}

/** One person: a topic would send the test to many. */
async function readPerson(ctx: Ctx, caller: Caller, to: Input<"workflows.test">["body"]["to"]) {
  if (typeof to === "string") return { subscriberId: (await requireSubscriber(ctx, caller, to)).subscriber_id };
  const { subscriberId } = to;
  if (subscriberId !== undefined && !("type" in to)) return { ...to, subscriberId };
  throw invalid({ to: { messages: ["to must be the id of a subscriber, or a subscriber with a subscriberId"] } });
}
