import assert from "node:assert/strict";
import { test } from "node:test";
import { normalizeAddress } from "../../src/lib/addresses.ts";

const spellings: [string, string[]][] = [
  [
    "ada@example.com",
    ["ada@example.com", " Ada@EXAMPLE.com ", "Ada Lovelace <ADA@example.com>", '"<Ada>" < ada@example.com >'],
  ],
  ["ada@bücher.example", ["ada@bücher.example", "ada@BÜCHER.example", "ada@xn--bcher-kva.example"]],
  ["ada@[127.0.0.1]", ["Ada@[127.0.0.1]"]],
  ["+491701234567", ["+491701234567", "+49 (170) 123-45.67", "+49\u2011170\u00a0123\u20134567"]],
  ["", ["", " "]],
];

for (const [one, written] of spellings) {
  test(`one spelling: ${one}`, () => {
    for (const text of written) assert.equal(normalizeAddress(text), one, text);
    assert.equal(normalizeAddress(one), one, "it stays");
  });
}
