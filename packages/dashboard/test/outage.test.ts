// How an integration in trouble is described.
import assert from "node:assert/strict";
import { test } from "node:test";
import { conditionOf, formatSince, sayTrouble, sayWaiting } from "../src/health/outage.ts";

test("an outage is described with its cause, what waits and the next try", () => {
  const now = Date.parse("2026-03-02T18:55:00Z");
  const lastError = {
    message: "connect ECONNREFUSED",
    summary: "connection refused",
    class: "transient" as const,
    cause: "refused" as const,
  };
  const trouble = {
    ...{ name: "Shop SMTP", state: "open" as const, failingSince: "2026-03-02T18:53:00Z" },
    lastError: { ...lastError, at: "2026-03-02T18:54:00Z" },
    nextProbeAt: "2026-03-02T18:57:00Z",
  };
  const since = formatSince(trouble.failingSince, now);
  assert.equal(sayTrouble(trouble, now), `Shop SMTP has not responded since ${since} (connection refused).`);
  const refused = { ...trouble, lastError: { ...trouble.lastError, summary: "HTTP 503", cause: undefined } };
  assert.equal(sayTrouble(refused, now), `Shop SMTP has been failing since ${since} (HTTP 503).`);
  const mails = { channel: "email" as const, count: 5_000 };
  assert.equal(sayWaiting(trouble, mails, now), "5,000 emails are waiting; next attempt in 2 min.");
  assert.equal(sayWaiting(trouble, { ...mails, count: 1 }, now), "1 email is waiting; next attempt in 2 min.");
  assert.equal(
    sayWaiting({ ...trouble, state: "half_open" }, undefined, now),
    "Nothing is waiting for it; trying one message now.",
  );
  assert.match(sayWaiting(trouble, mails, now + 600_000), /next attempt when the next message is due/);

  const health = { state: "closed" as const, failures: 0 };
  const condition = (changes: object) =>
    conditionOf({ active: true, channel: "email", health: { ...health, ...changes } });
  assert.equal(condition({}), "unused");
  assert.equal(condition({ lastSuccessAt: trouble.failingSince }), "closed");
  assert.equal(condition({ lastSuccessAt: trouble.failingSince, failingSince: trouble.nextProbeAt }), "failing");
  assert.equal(condition({ state: "open" }), "open");
  assert.equal(conditionOf({ active: false, channel: "email", health }), "off");
});
