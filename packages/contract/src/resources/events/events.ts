// Events: triggers that products send to the service.
import { priorities } from "../../attention.ts";
import { identifiers } from "../../common.ts";
import { countItems, operation } from "../../operation.ts";
import { named, oneOf, openObject, type Static, Type } from "../../schema.ts";
import { secret } from "../../secrets.ts";
import { audienceIdRule } from "../audiences/audiences.ts";
import { topicKeyRule } from "../topics/topics.ts";
import { supersedeKeyRule } from "./retractions.ts";

const RecipientChannel = named("RecipientChannel", {
  providerId: Type.Optional(Type.String({ description: "Required; a chat or push provider" })),
  integrationIdentifier: Type.Optional(Type.String()),
  credentials: Type.Optional(
    Type.Object(
      {
        webhookUrl: Type.Optional(Type.String()),
        deviceTokens: Type.Optional(
          Type.Array(Type.String(), { description: "At most 100, each of at most 4,096 characters" }),
        ),
      },
      { description: "Required", ...secret("editor") },
    ),
  ),
});

// A recipient's id and fields are checked one by one when the event is accepted (`invalid_recipients`), so that one
// invalid recipient never holds up the others; the schema only fixes their types.
export const RecipientSubscriber = named("RecipientSubscriber", {
  subscriberId: Type.Optional(Type.String({ description: "Required" })),
  firstName: Type.Optional(Type.String()),
  lastName: Type.Optional(Type.String()),
  email: Type.Optional(Type.String()),
  phone: Type.Optional(Type.String()),
  avatar: Type.Optional(Type.String()),
  locale: Type.Optional(Type.String()),
  timezone: Type.Optional(Type.String()),
  data: Type.Optional(openObject()),
  channels: Type.Optional(Type.Array(RecipientChannel)),
});
export type RecipientSubscriber = Static<typeof RecipientSubscriber>;

/** Checked one by one like subscribers, even when it is malformed. */
export const RecipientTopic = named("RecipientTopic", {
  type: oneOf(["Topic"]),
  topicKey: Type.String({ ...topicKeyRule, description: "A topic that does not exist adds no recipients" }),
  exclude: Type.Optional(
    Type.Array(Type.String(), { description: "Ids of subscribers that the event's topics do not add" }),
  ),
});
export type RecipientTopic = Static<typeof RecipientTopic>;

export const RecipientAudience = named("RecipientAudience", {
  type: oneOf(["Audience"]),
  audienceId: Type.String({ ...audienceIdRule, description: "Everyone who is in this audience when the event starts" }),
  exclude: Type.Optional(
    Type.Array(Type.String(), { description: "Ids of subscribers that the event's audiences do not add" }),
  ),
});
export type RecipientAudience = Static<typeof RecipientAudience>;

const Recipient = Type.Union([Type.String(), RecipientSubscriber, RecipientTopic, RecipientAudience]);
export type Recipient = Static<typeof Recipient>;

export const TriggerEvent = named("TriggerEvent", {
  name: Type.String({ minLength: 1, description: "Identifier of the workflow" }),
  // The maximum number is a setting of the service (TIDINGS_MAX_RECIPIENTS).
  to: Type.Union(
    [
      Type.String(),
      RecipientSubscriber,
      RecipientTopic,
      RecipientAudience,
      Type.Array(Recipient, { limitedBy: "maxRecipients" }),
    ],
    {
      description:
        "A subscriber id, a subscriber, a topic, an audience, or a list of these. A subscriber that does not exist yet is " +
        "created. Everyone receives the event once: topics add subscribers who are not named directly, not excluded " +
        "and not the actor, and whose subscription has exactly the event's contexts and rules that match it.",
    },
  ),
  payload: Type.Optional(
    openObject({
      description:
        "At most 512 KB of JSON. `attachments`, a list of up to 10 `{name, mime, file, channels?}` with `file` in " +
        "base64, is sent with emails.",
    }),
  ),
  overrides: Type.Optional(
    openObject({
      description: "What this event sends differently; docs/overrides.md lists precedence, members and errors",
    }),
  ),
  transactionId: Type.Optional(
    Type.String({ ...identifiers.transactionId, description: "An event with this id is accepted once" }),
  ),
  supersedeKey: Type.Optional(
    Type.String({
      ...supersedeKeyRule,
      description:
        "A later event with the same key replaces this one for the same subscriber: what waits is canceled, an in-app " +
        "message is replaced (docs/retract.md)",
    }),
  ),
  actor: Type.Optional(Type.Union([Type.String(), RecipientSubscriber])),
  context: Type.Optional(
    // Errors inside are reported in the item, so that one event never holds up the others.
    openObject({
      description:
        "What the event is about, at most 5 contexts: maps a context type to the context's id, or to `{id, data}` to " +
        "give a new context its data. Unknown contexts are created, known ones are used unchanged.",
    }),
  ),
  tenant: Type.Optional(
    // Errors inside are reported in the item.
    Type.Union([Type.String(), openObject()], {
      description:
        "The identifier of a tenant that exists, or `{identifier, name?, data?}`, which creates the tenant or updates the " +
        "members given. Templates use it as `tenant`.",
    }),
  ),
  bridgeUrl: Type.Optional(
    // Errors are reported in the item.
    Type.String({
      description:
        "In a development environment: the bridge that provides the content of the steps, instead of the one that the workflow was synced from",
      ...secret("editor", "host and path"),
    }),
  ),
  priority: Type.Optional(
    oneOf(priorities, {
      description:
        "Which messages go first, instead of the priority of the workflow; critical workflows stay high. An API key " +
        "may only lower it, unless it may raise priorities (environments.updateApiKey).",
    }),
  ),
});
export type TriggerEvent = Static<typeof TriggerEvent>;

