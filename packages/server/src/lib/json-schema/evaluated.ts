// The members of a value that a schema evaluates, for `unevaluatedProperties` and `unevaluatedItems`.
import { isObject, type JsonObject } from "../json.ts";
import { charge, OverBudgetError } from "../work.ts";
import { type Check, fitsTrial } from "./check.ts";
import { additionalKeys } from "./keywords.ts";
import { resolveRef } from "./refs.ts";

/** Stops at circular references. */
const maxDepth = 100;

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

/** The evaluated keys of an object, or indexes of a list. */
export function evaluatedKeys(schema: unknown, value: object, check: Check, depth = 0): Set<string> {
  const keys = Object.keys(value);
  charge(40 + keys.length * 10);
  if (depth > maxDepth) throw new OverBudgetError();
  if (!isObject(schema)) return new Set();
  if (evaluatesAll(schema, value)) return new Set(keys);
  const evaluated = ownKeys(schema, value, keys, check);
  for (const part of partsOf(schema, value, check)) {
    for (const key of evaluatedKeys(part, value, check, depth + 1)) evaluated.add(key);
  }
  return evaluated;
}

const evaluatesAll = (schema: JsonObject, value: object): boolean =>
  Array.isArray(value)
    ? schema.unevaluatedItems !== undefined || (schema.items !== undefined && !Array.isArray(schema.items))
    : schema.additionalProperties !== undefined || schema.unevaluatedProperties !== undefined;

function ownKeys(schema: JsonObject, value: object, keys: string[], check: Check): Set<string> {
  if (!Array.isArray(value)) {
    const others = new Set(additionalKeys(schema, value as JsonObject));
    return new Set(keys.filter((key) => !others.has(key)));
  }
  const { prefixItems, contains } = schema;
  const first = listOf(prefixItems).length;
  const isEvaluated = (index: number) =>
    index < first || (contains !== undefined && fitsTrial(contains, value[index], check));
  return new Set(keys.filter((_, index) => isEvaluated(index)));
}

/** The parts of the schema that apply to the same value. */
function* partsOf(schema: JsonObject, value: object, check: Check): Generator<unknown> {
  const { if: condition, allOf, anyOf, oneOf, $ref, dependentSchemas } = schema;
  yield* listOf(allOf);
  for (const part of [...listOf(anyOf), ...listOf(oneOf)]) if (fitsTrial(part, value, check)) yield part;
  if (condition !== undefined) {
    const isMet = fitsTrial(condition, value, check);
    if (isMet) yield condition;
    yield isMet ? schema.then : schema.else;
  }
  if (typeof $ref === "string") yield resolveRef(check.root, schema, $ref);
  for (const [key, part] of isObject(dependentSchemas) ? Object.entries(dependentSchemas) : []) {
    if (Object.hasOwn(value, key)) yield part;
  }
}
