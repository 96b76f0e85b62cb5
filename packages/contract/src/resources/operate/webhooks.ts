// Outbound webhooks: the customer's endpoints that receive events about messages, preferences and workflows. Bodies and
// signatures follow Standard Webhooks (docs/webhooks.md).
import { pageEnvelope, pageQuery } from "../../common.ts";
import { operation } from "../../operation.ts";
import { isoTime, type JsonObject, named, oneOf, type Static, Type } from "../../schema.ts";
import { secret } from "../../secrets.ts";
import { Message } from "../events/messages.ts";

export const messageEventTypes = [
  "message.sent",
  "message.failed",
  "message.delivered",
  "message.seen",
  "message.read",
  "message.unread",
  "message.archived",
  "message.unarchived",
  "message.snoozed",
  "message.unsnoozed",
  "message.deleted",
] as const;
export type MessageEventType = (typeof messageEventTypes)[number];

export const webhookEventTypes = [
  ...messageEventTypes,
  "preference.updated",
  "workflow.created",
  "workflow.updated",
  "workflow.deleted",
  "workflow.published",
  "broadcast.started",
  "broadcast.paused",
  "broadcast.completed",
] as const;
export type WebhookEventType = (typeof webhookEventTypes)[number];

/** Sent by a test only: a webhook cannot subscribe to it. */
export const testEventType = "webhook.test";
export type SentEventType = WebhookEventType | typeof testEventType;

const SentEventTypeWord = oneOf([...webhookEventTypes, testEventType], { title: "SentWebhookEventType" });
const WebhookEventTypeWord = oneOf(webhookEventTypes, { title: "WebhookEventType" });

/** A message, a workflow or a preference. Messages have secrets: device tokens, addresses of chat webhooks. */
const record = (description?: string) =>
  Type.Unsafe<JsonObject>({
    anyOf: [Message, { type: "object", additionalProperties: true }],
    ...(description !== undefined && { description }),
  });

/** The body of a delivery: what a receiver parses after it has verified the signature. */
export const WebhookEvent = named("WebhookEvent", {
  id: Type.String({ description: "The same in every attempt, and equal to the header `webhook-id`" }),
  type: SentEventTypeWord,
  object: oneOf(["message", "workflow", "preference", "broadcast", "webhook"]),
  data: Type.Object({
    object: record("The record as the API shows it"),
    previousObject: Type.Optional(record()),
    error: Type.Optional(
      Type.Object({
        message: Type.String(),
        push: Type.Optional(
          Type.Object({ isInvalidToken: Type.Boolean(), deviceToken: Type.String(secret("editor")) }),
        ),
      }),
    ),
    subscriberId: Type.Optional(Type.String()),
  }),
  timestamp: isoTime("When it happened"),
  environmentId: Type.String(),
});
export type WebhookEvent = Static<typeof WebhookEvent>;

export const webhooksPerEnvironment = 20;
export const replayLimit = 1_000;

const url = Type.String({
  minLength: 1,
  maxLength: 2_048,
  description: "HTTPS, or HTTP in development environments; private and local addresses are refused",
  ...secret("editor", "host and path"),
});
const eventTypes = Type.Array(WebhookEventTypeWord, {
  maxItems: webhookEventTypes.length,
  description: "Empty: all of them",
});

/** Pending deliveries are counted up to this number. */
export const countedDeliveries = 10_000;

const WebhookHealth = named("WebhookHealth", {
  state: oneOf(["healthy", "failing", "idle"], { description: "`idle`: nothing was delivered in the last 30 days" }),
  failures: Type.Integer({ description: "Calls that failed since the last success" }),
  failingSince: Type.Optional(isoTime("The first of these failures")),
  lastSuccessAt: Type.Optional(isoTime("The newest successful delivery of the last 30 days")),
  lastFailureAt: Type.Optional(isoTime("The last call that failed")),
  lastError: Type.Optional(Type.String({ description: "The response, or why there was none" })),
  pending: Type.Integer({ description: `Deliveries that wait, counted up to ${countedDeliveries}` }),
});

