// What is shown of a source: the parts of its address, its rate, and what to do about an error.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Source } from "@tidings/contract";
import { placeOf, readAddress } from "../src/screens/sources/address.ts";
import { addSamples, type Samples } from "../src/screens/sources/samples.ts";
import { adviceFor, formatCount, formatRate } from "../src/screens/sources/words.ts";

test("the parts of an address are read, those that are incomplete or no address are not", () => {
  const shop = { host: "db.example.com", port: 5_432, database: "shop", user: "tidings" };
  assert.deepEqual(readAddress("postgresql://tidings:se%23ret@db.example.com/shop"), shop);
  assert.deepEqual(readAddress(" postgres://tidings@db.example.com:5432/shop?sslmode=require "), shop);
  assert.equal(placeOf(shop), "tidings@db.example.com/shop");
  const other = readAddress("postgresql://a%40b:x@[::1]:6432/a%20b")!;
  assert.equal(placeOf(other), "a@b@[::1]:6432/a b");
  assert.equal(placeOf({}), undefined);
  const bad = [
    "",
    "postgresql://",
    "https://a:b@c/d",
    "postgresql://a:b@c",
    "postgresql://c/d",
    "postgresql://a:b#c@d/e",
  ];
  for (const text of [...bad, "postgresql://a%zz:b@c/d"]) assert.equal(readAddress(text), undefined, text);
});

test("a rate needs two reads that are far enough apart, and is never negative", () => {
  const sourceWith = (accepted: number) => ({ id: "a", accepted, waiting: 0, lagSeconds: 0 }) as Source;
  let samples: Samples = new Map();
  const rateAfter = (accepted: number, at: number) => {
    samples = addSamples(samples, [sourceWith(accepted)], at);
    return samples.get("a")!.at(-1)!.rate;
  };
  assert.equal(rateAfter(100, 1_000), undefined);
  assert.equal(rateAfter(130, 4_000), 10);
  assert.equal(rateAfter(500, 4_200), 10);
  assert.equal(rateAfter(130, 7_000), 0);
  assert.equal(rateAfter(0, 10_000), 0);
  for (let at = 20_000; at < 1_000_000; at += 3_000) rateAfter(0, at);
  assert.equal(samples.get("a")!.length, 200);
  assert.equal(addSamples(samples, [], 0).size, 0);
});

test("figures are short", () => {
  assert.deepEqual([formatRate(undefined), formatRate(0.25), formatRate(1_234.5)], ["–", "0.3/s", "1,235/s"]);
  assert.deepEqual([formatCount(9_999), formatCount(10_000)], ["9,999", "10,000+"]);
});

test("an error comes with what to do", () => {
  const cases: [string, RegExp][] = [
    ['password authentication failed for user "relay"', /enter its current address/],
    ['relation "tidings.outbox" does not exist', /outbox install/],
    ["permission denied for table outbox", /grant them/],
    ["cannot execute DELETE in a read-only transaction", /primary/],
    ['database "shop" does not exist', /that exist/],
    ["sorry, too many clients already", /no free connection/],
    ["connect ECONNREFUSED 127.0.0.1:5432", /firewall/],
  ];
  for (const [error, expected] of cases) assert.match(adviceFor(error), expected);
});
