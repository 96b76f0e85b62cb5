// The operators of conditions that work on values: the standard set of JSON Logic with the meaning of its reference
// implementation, and those of Tidings. Pure. Control flow and iteration are in conditions.ts.
//
// Rules and data come from callers, so nothing here reaches a prototype, and what an operator builds has a largest size:
// a short rule could otherwise double a text until memory is gone. What an operator reads is charged to the budget of work.
import { indexIn } from "./text-search.ts";
import { charge } from "./work.ts";

export type Operator = (args: unknown[]) => unknown;

const maxText = 1_048_576;
const maxItems = 100_000;

/** JSON Logic's own idea of truth: an empty list is false, the text "0" is true. */
export const isTruthy = (value: unknown): boolean => (Array.isArray(value) ? value.length > 0 : Boolean(value));

/** A value as text, the way JavaScript writes it. A list is written out, and may hold itself many times over. */
function text(value: unknown): string {
  let room = maxText;
  const write = (part: unknown): string => {
    const written = Array.isArray(part) ? part.map((item) => (item == null ? "" : write(item))).join(",") : plain(part);
    room -= written.length + 1;
    charge(1 + written.length / 8);
    if (room < 0) throw new RangeError("a text grew too long");
    return written;
  };
  return write(value);
}

const plain = (value: unknown): string =>
  typeof value === "object" && value !== null ? "[object Object]" : String(value);

const isComposite = (value: unknown): boolean => typeof value === "object" && value !== null;

/** What JavaScript makes of a value before it compares or calculates, without asking the value's own `toString`. */
const primitive = (value: unknown): unknown => (isComposite(value) ? text(value) : value);

/** Two texts are compared as far as they agree; a text beside something else is read as a number. */
function chargeComparison(a: unknown, b: unknown): void {
  if (typeof a === "string" && typeof b === "string") charge(Math.min(a.length, b.length) / 16);
  else if (typeof a === "string") charge(a.length / 4);
  else if (typeof b === "string") charge(b.length / 4);
}

function isSame(a: unknown, b: unknown): boolean {
  chargeComparison(a, b);
  return a === b;
}

function equals(a: unknown, b: unknown): boolean {
  if (isComposite(a) && isComposite(b)) return a === b;
  chargeComparison(a, b);
  // biome-ignore lint/suspicious/noDoubleEquals: `==` of JSON Logic is the one of JavaScript
  return primitive(a) == primitive(b);
}

function isLess(a: unknown, b: unknown): boolean {
  chargeComparison(a, b);
  return (primitive(a) as number) < (primitive(b) as number);
}

function isAtMost(a: unknown, b: unknown): boolean {
  chargeComparison(a, b);
  return (primitive(a) as number) <= (primitive(b) as number);
}

function number(value: unknown): number {
  chargeComparison(value, null);
  return Number(primitive(value));
}
/** Sums and products read a number off the front of a text, as the reference implementation does. */
const leadingNumber = (value: unknown): number => Number.parseFloat(text(value));

/** The member of a value at a dotted path; own members only, undefined when there is none. */
export function memberAt(data: unknown, path: unknown): unknown {
  if (path === undefined || path === null || path === "") return data;
  const written = text(path);
  charge(written.length);
  let value = data;
  for (const part of written.split(".")) {
    if (value === null || value === undefined || !Object.hasOwn(Object(value), part)) return undefined;
    value = (value as Record<string, unknown>)[part];
  }
  return value;
}

function contains(whole: unknown, part: unknown): boolean {
  if (Array.isArray(whole)) {
    // A list may hold one long text many times over, and each is compared.
    charge(whole.length * (1 + (typeof part === "string" ? part.length / 16 : 0)));
    return whole.includes(part);
  }
  return typeof whole === "string" && part !== null && part !== undefined && indexIn(whole, text(part)) !== -1;
}

const beginsWith = (value: unknown, start: unknown): boolean =>
  typeof value === "string" && typeof start === "string" && isSame(value.slice(0, start.length), start);
const endsWith = (value: unknown, end: unknown): boolean =>
  typeof value === "string" &&
  typeof end === "string" &&
  end.length <= value.length &&
  isSame(value.slice(value.length - end.length), end);

/** `[value, low, high]` or `[value, [low, high]]`, both ends included. A missing value lies nowhere. */
function isBetween([value, ...bounds]: unknown[]): boolean {
  const [low, high] = Array.isArray(bounds[0]) ? bounds[0] : bounds;
  if (value === null || value === undefined) return false;
  return isAtMost(low, value) && isAtMost(value, high);
}

function join(parts: unknown[]): string {
  let whole = "";
  for (const part of parts) {
    if (part !== null && part !== undefined) whole += text(part);
    if (whole.length > maxText) throw new RangeError("a text grew too long");
  }
  return whole;
}

function merge(parts: unknown[]): unknown[] {
  const length = parts.reduce<number>((sum, part) => sum + (Array.isArray(part) ? part.length : 1), 0);
  if (length > maxItems) throw new RangeError("a list grew too long");
  charge(length);
  return parts.flat();
}

function substring([source, start, length]: unknown[]): string {
  const from = text(source).slice(number(start) || 0);
  if (length === undefined || length === null) return from;
  return from.slice(0, number(length));
}

export const operators: Readonly<Record<string, Operator>> = {
  "==": ([a, b]) => equals(a, b),
  "!=": ([a, b]) => !equals(a, b),
  "===": ([a, b]) => isSame(a, b),
  "!==": ([a, b]) => !isSame(a, b),
  "!": ([a]) => !isTruthy(a),
  "!!": ([a]) => isTruthy(a),
  "<": ([a, b, c]) => isLess(a, b) && (c === undefined || isLess(b, c)),
  "<=": ([a, b, c]) => isAtMost(a, b) && (c === undefined || isAtMost(b, c)),
  ">": ([a, b]) => isLess(b, a),
  ">=": ([a, b]) => isAtMost(b, a),
  max: (args) => Math.max(...args.map(number)),
  min: (args) => Math.min(...args.map(number)),
  "+": (args) => args.reduce<number>((sum, value) => sum + leadingNumber(value), 0),
  "*": (args) => args.reduce<number>((product, value) => product * leadingNumber(value), 1),
  "-": ([a, b]) => (b === undefined ? -number(a) : number(a) - number(b)),
  "/": ([a, b]) => number(a) / number(b),
  "%": ([a, b]) => number(a) % number(b),
  cat: join,
  substr: substring,
  merge,
  in: ([part, whole]) => contains(whole, part),
  // Printing is not a rule's business; the value passes through, as the standard says.
  log: ([value]) => value,
  contains: ([whole, part]) => contains(whole, part),
  notContains: ([whole, part]) => !contains(whole, part),
  beginsWith: ([value, start]) => beginsWith(value, start),
  notBeginsWith: ([value, start]) => !beginsWith(value, start),
  endsWith: ([value, end]) => endsWith(value, end),
  notEndsWith: ([value, end]) => !endsWith(value, end),
  null: ([value]) => value === null || value === undefined,
  notNull: ([value]) => value !== null && value !== undefined,
  notIn: ([part, whole]) => !contains(whole, part),
  between: (args) => isBetween(args),
  notBetween: (args) => !isBetween(args),
};