const members = {
  id: Type.String(),
  url: Type.String(secret("editor", "host and path")),
  eventTypes: Type.Array(WebhookEventTypeWord),
  active: Type.Boolean(),
  createdAt: isoTime("When the webhook was created"),
  updatedAt: isoTime("Last change"),
  disabledAt: Type.Optional(isoTime("When the service disabled it")),
  disabledReason: Type.Optional(Type.String({ description: "Why the service disabled it" })),
  health: Type.Optional(WebhookHealth),
};

export const Webhook = named("Webhook", members);
export type Webhook = Static<typeof Webhook>;

export const WebhookWithSecret = named("WebhookWithSecret", {
  ...members,
  secret: Type.String({
    description: "`whsec_` and 32 bytes in base64; shown here and never again",
    ...secret("editor"),
  }),
});
export type WebhookWithSecret = Static<typeof WebhookWithSecret>;

export const webhookDeliveryStatuses = ["pending", "delivered", "failed"] as const;
export type WebhookDeliveryStatus = (typeof webhookDeliveryStatuses)[number];
const DeliveryStatusWord = oneOf(webhookDeliveryStatuses, { title: "WebhookDeliveryStatus" });

const deliveryMembers = {
  id: Type.String(),
  eventId: Type.String({ description: "`id` of the event, which the receiver saw as `webhook-id`" }),
  type: SentEventTypeWord,
  status: DeliveryStatusWord,
  attempts: Type.Integer(),
  nextAttemptAt: Type.Optional(isoTime("When it is tried again")),
  lastAttemptAt: Type.Optional(isoTime("When it was last tried")),
  responseStatus: Type.Optional(
    Type.Integer({ description: "HTTP status of the last attempt, if there was a response" }),
  ),
  response: Type.Optional(
    Type.String({ description: "The last response, or why there was none; up to 1,024 characters" }),
  ),
  createdAt: isoTime("When the event happened"),
};

export const WebhookDelivery = named("WebhookDelivery", deliveryMembers);
export type WebhookDelivery = Static<typeof WebhookDelivery>;

export const WebhookDeliveryWithRequest = named("WebhookDeliveryWithRequest", {
  ...deliveryMembers,
  request: Type.Object({
    url: Type.String({ description: "Where the webhook points now", ...secret("editor", "host and path") }),
    headers: Type.Record(Type.String(), Type.String(), {
      description: "The same in every attempt. `webhook-timestamp` and `webhook-signature` are new in each",
    }),
    body: Type.String({ contentMediaType: "application/json", contentSchema: WebhookEvent }),
  }),
});
export type WebhookDeliveryWithRequest = Static<typeof WebhookDeliveryWithRequest>;

const webhookPath = Type.Object({ webhookId: Type.String() });

