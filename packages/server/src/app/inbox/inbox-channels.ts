// Chat connections and endpoints of the subscriber whose token a request has. Those of other subscribers do not exist
// for it, and access tokens of workspaces are never shown to a browser.
import type { ChannelConnection, ChannelEndpoint, InboxConnection, Input, Output } from "@tidings/contract";
import type { Ctx, InboxCaller } from "../../context.ts";
import { failure } from "../../failure.ts";
import * as connections from "../integrations/channel-connections.ts";
import * as endpoints from "../integrations/channel-endpoints.ts";
import { contextOf } from "./session-context.ts";

const withoutAuth = ({ auth, ...shown }: ChannelConnection): InboxConnection => shown;

/** Filters and fields that make a request one about the caller's own rows. */
const ownFilters = ({ subscriber, contextKeys }: InboxCaller) => ({
  subscriberId: subscriber.subscriber_id,
  contextKeys,
});
const ownFields = (caller: InboxCaller) => ({
  subscriberId: caller.subscriber.subscriber_id,
  context: contextOf(caller),
});

const hasOwnContexts = ({ contextKeys }: InboxCaller, row: ChannelConnection | ChannelEndpoint): boolean =>
  !contextKeys || contextKeys.join() === row.contextKeys.join();

const isOwn = (caller: InboxCaller, row: ChannelConnection | ChannelEndpoint): boolean =>
  row.subscriberId === caller.subscriber.subscriber_id && hasOwnContexts(caller, row);

type Path = { params: { identifier: string } };

async function requireConnection(ctx: Ctx, caller: InboxCaller, { params }: Path): Promise<ChannelConnection> {
  const row = await connections.retrieve(ctx, caller, { params });
  if (!isOwn(caller, row)) throw failure("CONNECTION_NOT_FOUND", params);
  return row;
}

async function requireEndpoint(ctx: Ctx, caller: InboxCaller, { params }: Path): Promise<ChannelEndpoint> {
  const row = await endpoints.retrieve(ctx, caller, { params });
  if (!isOwn(caller, row)) throw failure("ENDPOINT_NOT_FOUND", params);
  return row;
}

export async function listConnections(
  ctx: Ctx,
  caller: InboxCaller,
  { query }: Input<"inbox.listConnections">,
): Promise<Output<"inbox.listConnections">> {
  const { connectionMode, ...rest } = query;
  const filters = { ...rest, ...ownFilters(caller) };
  const page = await connections.listBy(ctx, caller, filters, { isShared: connectionMode === "shared" });
  return { ...page, data: page.data.map(withoutAuth) };
}

export async function createConnection(
  ctx: Ctx,
  caller: InboxCaller,
  { body }: Input<"inbox.createConnection">,
): Promise<Output<"inbox.createConnection">> {
  const { identifier, integrationIdentifier, workspace, auth } = body;
  const own = { identifier, integrationIdentifier, workspace, auth, ...ownFields(caller) };
  return { data: withoutAuth(await connections.create(ctx, caller, { params: {}, query: {}, body: own })) };
}

export async function retrieveConnection(
  ctx: Ctx,
  caller: InboxCaller,
  input: Input<"inbox.retrieveConnection">,
): Promise<Output<"inbox.retrieveConnection">> {
  const { params, query } = input;
  if (query.connectionMode !== "shared") return withoutAuth(await requireConnection(ctx, caller, input));
  const row = await connections.retrieve(ctx, caller, { params });
  if (row.subscriberId !== null || !hasOwnContexts(caller, row)) throw failure("CONNECTION_NOT_FOUND", params);
  return withoutAuth(row);
}

export async function deleteConnection(
  ctx: Ctx,
  caller: InboxCaller,
  input: Input<"inbox.deleteConnection">,
): Promise<Output<"inbox.deleteConnection">> {
  await requireConnection(ctx, caller, input);
  return connections.remove(ctx, caller, input);
}

export async function listEndpoints(
  ctx: Ctx,
  caller: InboxCaller,
  { query }: Input<"inbox.listEndpoints">,
): Promise<Output<"inbox.listEndpoints">> {
  return endpoints.list(ctx, caller, { params: {}, query: { ...query, ...ownFilters(caller) }, body: undefined });
}

export async function createEndpoint(
  ctx: Ctx,
  caller: InboxCaller,
  { body }: Input<"inbox.createEndpoint">,
): Promise<Output<"inbox.createEndpoint">> {
  const { identifier, integrationIdentifier, connectionIdentifier, type, endpoint } = body;
  if (connectionIdentifier !== undefined) await requireUsable(ctx, caller, connectionIdentifier);
  const own = { identifier, integrationIdentifier, connectionIdentifier, type, endpoint, ...ownFields(caller) };
  return { data: await endpoints.create(ctx, caller, { params: {}, query: {}, body: own }) };
}

/** A message would be sent with the access token of the connection, so it must not be that of another subscriber. */
export async function requireUsable(ctx: Ctx, caller: InboxCaller, identifier: string): Promise<void> {
  const row = await connections.retrieve(ctx, caller, { params: { identifier } });
  if (row.subscriberId !== null && !isOwn(caller, row)) throw failure("CONNECTION_NOT_FOUND", { identifier });
}

export async function retrieveEndpoint(
  ctx: Ctx,
  caller: InboxCaller,
  input: Input<"inbox.retrieveEndpoint">,
): Promise<Output<"inbox.retrieveEndpoint">> {
  return { data: await requireEndpoint(ctx, caller, input) };
}

export async function deleteEndpoint(
  ctx: Ctx,
  caller: InboxCaller,
  input: Input<"inbox.deleteEndpoint">,
): Promise<Output<"inbox.deleteEndpoint">> {
  await requireEndpoint(ctx, caller, input);
  return endpoints.remove(ctx, caller, input);
}
