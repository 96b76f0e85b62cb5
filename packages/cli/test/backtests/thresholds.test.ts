// Limits of a backtest: what a threshold file may hold, and which reports keep them. No service.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { BacktestReport } from "@tidings/contract";
import { atEnd } from "@tidings/testkit/at-end";
import { exceededLimits, readThresholds, refuseUnknownWorkflows } from "../../src/backtest/thresholds.ts";
import { printThresholds } from "../../src/backtest/view.ts";
import type { Io } from "../../src/io.ts";
import type { Output } from "../../src/output.ts";

const folder = mkdtempSync(join(tmpdir(), "tidings-thresholds-"));
atEnd(() => rmSync(folder, { recursive: true, force: true }));

function read(text: string) {
  writeFileSync(join(folder, "limits.yaml"), text);
  return readThresholds({ io: { cwd: folder } as Io, values: { threshold: "limits.yaml" } });
}

const workflow = (workflowId: string, before: number, effects: Record<string, number>, people: number) => ({
  ...{ workflowId, name: workflowId, isChanged: true, runs: before, before, after: before },
  ...{ people, effects, steps: [] },
});

function reportOf(changed: {
  before?: number;
  effects?: Record<string, number>;
  percent?: number | null;
  silenced?: number;
}): BacktestReport {
  const { before = 200, effects = {}, percent = 100, silenced = 0 } = changed;
  return {
    totals: { before, effects, silenced, reached: 0, differing: 3 },
    workflows: [workflow("order", before, effects, 3)],
    calibration: { percent },
  } as unknown as BacktestReport;
}

test("without the option there are no limits", () => {
  assert.equal(readThresholds({ io: { cwd: folder } as Io, values: {} }), null);
});

test("limits of everything and of single workflows are read", () => {
  const text = "maxRemovedPercent: 2.5\nmaxSilencedPeople: 0\nworkflows:\n  order:\n    maxRenderFailures: 0\n";
  assert.deepEqual(read(text), {
    maxRemovedPercent: 2.5,
    maxSilencedPeople: 0,
    workflows: { order: { maxRenderFailures: 0 } },
  });
});

test("what a threshold file may not hold is named with its place and what was meant", () => {
  assert.throws(() => read("maxSilencedPeople: 0\nmaxRemovedPercents: 2\n"), /limits\.yaml:2:1.*maxRemovedPercent\?/);
  const inner = "workflows:\n  order:\n    maxSilencedPeople: 1\n";
  assert.throws(() => read(inner), /limits\.yaml:3:5.*maxSilencedPeople/);
  assert.throws(() => read("maxRemovedPercent: many\n"), /limits\.yaml:1:1.*maxRemovedPercent.*number/);
  assert.throws(() => read("minCalibrationPercent: 101\n"), /minCalibrationPercent/);
  assert.throws(() => read("maxSilencedPeople: -1\n"), /maxSilencedPeople/);
  assert.throws(() => read("- maxSilencedPeople\n"), /limits\.yaml:1:1/);
  assert.throws(() => read("a: b: c\n"), /limits\.yaml:1:/);
  assert.throws(() => read(""), /has no limit/);
  const missing = { io: { cwd: folder } as Io, values: { threshold: "none.yaml" } };
  assert.throws(() => readThresholds(missing), /none\.yaml cannot be read \(ENOENT\)/);
  assert.throws(() => readThresholds({ ...missing, values: { threshold: "." } }), /EISDIR/);
});

test("limits of a workflow that does not exist are refused", () => {
  const limits = { workflows: { ordr: { maxRenderFailures: 0 } } };
  assert.throws(() => refuseUnknownWorkflows(limits, ["order"]), { message: /ordr/, fix: "Did you mean order?" });
  assert.throws(() => refuseUnknownWorkflows(limits, ["news"]), { fix: /Name a workflow/ });
  refuseUnknownWorkflows(limits, ["ordr"]);
});

test("limits are kept up to their number, and exceeded beyond it", () => {
  const report = reportOf({ effects: { removed: 3, render_failed: 1, added: 2, content: 10 }, silenced: 2 });
  const names = (limits: Parameters<typeof exceededLimits>[0]) =>
    exceededLimits(limits, report).map(({ limit, workflowId, found }) => [limit, workflowId, found]);
  assert.deepEqual(
    names({ maxRemovedPercent: 2, maxAddedPercent: 1, maxDifferingPercent: 8, maxSilencedPeople: 2 }),
    [],
  );
  assert.deepEqual(
    names({ maxRemovedPercent: 1.9, maxRenderFailures: 0, maxSilencedPeople: 1, maxDifferingPeople: 2 }),
    [
      ["maxRemovedPercent", null, 2],
      ["maxDifferingPeople", null, 3],
      ["maxRenderFailures", null, 1],
      ["maxSilencedPeople", null, 2],
    ],
  );
  assert.deepEqual(names({ workflows: { order: { maxDifferingPercent: 7.9 }, other: { maxRenderFailures: 0 } } }), [
    ["maxDifferingPercent", "order", 8],
  ]);
});

test("a report that cannot be trusted keeps no limits, unless the file says otherwise", () => {
  const low = reportOf({ percent: 94.99 });
  assert.deepEqual(exceededLimits({ maxSilencedPeople: 0 }, low), [
    { limit: "minCalibrationPercent", workflowId: null, least: 95, found: 94.99 },
  ]);
  assert.deepEqual(exceededLimits({ minCalibrationPercent: 90 }, low), []);
  assert.equal(exceededLimits({ minCalibrationPercent: 99.5 }, reportOf({ percent: 99.4 })).length, 1);
  const nothing = reportOf({ percent: null });
  assert.deepEqual(exceededLimits({ maxSilencedPeople: 0 }, nothing), [
    { limit: "minCalibrationPercent", workflowId: null, least: 95, found: null },
  ]);
  assert.deepEqual(exceededLimits({ minCalibrationPercent: 0 }, nothing), []);
  const lines: string[] = [];
  const out = { line: (text = "") => lines.push(text), style: (_: string, text: string) => text } as unknown as Output;
  printThresholds(out, exceededLimits({ maxSilencedPeople: 0 }, nothing));
  assert.deepEqual(lines, ["✗ minCalibrationPercent: nothing to compare, and at least 95 is allowed"]);
});

test("messages where there were none are all of them", () => {
  const report = reportOf({ before: 0, effects: { added: 1 } });
  assert.equal(exceededLimits({ maxAddedPercent: 99 }, report)[0]?.found, 100);
});
