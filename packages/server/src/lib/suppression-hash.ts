// A suppressed address of an erased person: kept as a keyed hash, so that nothing is sent there although nobody can
// read the address.
import type { Secrets } from "./secrets.ts";

const purpose = "suppressed address";
const mark = "erased:";

export type AddressHashes = (environmentId: string, channel: string, address: string) => string[];

/** How the normalized address may be stored, under each encryption key; the first is that of the current key. */
export const createAddressHashes =
  (secrets: Secrets): AddressHashes =>
  (environmentId, channel, address) =>
    secrets.hashes(purpose, `${environmentId} ${channel} ${address}`).map((hash) => mark + hash);

export const isHashedAddress = (stored: string): boolean => stored.startsWith(mark);
