// Receipts that arrived before the message they are about was known (its provider call had not returned): kept for
// minutes, and removed when they can be matched.
import { type Selectable, sql } from "kysely";
import { firstIdAt } from "../../lib/ids.ts";
import { insertRows, rowsOf } from "../bulk.ts";
import type { Db } from "../db.ts";
import type { Tables } from "../tables.ts";
export type EarlyReceipt = Selectable<Tables["early_receipts"]>;

const columns = { id: "uuid", environment_id: "uuid", integration_id: "uuid", name: "text", receipt: "jsonb" };

export const insertEarlyReceipts = (db: Db, rows: EarlyReceipt[]): Promise<void> =>
  insertRows(db, "early_receipts", columns, rows);

/**
 * `integration_id`: the integration whose provider gave the id; null for our own message id, which is globally unique.
 */
export type ReceiptName = { name: string; integration_id: string | null };

/** Deletes and returns the receipts with these names, without those that another transaction has locked. */
export async function takeEarlyReceipts(db: Db, names: ReceiptName[]): Promise<EarlyReceipt[]> {
  if (names.length === 0) return [];
  const shape = { name: "text", integration_id: "uuid" };
  const { rows } = await sql<EarlyReceipt>`
    delete from early_receipts where id in (
      select e.id from ${rowsOf("r", shape, names)} join early_receipts e on e.name = r.name
        and (r.integration_id is null or e.integration_id = r.integration_id)
      for update of e skip locked)
    returning *`.execute(db);
  return rows;
}

/** Deletes and returns up to `limit` receipts from before this time, the oldest first. */
export async function takeExpiredReceipts(db: Db, before: Date, limit: number): Promise<EarlyReceipt[]> {
  const { rows } = await sql<EarlyReceipt>`
    delete from early_receipts where id in (
      select id from early_receipts where id < ${firstIdAt(before)} order by id limit ${limit}
      for update skip locked)
    returning *`.execute(db);
  return rows;
}
