// Small events are worked on in the transaction that accepts them. The service under test has no workers, so a message
// that exists when the response arrives was created by the request; what is left to the queue stays there.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { startTestService, startWorker } from "@tidings/testkit/service";
import { createWorkflow, email, feedOf, inApp, messagesOf, settled, trigger } from "@tidings/testkit/verbs";
import { sql } from "kysely";
import { inTransaction } from "../../../src/store/db.ts";

const TIDINGS_ENCRYPTION_KEY = randomBytes(32).toString("base64");
const service = await startTestService({ TIDINGS_ROLE: "api", TIDINGS_ENCRYPTION_KEY });
const { client, production, db } = service;

const countTasks = async (name: string): Promise<number> => {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from queue.job_common where name = ${name} and state < 'completed'`.execute(db);
  return rows[0]!.count;
};

for (const [name, caller] of Object.entries({ development: client, production })) {
  test(`in ${name}, the message is in the feed when the request is answered, and no task is left`, async () => {
    const before = await countTasks("trigger");
    await createWorkflow(caller, "hello", [inApp(), inApp({ body: "Second" })]);
    const to = [{ subscriberId: "new", firstName: "New" }, "other"];
    await trigger(caller, "hello", to, { name: "Ada" });
    const contents = (await feedOf(caller, "new")).map(({ content }) => content);
    assert.deepEqual(contents.sort(), ["Hello Ada", "Second"]);
    assert.equal((await feedOf(caller, "other")).length, 2);
    assert.equal(await countTasks("trigger"), before);
  });
}

test("a mail is handed to the deliver stage by the request", async () => {
  await createWorkflow(client, "mail", [email()]);
  const before = await countTasks("deliver");
  const transactionId = await trigger(client, "mail", { subscriberId: "mail", email: "a@example.com" });
  assert.equal((await messagesOf(client, transactionId)).length, 1);
  assert.equal(await countTasks("deliver"), before + 1);
});

test("steps that wait, more than five recipients, bulk requests and audiences are left to the queue", async () => {
  const delay = { name: "Wait", type: "delay", controlValues: { amount: 1, unit: "days" } } as const;
  await createWorkflow(client, "waits", [delay, inApp()]);
  await createWorkflow(client, "plain", [inApp()]);
  await client("topics.create", { body: { key: "news", name: "News" } });
  const before = await countTasks("trigger");
  await trigger(client, "waits", "a");
  await trigger(client, "plain", ["a", "b", "c", "d", "e", "f"]);
  await trigger(client, "plain", { type: "Topic", topicKey: "news" });
  await client("events.triggerBulk", { body: { events: Array.from("abcdef", (to) => ({ name: "plain", to })) } });
  assert.equal(await countTasks("trigger"), before + 4);
});

test("a subscriber that another transaction is changing leaves the event to the queue, which delivers it later", async () => {
  await createWorkflow(client, "update", [inApp({ body: "Hello {{ subscriber.firstName }}" })]);
  await client("subscribers.create", { body: { subscriberId: "busy", firstName: "Old" } });
  const before = await countTasks("trigger");
  let transactionId = "";
  await inTransaction(db, async (tx) => {
    await sql`select 1 from subscribers where subscriber_id = 'busy' for update`.execute(tx);
    transactionId = await trigger(client, "update", { subscriberId: "busy", firstName: "Changed" });
    assert.equal(await countTasks("trigger"), before + 1);
  });
  assert.deepEqual(await messagesOf(client, transactionId), []);
  const reason = service.logs.find(({ msg }) => String(msg).startsWith("events could not be worked on"));
  assert.match(JSON.stringify(reason), /lock timeout/);
  const worker = await startWorker(service, TIDINGS_ENCRYPTION_KEY);
  await settled(client, transactionId);
  await worker.stop();
  assert.deepEqual(
    (await feedOf(client, "busy")).map(({ content }) => content),
    ["Hello Changed"],
  );
});
