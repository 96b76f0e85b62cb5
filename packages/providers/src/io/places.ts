// Places: a limited number at once, the others wait in line, and each of them only for so long.

export interface Places {
  /** Undefined when there is a place right now. Otherwise resolves with it, or rejects when the wait was too long. */
  take(): Promise<void> | undefined;
  /** Gives the place to whoever waits longest. */
  leave(): void;
  /** Nobody has a place, so nobody waits for one either. */
  isIdle(): boolean;
}

export const createPlaces = (count: number, waitMs: number, tookTooLong: () => Error): Places => {
  let taken = 0;
  // A Set keeps the order of insertion, so the first is the one that waits longest.
  const line = new Set<() => void>();

  const take = (): Promise<void> | undefined => {
    if (taken === count) return wait();
    taken++;
    return undefined;
  };

  const wait = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const goOn = (): void => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        line.delete(goOn);
        reject(tookTooLong());
      }, waitMs);
      line.add(goOn);
    });

  const leave = (): void => {
    const [next] = line;
    if (!next) {
      taken--;
      return;
    }
    line.delete(next);
    next();
  };

  return { take, leave, isIdle: () => taken === 0 };
};
