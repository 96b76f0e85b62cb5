// Empties the outbox of one source for as long as the source is active. NOTIFY wakes the loop; without it, the loop
// looks soon after there was something, and every second when there was nothing for a while. A source whose database is
// away is tried again with growing pauses, and delays only itself.
import { setTimeout as delay } from "node:timers/promises";
import type { NetworkCtx } from "../../context.ts";
import type { ActiveSource } from "../../store/sources/sources.batch.ts";
import { type Drained, drainBatch, RowError } from "./drain.ts";
import { createNews } from "./news.ts";
import { type OpenedSource, openForLoop } from "./open-source.ts";

/** Rows in one transaction. */
const batchSize = 500;
const pollMs = { first: 20, most: 1_000 };
const stopMs = 10_000;
const retryMs = { first: 500, most: 30_000 };

export type SourceLoop = { stop(): Promise<void> };

export function startLoop(ctx: NetworkCtx, row: ActiveSource, localUrl: string): SourceLoop {
  const log = ctx.log.child({ source: row.id });
  const sleeper = createSleeper();
  const news = createNews(ctx, row);
  let isStopped = false;
  let retryPause = retryMs.first;

  /** Until the source fails, or the loop is stopped. */
  const empty = async (source: OpenedSource): Promise<void> => {
    const drain = createDrain(ctx, source);
    let pollPause = pollMs.first;
    while (!isStopped) {
      sleeper.reset();
      const { claimed, accepted, refused } = await drain();
      retryPause = retryMs.first;
      news.add({ accepted, refused });
      await news.write(source);
      if (accepted > 0) ctx.metrics.sourceRows.inc({ result: "accepted" }, accepted);
      if (refused > 0) ctx.metrics.sourceRows.inc({ result: "refused" }, refused);
      pollPause = claimed > 0 ? pollMs.first : Math.min(pollMs.most, 2 * pollPause);
      if (claimed === 0) await sleeper.sleep(pollPause);
    }
    await news.write(source, { isLast: true });
  };

  const run = async (): Promise<void> => {
    while (!isStopped) {
      let source: OpenedSource | null = null;
      try {
        source = await openForLoop(ctx, row, { localUrl, wake: sleeper.wake });
        await empty(source);
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        log.warn({ reason }, "a source cannot be read, and is tried again");
        news.fail(reason);
        await news.write(null, { isLast: true }).catch(() => {});
        sleeper.reset();
        await sleeper.sleep(retryPause);
        retryPause = Math.min(retryMs.most, 2 * retryPause);
      }
      await source?.close().catch(() => {});
    }
  };
  const running = run();
  return {
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
    sleep: (ms: number): Promise<void> =>
      new Promise((resolve) => {
        if (isWoken) return resolve();
        const timer = setTimeout(resolve, ms);
        end = () => {
          clearTimeout(timer);
          resolve();
        };
      }),
  };
}

/**
 * Drains a batch with each call. When one of its rows cannot be accepted, the rows of a batch follow one by one, and
 * the one that fails alone is set aside.
 */
function createDrain(ctx: NetworkCtx, source: OpenedSource): () => Promise<Drained> {
  let alone = 0;
  return async () => {
    const limit = alone > 0 ? 1 : batchSize;
    alone = Math.max(0, alone - 1);
    try {
      return await drainBatch(ctx, source, { limit });
    } catch (error) {
      if (!(error instanceof RowError)) throw error;
      if (limit === 1) return drainBatch(ctx, source, { limit, refuseAll: error.message });
      ctx.log.warn({ err: error.cause, source: source.place.sourceId }, "rows of a source are tried one by one");
      alone = batchSize;
      return { claimed: 1, accepted: 0, refused: 0 };
    }
  };
}
