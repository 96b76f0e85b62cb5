// The keywords of JSON Schema, in the order in which ajv reports them.
import formats from "ajv-formats/dist/formats.js";
import { canonicalJson, isObject, type JsonObject } from "../json.ts";
import { matchesPattern } from "../patterns.ts";
import { charge } from "../work.ts";
import { type Check, fail, fitsPart, fitsTrial, isSameJson } from "./check.ts";

type Fault = [keyword: string, message: string] | null;
export type Keyword<V> = (schema: JsonObject, value: V, check: Check) => boolean;

export function numberFault(keyword: string, limit: unknown, value: number): Fault {
  if (typeof limit !== "number") return null;
  const fault = (isFit: boolean, words: string): Fault => (isFit ? null : [keyword, `must be ${words} ${limit}`]);
  switch (keyword) {
    case "minimum":
      return fault(value >= limit, ">=");
    case "maximum":
      return fault(value <= limit, "<=");
    case "exclusiveMinimum":
      return fault(value > limit, ">");
    case "exclusiveMaximum":
      return fault(value < limit, "<");
    case "multipleOf":
      return fault(Number.isInteger(value / limit), "multiple of");
    default:
      return null;
  }
}

export function textFault(keyword: string, limit: unknown, value: string): Fault {
  switch (keyword) {
    case "minLength":
      return typeof limit === "number" && lengthOf(value) < limit
        ? [keyword, `must NOT have fewer than ${limit} characters`]
        : null;
    case "maxLength":
      return typeof limit === "number" && lengthOf(value) > limit
        ? [keyword, `must NOT have more than ${limit} characters`]
        : null;
    case "pattern":
      return typeof limit === "string" && !matchesPattern(limit, value)
        ? [keyword, `must match pattern "${limit}"`]
        : null;
    case "format":
      return typeof limit === "string" && !hasFormat(limit, value) ? [keyword, `must match format "${limit}"`] : null;
    default:
      return null;
  }
}

/** Code points: characters outside the basic plane are two units of a text, but count once. */
function lengthOf(text: string): number {
  charge(text.length / 2);
  let pairs = 0;
  for (let index = 0; index < text.length; index++) if ((text.charCodeAt(index) & 0xfc00) === 0xdc00) pairs += 1;
  return text.length - pairs;
}

/** The regular expressions of formats take quadratic time. No valid address is longer. */
const maxFormattedLength = 4_096;

function hasFormat(name: string, value: string): boolean {
  const known: unknown = Object.hasOwn(formats.fullFormats, name) ? formats.fullFormats[name as "date"] : true;
  // Unknown formats, and formats of numbers, accept all texts.
  if (known === true || (isObject(known) && "type" in known)) return true;
  charge(value.length * (20 + value.length / 50));
  if (value.length > maxFormattedLength && name !== "byte") return false;
  const test = isObject(known) && "validate" in known ? known.validate : known;
  if (test instanceof RegExp) return test.test(value);
  return typeof test !== "function" || Boolean(test(value));
}

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
const membersOf = (value: unknown): [string, unknown][] => (isObject(value) ? Object.entries(value) : []);

/** Errors of the branches are collected apart: they are reported only when the keyword fails. */
function fitBranches(
  name: string,
  branches: unknown[],
  value: unknown,
  check: Check,
): { count: number; inside: Check } {
  const inside: Check = { ...check, isTrial: true, faults: [] };
  const count = branches.filter((branch, index) => fitsPart([name, String(index)], branch, value, inside)).length;
  return { count, inside };
}

function failWith(check: Check, inside: Check, keyword: string, message: string): false {
  check.faults.push(...inside.faults.slice(0, Math.max(0, 99 - check.faults.length)));
  return fail(check, keyword, message);
}

