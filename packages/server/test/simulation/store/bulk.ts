import type { Insert } from "../../../src/store/bulk.ts";
import type { Db } from "../../../src/store/db.ts";
import type { Tables } from "../../../src/store/tables.ts";
import type { Row } from "../world/disk.ts";
import { rowsStatement, stored } from "../world/session.ts";
import { defaultsOf, keyOf } from "./rows.ts";

export * from "../../../src/store/bulk.ts";

const insertAll = rowsStatement(
  "runInserts",
  () => undefined,
  async (tx, inserts: Insert[]): Promise<void> => {
    for (const { table, columns, rows } of inserts) {
      for (const row of rows as Row[]) {
        const values = Object.entries(columns).map(([name, type]) => [
          name,
          type === "jsonb" || type === "json" ? stored(row[name]) : row[name],
        ]);
        const full = { ...defaultsOf(table), ...Object.fromEntries(values) };
        if (!(await tx.insert(table, keyOf(table, full), full))) throw new Error(`${table} has the key already`);
      }
    }
  },
);

export const runInserts = (db: Db, inserts: Insert[]): Promise<void> =>
  insertAll(
    db,
    inserts.filter(({ rows }) => rows.length > 0),
  );

export const insertRows = (
  db: Db,
  table: keyof Tables,
  columns: Insert["columns"],
  rows: readonly object[],
): Promise<void> => runInserts(db, [{ table, columns, rows } as Insert]);
