import { cursorList, cursorQuery, identifiers } from "../../common.ts";
import { countItems, operation } from "../../operation.ts";
import {
  isoTime,
  type JsonObject,
  named,
  nullableBoolean,
  nullableOpenObject,
  nullableString,
  oneOf,
  type Static,
  Type,
} from "../../schema.ts";
import { secret } from "../../secrets.ts";

export const ChannelCredentials = named(
  "ChannelCredentials",
  {
    webhookUrl: Type.Optional(Type.String()),
    channel: Type.Optional(Type.String()),
    deviceTokens: Type.Optional(Type.Array(Type.String(), { maxItems: 100 })),
    alertUid: Type.Optional(Type.String()),
    title: Type.Optional(Type.String()),
    imageUrl: Type.Optional(Type.String()),
    state: Type.Optional(Type.String()),
    externalUrl: Type.Optional(Type.String()),
  },
  secret("editor"),
);

export const ChannelSettings = named("ChannelSettings", {
  providerId: Type.String({ description: "A chat or push provider" }),
  integrationIdentifier: Type.Optional(Type.String()),
  credentials: ChannelCredentials,
  _integrationId: Type.String(),
});

export const Subscriber = named("Subscriber", {
  _id: Type.Optional(Type.String()),
  subscriberId: Type.String(),
  firstName: Type.Optional(Type.String()),
  lastName: Type.Optional(Type.String()),
  email: Type.Optional(Type.String()),
  phone: Type.Optional(Type.String()),
  avatar: Type.Optional(Type.String()),
  locale: Type.Optional(Type.String()),
  timezone: Type.Optional(nullableString()),
  data: Type.Optional(nullableOpenObject()),
  channels: Type.Optional(Type.Array(ChannelSettings)),
  isOnline: Type.Optional(nullableBoolean()),
  lastOnlineAt: Type.Optional(nullableString()),
  _organizationId: Type.String(),
  _environmentId: Type.String(),
  deleted: Type.Boolean(),
  createdAt: isoTime("When the subscriber was created"),
  updatedAt: isoTime("Last change"),
});
export type Subscriber = Static<typeof Subscriber>;

/** What a caller may set; null clears. */
const profile = {
  firstName: Type.Optional(nullableString({ maxLength: 255 })),
  lastName: Type.Optional(nullableString({ maxLength: 255 })),
  email: Type.Optional(nullableString({ format: "email-address", maxLength: 320 })),
  phone: Type.Optional(nullableString({ maxLength: 64 })),
  avatar: Type.Optional(nullableString({ maxLength: 2048 })),
  locale: Type.Optional(nullableString({ format: "locale", description: "Such as `en_US` or `en-US`" })),
  timezone: Type.Optional(nullableString({ format: "timezone", description: "IANA name" })),
  data: Type.Optional(nullableOpenObject({ maxJsonBytes: 65_536, description: "At most 64 KB of JSON" })),
};

export const SubscriberIn = named("SubscriberIn", {
  subscriberId: Type.String({ ...identifiers.subscriberId, description: "The id your system uses" }),
  ...profile,
});
export type SubscriberIn = Static<typeof SubscriberIn>;

export const SubscriberPatch = named("SubscriberPatch", profile);
export type SubscriberPatch = Static<typeof SubscriberPatch>;

const SubscriberKey = named("SubscriberKey", { subscriberId: Type.String() });

export const SubscriberBulkResult = named("SubscriberBulkResult", {
  updated: Type.Array(SubscriberKey),
  created: Type.Array(SubscriberKey),
  failed: Type.Array(
    named("SubscriberBulkFailure", { subscriberId: Type.Optional(Type.String()), message: Type.String() }),
  ),
});

export const subscriberPath = Type.Object({ subscriberId: Type.String() });

export const subscriberOperations = {
  "subscribers.create": operation({
    id: "subscribers.create",
    method: "POST",
    path: "/v2/subscribers",
    summary: "Create or update a subscriber",
    description: "If the id exists, the given fields are updated, unless `failIfExists` is true.",
    category: "configuration",
    query: Type.Object({ failIfExists: Type.Optional(Type.Boolean()) }),
    body: SubscriberIn,
    success: { status: 201, schema: Subscriber },
    errors: ["SUBSCRIBER_EXISTS", "SUBSCRIBER_BEING_ERASED"],
  }),
  "subscribers.createBulk": operation({
    id: "subscribers.createBulk",
    method: "POST",
    path: "/v1/subscribers/bulk",
    summary: "Create or update up to 500 subscribers",
    description:
      "Entries are checked one by one: an invalid entry is listed in `failed` and does not affect the others.",
    category: "configuration",
    cost: (body) => Math.ceil(countItems(body, "subscribers") / 10),
    body: named("SubscriberBulkIn", {
      subscribers: Type.Array(Type.Unsafe<JsonObject>({ type: "object", title: "SubscriberBulkEntry" }), {
        minItems: 1,
        maxItems: 500,
        description: "Each as in `subscribers.create`",
      }),
    }),
    success: { status: 201, schema: SubscriberBulkResult },
    errors: [],
  }),
  "subscribers.list": operation({
    id: "subscribers.list",
    method: "GET",
    path: "/v2/subscribers",
    isFromReplica: true,
    summary: "Search subscribers",
    category: "configuration",
    query: Type.Object({
      ...cursorQuery,
      orderBy: Type.Optional(oneOf(["createdAt", "updatedAt"], { default: "createdAt" })),
      subscriberId: Type.Optional(Type.String({ description: "Exact match, ignoring case" })),
      email: Type.Optional(Type.String({ description: "Exact match, ignoring case" })),
      phone: Type.Optional(Type.String({ description: "Exact" })),
      name: Type.Optional(Type.String({ description: "Part of 'first last'" })),
      search: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 255,
          description: "Beginning of the subscriberId or of the email address, or part of 'first last', ignoring case",
        }),
      ),
      audienceId: Type.Optional(Type.String({ description: "Only people of this audience" })),
    }),
    success: { status: 200, schema: cursorList("SubscriberList", Subscriber) },
    errors: ["AUDIENCE_NOT_FOUND"],
  }),
  "subscribers.retrieve": operation({
    id: "subscribers.retrieve",
    method: "GET",
    path: "/v2/subscribers/{subscriberId}",
    summary: "Retrieve a subscriber",
    category: "configuration",
    params: subscriberPath,
    success: { status: 200, schema: Subscriber },
    errors: ["SUBSCRIBER_NOT_FOUND"],
  }),
  "subscribers.update": operation({
    id: "subscribers.update",
    method: "PATCH",
    path: "/v2/subscribers/{subscriberId}",
    summary: "Update a subscriber",
    description: "The given fields are changed, null clears a field, and `data` is replaced as a whole.",
    category: "configuration",
    role: "support",
    params: subscriberPath,
    body: SubscriberPatch,
    success: { status: 200, schema: Subscriber },
    errors: ["SUBSCRIBER_NOT_FOUND"],
  }),
  "subscribers.delete": operation({
    id: "subscribers.delete",
    method: "DELETE",
    path: "/v2/subscribers/{subscriberId}",
    summary: "Delete a subscriber",
    description:
      "Waiting jobs are canceled; past messages are kept with their content, without their addresses. " +
      "`subscribers.erase` also removes the content, before or after the deletion.",
    category: "configuration",
    audit: "erasure",
    params: subscriberPath,
    success: {
      status: 200,
      schema: named("SubscriberDeleted", { acknowledged: Type.Boolean(), status: Type.String() }),
    },
    errors: ["SUBSCRIBER_NOT_FOUND"],
  }),
};
