// The rewrites that migrations have left to be done in the background: where each is, and how far.
import { sql } from "kysely";
import type { Db } from "../db.ts";
import type { Tables } from "../tables.ts";

export type BackgroundMigrationRow = Tables["background_migrations"];

/**
 * The oldest of these that is not finished, locked until the transaction ends; null if there is none, or if another
 * process works on it.
 */
export async function lockBackgroundMigration(tx: Db, names: string[]): Promise<BackgroundMigrationRow | null> {
  const { rows } = await sql<BackgroundMigrationRow>`
    select name, next_key, done_rows, total_rows, created_at, updated_at, finished_at from background_migrations
    where finished_at is null and name = (
      select name from background_migrations where finished_at is null and name = any(${names}::text[])
      order by created_at, name limit 1)
    for update skip locked`.execute(tx);
  return rows[0] ?? null;
}

export async function noteBackgroundBatch(
  tx: Db,
  { name, next_key, done_rows, total_rows, updated_at, finished_at }: Omit<BackgroundMigrationRow, "created_at">,
): Promise<void> {
  await sql`
    update background_migrations set next_key = ${next_key === null ? null : JSON.stringify(next_key)}::jsonb,
      done_rows = ${done_rows}, total_rows = ${total_rows}, updated_at = ${updated_at}, finished_at = ${finished_at}
    where name = ${name}`.execute(tx);
}

export const listBackgroundMigrations = (db: Db): Promise<BackgroundMigrationRow[]> =>
  db.selectFrom("background_migrations").selectAll().orderBy("created_at").orderBy("name").execute();
