// Set-based writing: many rows in one statement. New rows are copied; rows that a statement joins with are passed as
// one JSON parameter.
import { CompiledQuery, type RawBuilder, sql } from "kysely";
import { CopyMessages } from "./copy.ts";
import { type ColumnTypes, encodeCopy, type TableRows } from "./copy-rows.ts";
import type { Db } from "./db.ts";
import type { Tables } from "./tables.ts";

/** `json_to_recordset($1) as <alias>(a uuid, b text, …)`, to select from. */
export function rowsOf(alias: string, columns: ColumnTypes, rows: readonly object[]): RawBuilder<unknown> {
  const shape = Object.entries(columns).map(([name, type]) => `${name} ${type}`);
  return sql`json_to_recordset(${JSON.stringify(rows)}::json) as ${sql.raw(`${alias}(${shape.join(", ")})`)}`;
}

export type Insert = TableRows & { table: keyof Tables };

export const insertRows = (db: Db, table: keyof Tables, columns: ColumnTypes, rows: readonly object[]): Promise<void> =>
  runInserts(db, [{ table, columns, rows }]);

/** Inserts into several tables in one round trip, which takes longer than inserting a few rows. */
export async function runInserts(db: Db, inserts: Insert[]): Promise<void> {
  const filled = inserts.filter(({ rows }) => rows.length > 0);
  if (filled.length === 0) return;
  const copies = filled.map(
    ({ table, columns }) => `copy "${table}" (${Object.keys(columns).join(", ")}) from stdin with (format binary)`,
  );
  const query = copies.join("; ");
  await db.executeQuery(CompiledQuery.raw(query, [new CopyMessages(encodeCopy(query, filled))]));
}
