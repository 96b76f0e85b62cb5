// What a loop writes about its source: counts, what waits, and errors. At most once a second, and nothing while nothing
// happens.
import { countedOutboxRows } from "@tidings/contract";
import type { Ctx } from "../../context.ts";
import { measureOutbox } from "../../store/sources/outbox.ts";
import type { ActiveSource } from "../../store/sources/sources.batch.ts";
import { recordSourceNews, type SourceNews } from "../../store/sources/sources.ts";
import type { DrainedSource } from "./drain.ts";

const gapMs = 1_000;

export type News = {
  /** Counts of a batch. */
  add(counts: Pick<SourceNews, "accepted" | "refused">): void;
  fail(reason: string): void;
  /** What is stored, perhaps by another process: a failure there is over when this one can read the source. */
  note(isFailing: boolean): void;
  /** Writes what is new, if it is time. `source`: measured, where its database can be reached. */
  write(source: DrainedSource | null, options?: { isLast?: boolean }): Promise<void>;
};

export function createNews(ctx: Ctx, row: ActiveSource): News {
  let unwritten: SourceNews = { accepted: 0, refused: 0 };
  let hasNews = true;
  let writtenAt = Number.NEGATIVE_INFINITY;
  return {
    add({ accepted, refused }) {
      unwritten = { accepted: unwritten.accepted + accepted, refused: unwritten.refused + refused };
      if (accepted + refused > 0) hasNews = true;
    },
    fail(reason) {
      unwritten = { ...unwritten, error: reason };
      hasNews = true;
    },
    note(isFailing) {
      hasNews ||= isFailing;
    },
    async write(source, { isLast = false } = {}) {
      if (!hasNews || (!isLast && performance.now() - writtenAt < gapMs)) return;
      const measured = source && (await measureOutbox(source.remote ?? ctx.db, source.outbox, countedOutboxRows));
      const news = unwritten;
      const error = news.error ?? (source ? null : undefined);
      await recordSourceNews(ctx.db, row, { ...news, error, ...(measured && { measured }) }, ctx.now());
      unwritten = { accepted: 0, refused: 0 };
      // What waits is measured until nothing does, and a failure is stored until it is over.
      hasNews = (measured?.waiting ?? 0) > 0 || news.error !== undefined;
      writtenAt = performance.now();
    },
  };
}
