// Set-based writing: many rows in one statement. New rows are copied; rows that a statement joins with are passed as one JSON parameter.
import { CompiledQuery, type RawBuilder, sql } from "kysely";
import type { JsonObject } from "../lib/json.ts";
import { CopyData } from "./copy.ts";
import type { Db } from "./db.ts";
import type { Tables } from "./tables.ts";

export type ColumnTypes = Record<string, string>;

/** `json_to_recordset($1) as <alias>(a uuid, b text, …)`, to select from. */
export function rowsOf(alias: string, columns: ColumnTypes, rows: readonly object[]): RawBuilder<unknown> {
  const shape = Object.entries(columns).map(([name, type]) => `${name} ${type}`);
  return sql`json_to_recordset(${JSON.stringify(rows)}::json) as ${sql.raw(`${alias}(${shape.join(", ")})`)}`;
}

/** New rows of one table. Columns that a row leaves out are null. */
export type Insert = { table: keyof Tables; columns: ColumnTypes; rows: readonly object[] };

export const insertRows = (db: Db, table: keyof Tables, columns: ColumnTypes, rows: readonly object[]): Promise<void> =>
  runInserts(db, [{ table, columns, rows }]);

/** Inserts into several tables in one round trip, which takes longer than inserting a few rows. */
export async function runInserts(db: Db, inserts: Insert[]): Promise<void> {
  const filled = inserts.filter(({ rows }) => rows.length > 0);
  if (filled.length === 0) return;
  const text = filled.map(({ table, columns }) => `copy "${table}" (${Object.keys(columns).join(", ")}) from stdin`);
  const data = new CopyData(filled.map(linesOf));
  await db.executeQuery(CompiledQuery.raw(text.join("; "), [data]));
}

/** A line for each row: its values in the order of the columns, separated by tabs. */
function linesOf({ columns, rows }: Insert): string {
  const writers = Object.entries(columns).map(([name, type]) => ({ name, write: writerOf(type) }));
  let lines = "";
  for (const row of rows as readonly JsonObject[]) {
    let separator = "";
    for (const { name, write } of writers) {
      const value = row[name];
      lines += value === null || value === undefined ? `${separator}\\N` : separator + write(value);
      separator = "\t";
    }
    lines += "\n";
  }
  return lines;
}

/** How a value of this type is written; null is written by the caller. */
function writerOf(type: string): (value: unknown) => string {
  if (type === "json" || type === "jsonb") return (value) => escapeLine(JSON.stringify(value));
  if (type.endsWith("[]")) return (value) => escapeLine(writeArray(value as unknown[]));
  if (type === "text") return (value) => escapeLine(value as string);
  // Ids, numbers, truth values and times have no characters to escape.
  return (value) => (value instanceof Date ? writeTime(value) : String(value));
}

let lastTime = new Date(Number.NaN);
let lastText = "";

/** The rows of a batch share their times, which take long to write. */
function writeTime(time: Date): string {
  if (time !== lastTime) {
    lastTime = time;
    lastText = time.toISOString();
  }
  return lastText;
}

const special = /[\\\t\n\r]/;
const escapes: Record<string, string> = { "\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r" };

/** A backslash begins an escape in a line of COPY; a tab ends a value and a line break ends a row. */
const escapeLine = (text: string): string =>
  special.test(text) ? text.replace(/[\\\t\n\r]/g, (character) => escapes[character]!) : text;

/** `{"a","b"}`, as PostgreSQL writes an array of texts or times. */
const writeArray = (items: unknown[]): string =>
  `{${items.map((item) => (item === null ? "null" : quoteItem(item instanceof Date ? writeTime(item) : String(item)))).join(",")}}`;

const quoteItem = (text: string): string => `"${text.replace(/[\\"]/g, "\\$&")}"`;
