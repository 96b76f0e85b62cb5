// The response of a bridge to `discover`, read into workflows that can be stored. One error refuses the whole response:
// a sync changes all workflows of the bridge or none.
import {
  type Channel,
  channels,
  identifiers,
  maxBridgedWorkflows,
  type Severity,
  type StepType,
  severities,
  stepTypes,
  type WorkflowPreference,
} from "@tidings/contract";
import { isObject, type JsonObject } from "../../lib/json.ts";
import { payloadSchemaFault } from "./payload-schema.ts";

type DiscoveredStep = { stepId: string; type: StepType; controlSchema: JsonObject };

export type DiscoveredWorkflow = {
  workflowId: string;
  name: string;
  description: string | null;
  tags: string[];
  severity: Severity;
  payloadSchema: JsonObject | null;
  preferences: WorkflowPreference;
  steps: DiscoveredStep[];
};

/** Why a response cannot be used, worded to follow "cannot be read: ". */
export class DiscoveryError extends Error {}

const identifierPattern = new RegExp(identifiers.workflowId.pattern);
const isIdentifier = (value: unknown): value is string =>
  typeof value === "string" && value.length <= identifiers.workflowId.maxLength && identifierPattern.test(value);

const shown = (value: unknown): string => JSON.stringify(value)?.slice(0, 100) ?? "nothing";

/** Throws DiscoveryError. */
export function readDiscovery(body: JsonObject): DiscoveredWorkflow[] {
  const { workflows } = body;
  if (!Array.isArray(workflows)) throw new DiscoveryError("its response has no list of workflows");
  if (workflows.length > maxBridgedWorkflows) {
    throw new DiscoveryError(`it has ${workflows.length} workflows, and at most ${maxBridgedWorkflows} can be synced`);
  }
  const found = workflows.map(readWorkflow);
  refuseDuplicates(
    found.map(({ workflowId }) => workflowId),
    "workflows",
  );
  return found;
}

function refuseDuplicates(ids: string[], what: string): void {
  const twice = ids.find((id, index) => ids.indexOf(id) !== index);
  if (twice !== undefined) throw new DiscoveryError(`two of its ${what} have the id ${shown(twice)}`);
}

function readWorkflow(given: unknown): DiscoveredWorkflow {
  if (!isObject(given) || !isIdentifier(given.workflowId)) {
    const id = isObject(given) ? given.workflowId : given;
    throw new DiscoveryError(
      `a workflow has the id ${shown(id)}: letters, digits and single - _ . between them are allowed, up to ${identifiers.workflowId.maxLength}`,
    );
  }
  const { workflowId, name, description, tags, severity, payload, preferences, steps } = given;
  const refuse = (reason: string) => new DiscoveryError(`workflow ${workflowId}: ${reason}`);
  if (!Array.isArray(steps) || steps.length > maxSteps) throw refuse(`steps must be a list of at most ${maxSteps}`);
  const read = steps.map((step) => readStep(step, refuse));
  refuseDuplicates(
    read.map(({ stepId }) => stepId),
    `steps of workflow ${workflowId}`,
  );
  const schema = isObject(payload) && isObject(payload.schema) ? payload.schema : null;
  const schemaFault = schema && payloadSchemaFault(schema);
  if (schemaFault) throw refuse(`its payload schema is not a valid JSON Schema: ${schemaFault}`);
  return {
    workflowId,
    name: readText(name, 128) || workflowId,
    description: readText(description, 1_000) || null,
    tags: readTags(tags, refuse),
    severity: severities.find((one) => one === severity) ?? "none",
    payloadSchema: schema && isObject(schema.properties) && Object.keys(schema.properties).length > 0 ? schema : null,
    preferences: readPreferences(preferences),
    steps: read,
  };
}

const maxSteps = 20;
const maxSchemaLength = 200_000;

const readText = (value: unknown, maxLength: number): string =>
  typeof value === "string" ? value.trim().slice(0, maxLength).toWellFormed() : "";

function readTags(given: unknown, refuse: (reason: string) => DiscoveryError): string[] {
  if (given === undefined || given === null) return [];
  if (!Array.isArray(given) || given.length > 16) throw refuse("tags must be a list of at most 16");
  const tags = given.map((tag) => readText(tag, 64));
  if (tags.some((tag) => tag === "")) throw refuse("tags must be texts of 1 to 64 characters");
  return [...new Set(tags)];
}

/** The framework has no steps that steer a run or reach out: code does the same with an `if` or a call. */
const codeTypes = new Set<StepType>([...channels, "digest", "delay", "throttle", "custom"]);

function readStep(given: unknown, refuse: (reason: string) => DiscoveryError): DiscoveredStep {
  if (!isObject(given) || !isIdentifier(given.stepId)) {
    throw refuse(`a step has the id ${shown(isObject(given) ? given.stepId : given)}, which is not an identifier`);
  }
  const { stepId, controls } = given;
  const type = stepTypes.find((one) => one === given.type);
  if (!type) throw refuse(`step ${stepId} has the type ${shown(given.type)}, which Tidings does not have`);
  if (!codeTypes.has(type))
    throw refuse(
      `step ${stepId} has the type ${shown(type)}, which workflows in code cannot have: the code does the same`,
    );
  const schema = isObject(controls) && isObject(controls.schema) ? controls.schema : { type: "object", properties: {} };
  if (JSON.stringify(schema).length > maxSchemaLength)
    throw refuse(`the control schema of step ${stepId} is too large`);
  return { stepId, type, controlSchema: schema };
}

/** The framework leaves out what its code does not set. */
function readPreferences(given: unknown): WorkflowPreference {
  const { all, channels: byChannel } = isObject(given) ? given : {};
  const { enabled = true, readOnly = false } = isObject(all) ? all : {};
  const own: Partial<Record<Channel, { enabled: boolean }>> = {};
  for (const channel of channels) {
    const one = isObject(byChannel) ? (byChannel[channel] ?? byChannel[camelCase(channel)]) : undefined;
    if (isObject(one) && typeof one.enabled === "boolean") own[channel] = { enabled: one.enabled };
  }
  return { all: { enabled: enabled !== false, readOnly: readOnly === true }, channels: own };
}

const camelCase = (channel: string): string => channel.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
