// The simulated clock and the order of everything that happens. Whatever a process waits for (a statement, a timer, a
// provider) is an entry with a time; the entry with the earliest time is next, and entries of the same time follow in
// random order. Between two entries all code that can run has run.
import { AsyncLocalStorage } from "node:async_hooks";
import type { Random } from "@tidings/testkit/load/random";

/** A process of the service. Once it is killed, nothing that it waits for comes. */
export type Process = { name: string; isAlive: boolean; frozenUntil: number };

/** The process whose code is running. */
export const running = new AsyncLocalStorage<Process>();

type Entry = { at: number; tie: number; process: Process | null; run: (() => void) | null };

export type Timer = { cancel(): void };

/** Simulated time begins here. */
export const startTime = Date.UTC(2026, 2, 2, 9);

const nextRound = setImmediate;
const drained = () => new Promise<void>((resolve) => nextRound(resolve));

export type Schedule = ReturnType<typeof createSchedule>;

export function createSchedule(random: Random) {
  const heap: Entry[] = [];
  let now = startTime;
  let steps = 0;

  const isBefore = (a: Entry, b: Entry) => a.at < b.at || (a.at === b.at && a.tie < b.tie);

  const push = (entry: Entry): void => {
    let at = heap.length;
    heap.push(entry);
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!isBefore(entry, heap[parent]!)) break;
      heap[at] = heap[parent]!;
      at = parent;
    }
    heap[at] = entry;
  };

  const pop = (): Entry | undefined => {
    const first = heap[0];
    const last = heap.pop();
    if (!first || !last || heap.length === 0) return first;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && isBefore(heap[child + 1]!, heap[child]!)) child++;
      if (!isBefore(heap[child]!, last)) break;
      heap[at] = heap[child]!;
      at = child;
    }
    heap[at] = last;
    return first;
  };

  const after = (ms: number, process: Process | null, run: () => void): Timer => {
    const entry: Entry = { at: now + Math.max(0, ms), tie: random.below(2 ** 30), process, run };
    push(entry);
    return {
      cancel() {
        entry.run = null;
      },
    };
  };

  return {
    now: () => now,
    steps: () => steps,
    after,
    /** Resolves after `ms`; never, when the process has been killed by then. */
    wait: (ms: number, process: Process | null) => new Promise<void>((resolve) => void after(ms, process, resolve)),
    /** Runs until nothing is left to happen; false when that takes more than `maxSteps`. */
    async run(maxSteps: number): Promise<boolean> {
      await drained();
      for (let entry = pop(); entry; entry = pop()) {
        const { process, run } = entry;
        if (!run || process?.isAlive === false) continue;
        now = Math.max(now, entry.at);
        if (process && process.frozenUntil > now) {
          push({ ...entry, at: process.frozenUntil });
          continue;
        }
        if (++steps > maxSteps) return false;
        run();
        await drained();
      }
      return true;
    },
  };
}
