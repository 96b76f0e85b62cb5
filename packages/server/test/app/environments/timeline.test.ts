// The timeline of an environment: everything that waits, and the newest messages.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { StepIn } from "@tidings/contract";
import { newStage, type Stage } from "@tidings/testkit/clock";
import { errorOf } from "@tidings/testkit/http";
import { faultsOf } from "@tidings/testkit/refusals";
import { shareService } from "@tidings/testkit/service";
import { assertShape } from "@tidings/testkit/shapes";
import { createWorkflow, email, feedOf, inApp, trigger } from "@tidings/testkit/verbs";
import { eventually } from "@tidings/testkit/wait";
import { sql } from "kysely";

const service = await shareService();

const wait = (type: "delay" | "digest", amount: number, unit: string): StepIn => ({
  name: `${type} of ${amount} ${unit}`,
  type,
  controlValues: { type: "regular", amount, unit },
});

const aDay = { amount: 1, unit: "day" } as const;

async function timelineOf({ client, environmentId }: Pick<Stage, "client" | "environmentId">, query = {}) {
  const { body } = await client("environments.retrieveTimeline", { params: { environmentId }, query });
  assertShape("environments.retrieveTimeline", body);
  return body;
}

const told = ({ waiting }: Awaited<ReturnType<typeof timelineOf>>): string[] =>
  waiting.map(
    ({ at, kind, workflow, step, count, events, people }) =>
      `${at.slice(0, 16)} ${kind} ${workflow.workflowId}/${step.type} ${count}${events ? `/${events}` : ""} ${people.map((person) => person.subscriberId)}`,
  );

test("delays, digests, schedules, retries and snoozes wait on one line; what was sent stands before them", async () => {
  const stage = await newStage(service, "2026-03-02T09:00:00Z");
  const { client } = stage;
  for (const subscriberId of ["ada", "bob", "cyd", "dan"])
    await client("subscribers.create", { body: { subscriberId, email: `${subscriberId}@example.com` } });
  await createWorkflow(client, "trial", [wait("delay", 3, "days"), email()]);
  await createWorkflow(client, "news", [wait("digest", 1, "days"), email({ subject: "News", body: "<p>1</p>" })]);
  await createWorkflow(client, "quiet", [email()]);
  await createWorkflow(client, "inbox", [inApp({ body: "Hello" })]);
  await client("subscribers.updatePreferences", {
    params: { subscriberId: "bob" },
    body: {
      schedule: {
        isEnabled: true,
        weeklySchedule: { tuesday: { isEnabled: true, hours: [{ start: "08:00 AM", end: "06:00 PM" }] } },
      },
    },
  });
  await trigger(client, "trial", ["ada", "bob", "cyd", "dan"]);
  const first = await trigger(client, "news", "ada");
  // The event that opens the digest is the one that continues.
  await stage.moveTo("2026-03-02T09:00:00Z");
  for (const _ of [2, 3]) await trigger(client, "news", "ada");
  await trigger(client, "quiet", "bob");
  await trigger(client, "inbox", "cyd");
  await stage.moveTo("2026-03-02T09:00:00Z");
  const [item] = await feedOf(client, "cyd");
  await client("subscriberNotifications.snooze", {
    params: { subscriberId: "cyd", notificationId: item!._id! },
    body: { snoozeUntil: "2026-03-04T09:00:00.000Z" },
  });

  const before = await timelineOf(stage);
  assert.deepEqual(told(before), [
    "2026-03-03T08:00 schedule quiet/email 1 bob",
    "2026-03-03T09:00 digest news/digest 1/3 ada",
    "2026-03-04T09:00 snooze inbox/in_app 1 cyd",
    "2026-03-05T09:00 delay trial/delay 4 ada,bob,cyd",
  ]);
  assert.deepEqual([before.clock.status, before.next, before.isCapped], ["standing", null, false]);
  assert.equal(before.waiting[1]!.people[0]!.transactionId, first, "that of the event that goes on");
  assert.deepEqual(
    before.results.map(({ workflow, outcome, title, channel }) => [workflow.workflowId, outcome, title, channel]),
    [["inbox", "sent", "Hello", "in_app"]],
  );

  const page = await timelineOf(stage, { limit: 2 });
  const rest = await timelineOf(stage, { limit: 2, after: page.next! });
  assert.deepEqual([...told(page), ...told(rest)], told(before));
  assert.equal(rest.next, null);

  await stage.moveTo("2026-03-03T09:00:00Z");
  const after = await timelineOf(stage);
  assert.deepEqual(told(after), told(before).slice(2));
  assert.deepEqual(
    after.results.map(({ at, workflow, title, people }) => [at, workflow.workflowId, title, people[0]!.subscriberId]),
    [
      ["2026-03-02T09:00:00.000Z", "inbox", "Hello", "cyd"],
      ["2026-03-03T08:00:00.000Z", "quiet", "Hi", "bob"],
      ["2026-03-03T09:00:00.000Z", "news", "News", "ada"],
    ],
  );
});

