import assert from "node:assert/strict";
import { test } from "node:test";
import { type Channel, channels, type WorkflowPreference } from "@tidings/contract";
import fc from "fast-check";
import {
  decidePreference,
  filterDetail,
  isCritical,
  type PreferenceLevels,
} from "../../../src/pipeline/rules/preferences.ts";

const filteredBy = (levels: PreferenceLevels, channel: Channel) => filterDetail(decidePreference(levels, channel));

const level = (all?: boolean, email?: boolean): WorkflowPreference =>
  ({
    ...(all === undefined ? {} : { all: { enabled: all } }),
    channels: email === undefined ? {} : { email: { enabled: email } },
  }) as WorkflowPreference;

test("the strongest level that says something about the channel decides", () => {
  const table: [levels: PreferenceLevels, expected: string | null][] = [
    [{ user: null, default: level() }, null],
    [{ user: null, default: level(true) }, null],
    [{ user: null, default: level(false) }, "filtered_by_workflow"],
    [{ user: null, default: level(true, false) }, "filtered_by_workflow"],
    [{ user: null, default: level(false, true) }, null],
    [{ user: level(true), default: level(false) }, null],
    [{ user: level(false), default: level(true) }, "filtered_by_dashboard"],
    [{ user: level(undefined, false), default: level(true) }, "filtered_by_dashboard"],
    [{ user: level(true, false), default: level(true, true) }, "filtered_by_dashboard"],
    [{ user: level(false, true), default: level(false, false) }, null],
    // A level that is silent about the channel leaves the decision to the weaker one.
    [{ user: level(), default: level(false) }, "filtered_by_workflow"],
    [{ user: level(), default: level(true, false) }, "filtered_by_workflow"],
  ];
  for (const [levels, expected] of table) {
    assert.equal(filteredBy(levels, "email"), expected, JSON.stringify(levels));
  }
});

test("a level may be stored without members", () => {
  const bare = {} as WorkflowPreference;
  assert.equal(filteredBy({ user: bare, default: bare }, "in_app"), null);
  assert.equal(isCritical({ user: bare, default: bare }), false);
});

const flag = fc.option(fc.boolean(), { nil: undefined });
const anyLevel = fc.record({ all: flag, channels: fc.dictionary(fc.constantFrom(...channels), fc.boolean()) }).map(
  ({ all, channels: named }) =>
    ({
      ...(all === undefined ? {} : { all: { enabled: all } }),
      channels: Object.fromEntries(Object.entries(named).map(([name, enabled]) => [name, { enabled }])),
    }) as WorkflowPreference,
);

test("what the dashboard says wins over the workflow, for every channel", () => {
  fc.assert(
    fc.property(anyLevel, anyLevel, fc.constantFrom<Channel>(...channels), (user, fallback, channel) => {
      const said = user.channels?.[channel]?.enabled ?? user.all?.enabled;
      const filtered = filteredBy({ user, default: fallback }, channel);
      if (said === true) assert.equal(filtered, null);
      else if (said === false) assert.equal(filtered, "filtered_by_dashboard");
      else assert.equal(filtered, filteredBy({ user: null, default: fallback }, channel));
    }),
  );
});

test("critical is read from the strongest level that has an opinion", () => {
  const critical = (readOnly?: boolean) => ({ all: { enabled: true, readOnly }, channels: {} }) as WorkflowPreference;
  assert.equal(isCritical({ user: null, default: critical(true) }), true);
  assert.equal(isCritical({ user: critical(false), default: critical(true) }), false);
  assert.equal(isCritical({ user: critical(), default: critical(true) }), true);
  assert.equal(isCritical({ user: critical(true), default: critical(false) }), true);
  assert.equal(isCritical({ user: null, default: critical() }), false);
});
