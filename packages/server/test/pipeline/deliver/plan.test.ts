// Which way a message goes when its integrations are in trouble, and how long it waits.
import assert from "node:assert/strict";
import { test } from "node:test";
import { readConfig } from "../../../src/config.ts";
import { type Health, healthy } from "../../../src/pipeline/deliver/breaker.ts";
import { type PlanFacts, type PlannedSend, type PlannedWait, planMessage } from "../../../src/pipeline/deliver/plan.ts";
import type { IntegrationRow } from "../../../src/store/integrations/integrations.ts";
import type { MessageRow } from "../../../src/store/messages/messages.ts";

const config = readConfig({});
const now = new Date("2026-03-01T12:00:00Z");
const later = (seconds: number) => new Date(now.getTime() + seconds * 1000);
const integration = (id: string) =>
  ({
    id,
    identifier: id,
    environment_id: "e",
    channel: "email",
    provider_id: "ses",
    conditions: [],
  }) as unknown as IntegrationRow;
const all = ["a", "b", "c"].map(integration);
const message = {
  ...{ id: "m", environment_id: "e", channel: "email", integration_id: "a", round: 0, created_at: now },
  outgoing: { route: ["a", "b", "c"] },
} as unknown as MessageRow;
const open = (probeIn: number): Health => ({
  ...healthy,
  state: "open",
  failures: 5,
  nextProbeAt: later(probeIn),
});

function plan(
  health: Record<string, Health>,
  probes: string[],
  changes: Partial<PlanFacts> = {},
): PlannedSend | PlannedWait {
  const facts = {
    clock: { now: () => now, isStopped: () => false },
    now,
    deliveryStates: new Map([["m", { workflow_version_id: "v", step_index: 0 }]]),
    versions: new Map(),
    tried: new Map(),
    active: all,
    integrations: new Map(all.map((one) => [one.id, one])),
    health: new Map(Object.entries(health)),
    suppressed: new Map(),
    probes: new Set(probes),
    ...changes,
  } as unknown as PlanFacts;
  const tools = { config, newId: () => "new" };
  return planMessage(tools, { task: { id: "t", attempt: 0, data: { messageIds: ["m"] } }, message }, facts);
}

const wayOf = (planned: PlannedSend | PlannedWait) =>
  "until" in planned ? "waits" : `${planned.integration.id}${planned.isProbe ? " as a probe" : ""}`;

function assertWaits(planned: PlannedSend | PlannedWait, from: number, to: number): void {
  assert.ok("until" in planned, wayOf(planned));
  assert.ok(planned.until >= later(from) && planned.until <= later(to), `${planned.until.toISOString()}`);
}

test("the first integration that is well or may be probed", () => {
  assert.equal(wayOf(plan({}, [])), "a");
  assert.equal(wayOf(plan({ a: open(0) }, ["a"])), "a as a probe");
  assert.equal(wayOf(plan({ a: open(0) }, [])), "b");
  assert.equal(wayOf(plan({ a: open(60), b: open(0), c: open(0) }, ["b", "c"])), "b as a probe");
  assert.equal(wayOf(plan({ b: open(0) }, ["b"])), "a", "no probe while there is a better way");
  const stand = plan({ a: open(60), b: open(60) }, []) as PlannedSend;
  assert.deepEqual([stand.integration.id, stand.insteadOf?.id, stand.next?.id], ["c", "a", "a"]);
});

test("with all in trouble it waits for the first probe, and those who wait come back spread", () => {
  assertWaits(plan({ a: open(600), b: open(30), c: open(90) }, []), 30, 33);
  assertWaits(plan({ a: open(600), b: open(600), c: open(600) }, []), 600, 660);
  // Another message makes the probe that is due: its response comes soon.
  assertWaits(plan({ a: open(600), b: open(0), c: open(600) }, []), 5, 8);
});

test("a message that is not sent takes no probe", () => {
  const probes = new Set(["a"]);
  const late = { clock: { now: () => later(90_000), isStopped: () => false } };
  const tried = new Map([["m", [{ message_id: "m", integration_id: "a", attempts: 5, unknown_at: null }]]]);
  for (const changes of [late, { tried }]) {
    const planned = plan({ a: open(0) }, [], { ...changes, probes }) as PlannedSend;
    assert.deepEqual([planned.attemptId, planned.isProbe, probes.size], [null, false, 1]);
  }
});

test("attempts are counted by integration, also when no result of theirs was ever written", () => {
  const used = (attempts: number, integration_id = "a") => ({
    tried: new Map([["m", [{ message_id: "m", integration_id, attempts, unknown_at: later(-60) }]]]),
  });
  const last = plan({}, [], used(4)) as PlannedSend;
  assert.deepEqual([last.attemptId, last.number, last.attempts, last.isSpent], ["new", 5, 5, false]);
  for (const attempts of [5, 9]) {
    const spent = plan({}, [], used(attempts)) as PlannedSend;
    assert.deepEqual(
      [spent.attemptId, spent.number, spent.attempts, spent.isSpent, spent.next?.id],
      [null, attempts, attempts, true, "b"],
    );
  }
  const other = plan({}, [], used(5, "b")) as PlannedSend;
  assert.deepEqual([other.integration.id, other.number, other.attempts, other.isSpent], ["a", 1, 6, false]);
});
