// Requests that could not reach the service wait here, in memory and in their original order, and are sent when it is
// reachable again. They are absolute ("read", "archived"), so one whose response was lost may be sent twice.
import type { Api } from "./api.ts";
import type { Patch } from "./list.ts";
import { type Call, InboxError } from "./types.ts";

/** Below the burst that the service allows a subscriber. Marks beyond it are refused, and the refusal is shown. */
const maxWaiting = 100;
/** For when no new connection shows that the service is reachable again. */
const retryMs = 10_000;

/** The connection to the service is broken, or the service is about to restart. */
const isLost = (error: unknown): boolean =>
  error instanceof InboxError && (error.code === "UNREACHABLE" || error.status > 501);

type Job = { order: number; patch: Patch; run: () => Promise<void> };

export function createOutbox(api: Api, signal: AbortSignal) {
  let jobs: Job[] = [];
  let orders = 0;
  let sending: Promise<void> | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const wait = () => {
    clearTimeout(timer);
    timer = setTimeout(flush, retryMs);
  };

  /** Ends when nothing waits, or when the service is still out of reach. */
  const flush = (): Promise<void> => {
    sending ??= (async () => {
      clearTimeout(timer);
      try {
        for (let job = jobs[0]; job && !signal.aborted; job = jobs[0]) {
          await job.run();
          jobs = jobs.filter((other) => other !== job);
          // The next request about the same notification takes its place in the line.
          await new Promise((resolve) => setTimeout(resolve));
        }
      } catch {
        wait();
      }
      sending = null;
    })();
    return sending;
  };

  return {
    flush,
    /** Changes that have not reached the service. */
    waiting: (): Patch[] => jobs.map(({ patch }) => patch),
    /** Sends when `turn` has ended, or after what waits. */
    async send<T>(patch: Patch, path: string, call: Call, turn?: Promise<unknown>): Promise<T> {
      const order = ++orders;
      await turn;
      const ask = () => api.json<T>(path, call);
      if (jobs.length === 0) {
        try {
          return await ask();
        } catch (error) {
          if (!isLost(error)) throw error;
        }
      }
      if (jobs.length >= maxWaiting) throw new InboxError(0, "UNREACHABLE", "Too many changes wait");
      return new Promise<T>((resolve, reject) => {
        const run = () =>
          ask().then(resolve, (error) => {
            if (isLost(error)) throw error;
            reject(error);
          });
        jobs = [...jobs, { order, patch, run }].sort((a, b) => a.order - b.order);
        if (!sending) wait();
      });
    },
  };
}
