// Which times of a chaos run the auditor can compare: none that a clock wrote which was moved.
import assert from "node:assert/strict";
import { test } from "node:test";
import { wasClockMoved } from "../../../../scripts/auditor/compare.ts";
import type { FaultRecord } from "../../../../scripts/auditor/evidence.ts";

const minute = 60_000;
const faults = [{ fault: "clock-back", target: "process-1", startedAt: 10 * minute, endedAt: 11 * minute }];
const world = { faults: faults as FaultRecord[] };

test("a time is left out if a clock was moved meanwhile, or if the clock that wrote it was behind", () => {
  assert.equal(wasClockMoved(world, 8 * minute, 9 * minute), false);
  assert.equal(wasClockMoved(world, 9 * minute, 10.5 * minute), true);
  assert.equal(wasClockMoved(world, 10.5 * minute, 9 * minute), true, "written by a clock that was 90 s behind");
  assert.equal(wasClockMoved(world, 12 * minute, 13 * minute), false);
});
