// A condition between JSON Logic and the lines and groups of a form. A rule that these cannot show is edited as JSON.
// Pure.
import type { JsonObject } from "@tidings/contract";
import { type ConditionOperator, operationOf, operatorWords, variableOf } from "@tidings/contract/conditions";
import { isSame } from "../kit/is-same.ts";

export type Operator = ConditionOperator;
/** `isPath`: `right` is the path of another variable. */
export type Line = { left: string; operator: Operator; right: string; isPath?: true };
export type Group = { join: "and" | "or"; lines: Part[] };
export type Part = Line | Group;
/** JSON Logic of a step says when it is skipped; `run` is the opposite, which most people think in. */
export type Condition = Group & { mode: "run" | "skip" };

/** Groups inside each other, the outermost included. */
export const maxLevels = 3;

const alone: readonly string[] = ["null", "notNull", "!!", "!"] satisfies Operator[];

export const isGroup = (part: Part): part is Group => "lines" in part;
export const takesValue = (operator: Operator): boolean => !alone.includes(operator);

/** `start`: what the variables of most lines begin with. */
export const newLine = (start = "payload."): Line => ({ left: start, operator: "==", right: "" });
export const newGroup = (start?: string): Group => ({ join: "or", lines: [newLine(start), newLine(start)] });
export const newCondition = (mode: Condition["mode"], start?: string): Condition => ({
  mode,
  join: "and",
  lines: [newLine(start)],
});

/** null: the rule does not fit into lines and groups. */
export function readRule(rule: unknown): Condition | null {
  const { operator, args = [] } = operationOf(rule) ?? {};
  if (operator === "!" && args.length === 1 && pathOf(args[0]) === undefined) {
    const inner = readRule(args[0]);
    return inner?.mode === "skip" ? { ...inner, mode: "run" } : null;
  }
  const group: Group | null = readGroup(rule, 1) ?? (readLine(rule) && { join: "and", lines: [readLine(rule)!] });
  if (!group) return null;
  const condition: Condition = { mode: "skip", ...group };
  // What is written back has to be the same rule, or editing one line would change another.
  return isSame(normal(writeRule(condition)), normal(rule)) ? condition : null;
}

export function writeRule({ mode, join, lines }: Condition): JsonObject {
  const [first, ...others] = lines;
  const rule = first && others.length === 0 && !isGroup(first) ? writeLine(first) : writeGroup({ join, lines });
  return mode === "skip" ? rule : { "!": [rule] };
}

function readGroup(rule: unknown, level: number): Group | null {
  const { operator, args = [] } = operationOf(rule) ?? {};
  if ((operator !== "and" && operator !== "or") || args.length === 0 || level > maxLevels) return null;
  const lines = args.map((part) => readGroup(part, level + 1) ?? readLine(part));
  return lines.includes(null) ? null : { join: operator, lines: lines as Part[] };
}

const writeGroup = ({ join, lines }: Group): JsonObject => ({
  [join]: lines.map((part) => (isGroup(part) ? writeGroup(part) : writeLine(part))),
});

function readLine(rule: unknown): Line | null {
  const { operator = "", args = [] } = operationOf(rule) ?? {};
  const left = pathOf(args[0]);
  if (isTextIn(operator, args)) return { left: pathOf(args[1])!, operator: "contains", right: writtenText(args[0]) };
  if (left === undefined || !Object.hasOwn(operatorWords, operator)) return null;
  const line = { left, operator: operator as Operator };
  if (alone.includes(operator)) return args.length === 1 ? { ...line, right: "" } : null;
  if (args.length !== 2) return null;
  const path = pathOf(args[1]);
  if (path !== undefined) return { ...line, right: path, isPath: true };
  const right = operator === "in" ? readList(args[1]) : readValue(args[1]);
  return right === undefined ? null : { ...line, right };
}

/** `{ "in": ["beta", { "var": "topics" }] }`: the same as "topics contains beta". */
const isTextIn = (operator: string, args: readonly unknown[]): args is readonly [string, unknown] =>
  operator === "in" && args.length === 2 && typeof args[0] === "string" && pathOf(args[1]) !== undefined;

/** Empty where the variable of a line is not typed yet. */
function pathOf(part: unknown): string | undefined {
  const { operator, args = [] } = operationOf(part) ?? {};
  return operator === "var" && args.length === 1 && args[0] === "" ? "" : variableOf(part);
}

function writeLine({ left, operator, right, isPath }: Line): JsonObject {
  const variable = { var: left.trim() };
  if (alone.includes(operator)) return { [operator]: [variable] };
  if (isPath) return { [operator]: [variable, { var: right.trim() }] };
  const value = operator === "in" ? right.split(",").map((part) => parseValue(part.trim())) : parseValue(right);
  return { [operator]: [variable, value] };
}

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
  if (typeof value === "string") return writtenText(value);
  return value === null || typeof value === "number" || typeof value === "boolean" ? String(value) : undefined;
}

/** A text as a line has it: in quotes where it would be read as something else. */
export const writtenText = (text: string): string => (text !== "" && looksTyped(text) ? JSON.stringify(text) : text);

/** The text that a line has in quotes. */
export function plainText(right: string): string {
  const value = right.startsWith('"') ? parseValue(right) : right;
  return typeof value === "string" ? value : right;
}

function readList(value: unknown): string | undefined {
  if (!Array.isArray(value)) return undefined;
  const parts = value.map(readValue);
  return parts.some((part) => part === undefined || part.includes(",")) ? undefined : parts.join(", ");
}

/** Arguments as lists, and `{ and: [x] }` as x: two ways to write one rule are one rule. */
function normal(rule: unknown): unknown {
  if (Array.isArray(rule)) return rule.map(normal);
  const operation = operationOf(rule);
  if (!operation) return rule;
  const args = operation.args.map(normal);
  if (isTextIn(operation.operator, args)) return { contains: [args[1], args[0]] };
  const isJoin = operation.operator === "and" || operation.operator === "or";
  return isJoin && args.length === 1 ? args[0] : { [operation.operator]: args };
}
