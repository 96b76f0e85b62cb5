// A run of the retention: drops the months whose time has passed for every environment, then deletes rows in the months
// that are kept, and records what went. A run is bounded; the next one continues (docs/retention.md).
import { retentionClasses } from "@tidings/contract";
import {
  findLastComplete,
  finishRetentionRun,
  insertRetentionRun,
  type RetentionRunRow,
} from "../../store/installation/retention-runs.ts";
import { isDoneFor } from "../rules/retention.ts";
import { findHorizons } from "./horizons.ts";
import { dropMonths } from "./months.ts";
import { purgeRows } from "./rows.ts";
import type { RetentionCtx, Tally } from "./tally.ts";

/** How long a run deletes rows: a tenth of the time between two runs. */
const maxRowsMs = 60_000;

/** Does nothing on a day whose work is done. */
export async function runRetention(ctx: RetentionCtx): Promise<void> {
  if (isDoneFor(ctx.now(), await findLastComplete(ctx.db))) return;
  const id = ctx.newId();
  await insertRetentionRun(ctx.db, id, ctx.now());
  const tally: Tally = { deleted: {}, partitions: [] };
  const result = await attempt(ctx, tally);
  count(ctx, tally);
  const { deleted, partitions } = tally;
  const record = { id, deleted, partitions, ...result };
  await finishRetentionRun(ctx.db, { ...record, now: ctx.now() });
  if (result.error !== null) ctx.log.error(record, "retention failed; the next run continues");
  else if (Object.keys(deleted).length > 0 || partitions.length > 0) ctx.log.info(record, "retention deleted old data");
}

/** An error is recorded, and keeps no other chore from its time. */
async function attempt(ctx: RetentionCtx, tally: Tally): Promise<Pick<RetentionRunRow, "is_complete" | "error">> {
  try {
    const horizons = await findHorizons(ctx);
    // A month that cannot be dropped, because a long transaction uses its table, keeps no row from going.
    const fault = await dropMonths(ctx, horizons, tally).then(
      () => null,
      (error: Error) => error.message,
    );
    const isComplete = await purgeRows(ctx, horizons, tally, performance.now() + maxRowsMs);
    return { is_complete: isComplete && fault === null, error: fault };
  } catch (error) {
    return { is_complete: false, error: (error as Error).message };
  }
}

function count({ metrics }: RetentionCtx, { deleted, partitions }: Tally): void {
  for (const name of retentionClasses) metrics.retentionDeletedRows.inc({ class: name }, deleted[name] ?? 0);
  metrics.retentionDroppedPartitions.inc(partitions.length);
}
