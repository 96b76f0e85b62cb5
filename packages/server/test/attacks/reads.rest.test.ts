// Expensive reads of one environment: they time out, they wait for each other, and they never delay a trigger. A row
// lock of the test makes them slow, so that the test does not depend on the speed of the machine.
import assert from "node:assert/strict";
import { test } from "node:test";
import { newStage } from "@tidings/testkit/clock";
import { refused } from "@tidings/testkit/refusals";
import { startTestService } from "@tidings/testkit/service";
import { createWorkflow, feedOf, inApp, settled, trigger } from "@tidings/testkit/verbs";
import { eventually } from "@tidings/testkit/wait";
import { sql } from "kysely";

const service = await startTestService({ TIDINGS_READ_SECONDS: "1" });
const { client, db } = service;
await createWorkflow(client, "news", [inApp({ body: "News" })]);

test("a search finds parts of ids, addresses and transaction ids, and whole transaction ids", async () => {
  const { client: own } = await newStage(service);
  await createWorkflow(own, "news", [inApp({ body: "News" })]);
  const transactionId = await trigger(own, "news", { subscriberId: "grace-hopper", email: "grace@navy.example" });
  await settled(own, transactionId);
  const found = async (search: string) => (await own("notifications.list", { query: { search } })).body.data.length;
  for (const text of ["hopp", "@navy.ex", "gr", transactionId, transactionId.slice(8, 20)]) {
    assert.equal(await found(text), 1, text);
  }
  for (const text of ["%", "gr_ce", "hopper-", "navy\\"]) assert.equal(await found(text), 0, text);
});

test("a search that matches too many people is refused, and says what to do", async () => {
  const { client: own } = await newStage(service);
  const subscribers = Array.from({ length: 201 }, (_, index) => ({ subscriberId: `many-${index}` }));
  await own("subscribers.createBulk", { body: { subscribers } });
  const { errors } = await refused(own, "notifications.list", { query: { search: "many-" } }, "VALIDATION_ERROR");
  assert.match(errors!.search!.messages[0]!, /more than 200 subscribers: give a longer part/);
  assert.equal((await own("notifications.list", { query: { search: "many-12" } })).status, 200);
});

test("reads that hang are stopped, those behind them are turned away, and triggers and others' reads go on", async () => {
  const { client: other } = await newStage(service);
  await createWorkflow(other, "news", [inApp({ body: "News" })]);
  await other("subscribers.create", { body: { subscriberId: "bob" } });
  await db.transaction().execute(async (tx) => {
    // A list that cannot read its table waits until its statement is stopped.
    await sql`lock table channel_endpoints in access exclusive mode`.execute(tx);
    const hanging = Array.from({ length: 120 }, () => client.raw("channelEndpoints.list", {}));
    await eventually(async () => (await feedOf(other, "bob")).length === 0, "another environment to read");
    const transactionId = await trigger(client, "news", "ada");
    await settled(other, await trigger(other, "news", "bob"));
    const answers = await Promise.all(hanging);
    const codes = new Set(answers.map(({ body }) => (body as { code: string }).code));
    assert.deepEqual([...codes].toSorted(), ["QUERY_TOO_EXPENSIVE", "RATE_LIMITED"]);
    await settled(client, transactionId);
  });
  assert.equal((await client("channelEndpoints.list", {})).status, 200);
});
