// The first half of the OAuth flow of chat providers: the URL where a person authorizes an integration for a workspace.
// The provider redirects to our callback with the signed `state`, which says what the authorization is for
// (chat-oauth-callback.ts). In the end the person is redirected to the integration's `redirectUrl`.
import type { Input, Output } from "@tidings/contract";
import { authorizationUrl, findOauth } from "@tidings/providers";
import type { Config } from "../../config.ts";
import type { Caller, Ctx } from "../../context.ts";
import { failure, faultCollector } from "../../failure.ts";
import { randomText } from "../../lib/ids.ts";
import { isObject } from "../../lib/json.ts";
import type { Secrets } from "../../lib/secrets.ts";
import { lockOwner } from "./channel-connections.ts";
import { unseal } from "./credentials.ts";

export const chatOauthCallbackPath = "/v1/integrations/chat/oauth/callback";

/** Must be registered with the provider, which redirects to registered addresses only. */
export const chatOauthCallback = ({ publicUrl }: Config): string => `${publicUrl}${chatOauthCallbackPath}`;

/** What an authorization is for. */
export type OauthState = {
  /** Unique: a state can be used once. */
  id: string;
  environmentId: string;
  integrationId: string;
  subscriberId?: string;
  connectionIdentifier?: string;
  contextKeys: string[];
  /** `person`: who the person is becomes an endpoint of the subscriber, and no workspace is connected. */
  grants: "access" | "person";
  /** Access, and the person who granted it becomes an endpoint as well. */
  linksPerson?: boolean;
};

const purpose = "chat oauth";
const validMs = 10 * 60_000;

export const signState = (secrets: Secrets, state: OauthState, now: Date): string =>
  secrets.sign(purpose, JSON.stringify({ ...state, expiresAt: now.getTime() + validMs }));

/** Null when the signature is wrong; `isExpired` when the state is older than 10 minutes. */
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
  return { url: await makeAddress(ctx, caller, { ...body, grants: "access" }) };
}

export type OauthWish = Input<"integrations.createChatOauthUrl">["body"] &
  Pick<OauthState, "grants" | "linksPerson"> & {
    /** For a subscriber, who may not ask for more than the usual scopes; an API key may. */
    isFromBrowser?: true;
  };

/** The address at the provider for what is wanted. */
export async function makeAddress(ctx: Ctx, caller: Caller, wish: OauthWish): Promise<string> {
  const { integration, key, contextKeys } = await lockOwner(ctx, caller, wish);
  const oauth = findOauth(integration.provider_id);
  if (!oauth) throw failure("OAUTH_NOT_SUPPORTED", { providerId: integration.provider_id });
  if (ctx.config.publicUrl === "") throw failure("PUBLIC_URL_MISSING", {});
  const credentials = unseal(ctx.secrets, integration.credentials);
  const faults = faultCollector();
  for (const name of oauth.needs) {
    if (!credentials[name]) faults.add(`credentials.${name}`, `credentials.${name} is required`);
  }
  const { grants, linksPerson, scope, connectionIdentifier, isFromBrowser } = wish;
  const usual = grants === "person" ? oauth.person.scopes : oauth.scopes;
  const others = isFromBrowser ? (scope ?? []).filter((one) => !usual.includes(one)) : [];
  if (others.length > 0) {
    const field = grants === "person" ? "userScope" : "scope";
    const allowed = usual.length > 0 ? `a browser may ask for ${usual.join(", ")}` : "a browser may ask for none";
    faults.add(field, `${field} must be left out, or be some of the usual scopes: ${allowed}`, others);
  }
  faults.throwIfAny();

  const state = {
    id: randomText(22),
    environmentId: caller.environmentId,
    integrationId: integration.id,
    subscriberId: key,
    connectionIdentifier,
    contextKeys,
    grants,
    linksPerson,
  };
  const request = {
    scopes: scope && scope.length > 0 ? scope : usual,
    redirectUri: chatOauthCallback(ctx.config),
    state: signState(ctx.secrets, state, ctx.now()),
  };
  return authorizationUrl(integration.provider_id, request, credentials, grants);
}
