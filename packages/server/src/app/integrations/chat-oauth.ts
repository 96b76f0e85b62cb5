// The address that sends a person to a chat provider, to give an integration leave to write to a workspace. The provider
// sends them back to our own callback, with our `state`, which says what the leave is for: chat-oauth-callback.ts goes on
// from there. Where they end up is the integration's `redirectUrl`.
import type { Input, Output } from "@tidings/contract";
import { authorizationUrl, findOauth } from "@tidings/providers";
import type { Config } from "../../config.ts";
import type { Caller, Ctx } from "../../context.ts";
import { failure, faultCollector } from "../../failure.ts";
import { randomText } from "../../lib/ids.ts";
import { isObject } from "../../lib/json.ts";
import type { Secrets } from "../../lib/secrets.ts";
import { holdOwner } from "./channel-connections.ts";
import { unseal } from "./credentials.ts";

export const chatOauthCallbackPath = "/v1/integrations/chat/oauth/callback";

/** Registered with the provider as well: it sends nobody anywhere else. */
export const chatOauthCallback = ({ publicUrl }: Config): string => `${publicUrl}${chatOauthCallbackPath}`;

/** What an authorisation is for. */
export type OauthState = {
  /** A name of its own: what was asked for once is given once. */
  id: string;
  environmentId: string;
  integrationId: string;
  subscriberId?: string;
  connectionIdentifier?: string;
  contextKeys: string[];
};

const purpose = "chat oauth";
const validMs = 10 * 60_000;

export const signState = (secrets: Secrets, state: OauthState, now: Date): string =>
  secrets.sign(purpose, JSON.stringify({ ...state, expiresAt: now.getTime() + validMs }));

/** Null when the state is not ours; `isExpired` when it is older than 10 minutes. */
export function readState(
  secrets: Secrets,
  signed: string,
  now: Date,
): { state: OauthState; isExpired: boolean } | null {
  const text = secrets.readSigned(purpose, signed);
  const content: unknown = text === null ? null : JSON.parse(text);
  if (!isObject(content)) return null;
  const { expiresAt, ...state } = content;
  return { state: state as OauthState, isExpired: Number(expiresAt) <= now.getTime() };
}

export async function createUrl(
  ctx: Ctx,
  caller: Caller,
  { body }: Input<"integrations.createChatOauthUrl">,
): Promise<Output<"integrations.createChatOauthUrl">> {
  const { integration, key, contextKeys } = await holdOwner(ctx, caller, body);
  const oauth = findOauth(integration.provider_id);
  if (!oauth) throw failure("OAUTH_NOT_SUPPORTED", { providerId: integration.provider_id });
  if (ctx.config.publicUrl === "") throw failure("PUBLIC_URL_MISSING", {});
  const credentials = unseal(ctx.secrets, integration.credentials);
  const faults = faultCollector();
  for (const name of oauth.needs) {
    if (!credentials[name]) faults.add(`credentials.${name}`, `credentials.${name} is required`);
  }
  faults.throwIfAny();

  const state = {
    id: randomText(22),
    environmentId: caller.environmentId,
    integrationId: integration.id,
    subscriberId: key,
    connectionIdentifier: body.connectionIdentifier,
    contextKeys,
  };
  const request = {
    scopes: body.scope && body.scope.length > 0 ? body.scope : oauth.scopes,
    redirectUri: chatOauthCallback(ctx.config),
    state: signState(ctx.secrets, state, ctx.now()),
  };
  return { url: authorizationUrl(integration.provider_id, request, credentials) };
}
