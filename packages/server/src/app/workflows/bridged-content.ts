// What can be changed of a workflow that is defined in code: control values of its steps, whether it is active, and how
// the service treats it. All else is decided by the code.
import type { StepIn } from "@tidings/contract";
import { failure, invalid } from "../../failure.ts";
import { canonicalJson, jsonBytes } from "../../lib/json.ts";
import type { StoredStep, WorkflowContent, WorkflowRow } from "../../store/workflows/workflows.ts";

const maxControlBytes = 512 * 1024;

const decidedByCode = {
  workflow_id: "workflowId",
  name: "name",
  description: "description",
  tags: "tags",
  severity: "severity",
  payload_schema: "payloadSchema",
  preferences_default: "preferences.workflow",
  origin: "origin",
} as const satisfies Partial<Record<keyof WorkflowContent, string>>;

export function refuseChangeOfCode(row: WorkflowRow, next: WorkflowContent): void {
  if (row.bridge_url === null) return;
  const names: string[] = Object.entries(decidedByCode).flatMap(([column, name]) => {
    const key = column as keyof typeof decidedByCode;
    return canonicalJson(row[key]) === canonicalJson(next[key]) ? [] : name;
  });
  const shapeOf = (steps: StoredStep[]) =>
    canonicalJson(steps.map(({ controlValues, shouldStopOnFail, deadlineSeconds, ...rest }) => rest));
  if (shapeOf(row.steps) !== shapeOf(next.steps)) names.push("steps");
  if (names.length > 0) throw failure("WORKFLOW_IN_CODE", { workflowId: row.workflow_id, fields: names.join(", ") });
}

/** The stored steps with the control values of the request, which has to name the same steps in the same order. */
export function readBridgedSteps(row: WorkflowRow, given: StepIn[]): StoredStep[] {
  const isSame = (step: StepIn, stored: StoredStep | undefined) =>
    stored !== undefined &&
    step.type === stored.type &&
    step.name === stored.name &&
    step.arm === stored.arm &&
    (step.active ?? true) === stored.active &&
    (step._id === stored.id || step.stepId === stored.stepId);
  if (given.length !== row.steps.length || !given.every((step, index) => isSame(step, row.steps[index]))) {
    throw failure("WORKFLOW_IN_CODE", { workflowId: row.workflow_id, fields: "steps" });
  }
  return row.steps.map((stored, index) => {
    const { controlValues = stored.controlValues, shouldStopOnFail = stored.shouldStopOnFail, ...step } = given[index]!;
    if (jsonBytes(controlValues) > maxControlBytes) {
      const field = `steps.${index}.controlValues`;
      throw invalid({ [field]: { messages: [`${field} must not be larger than ${maxControlBytes} bytes of JSON`] } });
    }
    const { deadlineSeconds: _, ...rest } = stored;
    const deadline = step.deadlineSeconds === undefined ? {} : { deadlineSeconds: step.deadlineSeconds };
    return { ...rest, controlValues, shouldStopOnFail, ...deadline };
  });
}
