// Whether and when steps run, over HTTP and on a test clock: rules, filters, schedules, delays, digests, throttles and
// what canceling does to what waits.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Notification, Schedule, StepIn } from "@tidings/contract";
import { newStage, type Stage } from "@tidings/testkit/clock";
import { shareService } from "@tidings/testkit/service";
import { createWorkflow, email, feedOf, inApp, notificationsOf, settled, trigger } from "@tidings/testkit/verbs";
import { eventually } from "@tidings/testkit/wait";

const service = await shareService();

/** A Sunday. */
const sunday = "2026-03-01T12:00:00.000Z";
const officeHours: Schedule = {
  isEnabled: true,
  weeklySchedule: { monday: { isEnabled: true, hours: [{ start: "09:00 AM", end: "05:00 PM" }] } },
};

const waiting = (
  type: "delay" | "digest" | "throttle" | "custom",
  controlValues: object,
  stepId: string = type,
): StepIn => ({
  name: stepId,
  stepId,
  type,
  controlValues: { ...controlValues },
});
const statuses = (run: Notification | undefined): string[] => run!.jobs!.map((job) => job.status);
const job = (run: Notification | undefined, index = 0) => run!.jobs![index]!;
const rawOf = (run: Notification | undefined, detail: string, index = 0): Record<string, unknown> =>
  JSON.parse(job(run, index).executionDetails.find((entry) => entry.detail === detail)?.raw ?? "null");

/** Triggers, and returns the notification as soon as it ends or waits. */
async function started(
  { client }: Stage,
  workflowId: string,
  to: string | object,
  payload: object = {},
  more: object = {},
) {
  const { body } = await client("events.trigger", { body: { name: workflowId, to, payload, ...more } as never });
  const transactionId = body.transactionId!;
  const read = async () => (await notificationsOf(client, transactionId))[0];
  await eventually(async () => {
    const run = await read();
    return run?.jobs?.some((one) => one.status === "delayed") || (await isSettled(run));
  }, "the run to end or wait");
  return { transactionId, read };
}
const isSettled = async (run: Notification | undefined) =>
  run?.jobs?.every((one) => !["pending", "queued", "running", "delayed"].includes(one.status)) ?? false;

const until = (run: Notification | undefined, index = 0): unknown =>
  (rawOf(run, "Step delayed", index) ?? rawOf(run, "Step digested", index))?.until;

test("a rule or a filter that skips a step says which values decided", async () => {
  const { client } = service;
  const filters = [
    {
      isNegated: false,
      type: "GROUP" as const,
      value: "AND" as const,
      children: [{ on: "payload" as const, field: "amount", operator: "LARGER" as const, value: "100" }],
    },
  ];
  const rule = { "<": [{ var: "payload.amount" }, "{{ payload.limit }}"] };
  await createWorkflow(client, "ruled", [
    inApp({ body: "one", skip: rule }),
    { ...inApp({ body: "two" }), filters },
    inApp({ body: "three", skip: { nosuch: [] } }),
    inApp({ body: "four", skip: {} }),
  ]);
  const [run] = await settled(client, await trigger(client, "ruled", "ada", { amount: 5, limit: 10 }));
  assert.deepEqual(statuses(run), ["skipped", "skipped", "failed", "completed"]);
  assert.deepEqual(rawOf(run, "Step skipped by its condition"), {
    rule: { "<": [{ var: "payload.amount" }, "10"] },
    values: { "payload.amount": 5 },
  });
  assert.deepEqual(rawOf(run, "Step skipped by its condition", 1).values, { "payload.amount": 5 });
  assert.deepEqual(job(run, 1).step.filters, filters);
  assert.match(String(rawOf(run, "Step condition could not be evaluated", 2).reason), /nosuch|evaluated/);
  assert.deepEqual(
    (await feedOf(client, "ada")).map((item) => item.content),
    ["four"],
  );
});

