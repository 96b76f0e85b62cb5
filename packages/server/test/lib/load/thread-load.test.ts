// How many threads a process has, by how busy they are.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "@tidings/testkit/properties";
import { createBusyReader, createIdleReader, createThreadRule, quietMs } from "../../../src/lib/load/thread-load.ts";

const range = { min: 1, max: 3 };
const load = (busy: number[], idleCores = 1) => ({ busy, idleCores });

for (const { busy, wish } of [
  { busy: [0.1], wish: "enough" },
  { busy: [0.79], wish: "enough" },
  { busy: [0.85], wish: "more" },
  { busy: [0.85, 0.5], wish: "enough" },
  { busy: [0.85, 0.85], wish: "more" },
  { busy: [1, 1, 1], wish: "enough" },
] as const) {
  test(`threads that are busy for ${busy.join(" and ")} of their time: ${wish}`, () => {
    assert.equal(createThreadRule(range)({ busy: [...busy], idleCores: 1 }, 0), wish);
  });
}

test("a thread ends after a minute in which the others could have done its work, and one at a time", () => {
  const decide = createThreadRule(range);
  const quiet = [0.2, 0.05, 0];
  assert.equal(decide(load(quiet), 0), "enough");
  assert.equal(decide(load(quiet), quietMs - 1), "enough");
  assert.equal(decide(load(quiet), quietMs), "fewer");
  assert.equal(decide(load([0.2, 0.05]), quietMs + 1), "enough");
  assert.equal(decide(load([0.2, 0.05]), 2 * quietMs + 1), "fewer");
});

test("on a machine without an idle core none begins", () => {
  assert.equal(createThreadRule(range)(load([1], 0.1), 0), "enough");
  assert.equal(createThreadRule(range)(load([1], 0.3), 0), "more");
});

test("idle cores are those of the time since the last reading", () => {
  const core = (idle: number, user: number) => ({
    model: "",
    speed: 0,
    times: { idle, user, nice: 0, sys: 0, irq: 0 },
  });
  const readings = [
    [core(0, 0), core(100, 0)],
    [core(25, 75), core(150, 50)],
  ];
  const read = createIdleReader(() => readings.shift()!);
  assert.equal(read(), 0.75);
});

test("a thread that is missing, because it has failed, is wanted whatever the load", () => {
  assert.equal(createThreadRule({ min: 2, max: 2 })({ busy: [0], idleCores: 0 }, 0), "more");
});

test("a burst begins the minute anew", () => {
  const decide = createThreadRule(range);
  decide(load([0.1, 0]), 0);
  decide(load([0.7, 0.7]), quietMs / 2);
  assert.equal(decide(load([0.1, 0]), quietMs), "enough");
  assert.equal(decide(load([0.1, 0]), 2 * quietMs), "fewer");
});

test("whatever the load, there are never fewer threads than the minimum, nor more than the maximum", () => {
  const limits = fc.tuple(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 0, max: 4 }));
  const loads = fc.array(fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.integer({ min: 1, max: 100_000 })));
  fc.assert(
    fc.property(limits, loads, ([min, extra], steps) => {
      const max = min + extra;
      const decide = createThreadRule({ min, max });
      let [count, now] = [min, 0];
      for (const [busy, ms] of steps) {
        now += ms;
        const wish = decide(load(Array<number>(count).fill(busy)), now);
        count += wish === "more" ? 1 : wish === "fewer" ? -1 : 0;
        assert.ok(count >= min && count <= max, `${count} threads of ${min} to ${max}`);
      }
    }),
  );
});

test("the busy part is that of the time since the last reading", () => {
  const readings = [
    { active: 10, idle: 90 },
    { active: 40, idle: 100 },
    { active: 40, idle: 100 },
  ];
  const read = createBusyReader(() => readings.shift()!);
  assert.equal(read(), 0.75);
  assert.equal(read(), 0);
});
