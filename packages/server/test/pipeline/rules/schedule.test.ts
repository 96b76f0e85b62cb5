import assert from "node:assert/strict";
import { test } from "node:test";
import { type Schedule, weekDays } from "@tidings/contract";
import fc from "@tidings/testkit/properties";
import { offsetChanges, wallClock, zoneNames } from "@tidings/testkit/wall-clock";
import { nextOpening } from "../../../src/pipeline/rules/schedule.ts";
import { zoneOf } from "../../../src/pipeline/rules/zones.ts";

const runs = Number(process.env.FUZZ_RUNS ?? 100);
const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

type Week = NonNullable<Schedule["weeklySchedule"]>;

const hours = (...ranges: [start: string, end: string][]) => ({
  isEnabled: true,
  hours: ranges.map(([start, end]) => ({ start, end })),
});
const everyDay = (one: Week["monday"]): Week => Object.fromEntries(weekDays.map((name) => [name, one]));

/** `open`, `never`, or when it opens. */
function ask(weeklySchedule: Week, now: string, zone = "UTC"): string {
  const result = nextOpening({ isEnabled: true, weeklySchedule }, new Date(now), zoneOf(zone, "UTC"));
  if (result.open) return "open";
  return result.opensAt?.toISOString().replace(":00.000Z", "Z") ?? "never";
}

test("nobody is kept out by a schedule that is absent, not enabled, or without a week", () => {
  const closed = everyDay({ isEnabled: false });
  for (const schedule of [null, undefined, { isEnabled: true }, { isEnabled: false, weeklySchedule: closed }]) {
    assert.deepEqual(nextOpening(schedule, new Date(), zoneOf("UTC", "UTC")), { open: true });
  }
});

test("the week", () => {
  const office = hours(["09:00 AM", "05:00 PM"]);
  const night = hours(["10:00 PM", "02:00 AM"]);
  // 6 January 2025 is a Monday.
  const table: [name: string, week: Week, now: string, expected: string][] = [
    ["before opening", { monday: office }, "2025-01-06T08:59:59.999Z", "2025-01-06T09:00Z"],
    ["at the start", { monday: office }, "2025-01-06T09:00:00Z", "open"],
    ["up to the end", { monday: office }, "2025-01-06T16:59:59.999Z", "open"],
    ["the end is closed", { monday: office, tuesday: office }, "2025-01-06T17:00:00Z", "2025-01-07T09:00Z"],
    ["the same day next week", { monday: office }, "2025-01-06T17:00:00Z", "2025-01-13T09:00Z"],
    ["a day without hours is open", { tuesday: { isEnabled: true } }, "2025-01-07T23:59:59Z", "open"],
    ["so is one with an empty list", { tuesday: { isEnabled: true, hours: [] } }, "2025-01-07T00:00:00Z", "open"],
    ["a closed day with hours", { monday: { ...office, isEnabled: false } }, "2025-01-06T10:00:00Z", "never"],
    ["no day at all", {}, "2025-01-06T10:00:00Z", "never"],
    ["into the next day", { monday: night }, "2025-01-07T01:59:00Z", "open"],
    ["and no further", { monday: night }, "2025-01-07T02:00:00Z", "2025-01-13T22:00Z"],
    ["from Sunday into Monday", { sunday: night }, "2025-01-06T01:00:00Z", "open"],
    ["to midnight", { monday: hours(["09:00 PM", "12:00 AM"]) }, "2025-01-07T00:00:00Z", "2025-01-13T21:00Z"],
    ["noon to midnight", { monday: hours(["12:00 PM", "12:00 AM"]) }, "2025-01-06T11:00:00Z", "2025-01-06T12:00Z"],
    ["start equal to end is a whole day", { monday: hours(["09:00 AM", "09:00 AM"]) }, "2025-01-07T08:59:00Z", "open"],
    [
      "overlapping ranges are one",
      { monday: hours(["01:00 PM", "03:00 PM"], ["09:00 AM", "02:00 PM"]) },
      "2025-01-06T14:30:00Z",
      "open",
    ],
    [
      "the nearest of several",
      { monday: hours(["06:00 PM", "07:00 PM"], ["12:00 PM", "01:00 PM"]) },
      "2025-01-06T13:00:00Z",
      "2025-01-06T18:00Z",
    ],
  ];
  for (const [name, week, now, expected] of table) assert.equal(ask(week, now), expected, name);
});

