// What a live inbox sends to its connections: pure rules, with readings that see messages in any order.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "@tidings/testkit/properties";
import { firstIdAt, newId } from "../../../src/lib/ids.ts";
import { compare, timeOfReading, toTold, windowStart } from "../../../src/pipeline/live/inbox.ts";
import { readResumeToken, writeResumeToken } from "../../../src/pipeline/live/resume-token.ts";
import type { InboxState } from "../../../src/store/messages/live.batch.ts";

const now = new Date("2026-01-31T12:00:00Z");
const at = (seconds: number) => new Date(now.getTime() + seconds * 1_000);
/** A message created at this second; `n` distinguishes those of the same second. */
const idAt = (seconds: number, n = 0) =>
  `${firstIdAt(at(seconds)).slice(0, 14)}7${String(n).padStart(3, "0")}-8000-0000${newId().slice(28)}`;

const stateOf = (recent: [string, number][], more: Partial<InboxState> = {}): InboxState => ({
  subscriber: {} as InboxState["subscriber"],
  now,
  total: recent.length,
  unread: { high: 0, medium: 0, low: 0, none: recent.length },
  unseen: 0,
  hasMore: false,
  changedAt: null,
  recent: new Map(recent),
  later: [],
  ...more,
});

test("messages that make room for newer ones among those that are counted are not removed", () => {
  const [a, b, c, d] = [idAt(-40), idAt(-30), idAt(-20), idAt(-10)];
  const versions = (...ids: string[]): [string, number][] => ids.map((id) => [id, 1]);
  const before = toTold(stateOf(versions(a, b, c), { hasMore: true }), at(0));
  const { added, removed } = compare(before, stateOf(versions(b, c, d), { hasMore: true }));
  assert.deepEqual([added, removed], [[d], { ids: [], count: 0 }]);
  const deleted = compare(before, stateOf(versions(a, c, d), { hasMore: true }));
  assert.deepEqual(deleted.removed, { ids: [b], count: 1 });
});

test("new, changed and removed messages are told apart", () => {
  const [a, b, c, old] = [idAt(-60), idAt(-30), idAt(-90), idAt(-3_600)];
  const before = toTold(
    stateOf(
      [
        [a, 1],
        [b, 1],
      ],
      { total: 10 },
    ),
    at(0),
  );
  const unchanged = compare(
    before,
    stateOf(
      [
        [a, 1],
        [b, 1],
      ],
      { total: 10 },
    ),
  );
  assert.deepEqual(unchanged, { added: [], changed: [], removed: { ids: [], count: 0 }, areCountsChanged: false });
  const late = compare(
    before,
    stateOf(
      [
        [c, 1],
        [a, 1],
        [b, 1],
      ],
      { total: 11 },
    ),
  );
  assert.deepEqual(
    [late.added, late.changed],
    [[c], []],
    "a message with an earlier id that was committed later is new",
  );
  assert.deepEqual(
    compare(
      before,
      stateOf(
        [
          [a, 2],
          [b, 1],
        ],
        { total: 10 },
      ),
    ).changed,
    [a],
  );
  assert.deepEqual(
    compare(
      before,
      stateOf(
        [
          [old, 1],
          [a, 1],
          [b, 1],
        ],
        { total: 10 },
      ),
    ).changed,
    [old],
  );
  assert.deepEqual(compare(before, stateOf([[a, 1]], { total: 9 })).removed, { ids: [b], count: 1 });
  assert.deepEqual(
    compare(
      before,
      stateOf(
        [
          [a, 1],
          [b, 1],
        ],
        { total: 7 },
      ),
    ).removed,
    { ids: [], count: 3 },
  );
  assert.deepEqual(
    compare(
      before,
      stateOf(
        [
          [a, 1],
          [b, 1],
        ],
        { total: 10, unseen: 4 },
      ),
    ).areCountsChanged,
    true,
  );
  assert.equal(windowStart(before), firstIdAt(at(-240)));
});

test("messages that commit in any order within a minute are each new once, though the clock of the reader moves", () => {
  const message = fc.record({ made: fc.integer({ min: 0, max: 600 }), takes: fc.integer({ min: 0, max: 60 }) });
  const reading = fc.record({
    gap: fc.integer({ min: 1, max: 50 }),
    ahead: fc.constantFrom(0, 0, -80, 97),
  });
  fc.assert(
    fc.property(fc.array(message, { maxLength: 40 }), fc.array(reading), (messages, readings) => {
      const rows = messages.map(({ made, takes }, n) => ({ id: idAt(made, n), committed: made + takes }));
      const readAs = (second: number, start: string) => {
        const visible = rows.filter(({ committed }) => committed <= second);
        const recent = visible.filter(({ id }) => id > start).map(({ id }): [string, number] => [id, 1]);
        return stateOf(recent.sort(), { total: visible.length });
      };
      let second = 0;
      const first = readAs(0, firstIdAt(at(-240)));
      let told = toTold(first, at(0));
      const sent = [...first.recent.keys()];
      for (const { gap, ahead } of [...readings, { gap: 700, ahead: 0 }]) {
        second += gap;
        const state = readAs(second, windowStart(told));
        const changes = compare(told, state);
        assert.deepEqual([changes.changed, changes.removed.count], [[], 0]);
        sent.push(...changes.added);
        told = toTold(state, timeOfReading(told, at(second + ahead)));
      }
      assert.deepEqual(sent.sort(), rows.map(({ id }) => id).sort());
    }),
  );
});

test("a clock that was ahead by hours and is corrected does not hide messages until then", () => {
  assert.deepEqual(timeOfReading({ readAt: at(3_600) }, now), now);
  assert.deepEqual(timeOfReading({ readAt: at(97) }, now), at(97));
  assert.deepEqual(timeOfReading(null, now), now);
});

test("a message of a process whose clock is two minutes slow is within the next reading", () => {
  assert.ok(idAt(-120 - 60) > windowStart({ readAt: now }));
});

test("a resume token knows the messages of the four minutes before it, and no others", () => {
  const known = Array.from({ length: 5 }, (_, n) => idAt(-n, n));
  const older = idAt(-300);
  const token = writeResumeToken(now, [...known, older]);
  const point = readResumeToken(token, at(60))!;
  assert.ok(known.every(point.isKnown));
  assert.ok(!point.isKnown(newId()));
  assert.ok(older < point.fromId, "older messages are not read again");
  assert.equal(point.fromId, firstIdAt(at(-240)));
  const many = writeResumeToken(
    now,
    Array.from({ length: 1_000 }, (_, n) => idAt(-1, n)),
  );
  assert.ok(many.length < 1_000, "it stays short");
});

test("a text that is no token, or one of the day before yesterday, cannot be used", () => {
  const texts = ["", "x", "...", "\u0000", writeResumeToken(at(-2 * 86_400), []), writeResumeToken(at(3_600), [])];
  for (const text of texts) assert.equal(readResumeToken(text, now), null, text);
  fc.assert(fc.property(fc.string(), (text) => void readResumeToken(text, now)));
});
