// What the payload schema of a workflow says about a payload. The schema is interpreted
// (lib/json-schema/json-schema.ts), never compiled.
import type { JsonObject } from "../../lib/json.ts";
import { faultsOf } from "../../lib/json-schema/json-schema.ts";
import { OverBudgetError, withinBudget } from "../../lib/work.ts";

export type PayloadFault = { field: string; message: string; value?: unknown; schemaPath: string };

/** Whether the schema may fill in a member. */
const hasDefaults = (schema: JsonObject): boolean => JSON.stringify(schema).includes('"default":');

/** Fills in the defaults of a schema that payloads are not validated against. */
export function fillPayloadDefaults(schema: JsonObject, payload: JsonObject): void {
  if (hasDefaults(schema)) payloadFaults(schema, payload);
}

/** Errors of a payload. Fills in the defaults of the schema. */
export function payloadFaults(schema: JsonObject, payload: JsonObject): PayloadFault[] {
  try {
    return withinBudget(() => faultsOf(schema, payload)).map(({ keyword, path, message, schemaPath }) => ({
      field: path.join(".") || "payload",
      message: keyword === "required" ? "is required" : message,
      schemaPath,
    }));
  } catch (error) {
    if (!(error instanceof OverBudgetError)) throw error;
    return [{ field: "payload", message: "takes too much work to check against the payloadSchema", schemaPath: "#" }];
  }
}
