import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "@tidings/testkit/properties";
import {
  type Bump,
  bumpVersion,
  compareVersions,
  formatVersion,
  imageTags,
  parseVersion,
  type Version,
} from "../../../../scripts/release/version.ts";

const version = (text: string): Version => {
  const parsed = parseVersion(text);
  assert.ok(parsed, text);
  return parsed;
};

test("a version is three numbers and perhaps a prerelease", () => {
  for (const text of ["0.1.0", "10.20.30", "1.0.0-rc.1", "1.0.0-alpha", "1.0.0-0.3.7", "1.0.0-x-y.1a"])
    assert.equal(formatVersion(version(text)), text);
  for (const text of [
    "",
    "1",
    "1.2",
    "v1.2.3",
    "1.2.3.4",
    "01.2.3",
    "1.2.3-",
    "1.2.3-01",
    "1.2.3+5",
    "1.2.x",
    " 1.2.3",
  ])
    assert.equal(parseVersion(text), null, text);
});

test("versions are ordered as Semantic Versioning does it", () => {
  const ordered = [
    ...["0.1.0", "0.1.1", "0.2.0", "0.10.0", "1.0.0-alpha", "1.0.0-alpha.1", "1.0.0-alpha.beta", "1.0.0-beta"],
    ...["1.0.0-beta.2", "1.0.0-beta.11", "1.0.0-rc.1", "1.0.0", "1.0.1", "2.0.0-0", "2.0.0"],
  ];
  for (const [left, a] of ordered.entries())
    for (const [right, b] of ordered.entries())
      assert.equal(Math.sign(compareVersions(version(a), version(b))), Math.sign(left - right), `${a} and ${b}`);
});

const nextVersions: [from: string, bump: Bump, to: string][] = [
  ["0.1.0", "patch", "0.1.1"],
  ["0.1.9", "minor", "0.2.0"],
  ["0.9.3", "major", "1.0.0"],
  ["1.2.3", "patch", "1.2.4"],
  ["1.2.3", "minor", "1.3.0"],
  ["1.2.3", "major", "2.0.0"],
  ["1.3.0-rc.1", "patch", "1.3.0"],
  ["1.3.0-rc.1", "minor", "1.3.0"],
  ["1.3.0-rc.1", "major", "2.0.0"],
  ["1.2.4-rc.1", "minor", "1.3.0"],
  ["2.0.0-beta", "major", "2.0.0"],
];

for (const [from, bump, to] of nextVersions) {
  test(`the ${bump} version after ${from} is ${to}`, () => {
    assert.equal(formatVersion(bumpVersion(version(from), bump)), to);
  });
}

test("a bump is always higher", () => {
  const number = fc.nat({ max: 20 });
  const any = fc.record({
    major: number,
    minor: number,
    patch: number,
    prerelease: fc.constantFrom<string[]>([], ["rc", "1"]),
  });
  fc.assert(
    fc.property(any, fc.constantFrom<Bump>("major", "minor", "patch"), (from, bump) => {
      assert.ok(compareVersions(bumpVersion(from, bump), from) > 0);
    }),
  );
});

const tagged: [version: string, released: string[], tags: string[]][] = [
  ["0.1.0", [], ["0.1.0", "0.1", "0", "latest"]],
  ["1.3.0", ["1.2.9", "0.9.0"], ["1.3.0", "1.3", "1", "latest"]],
  ["1.3.0", ["1.3.0", "1.2.9"], ["1.3.0", "1.3", "1", "latest"]],
  ["1.2.10", ["1.2.9", "1.3.0"], ["1.2.10", "1.2"]],
  ["1.3.1", ["1.3.0", "2.0.0"], ["1.3.1", "1.3", "1"]],
  ["1.2.8", ["1.2.9"], ["1.2.8"]],
  ["1.4.0", ["1.3.0", "2.0.0-rc.1"], ["1.4.0", "1.4", "1", "latest"]],
  ["1.4.0-rc.1", ["1.3.0"], ["1.4.0-rc.1"]],
];

for (const [text, released, tags] of tagged) {
  test(`the image ${text} after ${released.join(", ") || "nothing"} gets ${tags.join(", ")}`, () => {
    assert.deepEqual(imageTags(version(text), released.map(version)), tags);
  });
}
