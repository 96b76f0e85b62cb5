// Whether a step may run: rule, filters, preferences, schedule, in this order, each "no" with its own detail.
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Schedule, type StepType, stepTypes } from "@tidings/contract";
import { advance, isHeld } from "../../../src/pipeline/run/advance.ts";
import type { Facts } from "../../../src/pipeline/run/run.ts";
import { checkGate } from "../../../src/pipeline/steps/gate.ts";
import { chosen, factsOf, inputOf, names, now, runOf, statuses, step, subscriber } from "../../support/runs.ts";

const always = { "==": [1, 1] };
const onMondays = (hours?: { start: string; end: string }[]): Schedule => ({
  isEnabled: true,
  weeklySchedule: { monday: { isEnabled: true, hours } },
});
const morning = onMondays([{ start: "09:00 AM", end: "11:00 AM" }]);
const nextMorning = "2025-06-02T09:00:00.000Z";

/** The one detail that the gate leaves, or null when the step may run. */
function decision(...args: Parameters<typeof inputOf>) {
  const { stopped: result } = checkGate(inputOf(...args));
  if (!result || result.kind === "claim") return null;
  const [only, ...others] = result.details;
  assert.deepEqual(others, []);
  return { kind: result.kind, detail: only!.d, raw: only!.r };
}

test("a rule skips any step that has one", () => {
  for (const type of stepTypes) {
    if (type === "custom") continue;
    assert.equal(decision(runOf([step(type, { skip: always })]))?.detail, "skipped_by_condition", type);
    assert.equal(decision(runOf([step(type, { skip: {} })])), null, type);
  }
  const failed = decision(runOf([step("delay", { skip: { nosuch: 1 } })]));
  assert.deepEqual([failed?.kind, failed?.detail], ["failed", "condition_failed"]);
  const run = runOf([step("in_app", { body: "x", skip: { nosuch: 1 } }), step("in_app", { body: "y" })]);
  advance(run, factsOf(), now);
  assert.deepEqual(statuses(run), ["failed", "completed"], "the chain goes on behind a rule that fails");
});

test("classic filters have to pass, and what they read is kept", () => {
  const filter = (operator: "LARGER" | "SMALLER") =>
    ({
      isNegated: false,
      type: "GROUP",
      value: "AND",
      children: [
        { on: "payload", field: "order", operator, value: "5" },
        { on: "subscriber", field: "subscriberId", operator: "EQUAL", value: "ada" },
      ],
    }) as const;
  const withFilters = (...operators: ("LARGER" | "SMALLER")[]) =>
    runOf([
      step(
        "delay",
        {},
        { filters: operators.map((operator) => ({ ...filter(operator), children: [...filter(operator).children] })) },
      ),
    ]);
  assert.equal(decision(withFilters("LARGER")), null);
  const stopped = decision(withFilters("LARGER", "SMALLER"));
  assert.equal(stopped?.detail, "skipped_by_condition");
  assert.deepEqual(stopped?.raw?.values, { "payload.order": 7, "subscriber.subscriberId": "ada" });
});

test("values of classic filters are templates, and the rendered ones are kept", () => {
  const part = (value: string) => ({ on: "subscriber", field: "subscriberId", operator: "EQUAL", value }) as const;
  const withValue = (value: string) =>
    runOf([
      step("delay", {}, { filters: [{ isNegated: false, type: "GROUP", value: "AND", children: [part(value)] }] }),
    ]);
  assert.equal(decision(withValue("{{ subscriber.subscriberId }}")), null);
  const stopped = decision(withValue("{{ payload.name }}"));
  assert.equal(stopped?.detail, "skipped_by_condition");
  assert.match(JSON.stringify(stopped?.raw?.filters), /"value":"Ada"/);
  const failed = decision(withValue("{{ payload.name"));
  assert.deepEqual([failed?.kind, failed?.detail], ["failed", "condition_failed"]);
});

test("a preference that says no is named with its level, channel and workflow", () => {
  const off = { all: { enabled: false } };
  const workflow = { default: {}, user: null };
  const table: [what: string, definition: object, rows: Parameters<typeof chosen>, detail: string | null][] = [
    ["nobody", workflow, [], null],
    ["workflow", { ...workflow, default: off }, [], "filtered_by_workflow"],
    ["dashboard", { ...workflow, user: off }, [], "filtered_by_dashboard"],
    ["global", workflow, [{ channels: { email: false } }], "filtered_by_subscriber_global"],
    ["another channel", workflow, [{ channels: { sms: false } }], null],
    ["critical", { ...workflow, user: { all: { readOnly: true } } }, [{ channels: { email: false } }], null],
    ["another context", workflow, [{ channels: { email: false }, context_keys: ["tenant:b"] }], null],
    [
      "the context",
      workflow,
      [{ channels: { email: false }, context_keys: ["tenant:a"] }],
      "filtered_by_subscriber_global",
    ],
  ];
  for (const [what, preferences, rows, detail] of table) {
    const definition = { preferences: preferences as never };
    const run = runOf([step("email", {})], { definition, contextKeys: ["tenant:a"] });
    const made = decision(run, { preferences: chosen(...rows) });
    assert.equal(made?.detail ?? null, detail, what);
    if (made) assert.deepEqual([made.raw?.channel, made.raw?.workflow], ["email", "w"], what);
    assert.equal(decision(runOf([step("delay", {})], { definition }), { preferences: chosen(...rows) }), null, what);
  }
});

