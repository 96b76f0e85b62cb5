// Networks that clients may come from: lists of addresses and networks in CIDR notation.
import { isIP } from "node:net";
import { networkSet, parseNetwork } from "../url-guard.ts";
import { plainAddress } from "./addresses.ts";

/**
 * In one form: IPv4 as such, even if IPv6 wraps it, and a lone address without a prefix. Throws for any other text.
 */
export function normalizeNetwork(text: string): string {
  const { address, family, prefix } = parseNetwork(text.trim());
  const plain = plainAddress(address);
  const isMapped = family === 6 && isIP(plain) === 4 && prefix >= 96;
  const [shown, length, bits] = isMapped ? [plain, prefix - 96, 32] : [address, prefix, family === 4 ? 32 : 128];
  return length === bits ? shown : `${shown}/${length}`;
}

type Clients = { has(address: string | undefined): boolean };

// A list is built once for each key that the cache holds.
const known = new WeakMap<readonly string[], Clients>();

/** Whether an address is in one of the networks. */
export function clientsIn(networks: readonly string[]): Clients {
  const before = known.get(networks);
  if (before) return before;
  const set = networkSet(networks);
  const clients: Clients = {
    has: (address) => {
      const plain = plainAddress(address);
      const family = isIP(plain);
      return (family === 4 || family === 6) && set.has(plain, family);
    },
  };
  known.set(networks, clients);
  return clients;
}

/** Whether every address of `inner` is in one network of `outer`. */
export const isNetworkWithin = (inner: string, outer: readonly string[]): boolean => {
  const { address, family, prefix } = parseNetwork(inner);
  return outer.some((network) => parseNetwork(network).prefix <= prefix && networkSet([network]).has(address, family));
};
