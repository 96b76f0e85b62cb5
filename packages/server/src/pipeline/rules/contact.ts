// Where a subscriber is reached on push and chat: every active integration that has device tokens, endpoints or an address
// of the subscriber is used, and each of these gets a message of its own.
import type { Subscriber } from "@tidings/contract";
import type { TargetEndpoint } from "../../store/integrations/channel-targets.ts";
import type { IntegrationRow } from "../../store/integrations/integrations.ts";
import type { SubscriberRow } from "../../store/subscribers/subscribers.ts";
import type { StoredTarget } from "../run/run.ts";

export type ChannelEntry = NonNullable<Subscriber["channels"]>[number];

export const entriesOf = (subscriber: Pick<SubscriberRow, "channels"> | null): ChannelEntry[] =>
  (subscriber?.channels ?? []) as ChannelEntry[];

const entryFor = (subscriber: SubscriberRow | null, integration: IntegrationRow): ChannelEntry | undefined =>
  entriesOf(subscriber).find((entry) => entry._integrationId === integration.id);

export const deviceTokens = (subscriber: SubscriberRow | null, integration: IntegrationRow): string[] => [
  ...new Set(entryFor(subscriber, integration)?.credentials.deviceTokens ?? []),
];

/** `extra`: what the subscriber's entry says to the provider beside the address. */
export type ChatContact = { target: StoredTarget; address: string; extra: Record<string, unknown> };

/** The endpoints of the subscriber for this integration; without any, the webhook of its channel entry. */
export function chatContacts(
  subscriber: SubscriberRow | null,
  integration: IntegrationRow,
  endpoints: readonly TargetEndpoint[],
): ChatContact[] {
  const own = endpoints.filter((endpoint) => endpoint.integration_id === integration.id);
  if (own.length > 0) return own.map((endpoint) => ({ ...endpointTarget(endpoint), extra: {} }));
  const { webhookUrl, channel, deviceTokens: _, ...extra } = entryFor(subscriber, integration)?.credentials ?? {};
  return webhookUrl ? [{ target: { kind: "webhook", webhookUrl, channel }, address: webhookUrl, extra }] : [];
}

/** An entry that has everything but the address. */
export const lacksWebhook = (subscriber: SubscriberRow | null, integration: IntegrationRow): boolean => {
  const entry = entryFor(subscriber, integration);
  return entry !== undefined && !entry.credentials.webhookUrl;
};

function endpointTarget({ type, endpoint, connection_id }: TargetEndpoint): Omit<ChatContact, "extra"> {
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