const common: Record<string, Keyword<unknown>> = {
  enum: ({ enum: values }, value, check) =>
    listOf(values).some((one) => isSameJson(value, one)) ||
    fail(check, "enum", "must be equal to one of the allowed values"),
  const: ({ const: only }, value, check) =>
    isSameJson(value, only) || fail(check, "const", "must be equal to constant"),
  not: ({ not }, value, check) => !fitsTrial(not, value, check) || fail(check, "not", "must NOT be valid"),
  anyOf: ({ anyOf }, value, check) => {
    const { count, inside } = fitBranches("anyOf", listOf(anyOf), value, check);
    return count > 0 || failWith(check, inside, "anyOf", "must match a schema in anyOf");
  },
  oneOf: ({ oneOf }, value, check) => {
    const { count, inside } = fitBranches("oneOf", listOf(oneOf), value, check);
    if (count === 1) return true;
    const reported = count > 1 ? { ...inside, faults: [] } : inside;
    return failWith(check, reported, "oneOf", "must match exactly one schema in oneOf");
  },
  allOf: ({ allOf }, value, check) =>
    listOf(allOf).reduce<boolean>(
      (isFit, branch, index) => fitsPart(["allOf", String(index)], branch, value, check) && isFit,
      true,
    ),
  if: (schema, value, check) => {
    const clause = fitsTrial(schema.if, value, check) ? "then" : "else";
    if (!Object.hasOwn(schema, clause) || fitsPart([clause], schema[clause], value, check)) return true;
    return fail(check, "if", `must match "${clause}" schema`);
  },
};

/** Unlike `Array.every`, does not stop at the first error. */
function every<T>(items: T[], isFit: (item: T) => boolean): boolean {
  let areFit = true;
  for (const item of items) if (!isFit(item)) areFit = false;
  return areFit;
}

const limit =
  (name: string, words: string, isFit: (count: number, limit: number) => boolean): Keyword<object> =>
  (schema, value, check) => {
    const most = schema[name];
    const count = Array.isArray(value) ? value.length : Object.keys(value).length;
    charge(count / 4);
    return (
      typeof most !== "number" ||
      isFit(count, most) ||
      fail(check, name, `must NOT have ${words.replace("#", String(most))}`)
    );
  };

const array: Record<string, Keyword<unknown[]>> = {
  maxItems: limit("maxItems", "more than # items", (count, most) => count <= most),
  minItems: limit("minItems", "fewer than # items", (count, least) => count >= least),
  uniqueItems: ({ uniqueItems }, value, check) => {
    if (uniqueItems !== true) return true;
    const seen = new Map<string, number>();
    let twins: [number, number] | null = null;
    for (const [index, item] of value.entries()) {
      const text = canonicalJson(item);
      charge(20 + 4 * text.length);
      const before = seen.get(text);
      if (before !== undefined) twins = [before, index];
      seen.set(text, index);
    }
    if (!twins) return true;
    const message = `must NOT have duplicate items (items ## ${twins[0]} and ${twins[1]} are identical)`;
    return fail(check, "uniqueItems", message);
  },
  prefixItems: ({ prefixItems }, value, check) => !check.is2020 || fitsTuple("prefixItems", prefixItems, value, check),
  items: (schema, value, check) => {
    const { items, prefixItems } = schema;
    if (Array.isArray(items))
      return fitsTuple("items", items, value, check) && fitsRest(schema, "additionalItems", items.length, value, check);
    return fitsRest(schema, "items", check.is2020 ? listOf(prefixItems).length : 0, value, check);
  },
  contains: ({ contains, minContains = 1, maxContains }, value, check) => {
    const [least, most] = check.is2020 ? [minContains, maxContains] : [1, undefined];
    const count = value.filter((item) => fitsTrial(contains, item, check)).length;
    if (count >= Number(least) && (most === undefined || count <= Number(most))) return true;
    const words = most === undefined ? `at least ${least}` : `at least ${least} and no more than ${most}`;
    return fail(check, "contains", `must contain ${words} valid item(s)`);
  },
};

function fitsTuple(name: string, schemas: unknown, value: unknown[], check: Check): boolean {
  const given = listOf(schemas).slice(0, value.length);
  return every([...given.entries()], ([index, one]) =>
    fitsPart([name, String(index)], one, value[index], check, String(index)),
  );
}

function fitsRest(schema: JsonObject, name: string, first: number, value: unknown[], check: Check): boolean {
  const rest = schema[name];
  if (rest === undefined || value.length <= first) return true;
  if (rest === false && first > 0) return fail(check, name, `must NOT have more than ${first} items`);
  const indexes = Array.from({ length: value.length - first }, (_, index) => first + index);
  return every(indexes, (index) => fitsPart([name], rest, value[index], check, String(index)));
}

