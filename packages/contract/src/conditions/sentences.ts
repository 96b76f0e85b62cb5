// JSON Logic as English: `{ ">": [{ "var": "payload.total" }, 10] }` is "payload.total is more than 10". What has no
// words is shown as JSON. Pure; accepts any value, and never throws.
import { testedAudience } from "./audience-tests.ts";
import {
  comparisons,
  dateComparisons,
  emptiness,
  existence,
  membership,
  mirrored,
  type Phrases,
  truth,
} from "./operators.ts";
import { operationOf, variableOf } from "./rule-parts.ts";

const maxText = 600;
const maxValue = 60;
const maxItems = 8;
/** Deeper parts are shown as JSON: a sentence with so many parentheses is hard to read. */
const maxDepth = 12;

/** The rule as a clause: "payload.plan is "pro" and payload.total is more than 10". */
export const conditionText = (rule: unknown): string => cut(clause(rule, false, 0), maxText);

/** What a `skip` rule does to its step: "runs only when …" or "is skipped when …". */
export function skipText(rule: unknown): string {
  const operation = operationOf(rule);
  const [inner] = operation?.args ?? [];
  const isRun = operation?.operator === "!" && operationOf(inner) !== undefined && variableOf(inner) === undefined;
  return isRun ? `runs only when ${conditionText(inner)}` : `is skipped when ${conditionText(rule)}`;
}

type Clause = (args: readonly unknown[], isNot: boolean, depth: number) => string;

function clause(part: unknown, isNot: boolean, depth: number): string {
  const operation = operationOf(part);
  if (!operation) return isTrue(part) !== isNot ? "always" : "never";
  if (depth > maxDepth) return isNot ? `not ${json(part)}` : json(part);
  const { operator, args } = operation;
  const audience = testedAudience(part);
  if (audience !== undefined) return isAudience(audience, operator.startsWith("not") !== isNot);
  const write = Object.hasOwn(clauses, operator) ? clauses[operator] : undefined;
  if (write) return write(args, isNot, depth + 1);
  if (Object.hasOwn(comparisons, operator)) return comparison(operator, args, isNot, depth + 1);
  return `${operand(part, depth)} ${choose(truth, isNot)}`;
}

const choose = ([holds, opposite]: Phrases, isNot: boolean): string => (isNot ? opposite : holds);

/** Truth in JSON Logic: an empty list is false. */
const isTrue = (value: unknown): boolean => (Array.isArray(value) ? value.length > 0 : Boolean(value));

/** A group inside another one is put in parentheses. */
function group(parts: readonly unknown[], word: "and" | "or", isNot: boolean, depth: number): string {
  if (parts.length === 0) return isNot ? "always" : "never";
  const texts = parts.map((part) => {
    const text = clause(part, isNot, depth);
    return parts.length > 1 && isGroup(part) ? `(${text})` : text;
  });
  return texts.join(` ${word} `);
}

function isGroup(part: unknown, depth = 0): boolean {
  const { operator, args } = operationOf(part) ?? {};
  if (operator === "!" || operator === "!!") return depth <= maxDepth && isGroup(args?.[0], depth + 1);
  return (operator === "and" || operator === "or") && args !== undefined && args.length > 1;
}

const clauses: Readonly<Record<string, Clause>> = {
  // "Not all of them" is "one of them not", and the other way round.
  and: (args, isNot, depth) => group(args, isNot ? "or" : "and", isNot, depth),
  or: (args, isNot, depth) => group(args, isNot ? "and" : "or", isNot, depth),
  "!": ([part], isNot, depth) => clause(part, !isNot, depth),
  "!!": ([part], isNot, depth) => clause(part, isNot, depth),
  log: ([part], isNot, depth) => clause(part, isNot, depth),
  null: ([value], isNot, depth) => `${operand(value, depth)} ${choose(existence, !isNot)}`,
  notNull: ([value], isNot, depth) => `${operand(value, depth)} ${choose(existence, isNot)}`,
  in: ([part, whole], isNot, depth) => isIn(part, whole, isNot, depth),
  notIn: ([part, whole], isNot, depth) => isIn(part, whole, !isNot, depth),
  between: (args, isNot, depth) => between(args, isNot, depth),
  notBetween: (args, isNot, depth) => between(args, !isNot, depth),
  missing: (args, isNot) => {
    const names = args.flat();
    if (names.length === 1) return `${nameOf(names[0])} ${choose(existence, !isNot)}`;
    return isNot ? `${list(names.map(nameOf), "and")} exist` : `${list(names.map(nameOf), "or")} does not exist`;
  },
  missing_some: ([needed, names], isNot) =>
    `${isNot ? "at least" : "fewer than"} ${valueText(needed)} of ${list([names].flat().map(nameOf), "and")} exist`,
  some: (args, isNot, depth) => items(isNot ? "no item" : "some item", args, depth),
  none: (args, isNot, depth) => items(isNot ? "some item" : "no item", args, depth),
  all: (args, isNot, depth) => items(isNot ? "not every item" : "every item", args, depth),
  if: (args, isNot, depth) => branches(args, isNot, depth),
  "?:": (args, isNot, depth) => branches(args, isNot, depth),
};

const items = (which: string, [of, rule]: readonly unknown[], depth: number): string =>
  `for ${which} of ${operand(of, depth)}, ${clause(rule, false, depth)}`;

function branches(args: readonly unknown[], isNot: boolean, depth: number): string {
  const [condition, met, otherwise] = args;
  if (args.length !== 3) return `${json({ if: args })} ${choose(truth, isNot)}`;
  const parts = [clause(condition, false, depth), clause(met, isNot, depth), clause(otherwise, isNot, depth)];
  return `(if ${parts[0]}, then ${parts[1]}, otherwise ${parts[2]})`;
}

