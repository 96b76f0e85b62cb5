// Requests that come while the people of a broadcast, or of an event to an audience, are being fixed.
import assert from "node:assert/strict";
import { test } from "node:test";
import { startTestService } from "@tidings/testkit/service";
import { createWorkflow, inApp } from "@tidings/testkit/verbs";
import { eventually } from "@tidings/testkit/wait";
import { sql } from "kysely";
import { countRuns, createDraft, createList, idsOf, inStatus, retrieveBroadcast, sendBroadcast } from "./lists.ts";

const service = await startTestService();
const { client, db } = service;
await createWorkflow(client, "news", [inApp()]);
await createList(client, "crowd", idsOf("crowd", 20));
const crowd = { content: { workflowId: "news" }, audience: { include: ["crowd"] } };

// An audience that takes long to read, until the gate is open.
await sql`create table gate (is_open boolean)`.execute(db);
await sql`create function pass_gate() returns trigger language plpgsql as $$ begin
  for tries in 1..600 loop
    exit when exists (select 1 from gate where is_open);
    perform pg_sleep(0.05);
  end loop;
  return null;
end $$`.execute(db);
await sql`create trigger pass_gate before insert on event_pages execute function pass_gate()`.execute(db);

const closeGate = () => sql`delete from gate`.execute(db);
const openGate = () => sql`insert into gate values (true)`.execute(db);

async function countFreezes(): Promise<number> {
  const { rows } = await sql`select 1 from pg_stat_activity where datname = current_database() and state = 'active'
    and query like '%insert into event_pages%' and pid <> pg_backend_pid()`.execute(db);
  return rows.length;
}
const isFixing = () => eventually(async () => (await countFreezes()) === 1, "the people to be fixed");
/** The transaction of the freeze removes its task. */
const isFixed = () =>
  eventually(async () => {
    const { rows } = await sql`select 1 from queue.job_common where name = 'fanout' and state <= 'active'`.execute(db);
    return rows.length === 0;
  }, "the end of fixing");
const countPages = async (transactionId: string) =>
  (
    await sql`select 1 from event_pages p join events e on e.id = p.event_id
      where e.transaction_id = ${transactionId}`.execute(db)
  ).rows.length;

/** A broadcast whose people are being fixed. */
async function sendAndFix() {
  await closeGate();
  const { _id: broadcastId } = await createDraft(client, crowd);
  const { transactionId } = await sendBroadcast(client, broadcastId);
  await isFixing();
  return { params: { broadcastId }, broadcastId, transactionId: transactionId! };
}

test("a pause does not wait: no person is started, and resuming fixes the people again", async () => {
  const { params, broadcastId, transactionId } = await sendAndFix();
  const paused = (await client("broadcasts.pause", { params })).body;
  assert.deepEqual([paused.status, paused.startedAt, paused.progress.people], ["paused", null, null]);
  assert.equal(await countFreezes(), 1, "it did not wait for the people");
  await openGate();
  await isFixed();
  await createList(client, "joined", ["joined"]);
  await client("audiences.addMembers", { params: { audienceId: "crowd" }, body: { subscriberIds: ["joined"] } });
  assert.equal((await retrieveBroadcast(client, broadcastId)).status, "paused");
  assert.equal((await client("broadcasts.resume", { params })).body.status, "scheduled");
  const { progress } = await inStatus(client, broadcastId, "completed");
  assert.deepEqual([progress.people, progress.started], [21, 21]);
  assert.equal((await countRuns(service, transactionId)).size, 21);
  await client("audiences.removeMembers", { params: { audienceId: "crowd" }, body: { subscriberIds: ["joined"] } });
});

test("a broadcast that is paused and resumed meanwhile is sent to everyone once", async () => {
  const { params, broadcastId, transactionId } = await sendAndFix();
  await client("broadcasts.pause", { params });
  assert.equal((await client("broadcasts.resume", { params })).body.status, "scheduled");
  assert.equal(await countFreezes(), 1, "they did not wait for the people");
  await openGate();
  await inStatus(client, broadcastId, "completed");
  const runs = await countRuns(service, transactionId);
  assert.equal(runs.size, 20);
  assert.ok([...runs.values()].every((count) => count === 1));
});

test("a stop does not wait, and is for good", async () => {
  const { params, broadcastId, transactionId } = await sendAndFix();
  assert.equal((await client("broadcasts.stop", { params })).body.status, "stopped");
  assert.equal(await countFreezes(), 1, "it did not wait for the people");
  await openGate();
  await isFixed();
  assert.equal(await countPages(transactionId), 0);
  assert.equal((await retrieveBroadcast(client, broadcastId)).status, "stopped");
  assert.equal((await countRuns(service, transactionId)).size, 0);
});

test("an event to an audience that is canceled meanwhile reaches nobody", async () => {
  await closeGate();
  const to = { type: "Audience", audienceId: "crowd" };
  const { body } = await client("events.trigger", { body: { name: "news", to } as never });
  const transactionId = body.transactionId!;
  await isFixing();
  await client("events.cancel", { params: { transactionId } });
  assert.equal(await countFreezes(), 1, "it did not wait for the people");
  await openGate();
  await isFixed();
  assert.equal(await countPages(transactionId), 0);
  assert.equal((await countRuns(service, transactionId)).size, 0);
});
