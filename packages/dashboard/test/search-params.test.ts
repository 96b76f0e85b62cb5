// What addresses of screens carry: what does not fit is left out.
import assert from "node:assert/strict";
import { test } from "node:test";
import { choiceParam, pageParam, present, textParam } from "../src/kit/search-params.ts";
import { readSettingsSearch } from "../src/screens/settings/search.ts";
import { readTopicsSearch } from "../src/screens/topics/search.ts";

test("a parameter is read, or left out where it does not fit", () => {
  assert.equal(textParam("a"), "a");
  assert.equal(textParam(4711), "4711");
  assert.equal(textParam(""), undefined);
  assert.equal(textParam({}), undefined);
  assert.equal(textParam("abc", 2), "ab");
  assert.equal(choiceParam("b", ["a", "b"]), "b");
  assert.equal(choiceParam("c", ["a", "b"]), undefined);
  assert.deepEqual([3, 0, -1, 1.5, "2"].map(pageParam), [3, undefined, undefined, undefined, undefined]);
  assert.deepEqual(Object.keys(present({ a: 1, b: undefined })), ["a"]);
});

test("an address with wrong parameters is read as one without them", () => {
  assert.deepEqual(readTopicsSearch({ tab: "nothing", q: "", channel: "email", reason: "x" }), { channel: "email" });
  assert.deepEqual(readSettingsSearch({ range: "7d", from: "2026-11-01" }), { range: "7d" });
  assert.deepEqual(readSettingsSearch({ range: "custom", from: "2026-11-01", to: "2026-13-01" }), {
    range: "custom",
    from: "2026-11-01",
  });
});
