// The condition of a step between JSON Logic and lines of a form. A rule that lines cannot show is edited as JSON.
// Pure.
import type { JsonObject } from "@tidings/contract";
import { isSame } from "../kit/is-same.ts";
import type { words } from "./words.ts";

export type Operator = keyof (typeof words)["condition"]["operators"];
export type Line = { left: string; operator: Operator; right: string };
export type Condition = {
  /** JSON Logic of a step says when it is skipped; `run` is the opposite, which most people think in. */
  mode: "run" | "skip";
  join: "and" | "or";
  lines: Line[];
};

const alone: readonly Operator[] = ["null", "notNull", "!!", "!"];
const compared: readonly Operator[] = [
  "==",
  "!=",
  ">",
  ">=",
  "<",
  "<=",
  "contains",
  "notContains",
  "beginsWith",
  "endsWith",
  "in",
];

export const takesValue = (operator: Operator): boolean => !alone.includes(operator);

export const newCondition = (): Condition => ({ mode: "run", join: "and", lines: [newLine()] });
export const newLine = (): Line => ({ left: "payload.", operator: "==", right: "" });

/** null: the rule does not fit into lines. */
export function readRule(rule: unknown): Condition | null {
  const [operator, args] = entryOf(rule);
  if (operator === "!" && !isVariable(onlyOf(args))) {
    const inner = readRule(onlyOf(args));
    return inner?.mode === "skip" ? { ...inner, mode: "run" } : null;
  }
  const isGroup = operator === "and" || operator === "or";
  const lines = (isGroup ? (Array.isArray(args) ? args : [args]) : [rule]).map(readLine);
  if (lines.length === 0 || lines.includes(null)) return null;
  const condition: Condition = { mode: "skip", join: isGroup ? operator : "and", lines: lines as Line[] };
  // What is written back has to be the same rule, or editing one line would change another.
  return isSame(normal(writeRule(condition)), normal(rule)) ? condition : null;
}

export function writeRule({ mode, join, lines }: Condition): JsonObject {
  const rules = lines.map(writeLine);
  const rule = rules.length === 1 ? rules[0]! : { [join]: rules };
  return mode === "skip" ? rule : { "!": [rule] };
}

function readLine(rule: unknown): Line | null {
  const [operator, args] = entryOf(rule);
  const list = Array.isArray(args) ? args : [args];
  const left = pathOf(list[0]);
  if (left === undefined) return null;
  if (alone.includes(operator as Operator))
    return list.length === 1 ? { left, operator: operator as Operator, right: "" } : null;
  if (!compared.includes(operator as Operator) || list.length !== 2) return null;
  const right = operator === "in" ? readList(list[1]) : readValue(list[1]);
  return right === undefined ? null : { left, operator: operator as Operator, right };
}

function writeLine({ left, operator, right }: Line): JsonObject {
  const variable = { var: left.trim() };
  if (alone.includes(operator)) return { [operator]: [variable] };
  const value = operator === "in" ? right.split(",").map((part) => parseValue(part.trim())) : parseValue(right);
  return { [operator]: [variable, value] };
}

const entryOf = (rule: unknown): [string, unknown] => {
  const entries = typeof rule === "object" && rule !== null && !Array.isArray(rule) ? Object.entries(rule) : [];
  return entries.length === 1 ? entries[0]! : ["", undefined];
};
const onlyOf = (args: unknown): unknown => (Array.isArray(args) && args.length === 1 ? args[0] : args);
const pathOf = (value: unknown): string | undefined => {
  const [operator, path] = entryOf(value);
  const name = onlyOf(path);
  return operator === "var" && typeof name === "string" ? name : undefined;
};
const isVariable = (value: unknown): boolean => pathOf(value) !== undefined;

const looksTyped = (text: string): boolean => /^(?:-?\d+(?:\.\d+)?|true|false|null|".*"|)$/s.test(text);

/** "12" is a number, "true" a truth value, "\"12\"" the text 12. */
function parseValue(text: string): unknown {
  if (text === "" || !looksTyped(text)) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function readValue(value: unknown): string | undefined {
  if (typeof value === "string") return value !== "" && looksTyped(value) ? JSON.stringify(value) : value;
  return value === null || typeof value === "number" || typeof value === "boolean" ? String(value) : undefined;
}

function readList(value: unknown): string | undefined {
  if (!Array.isArray(value)) return undefined;
  const parts = value.map(readValue);
  return parts.some((part) => part === undefined || part.includes(",")) ? undefined : parts.join(", ");
}

/** Arguments as lists, and `{ and: [x] }` as x: two ways to write one rule are one rule. */
function normal(rule: unknown): unknown {
  if (Array.isArray(rule)) return rule.map(normal);
  const [operator, args] = entryOf(rule);
  if (operator === "") return rule;
  const list = (Array.isArray(args) ? args : [args]).map(normal);
  return (operator === "and" || operator === "or") && list.length === 1 ? list[0] : { [operator]: list };
}
