// Tasks that fail every time: the database refuses a row of one person, and everyone around that person is served. The
// refusal is a trigger of the test database, because no request can carry what PostgreSQL refuses.
import assert from "node:assert/strict";
import { test } from "node:test";
import { newStage } from "@tidings/testkit/clock";
import { request } from "@tidings/testkit/http";
import { refused } from "@tidings/testkit/refusals";
import { startTestService } from "@tidings/testkit/service";
import { createWorkflow, inApp, notificationsOf, trigger } from "@tidings/testkit/verbs";
import { eventually } from "@tidings/testkit/wait";
import { sql } from "kysely";
import { newId } from "../../../src/lib/ids.ts";

const service = await startTestService();
const { client, db } = service;

/** Rows about people with this name are refused as long as the table says so. */
await sql`create table refusals (prefix text)`.execute(db);
await sql`
  create function refuse_row() returns trigger language plpgsql as $$ begin
    if exists (select 1 from subscribers s, refusals r
      where s.id = new.subscriber_id and starts_with(s.subscriber_id, r.prefix)) then
      raise exception 'this row is refused' using errcode = '23514';
    end if;
    return new;
  end $$`.execute(db);
await sql`create trigger refuse before insert on notifications for each row execute function refuse_row()`.execute(db);
await sql`create trigger refuse before insert on messages for each row execute function refuse_row()`.execute(db);
const refuse = (prefix: string) => sql`insert into refusals values (${prefix})`.execute(db);
const accept = (prefix: string) => sql`delete from refusals where prefix = ${prefix}`.execute(db);

const open = async (kind: string) => {
  const { data } = (await client("failedTasks.list", { query: { status: "open", limit: 100 } })).body;
  return data.filter((task) => task.kind === kind);
};
const people = (prefix: string, count: number) => Array.from({ length: count }, (_, index) => `${prefix}-${index}`);
/** Each of them has one message. */
async function areServed(names: string[], of: typeof client = client): Promise<boolean> {
  const { data } = (await of("messages.list", { query: { limit: 1000 } })).body;
  const messages = Map.groupBy(data, (message) => message.subscriber?.subscriberId);
  return names.every((name) => messages.get(name)?.length === 1);
}
const isServed = (name: string) => areServed([name]);

await createWorkflow(client, "news", [inApp({ body: "News" })]);

test("one recipient among many that cannot be written is set aside alone, and replayed when the cause is gone", async () => {
  await refuse("bad");
  const names = people("good", 60);
  await trigger(client, "news", [...names.slice(0, 40), "bad", ...names.slice(40)]);
  const [task] = await eventually(async () => {
    const found = await open("fanout");
    return found.length > 0 ? found : null;
  }, "the culprit to be set aside");
  await eventually(() => areServed(names), "everyone else to be served");
  assert.match(task!.error, /this row is refused/);
  assert.equal(task!.attempts, 3);
  assert.equal((task!.data.to as number) - (task!.data.from as number), 1);

  await accept("bad");
  const replayed = (await client("failedTasks.replay", { params: { id: task!.id } })).body;
  assert.equal(replayed.status, "replayed");
  await eventually(() => isServed("bad"), "the replayed recipient to be served");
  await refused(client, "failedTasks.replay", { params: { id: task!.id } }, "FAILED_TASK_NOT_OPEN");
  assert.ok((await areServed(names)) && (await isServed("bad")), "each is served once");
});

test("one event among a hundred is set aside alone", async () => {
  await refuse("lone");
  const names = people("crowd", 99);
  const events = [...names.slice(0, 50), "lone", ...names.slice(50)].map((to) => ({ name: "news", to }));
  await client("events.triggerBulk", { body: { events } as never });
  await eventually(() => areServed(names), "everyone else to be served");
  const [task] = await eventually(async () => {
    const found = await open("trigger");
    return found.length > 0 ? found : null;
  }, "the culprit to be set aside");
  assert.equal((task!.data.eventIds as string[]).length, 1);
  await accept("lone");
  await client("failedTasks.replay", { params: { id: task!.id } });
  await eventually(() => isServed("lone"), "the replayed event");
});

test("one member of a topic is set aside alone, and the walk goes on behind it", async () => {
  await refuse("member-07");
  const names = Array.from({ length: 30 }, (_, index) => `member-${String(index).padStart(2, "0")}`);
  await client("subscribers.createBulk", { body: { subscribers: names.map((subscriberId) => ({ subscriberId })) } });
  await client("topicSubscriptions.create", {
    params: { topicKey: "members" },
    body: { subscriptions: names },
  });
  const before = (await open("fanout")).length;
  const transactionId = await trigger(client, "news", { type: "Topic", topicKey: "members" });
  await eventually(() => areServed(names.filter((name) => name !== "member-07")), "the other members");
  const task = await eventually(async () => {
    const found = await open("fanout");
    return found.length > before ? found[0] : null;
  }, "the culprit to be set aside");
  await accept("member-07");
  await client("failedTasks.replay", { params: { id: task.id } });
  await eventually(() => isServed("member-07"), "the last member");
  const explained = await eventually(async () => {
    const query = { transactionId, subscriberId: "member-07" };
    const { body } = await client("explain.retrieve", { query });
    return body.event.status === "expanded" ? body : null;
  }, "the event to be expanded");
  assert.equal(explained.reached, true);
  assert.equal((await notificationsOf(client, transactionId)).length, 30);
});

test("a run that cannot go on after its wait is set aside alone", async () => {
  const stage = await newStage(service, "2026-03-02T09:00:00.000Z");
  const wait = { name: "Wait", type: "delay", controlValues: { amount: 1, unit: "hours" } } as const;
  await createWorkflow(stage.client, "later", [wait, inApp({ body: "Later" })]);
  const names = people("waiting", 9);
  const transactionId = await trigger(stage.client, "later", [...names, "stuck"]);
  await eventually(async () => {
    const runs = await notificationsOf(stage.client, transactionId);
    return runs.length === 10 && runs.every((run) => run.jobs![0]!.status === "delayed");
  }, "the runs to wait");
  await refuse("stuck");
  await stage.advance(1, "hours");
  await eventually(() => areServed(names, stage.client), "the other runs to go on");
  const { data } = await eventually(async () => {
    const { body } = await stage.client("failedTasks.list", {});
    return body.data.length > 0 ? body : null;
  }, "the culprit to be set aside");
  assert.deepEqual([data[0]!.kind, (data[0]!.data.notificationIds as string[]).length], ["wake", 1]);
  // Another environment does not see it.
  await refused(client, "failedTasks.replay", { params: { id: data[0]!.id } }, "FAILED_TASK_NOT_FOUND");
});

test("an unknown failed task is 404", async () => {
  for (const id of [newId(), "nonsense"]) {
    await refused(client, "failedTasks.replay", { params: { id } }, "FAILED_TASK_NOT_FOUND");
  }
  const metrics = await request(service, "/metrics", {});
  assert.match(metrics.text, /tidings_failed_tasks_total\{kind="fanout"\} [1-9]/);
});
