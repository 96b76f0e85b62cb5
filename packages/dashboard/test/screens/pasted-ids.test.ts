// Ids of subscribers out of pasted text and out of CSV files, as the people of a list are added.
import assert from "node:assert/strict";
import { test } from "node:test";
import { idsIn, idsInCsv, isText } from "../../src/subscribers/pasted-ids.ts";

test("ids are found in a column, in a list in code and in a sentence, each once", () => {
  assert.deepEqual(idsIn('user-1, "user-2"\nuser-2 nobody'), ["user-1", "user-2", "nobody"]);
  assert.deepEqual(idsIn("'a', 'b';"), ["a", "b"]);
  assert.deepEqual(idsIn(" \n ,; "), []);
});

test("a CSV file gives the column that is named like an id, whatever separates its cells", () => {
  const semicolons = '\uFEFFName;Subscriber ID\r\n"Bob; the 4th";user-4\r\nCleo;user-5\r\n';
  assert.deepEqual(idsInCsv(semicolons), { ids: ["user-4", "user-5"], column: "Subscriber ID" });
  assert.deepEqual(idsInCsv("name\tuser_id\nAda\t1\nBob\t2\nBob\t2"), { ids: ["1", "2"], column: "user_id" });
  assert.deepEqual(idsInCsv('id,name\n"a ""b""",x'), { ids: ['a "b"'], column: "id" });
});

test("without such a column, the ids are those of the first one", () => {
  assert.deepEqual(idsInCsv("ada,1\ngrace,2\n\n"), { ids: ["ada", "grace"], column: null });
  assert.deepEqual(idsInCsv(""), { ids: [], column: null });
});

test("a picture and a spreadsheet are not text", () => {
  const picture = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 0xff]).toString("utf8");
  assert.equal(isText(picture), false);
  assert.equal(isText("PK\u0003\u0004\0\0"), false);
  assert.equal(isText("Käthe;7"), true);
});
