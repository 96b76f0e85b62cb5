// What the list of API keys says about each, at the borders.
import assert from "node:assert/strict";
import { test } from "node:test";
import { notesOf, scopeText } from "../src/screens/environments/keys/key-notes.ts";

const now = Date.parse("2030-06-01T12:00:00.000Z");
const dayMs = 86_400_000;
const inDays = (days: number): string => new Date(now + days * dayMs).toISOString();
const clock = { now, formatDay: (iso: string) => iso.slice(0, 10) };
const say = (key: Parameters<typeof notesOf>[0]): string[] => notesOf(key, clock).map(({ sentence }) => sentence);

test("a young key in use needs no attention", () => {
  assert.deepEqual(say({ createdAt: inDays(-365), lastUsedAt: inDays(-89.9), expiresAt: null }), []);
  assert.deepEqual(say({ createdAt: inDays(-29.9), lastUsedAt: null, expiresAt: inDays(14.1) }), []);
});

test("each border adds its sentence", () => {
  const unused = "It has not been used for 90 days. Revoke it if nothing needs it.";
  assert.deepEqual(say({ createdAt: inDays(-100), lastUsedAt: inDays(-90), expiresAt: null }), [unused]);
  const never = "It was created 30 days ago and has never been used.";
  assert.deepEqual(say({ createdAt: inDays(-30), lastUsedAt: null, expiresAt: null }), [never]);
  const old = "It is more than a year old. Replace it with a new one.";
  assert.deepEqual(say({ createdAt: inDays(-366), lastUsedAt: inDays(0), expiresAt: null }), [old]);
  const expiring = (days: number) => say({ createdAt: inDays(-1), lastUsedAt: inDays(0), expiresAt: inDays(days) });
  assert.deepEqual(expiring(14), ["It expires in 14 days."]);
  assert.deepEqual(expiring(1.5), ["It expires in 1 day."]);
  assert.deepEqual(expiring(0.5), ["It expires within a day."]);
});

test("an expired key says only that it is refused", () => {
  const [note, ...others] = notesOf({ createdAt: inDays(-500), lastUsedAt: null, expiresAt: inDays(0) }, clock);
  assert.equal(note!.sentence, "It expired on 2030-06-01 and is refused.");
  assert.equal(note!.tone, "bad");
  assert.deepEqual(others, []);
});

test("what a key may do, in a few words", () => {
  assert.equal(scopeText({}), "Everything");
  assert.equal(scopeText({ scope: "send" }), "Send only");
  assert.equal(scopeText({ scope: "operations", operations: ["workflows.list"] }), "1 operation");
});
