// The priority of an event to audiences, and of a broadcast, holds for every task until the last person has started.
import assert from "node:assert/strict";
import { test } from "node:test";
import { startTestService } from "@tidings/testkit/service";
import { createWorkflow, inApp } from "@tidings/testkit/verbs";
import { eventually } from "@tidings/testkit/wait";
import { sql } from "kysely";
import { createDraft, createList, idsOf, inStatus, retrieveBroadcast, sendBroadcast } from "./lists.ts";

const { client, db } = await startTestService();
await createWorkflow(client, "news", [inApp()]);
await createWorkflow(client, "newsletter", [inApp()], { priority: "low" });
await createList(client, "crowd", idsOf("crowd", 1_203));

// Tasks leave the queue when they are done, so each is written down when it comes.
await sql`create table seen_tasks (kind text, data jsonb)`.execute(db);
await sql`create function see_task() returns trigger language plpgsql as $$ begin
  if new.name in ('trigger', 'fanout') then insert into public.seen_tasks values (new.name, new.data); end if;
  return null;
end $$`.execute(db);
await sql`create trigger see_task after insert on queue.job_common for each row execute function see_task()`.execute(
  db,
);

/** The priorities of the tasks of an event, by what they are. */
async function prioritiesOf(transactionId: string): Promise<Record<string, (string | null)[]>> {
  const { rows } = await sql<{ part: string; priorities: (string | null)[] }>`
    select case when kind = 'trigger' then 'event' when data ? 'isFreeze' then 'freeze' when data ? 'lane' then 'page'
        else 'end' end as part, array_agg(distinct data->>'priority') as priorities
    from seen_tasks join events e on e.id::text = coalesce(data->>'eventId', data->'eventIds'->>0)
    where e.transaction_id = ${transactionId} group by 1`.execute(db);
  return Object.fromEntries(rows.map(({ part, priorities }) => [part, priorities]));
}

const low = { event: ["low"], freeze: ["low"], page: ["low"], end: ["low"] };

test("an event to an audience keeps the priority of its trigger", async () => {
  const to = { type: "Audience", audienceId: "crowd" };
  const { body } = await client("events.trigger", { body: { name: "news", to, priority: "low" } as never });
  const transactionId = body.transactionId!;
  await eventually(async () => {
    const { data } = (await client("activity.listEvents", { query: { search: transactionId } })).body;
    return data[0]?.status === "expanded";
  }, "everyone to start");
  assert.deepEqual(await prioritiesOf(transactionId), low);
});

test("a broadcast keeps the priority of its workflow, also when it is resumed before and after its start", async () => {
  const { _id: broadcastId } = await createDraft(client, {
    content: { workflowId: "newsletter" },
    audience: { include: ["crowd"] },
    time: { kind: "at", at: new Date(Date.now() + 2_000).toISOString() },
    pace: { perMinute: 3_000 },
  });
  await sendBroadcast(client, broadcastId);
  const params = { broadcastId };
  await client("broadcasts.pause", { params });
  await client("broadcasts.resume", { params });
  await eventually(async () => (await retrieveBroadcast(client, broadcastId)).progress.started > 0, "the first page");
  await client("broadcasts.pause", { params });
  await sql`update broadcasts set pace = '{}' where id = ${broadcastId}`.execute(db);
  await sql`update event_pages set due_at = now() where state = 'waiting'`.execute(db);
  const { transactionId } = await retrieveBroadcast(client, broadcastId);
  assert.deepEqual(await prioritiesOf(transactionId!), low);
  await sql`truncate seen_tasks`.execute(db);
  await client("broadcasts.resume", { params });
  await inStatus(client, broadcastId, "completed");
  assert.deepEqual(await prioritiesOf(transactionId!), { page: ["low"], end: ["low"] });
});
