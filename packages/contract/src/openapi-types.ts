// The parts of an OpenAPI 3.1 document that the service writes.
import type { JsonObject } from "./schema.ts";

export type JsonSchema = JsonObject;
export type OpenApiParameter = {
  name: string;
  in: "path" | "query" | "header";
  required: boolean;
  description?: string;
  deprecated?: boolean;
  schema: JsonSchema;
  style?: string;
  explode?: boolean;
};
export type Reference = { $ref: string };
export type Content = { [mediaType: string]: { schema: JsonSchema } };
export type OpenApiResponse = {
  description: string;
  headers: Record<string, Reference>;
  content?: Content;
  /** The errors of this status, for readers that want more than the description's prose. */
  "x-errors"?: { code: string; message: string; when: string }[];
};
export type OpenApiOperation = {
  operationId: string;
  tags: string[];
  summary: string;
  description?: string;
  parameters: (OpenApiParameter | Reference)[];
  requestBody?: { required: boolean; content: Content };
  /** Only where it is not the document's. */
  security?: Record<string, string[]>[];
  responses: Record<string, OpenApiResponse | Reference>;
  "x-rate-limit-category": string;
  /** The minimum role of a member who may call it; absent where members do not. */
  "x-tidings-role"?: string;
  /** The scopes of API keys that contain it, in addition to a list with it; absent where keys do not call it. */
  "x-tidings-key-scopes"?: string[];
  /** Members of the body that need a higher role than the operation itself. */
  "x-tidings-member-roles"?: Record<string, string>;
};
export type OpenApiDocument = {
  openapi: string;
  info: { title: string; version: string; description: string; license: { name: string; identifier: string } };
  servers: { url: string }[];
  tags: { name: string; description: string }[];
  security: Record<string, string[]>[];
  paths: Record<string, Record<string, OpenApiOperation>>;
  components: {
    schemas: Record<string, JsonSchema>;
    responses: Record<string, OpenApiResponse>;
    parameters: Record<string, OpenApiParameter>;
    headers: Record<string, { description: string; schema: JsonSchema }>;
    securitySchemes: Record<
      string,
      { type: string; description: string } & ({ in: string; name: string } | { scheme: string })
    >;
  };
};
