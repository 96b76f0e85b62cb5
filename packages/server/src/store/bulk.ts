// Set-based writing: many rows in one statement. The rows are passed as one JSON parameter, which PostgreSQL unpacks.
// Measured on 2 cores with 500 rows of 15 columns a statement: 38,000 rows/s this way, 31,000 with a VALUES list and
// 27,000 with unnest() over arrays; JavaScript spends 16 µs a row instead of 27 for the arrays.

import { type RawBuilder, sql } from "kysely";
import type { Db } from "./db.ts";
import type { Tables } from "./tables.ts";
export type ColumnTypes = Record<string, string>;

/** `json_to_recordset($1) as <alias>(a uuid, b text, …)`, to select from. */
export function rowsOf(alias: string, columns: ColumnTypes, rows: readonly object[]): RawBuilder<unknown> {
  const shape = Object.entries(columns).map(([name, type]) => `${name} ${type}`);
  return sql`json_to_recordset(${JSON.stringify(rows)}::json) as ${sql.raw(`${alias}(${shape.join(", ")})`)}`;
}

/** Inserts the rows; columns that a row leaves out are null. */
export async function insertRows<T extends keyof Tables>(
  db: Db,
  table: T,
  columns: ColumnTypes,
  rows: readonly object[],
): Promise<void> {
  if (rows.length === 0) return;
  const names = sql.raw(Object.keys(columns).join(", "));
  await sql`insert into ${sql.table(table)} (${names}) select ${names} from ${rowsOf("r", columns, rows)}`.execute(db);
}
