// A channel connection: an integration's access to one workspace or tenant of a chat provider, for one subscriber or,
// without one, for all of them.
import { type Channel, channels, contextKeysQuery, cursorList, cursorQuery, identifiers } from "../../common.ts";
import { operation } from "../../operation.ts";
import { type AnyProviderId, addedProviderIds, inAppProviderId, providerIds } from "../../provider-ids.ts";
import { isoTime, named, nullableString, oneOf, type Static, Type } from "../../schema.ts";
import { secret } from "../../secrets.ts";
import { ContextMap } from "../topics/contexts.ts";

const anyProviderIds = [...providerIds, ...addedProviderIds, inAppProviderId] as const;

/** What connections and endpoints show of their integration. */
export const ofIntegration = {
  channel: Type.Unsafe<Channel | null>({ type: ["string", "null"], enum: [...channels, null] }),
  providerId: Type.Unsafe<AnyProviderId | null>({ type: ["string", "null"], enum: [...anyProviderIds, null] }),
  integrationIdentifier: nullableString(),
};

/** The filters that the lists of connections and endpoints share; filters are exact and joined with AND. */
export const channelFilters = {
  ...cursorQuery,
  orderBy: Type.Optional(oneOf(["createdAt", "updatedAt", "identifier"], { default: "createdAt" })),
  subscriberId: Type.Optional(Type.String()),
  contextKeys: contextKeysQuery,
  channel: Type.Optional(oneOf(channels)),
  providerId: Type.Optional(oneOf(anyProviderIds)),
  integrationIdentifier: Type.Optional(Type.String()),
};

/** The members of a request that define where a connection or an endpoint belongs. */
export const channelOwner = {
  identifier: Type.Optional(Type.String({ ...identifiers.integration, description: "Generated when absent" })),
  context: Type.Optional(ContextMap),
  integrationIdentifier: Type.String({ minLength: 1 }),
};

/** Whether a connection belongs to one subscriber or to all of them. */
export const connectionMode = Type.Optional(
  oneOf(["subscriber", "shared"], {
    description:
      "`shared`: for all subscribers, whatever `subscriberId` says. Absent: for the subscriber, if one is given",
  }),
);

// Newer clients store more than this (refresh tokens, expiry); the rest is kept and not shown.
const kept = { additionalProperties: true, maxJsonBytes: 65_536 };

export const WorkspaceIn = named(
  "WorkspaceIn",
  {
    id: Type.String({ minLength: 1, maxLength: 255 }),
    name: Type.Optional(Type.String({ maxLength: 255 })),
  },
  kept,
);
export const ConnectionAuthIn = named(
  "ConnectionAuthIn",
  { accessToken: Type.String({ minLength: 1, maxLength: 16_384 }) },
  { ...kept, ...secret("none") },
);

export const ChannelConnection = named("ChannelConnection", {
  identifier: Type.String(),
  ...ofIntegration,
  subscriberId: nullableString({ description: "null when all subscribers share the connection" }),
  contextKeys: Type.Array(Type.String()),
  workspace: named("Workspace", { id: Type.String(), name: Type.Optional(Type.String()) }),
  auth: named("ConnectionAuth", {
    accessToken: Type.String({ description: "In clear text for API keys", ...secret("none") }),
  }),
  createdAt: isoTime("When the connection was created"),
  updatedAt: isoTime("Last change"),
});
export type ChannelConnection = Static<typeof ChannelConnection>;

const connectionPath = Type.Object({ identifier: Type.String() });

export const channelConnectionOperations = {
  "channelConnections.list": operation({
    id: "channelConnections.list",
    method: "GET",
    path: "/v1/channel-connections",
    summary: "List channel connections",
    description: "With `subscriberId`, connections that all subscribers share are left out.",
    category: "configuration",
    query: Type.Object(channelFilters),
    success: { status: 200, schema: cursorList("ChannelConnectionList", ChannelConnection) },
    errors: [],
  }),
  "channelConnections.create": operation({
    id: "channelConnections.create",
    method: "POST",
    path: "/v1/channel-connections",
    summary: "Create a channel connection",
    description: "A subscriber has one connection with an integration for each set of contexts.",
    category: "configuration",
    body: named("ChannelConnectionIn", {
      ...channelOwner,
      subscriberId: Type.Optional(Type.String({ minLength: 1, description: "Absent: shared by all subscribers" })),
      connectionMode,
      workspace: WorkspaceIn,
      auth: ConnectionAuthIn,
    }),
    success: { status: 201, schema: ChannelConnection },
    errors: ["INTEGRATION_NOT_FOUND", "SUBSCRIBER_NOT_FOUND", "CONNECTION_EXISTS"],
  }),
  "channelConnections.retrieve": operation({
    id: "channelConnections.retrieve",
    method: "GET",
    path: "/v1/channel-connections/{identifier}",
    summary: "Retrieve a channel connection",
    category: "configuration",
    params: connectionPath,
    success: { status: 200, schema: ChannelConnection },
    errors: ["CONNECTION_NOT_FOUND"],
  }),
  "channelConnections.update": operation({
    id: "channelConnections.update",
    method: "PATCH",
    path: "/v1/channel-connections/{identifier}",
    summary: "Replace a connection's workspace and credentials",
    category: "configuration",
    params: connectionPath,
    body: named("ChannelConnectionPatch", { workspace: WorkspaceIn, auth: ConnectionAuthIn }),
    success: { status: 200, schema: ChannelConnection },
    errors: ["CONNECTION_NOT_FOUND"],
  }),
  "channelConnections.delete": operation({
    id: "channelConnections.delete",
    method: "DELETE",
    path: "/v1/channel-connections/{identifier}",
    summary: "Delete a channel connection",
    description: "Endpoints that use the connection are deleted with it.",
    category: "configuration",
    params: connectionPath,
    success: { status: 204 },
    errors: ["CONNECTION_NOT_FOUND"],
  }),
};
