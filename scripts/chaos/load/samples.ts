// Which events are explained at the end of the run. Per kind a bounded random sample, because the load may not remember
// every event.

import { createRandom } from "@tidings/testkit/load/random";
import type { LoadEnvironment } from "./world.ts";

export type Sampled = { environment: LoadEnvironment; transactionId: string; subscriberId: string };

const sizes = { silent: 150, canceled: 150, retracted: 100, limited: 150, other: 200 };
type SampleKind = keyof typeof sizes;

export type Samples = {
  add(kind: SampleKind, sampled: Sampled): void;
  all(): Sampled[];
};

export function createSamples(seed: number): Samples {
  const random = createRandom(seed, "samples");
  const kept = new Map<SampleKind, { seen: number; list: Sampled[] }>();
  return {
    add(kind, sampled) {
      const entry = kept.get(kind) ?? { seen: 0, list: [] };
      kept.set(kind, entry);
      entry.seen++;
      if (entry.list.length < sizes[kind]) entry.list.push(sampled);
      else {
        const place = random.below(entry.seen);
        if (place < sizes[kind]) entry.list[place] = sampled;
      }
    },
    all: () => [...kept.values()].flatMap(({ list }) => list),
  };
}
