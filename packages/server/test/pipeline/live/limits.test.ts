// The shares of the live connections of a process.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Failure } from "../../../src/failure.ts";
import { anonymousPerNetwork, createConnectionLimits, type LiveSession } from "../../../src/pipeline/live/limits.ts";

const sessionOf = (
  environmentId: string,
  subscriberId: string,
  more: { type?: "dev" | "prod"; network?: string; isAnonymous?: true } = {},
): LiveSession => ({
  ...{ environmentId, subscriberId, keyId: "key", expiresAt: new Date(), isAnonymous: more.isAnonymous },
  ...{ caller: { environmentType: more.type ?? "prod" }, network: more.network ?? "192.0.2.1" },
});

/** Takes places until one is refused: how many were taken, and the code of the refusal. */
function fill(limits: ReturnType<typeof createConnectionLimits>, next: (number: number) => LiveSession) {
  const taken: (() => void)[] = [];
  for (;;) {
    try {
      taken.push(limits.take(next(taken.length)));
    } catch (error) {
      assert.ok(error instanceof Failure);
      return { taken, code: error.code, message: error.message };
    }
  }
}

test("development environments get a quarter each, production ones a half, and together what the process has", () => {
  const limits = createConnectionLimits({ connections: 1_000, perSubscriber: 20 });
  const dev = fill(limits, (n) => sessionOf("dev", `d${n}`, { type: "dev" }));
  assert.deepEqual([dev.taken.length, dev.code], [250, "UNAVAILABLE"]);
  const prod = fill(limits, (n) => sessionOf("prod", `p${n}`));
  assert.deepEqual([prod.taken.length, prod.code], [500, "UNAVAILABLE"]);
  assert.match(prod.message, /^The environment has 500 live connections/);
  const rest = fill(limits, (n) => sessionOf("other", `o${n}`));
  assert.deepEqual(
    [rest.taken.length, rest.message],
    [250, "This process has 1000 live connections, the most it may have"],
  );
  for (const giveBack of [...dev.taken, ...prod.taken, ...rest.taken]) giveBack();
  assert.equal(fill(limits, (n) => sessionOf("prod", `p${n}`)).taken.length, 500, "all places were given back");
});

test("sessions that no one vouches for have so many connections from one address; others are not counted", () => {
  const limits = createConnectionLimits({ connections: 10_000, perSubscriber: 20 });
  const visitor = (network: string) => (n: number) =>
    sessionOf("dev", `made-up-${network}-${n}`, { type: "dev", network, isAnonymous: true });
  const one = fill(limits, visitor("192.0.2.1"));
  assert.deepEqual([one.taken.length, one.code], [anonymousPerNetwork, "LIVE_CONNECTION_LIMIT"]);
  limits.take(sessionOf("dev", "vouched", { type: "dev", network: "192.0.2.1" }));
  assert.equal(fill(limits, visitor("192.0.2.2")).taken.length, anonymousPerNetwork);
  one.taken[0]!();
  limits.take(visitor("192.0.2.1")(0));
});

test("one subscriber has so many connections", () => {
  const limits = createConnectionLimits({ connections: 1_000, perSubscriber: 20 });
  const one = fill(limits, () => sessionOf("prod", "ada"));
  assert.deepEqual([one.taken.length, one.code], [20, "LIVE_CONNECTION_LIMIT"]);
});

test("a process with few connections leaves one to every environment", () => {
  const limits = createConnectionLimits({ connections: 2, perSubscriber: 20 });
  limits.take(sessionOf("dev", "ada", { type: "dev" }));
  limits.take(sessionOf("prod", "bob"));
});
