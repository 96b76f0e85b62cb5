import { isJsonObject, type JsonObject } from "../schema.ts";
import { closed, controls, defineStep, flag, result, show, skip, skipEditor, text } from "./kit.ts";

export const httpMethods = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"] as const;
export type HttpMethod = (typeof httpMethods)[number];

const pair = {
  type: "object",
  additionalProperties: false,
  properties: { key: { ...text, maxLength: 256 }, value: { type: "string", maxLength: 8_192 } },
  required: ["key", "value"],
};

/** What later steps read: the declared properties of the response, or its body, and the status. */
function resultsOf({ responseBodySchema }: JsonObject): JsonObject {
  const declared = isJsonObject(responseBodySchema) ? responseBodySchema.properties : undefined;
  const properties = isJsonObject(declared) ? declared : {};
  return closed({ ...(Object.keys(properties).length > 0 ? properties : { body: {} }), status: result.number });
}

export default defineStep({
  label: "HTTP request",
  kind: "custom",
  position: 13,
  controls: controls(
    {
      skip,
      method: { type: "string", enum: [...httpMethods], default: "POST" },
      url: { ...text, maxLength: 4_096 },
      headers: { type: "array", maxItems: 50, items: pair },
      // JSON text with variables; older workflows have pairs.
      body: { type: ["string", "array"], maxLength: 65_536, maxItems: 100, items: pair },
      responseBodySchema: { type: "object", additionalProperties: true },
      enforceSchemaValidation: flag,
      continueOnFailure: flag,
      sampleResponse: {
        type: "object",
        additionalProperties: false,
        properties: { status: { type: "integer", minimum: 100, maximum: 599 }, body: {} },
      },
    },
    { required: ["method", "url"] },
  ),
  ui: {
    group: "HTTP_REQUEST",
    properties: {
      method: show("HTTP_REQUEST_METHOD", "POST"),
      url: show("HTTP_REQUEST_URL"),
      headers: show("HTTP_REQUEST_HEADERS"),
      body: show("HTTP_REQUEST_BODY"),
      responseBodySchema: show("HTTP_REQUEST_RESPONSE_SCHEMA"),
      enforceSchemaValidation: show("HTTP_REQUEST_ENFORCE_SCHEMA", false),
      continueOnFailure: show("HTTP_REQUEST_CONTINUE", false),
      sampleResponse: show("HTTP_REQUEST_SAMPLE"),
      ...skipEditor,
    },
  },
  results: ({ controlValues }) => resultsOf(controlValues),
});
