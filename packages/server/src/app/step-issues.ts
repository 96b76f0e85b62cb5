// What is wrong with the content of a step or layout: stored all the same, and told in `issues`. Computed whenever a
// workflow is read, so that adding an integration or a variable clears them.
import { type ContentIssue, channels, type StepIssues, type StepType } from "@tidings/contract";
import { checkTemplate, RenderFault, type RenderTarget } from "../pipeline/render/liquid.ts";
import { readWait } from "../pipeline/rules/waits.ts";
import { branchOf } from "./step-controls.ts";
import { filterFaults } from "./template-filters.ts";
import { unknownNames } from "./template-names.ts";

type JsonObject = Record<string, unknown>;
type Issues = Record<string, ContentIssue[]>;

/** What a step of a workflow is judged by. */
export type IssueFacts = { activeChannels: ReadonlySet<string>; isInboxConnected: boolean; maxWaitDays: number };

const isMissing = (value: unknown): boolean => value === undefined || value === null || value === "";

export function stepIssues(
  step: { type: StepType; controlValues: JsonObject },
  variables: JsonObject,
  facts: IssueFacts,
): StepIssues | undefined {
  const controls = controlIssues(step, variables, facts.maxWaitDays);
  const integration = integrationIssues(step.type, facts);
  const issues: StepIssues = {};
  if (Object.keys(controls).length > 0) issues.controls = controls;
  if (integration) issues.integration = integration;
  return Object.keys(issues).length > 0 ? issues : undefined;
}

function integrationIssues(type: StepType, facts: IssueFacts): StepIssues["integration"] {
  if (!(channels as readonly string[]).includes(type)) return undefined;
  if (!facts.activeChannels.has(type)) {
    const message = `No active integration for the ${type} channel`;
    return { [type]: [{ issueType: "MISSING_INTEGRATION", message }] };
  }
  if (type === "in_app" && !facts.isInboxConnected) {
    const message = "No inbox has asked this environment for its notifications yet";
    return { [type]: [{ issueType: "INBOX_NOT_CONNECTED", message }] };
  }
  return undefined;
}

const htmlControls = new Set(["in_app.body", "email.body"]);

function controlIssues(
  { type, controlValues: values }: { type: StepType; controlValues: JsonObject },
  variables: JsonObject,
  maxWaitDays: number,
): Issues {
  const issues: Issues = {};
  const { required, properties } = branchOf(type, values);
  for (const name of required) {
    if (isMissing(values[name])) add(issues, name, "MISSING_VALUE", `${name} is required`);
  }
  if (type === "in_app" && isMissing(values.subject) && isMissing(values.body)) {
    add(issues, "body", "MISSING_VALUE", "Either a subject or a body is required");
  }
  const windows: Record<string, unknown> = { amount: values, lookBackWindow: values.lookBackWindow };
  for (const [path, window] of Object.entries(windows)) {
    if (!properties[path]) continue;
    const wait = readWait((window ?? {}) as JsonObject, new Date(0), maxWaitDays);
    if ("fault" in wait && wait.fault === "too_long") {
      add(issues, path, "TIER_LIMIT_EXCEEDED", `The wait is longer than the allowed ${maxWaitDays} days`);
    }
  }
  for (const [path, template] of templatesIn(values)) {
    templateIssues(issues, path, template, htmlControls.has(`${type}.${path}`) ? "html" : "text", variables);
  }
  return issues;
}

/** Adds what is wrong with one template: syntax, filters, names it may not use. Answers whether it parses. */
export function templateIssues(
  issues: Issues,
  path: string,
  template: string,
  target: RenderTarget,
  variables: JsonObject,
): boolean {
  try {
    checkTemplate(template, target);
  } catch (error) {
    if (!(error instanceof RenderFault)) throw error;
    const isFilter = /^undefined filter/.test(error.message);
    const place = error.position ? ` (${error.position})` : "";
    const issueType = isFilter ? "INVALID_FILTER_ARG_IN_VARIABLE" : "ILLEGAL_VARIABLE_IN_CONTROL_VALUE";
    add(issues, path, issueType, `${error.message}${place}`);
    return false;
  }
  for (const message of filterFaults(template)) add(issues, path, "INVALID_FILTER_ARG_IN_VARIABLE", message);
  for (const name of unknownNames(template, variables)) {
    add(issues, path, "ILLEGAL_VARIABLE_IN_CONTROL_VALUE", `${name} is not a variable that can be used here`, name);
  }
  return true;
}

export function add(
  issues: Issues,
  path: string,
  issueType: ContentIssue["issueType"],
  message: string,
  variableName?: string,
): void {
  issues[path] ??= [];
  issues[path].push(variableName === undefined ? { issueType, message } : { issueType, message, variableName });
}

/** Every text in the values, with its dotted path. */
function* templatesIn(value: unknown, path = ""): Generator<[string, string]> {
  if (typeof value === "string") yield [path, value];
  else if (value !== null && typeof value === "object") {
    for (const [key, member] of Object.entries(value)) yield* templatesIn(member, path ? `${path}.${key}` : key);
  }
}
