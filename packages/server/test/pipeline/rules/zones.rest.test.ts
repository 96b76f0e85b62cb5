import assert from "node:assert/strict";
import { test } from "node:test";
import { offsetChanges, wallClock, zoneNames } from "@tidings/testkit/wall-clock";
import { firstInstant, latestWall, offsetAt, zoneOf } from "../../../src/pipeline/rules/zones.ts";

const minute = 60_000;
const hour = 60 * minute;

test("every zone, at every change of its clock: there and back", () => {
  for (const name of zoneNames) {
    const zone = zoneOf(name, "UTC");
    const clock = wallClock(name);
    for (const change of [Date.UTC(2026, 0, 1), ...offsetChanges(name)]) {
      for (const at of [change - 27 * hour, change - minute, change, change + minute, change + 27 * hour]) {
        assert.equal(at + offsetAt(zone, at), clock(at), `${name} ${at}`);
      }
      const [before, after] = [clock(change - minute) + minute, clock(change)];
      const jump = after - before;
      // Gone: the first and the last minute that the clock jumps over, and the first it shows again.
      for (const wall of jump > 0 ? [before, after - minute, after] : []) {
        assert.equal(firstInstant(zone, wall), change, `${name} ${new Date(wall).toISOString()}`);
      }
      // Twice: the first and the last minute that come again, and the first that comes once.
      for (const wall of jump < 0 ? [after, before - minute, before] : []) {
        const expected = wall === before ? change - jump : change + (wall - before);
        assert.equal(firstInstant(zone, wall), expected, `${name} ${new Date(wall).toISOString()}`);
      }
      if (jump < 0) {
        assert.equal(latestWall(zone, change - 1), before - 1, name);
        assert.equal(latestWall(zone, change), before - 1, name);
        assert.equal(latestWall(zone, change - jump), before, name);
      }
    }
  }
});

test("a zone nobody knows is the fallback", () => {
  const cases: [name: string | null | undefined, expected: string][] = [
    ["Europe/Berlin", "Europe/Berlin"],
    ["europe/berlin", "europe/berlin"],
    ["+05:30", "+05:30"],
    [null, "Asia/Kathmandu"],
    [undefined, "Asia/Kathmandu"],
    ["", "Asia/Kathmandu"],
    ["Mars/Olympus", "Asia/Kathmandu"],
    ["__proto__", "Asia/Kathmandu"],
    ["Europe/Berlin\n", "Asia/Kathmandu"],
    ["x".repeat(1_000_000), "Asia/Kathmandu"],
  ];
  for (const [name, expected] of cases) assert.equal(zoneOf(name, "Asia/Kathmandu").name, expected);
  assert.throws(() => zoneOf(null, "Mars/Olympus"), /Unknown time zone: Mars\/Olympus/);
});