test("outside the schedule a channel step waits for it or is skipped; in-app and critical ones go out", async () => {
  const stage = await newStage(service, sunday);
  const { client } = stage;
  await client("subscribers.create", {
    body: { subscriberId: "ada", email: "a@example.com", timezone: "Europe/Berlin" },
  });
  await client("subscribers.updatePreferences", { params: { subscriberId: "ada" }, body: { schedule: officeHours } });
  const critical = { preferences: { workflow: { all: { readOnly: true } } } };
  await createWorkflow(client, "held", [inApp(), email(), inApp()]);
  await createWorkflow(client, "dropped", [email(), inApp()], { outsideSchedule: "skip" });
  await createWorkflow(client, "critical", [email()], critical);

  const held = await started(stage, "held", "ada");
  assert.deepEqual(statuses(await held.read()), ["completed", "delayed", "pending"]);
  // Nine o'clock in Berlin.
  const opening = "2026-03-02T08:00:00.000Z";
  assert.equal(rawOf(await held.read(), "Step held until the subscriber's schedule opens", 1).until, opening);
  const dropped = await started(stage, "dropped", "ada");
  assert.deepEqual(statuses(await dropped.read()), ["skipped", "completed"]);
  const urgent = await started(stage, "critical", "ada");
  await settled(client, urgent.transactionId);
  assert.deepEqual(statuses(await urgent.read()), ["completed"]);

  const canceled = await started(stage, "held", "ada");
  const { body } = await client("events.cancel", { params: { transactionId: canceled.transactionId } });
  assert.equal(body, true);
  await stage.moveTo("2026-03-02T07:59:59.999Z");
  assert.deepEqual(statuses(await held.read()), ["completed", "delayed", "pending"]);
  await stage.moveTo(opening);
  await settled(client, held.transactionId);
  assert.deepEqual(statuses(await held.read()), ["completed", "completed", "completed"]);
  assert.deepEqual(statuses(await canceled.read()), ["completed", "canceled", "canceled"]);
});

test("delays: by cron, by what the payload says, by override, and up to the schedule", async () => {
  const stage = await newStage(service, sunday);
  const { client } = stage;
  const person = { subscriberId: "ada", timezone: "America/New_York" };
  await createWorkflow(client, "cron", [waiting("delay", { type: "timed", cron: "30 9 * * *" }), inApp()]);
  await createWorkflow(client, "dynamic", [waiting("delay", { type: "dynamic", dynamicKey: "payload.at" }), inApp()]);
  await createWorkflow(client, "regular", [waiting("delay", { amount: 2, unit: "hours" }), inApp()]);
  await createWorkflow(client, "extended", [
    waiting("delay", { amount: 2, unit: "hours", extendToSchedule: true }),
    inApp(),
  ]);
  assert.equal(until(await (await started(stage, "cron", person)).read()), "2026-03-01T14:30:00.000Z");
  const at = "2026-03-05T00:00:00+01:00";
  assert.equal(until(await (await started(stage, "dynamic", person, { at })).read()), "2026-03-04T23:00:00.000Z");
  const length = await started(stage, "dynamic", person, { at: { amount: 1, unit: "months" } });
  assert.equal(until(await length.read()), "2026-04-01T12:00:00.000Z");
  const overridden = await started(
    stage,
    "regular",
    person,
    {},
    { overrides: { delay: { amount: 5, unit: "minutes" } } },
  );
  assert.equal(until(await overridden.read()), "2026-03-01T12:05:00.000Z");

  for (const [payload, reason] of [
    [{ at: "2026-02-01" }, /in the past/],
    [{ at: "tomorrow" }, /ISO time/],
    [{}, /payload.at is missing/],
  ] as const) {
    const run = await (await started(stage, "dynamic", person, payload)).read();
    assert.deepEqual(statuses(run), ["failed", "canceled"]);
    assert.match(String(rawOf(run, "Delay settings are not valid").reason), reason);
  }
  const tooLong = await (await started(stage, "dynamic", person, { at: "2027-01-01" })).read();
  assert.match(String(rawOf(tooLong, "Wait is longer than allowed").reason), /90 days/);

  await client("subscribers.updatePreferences", { params: { subscriberId: "ada" }, body: { schedule: officeHours } });
  const extended = await started(stage, "extended", "ada");
  const opening = "2026-03-02T14:00:00.000Z";
  assert.equal(until(await extended.read()), opening);
  assert.equal(job(await extended.read()).scheduleExtensionsCount, 1);
  assert.equal(job(await length.read()).scheduleExtensionsCount, undefined);
  await stage.moveTo(opening);
  assert.deepEqual(statuses(await extended.read()), ["completed", "completed"]);
});

