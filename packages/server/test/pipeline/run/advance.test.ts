// The engine's core as a function: a run, facts and a time in, the jobs' new states and effects out. No database.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "@tidings/testkit/properties";
import { newId } from "../../../src/lib/ids.ts";
import { advance } from "../../../src/pipeline/run/advance.ts";
import type { ClaimResult, Facts, JobState, Progress, Run } from "../../../src/pipeline/run/run.ts";
import type { StoredStep } from "../../../src/store/workflows/workflows.ts";
import { factsOf, names, now, runOf, statuses, step, subscriber } from "../../support/runs.ts";

const later = new Date(now.getTime() + 10_000);

const message = () => step("in_app", { body: "Hello {{ payload.name }}" });
const broken = (changes: Partial<StoredStep> = {}) => step("in_app", { body: "{{ x | nosuch }}" }, changes);
const mail = (changes: Partial<StoredStep> = {}) => step("email", { subject: "Hi", body: "<p>x</p>" }, changes);
const delay = (amount: unknown = 10) => step("delay", { amount, unit: "seconds" });
const digest = (amount: unknown = 10) => step("digest", { amount, unit: "seconds", digestKey: "payload.order" });
const throttle = () => step("throttle", { amount: 1, unit: "hours", threshold: 2 });

const reasons = (run: Run): unknown[] =>
  run.jobs.flatMap((job) => job.newDetails.flatMap((entry) => entry.r?.reason ?? []));

test("a run goes as far as it can without waiting", () => {
  const table: [
    what: string,
    steps: StoredStep[],
    expected: string[],
    effects: Partial<Record<keyof Progress, number>>,
  ][] = [
    ["messages only", [message(), message()], ["completed", "completed"], { messages: 2 }],
    ["a delay", [message(), delay(), message()], ["completed", "delayed", "pending"], { messages: 1 }],
    ["an email", [message(), mail(), message()], ["completed", "queued", "pending"], { messages: 2, sending: 1 }],
    ["a failure that does not matter", [broken(), message()], ["failed", "completed"], { messages: 2 }],
    ["one that does", [broken({ shouldStopOnFail: true }), message()], ["failed", "canceled"], { messages: 1 }],
    ["a delay that cannot be read", [delay(0), message()], ["failed", "canceled"], { messages: 0 }],
    [
      "a digest that cannot be read",
      [digest("x"), message(), mail()],
      ["failed", "canceled", "canceled"],
      { messages: 0 },
    ],
    ["a delay that is too long", [delay(91 * 86_400), message()], ["failed", "canceled"], { messages: 0 }],
    ["no steps", [], [], { messages: 0 }],
  ];
  for (const [what, steps, expected, effects] of table) {
    const run = runOf(steps);
    const progress = advance(run, factsOf(), now);
    assert.deepEqual(statuses(run), expected, what);
    for (const [member, count] of Object.entries(effects)) {
      assert.equal((progress[member as "messages"] ?? []).length, count, `${what}: ${member}`);
    }
  }
});

test("what fails names its reason and what is stopped names the step that failed", () => {
  const tooLong = runOf([delay(91 * 86_400), message()]);
  advance(tooLong, factsOf(), now);
  assert.deepEqual(names(tooLong.jobs[0]), ["wait_too_long"]);
  assert.deepEqual(names(tooLong.jobs[1]), ["step_canceled"]);
  assert.deepEqual(reasons(tooLong), ["The wait is longer than the allowed 90 days", "step step-delay failed"]);
});

test("preferences and missing things are decided in order: preference, integration, address, content", () => {
  const off = { user: { all: { enabled: false } }, default: { all: { enabled: true }, channels: {} } };
  const filtered = runOf([mail(), message()]);
  filtered.version.definition.preferences = off as unknown as typeof filtered.version.definition.preferences;
  const progress = advance(filtered, factsOf({ integrations: [] }), now);
  assert.deepEqual(statuses(filtered), ["skipped", "skipped"]);
  assert.deepEqual(names(filtered.jobs[0]), ["filtered_by_dashboard"]);
  assert.equal(progress.messages.length, 0);

  const nobody = { subscriber: { ...subscriber, email: null } };
  const bad = step("email", { subject: "{{ x | nosuch }}", body: "" });
  const table: [
    steps: StoredStep,
    facts: Partial<Facts>,
    changes: Partial<Run>,
    detail: string,
    errorId: string,
    status: string,
  ][] = [
    [bad, { integrations: [] }, nobody, "no_integration", "email_missing_integration", "warning"],
    [bad, {}, nobody, "no_email", "subscriber_missing_email", "warning"],
    [bad, {}, {}, "render_failed", "render_failed", "error"],
    [message(), { integrations: [] }, {}, "no_integration", "in_app_missing_integration", "warning"],
  ];
  for (const [one, facts, changes, name, errorId, status] of table) {
    const run = runOf([one, message()], changes);
    const [draft] = advance(run, factsOf(facts), now).messages;
    assert.equal(run.jobs[0]!.status, name === "no_email" ? "skipped" : "failed", name);
    assert.equal(names(run.jobs[0]).at(-1), name);
    assert.equal(draft?.errorId, errorId);
    assert.equal(draft?.status, status);
    // It does not hold up the step behind it.
    assert.notEqual(run.jobs[1]!.status, "pending");
  }
});

