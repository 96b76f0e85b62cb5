// The entries of a subscriber's `channels`, one per integration, and how new credentials are laid into them.
import { maxDeviceTokens, type RecipientSubscriber, type SubscriberCredentialsIn } from "@tidings/contract";
import type { IntegrationRow } from "../../store/integrations/integrations.ts";
import type { ChannelEntry } from "../encrypted-parts.ts";

type Credentials = ChannelEntry["credentials"];
type Addressed = Pick<SubscriberCredentialsIn, "integrationIdentifier"> & { providerId: string };
export type RecipientChannel = NonNullable<RecipientSubscriber["channels"]>[number];

/** The integration that is named, or the first active one of the provider. */
export const integrationOf = (
  integrations: readonly IntegrationRow[],
  { providerId, integrationIdentifier }: Addressed,
): IntegrationRow | undefined =>
  integrations.find((row) => {
    if (row.provider_id !== providerId) return false;
    return integrationIdentifier === undefined ? row.active : row.identifier === integrationIdentifier;
  });

/** Device tokens are added to those there are, other members replaced. */
export function appended(stored: Credentials, given: Credentials): Credentials {
  const tokens = [...(stored.deviceTokens ?? []), ...(given.deviceTokens ?? [])];
  const merged = { ...stored, ...given };
  return tokens.length > 0 ? { ...merged, deviceTokens: [...new Set(tokens)] } : merged;
}

export function withEntry(
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
 * What an event says about a recipient's channels, laid into those there are. Nobody is there to read an error, so a
 * provider without an integration is passed over, and of too many device tokens the newest are kept.
 */
export const withRecipientChannels = (
  entries: readonly ChannelEntry[],
  given: readonly RecipientChannel[],
  integrations: readonly IntegrationRow[],
): ChannelEntry[] =>
  given.reduce<ChannelEntry[]>(
    (all, { providerId = "", integrationIdentifier, credentials = {} }) => {
      const integration = integrationOf(integrations, { providerId, integrationIdentifier });
      return integration ? withEntry(all, integration, (stored) => newestTokens(appended(stored, credentials))) : all;
    },
    [...entries],
  );

const newestTokens = (credentials: Credentials): Credentials =>
  (credentials.deviceTokens?.length ?? 0) > maxDeviceTokens
    ? { ...credentials, deviceTokens: credentials.deviceTokens!.slice(-maxDeviceTokens) }
    : credentials;
