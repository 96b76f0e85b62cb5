import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "@tidings/testkit/properties";
import { detectSeparator, readCsv, restoreCell, writeCsvRow } from "../../../src/lib/text/csv.ts";

const read = (text: string) => [...readCsv(text, detectSeparator(text))].map(({ line, cells }) => [line, ...cells]);

for (const [name, text, expected] of [
  [
    "plain lines",
    "a,b\n1,2\n",
    [
      [1, "a", "b"],
      [2, "1", "2"],
    ],
  ],
  [
    "CRLF, and no break at the end",
    "a,b\r\n1,2",
    [
      [1, "a", "b"],
      [2, "1", "2"],
    ],
  ],
  [
    "CR alone",
    "a\r1",
    [
      [1, "a"],
      [2, "1"],
    ],
  ],
  [
    "a byte order mark",
    "\uFEFFa\n1",
    [
      [1, "a"],
      [2, "1"],
    ],
  ],
  [
    "semicolons",
    "a;b\n1,5;2",
    [
      [1, "a", "b"],
      [2, "1,5", "2"],
    ],
  ],
  [
    "tabs",
    "a\tb\n1\t2",
    [
      [1, "a", "b"],
      [2, "1", "2"],
    ],
  ],
  [
    "quotes with separators, breaks and quotes in them",
    'a,b\n"x,\r\n""y""",2\n3,4',
    [
      [1, "a", "b"],
      [2, 'x,\r\n"y"', "2"],
      [4, "3", "4"],
    ],
  ],
  [
    "a separator in a quoted header",
    '"a;b;c",d\n1,2',
    [
      [1, "a;b;c", "d"],
      [2, "1", "2"],
    ],
  ],
  [
    "empty cells at both ends",
    "a,b,c\n,x,\n",
    [
      [1, "a", "b", "c"],
      [2, "", "x", ""],
    ],
  ],
  [
    "a separator as the last sign",
    "a,b\n1,",
    [
      [1, "a", "b"],
      [2, "1", ""],
    ],
  ],
  [
    "empty lines",
    "\n\na\n\n \n1\n,\n",
    [
      [3, "a"],
      [6, "1"],
    ],
  ],
  [
    "signs behind a quote",
    'a\n"b"c',
    [
      [1, "a"],
      [2, "bc"],
    ],
  ],
  [
    "a quote inside a cell",
    'a\n5" pipe',
    [
      [1, "a"],
      [2, '5" pipe'],
    ],
  ],
  ["nothing", "", []],
] as [string, string, unknown[][]][]) {
  test(`CSV with ${name}`, () => assert.deepEqual(read(text), expected));
}

test("a quote that is not closed ends with the text, and is told", () => {
  assert.deepEqual(
    [...readCsv('a\n"b\nc', ",")],
    [
      { line: 1, cells: ["a"] },
      { line: 2, cells: ["b\nc"], isOpen: true },
    ],
  );
});

for (const [cell, written] of [
  ["=SUM(A1)", "'=SUM(A1)"],
  ["+49 151", "'+49 151"],
  ["-1", "'-1"],
  ["@me", "'@me"],
  ["\t=1", "\t'=1"],
  ["'=1", "''=1"],
  [" =1", "' =1"],
  ["\u200b\u00a0=1", "'\u200b\u00a0=1"],
  ["\uff1d1", "'\uff1d1"],
  ["\uff0b1", "'\uff0b1"],
  ["\uff0d1", "'\uff0d1"],
  ["\uff20x", "'\uff20x"],
  ["a;=1", "a;'=1"],
  ["a\t+1", "a\t'+1"],
  ["a\n=1", "a\n'=1"],
  ["a\r\n -1", "a\r\n' -1"],
  ['a;"=1', 'a;\'""=1'],
  ["=1;=2\n=3", "'=1;'=2\n'=3"],
  ["a=1", "a=1"],
  ["a-b, c@d", "a-b, c@d"],
  ["O'Neil", "O'Neil"],
  ['say "hi"', 'say ""hi""'],
  ["", ""],
]) {
  test(`the cell ${JSON.stringify(cell)} is written in quotes and without a formula`, () => {
    assert.equal(writeCsvRow([cell!]), `"${written}"\r\n`);
    assert.equal(restoreCell([...readCsv(writeCsvRow(["x", cell!]), ",")][0]!.cells[1]!), cell);
  });
}

const hostileCell = fc.string({ unit: fc.constantFrom(..."ab1=+-@'\"\t\r\n,; ü\uff1d\u200b") });

test("no cell is a formula, whatever separator a spreadsheet expects", () => {
  const rows = fc.array(fc.array(hostileCell, { minLength: 1, maxLength: 4 }), { maxLength: 5 });
  const written = fc.property(rows, (given) => {
    const text = given.map(writeCsvRow).join("");
    for (const separator of [",", ";", "\t"] as const)
      for (const { cells } of readCsv(text, separator))
        for (const cell of cells) assert.doesNotMatch(cell, /^[\s\u200b]*[=+\-@\uff1d]/);
  });
  fc.assert(written, { numRuns: 1_000 });
});

test("what is written is read again, whatever the cells contain", () => {
  const rows = fc.array(fc.array(hostileCell, { minLength: 2, maxLength: 4 }), { maxLength: 5 });
  fc.assert(
    fc.property(rows, (given) => {
      const text = `h1,h2\r\n${given.map(writeCsvRow).join("")}`;
      const back = [...readCsv(text, ",")].slice(1).map(({ cells }) => cells.map(restoreCell));
      assert.deepEqual(
        back,
        // Empty lines are left out.
        given.filter((cells) => cells.some((one) => one.trim() !== "")),
      );
    }),
  );
});

test("any text is read to its end", () => {
  const text = fc.string({ unit: fc.constantFrom(...'a,;"\r\n\t'), maxLength: 40 });
  fc.assert(
    fc.property(text, (given) => {
      for (const { line, cells } of readCsv(given, detectSeparator(given))) assert.ok(line >= 1 && cells.length > 0);
    }),
  );
});
