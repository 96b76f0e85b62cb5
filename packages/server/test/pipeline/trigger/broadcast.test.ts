// A broadcast reaches everyone once: in pages, whatever happens to the workers, and not at all when it is canceled in
// time.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { startTestService, startWorker as startWorkerBeside } from "@tidings/testkit/service";
import { createWorkflow, feedOf, inApp, settled } from "@tidings/testkit/verbs";
import { eventually } from "@tidings/testkit/wait";
import { sql } from "kysely";

// The service under test only handles requests; workers come and go next to it.
const TIDINGS_ENCRYPTION_KEY = randomBytes(32).toString("base64");
const service = await startTestService({ TIDINGS_ROLE: "api", TIDINGS_ENCRYPTION_KEY });
const { client, production, db } = service;

const startWorker = () => startWorkerBeside(service, TIDINGS_ENCRYPTION_KEY);

const people = 2_345;
const reached = async (transactionId: string) =>
  (
    await sql<{ total: number; distinct: number }>`
      select count(*) as total, count(distinct n.subscriber_id) as distinct
      from notifications n join events e on e.id = n.event_id where e.transaction_id = ${transactionId}`.execute(db)
  ).rows[0]!;

const isExpanded = async (transactionId: string) =>
  (await sql`select 1 from events where transaction_id = ${transactionId} and expanded_at is not null`.execute(db)).rows
    .length > 0;

const breakOff = () =>
  sql`select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database()
    and application_name = 'tidings' and state <> 'idle' and pid <> pg_backend_pid()`.execute(db);

await createWorkflow(client, "hello", [inApp({ body: "Hi {{subscriber.firstName}}, {{payload.text}}" })]);
await createWorkflow(client, "strict", [inApp()], {
  validatePayload: true,
  payloadSchema: { type: "object", required: ["text"], properties: { text: { type: "string" } } },
});

const broadcast = async (body: { name: string; payload: object; transactionId?: string; actor?: string }) =>
  (await client("events.broadcast", { body: body as never })).body;

test("an environment without subscribers, and requests that are refused", async () => {
  const raw = async (body: unknown) => {
    const answer = await client.raw("events.broadcast", { body });
    const { code, message, errors } = answer.body as { code: string; message: string; errors: object };
    return { status: answer.status, code, message, errors };
  };
  assert.equal((await broadcast({ name: "hello", payload: {}, transactionId: "to-none" })).status, "processed");
  const worker = await startWorker();
  await eventually(() => isExpanded("to-none"), "the end of a broadcast to nobody");
  await worker.stop();
  assert.equal((await reached("to-none")).total, 0);
  const unknown = await raw({ name: "nope", payload: {} });
  assert.deepEqual(
    [unknown.status, unknown.code, unknown.message],
    [404, "WORKFLOW_NOT_FOUND", "Workflow nope not found"],
  );
  const strict = await raw({ name: "strict", payload: {} });
  assert.deepEqual([strict.status, strict.code], [400, "PAYLOAD_VALIDATION_ERROR"]);
  const missing = await raw({ payload: 1, to: 7 });
  assert.equal(missing.status, 422);
  assert.deepEqual(Object.keys(missing.errors).sort(), ["name", "payload"]);
  const large = await raw({ name: "hello", payload: { text: "x".repeat(524_288) } });
  assert.deepEqual([large.status, large.code], [413, "PAYLOAD_TOO_LARGE"]);
  await createWorkflow(client, "asleep", [inApp()], { active: false });
  assert.equal((await broadcast({ name: "asleep", payload: {} })).status, "trigger_not_active");
});

test("everyone is reached once, page by page, although workers come and go", async () => {
  for (let from = 0; from < people; from += 500) {
    const count = Math.min(500, people - from);
    const subscribers = Array.from({ length: count }, (_, index) => ({
      subscriberId: `s${from + index}`,
      firstName: `N${from + index}`,
    }));
    await client("subscribers.createBulk", { body: { subscribers } });
  }
  await production("subscribers.create", { body: { subscriberId: "elsewhere" } });
  const body = { name: "hello", payload: { text: "all" }, transactionId: "to-all", actor: "s1" };
  const result = await broadcast(body);
  assert.deepEqual(result, { acknowledged: true, status: "processed", transactionId: "to-all" });
  assert.deepEqual(await broadcast(body), result, "an event with the same transaction id is accepted once");

  // One worker is stopped on the way, and the transactions of the next are broken off.
  const first = await startWorker();
  await eventually(async () => (await reached("to-all")).total > 0, "the first page");
  await first.stop();
  const second = await startWorker();
  await breakOff();
  await eventually(async () => isExpanded("to-all"), "the last page", 60_000);
  await second.stop();
  assert.deepEqual(await reached("to-all"), { total: people, distinct: people });
  const [item] = await feedOf(client, `s${people - 1}`);
  assert.equal(item!.content, `Hi N${people - 1}, all`);
  assert.equal((await feedOf(client, "s1")).length, 1, "the actor is left out of topics only");
});

test("a broadcast or an event that is canceled before it is taken up reaches nobody", async () => {
  const { transactionId } = await broadcast({ name: "hello", payload: { text: "no" } });
  // More recipients than are worked on at once.
  const several = await client("events.trigger", { body: { name: "hello", to: ["s1", "s2", "s3", "s4", "s5", "s6"] } });
  const cancel = async (id: string) => (await client("events.cancel", { params: { transactionId: id } })).body;
  for (const id of [transactionId!, several.body.transactionId!]) {
    assert.equal(await cancel(id), true);
    assert.equal(await cancel(id), false);
  }
  const last = await client("events.trigger", { body: { name: "hello", to: "s2" } });
  const worker = await startWorker();
  await settled(client, last.body.transactionId!);
  await worker.stop();
  assert.equal((await reached(transactionId!)).total, 0);
  assert.equal((await reached(several.body.transactionId!)).total, 0);
});
