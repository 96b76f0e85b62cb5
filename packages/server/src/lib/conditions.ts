// Conditions: JSON Logic that callers save with subscriptions and steps, checked when saved and evaluated when an event
// arrives. Pure, and safe against whoever wrote the rule: no prototype is reached, and depth and work have an end.
//
// The interpreter and its control flow are json-logic-engine's. Its operators on values are not used, because they leave
// the standard where it matters here: comparing a text with a number throws instead of being false, a missing value
// equals 0, and `var` reaches inherited members. Ours are in condition-operators.ts.
import { defaultMethods, LogicEngine } from "json-logic-engine";
import { isTruthy, memberAt, operators } from "./condition-operators.ts";
import { isObject } from "./json.ts";

/** Nesting of a rule. */
const maxDepth = 32;

/** Parts of a rule evaluated for one answer: iterations inside iterations would otherwise take hours. */
const maxWork = 100_000;

const controlFlow = ["if", "?:", "and", "or", "map", "filter", "all", "some", "none", "reduce"] as const;
const dataAccess = ["var", "missing", "missing_some"] as const;

export const conditionOperators: readonly string[] = [...controlFlow, ...dataAccess, ...Object.keys(operators)];
const known = new Set(conditionOperators);

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

// One evaluation at a time: it is synchronous and never calls back.
let work = 0;
let depth = 0;

/** The value of a rule. Throws when the rule cannot be evaluated, which callers treat as their rules say. */
export function evaluate(rule: unknown, data: Record<string, unknown>): unknown {
  work = 0;
  depth = 0;
  return engine.run(rule, data);
}

type Method = (args: unknown, data: unknown, above: unknown, engine: LogicEngine) => unknown;

function createEngine(): LogicEngine {
  const methods: Record<string, unknown> = Object.create(null);
  for (const name of controlFlow) methods[name] = (defaultMethods as Record<string, unknown>)[name];
  for (const [name, operator] of Object.entries(operators)) methods[name] = lazy((args) => operator(args));
  methods.var = lazy(([path, otherwise = null], data) => {
    const value = memberAt(data, path);
    return value === undefined ? otherwise : value;
  });
  methods.missing = lazy((args, data) => missing(Array.isArray(args[0]) ? args[0] : args, data));
  methods.missing_some = lazy(([needed, names], data) => {
    const absent = missing(names as unknown[], data);
    return (names as unknown[]).length - absent.length >= (needed as number) ? [] : absent;
  });
  methods.reduce = { lazy: true, method: reduce };

  const created = new LogicEngine(methods, { disableInterpretedOptimization: true });
  // The engine copies the table into an ordinary object, where a rule could find `constructor`.
  created.methods = methods;
  created.truthy = isTruthy;
  const run = created.run.bind(created);
  created.run = (logic, data, options) => {
    if (++work > maxWork) throw new RangeError("the rule takes too long");
    if (++depth > 4 * maxDepth) throw new RangeError("the rule is nested too deep");
    const value = run(logic, data, options);
    depth--;
    return value;
  };
  return created;
}

/** Operators get the list of their evaluated arguments; a single one may stand without a list around it. */
const lazy = (operator: (args: unknown[], data: unknown) => unknown): { lazy: true; method: Method } => ({
  lazy: true,
  method: (args, data, above, current) => {
    const list = Array.isArray(args) ? args : [args];
    return operator(
      list.map((part) => current.run(part, data, { above })),
      data,
    );
  },
});

const missing = (names: unknown[], data: unknown): unknown[] =>
  names.filter((name) => {
    const value = memberAt(data, name);
    return value === undefined || value === null || value === "";
  });

/** Unlike the engine's, starts from null when the rule names no start, and an empty list is no error. */
const reduce: Method = (args, data, above, current) => {
  const [list, step, start] = args as unknown[];
  const items = current.run(list, data, { above });
  const first = start === undefined ? null : current.run(start, data, { above });
  if (!Array.isArray(items)) return first;
  return items.reduce<unknown>(
    (accumulator, item) => current.run(step, { current: item, accumulator }, { above }),
    first,
  );
};

const engine = createEngine();
