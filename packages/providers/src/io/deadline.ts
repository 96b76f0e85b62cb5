// The time limit of one call. A timer and one listener: an AbortSignal with its listeners takes a sixth of the time of
// a call.

export type Deadline = {
  readonly isOver: boolean;
  /** Calls the listener when the time is over, instead of the one given before. */
  onOver(listener: () => void): void;
  /** To be called when the call has ended. */
  end(): void;
};

export function startDeadline(ms: number): Deadline {
  let isOver = false;
  let listener = () => {};
  const timer = setTimeout(() => {
    isOver = true;
    listener();
  }, ms);
  return {
    get isOver() {
      return isOver;
    },
    onOver(next) {
      listener = next;
      if (isOver) next();
    },
    end: () => clearTimeout(timer),
  };
}
