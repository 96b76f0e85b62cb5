// The address that sends a person to a chat provider, to give an integration leave to write to a workspace. The provider
// sends them back to the integration's `redirectUrl` with a code and with our `state`, which says what the leave is for.
import type { Input, Output } from "@tidings/contract";
import type { Caller, Ctx } from "../context.ts";
import { failure, faultCollector } from "../failure.ts";
import { isObject } from "../lib/json.ts";
import type { Secrets } from "../lib/secrets.ts";
import { holdOwner } from "./channel-connections.ts";
import { unseal } from "./credentials.ts";

type Client = { clientId: string; redirectUrl?: string; tenantId?: string };

type OauthProvider = {
  /** Members of the credentials without which there is no address. */
  needs: readonly (keyof Client)[];
  /** What sending needs, unless the request asks for something else. */
  scopes: readonly string[];
  separator: "," | " ";
  authorizeUrl(client: Client): string;
  parameters: Record<string, string>;
};

const oauthProviders: Record<string, OauthProvider> = {
  // https://docs.slack.dev/authentication/installing-with-oauth: without redirect_uri the app's own is used.
  slack: {
    needs: ["clientId"],
    scopes: ["chat:write", "chat:write.public", "channels:read", "groups:read", "users:read", "users:read.email"],
    separator: ",",
    authorizeUrl: () => "https://slack.com/oauth/v2/authorize",
    parameters: {},
  },
  // https://learn.microsoft.com/entra/identity-platform/v2-oauth2-auth-code-flow; without a tenant of its own, an app
  // may be used by all organisations. offline_access asks for a refresh token.
  msteams: {
    needs: ["clientId", "redirectUrl"],
    scopes: ["ChannelMessage.Send", "ChatMessage.Send", "Chat.Create", "offline_access"],
    separator: " ",
    authorizeUrl: ({ tenantId }) =>
      `https://login.microsoftonline.com/${encodeURIComponent(tenantId || "organizations")}/oauth2/v2.0/authorize`,
    parameters: { response_type: "code", response_mode: "query" },
  },
};

/** What an authorisation is for. */
export type OauthState = {
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

/** Null when the state is not ours, or older than 10 minutes. */
export function readState(secrets: Secrets, signed: string, now: Date): OauthState | null {
  const text = secrets.readSigned(purpose, signed);
  const state: unknown = text === null ? null : JSON.parse(text);
  if (!isObject(state) || Number(state.expiresAt) <= now.getTime()) return null;
  const { expiresAt, ...rest } = state;
  return rest as OauthState;
}

export async function createUrl(
  ctx: Ctx,
  caller: Caller,
  { body }: Input<"integrations.createChatOauthUrl">,
): Promise<Output<"integrations.createChatOauthUrl">> {
  const { integration, contextKeys } = await holdOwner(ctx, caller, body);
  const provider = oauthProviders[integration.provider_id];
  if (!provider) throw failure("OAUTH_NOT_SUPPORTED", { providerId: integration.provider_id });
  const client = unseal(ctx.secrets, integration.credentials) as Client;
  const faults = faultCollector();
  for (const name of provider.needs) {
    if (!client[name]) faults.add(`credentials.${name}`, `credentials.${name} is required`);
  }
  faults.throwIfAny();

  const state = {
    environmentId: caller.environmentId,
    integrationId: integration.id,
    subscriberId: body.subscriberId?.trim(),
    connectionIdentifier: body.connectionIdentifier,
    contextKeys,
  };
  const url = new URL(provider.authorizeUrl(client));
  const scopes = body.scope && body.scope.length > 0 ? body.scope : provider.scopes;
  const parameters = {
    client_id: client.clientId,
    ...provider.parameters,
    scope: scopes.join(provider.separator),
    ...(client.redirectUrl && { redirect_uri: client.redirectUrl }),
    state: signState(ctx.secrets, state, ctx.now()),
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return { url: url.href };
}
