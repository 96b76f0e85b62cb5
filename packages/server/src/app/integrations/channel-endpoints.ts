// Channel endpoints: the chat address of a subscriber. Its type must be one that the provider supports, and its address
// must have the shape of the type.
import {
  type ChannelEndpoint,
  type ChannelEndpointAddress,
  type ChannelEndpointType,
  channelEndpointTypes,
  endpointShapes,
  endpointTypesOf,
  type Input,
  type Output,
} from "@tidings/contract";
import type { Caller, Ctx } from "../../context.ts";
import { failure, faultCollector, invalid } from "../../failure.ts";
import { randomText } from "../../lib/ids.ts";
import { openValue, sealValue } from "../../lib/sealed.ts";
import { holdConnection } from "../../store/integrations/channel-connections.ts";
import {
  deleteEndpoint,
  type EndpointRow,
  findEndpoint,
  insertEndpoint,
  listEndpoints,
  updateEndpoint,
} from "../../store/integrations/channel-endpoints.ts";
import { compileBody, faultsOf } from "../../validation.ts";
import { readCursor, toCursorList } from "../paging.ts";
import { readContextKeys } from "../subscribers/contexts.ts";
import { lockOwner } from "./channel-connections.ts";

const toEndpoint = ({ secrets }: Ctx, row: EndpointRow): ChannelEndpoint => ({
  identifier: row.identifier,
  channel: row.channel,
  providerId: row.provider_id as ChannelEndpoint["providerId"],
  integrationIdentifier: row.integration_identifier,
  connectionIdentifier: row.connection_identifier,
  subscriberId: row.subscriber_key,
  contextKeys: row.context_keys,
  type: row.type,
  endpoint: openValue(secrets, row.endpoint),
  createdAt: row.created_at.toISOString(),
  updatedAt: row.updated_at.toISOString(),
});

const shapeChecks = new Map(channelEndpointTypes.map((type) => [type, compileBody(endpointShapes[type])]));

/** The address with only the members of its type, or 422 under `endpoint`. */
function readAddress(type: ChannelEndpointType, given: Record<string, unknown>): ChannelEndpointAddress {
  const check = shapeChecks.get(type)!;
  if (!check(given)) throw invalid(faultsOf(check.errors ?? [], "endpoint"));
  const members = Object.keys(endpointShapes[type].properties);
  return Object.fromEntries(
    members.flatMap((name) => (given[name] === undefined ? [] : [[name, given[name]]])),
  ) as ChannelEndpointAddress;
}

export async function create(
  ctx: Ctx,
  caller: Caller,
  { body }: Input<"channelEndpoints.create">,
): Promise<Output<"channelEndpoints.create">> {
  const address = readAddress(body.type, body.endpoint);
  const { integration, subscriberId, contextKeys } = await lockOwner(ctx, caller, body);
  const connectionId = await readConnection(ctx, caller, body, integration);
  const identifier = body.identifier ?? `endp-${randomText(12)}`;
  const now = ctx.now();
  const isNew = await insertEndpoint(ctx.db, {
    id: ctx.newId(),
    environment_id: caller.environmentId,
    identifier,
    integration_id: integration.id,
    connection_id: connectionId,
    subscriber_id: subscriberId!,
    context_keys: contextKeys,
    type: body.type,
    endpoint: sealValue(ctx.secrets, address),
    created_at: now,
    updated_at: now,
  });
  if (!isNew) throw failure("ENDPOINT_EXISTS", { identifier });
  return retrieve(ctx, caller, { params: { identifier } });
}

/** The id of the connection, or null without one. Type and connection must belong to the integration. */
async function readConnection(
  ctx: Ctx,
  caller: Caller,
  { type, connectionIdentifier }: Input<"channelEndpoints.create">["body"],
  integration: { id: string; provider_id: string },
): Promise<string | null> {
  const connection =
    connectionIdentifier === undefined
      ? null
      : await holdConnection(ctx.db, caller.environmentId, connectionIdentifier);
  if (connection === undefined) throw failure("CONNECTION_NOT_FOUND", { identifier: connectionIdentifier! });

  const faults = faultCollector();
  const supported = endpointTypesOf(integration.provider_id);
  if (!supported.includes(type)) {
    const hint = supported.length > 0 ? `must be one of: ${supported.join(", ")}` : "does not fit";
    faults.add("type", `type ${hint} for provider ${integration.provider_id}`, type);
  }
  if (connection && connection.integration_id !== integration.id) {
    const message = "connectionIdentifier must name a connection of the integration";
    faults.add("connectionIdentifier", message, connectionIdentifier);
  }
  faults.throwIfAny();
  return connection?.id ?? null;
}

export async function list(
  ctx: Ctx,
  caller: Caller,
  { query }: Input<"channelEndpoints.list">,
): Promise<Output<"channelEndpoints.list">> {
  const { subscriberId, channel, providerId, integrationIdentifier, connectionIdentifier } = query;
  const contextKeys = readContextKeys(query.contextKeys);
  const filters = { subscriberId, contextKeys, channel, providerId, integrationIdentifier, connectionIdentifier };
  const { orderBy = "createdAt" } = query;
  return toCursorList(
    await listEndpoints(ctx.db, caller.environmentId, { filters, orderBy, request: readCursor(query) }),
    (row) => toEndpoint(ctx, row),
  );
}

export async function retrieve(
  ctx: Ctx,
  caller: Caller,
  { params: { identifier } }: Pick<Input<"channelEndpoints.retrieve">, "params">,
): Promise<Output<"channelEndpoints.retrieve">> {
  const row = await findEndpoint(ctx.db, caller.environmentId, identifier);
  if (!row) throw failure("ENDPOINT_NOT_FOUND", { identifier });
  return toEndpoint(ctx, row);
}

export async function update(
  ctx: Ctx,
  caller: Caller,
  { params, body }: Input<"channelEndpoints.update">,
): Promise<Output<"channelEndpoints.update">> {
  const { type } = await retrieve(ctx, caller, { params });
  const address = readAddress(type, body.endpoint);
  const sealed = sealValue(ctx.secrets, address);
  await updateEndpoint(ctx.db, caller.environmentId, {
    identifier: params.identifier,
    endpoint: sealed,
    now: ctx.now(),
  });
  return retrieve(ctx, caller, { params });
}

export async function remove(
  ctx: Ctx,
  caller: Caller,
  { params: { identifier } }: Input<"channelEndpoints.delete">,
): Promise<Output<"channelEndpoints.delete">> {
  const isKnown = await deleteEndpoint(ctx.db, caller.environmentId, identifier);
  if (!isKnown) throw failure("ENDPOINT_NOT_FOUND", { identifier });
}
