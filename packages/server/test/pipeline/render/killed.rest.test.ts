// Steps that change people and start workflows, in a process that is killed in the middle: each takes effect once.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { temporaryFolder } from "@tidings/testkit/process";
import { startTestService, startWorker } from "@tidings/testkit/service";
import { createWorkflow, inApp } from "@tidings/testkit/verbs";
import { eventually } from "@tidings/testkit/wait";
import { sql } from "kysely";

const encryptionKey = randomBytes(32).toString("base64");
const service = await startTestService({ TIDINGS_ENCRYPTION_KEY: encryptionKey, TIDINGS_ROLE: "api" });
const { client, db } = service;

const count = async (query: ReturnType<typeof sql<{ n: number }>>): Promise<number> =>
  (await query.execute(db)).rows[0]!.n;
const changes = () => count(sql`select count(*)::int as n from audit_log where subscriber_id like 'p-%'`);
const messages = () => count(sql`select count(*)::int as n from messages`);

test("every person is changed once, and gets one message of the started workflow", async (context) => {
  const people = 2_000;
  const data = '{ "count": {{ subscriber.data.count | default: 0 | plus: 1 }} }';
  await createWorkflow(client, "started", [inApp({ body: "{{ subscriber.data.count }}" })]);
  await createWorkflow(client, "acts", [
    { name: "Set", type: "update_subscriber", controlValues: { data } },
    { name: "Start", type: "start_workflow", controlValues: { workflowId: "started" } },
  ]);
  const ids = Array.from({ length: people }, (_, index) => `p-${index}`);
  const events = Array.from({ length: people / 100 }, (_, at) => ({
    name: "acts",
    to: ids.slice(at * 100, at * 100 + 100),
  }));
  await client("events.triggerBulk", { body: { events } });
  const killed = temporaryFolder(context).run({
    DATABASE_URL: service.database.url,
    TIDINGS_ENCRYPTION_KEY: encryptionKey,
    TIDINGS_ROLE: "worker",
  });
  await eventually(async () => (await changes()) > 0, "some batches", 60_000);
  await killed.end("SIGKILL");
  assert.ok((await messages()) < people, "there was work left");
  // Its heartbeat would lapse after 10 s.
  await sql`update queue.job_common set heartbeat_on = '-infinity' where state = 'active'`.execute(db);
  const worker = await startWorker(service, encryptionKey);
  try {
    await eventually(async () => (await messages()) >= people, "all messages", 60_000);
  } finally {
    await worker.stop();
  }
  assert.equal(await changes(), people);
  assert.equal(await messages(), people);
  assert.equal(await count(sql`select count(*)::int as n from subscribers where data = '{"count": 1}'`), people);
  assert.equal(await count(sql`select count(*)::int as n from events where started_by is not null`), people);
});
