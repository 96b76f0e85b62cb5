// The steps of a broadcast as the workflow that the editor works on, and back. Pure.
import type { Broadcast, Step, StepIn, Workflow } from "@tidings/contract";
import { identifierFrom } from "../../../fields/identifier.ts";
import { type Draft, unsavedId } from "../editor/model.ts";

/** The workflow whose preferences hold for all broadcasts. */
const workflowId = "broadcast";

function toStep(step: StepIn): Step {
  const stepId = step.stepId ?? identifierFrom(step.name);
  const values = step.controlValues ?? {};
  return {
    // The service gives steps of a broadcast no ids: their identifiers distinguish them.
    _id: stepId,
    stepId,
    slug: stepId,
    name: step.name,
    type: step.type,
    origin: "tidings" as Step["origin"],
    workflowId,
    workflowDatabaseId: unsavedId,
    controls: { values },
    variables: {},
    active: step.active ?? true,
    shouldStopOnFail: step.shouldStopOnFail ?? false,
    ...(step.filters && { filters: step.filters as Step["filters"] }),
    ...(step.deadlineSeconds !== undefined && { deadlineSeconds: step.deadlineSeconds }),
    ...(step.arm !== undefined && { arm: step.arm }),
  };
}

export const asWorkflow = (broadcast: Broadcast): Workflow => ({
  _id: unsavedId,
  workflowId,
  versionId: broadcast.updatedAt,
  slug: workflowId,
  name: broadcast.name,
  createdAt: broadcast.createdAt,
  updatedAt: broadcast.updatedAt,
  steps: (broadcast.content.steps ?? []).map(toStep),
  origin: "tidings" as Workflow["origin"],
  preferences: {
    default: { all: { enabled: true, readOnly: false }, channels: {} } as Workflow["preferences"]["default"],
  },
  status: "ACTIVE",
  severity: "none",
  payloadExample: broadcast.content.payload ?? null,
});

export const stepsOf = (draft: Draft): StepIn[] => draft.steps.map(({ key: _key, _id, ...step }) => step as StepIn);
