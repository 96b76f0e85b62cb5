// Slots: a limited number at once; other callers wait in a queue, each for a limited time.

export type Slots = {
  /** Undefined when a slot is free. Otherwise resolves when one is, or rejects when the wait was too long. */
  acquire(): Promise<void> | undefined;
  /** Passes the slot to the caller that has waited longest. */
  release(): void;
  /** No slot is taken, so no caller waits either. */
  isIdle(): boolean;
};

export function createSlots(count: number, waitMs: number, timeoutError: () => Error): Slots {
  let taken = 0;
  // A Set keeps the order of insertion, so the first is the one that waits longest.
  const queue = new Set<() => void>();

  const acquire = (): Promise<void> | undefined => {
    if (taken === count) return wait();
    taken++;
    return undefined;
  };

  const wait = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const proceed = (): void => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        queue.delete(proceed);
        reject(timeoutError());
      }, waitMs);
      queue.add(proceed);
    });

  const release = (): void => {
    const [next] = queue;
    if (!next) {
      taken--;
      return;
    }
    queue.delete(next);
    next();
  };

  return { acquire, release, isIdle: () => taken === 0 };
}
