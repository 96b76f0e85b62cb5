// A workflow as the API shows it: in full with its steps, schemas, variables and issues, as an item of the list, and as
// the reference that other records carry.
import {
  channels,
  type Output,
  type Step,
  stepDefinitions,
  type Workflow,
  type WorkflowPreference,
  type WorkflowRef,
} from "@tidings/contract";
import { slug } from "../../lib/ids.ts";
import { isObject, type JsonObject } from "../../lib/json.ts";
import { isCritical } from "../../pipeline/rules/preferences.ts";
import type { WorkflowRefRow } from "../../store/workflows/workflow-refs.ts";
import type { ListedWorkflow, StoredStep, WorkflowRow } from "../../store/workflows/workflows.ts";
import { bridgedStepIssues, hasErrors, type IssueFacts, stepIssues } from "./issues/step-issues.ts";
import { defaultFaults } from "./payload-schema.ts";
import { stepVariables } from "./variables.ts";

type WorkflowSummary = Output<"workflows.list">["workflows"][number];

/** What the view of a workflow depends on in addition to the workflow itself. */
export type ViewFacts = IssueFacts & { lastTriggeredAt: Date | null };

export type IssuedWorkflow = Pick<WorkflowRow, "steps" | "bridge_url" | "payload_schema" | "is_translation_enabled"> &
  Partial<Pick<WorkflowRow, "workflow_id">>;

/** The issues of each step, in the order of the steps. */
export async function issuesOf(row: IssuedWorkflow, facts: IssueFacts): Promise<Step["issues"][]> {
  const all: Step["issues"][] = [];
  for (const [index, step] of row.steps.entries()) {
    const isBridged = row.bridge_url !== null;
    const checked = { ...step, workflowId: row.workflow_id };
    all.push(
      isBridged
        ? bridgedStepIssues(step, facts)
        : await stepIssues(checked, stepVariables(row, index, facts.env), facts),
    );
  }
  return all;
}

export function statusOf(row: WorkflowRow, issues: Step["issues"][]): Workflow["status"] {
  if (!row.active) return "INACTIVE";
  return issues.some((each) => hasErrors(each ?? {})) ? "ERROR" : "ACTIVE";
}

export async function toWorkflow(row: WorkflowRow, facts: ViewFacts): Promise<Workflow> {
  const issues = await issuesOf(row, facts);
  return withIssues(row, facts, issues);
}

/** By the place in the payload schema. */
function schemaFaults({ payload_schema: schema, search_keys: keys }: WorkflowRow): (readonly [string, string])[] {
  if (!schema) return [];
  return [
    ...defaultFaults(schema).map(({ path, message }) => [`payloadSchema.${path}`, message] as const),
    ...keys.flatMap((key, index) =>
      isInSchema(schema, key) ? [] : [[`searchKeys.${index}`, `${key} is not in the payload schema`] as const],
    ),
  ];
}

const commercialFaults = (row: WorkflowRow): (readonly [string, string])[] =>
  row.is_commercial && isCritical(workflowLevels(row))
    ? [["isCommercial", "A critical workflow cannot be unsubscribed from: a commercial one has to be"]]
    : [];

/** Warnings about the settings, by field. */
function settingIssues(row: WorkflowRow): Workflow["issues"] {
  const faults = [...schemaFaults(row), ...commercialFaults(row)];
  if (faults.length === 0) return undefined;
  return Object.fromEntries(
    faults.map(([field, message]) => [
      field,
      { issueType: "ILLEGAL_VARIABLE_IN_CONTROL_VALUE", message, severity: "warning" },
    ]),
  );
}

/** Only where the members of an object are listed can it be said that one is missing. */
function isInSchema(schema: JsonObject, path: string): boolean {
  let part: unknown = schema;
  for (const name of path.split(".")) {
    if (!isObject(part) || !isObject(part.properties)) return true;
    if (!Object.hasOwn(part.properties, name)) return false;
    part = part.properties[name];
  }
  return true;
}

const withIssues = (row: WorkflowRow, facts: ViewFacts, issues: Step["issues"][]): Workflow => ({
  _id: row.id,
  workflowId: row.workflow_id,
  versionId: row.version_id,
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
  steps: row.steps.map((_step, index) => toStep(row, index, issues[index], facts.env)),
  issues: settingIssues(row),
  origin: row.origin,
  preferences: {
    user: row.preferences_user && completePreference(row.preferences_user),
    default: completePreference(row.preferences_default),
  },
  status: statusOf(row, issues),
  lastTriggeredAt: facts.lastTriggeredAt?.toISOString() ?? null,
  payloadExample: payloadExampleOf(row),
  severity: row.severity,
  outsideSchedule: row.outside_schedule,
  onUnknownOutcome: row.on_unknown_outcome,
  searchKeys: row.search_keys,
  objectives: row.objectives ?? {},
  categoryId: row.category_id ?? undefined,
  isCommercial: row.is_commercial || undefined,
  messageClass: row.message_class,
  priority: row.priority,
});

