// Conditions: JSON Logic that callers save with subscriptions and steps, checked when saved and evaluated when an event
// arrives. Pure, and safe against hostile rules: no operator reads a prototype, and depth and work are bounded.
//
// The interpreter is our own, because every part of a rule has to be charged to a budget of work (lib/work.ts). This
// file has control flow and iteration; the operators on values are in condition-operators.ts.
import { isTruthy, memberAt, operators } from "./condition-operators.ts";
import { isObject } from "./json.ts";
import { charge, OverBudgetError, withinBudget } from "./work.ts";

/** Levels of nesting in a saved rule. */
const maxDepth = 32;

/** Work of one part of a rule, in addition to what its operator charges. */
const partCost = 20;

type Control = (args: unknown[], data: unknown, depth: number) => unknown;

/** What is wrong with a rule, worded to follow the name of its field; null when it can be saved. */
export function conditionFault(rule: unknown): string | null {
  if (!isObject(rule)) return "must be an object";
  return faultIn(rule, 1);
}

function faultIn(part: unknown, depth: number): string | null {
  if (typeof part !== "object" || part === null) return null;
  if (depth > maxDepth) return `must not be nested deeper than ${maxDepth} levels`;
  if (!Array.isArray(part)) {
    const names = Object.keys(part);
    if (names.length === 0) return null;
    if (names.length > 1) return `must have one operator per object, not ${names.slice(0, 5).join(", ")}`;
    if (!known.has(names[0]!)) return `uses an unknown operator: ${names[0]}`;
  }
  for (const member of Object.values(part)) {
    const fault = faultIn(member, depth + 1);
    if (fault) return fault;
  }
  return null;
}

/** The value of a rule. Throws when the rule cannot be evaluated. */
export function evaluate(rule: unknown, data: Record<string, unknown>): unknown {
  try {
    return withinBudget(() => run(rule, data, 1));
  } catch (error) {
    if (error instanceof OverBudgetError) throw new RangeError(`the rule takes too long: ${error.message}`);
    throw error;
  }
}

function run(part: unknown, data: unknown, depth: number): unknown {
  if (typeof part !== "object" || part === null) return part;
  charge(partCost);
  // Rules that were checked when saved never get this deep.
  if (depth > 4 * maxDepth) throw new RangeError("the rule is nested too deep");
  if (Array.isArray(part)) return runAll(part, data, depth);
  const names = Object.keys(part);
  const [name] = names;
  if (name === undefined) return part;
  if (names.length > 1 || !known.has(name)) throw new Error(`the rule uses an unknown operator: ${name}`);
  const given = (part as Record<string, unknown>)[name];
  // A single argument may appear without a list around it.
  const args = Array.isArray(given) ? given : [given];
  const control = Object.hasOwn(controls, name) ? controls[name] : undefined;
  return control ? control(args, data, depth + 1) : valueOperators[name]!(runAll(args, data, depth), data);
}

function runAll(parts: unknown[], data: unknown, depth: number): unknown[] {
  charge(parts.length);
  return parts.map((part) => run(part, data, depth + 1));
}

const valueOperators: Readonly<Record<string, (args: unknown[], data: unknown) => unknown>> = {
  ...operators,
  var: readVariable,
  missing,
  missing_some: ([needed, names], data) => {
    const absent = missing(Array.isArray(names) ? names : [names], data);
    return (names as unknown[]).length - absent.length >= (needed as number) ? [] : absent;
  },
};

function readVariable([path, otherwise = null]: unknown[], data: unknown): unknown {
  const value = memberAt(data, path);
  return value === undefined ? otherwise : value;
}

/**
 * The names without a value: of the arguments, or of the list that is the first one. A name may be a list, as the
 * arguments of `var` are.
 */
function missing(args: unknown[], data: unknown): unknown[] {
  return (Array.isArray(args[0]) ? args[0] : args).filter((name) => {
    charge(partCost);
    const value = readVariable(Array.isArray(name) ? name : [name], data);
    return value === null || value === "";
  });
}

/** `[condition, value, condition, value, …, otherwise]`. */
function choose(args: unknown[], data: unknown, depth: number): unknown {
  for (let index = 0; index + 1 < args.length; index += 2) {
    if (isTruthy(run(args[index], data, depth))) return run(args[index + 1], data, depth);
  }
  return args.length % 2 === 1 ? run(args.at(-1), data, depth) : null;
}

/** The value of the first argument with this truth, or of the last one. */
const firstWithTruth =
  (truth: boolean): Control =>
  (args, data, depth) => {
    let value: unknown;
    for (const part of args) {
      value = run(part, data, depth);
      if (isTruthy(value) === truth) return value;
    }
    return value;
  };

/** The items of the first argument; a value that is not a list has none, as in the reference implementation. */
function itemsOf(args: unknown[], data: unknown, depth: number): unknown[] {
  const items = run(args[0], data, depth);
  if (!Array.isArray(items)) return [];
  charge(items.length * 2);
  return items;
}

/** Whether the rule has this truth for one of the items. */
const holdsForSome = (items: unknown[], rule: unknown, depth: number, truth: boolean): boolean =>
  items.some((item) => isTruthy(run(rule, item, depth)) === truth);

const holdsForAny: Control = (args, data, depth) => holdsForSome(itemsOf(args, data, depth), args[1], depth, true);

const controls: Readonly<Record<string, Control>> = {
  if: choose,
  "?:": choose,
  and: firstWithTruth(false),
  or: firstWithTruth(true),
  map: (args, data, depth) => itemsOf(args, data, depth).map((item) => run(args[1], item, depth)),
  filter: (args, data, depth) => itemsOf(args, data, depth).filter((item) => isTruthy(run(args[1], item, depth))),
  // False without items, as in the reference implementation.
  all: (args, data, depth) => {
    const items = itemsOf(args, data, depth);
    return items.length > 0 && !holdsForSome(items, args[1], depth, false);
  },
  some: holdsForAny,
  none: (args, data, depth) => !holdsForAny(args, data, depth),
  // Starts from null by default. For a value that is not a list, the result is the start.
  reduce: ([list, step, start], data, depth) => {
    const items = run(list, data, depth);
    const first = start === undefined ? null : run(start, data, depth);
    if (!Array.isArray(items)) return first;
    charge(items.length * 2);
    return items.reduce<unknown>((accumulator, current) => run(step, { current, accumulator }, depth), first);
  },
};

export const conditionOperators: readonly string[] = [...Object.keys(controls), ...Object.keys(valueOperators)];
const known = new Set(conditionOperators);
