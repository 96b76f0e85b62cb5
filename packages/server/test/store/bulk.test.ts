// insertRows passes values that are equal in all rows once: the rows in the table are the same as with every value in the JSON.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { sql } from "kysely";
import { insertRows } from "../../src/store/bulk.ts";
import { openDb } from "../../src/store/db.ts";
import type { Tables } from "../../src/store/tables.ts";
import { atEnd } from "../support/at-end.ts";
import { createTestDatabase } from "../support/database.ts";

const database = await createTestDatabase({ isEmpty: true });
const db = openDb({ url: database.url, poolSize: 1, onError: () => {} });
atEnd(async () => {
  await db.destroy();
  await database.drop();
});

const columns = {
  n: "integer",
  flag: "boolean",
  word: "text",
  at: "timestamptz",
  value: "jsonb",
  words: "text[]",
  times: "timestamptz[]",
};
await sql`create table samples (n integer, flag boolean, word text, at timestamptz, value jsonb, words text[],
  times timestamptz[])`.execute(db);

const moment = new Date("2026-03-29T01:30:00.123Z");
/** Few values, so that columns are often the same in all rows. */
const sample = fc.record({
  n: fc.constantFrom(1, 2),
  flag: fc.constantFrom(true, null),
  word: fc.constantFrom("it's", 'a "quoted" \\ word', "", null, undefined),
  at: fc.constantFrom(moment, new Date(0), null),
  value: fc.constantFrom({ a: [1, "x"] }, "text", 5, false, [], null),
  words: fc.constantFrom(["a", 'b,"{}'], [], null),
  times: fc.constantFrom([moment], [], null),
});

test("every value arrives as it was given, whether it varies or not", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(sample, { minLength: 1, maxLength: 3 }), async (rows) => {
      await sql`truncate samples`.execute(db);
      await insertRows(db, "samples" as keyof Tables, columns, rows);
      const { rows: stored } = await sql`select * from samples`.execute(db);
      const key = (row: object) => JSON.stringify(row);
      const expected = rows.map((row) => ({ ...row, word: row.word ?? null }));
      assert.deepEqual(stored.map((row) => key(row as object)).sort(), expected.map(key).sort());
    }),
    { numRuns: 60 },
  );
});
