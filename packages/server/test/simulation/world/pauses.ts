// lib/load/pauses.ts by the simulated clock, on which evaluation takes no time: a pause is due now and then, by chance.
import { running } from "./schedule.ts";
import { world } from "./world.ts";

/** One in this many questions finds a pause due. */
const pauseEvery = 40;

export const isPauseDue = (): boolean => world().random.below(pauseEvery) === 0;

export async function pauseIfDue(): Promise<void> {
  if (isPauseDue()) await world().schedule.wait(1, running.getStore() ?? null);
}

export async function mapWithPauses<T, R>(items: Iterable<T>, map: (item: T) => R): Promise<R[]> {
  const mapped: R[] = [];
  for (const item of items) {
    await pauseIfDue();
    mapped.push(map(item));
  }
  return mapped;
}
