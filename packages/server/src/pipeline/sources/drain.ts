// One batch of an outbox: claimed, accepted, deleted. In the service's own database that is one transaction. Between
// two databases, rows are locked there while they are accepted here: a relay that dies between the two commits leaves
// rows that come again and are recognised by their transaction ids.
import type { Ctx } from "../../context.ts";
import type { Db } from "../../store/db.ts";
import { isDatabaseUnavailable } from "../../store/faults.ts";
import { limitTransaction } from "../../store/sources/connection.ts";
import {
  type ClaimedRow,
  claimRows,
  deleteRows,
  findEarlierCalls,
  type OutboxPlace,
} from "../../store/sources/outbox.ts";
import { transactWithRetry } from "../batch.ts";
import { acceptRows, type SourcePlace } from "./accept-rows.ts";
import { setAsideRows } from "./refused.ts";

/** `remote`: the database of its outbox, unless that is the service's own. */
export type DrainedSource = { place: SourcePlace; outbox: OutboxPlace; remote: Db | null };

/** `claimed`: rows that were found. `accepted`, `refused`: those that have left the outbox. */
export type Drained = { claimed: number; accepted: number; refused: number };

/** This service cannot accept a row among these, for a reason that has nothing to do with its database. */
export class RowError extends Error {}

/** `refuseAll`: sets all rows aside for this reason, where accepting them failed. */
export type DrainOptions = { limit: number; refuseAll?: string };

export function drainBatch(ctx: Ctx, source: DrainedSource, options: DrainOptions): Promise<Drained> {
  const { remote } = source;
  if (!remote) return transactWithRetry(ctx, (tx) => drainIn(tx.db, source, options, (work) => work(tx)));
  return remote.transaction().execute(async (theirs) => {
    await limitTransaction(theirs);
    return drainIn(theirs, source, options, (work) => transactWithRetry(ctx, work));
  });
}

async function drainIn(
  db: Db,
  { place, outbox }: DrainedSource,
  { limit, refuseAll }: DrainOptions,
  inOwn: <T>(work: (tx: Ctx) => Promise<T>) => Promise<T>,
): Promise<Drained> {
  const rows = await withoutEarlyCancels(db, outbox, await claimRows(db, outbox, limit));
  if (rows.length === 0) return { claimed: 0, accepted: 0, refused: 0 };
  const { done, refused } = await inOwn(async (tx) => {
    if (refuseAll === undefined) return acceptRows(tx, place, rows);
    await setAsideRows(
      tx,
      place,
      rows.map((row) => ({ row, reason: refuseAll })),
    );
    return { done: rows, refused: rows.length };
  }).catch((error: unknown) => {
    throw isDatabaseUnavailable(error) ? error : new RowError(messageOf(error), { cause: error });
  });
  await deleteRows(
    db,
    outbox,
    done.map(({ id }) => id),
  );
  return { claimed: rows.length, accepted: done.length - refused, refused };
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** A cancellation is handled after its event: it waits while the event is in the outbox and not in this batch. */
async function withoutEarlyCancels(db: Db, outbox: OutboxPlace, rows: ClaimedRow[]): Promise<ClaimedRow[]> {
  const cancels = rows.filter(({ kind }) => kind === "cancel");
  const ids = new Set(rows.map(({ id }) => id));
  const earlier = await findEarlierCalls(db, outbox, [...new Set(cancels.map((row) => row.transaction_id))]);
  const awaited = new Set(earlier.filter(({ id }) => !ids.has(id)).map((row) => row.transaction_id));
  return awaited.size === 0 ? rows : rows.filter((row) => row.kind !== "cancel" || !awaited.has(row.transaction_id));
}