test("a delay ends when it is due, not before", () => {
  const run = runOf([delay(), message()]);
  const progress = advance(run, factsOf(), now);
  assert.deepEqual(progress.wakeAt, later);
  assert.deepEqual(run.jobs[0]!.wakeAt, later);
  for (const early of [now, new Date(later.getTime() - 1)]) {
    const again = advance(run, factsOf(), early);
    assert.deepEqual(statuses(run), ["delayed", "pending"]);
    assert.equal(again.messages.length, 0);
  }
  const woken = advance(run, factsOf(), later);
  assert.deepEqual(statuses(run), ["completed", "completed"]);
  assert.equal(woken.messages.length, 1);
  assert.equal(run.jobs[0]!.wakeAt, null);
  assert.deepEqual(names(run.jobs[0]), ["step_delayed", "delay_finished"]);
});

test("an email that waits for its repeat is not taken up by a wake-up", () => {
  const run = runOf([mail(), message()]);
  Object.assign(run.jobs[0]!, { status: "delayed", wakeAt: now, providerId: "nodemailer" });
  const progress = advance(run, factsOf(), later);
  assert.deepEqual(statuses(run), ["delayed", "pending"]);
  assert.equal(progress.messages.length, 0);
});

test("behind an email the run goes on when it was sent, and stops when it failed and should stop", () => {
  const table: [changes: Partial<StoredStep>, status: JobState["status"], expected: string][] = [
    [{}, "completed", "completed"],
    [{}, "failed", "completed"],
    [{ shouldStopOnFail: true }, "completed", "completed"],
    [{ shouldStopOnFail: true }, "failed", "canceled"],
    [{ shouldStopOnFail: true }, "skipped", "completed"],
  ];
  for (const [changes, status, expected] of table) {
    const run = runOf([mail(changes), message()]);
    run.jobs[0]!.status = status;
    advance(run, factsOf(), now);
    assert.equal(run.jobs[1]!.status, expected, `${JSON.stringify(changes)} ${status}`);
  }
});

test("a deleted workflow or subscriber cancels what has not ended, with the reason", () => {
  const table: [changes: Partial<Run>, reason: string][] = [
    [{ isWorkflowDeleted: true }, "the workflow was deleted"],
    [{ subscriber: null }, "the subscriber was deleted"],
  ];
  for (const [changes, reason] of table) {
    const waiting = runOf([message(), delay(), message()], changes);
    waiting.jobs[0]!.status = "completed";
    waiting.jobs[1]!.status = "delayed";
    waiting.jobs[1]!.wakeAt = now;
    const progress = advance(waiting, factsOf(), later);
    assert.deepEqual(statuses(waiting), ["completed", "canceled", "canceled"]);
    assert.deepEqual(reasons(waiting), [reason, reason]);
    assert.equal(progress.wakeAt, null);
    assert.equal(progress.messages.length, 0);
  }
});

