// Issues: errors in the content of a step or layout that do not prevent saving. They are computed whenever a workflow
// is read, so that adding an integration or a variable clears them.
import { type ContentIssue, channels, type StepIssues, type StepType } from "@tidings/contract";
import { isObject, type JsonObject } from "../../../lib/json.ts";
import { pauseIfDue } from "../../../lib/load/pauses.ts";
import { blockTemplate, isBlockBody } from "../../../pipeline/render/blocks.ts";
import { type Candidate, chooseLayout } from "../../../pipeline/render/layout.ts";
import { checkTemplate, RenderError, type RenderTarget } from "../../../pipeline/render/liquid.ts";
import { isSafeUrl } from "../../../pipeline/render/safe-urls.ts";
import { maySeeSecrets } from "../../../pipeline/requests/secret-controls.ts";
import { invalidMailFields } from "../../../pipeline/rules/override-fields.ts";
import type { VariableNames } from "../../../store/environments/variables.ts";
import { branchOf } from "../step-controls.ts";
import { audienceIssues } from "./audience-issues.ts";
import { type StartGraph, startedWorkflowIssues } from "./effect-issues.ts";
import { ruleIssues, type WaitFacts } from "./step-rule-issues.ts";
import { filterFaults } from "./template-filters.ts";
import { unknownNames, unknownText } from "./template-names.ts";

type Issues = Record<string, ContentIssue[]>;

/** What the issues of a step depend on in addition to its workflow. */
export type IssueFacts = WaitFacts & {
  activeChannels: ReadonlySet<string>;
  isInboxConnected: boolean;
  layouts: readonly Candidate[];
  /** Read only for a step that starts a workflow; null where the workflows are not known. */
  findStarts: () => Promise<StartGraph | null>;
  /** Ids of audiences. Read only for a condition that names one; null where the audiences are not known. */
  findAudiences: () => Promise<ReadonlySet<string> | null>;
  /** Null: which variables the environment has is not known. */
  env: VariableNames | null;
};

const isMissing = (value: unknown): boolean => value === undefined || value === null || value === "";

/** `workflowId`: of the workflow that the step belongs to, where it has one. */
type CheckedStep = { stepId: string; type: StepType; controlValues: JsonObject; workflowId?: string };

/** Parsing templates takes time, with pauses in between. */
export async function stepIssues(
  step: CheckedStep,
  variables: JsonObject,
  facts: IssueFacts,
): Promise<StepIssues | undefined> {
  const controls = await controlIssues(step, variables, facts);
  const integration = integrationIssues(step.type, facts);
  const issues: StepIssues = {};
  if (Object.keys(controls).length > 0) issues.controls = controls;
  if (integration) issues.integration = integration;
  return Object.keys(issues).length > 0 ? issues : undefined;
}

/** The content of a step of a bridge is in the code: only what it needs here is checked. */
export function bridgedStepIssues({ type }: CheckedStep, facts: IssueFacts): StepIssues | undefined {
  const integration = integrationIssues(type, facts);
  return integration && { integration };
}

function integrationIssues(type: StepType, facts: IssueFacts): StepIssues["integration"] {
  if (!(channels as readonly string[]).includes(type)) return undefined;
  if (!facts.activeChannels.has(type)) {
    const message = `No active integration for the ${type} channel`;
    return { [type]: [{ issueType: "MISSING_INTEGRATION", message, severity: "error" }] };
  }
  if (type === "in_app" && !facts.isInboxConnected) {
    const message = "No inbox has asked this environment for its notifications yet";
    // A warning, not an error: messages are stored, and shown once an inbox reads the feed.
    return { [type]: [{ issueType: "INBOX_NOT_CONNECTED", message, severity: "warning" }] };
  }
  return undefined;
}

/** Whether one of the issues is an error, and not just a warning. */
export const hasErrors = ({ controls = {}, integration = {} }: StepIssues): boolean =>
  [...Object.values(controls), ...Object.values(integration)].flat().some(({ severity }) => severity === "error");

