import assert from "node:assert/strict";
import { test } from "node:test";
import { foldAddress, normalizeAddress } from "../../src/lib/addresses.ts";

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

test("addresses of people are folded in ASCII letters only", () => {
  assert.equal(foldAddress(" Kim@Example.COM "), "kim@example.com");
  assert.equal(foldAddress("ÄDA@example.com"), "Äda@example.com");
  for (const lookAlike of [
    "\u212aim@example.com",
    "k\u0130m@example.com",
    "k\u0131m@example.com",
    "\uff4bim@example.com",
  ])
    assert.notEqual(foldAddress(lookAlike), "kim@example.com", lookAlike);
});
