// insertRows copies rows into their tables: every value arrives as it was given, and an error leaves the connection
// usable.
import assert from "node:assert/strict";
import { test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import { atEnd } from "@tidings/testkit/at-end";
import { createTestDatabase } from "@tidings/testkit/database";
import fc from "@tidings/testkit/properties";
import { sql } from "kysely";
import { insertRows, runInserts } from "../../src/store/bulk.ts";
import { inTransaction, openDb } from "../../src/store/db.ts";
import type { Tables } from "../../src/store/tables.ts";

const database = await createTestDatabase({ isEmpty: true });
// One connection: what an error leaves behind on it would disturb the next statement.
const db = openDb({ url: database.url, poolSize: 1, onError: () => {} });
atEnd(async () => {
  await db.destroy();
  await database.drop();
});

const columns = {
  id: "uuid",
  n: "integer",
  small: "smallint",
  flag: "boolean",
  word: "text",
  at: "timestamptz",
  value: "jsonb",
  words: "text[]",
  times: "timestamptz[]",
};
await sql`create table samples (id uuid, n integer, small smallint, flag boolean, word text, at timestamptz, value jsonb, words text[],
  times timestamptz[])`.execute(db);
await sql`create table others (n integer primary key)`.execute(db);
const samples = "samples" as keyof Tables;
const others = "others" as keyof Tables;
const numbersIn = async (table: string): Promise<number[]> => {
  const { rows } = await sql<{ n: number }>`select n from ${sql.table(table)} order by n`.execute(db);
  return rows.map(({ n }) => n);
};
const clear = () => sql`truncate samples, others`.execute(db);

/** No NUL and no half of a surrogate pair, which no text in PostgreSQL can hold. */
const text = fc
  .oneof(
    fc.string({ unit: "binary" }),
    fc.constantFrom("\\N", "\\.", "a\tb\nc\rd", 'a "quoted" \\ word', "null", "{}", ""),
  )
  .filter((value) => value.isWellFormed() && !value.includes("\0"));
const time = fc.date({ min: new Date("0001-01-01"), max: new Date("9999-12-31"), noInvalidDate: true });
const orNull = <T>(values: fc.Arbitrary<T>) => fc.option(values, { nil: null });
const sample = fc.record({
  id: orNull(fc.uuid()),
  n: fc.integer(),
  small: orNull(fc.integer({ min: -32_768, max: 32_767 })),
  flag: orNull(fc.boolean()),
  word: fc.option(text, { nil: undefined }),
  at: orNull(time),
  value: orNull(fc.oneof(text, fc.integer(), fc.boolean(), fc.dictionary(text, text), fc.array(text))),
  words: orNull(fc.array(text)),
  times: orNull(fc.array(time)),
});

test("every value arrives as it was given", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(sample, { minLength: 1, maxLength: 4 }), async (rows) => {
      await clear();
      await insertRows(db, samples, columns, rows);
      const { rows: stored } = await sql`select * from samples`.execute(db);
      const expected = rows.map((row) => ({ ...row, word: row.word ?? null }));
      // jsonb keeps the members of an object in its own order; the prototype of a record of fast-check is null.
      assert.deepEqual(stored, structuredClone(expected));
    }),
    { numRuns: 100 },
  );
});

test("several tables are written in one statement, those without rows left out", async () => {
  const numbers = { n: "integer" };
  await clear();
  await runInserts(db, [
    { table: others, columns: numbers, rows: [{ n: 1 }, { n: 2 }] },
    { table: samples, columns: numbers, rows: [] },
    { table: samples, columns: numbers, rows: [{ n: 3 }] },
  ]);
  assert.deepEqual([await numbersIn("others"), await numbersIn("samples")], [[1, 2], [3]]);
});

for (const [what, place] of [
  ["the first table", 0],
  ["the last table", 1],
] as const) {
  test(`an error in ${what} writes nothing, and the connection can be used again`, async () => {
    const numbers = { n: "integer" };
    await clear();
    const good = { table: samples, columns: numbers, rows: [{ n: 1 }] };
    const bad = { table: others, columns: numbers, rows: [{ n: 2 }, { n: 2 }] };
    const inserts = place === 0 ? [bad, good] : [good, bad];
    await assert.rejects(
      inTransaction(db, (tx) => runInserts(tx, inserts)),
      { code: "23505" },
    );
    assert.deepEqual([await numbersIn("others"), await numbersIn("samples")], [[], []]);
    await runInserts(db, [good]);
    assert.deepEqual(await numbersIn("samples"), [1]);
  });
}

test("a text that PostgreSQL cannot store is refused", async () => {
  await assert.rejects(insertRows(db, samples, { word: "text" }, [{ word: "a\0b" }]), { code: "22021" });
});

/** An error of the service, not one of PostgreSQL. */
const isOurs = (error: Error & { code?: string }): boolean => !error.code;

test("rows that are sent in several pieces all arrive", async () => {
  await clear();
  const rows = Array.from({ length: 3_000 }, (_, n) => ({ n, word: `${n} `.repeat(n % 100) }));
  await insertRows(db, samples, { n: "integer", word: "text" }, rows);
  const { rows: stored } = await sql`select n, word from samples order by n`.execute(db);
  assert.ok(isDeepStrictEqual(stored, rows));
});

test("a value that does not fit, behind pieces that were sent, undoes them, and the connection can be used again", async () => {
  await clear();
  const long = "x".repeat(1_000);
  const rows = Array.from({ length: 1_000 }, (_, n) => ({ n: n === 900 ? 2 ** 31 : n, word: long }));
  const columns = { n: "integer", word: "text" };
  const inserts = [
    { table: others, columns: { n: "integer" }, rows: [{ n: 1 }] },
    { table: samples, columns, rows },
  ];
  await assert.rejects(
    inTransaction(db, (tx) => runInserts(tx, inserts)),
    isOurs,
  );
  assert.deepEqual([await numbersIn("others"), await numbersIn("samples")], [[], []]);
  await insertRows(db, samples, columns, [{ n: 1, word: long }]);
  assert.deepEqual(await numbersIn("samples"), [1]);
});

for (const [type, value] of [
  ["uuid", "01a1e36a-a3db-7000-8d36-17f03324492"],
  ["uuid", "01a1e36a-a3db-7000-8d36-17f03324492g"],
  ["uuid", "01a1e36a-a3db-7000-8d36-17f03324492é"],
  ["smallint", 32_768],
  ["integer", 2 ** 31],
  ["integer", 1.5],
  ["timestamptz", new Date(Number.NaN)],
  ["numeric", 1],
] as const) {
  test(`${type}: ${value} is refused before anything is sent`, async () => {
    await assert.rejects(insertRows(db, samples, { n: type }, [{ n: value }]), isOurs);
  });
}
