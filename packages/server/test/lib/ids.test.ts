import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "@tidings/testkit/properties";
import {
  base62ToId,
  firstIdAt,
  idFromSlug,
  idToBase62,
  isUuid,
  kebab,
  newId,
  randomText,
  slug,
} from "../../src/lib/ids.ts";

test("ids are version 7, strictly increasing and never the same", () => {
  const ids = Array.from({ length: 50_000 }, newId);
  for (const [index, id] of ids.entries()) {
    assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    if (index > 0) assert.ok(ids[index - 1]! < id);
  }
  assert.equal(new Set(ids).size, ids.length);
});

test("ids stay in order when the clock goes back", (context) => {
  context.mock.timers.enable({ apis: ["Date"], now: Date.now() + 1_000 });
  const before = newId();
  context.mock.timers.setTime(Date.now() - 60_000);
  assert.ok(before < newId());
});

test("an id made at a moment lies at or behind the first id of that moment", () => {
  const before = firstIdAt(new Date());
  const id = newId();
  assert.ok(before < id);
  const moment = fc.date({ min: new Date(0), max: new Date("9999-12-31T23:59:59.999Z"), noInvalidDate: true });
  fc.assert(
    fc.property(moment, moment, (a, b) => {
      assert.equal(Math.sign(a.getTime() - b.getTime()), compare(firstIdAt(a), firstIdAt(b)));
      assert.ok(isUuid(firstIdAt(a)));
    }),
  );
});

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

test("base 62 is a round trip of 22 characters for every id", () => {
  fc.assert(
    fc.property(fc.uuid(), (id) => {
      const text = idToBase62(id);
      assert.match(text, /^[0-9A-Za-z]{22}$/);
      assert.equal(base62ToId(text), id);
    }),
  );
  for (const id of ["00000000-0000-0000-0000-000000000000", "ffffffff-ffff-ffff-ffff-ffffffffffff"]) {
    assert.equal(base62ToId(idToBase62(id)), id);
  }
});

test("what is no id in base 62 reads as none", () => {
  const texts = ["", "short", "z".repeat(22), "0".repeat(21), "0".repeat(23), `${"0".repeat(21)}-`, "ä".repeat(22)];
  for (const text of texts) assert.equal(base62ToId(text), null, text);
});

test("base 62 keeps the order of ids", () => {
  fc.assert(fc.property(fc.uuid(), fc.uuid(), (a, b) => compare(a, b) === compare(idToBase62(a), idToBase62(b))));
});

test("slugs are readable, and only their tail is read back", () => {
  const id = newId();
  const table: [name: string, start: string][] = [
    ["Order shipped", "order-shipped_wf_"],
    ["  Größe & Maß  ", "grosse-mass_wf_"],
    ["Crème brûlée", "creme-brulee_wf_"],
    ["日本", "untitled_wf_"],
    ["", "untitled_wf_"],
    ["a_wf_b", "a-wf-b_wf_"],
    ["New InApp Step", "new-in-app-step_wf_"],
    ["orderShippedSMS", "order-shipped-sms_wf_"],
    ["parseXMLFile", "parse-xml-file_wf_"],
    ["Step2Email", "step2-email_wf_"],
    ["SMS, APIs, 2FA", "sms-apis-2fa_wf_"],
  ];
  for (const [name, start] of table) {
    const text = slug(name, "wf", id);
    assert.ok(text.startsWith(start), text);
    assert.equal(idFromSlug(text, "wf"), id);
    assert.equal(idFromSlug(text, "st"), null);
  }
  assert.equal(idFromSlug(`renamed-since_wf_${idToBase62(id)}`, "wf"), id);
  assert.equal(idFromSlug("plain-identifier", "wf"), null);
  assert.equal(idFromSlug("a_wf_b", "wf"), null);
});

test("any name makes a slug that leads back", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), fc.uuid(), (name, id) => {
      const text = slug(name, "env", id);
      assert.match(text, /^[a-z0-9]+(-[a-z0-9]+)*_env_[0-9A-Za-z]{22}$/);
      assert.equal(idFromSlug(text, "env"), id);
      assert.equal(kebab(kebab(name)), kebab(name));
    }),
  );
});

test("only lower-case ids with hyphens are looked up", () => {
  assert.ok(isUuid(newId()));
  for (const text of ["", "x", newId().toUpperCase(), newId().replaceAll("-", ""), `${newId()} `, `\n${newId()}`]) {
    assert.equal(isUuid(text), false, JSON.stringify(text));
  }
});

test("random texts have the length asked for and differ", () => {
  const texts = Array.from({ length: 1_000 }, () => randomText(12));
  for (const text of texts) assert.match(text, /^[a-z0-9]{12}$/);
  assert.equal(new Set(texts).size, texts.length);
});
