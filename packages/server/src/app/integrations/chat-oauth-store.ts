// What a person granted at a chat provider, stored in one transaction with the state that it was granted for: a
// connection, an endpoint, or both.
import { type ChannelEndpointAddress, type ChannelEndpointType, endpointTypesOf } from "@tidings/contract";
import type { Access, Person } from "@tidings/providers";
import type { Ctx } from "../../context.ts";
import { randomText } from "../../lib/ids.ts";
import { openValue, sealValue } from "../../lib/sealed.ts";
import { sha256 } from "../../lib/secrets.ts";
import { inRepeatableTransaction } from "../../store/db.ts";
import { storeAnswer } from "../../store/idempotency.ts";
import {
  findConnection,
  findOwnConnection,
  findUsableConnection,
  insertConnection,
  updateConnection,
} from "../../store/integrations/channel-connections.ts";
import { deleteEndpoint, insertEndpoint, listOwnEndpoints } from "../../store/integrations/channel-endpoints.ts";
import { holdIntegrationById, holdSubscriber } from "../../store/integrations/channel-owners.ts";
import type { OauthState } from "./chat-oauth.ts";
import { seal } from "./credentials.ts";

/**
 * The integration or the subscriber was deleted; the connection belongs to another subscriber or integration; the
 * subscriber has a connection with another identifier; the state was used before; the workspace of the person is not
 * connected.
 */
export type Refusal =
  | "integration-gone"
  | "subscriber-gone"
  | "taken"
  | "connected-otherwise"
  | "used"
  | "not-connected";

/** Used states are stored as idempotency keys. No request can name one: headers have no line breaks. */
export const usedKey = ({ id }: Pick<OauthState, "id">): string => `chat oauth\n${id}`;

/** Thrown to roll the transaction back. */
class Refused extends Error {
  readonly refusal: Refusal;

  constructor(refusal: Refusal) {
    super(refusal);
    this.refusal = refusal;
  }
}

async function store(ctx: Ctx, write: (tx: Ctx) => Promise<void>): Promise<Refusal | null> {
  try {
    await inRepeatableTransaction(ctx.db, (tx) => write({ ...ctx, db: tx }));
    return null;
  } catch (error) {
    if (error instanceof Refused) return error.refusal;
    throw error;
  }
}

/** Locks what the state names, and marks the state as used. */
async function takeState(ctx: Ctx, { id, environmentId, integrationId, subscriberId: key }: OauthState) {
  const integration = await holdIntegrationById(ctx.db, environmentId, integrationId);
  if (!integration) throw new Refused("integration-gone");
  const subscriber = key === undefined ? undefined : await holdSubscriber(ctx.db, environmentId, key);
  if (key !== undefined && !subscriber) throw new Refused("subscriber-gone");
  const answer = { fingerprint: sha256(id), status: 200, body: null };
  if (!(await storeAnswer(ctx.db, environmentId, usedKey({ id }), answer))) throw new Refused("used");
  return { integration, subscriber };
}

export const storeAccess = (ctx: Ctx, state: OauthState, access: Access): Promise<Refusal | null> =>
  store(ctx, (tx) => writeAccess(tx, state, access));

/**
 * When the person picked a channel at the provider and the state names a subscriber, the channel becomes an endpoint of
 * the subscriber. A connection is stored otherwise, or in addition to the endpoint when the state names a connection.
 */
async function writeAccess(ctx: Ctx, state: OauthState, access: Access): Promise<void> {
  const { integration, subscriber } = await takeState(ctx, state);
  const { webhook, personId } = access;
  const linksPerson = state.linksPerson && subscriber !== undefined && personId !== undefined;
  const isConnection = !subscriber || !webhook || state.connectionIdentifier !== undefined || linksPerson;
  const connectionId = isConnection ? await writeConnection(ctx, state, subscriber?.id ?? null, access) : null;
  if (linksPerson) await writePerson(ctx, state, { integration, subscriber, connectionId: connectionId!, personId });
  if (!subscriber || !webhook) return;
  await writeEndpoint(ctx, state, subscriber.id, connectionId, { type: "webhook", address: webhook });
}

