// A person comes back from a chat provider. The signed state is the only proof there is, and good for one connection within
// 10 minutes: what it was made for is stored, and nothing else. The provider is called before anything is locked, and
// whatever goes wrong leaves everything as it was, so that the person may try again.
import { type Access, type CallbackParams, connectWorkspace, findProvider } from "@tidings/providers";
import type { Ctx, NetworkCtx } from "../../context.ts";
import { randomText } from "../../lib/ids.ts";
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
  /** The provider has a second question to the person. */
  | { kind: "onward"; address: string }
  /** The state is not ours, too old, or was used. */
  | { kind: "unknown" | "expired" | "used" }
  /** The integration or the subscriber is gone; the connection is another's; the subscriber has one of another name. */
  | { kind: "integration-gone" | "subscriber-gone" | "taken" | "connected-otherwise" }
  /** The person said no; the provider did; the provider did not answer, or not yet. */
  | { kind: "declined" | "unreachable"; provider: string }
  | { kind: "refused"; provider: string; word?: string };

/** What is not among these was not the person's decision. */
const declined = new Set(["access_denied", "permission_denied"]);

/** In the table of idempotency keys, where no header can name it: they hold no line breaks. */
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
    if (declined.has(callback.error)) return { kind: "declined", provider };
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
  const access = tidied(result.access);
  const refusal = await store(ctx, state, access);
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

/** Thrown to take back what was written in the transaction. */
class Refused extends Error {
  readonly refusal: Refusal;

  constructor(refusal: Refusal) {
    super(refusal);
    this.refusal = refusal;
  }
}

async function store(ctx: Ctx, state: OauthState, access: Access): Promise<Refusal | null> {
  try {
    await inRepeatableTransaction(ctx.db, (tx) => keep({ ...ctx, db: tx }, state, access));
    return null;
  } catch (error) {
    if (error instanceof Refused) return error.refusal;
    throw error;
  }
}

/**
 * A channel that was picked on the way becomes an endpoint of the subscriber. Everything else is a connection; so is a
 * channel that nobody is named for, or that was asked for as one.
 */
async function keep(ctx: Ctx, state: OauthState, access: Access): Promise<void> {
  const { environmentId, integrationId, subscriberId: key, connectionIdentifier } = state;
  if (!(await holdIntegrationById(ctx.db, environmentId, integrationId))) throw new Refused("integration-gone");
  const subscriber = key === undefined ? undefined : await holdSubscriber(ctx.db, environmentId, key);
  if (key !== undefined && !subscriber) throw new Refused("subscriber-gone");
  const answer = { fingerprint: sha256(state.id), status: 200, body: null };
  if (!(await storeAnswer(ctx.db, environmentId, usedKey(state), answer))) throw new Refused("used");

  const { webhook } = access;
  const isConnection = !subscriber || !webhook || connectionIdentifier !== undefined;
  const connectionId = isConnection ? await keepConnection(ctx, state, subscriber?.id ?? null, access) : null;
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
    endpoint: webhook,
    created_at: now,
    updated_at: now,
  });
}

/** A connection that is there, for the same purpose, gets the new access: that is how one is renewed. */
async function keepConnection(
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

const longest = 255;

const text = (value: string | undefined): string | undefined =>
  value
    ?.replace(/\p{Cc}+/gu, " ")
    .trim()
    .slice(0, longest)
    .toWellFormed();

/** What comes from outside, cut to what can be kept and shown. */
const tidied = ({ workspace, auth, webhook }: Access): Access => ({
  workspace: { ...workspace, name: text(workspace.name) },
  auth,
  webhook: webhook && webAddress(webhook.url) ? { url: webhook.url, channel: text(webhook.channel) } : undefined,
});

/** Settings are free text: only an address of the web may be gone to. */
function webAddress(value: unknown): string | undefined {
  const url = typeof value === "string" ? URL.parse(value.trim()) : null;
  return url && /^https?:$/.test(url.protocol) ? url.href : undefined;
}
