// Gathers the work of one owner that waits for a slot. What has gathered by the time a slot is free is done together, so the
// more work arrives, the more of it shares the cost of one run; without other work, each item is done at once and alone.
import { setTimeout as sleep } from "node:timers/promises";

export type GatherOptions<T, R> = {
  /** Resolves to the function that releases the slot; rejects when there is none to be had. */
  acquire(owner: string): Promise<() => void>;
  costOf(item: T): number;
  /** What the items of one run may cost together. A dearer item is done alone. */
  mostCost: number;
  /** How long an item waits for others while a run of its owner is under way. Without one, it does not wait. */
  waitMs: number;
  /** Does the items, all of one owner, and returns the result of each, in order. */
  run(items: T[]): Promise<PromiseSettledResult<R>[]>;
};

type Entry<T, R> = { item: T; settle(result: PromiseSettledResult<R>): void };

export function createGatherer<T, R>({ acquire, costOf, mostCost, waitMs, run }: GatherOptions<T, R>) {
  const waiting = new Map<string, Set<Entry<T, R>>>();
  /** Runs under way, by owner. */
  const running = new Map<string, number>();

  const remove = (owner: string, entry: Entry<T, R>): boolean => {
    const own = waiting.get(owner);
    const isRemoved = own?.delete(entry) ?? false;
    if (own?.size === 0) waiting.delete(owner);
    return isRemoved;
  };

  /** As many waiting entries as can be done together with `first`, in the order in which they came. */
  const takeOthers = (owner: string, first: Entry<T, R>): Entry<T, R>[] => {
    const taken: Entry<T, R>[] = [];
    let cost = costOf(first.item);
    for (const entry of waiting.get(owner) ?? []) {
      cost += costOf(entry.item);
      if (cost > mostCost) break;
      taken.push(entry);
    }
    for (const entry of taken) remove(owner, entry);
    return taken;
  };

  const runEntries = async (owner: string, entries: Entry<T, R>[]): Promise<void> => {
    running.set(owner, (running.get(owner) ?? 0) + 1);
    try {
      const results = await run(entries.map(({ item }) => item));
      for (const [index, { settle }] of entries.entries()) settle(results[index]!);
    } catch (reason) {
      for (const { settle } of entries) settle({ status: "rejected", reason });
    } finally {
      const left = running.get(owner)! - 1;
      if (left > 0) running.set(owner, left);
      else running.delete(owner);
    }
  };

  return (owner: string, item: T): Promise<R> =>
    new Promise<R>((resolve, reject) => {
      const settle = (result: PromiseSettledResult<R>) =>
        result.status === "fulfilled" ? resolve(result.value) : reject(result.reason);
      const entry = { item, settle };
      const own = waiting.get(owner) ?? new Set();
      waiting.set(owner, own.add(entry));
      // Every entry asks for a slot. One that was done with another entry releases it unused.
      acquire(owner).then(
        async (release) => {
          if (running.has(owner) && waiting.get(owner)?.has(entry)) await sleep(waitMs);
          if (remove(owner, entry)) await runEntries(owner, [entry, ...takeOthers(owner, entry)]);
          release();
        },
        (reason) => {
          if (remove(owner, entry)) settle({ status: "rejected", reason });
        },
      );
    });
}
