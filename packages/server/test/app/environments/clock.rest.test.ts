import assert from "node:assert/strict";
import { test } from "node:test";
import type { StepIn } from "@tidings/contract";
import { newStage, storyOf } from "@tidings/testkit/clock";
import { errorOf } from "@tidings/testkit/http";
import { startTestService } from "@tidings/testkit/service";
import { createWorkflow, feedOf, inApp, notificationsOf, trigger } from "@tidings/testkit/verbs";
import { eventually } from "@tidings/testkit/wait";
import { sql } from "kysely";

const service = await startTestService();
const { db } = service;
const monday = "2026-03-02T09:00:00.000Z";

const steps: StepIn[] = [
  { name: "Wait", type: "delay", controlValues: { type: "regular", amount: 1, unit: "hours" } },
  inApp({ body: "later" }),
];

const waitsOf = async (environmentId: string) => {
  const parked = await sql<{ due: Date }>`
    select due_at as due from clock_tasks where environment_id = ${environmentId} order by 1`.execute(db);
  const queued = await sql<{ due: Date }>`
    select start_after as due from queue.job where group_id like ${`%${environmentId}`} and state = 'created' order by 1`.execute(
    db,
  );
  return { parked: parked.rows.map((row) => row.due), queued: queued.rows.map((row) => row.due) };
};

test("an environment lives in real time until it is put on a clock, which stands until it is moved", async () => {
  const { client, environmentId, moveTo, advance } = await newStage(service);
  const read = async () => (await client("environments.retrieveClock", { params: { environmentId } })).body;
  const before = await read();
  assert.deepEqual([before.environmentId, before.isTestClock, before.status], [environmentId, false, "real"]);
  assert.ok(Math.abs(Date.parse(before.now) - Date.now()) < 60_000);

  const standing = { environmentId, now: monday, isTestClock: true, status: "standing" };
  assert.deepEqual(await moveTo(monday), standing, "it may begin in the past");
  assert.deepEqual(await read(), standing);
  assert.equal((await advance(1, "months")).now, "2026-04-02T09:00:00.000Z");
  assert.equal((await moveTo("2026-04-02T12:00:00+02:00")).now, "2026-04-02T10:00:00.000Z");
  assert.equal(
    (await moveTo("2026-04-02T10:00:00")).now,
    "2026-04-02T10:00:00.000Z",
    "where it is; UTC without an offset",
  );

  const { body } = await client("environments.updateClock", { params: { environmentId }, body: { now: null } });
  assert.equal(body.status, "real");
  assert.equal((await read()).isTestClock, false);
});

test("invalid moves are refused and change nothing", async () => {
  const { client, environmentId } = await newStage(service, monday);
  const put = (body: unknown, id = environmentId) =>
    client.raw("environments.updateClock", { params: { environmentId: id }, body });
  const back = errorOf(await put({ now: "2026-03-02T08:59:59.999Z" }), "TEST_CLOCK_BACKWARDS");
  assert.match(back.message, /2026-03-02T09:00:00\.000Z/);
  const faults: [unknown, string][] = [
    [{}, "general"],
    [{ now: monday, advance: { amount: 1, unit: "days" } }, "general"],
    [{ now: "tomorrow" }, "now"],
    [{ now: 5 }, "now"],
    [{ now: "2026-02-30T00:00:00Z" }, "now"],
    [{ now: "9999-01-01T00:00:00Z" }, "now"],
    [{ advance: { amount: 0, unit: "days" } }, "advance.amount"],
    [{ advance: { amount: 1.5, unit: "days" } }, "advance.amount"],
    [{ advance: { amount: 1, unit: "fortnights" } }, "advance.unit"],
    [{ advance: { amount: 1 } }, "advance.unit"],
    [{ advance: { amount: 1_000_000, unit: "months" } }, "advance"],
  ];
  for (const [body, field] of faults) {
    const { errors } = errorOf(await put(body), "VALIDATION_ERROR");
    assert.deepEqual(Object.keys(errors!), [field], JSON.stringify(body));
  }
  const other = await newStage(service);
  errorOf(await put({ now: null }, other.environmentId), "FORBIDDEN");
  errorOf(await put({ now: null }, "nowhere"), "ENVIRONMENT_NOT_FOUND");
  const { body } = await client("environments.retrieveClock", { params: { environmentId } });
  assert.deepEqual([body.now, body.status], [monday, "standing"]);
});

test("production stays in real time", async () => {
  const { body } = await service.production("environments.list");
  const { _id: environmentId } = body.find(({ type }) => type === "prod")!;
  const answer = await service.production.raw("environments.updateClock", {
    params: { environmentId },
    body: { advance: { amount: 1, unit: "days" } },
  });
  errorOf(answer, "TEST_CLOCK_REFUSED");
  const clock = (await service.production("environments.retrieveClock", { params: { environmentId } })).body;
  assert.equal(clock.status, "real");
});

test("waits that began in real time continue on the test clock", async () => {
  const { client, environmentId, advance } = await newStage(service);
  await createWorkflow(client, "late", steps);
  const transactionId = await trigger(client, "late", "ada");
  const due = await eventually(async () => (await waitsOf(environmentId)).queued[0], "the wait to begin");
  await advance(2, "hours");
  const [notification] = await notificationsOf(client, transactionId);
  assert.ok(storyOf(notification!).includes(`${due.toISOString()} in_app: Message sent`), "at its own time");
  assert.deepEqual(await waitsOf(environmentId), { parked: [], queued: [] });
});

