// Wrong API keys by the address they come from: an address that tries keys out is slowed down. A right key is never refused for
// the wrong ones that came from the same address, which may be that of a proxy in front of everyone.
import { LRUCache } from "lru-cache";

const windowMs = 10_000;

type Window = { since: number; count: number };

export type WrongKeys = {
  /** Counts a wrong key. Null while the address may go on, otherwise in how many seconds it may. */
  count(address: string): number | null;
};

export function createWrongKeys(limit: number, now: () => number): WrongKeys {
  // Bounded: beyond this many addresses the one that was quiet longest starts anew.
  const windows = new LRUCache<string, Window>({ max: 10_000 });
  return {
    count(address) {
      if (limit === 0) return null;
      const key = networkOf(address);
      const before = windows.get(key);
      const window = before && now() - before.since < windowMs ? before : { since: now(), count: 0 };
      window.count++;
      windows.set(key, window);
      if (window.count <= limit) return null;
      return Math.max(1, Math.ceil((window.since + windowMs - now()) / 1000));
    },
  };
}

/** One customer of a network has many IPv6 addresses that begin alike. */
const networkOf = (address: string): string =>
  address.includes(".") ? address : address.split(":").slice(0, 4).join(":");
