// One batch of an outbox: claimed, accepted, deleted. In the service's own database that is one transaction. Between
// two databases, rows are locked there while they are accepted here: a relay that dies between the two commits leaves
// rows that come again and are recognised by their transaction ids.
import type { Ctx } from "../../context.ts";
import type { Db } from "../../store/db.ts";
import { isDatabaseUnavailable } from "../../store/faults.ts";
import { limitTransaction } from "../../store/sources/connection.ts";
import { claimRows, deleteRows, type OutboxPlace } from "../../store/sources/outbox.ts";
import { transactWithRetry } from "../batch.ts";
import { acceptRows, type SourcePlace } from "./accept-rows.ts";
import { setAsideRows } from "./refused.ts";

/** `remote`: the database of its outbox, unless that is the service's own. */
export type DrainedSource = { place: SourcePlace; outbox: OutboxPlace; remote: Db | null };

/** `claimed`: rows that were found. `accepted`, `refused`: those that have left the outbox. */
export type Drained = { claimed: number; accepted: number; refused: number };

/** This service cannot accept a row among these, for a reason that has nothing to do with its database. */
export class RowError extends Error {
  readonly ids: number[];

  constructor(ids: number[], cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.ids = ids;
  }
}

/** `doomed`: a row that cannot be accepted, and is set aside when it is claimed alone. */
export type DrainOptions = { limit: number; doomed?: { id: number; reason: string } | null };

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
  { limit, doomed }: DrainOptions,
  inOwn: <T>(work: (tx: Ctx) => Promise<T>) => Promise<T>,
): Promise<Drained> {
  const rows = await claimRows(db, outbox, limit);
  const [first] = rows;
  if (!first) return { claimed: 0, accepted: 0, refused: 0 };
  const { done, refused } = await inOwn(async (tx) => {
    if (!doomed || rows.length > 1 || first.id !== doomed.id) return acceptRows(tx, place, rows);
    await setAsideRows(tx, place, [{ row: first, reason: doomed.reason }]);
    return { done: rows, refused: 1 };
  }).catch((error: unknown) => {
    if (isDatabaseUnavailable(error)) throw error;
    throw new RowError(
      rows.map(({ id }) => id),
      error,
    );
  });
  await deleteRows(
    db,
    outbox,
    done.map(({ id }) => id),
  );
  return { claimed: rows.length, accepted: done.length - refused, refused };
}
