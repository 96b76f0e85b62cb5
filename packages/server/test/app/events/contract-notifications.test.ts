// What the contract says about jobs of triggered events: types, providers, digests, and what an event brought along.
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Job, jobTypes, type Notification, type StepIn } from "@tidings/contract";
import { newStage, type Stage } from "@tidings/testkit/clock";
import { request } from "@tidings/testkit/http";
import { only } from "@tidings/testkit/lists";
import { shareService } from "@tidings/testkit/service";
import { createWorkflow, email, inApp, notificationsOf, settled, trigger } from "@tidings/testkit/verbs";

const service = await shareService();
const { client } = service;
const sunday = "2026-03-01T12:00:00.000Z";

const digest = (controlValues: object, stepId = "d"): StepIn => ({
  name: stepId,
  stepId,
  type: "digest",
  controlValues: controlValues as Record<string, unknown>,
});

/** The notifications of this many events, one a minute, a day later. */
async function collected(stage: Stage, name: string, count: number): Promise<Notification[]> {
  const sent: string[] = [];
  for (let n = 1; n <= count; n++) {
    sent.push(await trigger(stage.client, name, "ada", { n }));
    await stage.advance(1, "minutes");
  }
  await stage.advance(1, "days");
  return Promise.all(sent.map(async (transactionId) => only(await notificationsOf(stage.client, transactionId))));
}

const numbers = ({ digest }: Job): unknown[] =>
  (digest?.events ?? []).map(({ payload }) => (payload as { n: number }).n);

test("the events of a digest stand on the leader and on the jobs behind it, not on those before", async () => {
  const stage = await newStage(service, sunday);
  await createWorkflow(stage.client, "grouped", [
    inApp({ body: "before" }),
    digest({ amount: 1, unit: "hours" }),
    inApp({ body: "{{ steps.d.eventCount }}" }),
    { name: "c", type: "custom", controlValues: { custom: { a: 1 } } },
  ]);
  const [leader, merged] = await collected(stage, "grouped", 3);
  const jobs = leader!.jobs!;
  assert.deepEqual(jobs.map(numbers), [[], [1, 2, 3], [1, 2, 3], [1, 2, 3]]);
  assert.equal(jobs[0]!.digest, undefined);
  assert.deepEqual(jobs[2]!.digest, jobs[1]!.digest);
  assert.equal(merged!._digestedNotificationId, leader!._id);
  assert.deepEqual(
    merged!.jobs!.map(({ status }) => status),
    ["completed", "merged", "merged", "merged"],
  );
  assert.deepEqual(merged!.jobs!.map(numbers), [[], [], [], []]);
});

test("behind two digests the events are those of the second; a timed one shows its expression", async () => {
  const stage = await newStage(service, sunday);
  await createWorkflow(stage.client, "twice", [
    digest({ amount: 1, unit: "minutes", digestKey: "n" }, "first"),
    inApp({ body: "{{ payload.n }}" }),
    digest({ type: "timed", cron: "0 18 * * *" }, "second"),
    inApp({ body: "{{ steps.second.eventCount }}" }),
  ]);
  const [leader] = await collected(stage, "twice", 2);
  assert.deepEqual(leader!.jobs!.map(numbers), [[1], [1], [1, 2], [1, 2]]);
  assert.deepEqual(
    leader!.jobs!.map(({ digest }) => [digest?.type, digest?.digestKey]),
    [
      ["regular", "n"],
      ["regular", "n"],
      ["timed", undefined],
      ["timed", undefined],
    ],
  );
  assert.deepEqual(leader!.jobs![3]!.digest!.timed, { cronExpression: "0 18 * * *" });
});

test("a job names its provider, its place in the chain and what the event brought", async () => {
  await createWorkflow(client, "chain", [
    inApp({ body: "x" }),
    email(),
    { name: "t", type: "throttle", controlValues: { amount: 1, unit: "minutes", threshold: 5 } },
    { name: "c", type: "custom", controlValues: { custom: { a: 1 } } },
    { name: "s", type: "sms", controlValues: { body: "x" } },
    { name: "p", type: "push", controlValues: { subject: "x", body: "x" } },
  ]);
  const overrides = { email: { from: "shop@example.com" } };
  const to = { subscriberId: "ada", email: "ada@example.com", phone: "+4915112345678" };
  const events = [{ name: "chain", to, payload: { n: 1 }, overrides }];
  const [result] = (await client("events.triggerBulk", { body: { events } })).body;
  const notification = only(await settled(client, result!.transactionId!));
  const jobs = notification.jobs!;
  assert.deepEqual(
    jobs.map(({ type, providerId, status }) => [type, providerId, status]),
    [
      ["in_app", "svc", "completed"],
      ["email", "svc-email", "completed"],
      ["throttle", "svc", "completed"],
      ["custom", "svc", "completed"],
      ["sms", "svc-sms", "completed"],
      ["push", "svc", "skipped"],
    ],
  );
  assert.deepEqual(
    jobs.map(({ step }) => step._parentId),
    [null, ...jobs.slice(0, -1).map(({ step }) => step._id)],
  );
  for (const job of jobs) {
    assert.deepEqual([job.payload, job.overrides], [{ n: 1 }, overrides]);
    assert.ok(job.updatedAt! >= notification.createdAt!, job.updatedAt);
    for (const name of ["replyCallback", "metadata", "issues", "template", "variants"])
      assert.ok(!(name in job.step), name);
  }
  assert.deepEqual(notification.controls, {}, "an event has no controls of its own");
  assert.deepEqual(notification.template!.triggers, [{ type: "event", identifier: "chain", variables: [] }]);
  const sources = new Set(jobs.flatMap(({ executionDetails }) => executionDetails.map(({ source }) => source)));
  assert.deepEqual(sources, new Set(["Internal", "Payload"]));
  const statuses = new Set(jobs.flatMap(({ executionDetails }) => executionDetails.map(({ status }) => status)));
  assert.deepEqual(statuses, new Set(["Pending", "Success", "Warning"]));
});

test("all job types can be asked for; the trigger, which is never listed, finds every event", async () => {
  const found = async (channels: string) =>
    (await client("notifications.list", { query: { channels: [channels] } as never })).body.data.length;
  assert.equal(jobTypes.length, 16);
  const counts = await Promise.all(jobTypes.map(async (type) => [type, await found(type)]));
  assert.deepEqual(
    counts.filter(([, count]) => count === 1).map(([type]) => type),
    ["in_app", "email", "sms", "push", "throttle", "custom", "trigger"],
  );
});

test("a key counts in the header alone", async () => {
  const { apiKey } = service;
  const body = JSON.stringify({ name: "chain", to: "ada", apiKey, authorization: `ApiKey ${apiKey}` });
  const headers = { "content-type": "application/json", "x-api-key": apiKey, cookie: `authorization=ApiKey ${apiKey}` };
  const query = `apiKey=${apiKey}&authorization=ApiKey%20${apiKey}&Authorization=ApiKey%20${apiKey}`;
  for (const answer of [
    await request(service, `/v1/environments?${query}`),
    await request(service, `/v1/events/trigger?${query}`, { method: "POST", headers, body }),
  ]) {
    assert.equal(answer.status, 401);
    assert.equal((answer.body as { code: string }).code, "MISSING_AUTHORIZATION");
  }
});
