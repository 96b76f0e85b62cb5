// A channel endpoint: where a subscriber is reached through a chat provider, as a channel or user of a connected
// workspace, a webhook or a phone number. Its `type` decides the shape of `endpoint`.
import { cursorList } from "../../common.ts";
import { operation } from "../../operation.ts";
import type { addedProviderIdsByChannel, providerIdsByChannel } from "../../provider-ids.ts";
import { isoTime, named, nullableString, oneOf, openObject, type Static, Type } from "../../schema.ts";
import { secret } from "../../secrets.ts";
import { channelFilters, channelOwner, ofIntegration } from "./channel-connections.ts";

const place = () => Type.String({ minLength: 1, maxLength: 255 });

const ChannelPlace = named("ChannelEndpointChannel", { channelId: place() });
const TeamChannelPlace = named("ChannelEndpointTeamChannel", { teamId: place(), channelId: place() });
const UserPlace = named("ChannelEndpointUser", { userId: place() });
const WebhookPlaceIn = named("ChannelEndpointWebhookIn", {
  url: Type.String({ pattern: "^https?://[^\\s/?#]\\S*$", maxLength: 2048, ...secret("editor") }),
  channel: Type.Optional(place()),
});
// Without the pattern, which a mask does not match.
const WebhookPlace = named("ChannelEndpointWebhook", {
  url: Type.String(secret("editor")),
  channel: Type.Optional(place()),
});
const PhonePlace = named("ChannelEndpointPhone", {
  phoneNumber: Type.String({ pattern: "^\\+[1-9][0-9]{1,14}$", description: "In E.164 format" }),
});

/** The shape of `endpoint` for each type, in requests. */
export const endpointShapes = {
  chatapp_channel: ChannelPlace,
  chatapp_user: UserPlace,
  webhook: WebhookPlaceIn,
  phone: PhonePlace,
  teamsapp_channel: TeamChannelPlace,
  teamsapp_user: UserPlace,
} as const;

export type ChannelEndpointType = keyof typeof endpointShapes;
export const channelEndpointTypes = Object.keys(endpointShapes) as ChannelEndpointType[];

type ChatProviderId = (typeof providerIdsByChannel.chat)[number] | (typeof addedProviderIdsByChannel.chat)[number];

/**
 * Which types a provider can write to. `slack` and `msteams` have channels and users behind a connection, and also
 * accept incoming webhooks. `rocket-chat` has its server as the URL and the room as the channel; `getstream` and the
 * rest post to a URL. `whatsapp-business` only supports phone numbers, `telegram` ids of chats and people. The capture
 * provider accepts any type. Channels other than chat use the subscriber's own email, phone and devices: no type fits
 * them.
 */
export const endpointTypesByProvider: Record<ChatProviderId, readonly ChannelEndpointType[]> = {
  slack: ["chatapp_channel", "chatapp_user", "webhook"],
  msteams: ["teamsapp_channel", "teamsapp_user", "webhook"],
  discord: ["webhook"],
  mattermost: ["webhook"],
  ryver: ["webhook"],
  zulip: ["webhook"],
  "grafana-on-call": ["webhook"],
  getstream: ["webhook"],
  "rocket-chat": ["webhook"],
  "whatsapp-business": ["phone"],
  "chat-webhook": ["webhook"],
  "svc-slack": channelEndpointTypes,
  telegram: ["chatapp_channel", "chatapp_user"],
};

export function endpointTypesOf(providerId: string): readonly ChannelEndpointType[] {
  return (endpointTypesByProvider as Record<string, readonly ChannelEndpointType[]>)[providerId] ?? [];
}

// The shape with more members first: a response uses the first that fits.
const ChannelEndpointAddress = Type.Union([TeamChannelPlace, ChannelPlace, UserPlace, WebhookPlace, PhonePlace]);
export type ChannelEndpointAddress = Static<typeof ChannelEndpointAddress>;

export const endpointTypeWord = oneOf(channelEndpointTypes, { title: "ChannelEndpointType" });

