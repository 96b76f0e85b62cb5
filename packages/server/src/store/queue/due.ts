// Tasks that become due. New runnable tasks are announced (announce.ts); tasks for later (delays, digests, retries) and
// the claims of processes that died are not. One loop of each process asks when the next of them is due, over all kinds
// of tasks at once, and sleeps until then: an idle process asks every ten seconds (docs/decisions/0012-idle.md).
import { schema } from "./boss.ts";
import type { Listener } from "./listen.ts";

/** The longest sleep. Tasks due later than that are seen by a look before they are due. */
const maxSleepMs = 10_000;

/** Tasks due sooner are announced: longer than a sleep, because the transaction of a task may end late. */
export const hintedMs = 60_000;

/** How soon to look again while due tasks wait for a worker, and after a look that failed. */
const lookAgainMs = 500;

/** How often pg-boss does its own upkeep, which must not wait until a claim lapses. */
const upkeepMs = 10 * 60_000;

export type DueOptions = {
  listener: Listener;
  /** The kinds that this process has workers for. */
  kinds(): string[];
  wakeWorkers(kind: string): void;
  /** Gives tasks whose claims have lapsed to other workers, and does the upkeep of pg-boss. */
  supervise(): Promise<void>;
  onError(error: Error): void;
};

export type DueLoop = {
  /** Looks now. */
  look(): void;
  /** Looks a moment later: a task was announced, and its worker may end before it has claimed it. */
  lookSoon(): void;
  /** Takes a notification of `dueChannel`: a time in ms by the clock of the database, or `+` and ms from now on. */
  hear(text?: string): void;
  stop(): Promise<void>;
};

/** `kind` is null for the next claim to lapse. `waitMs` is negative for what is due. */
type Due = { kind: string | null; waitMs: number | null; nowMs: number };

const jobs = `${schema}.job_common`;

/**
 * The first lines read one index entry for each kind and state; the last one the tasks in work, which are few. Written
 * with `is true`, because the index is (boss.ts).
 */
export const dueQuery = `
  select k.kind, extract(epoch from t.start_after - clock_timestamp())::float8 * 1000 as "waitMs", 0 as "nowMs"
  from unnest($1::text[]) as k(kind), unnest('{created,retry}'::${schema}.job_state[]) as s(state),
    lateral (select start_after from ${jobs} where (state <= 'active') is true and state = s.state and name = k.kind
      order by start_after limit 1) as t
  union all
  select null, extract(epoch from min(greatest(now() - interval '1 d', least(heartbeat_on + heartbeat_seconds * interval '1 s',
      started_on + expire_seconds * interval '1 s'))) - clock_timestamp())::float8 * 1000,
    extract(epoch from clock_timestamp())::float8 * 1000
  from ${jobs} where (state <= 'active') is true and state = 'active'`;

export function startDueLoop({ listener, kinds, wakeWorkers, supervise, onError }: DueOptions): DueLoop {
  let isStopping = false;
  /** All by the monotonic clock of this process; `offsetMs` is how far that of the database is ahead. */
  let lookAt = 0;
  let superviseAt = performance.now() + upkeepMs;
  let offsetMs: number | undefined;
  let restartSleep = () => {};

  const lookBy = (at: number) => {
    if (at >= lookAt) return;
    lookAt = at;
    restartSleep();
  };
  const lookIn = (ms: number) => lookBy(performance.now() + ms);

  const sleep = () =>
    new Promise<void>((resolve) => {
      let timer: NodeJS.Timeout;
      restartSleep = () => {
        clearTimeout(timer);
        timer = setTimeout(resolve, Math.max(0, Math.ceil(lookAt - performance.now())));
      };
      restartSleep();
    }).finally(() => {
      restartSleep = () => {};
    });

  const takeLook = async (): Promise<void> => {
    const rows = await listener.query<Due>(dueQuery, [kinds()]);
    let hasLapsed = false;
    for (const { kind, waitMs, nowMs } of rows) {
      if (kind === null) offsetMs = nowMs - performance.now();
      if (waitMs === null) continue;
      lookIn(waitMs > 0 ? waitMs : lookAgainMs);
      if (waitMs > 0) continue;
      if (kind === null) hasLapsed = true;
      else wakeWorkers(kind);
    }
    if (!hasLapsed && performance.now() < superviseAt) return;
    superviseAt = performance.now() + upkeepMs;
    await supervise();
  };

  const run = async (): Promise<void> => {
    while (!isStopping) {
      lookAt = performance.now() + maxSleepMs;
      await takeLook().catch((error: Error) => {
        onError(error);
        lookIn(lookAgainMs);
      });
      if (!isStopping) await sleep();
    }
  };
  const ended = run();

  return {
    look: () => lookIn(0),
    lookSoon: () => lookIn(lookAgainMs),
    hear(text) {
      if (text?.startsWith("+")) lookIn(Number(text));
      else if (text === undefined || offsetMs === undefined) lookIn(0);
      else lookBy(Number(text) - offsetMs);
    },
    async stop() {
      isStopping = true;
      lookIn(0);
      restartSleep();
      await ended;
    },
  };
}
