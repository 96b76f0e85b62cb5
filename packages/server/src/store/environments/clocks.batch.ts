// Test clocks that a batch reads its time from.
import { sql } from "kysely";
import type { Db } from "../db.ts";
/** The given environments with a test clock, and its time. The clocks cannot move until the transaction ends. */
export async function holdTestClocks(db: Db, environmentIds: string[]): Promise<Map<string, Date>> {
  if (environmentIds.length === 0) return new Map();
  // Sorted, so that two batches cannot deadlock; environments in real time are not locked.
  const { rows } = await sql<{ id: string; test_clock: Date }>`
    select id, test_clock from environments
    where id = any(${environmentIds}::uuid[]) and test_clock is not null order by id for share`.execute(db);
  return new Map(rows.map((row) => [row.id, row.test_clock]));
}
