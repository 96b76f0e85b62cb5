// Conditions: the `skip` rule of a step, and those of the arms of a branch. JSON Logic whose texts may be templates. A
// truthy `skip` skips the step; no rule, or an empty one, lets it run. The rule and the values it read are stored with
// the response, so that the job shows what decided; both are bounded in size, because every job stores them.
import { audiencesVariable, variablePaths } from "@tidings/contract";
import { isTruthy, memberAt } from "../../lib/condition-operators.ts";
import { evaluate } from "../../lib/conditions.ts";
import { isObject, isWithinBytes, type JsonObject } from "../../lib/json.ts";
import { RenderError, renderDeep } from "../render/liquid.ts";

type Scope = JsonObject;

/**
 * `rule`: as evaluated, shorten when too long. `values`: the values that the rule read; when the step runs, only
 * results of earlier steps and audiences, because they change with time.
 */
export type SkipDecision = { isSkipped: boolean; rule: unknown; values: Scope } | { fault: string; rule: unknown };

/** `scope` is a function: without a rule it is never built. */
export function evaluateSkip(skip: unknown, scope: () => Scope): SkipDecision {
  if (!isObject(skip) || Object.keys(skip).length === 0) return { isSkipped: false, rule: {}, values: {} };
  const decision = evaluateCondition(skip, scope());
  return "fault" in decision ? decision : { isSkipped: decision.isTrue, rule: decision.rule, values: decision.values };
}

/** `values` of a condition that is not true: only results of earlier steps, and audiences. */
export type Decision = { isTrue: boolean; rule: unknown; values: Scope } | { fault: string; rule: unknown };

/** A condition that is missing or empty is not true. */
export function evaluateCondition(condition: unknown, data: Scope): Decision {
  if (!isObject(condition) || Object.keys(condition).length === 0) return { isTrue: false, rule: {}, values: {} };
  try {
    const rule = renderDeep(condition, data);
    const isTrue = isTruthy(evaluate(rule, data));
    const paths = [...variablePaths(rule)].filter((path) => isTrue || isPassing(path));
    return { isTrue, rule: storableRule(rule), values: valuesAt(paths, data) };
  } catch (error) {
    return { fault: faultText(error), rule: storableRule(condition) };
  }
}

const isPassing = (path: string): boolean => path.startsWith("steps.") || path === audiencesVariable;

/** The text of any error that a rule causes; the interpreter throws plain errors and sometimes bare values. */
function faultText(error: unknown): string {
  if (error instanceof RenderError) return [error.message, error.position].filter(Boolean).join(", ");
  const words = error instanceof Error ? error.message : "";
  return (words || "the rule cannot be evaluated").slice(0, 200).toWellFormed();
}

const maxValues = 20;
const maxValueLength = 200;

/** The values at these paths, shorten to fit into an execution detail. */
export function valuesAt(paths: Iterable<string>, scope: JsonObject): JsonObject {
  const values: JsonObject = {};
  for (const path of new Set(paths)) {
    if (Object.keys(values).length === maxValues) break;
    if (path.length > maxValueLength) continue;
    values[path] = shorten(memberAt(scope, path) ?? null);
  }
  return values;
}

function shorten(value: unknown): unknown {
  if (typeof value === "string") {
    return value.length <= maxValueLength ? value : `${value.slice(0, maxValueLength).toWellFormed()}…`;
  }
  if (isWithinBytes(value, maxValueLength)) return value;
  return Array.isArray(value) ? `a list of ${value.length}` : "an object";
}

/** A stored value that may have been shortened: it can be shown, but not compared. */
export const isShortened = (value: unknown): boolean =>
  typeof value === "string" && (value.length > maxValueLength || /^(?:a list of \d+|an object)$/.test(value));

const maxRuleBytes = 2_000;

/** A rule beyond this size is not stored with the job: it can be read in the workflow. */
export const storableRule = (rule: unknown): unknown => (isWithinBytes(rule, maxRuleBytes) ? rule : unstoredRule);

export const unstoredRule = "too long to be kept here";
