// Payload schemas of workflows: an invalid or too large one is refused when the workflow is saved. Payloads are
// validated in `pipeline/trigger/`.
import { Ajv } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import { isObject, type JsonObject } from "../../lib/json.ts";
import { faultsOf, isOfDraft7 } from "../../lib/json-schema/json-schema.ts";
import { brokenReferences } from "../../lib/json-schema/refs.ts";
import { patternFault } from "../../lib/patterns.ts";
import { charge, OverBudgetError, withinBudget } from "../../lib/work.ts";

const maxSchemaLength = 200_000;
const maxSchemaDepth = 64;

/** Validate schemas against their meta-schema; they compile nothing that a caller wrote. */
const metaValidators = { draft7: new Ajv({ strict: false }), draft2020: new Ajv2020({ strict: false }) };

/** Why a schema cannot be saved, worded to follow "payloadSchema is not a valid JSON Schema: "; null when it can. */
export function payloadSchemaFault(schema: JsonObject): string | null {
  const { length } = JSON.stringify(schema);
  if (length > maxSchemaLength)
    return `it must not be longer than ${maxSchemaLength} characters of JSON, and has ${length}`;
  if (schema.$async !== undefined) return "$async is not supported";
  const { $schema, ...rest } = schema;
  try {
    return withinBudget(() => {
      const [fault] = partFaults(schema, [], 1);
      if (fault !== undefined) return fault;
      for (const validator of validatorsFor(schema)) {
        if (!validator.validateSchema(rest)) return `schema is invalid: ${validator.errorsText(validator.errors)}`;
      }
      const [ref] = brokenReferences(schema);
      return ref === undefined ? null : `can't resolve reference ${ref}`;
    });
  } catch (error) {
    if (error instanceof OverBudgetError) return "its patterns and references take too much work";
    return (error as Error).message;
  }
}

/** Without `$schema`, the keywords of both drafts count; only a list of `items` belongs to draft 7 alone. */
function validatorsFor(schema: JsonObject): (Ajv | Ajv2020)[] {
  const { draft7, draft2020 } = metaValidators;
  if (isOfDraft7(schema) || hasTuple(schema)) return [draft7];
  return schema.$schema === undefined ? [draft7, draft2020] : [draft2020];
}

const hasTuple = (part: unknown): boolean =>
  typeof part === "object" &&
  part !== null &&
  ((isObject(part) && Array.isArray(part.items)) || Object.values(part).some(hasTuple));

/** Patterns that the regular-expression engine does not support, and parts that are nested too deep. */
function* partFaults(part: unknown, path: string[], depth: number): Generator<string> {
  if (typeof part !== "object" || part === null) return;
  if (depth > maxSchemaDepth) yield `it must not be nested deeper than ${maxSchemaDepth} levels`;
  if (isObject(part)) {
    const { pattern, patternProperties } = part;
    if (typeof pattern === "string") yield* patternFaults([pattern], [...path, "pattern"]);
    if (isObject(patternProperties))
      yield* patternFaults(Object.keys(patternProperties), [...path, "patternProperties"]);
  }
  for (const [key, member] of Object.entries(part)) yield* partFaults(member, [...path, key], depth + 1);
}

function* patternFaults(patterns: string[], path: string[]): Generator<string> {
  for (const pattern of patterns) {
    const fault = patternFault(pattern);
    if (fault)
      yield `${path.join(".")} has an expression that cannot be used, ${JSON.stringify(pattern.slice(0, 100))}: ${fault}`;
  }
}

export type DefaultFault = { path: string; message: string };

/** Defaults that do not fit their schema: a payload without the member gets them, and is refused. */
export function defaultFaults(schema: JsonObject): DefaultFault[] {
  try {
    return withinBudget(() => [...defaultFaultsIn(schema, schema, [])].slice(0, 20));
  } catch (error) {
    if (error instanceof OverBudgetError) return [];
    throw error;
  }
}

function* defaultFaultsIn(root: JsonObject, part: unknown, path: string[]): Generator<DefaultFault> {
  if (typeof part !== "object" || part === null || path.length > maxSchemaDepth) return;
  charge(10);
  for (const [key, member] of isObject(part) && isObject(part.properties) ? Object.entries(part.properties) : []) {
    if (!isObject(member) || member.default === undefined) continue;
    const [fault] = faultsOf(root, structuredClone(member.default), member);
    const at = [...path, "properties", key, "default"].join(".");
    if (fault) yield { path: at, message: `${at} does not fit its own schema: it ${fault.message}` };
  }
  for (const [key, member] of Object.entries(part)) yield* defaultFaultsIn(root, member, [...path, key]);
}