/** The person becomes an endpoint of the subscriber, reached through a connection to the workspace of the person. */
export const storePerson = (ctx: Ctx, state: OauthState, person: Person): Promise<Refusal | null> =>
  store(ctx, async (tx) => {
    const { integration, subscriber } = await takeState(tx, state);
    if (!subscriber) throw new Refused("subscriber-gone");
    const connection = await findUsableConnection(tx.db, state.environmentId, {
      integrationId: state.integrationId,
      subscriberId: subscriber.id,
      workspaceId: person.workspaceId,
      identifier: state.connectionIdentifier,
    });
    if (!connection) throw new Refused("not-connected");
    await writePerson(tx, state, { integration, subscriber, connectionId: connection.id, personId: person.id });
  });

type Linked = {
  integration: { provider_id: string };
  subscriber: { id: string };
  connectionId: string;
  personId: string;
};

/** A person who is linked again keeps the endpoint, so that nothing is sent to them twice. */
async function writePerson(ctx: Ctx, state: OauthState, linked: Linked): Promise<void> {
  const { environmentId, integrationId, contextKeys } = state;
  const { integration, subscriber, connectionId, personId } = linked;
  const type = endpointTypesOf(integration.provider_id).find((name) => name.endsWith("_user"))!;
  const owner = { integrationId, subscriberId: subscriber.id, contextKeys };
  const known = (await listOwnEndpoints(ctx.db, environmentId, owner)).find(
    (row) => row.type === type && (openValue(ctx.secrets, row.endpoint) as { userId?: string }).userId === personId,
  );
  if (known) await deleteEndpoint(ctx.db, environmentId, known.identifier);
  await writeEndpoint(ctx, state, subscriber.id, connectionId, {
    type,
    address: { userId: personId },
    identifier: known?.identifier,
  });
}

type NewEndpoint = { type: ChannelEndpointType; address: ChannelEndpointAddress; identifier?: string };

async function writeEndpoint(
  ctx: Ctx,
  { environmentId, integrationId, contextKeys }: OauthState,
  subscriberId: string,
  connectionId: string | null,
  { type, address, identifier = `endp-${randomText(12)}` }: NewEndpoint,
): Promise<void> {
  const now = ctx.now();
  await insertEndpoint(ctx.db, {
    id: ctx.newId(),
    environment_id: environmentId,
    identifier,
    integration_id: integrationId,
    connection_id: connectionId,
    subscriber_id: subscriberId,
    context_keys: contextKeys,
    type,
    endpoint: sealValue(ctx.secrets, address),
    created_at: now,
    updated_at: now,
  });
}

/** An existing connection of the same integration, subscriber and contexts gets the new access token. */
async function writeConnection(
  ctx: Ctx,
  { environmentId, integrationId, connectionIdentifier, contextKeys }: OauthState,
  subscriberId: string | null,
  { workspace, auth }: Access,
): Promise<string> {
  const own = await findOwnConnection(ctx.db, environmentId, { integrationId, subscriberId, contextKeys });
  const identifier = connectionIdentifier ?? own?.identifier ?? `conn-${randomText(12)}`;
  if (own && own.identifier !== identifier) throw new Refused("connected-otherwise");
  const [id, now, sealed] = [ctx.newId(), ctx.now(), seal(ctx.secrets, auth)];
  const isNew = await insertConnection(ctx.db, {
    id,
    environment_id: environmentId,
    identifier,
    integration_id: integrationId,
    subscriber_id: subscriberId,
    context_keys: contextKeys,
    workspace,
    auth: sealed,
    created_at: now,
    updated_at: now,
  });
  if (isNew) return id;
  const known = await findConnection(ctx.db, environmentId, identifier);
  const isSame = known?.integration_id === integrationId && known.subscriber_id === subscriberId;
  if (!isSame) throw new Refused("taken");
  if (!(await updateConnection(ctx.db, environmentId, { identifier, changes: { workspace, auth: sealed }, now }))) {
    throw new Refused("taken");
  }
  return known.id;
}