test("a message that waits for its next attempt is a retry", async () => {
  const stage = await newStage(service, "2026-03-02T09:00:00Z");
  const { client } = stage;
  const credentials = { host: "127.0.0.1", port: "9", ignoreTls: true, from: "hello@example.com" };
  await client("integrations.create", {
    body: { providerId: "nodemailer", channel: "email", identifier: "down", active: true, credentials },
  });
  await client("integrations.setPrimary", { params: { integrationId: "down" } });
  await client("integrations.update", {
    params: { integrationId: "svc-email-default" },
    body: { active: false, check: false },
  });
  await createWorkflow(client, "mail", [email()]);
  await trigger(client, "mail", { subscriberId: "ada", email: "ada@example.com" });
  const { waiting, results } = await eventually(async () => {
    const timeline = await timelineOf(stage);
    return timeline.waiting.length > 0 ? timeline : null;
  }, "a retry");
  assert.deepEqual(
    waiting.map(({ kind, step, count, people }) => [kind, step.type, count, people[0]!.subscriberId]),
    [["retry", "email", 1, "ada"]],
  );
  assert.deepEqual(
    results.map(({ outcome }) => outcome),
    ["sending"],
  );
});

test("in real time, what waits for the same minute is one entry; closed digests and canceled events do not wait", async () => {
  const stage = await newStage(service);
  const { client, environmentId } = stage;
  await createWorkflow(client, "trial", [wait("delay", 3, "days"), inApp()]);
  await createWorkflow(client, "news", [wait("digest", 1, "days"), inApp()]);
  await trigger(client, "news", "ada");
  const canceled = await trigger(client, "trial", "bob");
  for (const person of ["ada", "bob"]) await trigger(client, "trial", person);
  await eventually(
    async () => (await timelineOf(stage)).waiting.reduce((sum, { count }) => sum + count, 0) === 4,
    "four waits",
  );
  // The two waits may fall into two minutes: the test puts them into one.
  await sql`update jobs set wake_at = date_trunc('minute', wake_at)
    where environment_id = ${environmentId} and type = 'delay'`.execute(service.db);
  await client("digests.close", { params: { workflowId: "news" }, body: {} });
  await client("events.cancel", { params: { transactionId: canceled } });
  const timeline = await eventually(async () => {
    const now = await timelineOf(stage);
    return now.waiting.length === 1 ? now : null;
  }, "one entry");
  assert.equal(timeline.clock.status, "real");
  assert.deepEqual(
    timeline.waiting.map(({ kind, count, people }) => [
      kind,
      count,
      // In the order in which the workers made their notifications.
      people.map(({ subscriberId }) => subscriberId).sort(),
    ]),
    [["delay", 2, ["ada", "bob"]]],
  );
});

