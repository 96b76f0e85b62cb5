// A cache of at most `max` entries; the one that was used longest ago goes first. With lru-cache's own option `max`, it
// allocates all entries at once: some 30 caches of 10,000 cost every start 60 ms of a core and several megabytes.
import { LRUCache } from "lru-cache";

export const createBoundedCache = <Value extends object | number | true>(max: number): LRUCache<string, Value> =>
  new LRUCache<string, Value>({ maxSize: max, sizeCalculation: () => 1 });
