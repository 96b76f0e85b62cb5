// Large topics are walked page by page: whatever happens to the workers, nobody is skipped and nobody comes up twice.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { startTestService, startWorker as startWorkerBeside } from "@tidings/testkit/service";
import { createWorkflow, inApp } from "@tidings/testkit/verbs";
import { eventually } from "@tidings/testkit/wait";
import { sql } from "kysely";

// The service under test only handles requests; workers come and go next to it.
const TIDINGS_ENCRYPTION_KEY = randomBytes(32).toString("base64");
const service = await startTestService({ TIDINGS_ROLE: "api", TIDINGS_ENCRYPTION_KEY });
const { client, db } = service;

const startWorker = () => startWorkerBeside(service, TIDINGS_ENCRYPTION_KEY);

const people = 2_500;
const reached = async (transactionId: string) =>
  (
    await sql<{ total: number; distinct: number; both: number }>`
      select count(*) as total, count(distinct n.subscriber_id) as distinct,
             count(*) filter (where jsonb_array_length(n.subscriptions) = 2) as both
      from notifications n join events e on e.id = n.event_id where e.transaction_id = ${transactionId}`.execute(db)
  ).rows[0]!;

const isExpanded = async (transactionId: string) =>
  (await sql`select 1 from events where transaction_id = ${transactionId} and expanded_at is not null`.execute(db)).rows
    .length > 0;

const breakOff = () =>
  sql`select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database()
    and application_name = 'tidings' and state <> 'idle' and pid <> pg_backend_pid()`.execute(db);

/** Everyone is in `all`, every third is in `some` as well. */
async function fillTopics(): Promise<void> {
  for (let from = 0; from < people; from += 500) {
    const subscribers = Array.from({ length: 500 }, (_, index) => ({ subscriberId: `s${from + index}` }));
    await client("subscribers.createBulk", { body: { subscribers } });
  }
  await client("topicSubscriptions.create", { params: { topicKey: "all" }, body: { subscriptions: [] } });
  await client("topicSubscriptions.create", { params: { topicKey: "some" }, body: { subscriptions: [] } });
  await sql`insert into topic_subscriptions (id, environment_id, topic_id, subscriber_id, identifier, created_at, updated_at)
    select gen_random_uuid(), s.environment_id, t.id, s.id, t.key || s.subscriber_id, now(), now()
    from subscribers s join topics t on t.environment_id = s.environment_id
    where t.key = 'all' or substr(s.subscriber_id, 2)::int % 3 = 0`.execute(db);
}

await createWorkflow(client, "news", [inApp({ body: "{{payload.text}}" })]);
await fillTopics();

const topic = (topicKey: string, exclude: string[] = []) => ({ type: "Topic" as const, topicKey, exclude });

test("everyone once, although workers come and go", async () => {
  const to = [topic("some", ["s7"]), "s3", topic("all", ["s8"]), "newcomer"];
  await client("events.trigger", { body: { name: "news", to, transactionId: "to-topics", actor: "s9" } });
  // One worker is stopped on the way, and the transactions of the next are broken off.
  const first = await startWorker();
  await eventually(async () => (await reached("to-topics")).total > 0, "the first page");
  await first.stop();
  const second = await startWorker();
  await breakOff();
  await eventually(() => isExpanded("to-topics"), "the last page", 60_000);
  await second.stop();
  // Not s7, s8 and the actor s9; s3 is named directly, as is someone who is in no topic.
  const expected = people - 3 + 1;
  const inBoth = Math.ceil(people / 3) - 2;
  assert.deepEqual(await reached("to-topics"), { total: expected, distinct: expected, both: inBoth });
});

test("a topic event that is canceled before it is taken up reaches nobody", async () => {
  await client("events.trigger", { body: { name: "news", to: topic("all"), transactionId: "canceled" } });
  assert.equal((await client("events.cancel", { params: { transactionId: "canceled" } })).body, true);
  await client("events.trigger", { body: { name: "news", to: topic("none"), transactionId: "behind" } });
  const worker = await startWorker();
  await eventually(() => isExpanded("behind"), "the event behind it");
  await worker.stop();
  assert.equal((await reached("canceled")).total, 0);
});

test("a later event of the request starts when the whole audience of an earlier one has been walked", async () => {
  const events = [
    { name: "news", to: topic("all"), transactionId: "walk-1" },
    { name: "news", to: topic("all"), transactionId: "walk-2" },
    { name: "news", to: "s3", transactionId: "walk-3" },
    { name: "news", to: topic("some"), transactionId: "walk-4" },
  ];
  await client("events.triggerBulk", { body: { events } });
  const worker = await startWorker();
  await eventually(() => isExpanded("walk-1"), "the end of the first walk", 60_000);
  await eventually(async () => (await reached("walk-2")).total > 0, "the second walk");
  // Those who were not reached yet are not reached; the events behind it continue.
  await client("events.cancel", { params: { transactionId: "walk-2" } });
  await eventually(() => isExpanded("walk-4"), "the end of the last walk", 60_000);
  await worker.stop();
  assert.equal((await reached("walk-1")).total, people);
  assert.equal((await reached("walk-3")).total, 1);
  const { rows } = await sql<{ overtaken: number }>`
    select count(*)::int as overtaken from notifications n join events e on e.id = n.event_id
    join notifications later on later.subscriber_id = n.subscriber_id and later.id < n.id
    join events l on l.id = later.event_id and l.id > e.id
    where e.transaction_id like 'walk-%' and l.transaction_id like 'walk-%'`.execute(db);
  assert.equal(rows[0]!.overtaken, 0);
});

test("the audience is read from an index, never from the whole table", async () => {
  await sql`analyze topic_subscriptions`.execute(db);
  const { rows } = await sql<{ "QUERY PLAN": string }>`explain
    select distinct m.subscriber_id from topic_subscriptions m
    where m.topic_id = (select id from topics where key = 'all') and m.context_keys = '{}'::text[]
      and m.subscriber_id > ${"00000000-0000-7000-8000-000000000000"}
    order by m.subscriber_id limit 100`.execute(db);
  assert.match(
    rows.map((row) => row["QUERY PLAN"]).join("\n"),
    /Index (Only )?Scan using topic_subscriptions_(audience|member)/,
  );
});
