// Slots: a limited number at once; other callers wait in a queue, each for a limited time.

export type Slots = {
  /**
   * Undefined when a slot is free. Otherwise resolves when one is, or rejects when the wait was too long. `isUrgent`:
   * before all callers that are not.
   */
  acquire(isUrgent?: boolean): Promise<void> | undefined;
  /** Passes the slot to the caller that has waited longest, of the urgent ones if there are any. */
  release(): void;
  /** No slot is taken, so no caller waits either. */
  isIdle(): boolean;
};

export function createSlots(count: number, waitMs: number, timeoutError: () => Error): Slots {
  let taken = 0;
  // A Set keeps the order of insertion, so the first is the one that waits longest.
  const urgent = new Set<() => void>();
  const others = new Set<() => void>();

  const acquire = (isUrgent = false): Promise<void> | undefined => {
    if (taken === count) return wait(isUrgent ? urgent : others);
    taken++;
    return undefined;
  };

  const wait = (queue: Set<() => void>): Promise<void> =>
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
    const queue = urgent.size > 0 ? urgent : others;
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
