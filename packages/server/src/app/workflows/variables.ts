// JSON Schemas of the variables that templates may use: shown as `variables` of steps and layouts, and checked for issues.
import { resultStatuses, type StepType } from "@tidings/contract";
import type { JsonObject } from "../../lib/json.ts";
import type { StoredStep, WorkflowRow } from "../../store/workflows/workflows.ts";

const text = { type: "string" };
const number = { type: "number" };
const flag = { type: "boolean" };
const open = { type: "object", additionalProperties: true };

const closed = (properties: JsonObject): JsonObject => ({ type: "object", additionalProperties: false, properties });

const person = closed({
  ...Object.fromEntries(
    ["subscriberId", "firstName", "lastName", "email", "phone", "avatar", "locale", "timezone", "lastOnlineAt"].map(
      (name) => [name, text],
    ),
  ),
  isOnline: flag,
  data: open,
});

/** The roots that are the same in every template. */
const commonRoots = {
  subscriber: person,
  actor: person,
  workflow: closed({
    workflowId: text,
    name: text,
    description: text,
    severity: text,
    tags: { type: "array", items: text },
  }),
  tenant: closed({ identifier: text, name: text, data: open }),
  context: { type: "object", additionalProperties: closed({ id: text, data: open }) },
};

/** The result of every channel step for later steps; pipeline/rules/step-results.ts sets it. */
const delivery = { status: { type: "string", enum: [...resultStatuses] }, sentAt: text };

const outputs: Record<StepType, (step: StoredStep, payload: JsonObject) => JsonObject> = {
  digest: (_step, payload) =>
    closed({
      eventCount: number,
      countSummary: text,
      sentenceSummary: text,
      events: { type: "array", items: closed({ id: text, time: text, payload }) },
    }),
  in_app: () => closed({ ...delivery, seen: flag, read: flag, lastSeenDate: text, lastReadDate: text }),
  email: () => closed(delivery),
  sms: () => closed(delivery),
  chat: () => closed(delivery),
  push: () => closed(delivery),
  throttle: () => closed({ throttled: flag, executionCount: number, threshold: number, throttledUntil: text }),
  custom: (step) => {
    const values = (step.controlValues.custom ?? {}) as JsonObject;
    return closed(Object.fromEntries(Object.keys(values).map((name) => [name, {}])));
  },
  delay: () => closed({}),
};

/** For the templates of the step at this position: they may use the results of earlier steps only. */
export function stepVariables(
  row: Pick<WorkflowRow, "steps" | "payload_schema" | "is_translation_enabled">,
  index: number,
): JsonObject {
  const payload = row.payload_schema ?? open;
  const earlier = row.steps.slice(0, index);
  return closed({
    ...commonRoots,
    payload,
    ...(row.is_translation_enabled && { t: open }),
    steps: closed(Object.fromEntries(earlier.map((step) => [step.stepId, outputs[step.type](step, payload)]))),
  });
}

/** A layout is used by many workflows, so payload and step results may have any members. */
export const layoutVariables = (layout: { is_translation_enabled: boolean }): JsonObject =>
  closed({
    ...commonRoots,
    content: { type: "string", description: "The email's own content, as html" },
    payload: open,
    ...(layout.is_translation_enabled && { t: open }),
    steps: open,
  });
