// Events triggered by SQL in the service's own database, by a role that is granted one environment.
import assert from "node:assert/strict";
import { test } from "node:test";
import { startTestService } from "@tidings/testkit/service";
import { createWorkflow, inApp } from "@tidings/testkit/verbs";
import { eventually } from "@tidings/testkit/wait";
import { openShop, subjectsOf, withClient } from "./shop.ts";

const service = await startTestService();
const { client } = service;
await createWorkflow(client, "shipped", [inApp({ subject: "Order {{ payload.order }}", body: "Shipped" })]);
const shop = await openShop(service);

test("a committed call is accepted once, a rolled back one is not", async () => {
  await shop.run(async (transaction) => {
    await transaction.query("begin");
    const { rows } = await transaction.query(`select tidings.trigger('shipped', 'ada', '{"order": 1}') as id`);
    assert.match(rows[0].id, /^sql_[0-9a-f]{32}$/);
    await transaction.query("savepoint a");
    await transaction.query(`select tidings.trigger('shipped', 'ada', '{"order": 2}')`);
    await transaction.query("rollback to a");
    await transaction.query("commit");
    await transaction.query("begin");
    await transaction.query(`select tidings.trigger('shipped', 'ada', '{"order": 3}')`);
    await transaction.query("rollback");
    await transaction.query(`select tidings.trigger('shipped', 'ada', '{"order": 4}')`);
  });
  await eventually(async () => (await subjectsOf(client, "ada")).length === 2, "two messages");
  assert.deepEqual(await subjectsOf(client, "ada"), ["Order 1", "Order 4"]);
});

test("subscribers are created and changed, events canceled, in the order of the calls", async () => {
  const wait = { name: "Wait", type: "delay" as const, controlValues: { type: "regular", amount: 1, unit: "hours" } };
  await createWorkflow(client, "later", [wait, inApp({ subject: "Later", body: "Now" })]);
  await shop.run(async (transaction) => {
    await transaction.query("begin");
    await transaction.query(
      `select tidings.upsert_subscriber('bob', '{"firstName": "Bob", "email": "bob@example.com"}')`,
    );
    const { rows } = await transaction.query(`select tidings.trigger('later', 'bob') as id`);
    await transaction.query(`select tidings.upsert_subscriber('bob', '{"firstName": "Robert"}')`);
    await transaction.query("select tidings.cancel($1)", [rows[0].id]);
    await transaction.query("commit");
    await eventually(async () => {
      const { body } = await client.raw("subscribers.retrieve", { params: { subscriberId: "bob" } });
      return (body as { firstName?: string }).firstName === "Robert";
    }, "the second change");
    await eventually(async () => {
      const { data } = (await client("notifications.list", { query: { transactionId: rows[0].id } })).body;
      return data[0]?.jobs?.every(({ status }) => status === "canceled" || status === "completed");
    }, "the canceled event");
  });
});

test("a refused call is a failed task, which can be replayed, and holds up nothing", async () => {
  await shop.query(`select tidings.trigger('shipped', '{"subscriberId": "not valid!"}', '{"order": 5}')`);
  await shop.query(`select tidings.trigger('shipped', 'cy', '{"order": 6}')`);
  await eventually(async () => (await subjectsOf(client, "cy")).length === 1, "the call behind it");
  const { data } = (await client("failedTasks.list", { query: { status: "open" } })).body;
  assert.equal(data.length, 1);
  assert.equal(data[0]!.kind, "relay");
  assert.match(data[0]!.error, /not valid!/);
  await client("failedTasks.replay", { params: { id: data[0]!.id } });
  const again = await eventually(async () => {
    const { data } = (await client("failedTasks.list", { query: { status: "open" } })).body;
    return data[0];
  }, "the task that was refused again");
  assert.notEqual(again.id, data[0]!.id);
});

test("a recipient in JSON needs no cast", async () => {
  await shop.query(`select tidings.trigger('shipped', ' {"subscriberId": "dee", "firstName": "Dee"}', '{"order": 7}')`);
  await shop.query(`select tidings.trigger('shipped', '["dee", "eve"]', '{"order": 8}')`);
  await eventually(async () => (await subjectsOf(client, "eve")).length === 1, "the second event");
  await eventually(async () => (await subjectsOf(client, "dee")).length === 2, "both events");
  await assert.rejects(shop.query(`select tidings.trigger('shipped', '{dee')`), { code: "22P02" });
});

test("environments share a connection that hears of their calls", async () => {
  const { production } = service;
  await createWorkflow(production, "live", [inApp({ subject: "Live", body: "Live" })]);
  const live = await openShop(service, production);
  await live.query("select tidings.trigger('live', 'ada')");
  await eventually(async () => (await subjectsOf(production, "ada")).length === 1, "the message in Production");
  assert.deepEqual((await subjectsOf(client, "ada")).includes("Live"), false);
  const text =
    "select 1 from pg_stat_activity where application_name = 'tidings-relay-listen' and datname = current_database()";
  assert.equal((await withClient(service.database.url, (own) => own.query(text))).rowCount, 1);
});