test("a digest asks first; as leader it waits, closes and hands on; merged, it takes everything behind it along", () => {
  const asked = runOf([digest(), message()]);
  const { claim, ...rest } = advance(asked, factsOf(), now);
  assert.deepEqual(claim?.kind === "digest" && claim.dueAt, later);
  assert.equal(rest.wakeAt, null);
  assert.deepEqual(statuses(asked), ["pending", "pending"]);
  assert.equal(asked.jobs[0]!.newDetails.length, 0);

  const [leaderJob] = asked.jobs;
  advance(asked, factsOf({ claimResults: new Map([[leaderJob!.id, { kind: "leader", dueAt: later }]]) }), now);
  assert.deepEqual(statuses(asked), ["delayed", "pending"]);

  const events = [1, 2, 3].map((n) => ({ id: newId(), time: now.toISOString(), payload: { n } }));
  const digests = new Map([[leaderJob!.id, { events, eventCount: 5 }]]);
  asked.jobs[1]!.step.controlValues = {
    body: "{{ steps.step-digest.eventCount }}:{{ steps.step-digest.events[2].payload.n }}",
  };
  const closed = advance(asked, factsOf({ digests }), later);
  assert.deepEqual(statuses(asked), ["completed", "completed"]);
  assert.equal(closed.messages[0]?.content, "5:3");
  // Payloads live with their events: the job keeps which ones.
  assert.deepEqual(Object.keys((leaderJob!.output!.events as object[])[0]!), ["id", "time"]);

  const follower = runOf([digest(), message(), mail()]);
  const verdict = { kind: "merged", leaderJobId: leaderJob!.id, leaderNotificationId: asked.notificationId } as const;
  const merged = advance(follower, factsOf({ claimResults: new Map([[follower.jobs[0]!.id, verdict]]) }), now);
  assert.deepEqual(statuses(follower), ["merged", "merged", "merged"]);
  assert.equal(merged.digestedInto, asked.notificationId);
  assert.equal(follower.jobs[0]!.mergedInto, leaderJob!.id);
  for (const job of follower.jobs) assert.deepEqual(names(job), ["digest_merged"]);
});

test("a digest that looks back and finds its group quiet is skipped, and the chain goes on with the one event", () => {
  const lookBackWindow = { amount: 5, unit: "minutes" };
  const both = "{{ steps.step-digest.eventCount }}{{ steps.step-digest.events[0].payload.name }}";
  const run = runOf([step("digest", { amount: 1, unit: "hours", lookBackWindow }), step("in_app", { body: both })]);
  const { claim } = advance(run, factsOf(), now);
  assert.deepEqual(claim?.kind === "digest" && claim.quietSince, new Date(now.getTime() - 300_000));
  const claimResults = new Map([[run.jobs[0]!.id, { kind: "alone" } as const]]);
  const { messages } = advance(run, factsOf({ claimResults }), now);
  assert.deepEqual(statuses(run), ["skipped", "completed"]);
  assert.deepEqual(names(run.jobs[0]), ["digest_alone"]);
  assert.equal(messages[0]?.content, "1Ada");
  const shown = { type: "backoff", backoff: true, backoffAmount: 5, backoffUnit: "minutes", amount: 1, unit: "hours" };
  assert.deepEqual(run.jobs[0]!.digest, shown);
});

test("behind a digest that its own rule skipped, or that let one through, stands what came in", () => {
  const ask = "{{ steps.second.eventCount }}:{% for e in steps.second.events %}{{ e.payload.n }}{% endfor %}";
  const second = step("digest", { amount: 1, unit: "hours", skip: { "==": [1, 1] } }, { stepId: "second" });
  const run = runOf([digest(), second, step("in_app", { body: ask })]);
  const events = [4, 5].map((n) => ({ id: newId(), time: now.toISOString(), payload: { n } }));
  const [first] = run.jobs;
  Object.assign(first!, { status: "delayed", wakeAt: now });
  const { messages } = advance(run, factsOf({ digests: new Map([[first!.id, { events, eventCount: 2 }]]) }), now);
  assert.deepEqual(statuses(run), ["completed", "skipped", "completed"]);
  assert.equal(messages[0]?.content, "2:45");
});

test("a throttle asks first; granted, the chain goes on; denied, it ends with everything behind it", () => {
  const until = new Date(now.getTime() + 3_600_000);
  const asked = runOf([throttle(), message(), mail()]);
  const { claim } = advance(asked, factsOf(), now);
  assert.deepEqual(claim?.kind === "throttle" && [claim.threshold, claim.until], [2, until]);

  const output = { executionCount: 2, threshold: 2, throttledUntil: until.toISOString() };
  for (const [kind, expected] of [
    ["granted", ["completed", "completed", "queued"]],
    ["denied", ["skipped", "skipped", "skipped"]],
  ] as const) {
    const run = runOf([throttle(), message(), mail()]);
    const claimResults = new Map([[run.jobs[0]!.id, { kind, executionCount: 2, until }]]);
    advance(run, factsOf({ claimResults }), now);
    assert.deepEqual(statuses(run), expected);
    assert.deepEqual(run.jobs[0]!.output, { throttled: kind === "denied", ...output });
    if (kind === "denied") for (const job of run.jobs) assert.deepEqual(names(job), ["throttled"]);
  }
});

