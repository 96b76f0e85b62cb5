// kill -9 while a broadcast runs: everyone in the audience at the moment of sending is started exactly once.
// `TEST_LONG=1 PEOPLE=100000 KILLS=5` runs it as large, with two services on one PostgreSQL that is killed too.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { isLong } from "@tidings/testkit/long";
import { startKillable } from "@tidings/testkit/postgres/killable";
import { temporaryFolder } from "@tidings/testkit/process";
import { superviseServices } from "@tidings/testkit/programs/kills";
import { createWorkflow, inApp } from "@tidings/testkit/verbs";
import { eventually } from "@tidings/testkit/wait";
import pg from "pg";
import { createDraft, inStatus, retrieveBroadcast, sendBroadcast } from "../../app/broadcasts/lists.ts";
import { environmentOf } from "../sources/shop.ts";

const people = isLong ? Number(process.env.PEOPLE ?? "20000") : 4_000;
const kills = isLong ? Number(process.env.KILLS ?? "5") : 2;
const services = isLong ? 2 : 1;
const limitMs = 600_000;

/** By SQL, since creating 100,000 people takes longer than sending to them. */
const addPeople = `insert into subscribers (id, environment_id, subscriber_id, data, created_at, updated_at)
  select gen_random_uuid(), $1, 'p' || n, '{"plan":"pro"}', now(), now() from generate_series(1, $2::int) as n`;

const countStarted = `select count(*)::int as runs, count(distinct n.subscriber_id)::int as people
  from notifications n join events e on e.id = n.event_id where e.transaction_id = $1`;
const countMessages = `select count(*)::int as messages, count(distinct m.subscriber_id)::int as people
  from messages m join notifications n on n.id = m.notification_id join events e on e.id = n.event_id
  where e.transaction_id = $1`;

test(`${people} people and ${kills} kills: each exactly once`, async (context) => {
  const server = await startKillable("broadcast");
  context.after(() => server.stop());
  const folder = temporaryFolder(context);
  const settings = {
    DATABASE_URL: server.url,
    TIDINGS_ENCRYPTION_KEY: randomBytes(32).toString("base64"),
    TIDINGS_API_KEY: randomBytes(16).toString("hex"),
    TIDINGS_THREADS: "1",
  };
  const running = await superviseServices(folder, settings, 1);
  let client = await running.client();
  const query = async (text: string, values: unknown[]) => {
    const connection = new pg.Client({ connectionString: server.url });
    await connection.connect();
    try {
      return (await connection.query(text, values)).rows[0];
    } finally {
      await connection.end();
    }
  };
  const environmentId = await environmentOf(client);
  await createWorkflow(client, "news", [inApp({ body: "News" })]);
  await query(addPeople, [environmentId, people]);
  const rule = { "==": [{ var: "subscriber.data.plan" }, "pro"] };
  await client("audiences.create", { body: { audienceId: "pro", name: "Pro", rule, allowEveryone: true } } as never);
  const draft = await createDraft(client, { content: { workflowId: "news" }, audience: { include: ["pro"] } });
  for (let n = 1; n < services; n++) running.add();
  const { transactionId } = await sendBroadcast(client, draft._id);

  for (let kill = 1; kill <= kills; kill++) {
    const share = (people * kill) / (kills + 1);
    const started = () => query(countStarted, [transactionId]).then((row) => (row.runs >= share ? row.runs : null));
    await eventually(started, `${share} people`, limitMs);
    if (kill % 3 === 0) await server.restart();
    else await running.kill(20 * kill);
    // People who join later are not part of it.
    await query(addPeople.replace("'p' || n", `'late${kill}-' || n`), [environmentId, 10]);
    client = await running.client();
  }
  const { progress } = await inStatus(client, draft._id, "completed", limitMs);
  assert.equal(progress.people, people);
  assert.equal(progress.started, people);
  assert.deepEqual(await query(countStarted, [transactionId]), { runs: people, people });
  const settled = () => query(countMessages, [transactionId]).then((row) => (row.messages >= people ? row : null));
  assert.deepEqual(await eventually(settled, "all messages", limitMs), { messages: people, people });
  assert.equal((await retrieveBroadcast(client, draft._id)).status, "completed");
});