const object: Record<string, Keyword<JsonObject>> = {
  maxProperties: limit("maxProperties", "more than # properties", (count, most) => count <= most),
  minProperties: limit("minProperties", "fewer than # properties", (count, least) => count >= least),
  required: ({ required }, value, check) =>
    every(listOf(required), (name) => {
      charge(5);
      if (typeof name !== "string" || (Object.hasOwn(value, name) && value[name] !== undefined)) return true;
      return failAt(check, "required", name, `must have required property '${name}'`);
    }),
  propertyNames: ({ propertyNames }, value, check) =>
    every(Object.keys(value), (key) => {
      const inside: Check = { ...check, isTrial: true, faults: [] };
      return (
        fitsPart(["propertyNames"], propertyNames, key, inside) ||
        failWith(check, inside, "propertyNames", "property name must be valid")
      );
    }),
  patternProperties: ({ patternProperties }, value, check) =>
    every(membersOf(patternProperties), ([pattern, part]) =>
      every(
        Object.keys(value).filter((key) => matchesPattern(pattern, key)),
        (key) => fitsPart(["patternProperties", pattern], part, value[key], check, key),
      ),
    ),
  additionalProperties: (schema, value, check) =>
    every(additionalKeys(schema, value), (key) => {
      if (schema.additionalProperties === false)
        return fail(check, "additionalProperties", "must NOT have additional properties");
      return fitsPart(["additionalProperties"], schema.additionalProperties, value[key], check, key);
    }),
  properties: ({ properties }, value, check) =>
    every(membersOf(properties), ([key, part]) => {
      charge(10);
      return !Object.hasOwn(value, key) || fitsPart(["properties", key], part, value[key], check, key);
    }),
  dependencies: ({ dependencies }, value, check) => fitsDependencies("dependencies", dependencies, value, check),
  dependentRequired: ({ dependentRequired }, value, check) =>
    !check.is2020 || fitsDependencies("dependentRequired", dependentRequired, value, check),
  dependentSchemas: ({ dependentSchemas }, value, check) =>
    !check.is2020 || fitsDependencies("dependentSchemas", dependentSchemas, value, check),
};

/** The path of the error includes the missing member. */
function failAt(check: Check, keyword: string, name: string, message: string): false {
  check.path.push(name);
  fail(check, keyword, message);
  check.path.pop();
  return false;
}

/** Runs before `required` is checked. Trials do not change the value. */
export function fillDefaults(properties: unknown, value: JsonObject, check: Check): void {
  if (check.isTrial) return;
  for (const [key, part] of membersOf(properties)) {
    if (!isObject(part) || part.default === undefined || value[key] !== undefined || key === "__proto__") continue;
    const text = JSON.stringify(part.default);
    charge(20 + 4 * text.length);
    value[key] = JSON.parse(text);
  }
}

/** The keys that neither `properties` nor `patternProperties` cover. */
export function additionalKeys({ properties, patternProperties }: JsonObject, value: JsonObject): string[] {
  const patterns = membersOf(patternProperties).map(([pattern]) => pattern);
  const keys = Object.keys(value);
  charge(keys.length * 10);
  return keys.filter(
    (key) =>
      !(isObject(properties) && Object.hasOwn(properties, key)) &&
      !patterns.some((pattern) => matchesPattern(pattern, key)),
  );
}

const fitsDependencies = (name: string, dependencies: unknown, value: JsonObject, check: Check): boolean =>
  every(membersOf(dependencies), ([key, needed]) => {
    charge(10);
    if (!Object.hasOwn(value, key)) return true;
    if (!Array.isArray(needed)) return fitsPart([name, key], needed, value, check);
    if (needed.every((one) => Object.hasOwn(value, String(one)))) return true;
    const words = needed.length === 1 ? "property" : "properties";
    return fail(check, name, `must have ${words} ${needed.join(", ")} when property ${key} is present`);
  });

export const commonKeywords = Object.entries(common);
export const arrayKeywords = Object.entries(array);
export const objectKeywords = Object.entries(object);
