// A cache of up to 1000 values that expire, such as access tokens. Concurrent callers of a key share one fetch, the
// least recently used value is evicted, and a value is dropped 30 seconds before it expires unless the caller sets
// another margin.

import type { Cached } from "../kit/io.ts";

const maxEntries = 1000;

// A token must still be good when the request that carries it arrives.
const tokenMarginMs = 30_000;

type Entry = {
  pending: Promise<Cached<unknown>>;
  /** Undefined while the fetch is in progress. */
  expiresAt?: number;
};

export function createCache(now: () => Date, marginMs = tokenMarginMs) {
  // A Map keeps the order of insertion, so the first key is the one used longest ago.
  const entries = new Map<string, Entry>();

  const cached = async <T>(key: string, make: () => Promise<Cached<T>>): Promise<T> => {
    const found = entries.get(key);
    const entry = found && isFresh(found) ? found : load(key, make);
    entries.delete(key);
    entries.set(key, entry);
    const [oldest] = entries.keys();
    if (entries.size > maxEntries && oldest !== undefined) entries.delete(oldest);
    const { value } = await entry.pending;
    // A key is used for one kind of value, so the type is the same for every caller.
    return value as T;
  };

  const isFresh = ({ expiresAt }: Entry): boolean => expiresAt === undefined || now().getTime() < expiresAt - marginMs;

  const load = <T>(key: string, make: () => Promise<Cached<T>>): Entry => {
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
}
