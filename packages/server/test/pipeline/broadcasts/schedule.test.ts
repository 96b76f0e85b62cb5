// When the people of a broadcast are due: local hours, a spread, and a pace that holds for any pages.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "@tidings/testkit/properties";
import {
  dueInZone,
  pageSizeFor,
  peoplePerMinute,
  spaceOut,
  startOf,
} from "../../../src/pipeline/broadcasts/schedule.ts";

const now = new Date("2026-03-28T12:00:00.000Z");

test("nine o'clock is another moment in each zone, also on the day that clocks change", () => {
  const time = { kind: "local", date: "2026-03-29", localTime: "09:00", timezone: "Europe/London" } as const;
  const due = (zone: string | null) => dueInZone(time, zone, now).toISOString();
  assert.equal(due("Europe/Berlin"), "2026-03-29T07:00:00.000Z");
  assert.equal(due("America/New_York"), "2026-03-29T13:00:00.000Z");
  assert.equal(due("Pacific/Kiritimati"), "2026-03-28T19:00:00.000Z");
  // Without a zone, or with one that does not exist: that of the broadcast.
  assert.equal(due(null), "2026-03-29T08:00:00.000Z");
  assert.equal(due("Mars/Base"), "2026-03-29T08:00:00.000Z");
  assert.equal(startOf(time, now).toISOString(), "2026-03-28T19:00:00.000Z");
  // A moment that has passed is due when the broadcast starts.
  const late = new Date("2026-03-29T10:00:00.000Z");
  assert.equal(dueInZone(time, "Europe/Berlin", late).getTime(), late.getTime());
});

test("the lowest limit holds, and that of an integration only while it is active", () => {
  const pace = { perMinute: 500, integrations: { slow: 60, off: 1 } };
  assert.equal(peoplePerMinute(pace, new Set(["slow"])), 60);
  assert.equal(peoplePerMinute(pace, new Set()), 500);
  assert.equal(peoplePerMinute({}, new Set(["slow"])), null);
});

test("pages are small where people are spread, and never too many", () => {
  assert.equal(pageSizeFor(null, null, 0), 500);
  assert.equal(pageSizeFor(null, 60, 0), 10);
  assert.equal(pageSizeFor(null, 1, 0), 1);
  assert.equal(pageSizeFor(50, null, 5 * 3_600_000), 1);
  assert.equal(pageSizeFor(10_000_000, null, 3_600_000), 500);
});

const Pages = fc.array(fc.record({ people: fc.integer({ min: 1, max: 500 }), after: fc.nat({ max: 3 }) }), {
  minLength: 1,
  maxLength: 60,
});

test("at a pace, no minute has more people than it allows, but for one page", () => {
  fc.assert(
    fc.property(Pages, fc.integer({ min: 1, max: 5_000 }), fc.nat({ max: 7_200_000 }), (given, perMinute, spreadMs) => {
      const pages = given.map(({ people, after }, page) => ({
        page,
        people,
        due_at: new Date(now.getTime() + after * 3_600_000),
      }));
      const changed = new Map(
        spaceOut(pages, { perMinute, spreadMs, from: now }).map(({ page, due_at }) => [page, due_at]),
      );
      const due = pages
        .map((page) => ({ ...page, at: (changed.get(page.page) ?? page.due_at).getTime() }))
        .sort((a, b) => a.at - b.at);
      for (const page of due) assert.ok(page.at >= page.due_at.getTime(), "a page is early");
      for (const [index, first] of due.entries()) {
        const within = due.slice(index).filter(({ at }) => at < first.at + 60_000);
        const others = within.slice(0, -1).reduce((sum, { people }) => sum + people, 0);
        assert.ok(others <= perMinute + 1, `${others} people before the last page of a minute of ${perMinute}`);
      }
    }),
    { numRuns: 300 },
  );
});

test("a spread is even, and ends in time", () => {
  const pages = Array.from({ length: 10 }, (_, page) => ({ page, people: 10, due_at: now }));
  const changed = spaceOut(pages, { perMinute: null, spreadMs: 100_000, from: now });
  const times = [0, ...changed.map(({ due_at }) => due_at.getTime() - now.getTime())];
  assert.deepEqual(times, [0, 10_000, 20_000, 30_000, 40_000, 50_000, 60_000, 70_000, 80_000, 90_000]);
});
