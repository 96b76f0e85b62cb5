import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "@tidings/testkit/properties";
import { type ConcurrencyWindow, createConcurrencyWindow } from "../../../src/pipeline/deliver/concurrency.ts";

const now = 1_700_000_000_000;
const request = { isProbe: false, now };

/** Takes slots as often as it may, over several integrations; returns how many calls are in flight. */
function fill(window: ConcurrencyWindow, environmentId: string, integrations: number, most = 10_000) {
  const admission = window.openAdmission();
  let admitted = 0;
  for (let call = 0; call < most; call++) {
    const lane = `${environmentId}-${call % integrations}`;
    if (admission.admit({ environmentId, lane }, request).kind === "go") admitted++;
  }
  return admitted;
}

const cases = [
  { name: "one integration has a quarter of the window", size: 800, integrations: 1, admitted: 200 },
  { name: "many integrations of an environment have half of it", size: 800, integrations: 20, admitted: 400 },
  { name: "webhooks likewise", size: 200, integrations: 20, admitted: 100 },
  { name: "the smallest window leaves room too", size: 4, integrations: 9, admitted: 2 },
];

for (const { name, size, integrations, admitted } of cases) {
  test(`slots: ${name}`, () => {
    const window = createConcurrencyWindow(size);
    assert.equal(fill(window, "a", integrations), admitted);
    assert.ok(fill(window, "b", 1) >= 1, "another environment gets a slot");
  });
}

test("however many environments take all they get, the next one finds room", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 8 }), fc.integer({ min: 1, max: 30 }), (greedy, integrations) => {
      const window = createConcurrencyWindow(800);
      const taken = Array.from({ length: greedy }, (_, index) => fill(window, `greedy-${index}`, integrations, 1_000));
      assert.ok(taken.reduce((sum, count) => sum + count, 0) < 800);
      assert.ok(fill(window, "newcomer", 1, 5) >= 1, "the newcomer gets a slot");
    }),
    { numRuns: 30 },
  );
});

test("calls that end even the shares out", () => {
  const window = createConcurrencyWindow(800);
  const inFlight = { early: fill(window, "early", 8), late: fill(window, "late", 8) };
  assert.deepEqual(inFlight, { early: 400, late: 200 });
  for (let ended = 0; ended < 200; ended++) {
    window.release({ environmentId: "early", lane: `early-${ended % 8}` }, 100);
    inFlight.early += fill(window, "early", 8, 8) - 1;
    inFlight.late += fill(window, "late", 8, 8);
  }
  assert.ok(Math.abs(inFlight.early - inFlight.late) <= 2, JSON.stringify(inFlight));
});

test("a worker goes on while another environment may send, and waits when every slot is taken", async () => {
  const window = createConcurrencyWindow(8);
  const slots = [{ environmentId: "a", lane: "a-0" }];
  assert.equal(fill(window, "a", 9), 4);
  await window.waitForRoom(8, slots);
  const probes = window.openAdmission();
  for (let probe = 0; probe < 4; probe++)
    probes.admit({ environmentId: "b", lane: "b" }, { ...request, isProbe: true });
  let isFree = false;
  const waiting = window.waitForRoom(8, slots).then(() => {
    isFree = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(isFree, false);
  probes.releaseAll();
  await waiting;
});
