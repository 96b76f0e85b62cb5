// The OpenAPI 3.1 document, derived from the operations: docs/openapi.json, the /docs page and code generators read it.
// A TypeBox value already is JSON Schema, so this only names, orders and cleans.
import { commonErrors, type ErrorCode, errorCatalogue } from "./errors.ts";
import { scopesOf } from "./key-scopes.ts";
import {
  errorSchema,
  headers,
  idempotencyHeaders,
  parameters,
  rateLimitHeaders,
  schemaCollector,
  securitySchemes,
} from "./openapi-components.ts";
import type {
  Content,
  JsonSchema,
  OpenApiDocument,
  OpenApiOperation,
  OpenApiParameter,
  OpenApiResponse,
  Reference,
} from "./openapi-types.ts";
import { type Operation, readsOnly, successStatuses } from "./operation.ts";
import { operations } from "./operations.ts";
import { requiredRoleOf } from "./permissions.ts";

/** One line per resource; a resource that is not here is named after its id. */
const resourceDescriptions: Record<string, string> = {
  events: "Trigger workflows: report that something happened, and the service decides who is notified, where and when.",
  notifications: "What happened to an event for each recipient, step by step, with the reason for every decision.",
  activity: "Events as they come in, with the outcome for their recipients.",
  scenarios: "Recorded events as tests that can be run again.",
  statistics: "What was sent and what was not, by hour or by day.",
  messages: "What was created for one subscriber on one channel.",
  workflows: "The steps an event goes through for each recipient.",
  bridge: "Workflows defined in your code.",
  digests: "Digests that are still collecting events.",
  files: "An environment's configuration as one document: exported, compared and applied as a whole.",
  layouts: "The frame around the content of an email.",
  translations: "Texts of workflows and layouts in each reader's language.",
  subscribers: "The people who are notified, their addresses and preferences.",
  imports: "CSV files of subscribers and subscriptions, imported in the background.",
  preferences: "Preferences of many subscribers at once.",
  subscriberNotifications: "A subscriber's own view of in-app notifications: read, archive, snooze.",
  inbox: "The inbox in a subscriber's browser: its session, notifications, preferences and subscriptions.",
  topics: "Named groups of subscribers that can be notified as one.",
  topicSubscriptions: "Who belongs to a topic.",
  contexts: "What a notification is about, such as a tenant or a project.",
  integrations: "Accounts with the providers that deliver email, SMS, push and chat.",
  providers: "The services an integration can use, and what each of them needs.",
  channelConnections: "Workspaces and tenants of chat providers that an integration may write to.",
  channelEndpoints: "Where in a connected workspace a subscriber is reached.",
  environments: "Isolated parts of one organisation, such as development and production.",
  webhooks: "Your endpoints that receive events about notifications.",
  inboundWebhooks: "Delivery receipts from providers.",
  inboundReceipts: "What providers reported, and what was refused.",
  deadLetters: "Deliveries that were given up, to be inspected and tried again.",
  deadLetterReplays: "Replays of dead letters at a fixed pace, with their progress.",
  failedTasks: "Tasks of the pipeline that failed on every retry, to be inspected and tried again.",
  system: "The state of the service: queues, circuit breakers, failures and versions.",
  suppressions: "Addresses that no longer receive anything after a hard bounce, a complaint or a manual entry.",
  auth: "Sign-in: the member's own account and session (docs/members.md).",
  people: "The members who use the dashboard, their roles and invitations.",
  auditLog: "Who changed what, before and after, from where.",
  captured: "Messages that the built-in capture providers stored instead of sending.",
};

function humanName(resource: string): string {
  const words = resource.replace(/([a-z])([A-Z])/g, (_, end: string, start: string) => `${end} ${start.toLowerCase()}`);
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}

const resourceOf = (operation: Operation): string => operation.id.slice(0, operation.id.indexOf("."));

type Visit = (schema: object) => JsonSchema;