test("outside the schedule a channel step is held, or skipped, and in-app is neither", () => {
  const closed = { preferences: chosen({ schedule: morning }) };
  const at = (type: StepType, outsideSchedule?: "hold" | "skip", facts: Partial<Facts> = closed) =>
    decision(runOf([step(type, {})], { definition: { outsideSchedule } }), facts);
  for (const type of ["email", "sms", "push", "chat"] as const) {
    const held = { kind: "waiting", detail: "step_held", raw: { until: nextMorning } };
    assert.deepEqual(at(type), held, type);
    assert.deepEqual(at(type, "hold"), held, type);
    const skipped = { kind: "skipped", detail: "outside_schedule", raw: { channel: type, opensAt: nextMorning } };
    assert.deepEqual(at(type, "skip"), skipped, type);
  }
  for (const type of ["in_app", "delay", "digest", "throttle", "custom"] as const) assert.equal(at(type), null, type);
  const never = { preferences: chosen({ schedule: { isEnabled: true, weeklySchedule: {} } }) };
  assert.equal(at("email", "hold", never)?.detail, "outside_schedule");
  assert.equal(at("email", "hold", { preferences: chosen({ schedule: onMondays() }) })?.kind, "waiting");
  assert.equal(at("email", "hold", { preferences: chosen({ schedule: { ...morning, isEnabled: false } }) }), null);
  const critical = { preferences: { default: { all: { readOnly: true } }, user: null } };
  assert.equal(decision(runOf([step("email", {})], { definition: critical }), closed), null, "critical");
});

test("the schedule is the one for the event's contexts, else the global one, in the subscriber's time zone", () => {
  const rows = chosen(
    { schedule: onMondays(), context_keys: ["tenant:a"] },
    { schedule: null, context_keys: ["tenant:c"] },
    { schedule: morning },
    { schedule: { isEnabled: false }, workflow_id: "other" },
  );
  const until = (contextKeys: string[], timezone: string | null = null) =>
    decision(runOf([step("email", {})], { contextKeys, subscriber: { ...subscriber, timezone } }), {
      preferences: rows,
    })?.raw?.until;
  assert.equal(until(["tenant:a"]), "2025-06-02T00:00:00.000Z");
  assert.equal(until(["tenant:b"]), nextMorning);
  assert.equal(until(["tenant:c"]), nextMorning, "a choice without schedule leaves it to the global one");
  assert.equal(until([], "America/New_York"), "2025-06-02T13:00:00.000Z");
  assert.equal(until([], "Nowhere/Else"), nextMorning, "an unknown zone counts as the default one");
});

test("a held step asks everything anew when the schedule opens", () => {
  const run = runOf([step("email", { subject: "x", body: "y" }), step("in_app", { body: "z" })]);
  const closed = factsOf({ preferences: chosen({ schedule: morning }) });
  const held = advance(run, closed, now);
  assert.deepEqual(statuses(run), ["delayed", "pending"]);
  assert.equal(held.wakeAt?.toISOString(), nextMorning);
  assert.ok(isHeld(run.jobs[0]!));
  advance(run, closed, now);
  assert.deepEqual(names(run.jobs[0]), ["step_held"], "woken too early, it sleeps on");

  const opened = structuredClone(run);
  const open = new Date(nextMorning);
  assert.equal(advance(opened, closed, open).sending.length, 1);
  assert.deepEqual(statuses(opened), ["queued", "pending"]);
  const changed = factsOf({ preferences: chosen({ schedule: morning, channels: { email: false } }) });
  advance(run, changed, open);
  assert.deepEqual(statuses(run), ["skipped", "completed"]);
  assert.equal(names(run.jobs[0]).at(-1), "filtered_by_subscriber_global");
});

test("a delay or digest that asks for it ends when the schedule is open", () => {
  const closed = { preferences: chosen({ schedule: morning }) };
  for (const type of ["delay", "digest"] as const) {
    const untilOf = (values: object, facts: Partial<Facts> = closed, definition = {}) => {
      const run = runOf([step(type, { amount: 1, unit: "hours", ...values })], { definition });
      const { claim } = advance(run, factsOf(facts), now);
      const verdict = claim?.kind === "digest" ? [{ kind: "leader", dueAt: claim.dueAt } as const] : [];
      const claimResults = new Map(verdict.map((one) => [run.jobs[0]!.id, one]));
      if (claim) advance(run, factsOf({ ...facts, claimResults }), now);
      return [run.jobs[0]!.wakeAt?.toISOString(), names(run.jobs[0]).includes("step_extended")];
    };
    const plain = "2025-06-01T13:00:00.000Z";
    assert.deepEqual(untilOf({}), [plain, false]);
    assert.deepEqual(untilOf({ extendToSchedule: true }), [nextMorning, true]);
    assert.deepEqual(untilOf({ extendToSchedule: true, amount: 22 }), ["2025-06-02T10:00:00.000Z", false]);
    assert.deepEqual(untilOf({ extendToSchedule: true }, {}), [plain, false]);
    const never = { preferences: chosen({ schedule: { isEnabled: true, weeklySchedule: {} } }) };
    assert.deepEqual(untilOf({ extendToSchedule: true }, never), [plain, false]);
    const critical = { preferences: { default: { all: { readOnly: true } }, user: null } };
    assert.deepEqual(untilOf({ extendToSchedule: true }, closed, critical), [plain, false]);
  }
});
