// The shared half of the OpenAPI document: named schemas, the error body, headers and the security scheme, so that each
// is defined once and every operation refers to it.
import type { JsonSchema, OpenApiDocument } from "./openapi-types.ts";
import { secretKeyword } from "./secrets.ts";

const fill = <K extends string>(kind: K, names: string): Record<string, K> =>
  Object.fromEntries(names.split(" ").map((name) => [name, kind]));

// Which keywords hold schemas, and how. Anything that is not JSON Schema 2020-12 is a keyword of this project's
// validator and stays out of the document. The distinction matters for names too: a *property* called `title` is not a
// title.
const keywords: Record<string, "schema" | "map" | "list" | "value"> = {
  ...fill(
    "schema",
    "items additionalProperties not contains propertyNames if then else unevaluatedProperties contentSchema",
  ),
  ...fill("map", "properties patternProperties dependentSchemas"),
  ...fill("list", "anyOf oneOf allOf prefixItems"),
  ...fill("value", "title description type enum const default deprecated examples readOnly writeOnly format pattern"),
  ...fill("value", "minLength maxLength minimum maximum exclusiveMinimum exclusiveMaximum multipleOf required"),
  ...fill("value", "minItems maxItems uniqueItems minProperties maxProperties dependentRequired contentEncoding"),
  ...fill("value", `contentMediaType ${secretKeyword}`),
};

/** This project's formats that have a name generators know. The rest stay unchanged: a format is only an annotation. */
const formatNames: Record<string, string> = { "email-address": "email", "iso-time": "date-time" };

const isSchema = (value: unknown): value is JsonSchema => typeof value === "object" && value !== null;

/** Cleans schemas and moves every titled one into `components`, leaving a reference in its place. */
export function schemaCollector() {
  const components = new Map<string, { schema: JsonSchema; text: string }>();

  const visit = (source: object): JsonSchema => {
    const schema = clean(source);
    const { title } = schema;
    if (typeof title !== "string") return schema;
    const text = JSON.stringify(schema);
    const known = components.get(title);
    if (known && known.text !== text) throw new Error(`Two schemas of different shape carry the title ${title}`);
    components.set(title, { schema, text });
    return { $ref: `#/components/schemas/${title}` };
  };

  const clean = (source: object): JsonSchema => {
    const schema: JsonSchema = {};
    for (const [keyword, value] of Object.entries(source)) {
      const kind = keywords[keyword];
      if (value === undefined || kind === undefined) continue;
      if (kind === "schema") schema[keyword] = isSchema(value) ? visit(value) : value;
      else if (kind === "list") schema[keyword] = (value as JsonSchema[]).map(visit);
      else if (kind === "map") schema[keyword] = visitMembers(value as Record<string, JsonSchema>);
      else schema[keyword] = value;
    }
    if ((source as JsonSchema).isUpload === true) Object.assign(schema, { type: "string", format: "binary" });
    const { format, patternProperties } = schema;
    if (typeof format === "string") schema.format = formatNames[format] ?? format;
    const anyMember = isSchema(patternProperties) ? patternProperties["^.*$"] : undefined;
    if (anyMember && Object.keys(patternProperties as JsonSchema).length === 1) {
      delete schema.patternProperties;
      schema.additionalProperties = anyMember;
    }
    const { maxJsonBytes } = source as JsonSchema;
    if (typeof maxJsonBytes === "number") schema.description = withSizeLimit(schema, maxJsonBytes);
    return schema;
  };

  const visitMembers = (members: Record<string, JsonSchema>) =>
    Object.fromEntries(Object.entries(members).map(([name, member]) => [name, visit(member)]));

  const sorted = (): Record<string, JsonSchema> =>
    Object.fromEntries(
      [...components].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, { schema }]) => [name, schema]),
    );

  return { visit, sorted };
}

function withSizeLimit({ description }: JsonSchema, bytes: number): string {
  const sentence = `At most ${bytes / 1024} KB of JSON`;
  if (typeof description !== "string") return sentence;
  return description.includes(sentence) ? description : `${description}. ${sentence}`;
}

/** The body of every response outside 2xx. */
export const errorSchema: JsonSchema = {
  title: "Error",
  type: "object",
  required: ["statusCode", "timestamp", "path", "message", "code"],
  properties: {
    statusCode: { type: "integer", description: "The HTTP status again" },
    timestamp: { type: "string", format: "date-time" },
    path: { type: "string", description: "Request path with query string" },
    message: { type: "string", description: "For people; its wording may change" },
    code: { type: "string", description: "For programs; stable. Each operation lists its own" },
    error: { type: "string", description: "The text of the HTTP status, such as `Not Found`" },
    ctx: { type: "object", additionalProperties: true, description: "Names and ids that the message mentions" },
    errors: {
      description: "422: errors by field path. 400: a list, which may be empty",
      oneOf: [
        {
          type: "object",
          additionalProperties: {
            type: "object",
            required: ["messages"],
            properties: { messages: { type: "array", items: { type: "string" } }, value: {} },
          },
        },
        {
          type: "array",
          items: {
            type: "object",
            required: ["field", "message"],
            properties: {
              field: { type: "string" },
              message: { type: "string" },
              value: {},
              schemaPath: { type: "string" },
            },
          },
        },
      ],
    },
    type: { type: "string", description: "400 only: equal to `code`" },
    errorId: { type: "string", description: "500 only: the same id is in the log" },
  },
};

type Components = OpenApiDocument["components"];

export const parameters: Components["parameters"] = {
  IdempotencyKey: {
    name: "idempotency-key",
    in: "header",
    required: false,
    description:
      "Makes retries safe: for 24 hours, the same key with the same request returns the stored response. Ignored on GET.",
    schema: { type: "string", maxLength: 255 },
  },
};

const whole = { type: "integer", minimum: 0 };
const text = { type: "string" };

export const rateLimitHeaders = ["RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset", "RateLimit-Policy"];
export const idempotencyHeaders = ["Idempotency-Key", "Idempotency-Replay"];

export const headers: Components["headers"] = {
  "RateLimit-Limit": { description: "Tokens the bucket of this category holds per window", schema: whole },
  "RateLimit-Remaining": { description: "Tokens left", schema: whole },
  "RateLimit-Reset": { description: "Seconds until the bucket is full again", schema: whole },
  "RateLimit-Policy": { description: "Limit, window, burst, category and the cost of this request", schema: text },
  "Retry-After": { description: "Seconds to wait before the next attempt", schema: whole },
  "WWW-Authenticate": {
    description: "The scheme to use: `ApiKey`, `Bearer` for an inbox, `Session` for members",
    schema: text,
  },
  "Idempotency-Key": { description: "The key of the request, when it had one", schema: text },
  "Idempotency-Replay": { description: "`true` when this is the stored response to an earlier request", schema: text },
};

export const securitySchemes: Components["securitySchemes"] = {
  ApiKey: {
    type: "apiKey",
    in: "header",
    name: "Authorization",
    description: "`Authorization: ApiKey <key>`. A key belongs to one environment.",
  },
  Session: {
    type: "apiKey",
    in: "cookie",
    name: "tidings_session",
    description: "The session of a signed-in member. Every non-GET request also needs the header `x-csrf-token`.",
  },
  Environment: {
    type: "apiKey",
    in: "header",
    name: "x-tidings-environment",
    description: "With a session: `_id` of the environment the request applies to.",
  },
  InboxToken: {
    type: "http",
    scheme: "bearer",
    description: "The token of an inbox session. It belongs to one subscriber.",
  },
};