function parametersOf(operation: Operation, visit: Visit): OpenApiParameter[] {
  return (["path", "query"] as const).flatMap((place) => {
    const source = place === "path" ? operation.params : operation.query;
    if (!source) return [];
    const required: readonly string[] = source.required ?? [];
    if ("additionalProperties" in source) return [anyFields(place, { ...source }, visit)];
    return Object.entries(source.properties).map(([name, property]): OpenApiParameter => {
      // A parameter has its own place for these two. A named schema keeps them: it is the same wherever it is used.
      const { description, deprecated, ...rest } = property as JsonSchema;
      const schema = "title" in rest ? property : rest;
      return {
        name,
        in: place,
        required: place === "path" || required.includes(name),
        ...(typeof description === "string" && { description }),
        ...(deprecated === true && { deprecated }),
        schema: visit(schema),
        ...(rest.type === "array" && { style: "form", explode: true }),
      };
    });
  });
}

/** Fields whose names are not known in advance: in OpenAPI, one parameter whose members are the fields. */
function anyFields(place: OpenApiParameter["in"], source: JsonSchema, visit: Visit): OpenApiParameter {
  const { description, properties, ...schema } = source;
  return {
    name: "fields",
    in: place,
    required: false,
    ...(typeof description === "string" && { description }),
    schema: visit(schema),
    style: "form",
    explode: true,
  };
}

const jsonContent = (schema: JsonSchema): Content => ({ "application/json": { schema } });

function bodyContent(operation: Operation, schema: JsonSchema): Content {
  if (operation.bodyType === "multipart") return { "multipart/form-data": { schema } };
  return operation.bodyType === "raw" ? { "*/*": { schema } } : jsonContent(schema);
}

const textContent = (description: string | undefined): Content =>
  description === undefined ? {} : { "text/plain": { schema: { type: "string", description } } };
const headerReferences = (names: string[]): Record<string, Reference> =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

const successWords: Record<number, string> = { 200: "OK", 201: "Created", 202: "Accepted", 204: "Done, no body" };

/** Responses that say when to retry. */
const retryStatuses = [409, 429, 503];

function errorResponse(status: number, codes: ErrorCode[]): OpenApiResponse {
  return {
    description: codes.map((code) => `- \`${code}\`: ${errorCatalogue[code].message}`).join("\n"),
    headers: headerReferences([
      ...(status === 401 ? ["WWW-Authenticate"] : rateLimitHeaders),
      ...(retryStatuses.includes(status) ? ["Retry-After"] : []),
    ]),
    content: jsonContent({ $ref: "#/components/schemas/Error" }),
    "x-errors": codes.map((code) => ({ code, message: errorCatalogue[code].message, when: errorCatalogue[code].when })),
  };
}

function byStatus(codes: readonly ErrorCode[]): Map<number, ErrorCode[]> {
  const groups = Map.groupBy(new Set(codes), (code) => errorCatalogue[code].status);
  return new Map([...groups].sort(([a], [b]) => a - b));
}

// Most of every operation's responses are common errors. Defining them once reduced the document of 24 operations from
// 321 KB to 187 KB.
const commonResponseName = (status: number): string => `Error${status}`;
const commonByStatus = byStatus(commonErrors);
const commonResponses = (): Record<string, OpenApiResponse> =>
  Object.fromEntries(
    [...commonByStatus].map(([status, codes]) => [commonResponseName(status), errorResponse(status, codes)]),
  );

/** Operations without an API key: errors about keys cannot occur, and idempotency keys are ignored. */
const needsKey = (code: ErrorCode): boolean =>
  errorCatalogue[code].status === 401 || code.startsWith("API_KEY_") || code.startsWith("IDEMPOTENCY_");
const sessionErrors: readonly ErrorCode[] = ["SIGN_IN_REQUIRED", "ROLE_NOT_ALLOWED", "CSRF_TOKEN_WRONG"];
const memberErrors: readonly ErrorCode[] = [...sessionErrors, "ENVIRONMENT_HEADER_MISSING"];

