// A workflow as the interface shows it: steps with their schemas, variables and issues, status, preferences.
import {
  channels,
  type Step,
  stepControlSchemas,
  stepUiSchemas,
  type Workflow,
  type WorkflowPreference,
} from "@tidings/contract";
import { slug } from "../../lib/ids.ts";
import { isObject } from "../../lib/json.ts";
import type { Pauses } from "../../lib/pauses.ts";
import type { StoredStep, WorkflowRow } from "../../store/workflows/workflows.ts";
import { hasErrors, type IssueFacts, stepIssues } from "./step-issues.ts";
import { stepVariables } from "./variables.ts";

/** What the answer depends on beside the workflow itself. */
export type ViewFacts = IssueFacts & { lastTriggeredAt: Date | null };

/** The issues of every step, in their order. */
export async function issuesOf(row: WorkflowRow, facts: ViewFacts, pauses: Pauses): Promise<Step["issues"][]> {
  const all: Step["issues"][] = [];
  for (const [index, step] of row.steps.entries()) {
    all.push(await stepIssues(step, stepVariables(row, index), facts, pauses));
  }
  return all;
}

export function statusOf(row: WorkflowRow, issues: Step["issues"][]): Workflow["status"] {
  if (!row.active) return "INACTIVE";
  return issues.some((each) => hasErrors(each ?? {})) ? "ERROR" : "ACTIVE";
}

export async function toWorkflow(row: WorkflowRow, facts: ViewFacts, pauses: Pauses): Promise<Workflow> {
  const issues = await issuesOf(row, facts, pauses);
  return withIssues(row, facts, issues);
}

const withIssues = (row: WorkflowRow, facts: ViewFacts, issues: Step["issues"][]): Workflow => ({
  _id: row.id,
  workflowId: row.workflow_id,
  slug: slug(row.name, "wf", row.id),
  name: row.name,
  description: row.description ?? undefined,
  tags: row.tags,
  active: row.active,
  validatePayload: row.validate_payload,
  payloadSchema: row.payload_schema,
  isTranslationEnabled: row.is_translation_enabled,
  createdAt: row.created_at.toISOString(),
  updatedAt: row.updated_at.toISOString(),
  updatedBy: row.updated_by ? { _id: row.updated_by } : undefined,
  lastPublishedAt: row.last_published_at?.toISOString() ?? null,
  lastPublishedBy: row.last_published_by ? { _id: row.last_published_by } : undefined,
  steps: row.steps.map((step, index) => toStep(row, step, index, issues[index])),
  origin: row.origin,
  preferences: {
    user: row.preferences_user && complete(row.preferences_user),
    default: complete(row.preferences_default),
  },
  status: statusOf(row, issues),
  lastTriggeredAt: facts.lastTriggeredAt?.toISOString() ?? null,
  payloadExample: payloadExampleOf(row),
  severity: row.severity,
  outsideSchedule: row.outside_schedule,
  onUnknownOutcome: row.on_unknown_outcome,
});

export const toStep = (row: WorkflowRow, step: StoredStep, index: number, issues: Step["issues"]): Step => ({
  _id: step.id,
  stepId: step.stepId,
  name: step.name,
  slug: slug(step.name, "st", step.id),
  type: step.type,
  origin: row.origin,
  workflowId: row.workflow_id,
  workflowDatabaseId: row.id,
  controls: {
    dataSchema: stepControlSchemas[step.type],
    uiSchema: stepUiSchemas[step.type],
    values: shownValues(step),
  },
  controlValues: shownValues(step),
  variables: stepVariables(row, index),
  issues,
  filters: step.filters,
  active: step.active,
  shouldStopOnFail: step.shouldStopOnFail,
  deadlineSeconds: step.deadlineSeconds,
});

/** The contract requires both texts of an email in answers; a missing one is an issue and reads as empty. */
const shownValues = ({ type, controlValues }: StoredStep): StoredStep["controlValues"] =>
  type === "email" ? { subject: "", body: "", ...controlValues } : controlValues;

/** In answers every member is present. */
const complete = (preference: WorkflowPreference): WorkflowPreference => ({
  all: { enabled: preference.all?.enabled ?? true, readOnly: preference.all?.readOnly ?? false },
  channels: Object.fromEntries(
    channels.map((channel) => [
      channel,
      { enabled: preference.channels?.[channel]?.enabled ?? preference.all?.enabled ?? true },
    ]),
  ),
});

/** A payload is an object whatever its schema says about other kinds of values. */
function payloadExampleOf(row: WorkflowRow): Record<string, unknown> | null {
  const example = row.payload_schema && exampleOf(row.payload_schema);
  return isObject(example) ? example : null;
}

/** A value that fits a JSON Schema, for documentation: defaults and examples first, then something of the right type. */
function exampleOf(schema: Record<string, unknown>, depth = 0): unknown {
  if (schema.default !== undefined) return schema.default;
  if (Array.isArray(schema.examples) && schema.examples.length > 0) return schema.examples[0];
  if (Array.isArray(schema.enum)) return schema.enum[0];
  if (schema.const !== undefined) return schema.const;
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  if (depth > 8) return null;
  if (type === "object" || schema.properties) {
    const properties = (schema.properties ?? {}) as Record<string, Record<string, unknown>>;
    return Object.fromEntries(Object.entries(properties).map(([name, member]) => [name, exampleOf(member, depth + 1)]));
  }
  if (type === "array") return schema.items ? [exampleOf(schema.items as Record<string, unknown>, depth + 1)] : [];
  if (type === "number" || type === "integer") return schema.minimum ?? 1;
  if (type === "boolean") return true;
  return type === "null" ? null : "text";
}
