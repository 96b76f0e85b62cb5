// Set-based writing: many rows in one statement. A column that has the same value in all rows of the statement is passed once, as
// a parameter of its own; the other columns are passed as one JSON parameter, which PostgreSQL unpacks. Parsing JSON was 37 % of
// PostgreSQL's time for in-app notifications, most of it for values repeated in every row (docs/decisions/0011-batch-constants.md).
import { type RawBuilder, sql } from "kysely";
import type { JsonObject } from "../lib/json.ts";
import type { Db } from "./db.ts";
import type { Tables } from "./tables.ts";

export type ColumnTypes = Record<string, string>;

/** `json_to_recordset($1) as <alias>(a uuid, b text, …)`, to select from. */
export function rowsOf(alias: string, columns: ColumnTypes, rows: readonly object[]): RawBuilder<unknown> {
  const shape = Object.entries(columns).map(([name, type]) => `${name} ${type}`);
  return sql`json_to_recordset(${JSON.stringify(rows)}::json) as ${sql.raw(`${alias}(${shape.join(", ")})`)}`;
}

/** The statement that inserts rows into one table; null when there are none. */
export type Insert = RawBuilder<unknown> | null;

/** Inserts the rows; columns that a row leaves out are null. */
export const insertRows = (db: Db, table: keyof Tables, columns: ColumnTypes, rows: readonly object[]): Promise<void> =>
  runInserts(db, [insertOf(table, columns, rows)]);

/** Runs the statements as one: a round trip takes longer than inserting a few rows. */
export async function runInserts(db: Db, inserts: Insert[]): Promise<void> {
  const statements = inserts.filter((insert) => insert !== null);
  const last = statements.pop();
  if (!last) return;
  const before = statements.map((insert, index) => sql`${sql.raw(`insert_${index}`)} as (${insert})`);
  await (before.length > 0 ? sql`with ${sql.join(before)} ${last}` : last).execute(db);
}

export function insertOf(table: keyof Tables, columns: ColumnTypes, rows: readonly object[]): Insert {
  if (rows.length === 0) return null;
  const all = rows as readonly JsonObject[];
  const names = Object.keys(columns);
  const { constant = [], varying = [] } = Object.groupBy(names, (name) =>
    // The first column stays in the recordset, which also gives the number of rows.
    name !== names[0] && isConstant(all, name) ? "constant" : "varying",
  );
  const typeOf = (name: string) => columns[name]!;
  const source = rowsOf(
    "r",
    Object.fromEntries(varying.map((name) => [name, typeOf(name)])),
    all.map((row) => pick(row, varying)),
  );
  const into = sql.raw([...varying, ...constant].join(", "));
  const values = [
    ...varying.map((name) => sql`r.${sql.raw(name)}`),
    ...constant.map((name) => sql`${parameterOf(all[0]![name], typeOf(name))}::${sql.raw(typeOf(name))}`),
  ];
  return sql`insert into ${sql.table(table)} (${into}) select ${sql.join(values)} from ${source}`;
}

function pick(row: JsonObject, names: string[]): JsonObject {
  const picked: JsonObject = {};
  for (const name of names) picked[name] = row[name];
  return picked;
}

/** Whether the column has the same value in all rows; the comparison ends at the first row that differs. */
function isConstant(rows: readonly JsonObject[], name: string): boolean {
  const first = rows[0]![name] ?? null;
  if (first === null || typeof first !== "object") return rows.every((row) => (row[name] ?? null) === first);
  const text = JSON.stringify(first);
  // Comparing long values takes longer than passing them several times.
  const isLong = text.length > 200;
  return rows.every((row) => row[name] === first || (!isLong && JSON.stringify(row[name]) === text));
}

/** The constant as a parameter that PostgreSQL reads as the same value as it would read out of the recordset. */
function parameterOf(value: unknown, type: string): unknown {
  if (value === undefined || value === null) return null;
  if (type === "jsonb" || type === "json") return JSON.stringify(value);
  if (value instanceof Date) return value.toISOString();
  return Array.isArray(value) ? value.map((item) => parameterOf(item, type.slice(0, -2))) : value;
}
