// Rewrites of many rows, in batches while the service works: each batch is a transaction that also stores where the
// next one begins, so an interrupted rewrite continues from there. Several processes take turns. What a newer release
// has left to do, and this one does not know, is left to its processes.
import type { Ctx } from "../../context.ts";
import { type Db, inRepeatableTransaction } from "../../store/db.ts";
import {
  type BackgroundMigrationRow,
  lockBackgroundMigration,
  noteBackgroundBatch,
} from "../../store/installation/background-migrations.ts";
import { findTableSizes } from "../../store/installation/system.ts";
import { encryptOldRows } from "./encrypt-old-rows.ts";
import type { BackgroundMigration, BackgroundTools } from "./migration.ts";

/** By the names that migrations give them. One is removed with the migration that drops the old form. */
const backgroundMigrations: Record<string, BackgroundMigration> = { encrypt_old_rows: encryptOldRows };

type Options = BackgroundTools & Pick<Ctx, "log" | "now"> & { known?: Record<string, BackgroundMigration> };

/** Runs `batches` at most; returns whether there are more. */
export async function runBackgroundMigrations(options: Options, batches: number): Promise<boolean> {
  const { db, log } = options;
  let last: BackgroundMigrationRow | null = null;
  for (let batch = 0; batch < batches; batch++) {
    const done: BackgroundMigrationRow | null = await inRepeatableTransaction(db, (tx) => runNext(options, tx));
    if (done === null) return false;
    if (done.finished_at) log.info(progressOf(done), "a background migration has finished");
    last = done;
  }
  if (last && !last.finished_at) log.info(progressOf(last), "a background migration continues");
  return last !== null;
}

/** Null if there is nothing to do, or another process does it. */
async function runNext({ known = backgroundMigrations, secrets, now }: Options, db: Db) {
  const row = await lockBackgroundMigration(db, Object.keys(known));
  if (!row) return null;
  const { tables, runBatch } = known[row.name]!;
  const total_rows = row.total_rows ?? (await countRows(db, tables));
  const { rows, next } = await runBatch({ db, secrets }, row.next_key);
  const at = now();
  const done = {
    ...row,
    total_rows,
    next_key: next,
    done_rows: row.done_rows + rows,
    updated_at: at,
    finished_at: next === null ? at : null,
  };
  await noteBackgroundBatch(db, done);
  return done;
}

async function countRows(db: Db, tables: readonly string[]): Promise<number> {
  const sizes = await findTableSizes(db, [...tables]);
  return Math.round([...sizes.values()].reduce((sum, { rows }) => sum + rows, 0));
}

const progressOf = ({ name, done_rows, total_rows }: BackgroundMigrationRow) => ({
  migration: name,
  rows: done_rows,
  estimatedRows: total_rows,
});

/** From 0 to 1. The number of rows is an estimate, so only a finished one is 1. */
export function shareDone({ done_rows, total_rows, finished_at }: BackgroundMigrationRow): number {
  if (finished_at) return 1;
  return total_rows ? Math.min(0.99, done_rows / total_rows) : 0;
}
