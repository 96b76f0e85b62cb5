// A small cache for what is bought for a while, such as access tokens. One purchase at a time per key, the 1000 most
// recently used kept, and nothing kept to its very last second unless it is wanted so.

import type { Cached } from "../provider.ts";

const maxEntries = 1000;

// A token must still be good when the request that carries it arrives.
const tokenMarginMs = 30_000;

interface Entry {
  pending: Promise<Cached<unknown>>;
  /** Unknown while the purchase is under way. */
  expiresAt?: number;
}

export const createCache = (now: () => Date, marginMs = tokenMarginMs) => {
  // A Map keeps the order of insertion, so the first key is the one used longest ago.
  const entries = new Map<string, Entry>();

  const cached = async <T>(key: string, make: () => Promise<Cached<T>>): Promise<T> => {
    const found = entries.get(key);
    const entry = found && isFresh(found) ? found : buy(key, make);
    entries.delete(key);
    entries.set(key, entry);
    const [oldest] = entries.keys();
    if (entries.size > maxEntries && oldest !== undefined) entries.delete(oldest);
    const { value } = await entry.pending;
    // The key names what was bought, so its type is that of every other buyer.
    return value as T;
  };

  const isFresh = ({ expiresAt }: Entry): boolean => expiresAt === undefined || now().getTime() < expiresAt - marginMs;

  const buy = <T>(key: string, make: () => Promise<Cached<T>>): Entry => {
    const entry: Entry = { pending: make() };
    entry.pending.then(
      ({ expiresAt }) => {
        entry.expiresAt = expiresAt.getTime();
      },
      () => {
        if (entries.get(key) === entry) entries.delete(key);
      },
    );
    return entry;
  };

  return { cached, forget: (key: string): void => void entries.delete(key) };
};