export const ChannelEndpoint = named("ChannelEndpoint", {
  identifier: Type.String(),
  ...ofIntegration,
  connectionIdentifier: nullableString(),
  subscriberId: nullableString(),
  contextKeys: Type.Array(Type.String()),
  type: endpointTypeWord,
  endpoint: ChannelEndpointAddress,
  createdAt: isoTime("When the endpoint was created"),
  updatedAt: isoTime("Last change"),
});
export type ChannelEndpoint = Static<typeof ChannelEndpoint>;

const ChannelEndpointIn = named(
  "ChannelEndpointIn",
  {
    ...channelOwner,
    subscriberId: Type.String({ minLength: 1 }),
    createSubscriberIfMissing: Type.Optional(
      Type.Boolean({ description: "true creates the subscriber if it does not exist, instead of returning 404" }),
    ),
    connectionIdentifier: Type.Optional(Type.String({ minLength: 1, description: "A connection of the integration" })),
    type: endpointTypeWord,
    endpoint: openObject({ description: "The shape that belongs to `type`" }),
  },
  {
    allOf: channelEndpointTypes.map((type) => ({
      if: { properties: { type: { const: type } }, required: ["type"] },
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
      then: { properties: { endpoint: endpointShapes[type] } },
    })),
    examples: [
      {
        subscriberId: "ada",
        integrationIdentifier: "slack-main",
        type: "chatapp_channel",
        endpoint: { channelId: "C024BE91L" },
      },
    ],
  },
);

const endpointPath = Type.Object({ identifier: Type.String() });

export const channelEndpointOperations = {
  "channelEndpoints.list": operation({
    id: "channelEndpoints.list",
    method: "GET",
    path: "/v1/channel-endpoints",
    summary: "List channel endpoints",
    category: "configuration",
    query: Type.Object({ ...channelFilters, connectionIdentifier: Type.Optional(Type.String()) }),
    success: { status: 200, schema: cursorList("ChannelEndpointList", ChannelEndpoint) },
    errors: [],
  }),
  "channelEndpoints.create": operation({
    id: "channelEndpoints.create",
    method: "POST",
    path: "/v1/channel-endpoints",
    summary: "Create a channel endpoint",
    description:
      "`type` must be supported by the integration's provider, and `endpoint` must have the shape of its type.",
    category: "configuration",
    role: "support",
    body: ChannelEndpointIn,
    success: { status: 201, schema: ChannelEndpoint },
    errors: ["INTEGRATION_NOT_FOUND", "SUBSCRIBER_NOT_FOUND", "CONNECTION_NOT_FOUND", "ENDPOINT_EXISTS"],
  }),
  "channelEndpoints.retrieve": operation({
    id: "channelEndpoints.retrieve",
    method: "GET",
    path: "/v1/channel-endpoints/{identifier}",
    summary: "Retrieve a channel endpoint",
    category: "configuration",
    params: endpointPath,
    success: { status: 200, schema: ChannelEndpoint },
    errors: ["ENDPOINT_NOT_FOUND"],
  }),
  "channelEndpoints.update": operation({
    id: "channelEndpoints.update",
    method: "PATCH",
    path: "/v1/channel-endpoints/{identifier}",
    summary: "Replace the destination of an endpoint",
    description: "`endpoint` keeps the shape of the endpoint's type.",
    category: "configuration",
    role: "support",
    params: endpointPath,
    body: named("ChannelEndpointPatch", {
      endpoint: openObject({ description: "The shape of the endpoint's type", properties: { url: secret("editor") } }),
    }),
    success: { status: 200, schema: ChannelEndpoint },
    errors: ["ENDPOINT_NOT_FOUND"],
  }),
  "channelEndpoints.delete": operation({
    id: "channelEndpoints.delete",
    method: "DELETE",
    path: "/v1/channel-endpoints/{identifier}",
    summary: "Delete a channel endpoint",
    category: "configuration",
    role: "support",
    params: endpointPath,
    success: { status: 204 },
    errors: ["ENDPOINT_NOT_FOUND"],
  }),
};
