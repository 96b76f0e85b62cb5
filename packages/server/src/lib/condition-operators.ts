// The operators of conditions that work on values: the standard set of JSON Logic with the meaning of its reference
// implementation, and those of Tidings. Pure. Control flow and iteration are in conditions.ts.
//
// Rules and data come from callers, so no operator reads a prototype, and every result has a maximum size: a short rule
// could otherwise double a text until memory runs out. The size of what an operator reads is charged to the work
// budget.
import { indexIn } from "./text/text-search.ts";
import { charge } from "./work.ts";

export type Operator = (args: unknown[]) => unknown;

const maxText = 1_048_576;
const maxItems = 100_000;

/** Truth in JSON Logic: an empty list is false, the text "0" is true. */
export const isTruthy = (value: unknown): boolean => (Array.isArray(value) ? value.length > 0 : Boolean(value));

/**
 * A value as text, as JavaScript writes it. One list may occur in a value many times, so the total length is bounded.
 */
function toText(value: unknown): string {
  let room = maxText;
  const write = (part: unknown): string => {
    const written = Array.isArray(part)
      ? part.map((item) => (item == null ? "" : write(item))).join(",")
      : scalarText(part);
    room -= written.length + 1;
    charge(1 + written.length / 8);
    if (room < 0) throw new RangeError("a text grew too long");
    return written;
  };
  return write(value);
}

const scalarText = (value: unknown): string =>
  typeof value === "object" && value !== null ? "[object Object]" : String(value);

const isComposite = (value: unknown): boolean => typeof value === "object" && value !== null;

/** Converts a value as JavaScript does before comparing or calculating, without calling the value's own `toString`. */
const toPrimitive = (value: unknown): unknown => (isComposite(value) ? toText(value) : value);

/**
 * Two texts are compared up to the first difference; a text is converted to a number to compare it with other types.
 */
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
  return toPrimitive(a) == toPrimitive(b);
}

function isLess(a: unknown, b: unknown): boolean {
  chargeComparison(a, b);
  return (toPrimitive(a) as number) < (toPrimitive(b) as number);
}

function isAtMost(a: unknown, b: unknown): boolean {
  chargeComparison(a, b);
  return (toPrimitive(a) as number) <= (toPrimitive(b) as number);
}

function toNumber(value: unknown): number {
  chargeComparison(value, null);
  return Number(toPrimitive(value));
}

/** Sums and products parse the number at the start of a text, as the reference implementation does. */
const leadingNumber = (value: unknown): number => Number.parseFloat(toText(value));

/** The member of a value at a dotted path: own members only, undefined when there is none. */
export function memberAt(data: unknown, path: unknown): unknown {
  if (path === undefined || path === null || path === "") return data;
  const written = toText(path);
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
    // One long text may occur in a list many times, and each occurrence is compared.
    charge(whole.length * (1 + (typeof part === "string" ? part.length / 16 : 0)));
    return whole.includes(part);
  }
  return typeof whole === "string" && part !== null && part !== undefined && indexIn(whole, toText(part)) !== -1;
}

const beginsWith = (value: unknown, start: unknown): boolean =>
  typeof value === "string" && typeof start === "string" && isSame(value.slice(0, start.length), start);
const endsWith = (value: unknown, end: unknown): boolean =>
  typeof value === "string" &&
  typeof end === "string" &&
  end.length <= value.length &&
  isSame(value.slice(value.length - end.length), end);

/** `[value, low, high]` or `[value, [low, high]]`, both ends included. A missing value is never between. */
function isBetween([value, ...bounds]: unknown[]): boolean {
  const [low, high] = Array.isArray(bounds[0]) ? bounds[0] : bounds;
  if (value === null || value === undefined) return false;
  return isAtMost(low, value) && isAtMost(value, high);
}

function join(parts: unknown[]): string {
  let whole = "";
  for (const part of parts) {
    if (part !== null && part !== undefined) whole += toText(part);
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
  const from = toText(source).slice(toNumber(start) || 0);
  if (length === undefined) return from;
  const count = toNumber(length);
  // A negative length leaves out the end.
  return from.slice(0, Math.max(0, count < 0 ? Math.trunc(from.length + count) : count));
}

/** One factor alone is returned unchanged; without any there is no product. */
function multiply(factors: unknown[]): unknown {
  if (factors.length === 0) throw new TypeError("* needs an argument");
  return factors.reduce((product, value) => leadingNumber(product) * leadingNumber(value));
}

/** `in` of JSON Logic, in which also `null` is searched as text. */
function isIn(part: unknown, whole: unknown): boolean {
  if (!Array.isArray(whole)) return typeof whole === "string" && whole !== "" && indexIn(whole, toText(part)) !== -1;
  charge(whole.length * (1 + (typeof part === "string" ? part.length / 16 : 0)));
  return whole.indexOf(part) !== -1;
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
  max: (args) => Math.max(...args.map(toNumber)),
  min: (args) => Math.min(...args.map(toNumber)),
  "+": (args) => args.reduce<number>((sum, value) => sum + leadingNumber(value), 0),
  "*": multiply,
  "-": ([a, b]) => (b === undefined ? -toNumber(a) : toNumber(a) - toNumber(b)),
  "/": ([a, b]) => toNumber(a) / toNumber(b),
  "%": ([a, b]) => toNumber(a) % toNumber(b),
  cat: join,
  substr: substring,
  merge,
  in: ([part, whole]) => isIn(part, whole),
  // Logs nothing: rules come from callers. The value is returned, as the standard requires.
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
