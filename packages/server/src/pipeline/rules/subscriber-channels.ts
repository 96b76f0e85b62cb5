// A subscriber's `channels`: one entry per integration with its device tokens or webhook. How new credentials are
// merged into the entries, and the addresses that push and chat steps send to: every active integration that has device
// tokens, endpoints or an address of the subscriber is used, and each of these gets its own message.
import { maxDeviceTokens, type RecipientSubscriber, type SubscriberCredentialsIn } from "@tidings/contract";
import type { JsonObject } from "../../lib/json.ts";
import type { Secrets } from "../../lib/secrets.ts";
import type { IntegrationRow } from "../../store/integrations/integrations.ts";
import type { SubscriberRow } from "../../store/subscribers/subscribers.ts";
import { type ChannelEntry, openChannel } from "../encrypted-parts.ts";
import type { OpenEndpoint, StoredTarget } from "../run/run.ts";

type Credentials = ChannelEntry["credentials"];
type IntegrationChoice = Pick<SubscriberCredentialsIn, "integrationIdentifier"> & { providerId: string };
export type RecipientChannel = NonNullable<RecipientSubscriber["channels"]>[number];

/** The integration with the given identifier, or the first active one of the provider. */
export function findChannelIntegration(
  integrations: readonly IntegrationRow[],
  { providerId, integrationIdentifier }: IntegrationChoice,
): IntegrationRow | undefined {
  return integrations.find((row) => {
    if (row.provider_id !== providerId) return false;
    return integrationIdentifier === undefined ? row.active : row.identifier === integrationIdentifier;
  });
}

/** Device tokens are added to the stored ones, other members replace them. */
export function mergeCredentials(stored: Credentials, given: Credentials): Credentials {
  const tokens = [...(stored.deviceTokens ?? []), ...(given.deviceTokens ?? [])];
  const merged = { ...stored, ...given };
  return tokens.length > 0 ? { ...merged, deviceTokens: [...new Set(tokens)] } : merged;
}

export function withChannelEntry(
  entries: readonly ChannelEntry[],
  integration: IntegrationRow,
  change: (stored: Credentials) => Credentials,
): ChannelEntry[] {
  const at = entries.findIndex((entry) => entry._integrationId === integration.id);
  const entry: ChannelEntry = {
    providerId: integration.provider_id,
    integrationIdentifier: integration.identifier,
    credentials: change(entries[at]?.credentials ?? {}),
    _integrationId: integration.id,
  };
  return at < 0 ? [...entries, entry] : entries.with(at, entry);
}

/**
 * Merges the channels that an event gives for a recipient into the stored entries. The event was already accepted, so
 * there is no caller to return an error to: a provider without an integration is ignored, and of too many device tokens
 * the newest are kept.
 */
export function mergeRecipientChannels(
  entries: readonly ChannelEntry[],
  given: readonly RecipientChannel[],
  integrations: readonly IntegrationRow[],
): ChannelEntry[] {
  return given.reduce<ChannelEntry[]>(
    (all, { providerId = "", integrationIdentifier, credentials = {} }) => {
      const integration = findChannelIntegration(integrations, { providerId, integrationIdentifier });
      return integration
        ? withChannelEntry(all, integration, (stored) => keepNewestTokens(mergeCredentials(stored, credentials)))
        : all;
    },
    [...entries],
  );
}

function keepNewestTokens(credentials: Credentials): Credentials {
  const { deviceTokens: tokens } = credentials;
  return tokens && tokens.length > maxDeviceTokens
    ? { ...credentials, deviceTokens: tokens.slice(-maxDeviceTokens) }
    : credentials;
}

type WithChannels = Pick<SubscriberRow, "channels"> | null;

export const channelEntries = (secrets: Secrets, subscriber: WithChannels): ChannelEntry[] =>
  (subscriber?.channels ?? []).map((entry) => openChannel(secrets, entry));

/** Decrypts only the entry of this integration. */
function entryFor(secrets: Secrets, subscriber: WithChannels, integration: IntegrationRow): ChannelEntry | undefined {
  const stored = subscriber?.channels.find((entry) => entry._integrationId === integration.id);
  return stored && openChannel(secrets, stored);
}

export const deviceTokens = (secrets: Secrets, subscriber: WithChannels, integration: IntegrationRow): string[] => [
  ...new Set(entryFor(secrets, subscriber, integration)?.credentials.deviceTokens ?? []),
];

/** `extra`: other members of the channel entry, which go to the provider. */
export type ChatContact = { target: StoredTarget; address: string; extra: JsonObject };

/** The subscriber's endpoints for this integration; without any, the webhook of its channel entry. */
export function chatContacts(
  secrets: Secrets,
  subscriber: WithChannels,
  integration: IntegrationRow,
  endpoints: readonly OpenEndpoint[],
): ChatContact[] {
  const own = endpoints.filter((endpoint) => endpoint.integration_id === integration.id);
  if (own.length > 0) return own.map((endpoint) => ({ ...endpointTarget(endpoint), extra: {} }));
  const {
    webhookUrl,
    channel,
    deviceTokens: _,
    ...extra
  } = entryFor(secrets, subscriber, integration)?.credentials ?? {};
  return webhookUrl ? [{ target: { kind: "webhook", webhookUrl, channel }, address: webhookUrl, extra }] : [];
}

/** The subscriber has an entry for this integration, but the entry has no webhook URL. */
export function isWebhookMissing(secrets: Secrets, subscriber: WithChannels, integration: IntegrationRow): boolean {
  const entry = entryFor(secrets, subscriber, integration);
  return entry !== undefined && !entry.credentials.webhookUrl;
}

function endpointTarget({ type, endpoint, connection_id }: OpenEndpoint): Omit<ChatContact, "extra"> {
  // The API stores only the members of its type.
  const address = endpoint as Record<string, string | undefined>;
  const connectionId = connection_id ?? undefined;
  const { url = "", channelId = "", userId = "", phoneNumber = "", teamId } = address;
  switch (type) {
    case "webhook":
      return { target: { kind: "webhook", webhookUrl: url, channel: address.channel }, address: url };
    case "phone":
      return { target: { kind: "phone", phone: phoneNumber }, address: phoneNumber };
    case "chatapp_user":
    case "teamsapp_user":
      return { target: { kind: "user", user: userId, connectionId }, address: userId };
    case "chatapp_channel":
    case "teamsapp_channel":
      return { target: { kind: "channel", channel: channelId, team: teamId, connectionId }, address: channelId };
  }
}
