// Whether the service responds, learned from the calls that the page makes anyway: the last one had no response, or one
// has been in progress for longer than usual.

type Connection = "well" | "slow" | "lost";

/** After this time a call counts as slow. */
const usualMs = 5_000;

/** A frozen service or a silently dropped connection never responds: a call is given up after this time. */
export const limitMs = 20_000;

let isLost = false;
const slow = new Set<object>();
const listeners = new Set<() => void>();

const tell = (): void => {
  for (const listener of listeners) listener();
};

export const connectionNow = (): Connection => (isLost ? "lost" : slow.size > 0 ? "slow" : "well");

export function onConnection(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function setLost(next: boolean): void {
  if (next === isLost) return;
  isLost = next;
  tell();
}

/** A proxy returns 502 to 504 when nothing is behind it; the service itself also returns 503 for "not now". */
const isOutage = (status: number): boolean => status === 0 || (status >= 502 && status <= 504);

type Watched = {
  /** `status` 0: no response. */
  end: (status: number) => void;
  /** Given up by the page itself: says nothing about the service. */
  drop: () => void;
};

/** Watches one call. `isPatient`: a call that may take its time, such as an upload. */
export function watchCall(isPatient: boolean): Watched {
  const call = {};
  const timer = isPatient
    ? undefined
    : setTimeout(() => {
        slow.add(call);
        tell();
      }, usualMs);
  const drop = () => {
    clearTimeout(timer);
    if (slow.delete(call)) tell();
  };
  return {
    drop,
    end: (status) => {
      drop();
      setLost(isOutage(status));
    },
  };
}
