// What a response means for the run: the result that later steps read, or why it is not one. Pure.
import { isObject, type JsonObject } from "../../lib/json.ts";
import { faultsOf } from "../../lib/json-schema/json-schema.ts";
import { OverBudgetError, withinBudget } from "../../lib/work.ts";
import { storeFault } from "../asks/storable.ts";
import type { HttpResponse, RequestReply } from "./call.ts";

/** What later steps read as `steps.<id>`; longer ones are refused, because every later step loads them. */
const maxResultLength = 65_536;

type Result = { output: JsonObject } | { fault: string };

/** The result of a successful call. */
export function readResponse(values: JsonObject, response: HttpResponse): Result {
  const schema = schemaOf(values);
  if (schema && !response.isJson && response.body !== null) return { fault: "its response is not JSON" };
  const mismatch = schema && values.enforceSchemaValidation === true ? schemaFault(schema, response.body) : null;
  if (mismatch) return { fault: mismatch };
  const output = outputOf(values, response);
  const fault = storeFault(output) ?? lengthFault(output, schema !== null);
  return fault ? { fault } : { output };
}

/** The result of a failed call after which the run continues: what can be stored of the last response. */
export function failedOutput(values: JsonObject, response: HttpResponse | null): JsonObject {
  if (!response) return { status: null };
  const output = outputOf(values, response);
  return storeFault(output) === null && lengthFault(output, false) === null ? output : { status: response.status };
}

/** `status` is that of the response, even if the schema declares such a property. */
function outputOf(values: JsonObject, { status, body }: HttpResponse): JsonObject {
  const schema = schemaOf(values);
  if (!schema) return { body, status };
  const given = isObject(body) ? body : {};
  const names = Object.keys(schema.properties).filter((name) => Object.hasOwn(given, name));
  return { ...Object.fromEntries(names.map((name) => [name, given[name]])), status };
}

/** A schema that declares properties; any other says nothing about the result. */
function schemaOf({ responseBodySchema: schema }: JsonObject): (JsonObject & { properties: JsonObject }) | null {
  if (!isObject(schema) || !isObject(schema.properties)) return null;
  return Object.keys(schema.properties).length > 0 ? { ...schema, properties: schema.properties } : null;
}

/** Why the body does not match the schema: the first member that does not. Fills in the defaults of the schema. */
export function schemaFault(schema: JsonObject, body: unknown): string | null {
  try {
    const [fault] = withinBudget(() => faultsOf(schema, body));
    if (!fault) return null;
    const member = fault.path.length > 0 ? fault.path.join(".") : "its body";
    return `its response does not match the schema: ${member} ${fault.message}`;
  } catch (error) {
    if (!(error instanceof OverBudgetError)) throw error;
    return "its response takes too much work to compare with the schema";
  }
}

function lengthFault(output: JsonObject, hasSchema: boolean): string | null {
  const { length } = JSON.stringify(output);
  if (length <= maxResultLength) return null;
  const advice = hasSchema ? "declare fewer properties" : "declare the properties you need in responseBodySchema";
  return `its response has ${length} characters, and a result may have ${maxResultLength}: ${advice}`;
}

/**
 * The reply that is assumed where no request is sent: the sample response of the step, or a success without a body. A
 * body that is missing is not compared with the schema.
 */
export function assumedReply({ sampleResponse: sample }: JsonObject): RequestReply {
  const { status, body } = isObject(sample) ? sample : {};
  const code = typeof status === "number" ? status : 200;
  const response = { status: code, headers: {}, body: structuredClone(body ?? null), isJson: body !== undefined };
  const isSuccess = code >= 200 && code < 300;
  return {
    outcome: isSuccess
      ? { kind: "accepted" }
      : {
          kind: "rejected",
          class: "content",
          reason: `its sample response has the status ${code}`,
          isDecidedLocally: true,
        },
    response,
    tookMs: 0,
    isAssumed: true,
  };
}
