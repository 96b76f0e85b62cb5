// Pauses in long synchronous work, which let the event loop handle requests, health checks and timers in between.

/** Time without a pause. */
const intervalMs = 20;

export type Pauses = {
  isDue(): boolean;
  /** Resolves after the event loop has handled what was ready. */
  take(): Promise<void>;
};

export function createPauses(): Pauses {
  let began = performance.now();
  return {
    isDue: () => performance.now() - began > intervalMs,
    take: async () => {
      await new Promise((resolve) => setImmediate(resolve));
      began = performance.now();
    },
  };
}

/** `map` with pauses, for lists whose items take long to evaluate. */
export async function mapWithPauses<T, R>(items: Iterable<T>, map: (item: T) => R): Promise<R[]> {
  const pauses = createPauses();
  const mapped: R[] = [];
  for (const item of items) {
    mapped.push(map(item));
    if (pauses.isDue()) await pauses.take();
  }
  return mapped;
}