export const webhookOperations = {
  "webhooks.list": operation({
    id: "webhooks.list",
    method: "GET",
    path: "/v2/webhooks",
    summary: "List webhooks",
    description: "All of them, oldest first, with their health: consecutive failures and waiting deliveries.",
    category: "configuration",
    success: { status: 200, schema: Type.Array(Webhook) },
    errors: [],
  }),
  "webhooks.create": operation({
    id: "webhooks.create",
    method: "POST",
    path: "/v2/webhooks",
    summary: "Create a webhook",
    description: "An environment can have at most 20. Only this response contains the secret.",
    category: "configuration",
    audit: "everyone",
    body: named("WebhookIn", {
      url,
      eventTypes: Type.Optional(eventTypes),
      active: Type.Optional(Type.Boolean({ default: true })),
    }),
    success: { status: 201, schema: WebhookWithSecret },
    errors: ["WEBHOOK_LIMIT"],
  }),
  "webhooks.retrieve": operation({
    id: "webhooks.retrieve",
    method: "GET",
    path: "/v2/webhooks/{webhookId}",
    summary: "Retrieve a webhook",
    category: "configuration",
    params: webhookPath,
    success: { status: 200, schema: Webhook },
    errors: ["WEBHOOK_NOT_FOUND"],
  }),
  "webhooks.update": operation({
    id: "webhooks.update",
    method: "PATCH",
    path: "/v2/webhooks/{webhookId}",
    summary: "Update a webhook",
    description: "`active: true` also re-enables a webhook that the service disabled.",
    category: "configuration",
    audit: "everyone",
    params: webhookPath,
    body: named("WebhookPatch", {
      url: Type.Optional(url),
      eventTypes: Type.Optional(eventTypes),
      active: Type.Optional(Type.Boolean()),
    }),
    success: { status: 200, schema: Webhook },
    errors: ["WEBHOOK_NOT_FOUND"],
  }),
  "webhooks.delete": operation({
    id: "webhooks.delete",
    method: "DELETE",
    path: "/v2/webhooks/{webhookId}",
    summary: "Delete a webhook",
    description: "Pending deliveries are dropped.",
    category: "configuration",
    audit: "everyone",
    params: webhookPath,
    success: { status: 204 },
    errors: ["WEBHOOK_NOT_FOUND"],
  }),
  "webhooks.rotateSecret": operation({
    id: "webhooks.rotateSecret",
    method: "POST",
    path: "/v2/webhooks/{webhookId}/rotate-secret",
    summary: "Rotate a webhook's secret",
    description: "For 24 hours, deliveries are signed with both the new and the previous secret.",
    category: "configuration",
    audit: "everyone",
    params: webhookPath,
    success: { status: 200, schema: WebhookWithSecret },
    errors: ["WEBHOOK_NOT_FOUND"],
  }),
  "webhooks.listDeliveries": operation({
    id: "webhooks.listDeliveries",
    method: "GET",
    path: "/v2/webhooks/{webhookId}/deliveries",
    isFromReplica: true,
    summary: "List deliveries to a webhook",
    description: "Newest first. Kept for 30 days.",
    category: "global",
    params: webhookPath,
    query: Type.Object({
      ...pageQuery({ default: 10, maximum: 100 }),
      status: Type.Optional(DeliveryStatusWord),
    }),
    success: {
      status: 200,
      schema: named("WebhookDeliveryPage", {
        totalCount: Type.Integer({ description: "Counted up to 50,000" }),
        ...pageEnvelope(WebhookDelivery),
      }),
    },
    errors: ["WEBHOOK_NOT_FOUND"],
  }),
  "webhooks.retrieveDelivery": operation({
    id: "webhooks.retrieveDelivery",
    method: "GET",
    path: "/v2/webhooks/{webhookId}/deliveries/{deliveryId}",
    summary: "Retrieve a delivery with its request",
    category: "global",
    params: Type.Object({ webhookId: Type.String(), deliveryId: Type.String() }),
    success: { status: 200, schema: WebhookDeliveryWithRequest },
    errors: ["WEBHOOK_NOT_FOUND", "WEBHOOK_DELIVERY_NOT_FOUND"],
  }),
  "webhooks.test": operation({
    id: "webhooks.test",
    method: "POST",
    path: "/v2/webhooks/{webhookId}/test",
    summary: "Send a test event",
    description:
      "Immediately sends the receiver one request, even when the webhook is disabled, with an event of type `webhook.test` that is " +
      "signed like all others. Returns the delivery; `failed` when the receiver did not return 2xx. A test is not retried " +
      "and does not count for disabling the webhook.",
    category: "configuration",
    audit: "everyone",
    params: webhookPath,
    success: { status: 200, schema: WebhookDelivery },
    errors: ["WEBHOOK_NOT_FOUND"],
  }),
  "webhooks.replay": operation({
    id: "webhooks.replay",
    method: "POST",
    path: "/v2/webhooks/{webhookId}/replay",
    summary: "Repeat deliveries",
    description:
      "With `ids`, repeats these deliveries, even those that succeeded. With `since`, repeats those that failed " +
      "permanently since then, up to the oldest 1,000, including what a webhook missed while the service had " +
      "disabled it. Give one of the two. Events keep their id. Pending deliveries are not affected.",
    category: "global",
    role: "support",
    audit: "everyone",
    params: webhookPath,
    body: named("WebhookReplayIn", {
      ids: Type.Optional(Type.Array(Type.String(), { minItems: 1, maxItems: replayLimit })),
      since: Type.Optional(
        Type.String({ format: "iso-time", description: "Deliveries created at or after this time" }),
      ),
    }),
    success: {
      status: 200,
      schema: named("WebhookReplayed", {
        replayed: Type.Integer({ description: "Deliveries that will be repeated" }),
        hasMore: Type.Boolean({ description: "There are more than one request can repeat: send the request again" }),
      }),
    },
    errors: ["WEBHOOK_NOT_FOUND", "WEBHOOK_DELIVERY_NOT_FOUND", "WEBHOOK_INACTIVE"],
  }),
};
