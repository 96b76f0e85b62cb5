// Why a condition kept a step from running, in the words of its author: what the rule says, and the values of the
// comparisons that decided. From the rule and the values that the job stored. Pure.
import {
  audiencesVariable,
  conditionText,
  decidingParts,
  type StepFilter,
  skipText,
  valueText,
  variablePaths,
} from "@tidings/contract";
import { isTruthy } from "../../../lib/condition-operators.ts";
import { evaluate } from "../../../lib/conditions.ts";
import { isObject, type JsonObject } from "../../../lib/json.ts";
import { isShortened, unstoredRule } from "../conditions.ts";

const maxValues = 5;

/** `be`: "was", or "is" for what would happen now. */
export function conditionReason({ rule, filters, values }: JsonObject, be: "was" | "is"): string {
  const known = isObject(values) ? values : {};
  if (filters !== undefined) return filterReason(filters, known, be);
  if (!isObject(rule)) return `its condition ${be} met, and is too long to be shown here`;
  const all = new Set(variablePaths(rule));
  const deciding = decidingParts(rule, (part) => truthOf(part, known));
  const read = [...new Set(deciding ? variablePaths(deciding) : all)];
  return `it ${skipText(rule)}${found(read, { known, isOnly: all.size === 1, be })}`;
}

/** Why a condition was true: "payload.plan is "pro", and it was "pro"". */
export function trueReason({ rule, values }: JsonObject, be: "was" | "is"): string {
  if (!isObject(rule)) return `its condition ${be} met, and is too long to be shown here`;
  const read = [...new Set(variablePaths(rule))];
  return `${conditionText(rule)}${found(read, { known: isObject(values) ? values : {}, isOnly: read.length === 1, be })}`;
}

/** ", and it was false", or with the names where there are several variables. */
function found(
  paths: readonly string[],
  { known, isOnly, be }: { known: JsonObject; isOnly: boolean; be: string },
): string {
  const shown = paths.filter((path) => Object.hasOwn(known, path)).slice(0, maxValues);
  if (shown.length === 0) return "";
  const text = (path: string): string =>
    path === audiencesVariable
      ? audiencesText(known[path], be)
      : `${isOnly ? "it" : path} ${be} ${storedText(known[path])}`;
  return `, and ${shown.map(text).join(" and ")}`;
}

/** The list has only those that conditions of the workflow name, so an empty one says nothing about others. */
const audiencesText = (value: unknown, be: string): string => {
  const isNone = Array.isArray(value) && value.length === 0;
  return `the subscriber ${be} ${isNone ? "not in it" : `in ${storedText(value)}`}`;
};

/** "a list of 300" does not come from the payload. */
const storedText = (value: unknown): string =>
  isShortened(value) && String(value).length < 30 ? String(value) : valueText(value);

/** undefined where a value that the part reads was shortened before it was stored, or is not stored. */
function truthOf(part: unknown, known: JsonObject): boolean | undefined {
  for (const path of variablePaths(part)) if (!Object.hasOwn(known, path) || isShortened(known[path])) return undefined;
  try {
    return isTruthy(evaluate(part, scopeOf(known)));
  } catch {
    return undefined;
  }
}

/** The values at their places: `{ "payload.plan": "pro" }` is `{ payload: { plan: "pro" } }`. */
function scopeOf(known: JsonObject): JsonObject {
  const scope: JsonObject = Object.create(null);
  for (const path of Object.keys(known).sort()) {
    const names = path.split(".");
    const last = names.pop()!;
    let place: JsonObject | undefined = scope;
    for (const name of names) {
      if (!Object.hasOwn(place, name)) place[name] = Object.create(null);
      const next: unknown = place[name];
      place = isObject(next) ? next : undefined;
      if (!place) break;
    }
    if (place) place[last] = known[path];
  }
  return scope;
}

function filterReason(filters: unknown, known: JsonObject, be: "was" | "is"): string {
  if (filters === unstoredRule || !Array.isArray(filters)) return "its filters do not match";
  const rule = { and: (filters as StepFilter[]).filter(({ children }) => children.length > 0).map(groupRule) };
  const text = `it runs only when ${conditionText(rule.and.length === 1 ? rule.and[0] : rule)}`;
  const paths = Object.keys(known);
  return `${text}${found(paths, { known, isOnly: paths.length === 1, be })}`;
}

type Part = StepFilter["children"][number];

/** For the words alone: classic filters compare numbers and dates by their meaning, JSON Logic does not. */
function groupRule({ children, value, isNegated }: StepFilter): JsonObject {
  const parts = children.map(partRule);
  const rule = parts.length === 1 ? parts[0]! : { [value === "OR" ? "or" : "and"]: parts };
  return isNegated ? { "!": [rule] } : rule;
}

function partRule({ on, field, operator, value }: Part): JsonObject {
  const variable = { var: `${on}.${field}` };
  const items = value.split(",").map((item) => typed(item.trim()));
  const isIn = { in: [{ var: "" }, items] };
  const rules: Record<Part["operator"], JsonObject> = {
    EQUAL: { "==": [variable, typed(value)] },
    NOT_EQUAL: { "!=": [variable, typed(value)] },
    LARGER: { ">": [variable, typed(value)] },
    LARGER_EQUAL: { ">=": [variable, typed(value)] },
    SMALLER: { "<": [variable, typed(value)] },
    SMALLER_EQUAL: { "<=": [variable, typed(value)] },
    IN: { in: [variable, items] },
    NOT_IN: { notIn: [variable, items] },
    ANY_IN: { some: [variable, isIn] },
    ALL_IN: { all: [variable, isIn] },
    BETWEEN: { between: [variable, ...items] },
    NOT_BETWEEN: { notBetween: [variable, ...items] },
    LIKE: { contains: [variable, value] },
    NOT_LIKE: { notContains: [variable, value] },
  };
  return rules[operator];
}

const typed = (text: string): unknown =>
  /^(?:-?(?:0|[1-9]\d{0,14})(?:\.\d{1,10})?|true|false)$/.test(text) ? JSON.parse(text) : text;
