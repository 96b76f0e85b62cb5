// Empties the outbox of one source for as long as the source is active. NOTIFY wakes the loop; without it, the loop
// looks soon after there was something, and every second when there was nothing for a while. A source whose database is
// away is tried again with growing pauses, and delays only itself.
import { setTimeout as delay } from "node:timers/promises";
import type { NetworkCtx } from "../../context.ts";
import { storableText } from "../../lib/text/storable-text.ts";
import { findDatabaseFault } from "../../store/faults.ts";
import { hasRows } from "../../store/sources/outbox.ts";
import type { ActiveSource } from "../../store/sources/sources.batch.ts";
import { type Drained, type DrainOptions, drainBatch, RowError } from "./drain.ts";
import type { LocalEar } from "./local-ear.ts";
import { createNews } from "./news.ts";
import { type OpenedSource, openForLoop } from "./open-source.ts";

/** Rows in one transaction. */
const batchSize = 500;
/** Transactions at once while full batches wait: one waits for PostgreSQL while the other one is evaluated. */
const batchesAtOnce = 2;
const pollMs = { first: 20, most: 1_000 };
const stopMs = 10_000;
const closeMs = 5_000;
const retryMs = { first: 500, most: 30_000 };
/** Characters of an error: the server may be anyone's. */
const maxReason = 1_000;
const nothing: Drained = { claimed: 0, accepted: 0, refused: 0 };

export type SourceLoop = {
  /** Called with the source whenever it was read again. */
  note(row: ActiveSource): void;
  stop(): Promise<void>;
};

export function startLoop(ctx: NetworkCtx, row: ActiveSource, ear: LocalEar): SourceLoop {
  const log = ctx.log.child({ source: row.id });
  const sleeper = createSleeper();
  const news = createNews(ctx, row);
  let isStopped = false;
  let retryPause = retryMs.first;

  /** Until the source fails, or the loop is stopped. */
  const empty = async (source: OpenedSource): Promise<void> => {
    const drain = createDrain(ctx, source);
    let pollPause = pollMs.first;
    let isExpected = true;
    let batches = 1;
    while (!isStopped) {
      sleeper.reset();
      const hasWork: boolean = isExpected || (await hasRows(source.remote ?? ctx.db, source.outbox));
      const { claimed, accepted, refused }: Drained = hasWork ? await drainAtOnce(drain, batches) : nothing;
      retryPause = retryMs.first;
      news.add({ accepted, refused });
      await news.write(source);
      if (accepted > 0) ctx.metrics.sourceRows.inc({ result: "accepted" }, accepted);
      if (refused > 0) ctx.metrics.sourceRows.inc({ result: "refused" }, refused);
      batches = claimed >= batches * batchSize ? batchesAtOnce : 1;
      pollPause = claimed > 0 ? pollMs.first : Math.min(pollMs.most, 2 * pollPause);
      isExpected = claimed > 0 || (await sleeper.sleep(pollPause));
    }
    await news.write(source, { isLast: true });
  };

  /** Opens the source and empties it. Returns why that ended, null when the loop was stopped. */
  const work = async (): Promise<string | null> => {
    let source: OpenedSource | null = null;
    try {
      source = await openForLoop(ctx, row, { ear, wake: sleeper.wake });
      await empty(source);
      return null;
    } catch (error) {
      return storableText(error instanceof Error ? error.message : String(error), maxReason);
    } finally {
      // A server that does not respond does not confirm the end of a connection either.
      await Promise.race([source?.close().catch(() => {}), delay(closeMs, undefined, { ref: false })]);
    }
  };

  const run = async (): Promise<void> => {
    while (!isStopped) {
      const reason = await work();
      if (reason === null || isStopped) continue;
      sleeper.reset();
      log.warn({ reason }, "a source cannot be read, and is tried again");
      news.fail(reason);
      await news.write(null, { isLast: true }).catch(() => {});
      await sleeper.sleep(retryPause);
      retryPause = Math.min(retryMs.most, 2 * retryPause);
    }
  };
  const running = run();
  return {
    note: ({ failing_since }) => news.note(failing_since !== null),
    async stop() {
      isStopped = true;
      sleeper.wake();
      // A database that does not respond is left: what it has locked for this loop is freed with the connection.
      await Promise.race([running, delay(stopMs, undefined, { ref: false })]);
    },
  };
}

/** A sleep that is cut short by `wake`, even by one that came since `reset`. */
function createSleeper() {
  let isWoken = false;
  let end = () => {};
  return {
    reset: () => {
      isWoken = false;
    },
    wake: () => {
      isWoken = true;
      end();
    },
    /** Whether it was cut short. */
    sleep: (ms: number): Promise<boolean> =>
      new Promise((resolve) => {
        if (isWoken) return resolve(true);
        const timer = setTimeout(() => resolve(false), ms);
        end = () => {
          clearTimeout(timer);
          resolve(true);
        };
      }),
  };
}

/** The sum of several batches. All of them have ended when one of them fails. */
async function drainAtOnce(drain: () => Promise<Drained>, batches: number): Promise<Drained> {
  const results = await Promise.allSettled(Array.from({ length: batches }, drain));
  return results.reduce((sum, result) => {
    if (result.status === "rejected") throw result.reason;
    const { claimed, accepted, refused } = result.value;
    return { claimed: sum.claimed + claimed, accepted: sum.accepted + accepted, refused: sum.refused + refused };
  }, nothing);
}

/**
 * Drains a batch with each call. When one of its rows cannot be accepted, rows follow one by one, until the one that
 * fails alone is found and set aside.
 */
function createDrain(ctx: NetworkCtx, source: OpenedSource): () => Promise<Drained> {
  let alone = 0;
  let doomed: DrainOptions["doomed"] = null;
  return async () => {
    const limit = alone > 0 ? 1 : batchSize;
    alone = Math.max(0, alone - 1);
    try {
      const drained = await drainBatch(ctx, source, { limit, doomed });
      if (doomed && drained.refused > 0) {
        doomed = null;
        alone = 0;
      }
      return drained;
    } catch (error) {
      if (!(error instanceof RowError)) throw error;
      const [id, ...others] = error.ids;
      // Others hold what it needs, or it cannot even be set aside: it is tried again later.
      if (others.length === 0 && (findDatabaseFault(error.cause) === "conflict" || id === doomed?.id))
        throw error.cause;
      ctx.log.warn({ err: error.cause, source: source.place.sourceId }, "rows of a source cannot be accepted together");
      doomed = others.length === 0 ? { id: id!, reason: error.message } : null;
      alone = doomed ? alone + 1 : batchSize;
      return { claimed: 1, accepted: 0, refused: 0 };
    }
  };
}
