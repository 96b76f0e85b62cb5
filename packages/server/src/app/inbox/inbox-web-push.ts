// Push to the browser of the subscriber whose token a request has. A browser is a device token of the Web Push
// integration, the same that the API of subscribers stores; here it is known by a hash of its address.
import { createECDH } from "node:crypto";
import { type Input, maxBrowsers, maxDeviceTokenLength, type Output } from "@tidings/contract";
import type { Ctx, InboxCaller, NetworkCtx } from "../../context.ts";
import { failure, invalid } from "../../failure.ts";
import { sha256 } from "../../lib/secrets.ts";
import { type ChannelEntry, sealChannel } from "../../pipeline/encrypted-parts.ts";
import {
  channelEntries,
  deviceTokens,
  findChannelIntegration,
  withChannelEntry,
} from "../../pipeline/rules/subscriber-channels.ts";
import { type IntegrationRow, listIntegrations } from "../../store/integrations/integrations.ts";
import { lockSubscriber, type SubscriberRow, setChannels } from "../../store/subscribers/subscribers.ts";
import { unseal } from "../integrations/credentials.ts";
import { findHostFault } from "../webhooks/webhooks.ts";

type SubscriptionIn = Input<"inbox.subscribeWebPush">["body"];

const providerId = "web-push";

const findIntegration = async (ctx: Ctx, caller: InboxCaller): Promise<IntegrationRow | undefined> =>
  findChannelIntegration(await listIntegrations(ctx.db, caller.environmentId), { providerId });

async function requireIntegration(ctx: Ctx, caller: InboxCaller): Promise<IntegrationRow> {
  const found = await findIntegration(ctx, caller);
  if (!found) throw failure("INTEGRATION_NOT_FOUND", { integrationId: providerId });
  return found;
}

/** Null for a token that is not a PushSubscription; the provider refuses it when it is used. */
function endpointOf(token: string): string | null {
  try {
    const { endpoint } = JSON.parse(token) as { endpoint?: unknown };
    return typeof endpoint === "string" ? endpoint : null;
  } catch {
    return null;
  }
}

const hashOf = (token: string): string | null => {
  const endpoint = endpointOf(token);
  return endpoint === null ? null : sha256(endpoint).toString("hex");
};

function toAnswer(ctx: Ctx, integration: IntegrationRow, tokens: string[]): Output<"inbox.retrieveWebPush"> {
  const { publicKey } = unseal(ctx.secrets, integration.credentials);
  const browsers = [...new Set(tokens.map(hashOf).filter((hash) => hash !== null))];
  return { data: { publicKey: String(publicKey ?? ""), browsers } };
}

export async function retrieve(ctx: Ctx, caller: InboxCaller): Promise<Output<"inbox.retrieveWebPush">> {
  const integration = await requireIntegration(ctx, caller);
  return toAnswer(ctx, integration, deviceTokens(ctx.secrets, caller.subscriber, integration));
}

/**
 * 422 for an address that no push may go to. Each delivery checks it again, because a name may resolve to another
 * address.
 */
export async function checkEndpoint(
  ctx: NetworkCtx,
  _caller: InboxCaller,
  { body }: Input<"inbox.subscribeWebPush">,
): Promise<void> {
  const refuse = (message: string) => invalid({ endpoint: { messages: [message] } });
  const url = URL.parse(body.endpoint);
  if (url?.protocol !== "https:") throw refuse("endpoint must be an https:// address of a push service");
  if (url.username || url.password) throw refuse("endpoint must not contain a user name or password");
  if (await findHostFault(ctx, url.hostname)) throw refuse("endpoint must not point to a private or local address");
}

/** The device token: the members that the provider reads, always in the same order. */
function tokenOf({ endpoint, keys: { p256dh, auth } }: SubscriptionIn): string {
  const faults = {
    ...(!isPoint(p256dh) && { "keys.p256dh": "keys.p256dh must be a point of the curve P-256, 65 bytes as base64url" }),
    ...(bytesOf(auth).length !== 16 && { "keys.auth": "keys.auth must be 16 bytes as base64url" }),
  };
  const refused = Object.entries(faults).map(([field, message]) => [field, { messages: [message] }]);
  if (refused.length > 0) throw invalid(Object.fromEntries(refused));
  const token = JSON.stringify({ endpoint, keys: { p256dh, auth } });
  if (token.length <= maxDeviceTokenLength) return token;
  throw invalid({
    endpoint: { messages: [`The subscription must not be longer than ${maxDeviceTokenLength} characters`] },
  });
}

const bytesOf = (text: string): Buffer => Buffer.from(text, "base64url");

/** A key that is not on the curve could not be encrypted for. */
function isPoint(text: string): boolean {
  const bytes = bytesOf(text);
  if (bytes.length !== 65 || bytes[0] !== 4) return false;
  const own = createECDH("prime256v1");
  own.generateKeys();
  try {
    return own.computeSecret(bytes).length === 32;
  } catch {
    return false;
  }
}

export async function subscribe(
  ctx: Ctx,
  caller: InboxCaller,
  { body }: Input<"inbox.subscribeWebPush">,
): Promise<Output<"inbox.subscribeWebPush">> {
  const token = tokenOf(body);
  const integration = await requireIntegration(ctx, caller);
  const row = await requireLocked(ctx, caller);
  const stored = deviceTokens(ctx.secrets, row, integration);
  const others = stored.filter((one) => endpointOf(one) !== body.endpoint);
  // Tokens of the customer's server may be more: their number stays, the oldest one goes.
  const kept = others.length >= maxBrowsers ? others.slice(1) : others;
  const next = [...kept, token];
  if (next.join() !== stored.join()) await saveTokens(ctx, row, integration, next);
  return toAnswer(ctx, integration, next);
}

export async function unsubscribe(
  ctx: Ctx,
  caller: InboxCaller,
  { params }: Input<"inbox.unsubscribeWebPush">,
): Promise<Output<"inbox.unsubscribeWebPush">> {
  const integration = await findIntegration(ctx, caller);
  if (!integration) return;
  const row = await requireLocked(ctx, caller);
  const stored = deviceTokens(ctx.secrets, row, integration);
  const next = stored.filter((token) => hashOf(token) !== params.endpointHash);
  if (next.length < stored.length) await saveTokens(ctx, row, integration, next);
}

async function requireLocked(ctx: Ctx, caller: InboxCaller): Promise<SubscriberRow> {
  const row = await lockSubscriber(ctx.db, caller.environmentId, caller.subscriber.subscriber_id);
  // Deleted since the token was checked.
  if (!row || row.id !== caller.subscriber.id) throw failure("INBOX_TOKEN_INVALID", {});
  return row;
}

async function saveTokens(ctx: Ctx, row: SubscriberRow, integration: IntegrationRow, tokens: string[]): Promise<void> {
  const change = (stored: ChannelEntry["credentials"]) => ({ ...stored, deviceTokens: tokens });
  const entries = withChannelEntry(channelEntries(ctx.secrets, row), integration, change);
  const kept = tokens.length > 0 ? entries : entries.filter(({ _integrationId }) => _integrationId !== integration.id);
  const sealed = kept.map((entry) => sealChannel(ctx.secrets, entry));
  await setChannels(ctx.db, row.environment_id, { id: row.id, channels: sealed, now: ctx.now() });
}
