// The admission of clients that all connect at once, after a restart or a broken network.
import assert from "node:assert/strict";
import { mock, test } from "node:test";
import type { NetworkCtx } from "../../../src/context.ts";
import { createHub } from "../../../src/pipeline/live/hub.ts";

test("of 15,501 clients at once, 1,000 a second get their turn, and those who would wait longer than 15 s are sent away", async (context) => {
  const waits: number[] = [];
  mock.method(performance, "now", () => 0);
  mock.method(globalThis, "setTimeout", ((run: () => void, ms: number) => {
    waits.push(ms);
    run();
  }) as typeof setTimeout);
  context.after(() => mock.restoreAll());
  const config = { live: { connections: 100_000, perSubscriber: 20, sweepMs: 20_000, beatMs: 25_000 } };
  const hub = createHub({ config } as NetworkCtx, async () => {});
  const results = await Promise.allSettled(Array.from({ length: 15_501 }, () => hub.admit()));
  const refusals = results.flatMap((result) => (result.status === "rejected" ? [result.reason] : []));
  assert.equal(refusals.length, 500);
  assert.ok(refusals.every(({ code, message }) => code === "UNAVAILABLE" && /Too many clients/.test(message)));
  const returns = new Set(refusals.map(({ extra }) => Number(extra.headers["retry-after"])));
  assert.deepEqual(
    [...returns].sort((a, b) => a - b),
    [1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
    "they come back at different times",
  );
  for (let second = 0; second < 15; second++) {
    const turns = waits.filter((ms) => ms > second * 1_000 && ms <= (second + 1) * 1_000);
    assert.ok(turns.length >= 998 && turns.length <= 1_000, `${turns.length} in second ${second}`);
  }
});