export const toListedWorkflow = (row: ListedWorkflow, issues: Step["issues"][]): WorkflowSummary => ({
  _id: row.id,
  workflowId: row.workflow_id,
  slug: slug(row.name, "wf", row.id),
  name: row.name,
  tags: row.tags,
  createdAt: row.created_at.toISOString(),
  updatedAt: row.updated_at.toISOString(),
  status: statusOf(row, issues),
  origin: row.origin,
  lastTriggeredAt: row.last_triggered_at?.toISOString() ?? null,
  stepTypeOverviews: row.steps.map((step) => step.type),
  isTranslationEnabled: row.is_translation_enabled,
  steps: row.steps.map((step, index) => ({
    slug: slug(step.name, "st", step.id),
    type: step.type,
    issues: issues[index],
  })),
});

/** The workflow's own levels of preferences. */
export const workflowLevels = (row: Pick<WorkflowRefRow, "preferences_user" | "preferences_default">) => ({
  user: row.preferences_user,
  default: row.preferences_default,
});

export const toWorkflowRef = (row: WorkflowRefRow): WorkflowRef => ({
  id: row.id,
  identifier: row.workflow_id,
  name: row.name,
  critical: isCritical(workflowLevels(row)),
  tags: row.tags,
  severity: row.severity,
});

export function toStep(row: WorkflowRow, index: number, issues: Step["issues"], env: IssueFacts["env"]): Step {
  const step = row.steps[index]!;
  return {
    _id: step.id,
    stepId: step.stepId,
    name: step.name,
    slug: slug(step.name, "st", step.id),
    type: step.type,
    origin: row.origin,
    workflowId: row.workflow_id,
    workflowDatabaseId: row.id,
    controls: {
      dataSchema: step.controlSchema ?? stepDefinitions[step.type].controls,
      uiSchema: step.controlSchema ? undefined : stepDefinitions[step.type].ui,
      values: shownValues(step),
    },
    controlValues: shownValues(step),
    variables: stepVariables(row, index, env),
    issues,
    filters: step.filters,
    active: step.active,
    shouldStopOnFail: step.shouldStopOnFail,
    deadlineSeconds: step.deadlineSeconds,
    arm: step.arm,
  };
}

/** The contract requires subject and body of an email in responses: a missing one is an issue, and shown as empty. */
const shownValues = ({ type, controlValues, controlSchema }: StoredStep): StoredStep["controlValues"] =>
  type === "email" && !controlSchema ? { subject: "", body: "", ...controlValues } : controlValues;

/** Every member that the contract requires in responses, with its default. */
/** With every channel named, as shown. */
export const completePreference = (preference: WorkflowPreference): WorkflowPreference => ({
  all: { enabled: preference.all?.enabled ?? true, readOnly: preference.all?.readOnly ?? false },
  channels: Object.fromEntries(
    channels.map((channel) => [
      channel,
      { enabled: preference.channels?.[channel]?.enabled ?? preference.all?.enabled ?? true },
    ]),
  ),
});

/** Null when the schema describes something other than an object: a payload always is one. */
function payloadExampleOf(row: WorkflowRow): JsonObject | null {
  const example = row.payload_schema && exampleOf(row.payload_schema);
  return isObject(example) ? example : null;
}

/**
 * A value that fits a JSON Schema, for documentation: its default or example if it has one, else a value of its type.
 */
function exampleOf(schema: JsonObject, depth = 0): unknown {
  if (schema.default !== undefined) return schema.default;
  if (Array.isArray(schema.examples) && schema.examples.length > 0) return schema.examples[0];
  if (Array.isArray(schema.enum)) return schema.enum[0];
  if (schema.const !== undefined) return schema.const;
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  if (depth > 8) return null;
  if (type === "object" || schema.properties) {
    const properties = (schema.properties ?? {}) as Record<string, JsonObject>;
    return Object.fromEntries(Object.entries(properties).map(([name, member]) => [name, exampleOf(member, depth + 1)]));
  }
  if (type === "array") return schema.items ? [exampleOf(schema.items as JsonObject, depth + 1)] : [];
  if (type === "number" || type === "integer") return schema.minimum ?? 1;
  if (type === "boolean") return true;
  return type === "null" ? null : "text";
}
