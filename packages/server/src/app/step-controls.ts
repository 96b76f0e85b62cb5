// The control values of a step: what is refused when a workflow is saved (a value of the wrong JSON type), what is
// dropped (unknown members), and what is stored and told as an issue (missing texts, templates that do not parse).
import { type ContentIssue, type StepIn, stepControlSchemas } from "@tidings/contract";
import type { FieldFaults } from "../failure.ts";
import { checkTemplate, RenderFault } from "../pipeline/render/liquid.ts";
import { readWait } from "../pipeline/rules/waits.ts";
import type { StoredStep } from "../store/workflows.ts";
import { compileBody, faultsOf } from "../validation.ts";
import { unknownNames } from "./template-names.ts";

type JsonObject = Record<string, unknown>;
type StepType = StoredStep["type"];

/** The same schema without what makes a value incomplete rather than wrong. */
function relax(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(relax);
  if (schema === null || typeof schema !== "object") return schema;
  const { required, minLength, anyOf, additionalProperties, ...rest } = schema as JsonObject;
  return Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, relax(value)]));
}

const checks = Object.fromEntries(
  Object.entries(stepControlSchemas).map(([type, schema]) => [type, compileBody(relax(schema) as object)]),
) as Record<StepType, ReturnType<typeof compileBody>>;

/** Keeps the members the step type knows. Answers faults under their path in the request. */
export function readControlValues(step: StepIn, path: string): { values: JsonObject; faults: FieldFaults } {
  const known = Object.keys(stepControlSchemas[step.type].properties as JsonObject);
  const given = step.controlValues ?? {};
  const values = Object.fromEntries(
    known.filter((name) => given[name] !== undefined).map((name) => [name, given[name]]),
  );
  const check = checks[step.type];
  return { values, faults: check(values) ? {} : faultsOf(check.errors ?? [], path) };
}

const htmlControls = new Set(["in_app.body", "email.body"]);

/** `variables` is the JSON Schema of the names that the step's templates may use. */
export function contentIssues(
  step: StoredStep,
  variables: JsonObject,
  maxWaitDays: number,
): Record<string, ContentIssue[]> {
  const issues: Record<string, ContentIssue[]> = {};
  const add = (path: string, issueType: ContentIssue["issueType"], message: string, variableName?: string) => {
    issues[path] ??= [];
    issues[path].push({ issueType, message, variableName });
  };
  const { controlValues: values, type } = step;
  const isMissing = (name: string) => values[name] === undefined || values[name] === null || values[name] === "";

  for (const name of requiredControls(type)) {
    if (isMissing(name)) add(name, "MISSING_VALUE", `${name} is required`);
  }
  if (type === "in_app" && isMissing("subject") && isMissing("body")) {
    add("body", "MISSING_VALUE", "Either a subject or a body is required");
  }
  if (type === "delay" || type === "digest") {
    const wait = readWait(values, new Date(0), maxWaitDays);
    if ("fault" in wait && wait.fault === "too_long") {
      add("amount", "TIER_LIMIT_EXCEEDED", `The wait is longer than the allowed ${maxWaitDays} days`);
    }
  }
  for (const [path, template] of templatesIn(values)) {
    try {
      checkTemplate(template, htmlControls.has(`${type}.${path}`) ? "html" : "text");
      for (const name of unknownNames(template, variables)) {
        add(path, "ILLEGAL_VARIABLE_IN_CONTROL_VALUE", `${name} is not a variable of this step`, name);
      }
    } catch (error) {
      if (!(error instanceof RenderFault)) throw error;
      const isFilter = /^undefined filter/.test(error.message);
      const place = error.position ? ` (${error.position})` : "";
      add(
        path,
        isFilter ? "INVALID_FILTER_ARG_IN_VARIABLE" : "ILLEGAL_VARIABLE_IN_CONTROL_VALUE",
        `${error.message}${place}`,
      );
    }
  }
  return issues;
}

const requiredControls = (type: StepType): string[] =>
  (stepControlSchemas[type].required as string[] | undefined) ?? [];

/** Every text in the values, with its dotted path. */
function* templatesIn(value: unknown, path = ""): Generator<[string, string]> {
  if (typeof value === "string") yield [path, value];
  else if (value !== null && typeof value === "object") {
    for (const [key, member] of Object.entries(value)) yield* templatesIn(member, path ? `${path}.${key}` : key);
  }
}
