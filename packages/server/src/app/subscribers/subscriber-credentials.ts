// Chat and push credentials of subscribers: entries in the subscriber's `channels`, one per integration.
import {
  type Input,
  maxDeviceTokens,
  type Output,
  type Subscriber,
  type SubscriberCredentialsIn,
} from "@tidings/contract";
import type { Caller, Ctx } from "../../context.ts";
import { failure, invalid } from "../../failure.ts";
import { type ChannelEntry, sealChannel } from "../../pipeline/encrypted-parts.ts";
import {
  channelEntries,
  findChannelIntegration,
  mergeCredentials,
  withChannelEntry,
} from "../../pipeline/rules/subscriber-channels.ts";
import { toSubscriber } from "../../pipeline/views.ts";
import { type IntegrationRow, listIntegrations } from "../../store/integrations/integrations.ts";
import { lockSubscriber, type SubscriberRow, setChannels } from "../../store/subscribers/subscribers.ts";

type Credentials = ChannelEntry["credentials"];

export async function replaceCredentials(
  ctx: Ctx,
  caller: Caller,
  { params, body }: Input<"subscribers.replaceCredentials">,
): Promise<Output<"subscribers.replaceCredentials">> {
  return changeCredentials(ctx, caller, params.subscriberId, body, () => body.credentials);
}

export async function appendCredentials(
  ctx: Ctx,
  caller: Caller,
  { params, body }: Input<"subscribers.appendCredentials">,
): Promise<Output<"subscribers.appendCredentials">> {
  return changeCredentials(ctx, caller, params.subscriberId, body, (stored) =>
    mergeCredentials(stored, body.credentials),
  );
}

export async function deleteCredentials(
  ctx: Ctx,
  caller: Caller,
  { params }: Input<"subscribers.deleteCredentials">,
): Promise<Output<"subscribers.deleteCredentials">> {
  const row = await requireLockedSubscriber(ctx, caller, params.subscriberId);
  const rest = row.channels.filter((entry) => entry.providerId !== params.providerId);
  if (rest.length === row.channels.length) return;
  await setChannels(ctx.db, caller.environmentId, { id: row.id, channels: rest, now: ctx.now() });
}

/**
 * The subscriber is locked until the transaction ends, so that concurrent requests do not overwrite each other's
 * tokens.
 */
async function changeCredentials(
  ctx: Ctx,
  caller: Caller,
  subscriberId: string,
  body: SubscriberCredentialsIn,
  merge: (stored: Credentials) => Credentials,
): Promise<Subscriber> {
  const row = await requireLockedSubscriber(ctx, caller, subscriberId);
  const integration = await requireIntegration(ctx, caller, body);
  const next = withChannelEntry(channelEntries(ctx.secrets, row), integration, (stored) =>
    withUniqueTokens(merge(stored)),
  );
  const sealed = next.map((entry) => sealChannel(ctx.secrets, entry));
  const saved = await setChannels(ctx.db, caller.environmentId, { id: row.id, channels: sealed, now: ctx.now() });
  return toSubscriber(ctx.secrets, saved, caller.organizationId);
}

async function requireLockedSubscriber(ctx: Ctx, caller: Caller, subscriberId: string): Promise<SubscriberRow> {
  const row = await lockSubscriber(ctx.db, caller.environmentId, subscriberId.trim());
  if (!row) throw failure("SUBSCRIBER_NOT_FOUND", { subscriberId });
  return row;
}

function withUniqueTokens(credentials: Credentials): Credentials {
  if (!credentials.deviceTokens) return credentials;
  const deviceTokens = [...new Set(credentials.deviceTokens)];
  if (deviceTokens.length > maxDeviceTokens) {
    const field = "credentials.deviceTokens";
    throw invalid({ [field]: { messages: [`${field} must contain no more than ${maxDeviceTokens} elements`] } });
  }
  return { ...credentials, deviceTokens };
}

async function requireIntegration(ctx: Ctx, caller: Caller, body: SubscriberCredentialsIn): Promise<IntegrationRow> {
  const found = findChannelIntegration(await listIntegrations(ctx.db, caller.environmentId), body);
  if (found) return found;
  throw failure("INTEGRATION_NOT_FOUND", { integrationId: body.integrationIdentifier ?? body.providerId });
}
