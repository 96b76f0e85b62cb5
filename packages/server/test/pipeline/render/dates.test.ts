// Dates in templates: the zone and the time they are shown in, and the engine's own filters as an oracle for the
// format.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "@tidings/testkit/properties";
import { Liquid } from "liquidjs";
import { renderClock } from "../../../src/pipeline/render/dates.ts";
import { RenderError, render } from "../../../src/pipeline/render/liquid.ts";

const now = new Date("2030-05-05T23:30:00.000Z");
const shown = (value: unknown, filter: string, zone = "America/New_York") =>
  render(`{{ value | ${filter} }}`, { value, [renderClock]: { zone, now } }, "text");

/** The zone of the process must not count, so every test of this file runs in several. */
function inProcessZones(run: () => void): void {
  const before = process.env.TZ;
  try {
    for (const zone of ["UTC", "America/New_York", "Asia/Kolkata"]) {
      process.env.TZ = zone;
      run();
    }
  } finally {
    if (before === undefined) delete process.env.TZ;
    else process.env.TZ = before;
  }
}

const table: [value: unknown, filter: string, shown: string][] = [
  ["2026-03-02T03:00:00Z", "date: '%Y-%m-%d %H:%M'", "2026-03-01 22:00"],
  ["2026-03-02T03:00:00+01:00", "date: '%Y-%m-%d %H:%M'", "2026-03-01 21:00"],
  ["2026-03-02T03:00:00Z", "date: '%H:%M %Z', 'Asia/Tokyo'", "12:00 Asia/Tokyo"],
  ["2026-03-02T03:00:00Z", "date: '%H:%M %z', -120", "05:00 +0200"],
  ["now", "date: '%Y-%m-%d %H:%M'", "2030-05-05 19:30"],
  ["today", "date: '%s'", String(now.getTime() / 1000)],
  // Without an offset, a value is local time: it is shown as written, even where the clocks of the process's zone
  // change.
  ["2026-03-02", "date: '%d.%m.%Y %H:%M'", "02.03.2026 00:00"],
  ["2026-03-02 03:00", "date: '%d.%m.%Y %H:%M'", "02.03.2026 03:00"],
  ["2026-07-01T12:00:00", "date: '%H:%M %:z'", "12:00 -04:00"],
  ["March 14, 2016 3:05 pm", "date: '%Y-%m-%d %H:%M'", "2016-03-14 15:05"],
  ["2026-07-01T12:00", "date: '%H:%M', 'UTC'", "16:00"],
  ["Mon, 02 Mar 2026 03:00:00 GMT", "date: '%H:%M'", "22:00"],
  ["2026-03-02 03:00:00.5 +0100", "date: '%H:%M'", "21:00"],
  [1_772_420_400, "date: '%H:%M'", "22:00"],
  ["1772420400", "date: '%H:%M'", "22:00"],
  ["soon", "date: '%H:%M'", "soon"],
  [null, "date: '%H:%M'", ""],
  ["2026-03-02T03:00:00Z", "date", "Sunday, March 1, 2026 at 10:00 pm -0500"],
  ["2026-03-02T03:00:00Z", "date_to_xmlschema", "2026-03-01T22:00:00-05:00"],
  ["2026-03-02T03:00:00Z", "date_to_rfc822", "Sun, 01 Mar 2026 22:00:00 -0500"],
  ["2026-03-02T03:00:00Z", "date_to_string: 'ordinal', 'US'", "Mar 1st, 2026"],
  ["2026-03-02T03:00:00Z", "date_to_long_string", "01 March 2026"],
];

test("a date is shown in the zone of the subscriber, whatever the zone of the process", () => {
  inProcessZones(() => {
    for (const [value, filter, expected] of table) assert.equal(shown(value, filter), expected, `${value} | ${filter}`);
  });
});

test("a zone that does not exist is a fault of the template; one of a subscriber counts as none", () => {
  assert.throws(() => shown("2026-03-02", "date: '%H', 'Mars/Phobos'"), RenderError);
  assert.equal(shown("2026-03-02T03:00:00Z", "date: '%H'", "Mars/Phobos"), "03");
});

test("every format, flag and width as the engine writes it", () => {
  const engine = new Liquid({ locale: "en-US" });
  const zone = fc.constantFrom("UTC", "America/New_York", "Asia/Kolkata", "Australia/Lord_Howe");
  const part = fc
    .tuple(
      fc.constantFrom("", "", "-", "_", "0", "^", "#", ":", "^-", "_#"),
      fc.constantFrom("", "", "1", "5", "12"),
      fc.constantFrom("", "", "E", "O"),
      fc.constantFrom(..."aAbBcCdeHIjklLmMnNpPqsStuUwWxXyYzZh%Q"),
    )
    .map((parts) => `%${parts.join("")}`);
  const seconds = fc.integer({ min: -2_000_000_000, max: 4_000_000_000 });
  const before = process.env.TZ;
  try {
    // The engine itself depends on the zone of the process.
    process.env.TZ = "UTC";
    fc.assert(
      fc.property(seconds, zone, fc.array(part, { minLength: 1, maxLength: 4 }), (value, name, parts) => {
        const template = `{{ value | date: "${parts.join(" ")}", "${name}" }}`;
        assert.equal(render(template, { value }, "text"), engine.parseAndRenderSync(template, { value }), template);
      }),
      { numRuns: 1_500 },
    );
  } finally {
    if (before === undefined) delete process.env.TZ;
    else process.env.TZ = before;
  }
});
