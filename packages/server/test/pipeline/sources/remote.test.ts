// Events triggered by SQL in a customer's own database, whose outbox the service empties.
import assert from "node:assert/strict";
import { test } from "node:test";
import { outboxSql } from "@tidings/contract";
import { createTestDatabase } from "@tidings/testkit/database";
import { startTestService } from "@tidings/testkit/service";
import { createWorkflow, inApp } from "@tidings/testkit/verbs";
import { eventually } from "@tidings/testkit/wait";
import { subjectsOf, withClient } from "./shop.ts";

const service = await startTestService();
const { client } = service;
await createWorkflow(client, "shipped", [inApp({ subject: "Order {{ payload.order }}", body: "Shipped" })]);

test("a source is checked, emptied, paused and deleted", async (context) => {
  const customer = await createTestDatabase({ isEmpty: true });
  context.after(() => customer.drop());
  const { url } = customer;
  const bare = await client.raw("sources.create", { body: { name: "Orders", url } });
  assert.equal(bare.status, 422);
  assert.match(JSON.stringify(bare.body), /There is no table tidings\.outbox: run `tidings outbox install`/);
  await withClient(url, (customers) => customers.query(outboxSql()));

  const { body: source } = await client("sources.create", { body: { name: "Orders", url } });
  assert.ok(!JSON.stringify(source).includes(new URL(url).password));
  const trigger = (order: number) =>
    withClient(url, (customers) => customers.query("select tidings.trigger('shipped', 'ada', $1)", [{ order }]));
  for (const order of [1, 2, 3]) await trigger(order);
  await eventually(async () => (await subjectsOf(client, "ada")).length === 3, "three messages");
  assert.deepEqual(await subjectsOf(client, "ada"), ["Order 1", "Order 2", "Order 3"]);
  const waiting = () =>
    withClient(url, async (customers) => (await customers.query("select count(*) as n from tidings.outbox")).rows[0].n);
  assert.equal(Number(await waiting()), 0);
  const params = { sourceId: source.id };
  await eventually(async () => (await client("sources.retrieve", { params })).body.accepted === 3, "its count");
  const { body: checked } = await client("sources.check", { params });
  assert.deepEqual([checked.isReady, checked.waiting], [true, 0]);

  await client("sources.update", { params, body: { paused: true } });
  await eventually(async () => {
    const text = "select 1 from pg_stat_activity where application_name like 'tidings-relay%' and datname = $1";
    const { rowCount } = await withClient(service.database.url, (own) =>
      own.query(text, [new URL(url).pathname.slice(1)]),
    );
    return rowCount === 0;
  }, "the relay to leave");
  await trigger(4);
  assert.equal(Number(await waiting()), 1);
  await client("sources.update", { params, body: { paused: false } });
  await eventually(async () => (await subjectsOf(client, "ada")).length === 4, "the fourth message");
  await client("sources.delete", { params });
});
