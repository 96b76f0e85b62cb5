// Reports that came before it was known what they are about: kept for minutes, and taken out when somebody can tell.
import { type Selectable, sql } from "kysely";
import { firstIdAt } from "../../lib/ids.ts";
import { insertRows, rowsOf } from "../bulk.ts";
import type { Db } from "../db.ts";
import type { Tables } from "../tables.ts";

export type EarlyReceipt = Selectable<Tables["early_receipts"]>;

const columns = { id: "uuid", environment_id: "uuid", integration_id: "uuid", name: "text", receipt: "jsonb" };

export const keepEarlyReceipts = (db: Db, rows: EarlyReceipt[]): Promise<void> =>
  insertRows(db, "early_receipts", columns, rows);

/** `integration_id`: whose name it is; null for our own id of a message, which is one in the whole world. */
export type ReceiptName = { name: string; integration_id: string | null };

/** Takes out what is known by these names. What somebody else has in hand is left to him. */
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

/** Takes out up to `limit` that came before this time, the oldest first. */
export async function takeOldReceipts(db: Db, before: Date, limit: number): Promise<EarlyReceipt[]> {
  const { rows } = await sql<EarlyReceipt>`
    delete from early_receipts where id in (
      select id from early_receipts where id < ${firstIdAt(before)} order by id limit ${limit}
      for update skip locked)
    returning *`.execute(db);
  return rows;
}