async function controlIssues(step: CheckedStep, variables: JsonObject, facts: IssueFacts): Promise<Issues> {
  const { type, controlValues: values } = step;
  const issues: Issues = {};
  const { properties, required } = branchOf(type, values);
  for (const name of required) {
    if (isMissing(values[name])) addIssue(issues, name, "MISSING_VALUE", `${name} is required`);
  }
  if (type === "in_app" && isMissing(values.subject) && isMissing(values.body)) {
    addIssue(issues, "body", "MISSING_VALUE", "Either a subject or a body is required");
  }
  for (const { path, severity = "error", ...found } of ruleIssues(type, values, variables, facts)) {
    issues[path] = [...(issues[path] ?? []), { ...found, severity }];
  }
  const graph = type === "start_workflow" ? await facts.findStarts() : null;
  for (const { path, issueType, message } of graph ? startedWorkflowIssues(values, step.workflowId, graph) : []) {
    addIssue(issues, path, issueType, message);
  }
  for (const { path, issueType, message } of await audienceIssues(step, facts.findAudiences)) {
    addIssue(issues, path, issueType, message);
  }
  const choice = type === "email" ? chooseLayout(facts.layouts, step, null) : null;
  if (choice && "unknown" in choice) {
    const message = `Layout ${choice.unknown} does not exist in this environment`;
    addIssue(issues, "layoutId", "ILLEGAL_VARIABLE_IN_CONTROL_VALUE", message);
  }
  if (type === "email") {
    for (const [path, message] of invalidMailFields(values))
      addIssue(issues, path, "ILLEGAL_VARIABLE_IN_CONTROL_VALUE", message);
  }
  for (const path of invalidUrls({ properties }, values)) {
    const message = `${path} must be a web address, a path that begins with /, or a template`;
    addIssue(issues, path, "ILLEGAL_VARIABLE_IN_CONTROL_VALUE", message);
  }
  for (const [path, template] of templatesIn(values)) {
    // JSON that is not rendered.
    if (type === "http_request" && /^(?:responseBodySchema|sampleResponse)\b/.test(path)) continue;
    const target = type === "in_app" && path === "body" ? "html" : "text";
    if (type === "email" && path === "body") {
      await bodyIssues(issues, path, template, values.editorType, variables);
    } else {
      const options = { maySeeSecrets: maySeeSecrets(type, path) };
      await templateIssues(issues, path, template, target, variables, options);
    }
  }
  return issues;
}

/** Adds the issues of an HTML or block body. Returns its template, or null when the template does not parse. */
export async function bodyIssues(
  issues: Issues,
  path: string,
  body: string,
  editorType: unknown,
  variables: JsonObject,
): Promise<string | null> {
  if (!isBlockBody(editorType, body)) {
    return (await templateIssues(issues, path, body, "html", variables)) ? body : null;
  }
  try {
    const template = blockTemplate(body);
    const parses = await templateIssues(issues, path, template, "html", variables, { hasPosition: false });
    return parses ? template : null;
  } catch (error) {
    if (!(error instanceof RenderError)) throw error;
    addIssue(issues, path, "ILLEGAL_VARIABLE_IN_CONTROL_VALUE", error.message);
    return null;
  }
}

/** Adds the issues of one template: syntax, filters, unknown variables. Returns whether it parses. */
async function templateIssues(
  issues: Issues,
  path: string,
  template: string,
  target: RenderTarget,
  variables: JsonObject,
  { hasPosition = true, maySeeSecrets = false } = {},
): Promise<boolean> {
  await pauseIfDue();
  try {
    checkTemplate(template, target);
  } catch (error) {
    if (!(error instanceof RenderError)) throw error;
    const isFilter = /^undefined filter/.test(error.message);
    const position = error.position && hasPosition ? ` (${error.position})` : "";
    const issueType = isFilter ? "INVALID_FILTER_ARG_IN_VARIABLE" : "ILLEGAL_VARIABLE_IN_CONTROL_VALUE";
    addIssue(issues, path, issueType, `${error.message}${position}`);
    // A template with an unknown filter parses: its variables are reported at once, not after the filter was corrected.
    if (isFilter) addUnknownNames(issues, path, template, { variables, maySeeSecrets });
    return false;
  }
  await pauseIfDue();
  for (const message of filterFaults(template)) addIssue(issues, path, "INVALID_FILTER_ARG_IN_VARIABLE", message);
  await pauseIfDue();
  addUnknownNames(issues, path, template, { variables, maySeeSecrets });
  return true;
}

type Usable = { variables: JsonObject; maySeeSecrets: boolean };

function addUnknownNames(issues: Issues, path: string, template: string, { variables, maySeeSecrets }: Usable): void {
  for (const name of unknownNames(template, variables, { maySeeSecrets }))
    addIssue(issues, path, "ILLEGAL_VARIABLE_IN_CONTROL_VALUE", unknownText(name, variables), name);
}

export function addIssue(
  issues: Issues,
  path: string,
  issueType: ContentIssue["issueType"],
  message: string,
  variableName?: string,
): void {
  issues[path] ??= [];
  const issue = { issueType, message, severity: "error" as const };
  issues[path].push(variableName === undefined ? issue : { ...issue, variableName });
}

/**
 * Paths of the URLs that would be left out of a message. Controls that are URLs have a pattern in their schema. A URL
 * that begins with a template is not checked: its value is known only when the template is rendered.
 */
function* invalidUrls(schema: JsonObject, value: unknown, path = ""): Generator<string> {
  if (typeof value === "string" && schema.pattern !== undefined) {
    const text = value.trim();
    if (text !== "" && !/^\{[{%]/.test(text) && !isSafeUrl(text)) yield path;
  } else if (isObject(value)) {
    for (const [name, member] of Object.entries((schema.properties as JsonObject | undefined) ?? {})) {
      if (Object.hasOwn(value, name))
        yield* invalidUrls(member as JsonObject, value[name], path ? `${path}.${name}` : name);
    }
  }
}

/** Every string in the values, with its dotted path. */
export function* templatesIn(value: unknown, path = ""): Generator<[string, string]> {
  if (typeof value === "string") yield [path, value];
  else if (value !== null && typeof value === "object") {
    for (const [key, member] of Object.entries(value)) yield* templatesIn(member, path ? `${path}.${key}` : key);
  }
}
