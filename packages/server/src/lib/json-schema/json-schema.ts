// JSON Schema (draft 7 and 2020-12) as an interpreter. The compiler ajv takes 20 µs per byte of a schema, and its
// compiled functions cannot be stopped: short recursive schemas run for ever on any value. Here every comparison of a
// part of a schema with a part of a value is charged to a budget of work (lib/work.ts), and there is nothing to compile
// or to cache.
//
// Errors are worded as ajv words them. Schemas may be unchecked: keywords with invalid values are ignored.
import { isObject, type JsonObject } from "../json.ts";
import { charge, OverBudgetError } from "../work.ts";
import { type Check, fail, fitsPart, type SchemaFault } from "./check.ts";
import { evaluatedKeys } from "./evaluated.ts";
import {
  arrayKeywords,
  commonKeywords,
  fillDefaults,
  type Keyword,
  numberFault,
  objectKeywords,
  textFault,
} from "./keywords.ts";
import { resolveRef } from "./refs.ts";

const partCost = 40;
/** A value has at most 200 levels. A schema that refers to itself without going down a level would never end. */
const maxDepth = 600;

/** Whether a schema says that it is of draft 7 or earlier. Otherwise the keywords of both drafts count. */
export const isOfDraft7 = ({ $schema }: JsonObject): boolean =>
  typeof $schema === "string" && /draft-0[3-7]/.test($schema);

/**
 * The errors of a value against a part of a schema, 100 at most. Fills the defaults into the value. Throws
 * OverBudgetError.
 */
export function faultsOf(root: JsonObject, value: unknown, part: unknown = root): SchemaFault[] {
  const is2020 = !isOfDraft7(root);
  const check: Check = { root, is2020, path: [], schemaPath: [], depth: 0, isTrial: false, faults: [], fits };
  fits(part, value, check);
  return check.faults;
}

/** Whether the value fits the schema; collects the errors. */
function fits(schema: unknown, value: unknown, check: Check): boolean {
  charge(partCost);
  if (schema === false) return fail(check, "false schema", "boolean schema is false");
  if (!isObject(schema)) return true;
  if (++check.depth > maxDepth) throw new OverBudgetError();
  const isFit = fitsObject(schema, value, check);
  check.depth -= 1;
  return isFit;
}

function fitsObject(schema: JsonObject, value: unknown, check: Check): boolean {
  let isFit = fitsType(schema, value, check);
  for (const name of ["$ref", "$dynamicRef", "$recursiveRef"]) {
    const ref = schema[name];
    if (typeof ref !== "string") continue;
    const target = resolveRef(check.root, schema, ref);
    const outer = check.schemaPath;
    check.schemaPath = [ref.replace(/^#\/?/, "")].filter(Boolean);
    if (target !== undefined && !fits(target, value, check)) isFit = false;
    check.schemaPath = outer;
  }
  const note = (fault: [keyword: string, message: string] | null) => {
    if (fault) isFit = fail(check, ...fault);
  };
  if (typeof value === "number") for (const name of Object.keys(schema)) note(numberFault(name, schema[name], value));
  if (typeof value === "string") for (const name of Object.keys(schema)) note(textFault(name, schema[name], value));
  const apply = <V>(keywords: [string, Keyword<V>][], given: V) => {
    for (const [name, keyword] of keywords) {
      if (Object.hasOwn(schema, name) && !keyword(schema, given, check)) isFit = false;
    }
  };
  apply(commonKeywords, value);
  if (Array.isArray(value)) apply(arrayKeywords, value);
  if (isObject(value)) {
    // As in ajv, `not`, `anyOf` and the like see the value as it was sent.
    fillDefaults(schema.properties, value, check);
    apply(objectKeywords, value);
  }
  if (check.is2020 && isObject(value) && Object.hasOwn(schema, "unevaluatedProperties")) {
    if (!fitsUnevaluated("unevaluatedProperties", schema, value, check)) isFit = false;
  }
  if (check.is2020 && Array.isArray(value) && Object.hasOwn(schema, "unevaluatedItems")) {
    if (!fitsUnevaluated("unevaluatedItems", schema, value, check)) isFit = false;
  }
  return isFit;
}

function fitsUnevaluated(name: string, schema: JsonObject, value: object, check: Check): boolean {
  const { [name]: rest, ...others } = schema;
  const seen = evaluatedKeys(others, value, check);
  let isFit = true;
  for (const [key, member] of Object.entries(value)) {
    if (seen.has(key)) continue;
    if (rest === false)
      return fail(check, name, `must NOT have ${name.replace("unevaluated", "unevaluated ").toLowerCase()}`);
    if (!fitsPart([name], rest, member, check, key)) isFit = false;
  }
  return isFit;
}

function fitsType({ type, nullable }: JsonObject, value: unknown, check: Check): boolean {
  if (type === undefined || (nullable === true && value === null)) return true;
  const types = Array.isArray(type) ? type : [type];
  if (types.some((one) => isOfType(value, one))) return true;
  return fail(check, "type", `must be ${types.join(",")}`);
}

function isOfType(value: unknown, type: unknown): boolean {
  switch (type) {
    case "integer":
      return Number.isInteger(value);
    case "number":
      return typeof value === "number" && Number.isFinite(value);
    case "null":
      return value === null;
    case "array":
      return Array.isArray(value);
    case "object":
      return isObject(value);
    default:
      // "string" and "boolean"; any other name fits nothing.
      return typeof value === type;
  }
}