test("an environment has a timeline of its own, and a wrong question changes nothing", async () => {
  const stage = await newStage(service);
  const params = { environmentId: stage.environmentId };
  assert.deepEqual(await timelineOf(stage).then(({ waiting, results, next }) => [waiting, results, next]), [
    [],
    [],
    null,
  ]);
  errorOf(await service.client.raw("environments.retrieveTimeline", { params }), "FORBIDDEN");
  const unknown = { params: { environmentId: "unknown" } };
  errorOf(await service.client.raw("environments.retrieveTimeline", unknown), "ENVIRONMENT_NOT_FOUND");
  assert.deepEqual(await faultsOf(stage.client, "environments.retrieveTimeline", { params, query: { limit: 101 } }), {
    limit: ["limit must not be greater than 100"],
  });
  const cursorOf = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const entry = ["2026-03-03T09:00:00.000Z", "delay", stage.environmentId];
  for (const after of ["soon", cursorOf([1]), cursorOf(["0000"]), cursorOf([...entry, "1"]), cursorOf([...entry, 1.5])])
    assert.deepEqual(await faultsOf(stage.client, "environments.retrieveTimeline", { params, query: { after } }), {
      after: ["after is not a valid cursor"],
    });
  for (const after of [cursorOf(entry.slice(0, 1)), cursorOf([...entry, 1])])
    assert.deepEqual((await timelineOf(stage, { after })).waiting, []);
});

test("a moment with more than is looked at is passed over, and what waits behind it is found", async () => {
  const stage = await newStage(service, "2026-03-02T09:00:00Z");
  const { client, environmentId } = stage;
  await createWorkflow(client, "trial", [wait("delay", 3, "days"), inApp()]);
  await trigger(client, "trial", "ada");
  await stage.moveTo("2026-03-02T09:00:00Z");
  // As after an event to many that was canceled: tasks whose runs no longer wait.
  await sql`insert into clock_tasks (id, environment_id, due_at, kind, data)
    select gen_random_uuid(), ${environmentId}, '2026-03-03T09:00:00Z', 'wake',
      jsonb_build_object('notificationIds', jsonb_build_array(gen_random_uuid()))
    from generate_series(1, 2000)`.execute(service.db);
  const first = await timelineOf(stage);
  assert.deepEqual([first.waiting, first.isCapped], [[], true]);
  const second = await timelineOf(stage, { after: first.next! });
  assert.deepEqual(told(second), ["2026-03-05T09:00 delay trial/delay 1 ada"]);
  assert.deepEqual([second.next, second.isCapped], [null, false]);
});

test("what the attention budget holds waits on the line: a message for its place, a roll-up for its time", async () => {
  const stage = await newStage(service, "2026-03-02T09:00:00Z");
  const { client } = stage;
  const at18 = { channel: "in_app", limit: 1, window: aDay, rollUpAt: "18:00" } as const;
  await client("attention.update", { body: { budgets: [at18] } });
  await createWorkflow(client, "news", [inApp({ subject: "News", body: "Text" })]);
  for (const _ of [1, 2, 3]) await trigger(client, "news", "ada");
  await stage.moveTo("2026-03-02T09:00:00Z");
  assert.deepEqual(told(await timelineOf(stage)), ["2026-03-02T18:00 roll_up roll-up/in_app 1 ada"]);
  await stage.moveTo("2026-03-02T18:00:00Z");
  assert.deepEqual(told(await timelineOf(stage)), ["2026-03-03T09:00 roll_up roll-up/in_app 1 ada"], "for a place");
  await client("attention.update", {
    body: { budgets: [{ channel: "in_app", limit: 1, window: aDay, overflow: "delay" }] },
  });
  for (const _ of [1, 2]) await trigger(client, "news", "bob");
  await stage.moveTo("2026-03-02T18:00:00Z");
  assert.deepEqual(told(await timelineOf(stage)), [
    "2026-03-03T09:00 roll_up roll-up/in_app 1 ada",
    "2026-03-03T18:00 budget news/in_app 1 bob",
  ]);
});
