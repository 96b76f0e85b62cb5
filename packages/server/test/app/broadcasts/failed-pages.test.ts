// People of a broadcast whose start fails every time: they are counted, the others get it, and a replay of the failed
// task starts them exactly once, whatever the broadcast does by then. The refusal is a trigger of the test database.
import assert from "node:assert/strict";
import { test } from "node:test";
import { newStage } from "@tidings/testkit/clock";
import { startTestService } from "@tidings/testkit/service";
import { createWorkflow, inApp } from "@tidings/testkit/verbs";
import { eventually } from "@tidings/testkit/wait";
import { sql } from "kysely";
import { countRuns, createDraft, createList, idsOf, inStatus, retrieveBroadcast, sendBroadcast } from "./lists.ts";

const service = await startTestService();
const { client, db } = service;
type Client = typeof client;

/** Runs of people whose id begins so are refused as long as the table says so. */
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
const refuse = (prefix: string) => sql`insert into refusals values (${prefix})`.execute(db);
const accept = (prefix: string) => sql`delete from refusals where prefix = ${prefix}`.execute(db);

await createWorkflow(client, "news", [inApp({ body: "News" })]);

async function sendTo(on: Client, audienceId: string, more: object = {}): Promise<string> {
  const content = { workflowId: "news" };
  const { _id } = await createDraft(on, { content, audience: { include: [audienceId] }, ...more });
  await sendBroadcast(on, _id);
  return _id;
}

const failedTask = (on: Client): Promise<string> =>
  eventually(async () => {
    const { data } = (await on("failedTasks.list", { query: { status: "open" } })).body;
    return data[0]?.id;
  }, "the page to be set aside");
const replay = (on: Client, id: string) => on("failedTasks.replay", { params: { id } });
const countsOf = async (on: Client, broadcastId: string) => {
  const { status, progress } = await retrieveBroadcast(on, broadcastId);
  return [status, progress.people, progress.started, progress.failed];
};
const everyoneOnce = async (on: Client, broadcastId: string, ids: string[]) => {
  const { transactionId } = await retrieveBroadcast(on, broadcastId);
  const expected = Object.fromEntries(ids.map((id) => [id, 1]));
  assert.deepEqual(Object.fromEntries(await countRuns(service, transactionId!)), expected);
};

for (const [what, others] of [
  ["one of thirty", 29],
  ["the only one", 0],
] as const) {
  test(`${what} fails: the broadcast says so, and a replay after its end starts that person once`, async () => {
    const bad = `bad${others}`;
    const ids = [bad, ...idsOf(`good${others}-`, others)];
    await createList(client, `list${others}`, ids);
    await refuse(bad);
    const broadcastId = await sendTo(client, `list${others}`);
    const task = await failedTask(client);
    await inStatus(client, broadcastId, "completed");
    assert.deepEqual(await countsOf(client, broadcastId), ["completed", others + 1, others, 1]);
    await accept(bad);
    await replay(client, task);
    await eventually(async () => (await retrieveBroadcast(client, broadcastId)).progress.failed === 0, "the replay");
    assert.deepEqual(await countsOf(client, broadcastId), ["completed", others + 1, others + 1, 0]);
    await everyoneOnce(client, broadcastId, ids);
  });
}

test("a page that is replayed during a pause starts when the broadcast resumes", async () => {
  const stage = await newStage(service, "2027-03-01T00:00:00.000Z");
  await createWorkflow(stage.client, "news", [inApp({ body: "News" })]);
  const ids = ["slow0", "slow1", "slow2"];
  await createList(stage.client, "slow", ids);
  await refuse("slow0");
  const broadcastId = await sendTo(stage.client, "slow", { pace: { perMinute: 6 } });
  await stage.advance(1, "seconds");
  const task = await failedTask(stage.client);
  const params = { broadcastId };
  await stage.client("broadcasts.pause", { params });
  await accept("slow0");
  await replay(stage.client, task);
  await stage.advance(1, "minutes");
  const [, , started, failed] = await countsOf(stage.client, broadcastId);
  assert.ok(Number(started) < 3 && failed === 0, `${started} started, ${failed} failed`);
  await stage.client("broadcasts.resume", { params });
  await stage.advance(1, "minutes");
  assert.deepEqual(await countsOf(stage.client, broadcastId), ["completed", 3, 3, 0]);
  await everyoneOnce(stage.client, broadcastId, ids);
});

test("a page that is replayed after a stop does not start", async () => {
  const stage = await newStage(service, "2027-03-01T00:00:00.000Z");
  await createWorkflow(stage.client, "news", [inApp({ body: "News" })]);
  await createList(stage.client, "halt", idsOf("halt", 3));
  await refuse("halt");
  const broadcastId = await sendTo(stage.client, "halt", { pace: { perMinute: 6 } });
  await stage.advance(1, "seconds");
  const task = await failedTask(stage.client);
  await stage.client("broadcasts.stop", { params: { broadcastId } });
  await accept("halt");
  await replay(stage.client, task);
  await stage.advance(1, "minutes");
  const [status, , started] = await countsOf(stage.client, broadcastId);
  assert.deepEqual([status, started], ["stopped", 0]);
});
