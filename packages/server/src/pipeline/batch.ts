// A batch: the context of functions that share a transaction, with the clocks of its environments.
import type { Ctx } from "../context.ts";
import { hintAfter } from "../lib/inbox-hints.ts";
import { inRepeatableTransaction, inTransaction } from "../store/db.ts";
import { type Clock, readClock } from "./clock/clock.ts";

export type Batch = Ctx & { clock: Clock };

/** Runs `work` in its own transaction. `work` gets a context whose `db` is that transaction. */
export function transact<T>(ctx: Ctx, work: (tx: Ctx) => Promise<T>): Promise<T> {
  return hintAfter(ctx.hints, (hints) => inTransaction(ctx.db, (db) => work({ ...ctx, db, hints })));
}

/** As `transact`, for work that may deadlock: `work` is run again when PostgreSQL aborts its transaction. */
export function transactWithRetry<T>(ctx: Ctx, work: (tx: Ctx) => Promise<T>): Promise<T> {
  return hintAfter(ctx.hints, (hints) => inRepeatableTransaction(ctx.db, (db) => work({ ...ctx, db, hints })));
}

/** A batch of these environments. Their test clocks do not move until the transaction ends. */
export async function openBatch(tx: Ctx, environmentIds: Iterable<string>): Promise<Batch> {
  return { ...tx, clock: await readClock(tx, environmentIds) };
}