const report = (stepId: string) =>
  inApp({
    body: `{{ steps.${stepId}.eventCount }}:{% for e in steps.${stepId}.events %}{{ e.payload.n }}{% endfor %}`,
  });
const contents = async ({ client }: Stage, subscriberId: string) =>
  (await feedOf(client, subscriberId)).map((item) => item.content).reverse();

test("a digest that looks back sends the first event at once and collects what follows", async () => {
  const stage = await newStage(service, sunday);
  const lookBackWindow = { amount: 10, unit: "minutes" };
  await createWorkflow(stage.client, "backoff", [
    waiting("digest", { amount: 1, unit: "hours", lookBackWindow, digestKey: "k" }, "d"),
    report("d"),
  ]);
  const first = await started(stage, "backoff", "ada", { n: 1 });
  assert.deepEqual(statuses(await first.read()), ["skipped", "completed"]);
  assert.deepEqual(job(await first.read()).digest, {
    type: "backoff",
    amount: 1,
    unit: "hours",
    backoff: true,
    backoffAmount: 10,
    backoffUnit: "minutes",
    digestKey: "k",
    events: [{ id: job(await first.read()).digest!.events![0]!.id, time: sunday, payload: { n: 1 } }],
  });
  await stage.advance(9, "minutes");
  const second = await started(stage, "backoff", "ada", { n: 2 });
  assert.deepEqual(statuses(await second.read()), ["delayed", "pending"]);
  await stage.advance(9, "minutes");
  await started(stage, "backoff", "ada", { n: 3 });
  await started(stage, "backoff", "ada", { n: 9, k: "other" });
  assert.deepEqual(await contents(stage, "ada"), ["1:1", "1:9"], "another key is another group");
  await stage.advance(51, "minutes");
  assert.deepEqual(await contents(stage, "ada"), ["1:1", "1:9", "2:23"]);
  await started(stage, "backoff", "ada", { n: 4 });
  assert.deepEqual(await contents(stage, "ada"), ["1:1", "1:9", "2:23", "1:4"], "quiet again");
});

test("two digests in sequence, by length and by cron: the second groups the results of the first", async () => {
  const stage = await newStage(service, sunday);
  await createWorkflow(stage.client, "two", [
    waiting("digest", { amount: 1, unit: "hours" }, "hourly"),
    waiting("digest", { type: "timed", cron: "0 18 * * *" }, "daily"),
    report("daily"),
  ]);
  for (const n of [1, 2, 3, 4]) {
    await started(stage, "two", "ada", { n });
    await stage.advance(40, "minutes");
  }
  const last = await started(stage, "two", "bob", { n: 5 });
  await stage.moveTo("2026-03-01T17:59:59Z");
  assert.deepEqual(await contents(stage, "ada"), []);
  assert.deepEqual(job(await last.read(), 1).digest, { type: "timed", timed: { cronExpression: "0 18 * * *" } });
  await stage.moveTo("2026-03-01T18:00:00Z");
  assert.deepEqual(await contents(stage, "ada"), ["4:1234"]);
  assert.deepEqual(await contents(stage, "bob"), ["1:5"]);
});

