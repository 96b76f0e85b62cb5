import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { createLanes } from "../../../src/pipeline/deliver/lanes.ts";

const now = 1_700_000_000_000;
const request = { isProbe: false, now };

/** Enters as often as it may, over several integrations; answers how many calls are under way. */
function fill(lanes: ReturnType<typeof createLanes>, environmentId: string, integrations: number, most = 10_000) {
  const boarding = lanes.board();
  let entered = 0;
  for (let call = 0; call < most; call++) {
    const lane = `${environmentId}-${call % integrations}`;
    if (boarding.enter({ environmentId, lane }, request).kind === "go") entered++;
  }
  return entered;
}

const cases = [
  { name: "one integration has a quarter of the window", window: 800, integrations: 1, entered: 200 },
  { name: "many integrations of an environment have half of it", window: 800, integrations: 20, entered: 400 },
  { name: "webhooks likewise", window: 200, integrations: 20, entered: 100 },
  { name: "the smallest window leaves room too", window: 4, integrations: 9, entered: 2 },
];

for (const { name, window, integrations, entered } of cases) {
  test(`places: ${name}`, () => {
    const lanes = createLanes(window);
    assert.equal(fill(lanes, "a", integrations), entered);
    assert.ok(fill(lanes, "b", 1) >= 1, "another environment enters");
  });
}

test("however many environments take all they get, the next one finds room", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 8 }), fc.integer({ min: 1, max: 30 }), (greedy, integrations) => {
      const lanes = createLanes(800);
      const taken = Array.from({ length: greedy }, (_, index) => fill(lanes, `greedy-${index}`, integrations, 1_000));
      assert.ok(taken.reduce((sum, count) => sum + count, 0) < 800);
      assert.ok(fill(lanes, "newcomer", 1, 5) >= 1, "the newcomer enters");
    }),
    { numRuns: 30 },
  );
});

test("calls that end even the shares out", () => {
  const lanes = createLanes(800);
  const underWay = { early: fill(lanes, "early", 8), late: fill(lanes, "late", 8) };
  assert.deepEqual(underWay, { early: 400, late: 200 });
  for (let ended = 0; ended < 200; ended++) {
    lanes.left({ environmentId: "early", lane: `early-${ended % 8}` }, 100);
    underWay.early += fill(lanes, "early", 8, 8) - 1;
    underWay.late += fill(lanes, "late", 8, 8);
  }
  assert.ok(Math.abs(underWay.early - underWay.late) <= 2, JSON.stringify(underWay));
});

test("a worker goes on while another environment may enter, and waits when every place is taken", async () => {
  const lanes = createLanes(8);
  const places = [{ environmentId: "a", lane: "a-0" }];
  assert.equal(fill(lanes, "a", 9), 4);
  await lanes.room(8, places);
  const probes = lanes.board();
  for (let probe = 0; probe < 4; probe++)
    probes.enter({ environmentId: "b", lane: "b" }, { ...request, isProbe: true });
  let isFree = false;
  const waiting = lanes.room(8, places).then(() => {
    isFree = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(isFree, false);
  probes.giveBack();
  await waiting;
});