function comparison(operator: string, args: readonly unknown[], isNot: boolean, depth: number): string {
  const [left, right, third] = args;
  if (args.length === 3 && (operator === "<" || operator === "<=")) {
    const [low, high] = operator === "<" ? ["is more than", "less than"] : ["is at least", "at most"];
    const text = `${operand(right, depth)} ${low} ${operand(left, depth)} and ${high} ${operand(third, depth)}`;
    return isNot ? `not (${text})` : text;
  }
  // The variable first, as people say it.
  if (operationOf(left) === undefined && operationOf(right) !== undefined && Object.hasOwn(mirrored, operator))
    return comparison(mirrored[operator]!, [right, left], isNot, depth);
  const subject = operand(left, depth);
  const isEqual = operator === "==" || operator === "===";
  if (isEqual || operator === "!=" || operator === "!==") {
    if (right === null || right === undefined) return `${subject} ${choose(existence, isEqual !== isNot)}`;
    if (right === "") return `${subject} ${choose(emptiness, isEqual === isNot)}`;
  }
  const phrases = (isDate(right) && dateComparisons[operator]) || comparisons[operator]!;
  return `${subject} ${choose(phrases, isNot)} ${operand(right, depth)}`;
}

function isIn(part: unknown, whole: unknown, isNot: boolean, depth: number): string {
  if (Array.isArray(whole)) {
    const values = whole.map((value) => operand(value, depth));
    if (values.length === 0) return isNot ? "always" : "never";
    return `${operand(part, depth)} ${choose(membership, isNot)} ${list(values, "or")}`;
  }
  if (typeof whole === "string")
    return `${operand(part, depth)} ${isNot ? "is not" : "is"} part of ${valueText(whole)}`;
  return `${operand(whole, depth)} ${choose(comparisons.contains!, isNot)} ${operand(part, depth)}`;
}

const isAudience = (id: string, isNot: boolean): string =>
  `the subscriber ${isNot ? "is not" : "is"} in the audience ${valueText(id)}`;

function between([value, ...bounds]: readonly unknown[], isNot: boolean, depth: number): string {
  const [low, high] = Array.isArray(bounds[0]) ? bounds[0] : bounds;
  const is = isNot ? "is not between" : "is between";
  return `${operand(value, depth)} ${is} ${operand(low, depth)} and ${operand(high, depth)}`;
}

/** A value in a comparison. */
function operand(part: unknown, depth: number): string {
  const operation = operationOf(part);
  if (!operation) return valueText(part);
  if (depth > maxDepth) return json(part);
  const { operator, args } = operation;
  if (operator === "var") return variableText(args, part);
  const write = Object.hasOwn(operands, operator) ? operands[operator] : undefined;
  if (write && args.length > 0) return write(args.map((arg) => operand(arg, depth + 1)));
  const isClause = Object.hasOwn(clauses, operator) || Object.hasOwn(comparisons, operator);
  return isClause ? `(${clause(part, false, depth + 1)})` : json(part);
}

const sign = (text: string) => (args: readonly string[]) => `(${args.join(` ${text} `)})`;

const operands: Readonly<Record<string, (args: readonly string[]) => string>> = {
  "+": sign("+"),
  "*": sign("×"),
  "/": sign("/"),
  "%": sign("modulo"),
  "-": (args) => (args.length === 1 ? `-${args[0]}` : sign("-")(args)),
  cat: (args) => args.join(" followed by "),
  max: (args) => `the largest of ${list(args, "and")}`,
  min: (args) => `the smallest of ${list(args, "and")}`,
  log: ([value]) => value!,
};

function variableText([path, otherwise]: readonly unknown[], part: unknown): string {
  if (path === "" || path === undefined || path === null) return "the item";
  if (typeof path === "object") return json(part);
  const fallback = otherwise === undefined ? "" : ` (or ${valueText(otherwise)} if it does not exist)`;
  return `${cut(String(path), maxValue)}${fallback}`;
}

const nameOf = (name: unknown): string => (typeof name === "string" ? cut(name, maxValue) : json(name));

const dateTime = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2})(?::\d{2}(?:\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})?)?$/;
const isDate = (value: unknown): boolean => typeof value === "string" && dateTime.test(value);

/** A value as a reader expects it: text in quotes, dates without seconds, long values cut. */
export function valueText(value: unknown): string {
  if (value === null || value === undefined) return "missing";
  if (typeof value === "string") return value === "" ? "empty" : textValue(value);
  if (Array.isArray(value)) return value.length === 0 ? "an empty list" : list(value.map(valueText), "and");
  return typeof value === "object" ? json(value) : String(value);
}

function textValue(value: string): string {
  const [, day, time, zone] = dateTime.exec(value) ?? [];
  if (day === undefined) return `"${cut(value, maxValue)}"`;
  return time === undefined ? day : [day, time, zone === "Z" ? "UTC" : zone].filter(Boolean).join(" ");
}

/** "a, b or c", without more than a few of them. */
function list(texts: readonly string[], word: "and" | "or"): string {
  const shown = texts.length > maxItems ? [...texts.slice(0, maxItems), `${texts.length - maxItems} more`] : texts;
  return shown.length < 2 ? (shown[0] ?? "nothing") : `${shown.slice(0, -1).join(", ")} ${word} ${shown.at(-1)}`;
}

function json(value: unknown): string {
  try {
    return cut(JSON.stringify(value) ?? "missing", maxValue * 2);
  } catch {
    // Nested deeper than the stack.
    return "a rule that is too deep to be shown";
  }
}

const cut = (text: string, length: number): string =>
  text.length <= length ? text : `${text.slice(0, length).toWellFormed()}…`;
