// Pauses in long evaluation: requests, health checks and timers get their turn in between.

/** How long evaluation goes on before the next pause is due. */
const turnMs = 20;

export type Pauses = {
  isDue(): boolean;
  /** Goes on when everything else that was ready has had its turn. */
  take(): Promise<void>;
};

export function createPauses(): Pauses {
  let began = performance.now();
  return {
    isDue: () => performance.now() - began > turnMs,
    take: async () => {
      await new Promise((resolve) => setImmediate(resolve));
      began = performance.now();
    },
  };
}

/** `map` with pauses, for lists whose items take evaluation. */
export async function mapWithPauses<T, R>(items: Iterable<T>, map: (item: T) => R): Promise<R[]> {
  const pauses = createPauses();
  const mapped: R[] = [];
  for (const item of items) {
    mapped.push(map(item));
    if (pauses.isDue()) await pauses.take();
  }
  return mapped;
}
