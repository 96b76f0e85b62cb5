// Which members of a value a schema has said something about, for `unevaluatedProperties` and `unevaluatedItems`.
import { isObject } from "../json.ts";
import { charge, OverBudget } from "../work.ts";
import { type Check, triesPart } from "./json-schema.ts";
import { additionalKeys } from "./keywords.ts";
import { findReferred } from "./refs.ts";

type JsonObject = Record<string, unknown>;

/** References in circles say nothing new. */
const deepest = 100;

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

/** The keys of an object, or the indexes of a list. */
export function evaluatedKeys(schema: unknown, value: object, check: Check, depth = 0): Set<string> {
  const keys = Object.keys(value);
  charge(40 + keys.length * 10);
  if (depth > deepest) throw new OverBudget();
  if (!isObject(schema)) return new Set();
  if (saysAll(schema, value)) return new Set(keys);
  const seen = ownKeys(schema, value, keys, check);
  for (const part of partsOf(schema, value, check)) {
    for (const key of evaluatedKeys(part, value, check, depth + 1)) seen.add(key);
  }
  return seen;
}

const saysAll = (schema: JsonObject, value: object): boolean =>
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
  const isSeen = (index: number) =>
    index < first || (contains !== undefined && triesPart(contains, value[index], check));
  return new Set(keys.filter((_, index) => isSeen(index)));
}

/** The parts of the schema that apply to the same value. */
function* partsOf(schema: JsonObject, value: object, check: Check): Generator<unknown> {
  const { if: condition, allOf, anyOf, oneOf, $ref, dependentSchemas } = schema;
  yield* listOf(allOf);
  for (const part of [...listOf(anyOf), ...listOf(oneOf)]) if (triesPart(part, value, check)) yield part;
  if (condition !== undefined) {
    const isMet = triesPart(condition, value, check);
    if (isMet) yield condition;
    yield isMet ? schema.then : schema.else;
  }
  if (typeof $ref === "string") yield findReferred(check.root, schema, $ref);
  for (const [key, part] of isObject(dependentSchemas) ? Object.entries(dependentSchemas) : []) {
    if (Object.hasOwn(value, key)) yield part;
  }
}