test("without the test clock, waits continue in real time", async () => {
  const { client, environmentId, moveTo } = await newStage(service, monday);
  await createWorkflow(client, "left", steps);
  await trigger(client, "left", "ada");
  await moveTo(monday);
  const due = new Date("2026-03-02T10:00:00.000Z");
  assert.deepEqual(await waitsOf(environmentId), { parked: [due], queued: [] });
  // That hour has long passed: it is due at once.
  await client("environments.updateClock", { params: { environmentId }, body: { now: null } });
  await eventually(async () => (await feedOf(client, "ada")).length === 1, "the message");
  assert.deepEqual(await waitsOf(environmentId), { parked: [], queued: [] });
});

test("two moves at once add up, and none goes back", async () => {
  const { advance, client, environmentId } = await newStage(service, monday);
  await Promise.all(Array.from({ length: 4 }, () => advance(1, "hours")));
  const { body } = await client("environments.retrieveClock", { params: { environmentId } });
  assert.equal(body.now, "2026-03-02T13:00:00.000Z");
});

test("under an idempotency key the move is made once and the answer does not wait for it", async () => {
  const { client, environmentId } = await newStage(service, monday);
  const input = { params: { environmentId }, body: { advance: { amount: 1, unit: "days" } } } as const;
  const headers = { "idempotency-key": "one-day" };
  const first = await client("environments.updateClock", { ...input, headers });
  assert.equal(first.status, 202);
  assert.deepEqual([first.body.status, first.body.target], ["moving", "2026-03-03T09:00:00.000Z"]);
  const again = await client("environments.updateClock", { ...input, headers });
  assert.deepEqual(again.body, first.body);
  const clock = await eventually(async () => {
    const { body } = await client("environments.retrieveClock", { params: { environmentId } });
    return body.status === "standing" ? body : null;
  }, "the clock to arrive");
  assert.equal(clock.now, "2026-03-03T09:00:00.000Z");
});

test("a wait, a snooze and another wait that end at the same moment all end", async () => {
  const { client, moveTo, advance } = await newStage(service, monday);
  await createWorkflow(client, "at-once", [inApp({ body: "now" })]);
  await createWorkflow(client, "hour", steps);
  await trigger(client, "at-once", "bob");
  await trigger(client, "hour", "ada");
  await moveTo(monday);
  const [item] = await feedOf(client, "bob");
  const at = { subscriberId: "bob", notificationId: item!._id };
  const snoozeUntil = "2026-03-02T10:00:00.000Z";
  await client("subscriberNotifications.snooze", { params: at, body: { snoozeUntil } });
  await trigger(client, "hour", "cleo");
  await moveTo(monday);
  await advance(2, "hours");
  for (const name of ["ada", "bob", "cleo"]) assert.equal((await feedOf(client, name)).length, 1, name);
});

test("a move that is interrupted continues where it stopped", async () => {
  const { client, environmentId } = await newStage(service, monday);
  const hourly = Array.from({ length: 10 }, (_, hour) => [steps[0]!, inApp({ body: `${hour + 1}` })]).flat();
  await createWorkflow(client, "hourly", hourly);
  for (const subscriberId of ["ada", "bob", "cleo"]) await trigger(client, "hourly", subscriberId);
  const input = { params: { environmentId }, body: { advance: { amount: 1, unit: "days" } } } as const;
  await client("environments.updateClock", { ...input, headers: { "idempotency-key": "a-day" } });
  const hasBegun = async () => {
    const { rows } = await sql`select 1 from messages where environment_id = ${environmentId} limit 1`.execute(db);
    return rows.length > 0;
  };
  await eventually(hasBegun, "the first message");
  // The current step of the move is interrupted.
  await sql`select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database()
    and application_name = 'tidings' and pid <> pg_backend_pid()`.execute(db);
  await eventually(async () => {
    const answer = await client.raw("environments.retrieveClock", { params: { environmentId } }).catch(() => null);
    return answer?.status === 200 && (answer.body as { status: string }).status === "standing";
  }, "the clock to arrive");
  for (const subscriberId of ["ada", "bob", "cleo"]) {
    const hours = (await feedOf(client, subscriberId)).map(
      (item) => `${item.createdAt!.slice(11, 13)} ${item.content}`,
    );
    const expected = Array.from({ length: 10 }, (_, hour) => `${String(10 + hour).padStart(2, "0")} ${hour + 1}`);
    assert.deepEqual(hours.reverse(), expected);
  }
});

test("changing an environment does not touch its clock, and marks have its time", async () => {
  const { client, environmentId, moveTo, advance } = await newStage(service, monday);
  await createWorkflow(client, "marked", [inApp({ body: "x" })]);
  await trigger(client, "marked", "ada");
  await advance(1, "hours");
  await client("environments.update", { params: { environmentId }, body: { color: "#ffffff" } });
  const [item] = await feedOf(client, "ada");
  assert.equal(item!.createdAt, monday);
  const { body } = await client("subscribers.markMessages", {
    params: { subscriberId: "ada" },
    body: { messageId: item!._id, markAs: "read" },
  });
  assert.equal(body[0]!.lastReadDate, "2026-03-02T10:00:00.000Z");
  assert.equal((await moveTo("2026-03-02T10:00:00.000Z")).status, "standing");
});
