// Chat connections and endpoints of the subscriber whose token a request has. Access tokens are never shown to a
// browser.
import { cursorList } from "../../common.ts";
import { operation } from "../../operation.ts";
import { named, oneOf, openObject, type Static, Type } from "../../schema.ts";
import {
  ChannelConnection,
  ConnectionAuthIn,
  channelFilters,
  channelOwner,
  WorkspaceIn,
} from "../channels/channel-connections.ts";
import { ChannelEndpoint, endpointTypeWord } from "../channels/channel-endpoints.ts";
import { inboxErrors } from "./inbox-notifications.ts";

const { auth, ...connectionMembers } = ChannelConnection.properties;
export const InboxConnection = named("InboxConnection", connectionMembers);
export type InboxConnection = Static<typeof InboxConnection>;

const EndpointAnswer = named("InboxEndpointAnswer", { data: ChannelEndpoint });

const { subscriberId, contextKeys, ...filters } = channelFilters;
const mode = Type.Optional(
  oneOf(["subscriber", "shared"], {
    default: "subscriber",
    description: "`shared`: connections that all subscribers share, instead of the subscriber's own",
  }),
);
const { identifier, integrationIdentifier } = channelOwner;
const path = Type.Object({ identifier: Type.String() });
const noConnection = [...inboxErrors, "CONNECTION_NOT_FOUND"] as const;
const noEndpoint = [...inboxErrors, "ENDPOINT_NOT_FOUND"] as const;

export const inboxChannelOperations = {
  "inbox.listConnections": operation({
    id: "inbox.listConnections",
    method: "GET",
    path: "/v1/inbox/channel-connections",
    summary: "List the subscriber's own channel connections",
    description: "Excludes connections that all subscribers share, unless `connectionMode` requests them.",
    category: "inbox",
    access: "inbox",
    query: Type.Object({ ...filters, connectionMode: mode }),
    success: { status: 200, schema: cursorList("InboxConnectionList", InboxConnection) },
    errors: inboxErrors,
  }),
  "inbox.createConnection": operation({
    id: "inbox.createConnection",
    method: "POST",
    path: "/v1/inbox/channel-connections",
    summary: "Create the subscriber's own channel connection",
    category: "inbox",
    access: "inbox",
    body: named("InboxConnectionIn", {
      identifier,
      integrationIdentifier,
      workspace: WorkspaceIn,
      auth: ConnectionAuthIn,
    }),
    success: { status: 201, schema: named("InboxConnectionAnswer", { data: InboxConnection }) },
    errors: [...inboxErrors, "INTEGRATION_NOT_FOUND", "CONNECTION_EXISTS"],
  }),
  "inbox.retrieveConnection": operation({
    id: "inbox.retrieveConnection",
    method: "GET",
    path: "/v1/inbox/channel-connections/{identifier}",
    summary: "Retrieve the subscriber's own channel connection",
    description: "Not wrapped in `data`: existing clients read the whole response.",
    category: "inbox",
    access: "inbox",
    params: path,
    query: Type.Object({ connectionMode: mode }),
    success: { status: 200, schema: InboxConnection },
    errors: noConnection,
  }),
  "inbox.deleteConnection": operation({
    id: "inbox.deleteConnection",
    method: "DELETE",
    path: "/v1/inbox/channel-connections/{identifier}",
    summary: "Delete the subscriber's own channel connection",
    description: "Endpoints that use the connection are deleted with it.",
    category: "inbox",
    access: "inbox",
    params: path,
    success: { status: 204 },
    errors: noConnection,
  }),
  "inbox.listEndpoints": operation({
    id: "inbox.listEndpoints",
    method: "GET",
    path: "/v1/inbox/channel-endpoints",
    summary: "List the subscriber's own channel endpoints",
    category: "inbox",
    access: "inbox",
    query: Type.Object({ ...filters, connectionIdentifier: Type.Optional(Type.String()) }),
    success: { status: 200, schema: cursorList("InboxEndpointList", ChannelEndpoint) },
    errors: inboxErrors,
  }),
  "inbox.createEndpoint": operation({
    id: "inbox.createEndpoint",
    method: "POST",
    path: "/v1/inbox/channel-endpoints",
    summary: "Create the subscriber's own channel endpoint",
    description: "The connection must belong to the subscriber or be shared by all subscribers.",
    category: "inbox",
    access: "inbox",
    body: named("InboxEndpointIn", {
      identifier,
      integrationIdentifier,
      connectionIdentifier: Type.Optional(Type.String({ minLength: 1 })),
      type: endpointTypeWord,
      endpoint: openObject({ description: "The shape that belongs to `type`" }),
    }),
    success: { status: 201, schema: EndpointAnswer },
    errors: [...inboxErrors, "INTEGRATION_NOT_FOUND", "CONNECTION_NOT_FOUND", "ENDPOINT_EXISTS"],
  }),
  "inbox.retrieveEndpoint": operation({
    id: "inbox.retrieveEndpoint",
    method: "GET",
    path: "/v1/inbox/channel-endpoints/{identifier}",
    summary: "Retrieve the subscriber's own channel endpoint",
    category: "inbox",
    access: "inbox",
    params: path,
    success: { status: 200, schema: EndpointAnswer },
    errors: noEndpoint,
  }),
  "inbox.deleteEndpoint": operation({
    id: "inbox.deleteEndpoint",
    method: "DELETE",
    path: "/v1/inbox/channel-endpoints/{identifier}",
    summary: "Delete the subscriber's own channel endpoint",
    category: "inbox",
    access: "inbox",
    params: path,
    success: { status: 204 },
    errors: noEndpoint,
  }),
};
