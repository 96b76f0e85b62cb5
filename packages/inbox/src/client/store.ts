// A value with listeners, which are called once after all changes of the current turn.
export type Store<T> = {
  getState: () => T;
  set: (change: Partial<T>) => void;
  /** Returns the function that ends the subscription. */
  subscribe: (listener: () => void) => () => void;
};

export function createStore<T extends object>(initial: T): Store<T> {
  const listeners = new Set<() => void>();
  let state = initial;
  let isWaiting = false;
  const notify = () => {
    isWaiting = false;
    for (const listener of [...listeners]) listener();
  };
  return {
    getState: () => state,
    set: (change) => {
      state = { ...state, ...change };
      if (isWaiting) return;
      isWaiting = true;
      queueMicrotask(notify);
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
