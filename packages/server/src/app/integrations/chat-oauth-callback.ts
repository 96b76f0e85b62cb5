// The second half of the OAuth flow of chat providers: a person returns from the provider with a code. The signed state is
// the only authorization, valid for 10 minutes and one connection. The provider is called before the transaction; a failure
// writes nothing, so that the person can try again.
import { type Access, type CallbackParams, connectWorkspace, findProvider } from "@tidings/providers";
import type { Ctx, NetworkCtx } from "../../context.ts";
import { randomText } from "../../lib/ids.ts";
import { sealValue } from "../../lib/sealed.ts";
import { sha256 } from "../../lib/secrets.ts";
import { inRepeatableTransaction } from "../../store/db.ts";
import { hasAnswer, storeAnswer } from "../../store/idempotency.ts";
import {
  findConnection,
  findOwnConnection,
  insertConnection,
  updateConnection,
} from "../../store/integrations/channel-connections.ts";
import { insertEndpoint } from "../../store/integrations/channel-endpoints.ts";
import { holdIntegrationById, holdSubscriber } from "../../store/integrations/channel-owners.ts";
import { findIntegration } from "../../store/integrations/integrations.ts";
import { chatOauthCallback, type OauthState, readState } from "./chat-oauth.ts";
import { seal, unseal } from "./credentials.ts";
import { callProvider } from "./integration-checks.ts";

export type OauthResult =
  | { kind: "connected"; provider: string; workspace?: string; redirectUrl?: string }
  /** The provider needs another authorization of the person. */
  | { kind: "onward"; address: string }
  /** The state has a wrong signature, is too old, or was used before. */
  | { kind: "unknown" | "expired" | "used" }
  /**
   * The integration or the subscriber was deleted; the connection belongs to another subscriber or integration; the
   * subscriber has a connection with another identifier.
   */
  | { kind: "integration-gone" | "subscriber-gone" | "taken" | "connected-otherwise" }
  /** The person declined, the provider cannot be reached, or it refused. */
  | { kind: "declined" | "unreachable"; provider: string }
  | { kind: "refused"; provider: string; word?: string };

/** Errors with which providers report that the person declined. */
const declinedErrors = new Set(["access_denied", "permission_denied"]);

/** Used states are stored as idempotency keys. No request can name one: headers have no line breaks. */
const usedKey = ({ id }: OauthState): string => `chat oauth\n${id}`;

export async function finish(ctx: NetworkCtx, callback: CallbackParams): Promise<OauthResult> {
  const read = readState(ctx.secrets, callback.state ?? "", ctx.now());
  if (!read) return { kind: "unknown" };
  if (read.isExpired) return { kind: "expired" };
  const { state } = read;
  const integration = await findIntegration(ctx.db, state.environmentId, state.integrationId);
  if (!integration) return { kind: "integration-gone" };
  if (await hasAnswer(ctx.db, state.environmentId, usedKey(state))) return { kind: "used" };

  const provider = findProvider(integration.provider_id)?.name ?? integration.provider_id;
  const note = { env: state.environmentId, integration: integration.id, provider: integration.provider_id };
  if (callback.error !== undefined) {
    if (declinedErrors.has(callback.error)) return { kind: "declined", provider };
    ctx.log.warn({ ...note, reason: callback.error.slice(0, 200) }, "a chat workspace was not connected");
    return { kind: "refused", provider, word: callback.error };
  }
  const credentials = unseal(ctx.secrets, integration.credentials);
  const redirectUri = chatOauthCallback(ctx.config);
  const result = await callProvider(ctx, state, () =>
    connectWorkspace(integration.provider_id, callback, redirectUri, credentials, ctx.io),
  );
  if (!result.ok) {
    ctx.log.warn({ ...note, reason: result.reason }, "a chat workspace was not connected");
    return { kind: result.isTemporary ? "unreachable" : "refused", provider };
  }
  if ("next" in result) return { kind: "onward", address: result.next };
  const access = sanitizeAccess(result.access);
  const refusal = await storeAccess(ctx, state, access);
  if (refusal) return { kind: refusal };
  ctx.log.info({ ...note, workspace: access.workspace.id }, "a chat workspace was connected");
  return {
    kind: "connected",
    provider,
    workspace: access.workspace.name,
    redirectUrl: webAddress(credentials.redirectUrl),
  };
}

