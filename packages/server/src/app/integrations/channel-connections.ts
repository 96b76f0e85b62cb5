// Channel connections: access to a chat workspace. The access token is encrypted at rest and, as the contract requires,
// shown in clear.
import { type ChannelConnection, type Input, type Output, SubscriberIn } from "@tidings/contract";
import type { Caller, Ctx } from "../../context.ts";
import { failure, invalid } from "../../failure.ts";
import { randomText } from "../../lib/ids.ts";
import { mask } from "../../lib/secrets.ts";
import { contextKeysOf } from "../../pipeline/trigger/contexts.ts";
import {
  type ConnectionRow,
  deleteConnection,
  findConnection,
  findOwnConnection,
  insertConnection,
  listConnections,
  updateConnection,
} from "../../store/integrations/channel-connections.ts";
import { holdIntegration, holdSubscriber } from "../../store/integrations/channel-owners.ts";
import { resolveContexts } from "../../store/subscribers/contexts.ts";
import { upsertSubscribers } from "../../store/subscribers/subscribers.ts";
import { checkShape } from "../../validation.ts";
import { readCursor, toCursorList } from "../paging.ts";
import { readContext, readContextKeys } from "../subscribers/contexts.ts";
import { seal, unseal } from "./credentials.ts";

/** From workspace and auth, only the members of the contract: clients may store more, such as refresh tokens. */
const toConnection = (ctx: Ctx, row: ConnectionRow): ChannelConnection => ({
  identifier: row.identifier,
  channel: row.channel,
  providerId: row.provider_id as ChannelConnection["providerId"],
  integrationIdentifier: row.integration_identifier,
  subscriberId: row.subscriber_key,
  contextKeys: row.context_keys,
  workspace: { id: row.workspace.id, name: row.workspace.name },
  auth: { accessToken: String(unseal(ctx.secrets, row.auth).accessToken) },
  createdAt: row.created_at.toISOString(),
  updatedAt: row.updated_at.toISOString(),
});

type OwnerIn = {
  integrationIdentifier: string;
  subscriberId?: string;
  connectionMode?: "subscriber" | "shared";
  createSubscriberIfMissing?: boolean;
  context?: Input<"channelConnections.create">["body"]["context"];
};

/**
 * The integration, subscriber and contexts that a connection or an endpoint belongs to. Integration and subscriber are
 * locked, so that neither is deleted before the connection or endpoint is written.
 */
export async function lockOwner(ctx: Ctx, caller: Caller, owner: OwnerIn) {
  const { integrationIdentifier, connectionMode, context } = owner;
  const key = connectionMode === "shared" ? undefined : owner.subscriberId?.trim();
  if (connectionMode === "subscriber" && key === undefined) {
    const message = "subscriberId is required when connectionMode is subscriber";
    throw invalid({ subscriberId: { messages: [message] } });
  }
  const integration = await holdIntegration(ctx.db, caller.environmentId, integrationIdentifier);
  if (!integration) throw failure("INTEGRATION_NOT_FOUND", { integrationId: integrationIdentifier });
  if (key !== undefined && owner.createSubscriberIfMissing) await createIfMissing(ctx, caller, key);
  const subscriber = key === undefined ? undefined : await holdSubscriber(ctx.db, caller.environmentId, key);
  if (key !== undefined && !subscriber) throw failure("SUBSCRIBER_NOT_FOUND", { subscriberId: key });
  const contexts = readContext(context);
  await resolveContexts(ctx.db, caller.environmentId, contexts, ctx.now());
  return { integration, key, subscriberId: subscriber?.id ?? null, contextKeys: contextKeysOf(contexts) };
}

const subscriberFaults = checkShape(SubscriberIn);

async function createIfMissing(ctx: Ctx, caller: Caller, subscriberId: string): Promise<void> {
  const messages = subscriberFaults({ subscriberId });
  if (messages.length > 0) throw invalid({ subscriberId: { messages, value: subscriberId } });
  const entry = { id: ctx.newId(), subscriberId, fields: {} };
  await upsertSubscribers(ctx.db, caller.environmentId, {
    entries: [entry],
    now: ctx.now(),
    options: { keepExisting: true },
  });
}

