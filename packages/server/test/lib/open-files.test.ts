import assert from "node:assert/strict";
import { test } from "node:test";
import { findFileShortage, readOpenFileLimit } from "../../src/lib/open-files.ts";

const limitsWith = (soft: string) =>
  `Limit                     Soft Limit           Hard Limit           Units     \nMax processes             95000                95000                processes \nMax open files            ${soft.padEnd(21)}1048576              files     \n`;

test("the soft limit of open files is compared with the live connections and what else is open", () => {
  assert.equal(readOpenFileLimit(limitsWith("20000")), 20_000);
  assert.deepEqual(findFileShortage(limitsWith("20000"), 20_000), { limit: 20_000, needed: 21_000 });
  assert.equal(findFileShortage(limitsWith("1048576"), 20_000), null);
  assert.equal(findFileShortage(limitsWith("unlimited"), 20_000), null);
  assert.equal(findFileShortage("", 20_000), null, "where the file is not there");
});
