// The second half of the OAuth flow of chat providers: a person returns from the provider with a code. The signed state
// is the only authorization, valid for 10 minutes and one connection. The provider is called before the transaction; a
// failure writes nothing, so that the person can try again.
import {
  type Access,
  type CallbackParams,
  type Credentials,
  connectWorkspace,
  findProvider,
  identifyPerson,
} from "@tidings/providers";
import type { NetworkCtx } from "../../context.ts";
import { hasAnswer } from "../../store/idempotency.ts";
import { findIntegration } from "../../store/integrations/integrations.ts";
import { chatOauthCallback, type OauthState, readState } from "./chat-oauth.ts";
import { type Refusal, storeAccess, storePerson, usedKey } from "./chat-oauth-store.ts";
import { unseal } from "./credentials.ts";
import { callProvider } from "./integration-checks.ts";

export type OauthResult =
  | { kind: "connected"; provider: string; workspace?: string; redirectUrl?: string }
  /** The provider needs another authorization of the person. */
  | { kind: "onward"; address: string }
  /** The state has a wrong signature, or is too old. */
  | { kind: "unknown" | "expired" }
  | { kind: Refusal }
  /** The person declined, the provider cannot be reached, or it refused. */
  | { kind: "declined" | "unreachable"; provider: string }
  | { kind: "refused"; provider: string; word?: string };

/** Errors with which providers report that the person declined. */
const declinedErrors = new Set(["access_denied", "permission_denied"]);

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
  const exchange = { providerId: integration.provider_id, callback, redirectUri, credentials };
  const made = await (state.grants === "person" ? linkPerson : connect)(ctx, state, exchange);
  if (made.kind === "failed") {
    ctx.log.warn({ ...note, reason: made.reason }, "a chat workspace was not connected");
    return { kind: made.isTemporary ? "unreachable" : "refused", provider };
  }
  if (made.kind !== "stored") return made;
  ctx.log.info({ ...note, workspace: made.workspace.id }, "a chat workspace was connected");
  return {
    kind: "connected",
    provider,
    workspace: made.workspace.name,
    redirectUrl: webAddress(credentials.redirectUrl),
  };
}

type Exchange = { providerId: string; callback: CallbackParams; redirectUri: string; credentials: Credentials };

type Made =
  | { kind: "stored"; workspace: { id: string; name?: string } }
  | { kind: "failed"; reason: string; isTemporary: boolean }
  | { kind: "onward"; address: string }
  | { kind: Refusal };

async function connect(ctx: NetworkCtx, state: OauthState, exchange: Exchange): Promise<Made> {
  const { providerId, callback, redirectUri, credentials } = exchange;
  const result = await callProvider(ctx, state, () =>
    connectWorkspace(providerId, callback, redirectUri, credentials, ctx.io),
  );
  if (!result.ok) return { ...result, kind: "failed" };
  if ("next" in result) return { kind: "onward", address: result.next };
  const access = sanitizeAccess(result.access);
  const refusal = await storeAccess(ctx, state, access);
  return refusal ? { kind: refusal } : { kind: "stored", workspace: access.workspace };
}

async function linkPerson(ctx: NetworkCtx, state: OauthState, exchange: Exchange): Promise<Made> {
  const { providerId, callback, redirectUri, credentials } = exchange;
  const result = await callProvider(ctx, state, () =>
    identifyPerson(providerId, callback, redirectUri, credentials, ctx.io),
  );
  if (!result.ok) return { ...result, kind: "failed" };
  const refusal = await storePerson(ctx, state, result.person);
  return refusal ? { kind: refusal } : { kind: "stored", workspace: { id: result.person.workspaceId } };
}

const maxTextLength = 255;

const sanitizeText = (value: string | undefined): string | undefined =>
  value
    ?.replace(/\p{Cc}+/gu, " ")
    .trim()
    .slice(0, maxTextLength)
    .toWellFormed();

/** Texts of the provider, truncated and without control characters; a webhook that is not a web address is dropped. */
const sanitizeAccess = ({ workspace, auth, webhook, personId }: Access): Access => ({
  workspace: { ...workspace, name: sanitizeText(workspace.name) },
  auth,
  personId: sanitizeText(personId),
  webhook:
    webhook && webAddress(webhook.url) ? { url: webhook.url, channel: sanitizeText(webhook.channel) } : undefined,
});

/** `redirectUrl` is free text: only http and https URLs are redirected to. */
function webAddress(value: unknown): string | undefined {
  const url = typeof value === "string" ? URL.parse(value.trim()) : null;
  return url && /^https?:$/.test(url.protocol) ? url.href : undefined;
}
