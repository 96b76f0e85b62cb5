// The sentences about deliveries that wait or failed, and who decided, from the details of a job.
import assert from "node:assert/strict";
import { test } from "node:test";
import { deciderKinds, type JobStatus } from "@tidings/contract";
import { explainSteps } from "../../../src/app/events/explain-view.ts";
import { decidedBy } from "../../../src/pipeline/rules/deciders.ts";
import { type KnownIntegration, shortError } from "../../../src/pipeline/rules/delivery-text.ts";
import { catalogue } from "../../../src/pipeline/steps/catalogue.ts";
import type { StoredDetail } from "../../../src/store/tables.ts";

const step = { stepId: "mail", name: "Mail", type: "email" } as const;
const workflow = { workflowId: "order", name: "Order" };
const place = { workflow, subscriberId: "ada" };
const t = Date.parse("2026-03-01T12:00:00Z");
const since = "2026-03-01T06:53:00.000Z";
const next = "2026-03-01T06:56:00.000Z";

function explained(status: JobStatus, details: Omit<StoredDetail, "t">[], shop: Partial<KnownIntegration> = {}) {
  const job = { step, status, details: details.map((one) => ({ ...one, t })), providerId: "nodemailer", wakeAt: null };
  const integrations = new Map([["i1", { name: "Shop SMTP", ...shop }]]);
  const settings = { tense: "past", workflow: "order", integrations } as const;
  const { steps, verdict } = explainSteps([{ ...job, messages: [] }], settings, place);
  return { ...steps[0]!, verdict };
}

test("a message that waits names the integration, its last error, since when and the next try", () => {
  const held = {
    d: "waiting_for_provider",
    r: { until: next, reason: "paused", integrationId: "i1", integration: "shop" },
  };
  const open = { openedAt: since, nextTryAt: next };
  const error = "connect ECONNREFUSED 127.0.0.1:3225";
  const waits = explained("delayed", [held], { ...open, lastError: error });
  assert.equal(
    waits.verdict,
    `Email waits: Shop SMTP is not responding (connection refused, since ${since}). Next try ${next}.`,
  );
  assert.equal(waits.until, next);
  // Without the error of the integration, that of the last attempt of this message.
  const tried = { d: "provider_retry", p: "nodemailer", r: { reason: error, next, integrationId: "i1" } };
  assert.match(explained("delayed", [tried, held], open).verdict, /is not responding \(connection refused, since/);
  assert.equal(
    explained("delayed", [tried]).verdict,
    `Email waits: Shop SMTP did not take it (connection refused). Next try ${next}.`,
  );
});

test("a step that was canceled during the call is explained by that, whatever the provider said then", () => {
  const canceled = { d: "step_canceled", r: { reason: "the event was retracted" } };
  const retry = { d: "provider_retry", p: "nodemailer", r: { reason: "451 later", next, integrationId: "i1" } };
  const { outcome, code, verdict } = explained("canceled", [canceled, retry]);
  assert.deepEqual({ outcome, code }, { outcome: "canceled", code: "step_canceled" });
  assert.equal(verdict, "Email was not sent: the event was retracted.");
});

test("a step that was canceled after a call without a response may have been sent", () => {
  const raw = { reason: "socket hang up", next, integrationId: "i1", errorClass: "unknown" };
  const retry = { d: "provider_retry", p: "nodemailer", r: raw };
  const canceled = { d: "step_canceled", r: { reason: "the event was retracted" } };
  const expected = "Email may have been sent: Shop SMTP did not respond, and then the event was retracted.";
  assert.equal(explained("canceled", [retry, canceled]).verdict, expected);
  assert.equal(explained("canceled", [canceled, retry]).verdict, expected, "the call was under way");
});

test("what was decided before a step was sent again counts no more", () => {
  const missing = { d: "no_email" };
  assert.deepEqual(explained("skipped", [missing]).decidedBy, { kind: "subscriber", id: "ada" });
  assert.equal(explained("queued", [missing, { d: "resent" }, { d: "message_created" }]).decidedBy, undefined);
});

test("a dead letter names its cause and is kept; a refused address and a suppression name the address", () => {
  const refused = {
    d: "provider_error",
    p: "nodemailer",
    r: { reason: "535 5.7.8 no", attempt: 1, integrationId: "i1" },
  };
  const letter = (errorClass: string) => ({ d: "dead_letter", r: { errorClass, integrationId: "i1" } });
  const dead = explained("failed", [refused, letter("auth")]);
  assert.equal(dead.verdict, "Email was not delivered: Shop SMTP refused the credentials. Kept for resending.");
  assert.deepEqual([dead.code, dead.decidedBy], ["dead_letter", { kind: "integration", id: "i1", name: "Shop SMTP" }]);
  assert.match(
    explained("failed", [refused, letter("transient")]).verdict,
    /Shop SMTP did not take it \(535 5\.7\.8 no\)/,
  );

  // With several devices, the reason is that of the last one.
  const all = explained("failed", [refused, letter("auth"), { d: "all_devices_failed", r: { sent: 0 } }]);
  assert.deepEqual([all.verdict, all.decidedBy], [dead.verdict, dead.decidedBy]);

  const unknown = { d: "recipient_refused", r: { reason: "550 5.1.1 User unknown" } };
  assert.equal(
    explained("failed", [unknown]).reason,
    "Email was not sent: the address does not exist (550 5.1.1 User unknown)",
  );
  const suppressed = { d: "recipient_suppressed", r: { reason: "old", suppressionId: "s1", cause: "manual", since } };
  const stopped = explained("failed", [suppressed]);
  assert.equal(stopped.reason, `Email was not sent: we stopped mailing this address: added by hand on ${since}`);
  assert.deepEqual(stopped.decidedBy, { kind: "suppression", id: "s1" });
  // As an older version stored it.
  const old = explained("failed", [{ d: "recipient_suppressed", r: { reason: "the address is suppressed" } }]);
  assert.equal(old.reason, "Email was not sent: recipient address is suppressed: the address is suppressed");
});

test("every detail that stops a step says who decided", () => {
  const steps = [{ stepId: "often", name: "Often", type: "throttle" } as const, step];
  const kinds = new Set<string>(deciderKinds);
  const undecided = Object.entries(catalogue).flatMap(([d, { status }]) => {
    const by = decidedBy({ d, t }, { ...place, steps, index: 1 });
    if (by) assert.ok(kinds.has(by.kind), d);
    return status === "Failed" && !by ? d : [];
  });
  assert.deepEqual(undecided, []);
  const throttle = decidedBy({ d: "throttled", t }, { ...place, steps, index: 1 });
  assert.deepEqual(throttle, { kind: "throttle", id: "often", name: "Often" });
});

test("errors of the network have short words", () => {
  assert.equal(shortError("connect ETIMEDOUT 10.0.0.1:25"), "time-out");
  assert.equal(shortError("getaddrinfo ENOTFOUND mail.example"), "host not found");
  assert.equal(shortError("x".repeat(300)).length, 201);
});