test("where clocks change, the clock decides", () => {
  const early = everyDay(hours(["02:30 AM", "05:00 AM"]));
  const gone = everyDay(hours(["02:15 AM", "02:45 AM"]));
  const sunday = { sunday: hours(["02:15 AM", "02:45 AM"]) };
  const table: [zone: string, week: Week, now: string, expected: string][] = [
    // Berlin, 30 March 2025: 02:00 becomes 03:00 at 01:00 UTC.
    ["Europe/Berlin", early, "2025-03-30T00:30:00Z", "2025-03-30T01:00Z"],
    ["Europe/Berlin", gone, "2025-03-30T00:30:00Z", "2025-03-31T00:15Z"],
    ["Europe/Berlin", sunday, "2025-03-29T12:00:00Z", "never"],
    ["Europe/Berlin", everyDay(hours(["09:00 AM", "05:00 PM"])), "2025-03-29T16:00:00Z", "2025-03-30T07:00Z"],
    // Berlin, 26 October 2025: 03:00 becomes 02:00 at 01:00 UTC.
    ["Europe/Berlin", early, "2025-10-26T00:00:00Z", "2025-10-26T00:30Z"],
    ["Europe/Berlin", early, "2025-10-26T00:45:00Z", "open"],
    ["Europe/Berlin", early, "2025-10-26T01:00:00Z", "2025-10-26T01:30Z"],
    ["Europe/Berlin", early, "2025-10-26T01:30:00Z", "open"],
    ["Europe/Berlin", sunday, "2025-10-26T00:50:00Z", "2025-10-26T01:15Z"],
    // A week later by the calendar, though it takes an hour more than seven days.
    ["Europe/Berlin", sunday, "2025-10-19T00:45:00Z", "2025-10-26T00:15Z"],
    ["Europe/Berlin", { monday: hours(["09:00 AM", "09:30 AM"]) }, "2025-10-20T07:30:00Z", "2025-10-27T08:00Z"],
    ["Australia/Lord_Howe", everyDay(hours(["02:10 AM", "03:00 AM"])), "2025-10-04T15:00:00Z", "2025-10-04T15:30Z"],
    ["Asia/Kathmandu", everyDay(hours(["09:00 AM", "10:00 AM"])), "2025-06-01T00:00:00Z", "2025-06-01T03:15Z"],
    // Samoa went without Friday, 30 December 2011; the next is eight days on.
    ["Pacific/Apia", { friday: { isEnabled: true } }, "2011-12-29T12:00:00Z", "never"],
    ["Pacific/Apia", { saturday: { isEnabled: true } }, "2011-12-29T12:00:00Z", "2011-12-30T10:00Z"],
    ["No/Such_Zone", everyDay(hours(["09:00 AM", "10:00 AM"])), "2025-06-01T00:00:00Z", "2025-06-01T09:00Z"],
  ];
  for (const [zone, week, now, expected] of table) assert.equal(ask(week, now, zone), expected, `${zone} ${now}`);
});

/** A clock time as minutes of the day and as text. Half of them lie in the small hours, where clocks change. */
const time = fc.oneof(fc.integer({ min: 0, max: 240 }), fc.integer({ min: 0, max: 1439 }));
const clockText = (minutes: number) => {
  const hour = Math.floor(minutes / 60);
  const two = (value: number) => String(value).padStart(2, "0");
  return `${two(hour % 12 || 12)}:${two(minutes % 60)} ${hour < 12 ? "AM" : "PM"}`;
};
type DayCase = { isEnabled: boolean; hours?: [start: number, end: number][] };
const dayCase: fc.Arbitrary<DayCase | null> = fc.oneof(
  fc.constant(null),
  fc.record(
    {
      isEnabled: fc.integer({ min: 0, max: 3 }).map((one) => one > 0),
      hours: fc.array(fc.tuple(time, time), { maxLength: 3 }),
    },
    { requiredKeys: ["isEnabled"] },
  ),
);
const weekCase = fc.tuple(...weekDays.map(() => dayCase));

const toWeek = (days: (DayCase | null)[]): Week =>
  Object.fromEntries(
    days.flatMap((one, index) =>
      one
        ? [
            [
              weekDays[index],
              {
                ...one,
                ...(one.hours && { hours: one.hours.map(([a, b]) => ({ start: clockText(a), end: clockText(b) })) }),
              },
            ],
          ]
        : [],
    ),
  );

/** Whether a clock that shows this is inside an open range, of that day or of the day before. */
function isOpen(days: (DayCase | null)[], wall: number): boolean {
  const weekday = (new Date(wall).getUTCDay() + 6) % 7;
  const now = Math.floor((wall % day) / minute);
  const [today, yesterday] = [days[weekday], days[(weekday + 6) % 7]];
  if (today?.isEnabled && !today.hours?.length) return true;
  const isOfToday = today?.hours?.some(([start, end]) => now >= start && (end <= start || now < end));
  const isOfYesterday = yesterday?.hours?.some(([start, end]) => end <= start && now < end);
  return (today?.isEnabled && isOfToday) || (yesterday?.isEnabled && isOfYesterday) || false;
}

test("every zone, around its changes: never sent inside quiet hours, always sent at the first minute after them", () => {
  const moment = fc.constantFrom(...zoneNames).chain((zone) => {
    const changes = offsetChanges(zone);
    const change = fc.constantFrom(...(changes.length > 0 ? changes : [Date.UTC(2026, 2, 29, 1)]));
    const shift = fc.oneof(fc.integer({ min: -6 * hour, max: 6 * hour }), fc.integer({ min: -7 * day, max: day }));
    return fc.tuple(fc.constant(zone), change, shift);
  });
  fc.assert(
    fc.property(weekCase, moment, (days, [zone, change, shift]) => {
      const now = change + shift;
      const clock = wallClock(zone);
      const result = nextOpening({ isEnabled: true, weeklySchedule: toWeek(days) }, new Date(now), zoneOf(zone, "UTC"));
      assert.equal(result.open, isOpen(days, clock(now)), "open now");
      if (result.open) return;
      // Minute by minute, as long as the calendar cannot be more than a week on: clocks jump three hours at most.
      const end = now + 7 * day - 3 * hour;
      for (let at = Math.floor(now / minute) * minute + minute; at <= end; at += minute) {
        if (isOpen(days, clock(at))) return assert.equal(result.opensAt?.toISOString(), new Date(at).toISOString());
      }
      if (result.opensAt) assert.ok(result.opensAt.getTime() > end && isOpen(days, clock(result.opensAt.getTime())));
    }),
    { numRuns: runs },
  );
});
