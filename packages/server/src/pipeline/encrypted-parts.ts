// Which parts of a row are encrypted, and how they are opened again. Encrypted: what a reader of the database could use
// to message a subscriber or to act as the caller: the credentials of a subscriber's channels, the addresses of push
// and chat messages, and what an event says to providers. What the database has to find, compare or count stays
// readable.
import type { RecipientSubscriber, Subscriber } from "@tidings/contract";
import { isObject, type JsonObject } from "../lib/json.ts";
import { isSealedText, openText, openValue, type Sealed, sealText, sealValue } from "../lib/sealed.ts";
import type { Secrets } from "../lib/secrets.ts";
import type { MessageRow, StoredMessage } from "../store/messages/messages.ts";
import type { StoredChannel, StoredRecipient } from "../store/tables.ts";

export type ChannelEntry = NonNullable<Subscriber["channels"]>[number];

export const sealChannel = (secrets: Secrets, { credentials, ...entry }: ChannelEntry): StoredChannel => ({
  ...entry,
  credentials: sealValue(secrets, credentials),
});

export const openChannel = (secrets: Secrets, { credentials, ...entry }: StoredChannel): ChannelEntry =>
  ({ ...entry, credentials: openValue(secrets, credentials) }) as ChannelEntry;

export const sealRecipient = (
  secrets: Secrets,
  { channels, ...recipient }: RecipientSubscriber | StoredRecipient,
): StoredRecipient => {
  if (channels === undefined) return recipient;
  return { ...recipient, channels: typeof channels === "string" ? channels : sealValue(secrets, channels) };
};

export const openRecipient = (secrets: Secrets, { channels, ...recipient }: StoredRecipient): RecipientSubscriber =>
  channels === undefined ? recipient : { ...recipient, channels: openValue(secrets, channels) };

export const sealOverrides = (secrets: Secrets, overrides: Sealed<JsonObject> | null): string | null =>
  overrides === null || typeof overrides === "string" ? overrides : sealValue(secrets, overrides);

export const openOverrides = (secrets: Secrets, stored: Sealed<JsonObject> | null): JsonObject | null =>
  stored === null ? null : openValue(secrets, stored);

type Addressed = Pick<StoredMessage, "channel" | "address" | "outgoing">;

const isSealedChannel = (channel: string): boolean => channel === "push" || channel === "chat";

/**
 * Encrypts the address and all provider fields of push and chat messages. SQL compares the addresses of email and SMS,
 * so of these messages only `passthrough` is encrypted.
 */
export function sealMessage<Row extends Addressed>(secrets: Secrets, row: Row): Row {
  const { channel, address, outgoing } = row;
  if (!isSealedChannel(channel)) {
    if (outgoing === null) return row;
    return { ...row, outgoing: mapPassthrough(outgoing, (given) => sealOverrides(secrets, given)!) };
  }
  return {
    ...row,
    address: address === null || isSealedText(address) ? address : sealText(secrets, address),
    outgoing: sealOverrides(secrets, outgoing),
  };
}

/** The decrypted address. */
export const openAddress = (secrets: Secrets, { channel, address }: Pick<Addressed, "channel" | "address">) =>
  address !== null && isSealedChannel(channel) ? openText(secrets, address) : address;

export function openMessage(secrets: Secrets, row: StoredMessage): MessageRow {
  const outgoing = openOverrides(secrets, row.outgoing);
  return {
    ...row,
    address: openAddress(secrets, row),
    outgoing: mapPassthrough(outgoing, (given) => openValue(secrets, given)) as JsonObject | null,
  };
}

/** `passthrough` may appear next to the common fields and in those of single providers. */
function mapPassthrough(
  outgoing: Sealed<JsonObject> | null,
  map: (given: Sealed<JsonObject>) => Sealed<JsonObject>,
): Sealed<JsonObject> | null {
  if (!isObject(outgoing)) return outgoing;
  const { passthrough, perProvider, ...fields } = outgoing as JsonObject;
  return {
    ...fields,
    ...(passthrough ? { passthrough: map(passthrough as Sealed<JsonObject>) } : {}),
    ...(isObject(perProvider) ? { perProvider: mapMembers(perProvider, map) } : {}),
  };
}

const mapMembers = (members: JsonObject, map: (given: Sealed<JsonObject>) => Sealed<JsonObject>): JsonObject =>
  Object.fromEntries(
    Object.entries(members).map(([name, fields]) => [name, mapPassthrough(fields as JsonObject, map)]),
  );
