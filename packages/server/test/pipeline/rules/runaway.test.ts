// The runaway guard replayed: weeks of ordinary traffic raise no alarm, a loop does.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "@tidings/testkit/properties";
import {
  comparedHours,
  type HourCount,
  historyMs,
  medianOf,
  newForMs,
  settledMs,
  tooMany,
  usualHour,
} from "../../../src/pipeline/rules/runaway.ts";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
const limits = { factor: 10, atLeast: 1_000, atLeastWhenNew: 10_000 };
const windowMs = 30 * minuteMs;

/** Messages that a workflow creates in the minute that begins at a time. */
type Traffic = (time: number) => number;

const countIn = (traffic: Traffic, from: number, to: number): number => {
  let count = 0;
  for (let time = from; time < to; time += minuteMs) count += traffic(time);
  return count;
};

/** What the guard says at a moment, from the same hours that the statistics would have. */
function judge(traffic: Traffic, now: number) {
  const current = Math.floor(now / hourMs) * hourMs;
  const hours: HourCount[] = [];
  for (let hour = Math.ceil((now - historyMs) / hourMs) * hourMs; hour < current; hour += hourMs) {
    hours.push({ hour: new Date(hour), count: countIn(traffic, hour, hour + hourMs) });
  }
  const byHour = new Map(hours.map(({ hour, count }) => [hour.getTime(), count]));
  const older = hours.filter(({ hour, count }) => hour.getTime() < now - settledMs && count > 0);
  const usual = usualHour(comparedHours(new Date(now), windowMs), (hour) => byHour.get(hour.getTime()) ?? 0, older);
  const isKnown = older.some(({ hour }) => hour.getTime() < now - newForMs);
  const count = countIn(traffic, now - windowMs, now);
  return { count, usual, isRunaway: count >= tooMany(usual, isKnown, limits) };
}

const monday = Date.UTC(2026, 2, 2);
/** 100 in an ordinary hour, 1,000 in the hour from 9, and 20,000 within ten minutes on Tuesdays at 10. */
const ordinary: Traffic = (time) => {
  const hour = Math.floor(time / hourMs) % 24;
  const minute = Math.floor(time / minuteMs) % 60;
  const isTuesday = Math.floor((time - monday) / dayMs) % 7 === 1;
  if (isTuesday && hour === 10 && minute < 10) return 2_000;
  return hour === 9 ? 1_000 / 60 : 100 / 60;
};

describe("an ordinary week", () => {
  test("with a daily peak and a newsletter at the same hour of each week raises no alarm", () => {
    const alarms: string[] = [];
    for (let now = monday + 28 * dayMs; now < monday + 35 * dayMs; now += 10 * minuteMs) {
      const { isRunaway, count, usual } = judge(ordinary, now);
      if (isRunaway) alarms.push(`${new Date(now).toISOString()} ${count} ${usual}`);
    }
    assert.deepEqual(alarms, []);
  });

  test("also when clocks change and the newsletter comes an hour later", () => {
    const shifted: Traffic = (time) => ordinary(time >= monday + 28 * dayMs ? time - hourMs : time);
    for (let now = monday + 29 * dayMs; now < monday + 30 * dayMs; now += 10 * minuteMs) {
      assert.equal(judge(shifted, now).isRunaway, false, new Date(now).toISOString());
    }
  });
});

describe("a runaway", () => {
  const start = monday + 30 * dayMs + 14 * hourMs;

  test("a loop that sends 50 times as much is found within half an hour, and keeps its alarm the next day", () => {
    const loop: Traffic = (time) => ordinary(time) * (time >= start ? 50 : 1);
    const busy: Traffic = (time) => loop(time) * 10;
    assert.equal(judge(busy, start).isRunaway, false);
    const found = [5, 10, 15, 20, 25, 30].find((minutes) => judge(busy, start + minutes * minuteMs).isRunaway);
    assert.ok(found !== undefined && found <= 15, `found after ${found} minutes`);
    assert.equal(judge(busy, start + 22 * hourMs).isRunaway, true);
  });

  test("few messages are none, however unusual they are", () => {
    const rare: Traffic = (time) => (time >= start ? 30 : time % dayMs === 0 ? 1 : 0);
    assert.equal(judge(rare, start + 30 * minuteMs).isRunaway, false);
    const more: Traffic = (time) => (time >= start ? 40 : time % dayMs === 0 ? 1 : 0);
    assert.equal(judge(more, start + 30 * minuteMs).isRunaway, true);
  });

  test("a new workflow has its own limit: the first newsletter is no loop", () => {
    const first =
      (count: number): Traffic =>
      (time) =>
        time === start ? count : 0;
    assert.equal(judge(first(9_999), start + 5 * minuteMs).isRunaway, false);
    assert.equal(judge(first(10_000), start + 5 * minuteMs).isRunaway, true);
  });
});

test("the compared hours are whole, and at this time of the day", () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 10 * 366 * dayMs }), fc.integer({ min: 5, max: 60 }), (offset, minutes) => {
      const now = monday + offset;
      const { weekly, daily } = comparedHours(new Date(now), minutes * minuteMs);
      assert.equal(daily.length, 7);
      for (const hour of [...weekly, ...daily.flat()].map((one) => one.getTime())) {
        assert.equal(hour % hourMs, 0);
        assert.ok(hour < now - 20 * hourMs && hour >= now - historyMs);
        const days = Math.round((now - hour) / dayMs);
        assert.ok(Math.abs(now - hour - days * dayMs) <= 3 * hourMs);
      }
    }),
  );
});

test("the median is that of the hours in which something was sent", () => {
  for (const [counts, median] of [
    [[], 0],
    [[0, 0], 0],
    [[5], 5],
    [[0, 1, 3], 2],
    [[100, 1, 2], 2],
  ] as const) {
    assert.equal(medianOf(counts), median);
  }
});