export async function create(
  ctx: Ctx,
  caller: Caller,
  { body }: Input<"channelConnections.create">,
): Promise<Output<"channelConnections.create">> {
  const { integration, key, subscriberId, contextKeys } = await lockOwner(ctx, caller, body);
  const identifier = body.identifier ?? `conn-${randomText(12)}`;
  const own = await findOwnConnection(ctx.db, caller.environmentId, {
    integrationId: integration.id,
    subscriberId,
    contextKeys,
  });
  if (own && own.identifier !== identifier) {
    const message =
      `Subscriber ${key} is already connected to integration ${body.integrationIdentifier} by channel connection ` +
      `${own.identifier}; update or delete that one`;
    throw failure("CONNECTION_EXISTS", { identifier: own.identifier }, { message });
  }
  const now = ctx.now();
  const isNew = await insertConnection(ctx.db, {
    id: ctx.newId(),
    environment_id: caller.environmentId,
    identifier,
    integration_id: integration.id,
    subscriber_id: subscriberId,
    context_keys: contextKeys,
    workspace: body.workspace,
    auth: seal(ctx.secrets, body.auth),
    created_at: now,
    updated_at: now,
  });
  if (!isNew) throw failure("CONNECTION_EXISTS", { identifier });
  return retrieve(ctx, caller, { params: { identifier } });
}

export async function list(
  ctx: Ctx,
  caller: Caller,
  { query }: Input<"channelConnections.list">,
): Promise<Output<"channelConnections.list">> {
  return listBy(ctx, caller, query);
}

/** `isShared`: those of all subscribers, whatever subscriber the query names. */
export async function listBy(
  ctx: Ctx,
  caller: Caller,
  query: Input<"channelConnections.list">["query"],
  { isShared = false } = {},
): Promise<Output<"channelConnections.list">> {
  const { channel, providerId, integrationIdentifier, orderBy = "createdAt" } = query;
  const contextKeys = readContextKeys(query.contextKeys);
  const subscriberId = isShared ? null : query.subscriberId;
  const filters = { subscriberId, contextKeys, channel, providerId, integrationIdentifier };
  const page = await listConnections(ctx.db, caller.environmentId, { filters, orderBy, request: readCursor(query) });
  return toCursorList(page, (row) => toConnection(ctx, row));
}

export async function retrieve(
  ctx: Ctx,
  caller: Caller,
  { params: { identifier } }: Pick<Input<"channelConnections.retrieve">, "params">,
): Promise<Output<"channelConnections.retrieve">> {
  const row = await findConnection(ctx.db, caller.environmentId, identifier);
  if (!row) throw failure("CONNECTION_NOT_FOUND", { identifier });
  return toConnection(ctx, row);
}

export async function update(
  ctx: Ctx,
  caller: Caller,
  { params, body }: Input<"channelConnections.update">,
): Promise<Output<"channelConnections.update">> {
  const { identifier } = params;
  // People see a mask instead of the token; sent back, it keeps the stored one.
  const isMasked = body.auth.accessToken === mask;
  const stored = isMasked ? await findConnection(ctx.db, caller.environmentId, identifier) : undefined;
  const auth = seal(ctx.secrets, stored ? unseal(ctx.secrets, stored.auth) : body.auth);
  const changes = { workspace: body.workspace, auth };
  const isKnown = await updateConnection(ctx.db, caller.environmentId, { identifier, changes, now: ctx.now() });
  if (!isKnown) throw failure("CONNECTION_NOT_FOUND", { identifier });
  return retrieve(ctx, caller, { params });
}

export async function remove(
  ctx: Ctx,
  caller: Caller,
  { params: { identifier } }: Input<"channelConnections.delete">,
): Promise<Output<"channelConnections.delete">> {
  const isKnown = await deleteConnection(ctx.db, caller.environmentId, identifier);
  if (!isKnown) throw failure("CONNECTION_NOT_FOUND", { identifier });
}
