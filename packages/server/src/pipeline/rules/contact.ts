// Where a subscriber is reached on push and chat: every active integration that has device tokens, endpoints or an address
// of the subscriber is used, and each of these gets a message of its own.
import type { ChannelEndpointAddress } from "@tidings/contract";
import type { Secrets } from "../../lib/secrets.ts";
import type { TargetEndpoint } from "../../store/integrations/channel-targets.ts";
import type { IntegrationRow } from "../../store/integrations/integrations.ts";
import type { SubscriberRow } from "../../store/subscribers/subscribers.ts";
import { type ChannelEntry, openChannel } from "../encrypted-parts.ts";
import type { StoredTarget } from "../run/run.ts";

type Reached = Pick<SubscriberRow, "channels"> | null;

export const entriesOf = (secrets: Secrets, subscriber: Reached): ChannelEntry[] =>
  (subscriber?.channels ?? []).map((entry) => openChannel(secrets, entry));

/** Opens this entry and no other. */
function entryFor(secrets: Secrets, subscriber: Reached, integration: IntegrationRow): ChannelEntry | undefined {
  const stored = subscriber?.channels.find((entry) => entry._integrationId === integration.id);
  return stored && openChannel(secrets, stored);
}

export const deviceTokens = (secrets: Secrets, subscriber: Reached, integration: IntegrationRow): string[] => [
  ...new Set(entryFor(secrets, subscriber, integration)?.credentials.deviceTokens ?? []),
];

/** An endpoint whose address is open. */
export type OpenEndpoint = Omit<TargetEndpoint, "endpoint"> & { endpoint: ChannelEndpointAddress };

/** `extra`: what the subscriber's entry says to the provider beside the address. */
export type ChatContact = { target: StoredTarget; address: string; extra: Record<string, unknown> };

/** The endpoints of the subscriber for this integration; without any, the webhook of its channel entry. */
export function chatContacts(
  secrets: Secrets,
  subscriber: Reached,
  integration: IntegrationRow,
  endpoints: readonly OpenEndpoint[],
): ChatContact[] {
  const own = endpoints.filter((endpoint) => endpoint.integration_id === integration.id);
  if (own.length > 0) return own.map((endpoint) => ({ ...endpointTarget(endpoint), extra: {} }));
  const entry = entryFor(secrets, subscriber, integration);
  const { webhookUrl, channel, deviceTokens: _, ...extra } = entry?.credentials ?? {};
  return webhookUrl ? [{ target: { kind: "webhook", webhookUrl, channel }, address: webhookUrl, extra }] : [];
}

/** An entry that has everything but the address. */
export const lacksWebhook = (secrets: Secrets, subscriber: Reached, integration: IntegrationRow): boolean => {
  const entry = entryFor(secrets, subscriber, integration);
  return entry !== undefined && !entry.credentials.webhookUrl;
};

function endpointTarget({ type, endpoint, connection_id }: OpenEndpoint): Omit<ChatContact, "extra"> {
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
