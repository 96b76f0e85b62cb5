// What is kept of a condition with its answer, so that a person can see why a step was skipped: the rule and the values
// it read, bounded, because every job stores them.
import { memberAt } from "../../lib/condition-operators.ts";
import { isObject, isWithinBytes } from "../../lib/json.ts";

const iterations = new Set(["map", "filter", "all", "some", "none", "reduce"]);

/**
 * Paths of the scope that a JSON Logic rule names in `var`, `missing` and `missing_some`; computed names are left out.
 * Inside an iteration a name belongs to the item at hand, so only the list that is iterated over counts there.
 */
export function* pathsRead(rule: unknown): Generator<string> {
  if (Array.isArray(rule)) for (const part of rule) yield* pathsRead(part);
  else if (isObject(rule)) {
    for (const [operator, args] of Object.entries(rule)) {
      const list = Array.isArray(args) ? args : [args];
      if (operator === "var") yield* constantNames(list.slice(0, 1));
      else if (operator === "missing") yield* constantNames(list.flat());
      else if (operator === "missing_some") yield* constantNames([list[1]].flat());
      if (iterations.has(operator)) yield* pathsRead([list[0], operator === "reduce" ? list[2] : undefined]);
      else yield* pathsRead(list);
    }
  }
}

const constantNames = (names: unknown[]): string[] =>
  names.filter((name): name is string => typeof name === "string" && name !== "");

const mostValues = 20;
const longestValue = 200;

/** The values at these paths, as far as they are short enough to be kept in an execution detail. */
export function valuesAt(paths: Iterable<string>, scope: Record<string, unknown>): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const path of new Set(paths)) {
    if (Object.keys(values).length === mostValues) break;
    if (path.length > longestValue) continue;
    values[path] = shortened(memberAt(scope, path) ?? null);
  }
  return values;
}

function shortened(value: unknown): unknown {
  if (typeof value === "string") {
    return value.length <= longestValue ? value : `${value.slice(0, longestValue).toWellFormed()}…`;
  }
  if (isWithinBytes(value, longestValue)) return value;
  return Array.isArray(value) ? `a list of ${value.length}` : "an object";
}

const longestRule = 2_000;

/** Every skipped job stores the rule that skipped it: one beyond this size can be read in the workflow. */
export const keptRule = (rule: unknown): unknown =>
  isWithinBytes(rule, longestRule) ? rule : "too long to be kept here";
