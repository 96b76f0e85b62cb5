// Payload schemas of workflows: an invalid or too large one is refused when the workflow is saved. Payloads are validated by
// interpreting the schema (lib/json-schema/json-schema.ts), never by compiling it.
import { Ajv } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import { isObject, type JsonObject } from "../../lib/json.ts";
import { faultsOf } from "../../lib/json-schema/json-schema.ts";
import { brokenReferences } from "../../lib/json-schema/refs.ts";
import { patternFault } from "../../lib/patterns.ts";
import { OverBudget, withinBudget } from "../../lib/work.ts";

export type PayloadFault = { field: string; message: string; value?: unknown; schemaPath: string };

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
  const is2020 = typeof $schema === "string" && $schema.includes("2020-12");
  const validator = is2020 ? metaValidators.draft2020 : metaValidators.draft7;
  try {
    return withinBudget(() => {
      const [fault] = partFaults(schema, [], 1);
      if (fault !== undefined) return fault;
      if (!validator.validateSchema(rest)) return `schema is invalid: ${validator.errorsText(validator.errors)}`;
      const [ref] = brokenReferences(schema);
      return ref === undefined ? null : `can't resolve reference ${ref}`;
    });
  } catch (error) {
    if (error instanceof OverBudget) return "its patterns and references take too much work";
    return (error as Error).message;
  }
}

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

/** Faults of a payload. Fills in the defaults of the schema. */
export function payloadFaults(schema: JsonObject, payload: JsonObject): PayloadFault[] {
  try {
    return withinBudget(() => faultsOf(schema, payload)).map(({ keyword, path, message, schemaPath }) => ({
      field: path.join(".") || "payload",
      message: keyword === "required" ? "is required" : message,
      schemaPath,
    }));
  } catch (error) {
    if (!(error instanceof OverBudget)) throw error;
    return [{ field: "payload", message: "takes too much work to check against the payloadSchema", schemaPath: "#" }];
  }
}