const { to, payload, ...common } = TriggerEvent.properties;

export const BroadcastEvent = named("BroadcastEvent", {
  ...common,
  payload: openObject({ description: "At most 512 KB of JSON" }),
});
export type BroadcastEvent = Static<typeof BroadcastEvent>;

export const triggerStatuses = [
  "error",
  "trigger_not_active",
  "no_workflow_active_steps_defined",
  "no_workflow_steps_defined",
  "processed",
  "no_tenant_found",
  "invalid_recipients",
] as const;

export const TriggerResult = named("TriggerResult", {
  acknowledged: Type.Boolean(),
  status: oneOf(triggerStatuses),
  error: Type.Optional(Type.Array(Type.String())),
  transactionId: Type.Optional(Type.String()),
});
export type TriggerResult = Static<typeof TriggerResult>;

export const eventOperations = {
  "events.trigger": operation({
    id: "events.trigger",
    method: "POST",
    path: "/v1/events/trigger",
    summary: "Trigger an event",
    category: "trigger",
    isForSending: true,
    admission: "single",
    body: TriggerEvent,
    success: { status: 201, schema: TriggerResult },
    errors: ["PAYLOAD_VALIDATION_ERROR", "WORKFLOW_NOT_FOUND"],
  }),
  "events.triggerBulk": operation({
    id: "events.triggerBulk",
    method: "POST",
    path: "/v1/events/trigger/bulk",
    summary: "Trigger up to 100 events",
    description: "Returns one item per event, in request order. `processed` means stored: nothing is lost after it.",
    category: "trigger",
    isForSending: true,
    admission: "bulk",
    cost: (body) => countItems(body, "events"),
    bodyLimit: "bulk",
    body: named("TriggerBulkIn", { events: Type.Array(TriggerEvent, { minItems: 1, maxItems: 100 }) }),
    success: { status: 201, schema: Type.Array(TriggerResult) },
    errors: [],
  }),
  "events.broadcast": operation({
    id: "events.broadcast",
    method: "POST",
    path: "/v1/events/trigger/broadcast",
    summary: "Trigger an event for every subscriber",
    description:
      "Notifies everyone who is a subscriber of the environment when the event is processed, in the background.",
    category: "trigger",
    isForSending: true,
    admission: "bulk",
    body: BroadcastEvent,
    success: { status: 201, schema: TriggerResult },
    errors: ["PAYLOAD_VALIDATION_ERROR", "WORKFLOW_NOT_FOUND"],
  }),
  "events.cancel": operation({
    id: "events.cancel",
    method: "DELETE",
    path: "/v1/events/trigger/{transactionId}",
    summary: "Cancel the waiting steps of an event",
    description: "Returns `true` if something was canceled, `false` if nothing was waiting.",
    category: "trigger",
    isForSending: true,
    role: "support",
    params: Type.Object({ transactionId: Type.String() }),
    success: { status: 200, schema: Type.Boolean() },
    errors: [],
  }),
};