test("canceling takes an event out of an open digest, also out of the second of two", async () => {
  const stage = await newStage(service, sunday);
  const { client } = stage;
  await createWorkflow(client, "out", [
    waiting("digest", { amount: 1, unit: "hours", digestKey: "n" }, "first"),
    waiting("digest", { amount: 1, unit: "days" }, "second"),
    report("second"),
  ]);
  const runs = [];
  for (const n of [1, 2, 3]) runs.push(await started(stage, "out", "ada", { n }));
  await stage.advance(1, "hours");
  const leader = await Promise.all(runs.map(async (run) => job(await run.read(), 1).status));
  assert.deepEqual(leader.toSorted(), ["delayed", "merged", "merged"]);
  const led = runs[leader.indexOf("delayed")]!;
  assert.equal((await client("events.cancel", { params: { transactionId: led.transactionId } })).body, true);
  assert.deepEqual(statuses(await led.read()), ["completed", "canceled", "canceled"]);
  await stage.advance(1, "days");
  const [content] = await contents(stage, "ada");
  assert.equal(content, `2:${[1, 2, 3].filter((n) => n !== leader.indexOf("delayed") + 1).join("")}`);
});

test("a throttle lets as many through as it may, per key and window, and tells the steps behind it", async () => {
  const stage = await newStage(service, sunday);
  const { client } = stage;
  const told = inApp({ body: "{{ steps.throttle.executionCount }}/{{ steps.throttle.threshold }} {{ payload.n }}" });
  await createWorkflow(client, "fixed", [
    waiting("throttle", { amount: 1, unit: "hours", threshold: 2, throttleKey: "payload.k" }),
    told,
  ]);
  const runs = [];
  for (const n of [1, 2, 3]) runs.push(await started(stage, "fixed", "ada", { n }));
  assert.deepEqual(await contents(stage, "ada"), ["1/2 1", "2/2 2"]);
  const denied = await runs[2]!.read();
  assert.deepEqual(statuses(denied), ["skipped", "skipped"]);
  const raw = { throttled: true, executionCount: 2, threshold: 2, throttledUntil: "2026-03-01T13:00:00.000Z" };
  assert.deepEqual(rawOf(denied, "Throttle limit reached"), raw);
  assert.deepEqual(rawOf(denied, "Throttle limit reached", 1), raw);
  assert.equal((await client("events.cancel", { params: { transactionId: runs[2]!.transactionId } })).body, false);
  await started(stage, "fixed", "ada", { n: 4, k: { id: 1 } });
  await started(stage, "fixed", "bob", { n: 5 });
  assert.deepEqual(await contents(stage, "ada"), ["1/2 1", "2/2 2", "1/2 4"]);
  assert.deepEqual(await contents(stage, "bob"), ["1/2 5"]);
  await stage.advance(1, "hours");
  await started(stage, "fixed", "ada", { n: 6 });
  assert.equal((await contents(stage, "ada")).at(-1), "1/2 6", "a new window");
});

test("a throttle until the time the payload names; one that lies in the past throttles nothing", async () => {
  const stage = await newStage(service, sunday);
  await createWorkflow(stage.client, "dynamic", [
    waiting("throttle", { type: "dynamic", dynamicKey: "payload.until" }),
    inApp({ body: "{{ payload.n }}" }),
  ]);
  const until = "2026-03-01T12:30:00.000Z";
  await started(stage, "dynamic", "ada", { n: 1, until });
  const denied = await started(stage, "dynamic", "ada", { n: 2, until: { amount: 1, unit: "days" } });
  assert.equal(rawOf(await denied.read(), "Throttle limit reached").throttledUntil, until, "the window that is open");
  const past = await started(stage, "dynamic", "ada", { n: 3, until: "2026-01-01" });
  assert.deepEqual(statuses(await past.read()), ["completed", "completed"]);
  assert.match(String(rawOf(await past.read(), "Throttle window lies in the past").reason), /in the past/);
  await stage.moveTo(until);
  await started(stage, "dynamic", "ada", { n: 4, until: "2026-03-02" });
  assert.deepEqual(await contents(stage, "ada"), ["1", "3", "4"]);
});