function commonErrorsOf({ access }: Operation): readonly ErrorCode[] {
  if (!access) return commonErrors;
  const others = commonErrors.filter((code) => !needsKey(code) && !memberErrors.includes(code));
  return access === "member" ? [...sessionErrors, ...others] : others;
}

/** Schemes instead of those of the document. */
const securityOf: Record<NonNullable<Operation["access"]>, Record<string, string[]>[]> = {
  signed: [],
  open: [],
  inbox: [{ InboxToken: [] }],
  member: [{ Session: [] }],
};

function errorResponses(operation: Operation): Record<string, OpenApiResponse | Reference> {
  return Object.fromEntries(
    [...byStatus([...commonErrorsOf(operation), ...operation.errors])].map(([status, codes]) => [
      String(status),
      codes.every((code) => commonByStatus.get(status)?.includes(code)) &&
      codes.length === commonByStatus.get(status)?.length
        ? { $ref: `#/components/responses/${commonResponseName(status)}` }
        : errorResponse(status, codes),
    ]),
  );
}

/** What can be stored under an idempotency key: the response of a write. */
const isKept = (operation: Operation): boolean => !operation.access && !readsOnly(operation);

function successResponses(operation: Operation, visit: Visit): Record<string, OpenApiResponse> {
  const { success } = operation;
  return Object.fromEntries(
    successStatuses(success).map((status) => [
      String(status),
      {
        description: successWords[status] ?? "Success",
        headers: headerReferences([...rateLimitHeaders, ...(isKept(operation) ? idempotencyHeaders : [])]),
        ...(success.schema &&
          status !== 204 && { content: { ...jsonContent(visit(success.schema)), ...textContent(success.text) } }),
      },
    ]),
  );
}

function describeOperation(operation: Operation, visit: Visit): OpenApiOperation {
  const role = requiredRoleOf(operation);
  return {
    operationId: operation.id,
    tags: [humanName(resourceOf(operation))],
    summary: operation.summary,
    ...(operation.description !== undefined && { description: operation.description }),
    parameters: [
      ...parametersOf(operation, visit),
      ...(operation.access ? [] : [{ $ref: "#/components/parameters/IdempotencyKey" }]),
    ],
    ...(operation.body && {
      requestBody: { required: !operation.isBodyOptional, content: bodyContent(operation, visit(operation.body)) },
    }),
    ...(operation.access && { security: securityOf[operation.access] }),
    responses: { ...successResponses(operation, visit), ...errorResponses(operation) },
    "x-rate-limit-category": operation.category,
    ...(role && { "x-tidings-role": role }),
    ...(!operation.access && { "x-tidings-key-scopes": scopesOf(operation) }),
    ...(operation.fieldRoles && { "x-tidings-member-roles": operation.fieldRoles }),
  };
}

export function openApiDocument({ version }: { version: string }): OpenApiDocument {
  const all: Operation[] = Object.values(operations);
  const { visit, sorted } = schemaCollector();
  visit(errorSchema);
  const paths: OpenApiDocument["paths"] = {};
  for (const operation of all) {
    paths[operation.path] = {
      ...paths[operation.path],
      [operation.method.toLowerCase()]: describeOperation(operation, visit),
    };
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Tidings",
      version,
      description:
        "Tidings delivers notifications. Your application sends an event, and Tidings decides whom to notify, on " +
        "which channel, when and with what content. Every decision, sent or not, can be looked up with its reason.",
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: "/" }],
    tags: [...new Set(all.map(resourceOf))].map((resource) => ({
      name: humanName(resource),
      description: resourceDescriptions[resource] ?? `Everything about ${humanName(resource).toLowerCase()}.`,
    })),
    security: [{ ApiKey: [] }, { Session: [], Environment: [] }],
    paths,
    components: { schemas: sorted(), responses: commonResponses(), parameters, headers, securitySchemes },
  };
}