type Refusal = "integration-gone" | "subscriber-gone" | "taken" | "connected-otherwise" | "used";

/** Thrown to roll the transaction back. */
class Refused extends Error {
  readonly refusal: Refusal;

  constructor(refusal: Refusal) {
    super(refusal);
    this.refusal = refusal;
  }
}

async function storeAccess(ctx: Ctx, state: OauthState, access: Access): Promise<Refusal | null> {
  try {
    await inRepeatableTransaction(ctx.db, (tx) => writeAccess({ ...ctx, db: tx }, state, access));
    return null;
  } catch (error) {
    if (error instanceof Refused) return error.refusal;
    throw error;
  }
}

/**
 * When the person picked a channel at the provider and the state names a subscriber, the channel becomes an endpoint of the
 * subscriber. A connection is stored otherwise, or beside the endpoint when the state names a connection.
 */
async function writeAccess(ctx: Ctx, state: OauthState, access: Access): Promise<void> {
  const { environmentId, integrationId, subscriberId: key, connectionIdentifier } = state;
  if (!(await holdIntegrationById(ctx.db, environmentId, integrationId))) throw new Refused("integration-gone");
  const subscriber = key === undefined ? undefined : await holdSubscriber(ctx.db, environmentId, key);
  if (key !== undefined && !subscriber) throw new Refused("subscriber-gone");
  const answer = { fingerprint: sha256(state.id), status: 200, body: null };
  if (!(await storeAnswer(ctx.db, environmentId, usedKey(state), answer))) throw new Refused("used");

  const { webhook } = access;
  const isConnection = !subscriber || !webhook || connectionIdentifier !== undefined;
  const connectionId = isConnection ? await writeConnection(ctx, state, subscriber?.id ?? null, access) : null;
  if (!subscriber || !webhook) return;
  const now = ctx.now();
  await insertEndpoint(ctx.db, {
    id: ctx.newId(),
    environment_id: environmentId,
    identifier: `endp-${randomText(12)}`,
    integration_id: integrationId,
    connection_id: connectionId,
    subscriber_id: subscriber.id,
    context_keys: state.contextKeys,
    type: "webhook",
    endpoint: sealValue(ctx.secrets, webhook),
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
  const own = await findOwnConnection(ctx.db, environmentId, integrationId, subscriberId, contextKeys);
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
  if (!(await updateConnection(ctx.db, environmentId, identifier, { workspace, auth: sealed }, now))) {
    throw new Refused("taken");
  }
  return known.id;
}

const maxTextLength = 255;

const sanitizeText = (value: string | undefined): string | undefined =>
  value
    ?.replace(/\p{Cc}+/gu, " ")
    .trim()
    .slice(0, maxTextLength)
    .toWellFormed();

/** Texts of the provider, truncated and without control characters; a webhook that is no web address is dropped. */
const sanitizeAccess = ({ workspace, auth, webhook }: Access): Access => ({
  workspace: { ...workspace, name: sanitizeText(workspace.name) },
  auth,
  webhook:
    webhook && webAddress(webhook.url) ? { url: webhook.url, channel: sanitizeText(webhook.channel) } : undefined,
});

/** `redirectUrl` is free text: only http and https URLs are redirected to. */
function webAddress(value: unknown): string | undefined {
  const url = typeof value === "string" ? URL.parse(value.trim()) : null;
  return url && /^https?:$/.test(url.protocol) ? url.href : undefined;
}