test("a throttle that cannot be read lets the event pass and says so", () => {
  const table: [values: object, detail: string][] = [
    [{}, "throttle_invalid"],
    [{ amount: 91, unit: "days" }, "throttle_invalid"],
    [{ type: "dynamic", dynamicKey: "payload.nothing" }, "throttle_invalid"],
    [{ type: "dynamic", dynamicKey: "payload.past" }, "throttle_past"],
    [{ type: "regular", amount: 1, unit: "hours" }, "throttle_invalid"],
  ];
  for (const [values, name] of table) {
    const run = runOf([step("throttle", values), message()], { event: { payload: { past: "2025-05-01T00:00:00Z" } } });
    const progress = advance(run, factsOf(), now);
    assert.deepEqual(statuses(run), ["completed", "completed"]);
    assert.deepEqual(names(run.jobs[0]), [name]);
    assert.deepEqual(run.jobs[0]!.output, { throttled: false });
    assert.equal(progress.claim, null);
  }
});

test("a custom step hands on its values, rendered; what cannot be rendered fails", () => {
  const custom = step("custom", { custom: { greeting: "Hi {{ payload.name }}", list: [1, "{{ payload.order }}"] } });
  const run = runOf([custom, step("in_app", { body: "{{ steps.step-custom.greeting }}" })]);
  assert.equal(advance(run, factsOf(), now).messages[0]?.content, "Hi Ada");
  assert.deepEqual(run.jobs[0]!.output, { greeting: "Hi Ada", list: [1, "7"] });
  const faulty = runOf([step("custom", { custom: { a: "{{ x | nosuch }}" } }), message()]);
  advance(faulty, factsOf(), now);
  assert.deepEqual(statuses(faulty), ["failed", "completed"]);
  assert.deepEqual(names(faulty.jobs[0]), ["render_failed"]);
});

test("the group of a digest is the value at its key, whatever the order of members or the prefix", () => {
  const keyOf = (payload: object, digestKey?: unknown): string | undefined => {
    const run = runOf([step("digest", { amount: 1, unit: "hours", digestKey })]);
    run.event.payload = payload as Run["event"]["payload"];
    const { claim } = advance(run, factsOf(), now);
    return claim?.kind === "digest" ? claim.groupKey : undefined;
  };
  assert.equal(keyOf({ a: { x: 1, y: 2 } }, "a"), keyOf({ a: { y: 2, x: 1 } }, "payload.a"));
  assert.equal(keyOf({ a: 1 }), keyOf({ a: 2 }));
  assert.equal(keyOf({}, "a.b"), keyOf({ a: { b: null } }, "a.b"));
  assert.notEqual(keyOf({ a: 1 }, "a"), keyOf({ a: "1" }, "a"));
  assert.notEqual(keyOf({ a: [1, 2] }, "a"), keyOf({ a: [2, 1] }, "a"));
});

const verdictFor = ({ step: { type }, stepIndex }: JobState, time: Date): ClaimResult => {
  if (type === "throttle") return { kind: stepIndex % 5 === 4 ? "denied" : "granted", executionCount: 1, until: time };
  return stepIndex % 3 === 2 ? { kind: "alone" } : { kind: "leader", dueAt: time };
};

test("whatever the steps, advancing ends, is not repeated for what has ended, and leaves nothing running", () => {
  const make: (() => StoredStep)[] = [
    message,
    broken,
    mail,
    delay,
    digest,
    throttle,
    () => step("custom", { custom: { a: "{{ payload.name }}" } }),
    () => step("in_app", { body: "x", skip: { "==": [1, 1] } }),
    () => step("email", { subject: "x", body: "", skip: { nosuch: 1 } }),
    () => broken({ shouldStopOnFail: true }),
    () => delay(0),
  ];
  fc.assert(
    fc.property(fc.array(fc.nat(make.length - 1), { maxLength: 20 }), (kinds) => {
      const run = runOf(kinds.map((kind) => make[kind]!()));
      let time = now;
      const messages = new Set<string>();
      for (let round = 0; round < 50; round++) {
        const claimResults = new Map(run.jobs.map((job): [string, ClaimResult] => [job.id, verdictFor(job, time)]));
        const progress = advance(run, factsOf({ claimResults }), time);
        for (const draft of progress.messages) {
          assert.ok(!messages.has(draft.jobId), "one message a job");
          messages.add(draft.jobId);
        }
        const sending = run.jobs.find((job) => job.status === "queued");
        if (sending) sending.status = "completed";
        time = new Date(time.getTime() + 60_000);
      }
      const open = run.jobs.filter((job) => ["pending", "queued", "delayed", "running"].includes(job.status));
      assert.deepEqual(open, []);
    }),
  );
});
