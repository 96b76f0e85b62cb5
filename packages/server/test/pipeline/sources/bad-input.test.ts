// Calls that no one should make, and rows that no one should write: refused in the function where that is cheap, or by
// the service, as failed tasks with their reasons. Neither holds up what follows.
import assert from "node:assert/strict";
import { test } from "node:test";
import { startTestService } from "@tidings/testkit/service";
import { createWorkflow, inApp, notificationsOf } from "@tidings/testkit/verbs";
import { eventually } from "@tidings/testkit/wait";
import { openCustomer, openShop, refusalsOf, subjectsOf, withClient } from "./shop.ts";

const service = await startTestService();
const { client, production } = service;
const shipped = () => [inApp({ subject: "Order {{ payload.order }}", body: "Shipped" })];
await createWorkflow(client, "shipped", shipped());
await createWorkflow(client, "strict", shipped(), {
  validatePayload: true,
  payloadSchema: { type: "object", required: ["order"], properties: { order: { type: "number" } } },
});
await createWorkflow(production, "live", shipped());
const shop = await openShop(service);
const customer = await openCustomer(service);
const places = [
  { place: "local", query: shop.query },
  { place: "remote", query: customer.query },
];

/** A payload whose JSON has this many bytes, as PostgreSQL writes it. */
const payloadOf = (bytes: number) => `jsonb_build_object('text', repeat('x', ${bytes - '{"text": ""}'.length}))`;

/** Refused in the function: the error's code and message. */
const refusedCalls: [call: string, code: string, message: RegExp][] = [
  ["trigger(null, 'ada')", "22004", /workflow is null/],
  ["trigger('shipped', null::text)", "22004", /recipient is null/],
  ["trigger('shipped', null::jsonb)", "22004", /recipient is null/],
  ["trigger('shipped', 'null'::jsonb)", "22004", /recipient is null/],
  ["trigger('shipped', 'ada', null)", "22023", /payload must be a JSON object/],
  ["trigger('shipped', 'ada', 'null')", "22023", /payload must be a JSON object/],
  ["trigger('shipped', 'ada', '[1]')", "22023", /payload must be a JSON object/],
  ["trigger('shipped', 'ada', '\"text\"')", "22023", /payload must be a JSON object/],
  ["trigger('shipped', 'ada', '{')", "22P02", /invalid input syntax for type json/],
  ["trigger('shipped', 'ada', '{}', null)", "22023", /options must be a JSON object/],
  ["trigger('shipped', 'ada', '{}', '[]')", "22023", /options must be a JSON object/],
  [
    "trigger('shipped', 'ada', '{}', '{\"delay\": 1, \"name\": \"x\"}')",
    "22023",
    /unknown options: (delay, name|name, delay)/,
  ],
  ["trigger('shipped', 'ada', '{}', '{\"transactionId\": null}')", "22023", /transactionId must be a text/],
  ["trigger('shipped', 'ada', '{}', '{\"transactionId\": \"\"}')", "22023", /transactionId must be a text/],
  ["trigger('shipped', 'ada', '{}', jsonb_build_object('transactionId', repeat('x', 256)))", "22023", /of 1 to 255/],
  [`trigger('shipped', 'ada', ${payloadOf(20_000_000)})`, "54000", /payload has 20000000 bytes, the limit is 524288/],
  [`trigger('shipped', 'ada', ${payloadOf(524_289)})`, "54000", /payload has 524289 bytes/],
  // Numbers are stored in a few bytes, whatever their length.
  ["trigger('shipped', 'ada', '{\"n\": [1e131000, 1e131000, 1e131000, 1e131000, 1e131000]}')", "54000", /payload has/],
  ["trigger('shipped', to_jsonb(array_fill('x'::text, array[400000])))", "54000", /the call has \d+ bytes/],
  ["cancel(null)", "22004", /transaction_id is null/],
  ["cancel('')", "22023", /1 to 255/],
  ["upsert_subscriber(null)", "22004", /subscriber_id is null/],
  ["upsert_subscriber('ada', null)", "22023", /attributes must be a JSON object/],
  ["upsert_subscriber('ada', '[]')", "22023", /attributes must be a JSON object/],
  [`upsert_subscriber('ada', ${payloadOf(524_289)})`, "54000", /attributes have 524289 bytes/],
];

for (const { place, query } of places) {
  test(`${place}: calls that the functions refuse`, async () => {
    for (const [call, code, message] of refusedCalls) {
      await assert.rejects(query(`select tidings.${call}`), (error: Error & { code?: string }) => {
        assert.match(error.message, message, call);
        assert.equal(error.code, code, call);
        return true;
      });
    }
  });
}

test("a large payload that is stored compressed is measured by its text", async () => {
  await customer.query(`create table documents as select ${payloadOf(3_000_000)} as body`);
  const call = "select tidings.trigger('shipped', 'ada', body) from documents";
  await assert.rejects(customer.query(call), /payload has 3000000 bytes, the limit is 524288/);
});

test("local: unknown workflows, and those of other environments", async () => {
  for (const name of ["missing", "live", ""])
    await assert.rejects(shop.query("select tidings.trigger($1, 'ada')", [name]), {
      message: `tidings.trigger: workflow "${name}" not found`,
      code: "22023",
    });
});

/** Refused by the service: why. Each has its own transaction id. */
const refusedRows: [arguments_: string, reason: RegExp][] = [
  ["'shipped', '5'::jsonb", /to/],
  ["'shipped', '{}'::jsonb", /subscriberId is required/],
  ["'shipped', 'not valid!'", /not valid!/],
  ['\'shipped\', \'{"subscriberId": "ada", "channels": "none"}\'::jsonb', /channels/],
  ["'strict', 'ada'", /order/],
];
const remoteRows: typeof refusedRows = [
  ["'missing', 'ada'", /workflow_not_found/],
  ["'live', 'ada'", /workflow_not_found/],
];

for (const { place, query } of places) {
  test(`${place}: calls that the service refuses are failed tasks`, async () => {
    const cases = place === "local" ? refusedRows : [...refusedRows, ...remoteRows];
    const options = [
      ["priority", '"urgent!"'],
      ["overrides", "5"],
      ["tenant", "[]"],
      ["actor", "true"],
    ].map(([name, value]): (typeof refusedRows)[number] => [
      `'shipped', 'ada', '{}', '{"${name}": ${value}}'`,
      RegExp(name!),
    ]);
    for (const [index, [given]] of [...cases, ...options].entries()) {
      // The named argument comes in addition to the options of the case.
      const [workflow, recipient, payload = "'{}'", own = "'{}'"] = given.split(/, (?=')/);
      const withId = `${own}::jsonb || '{"transactionId": "${place}-${index}"}'`;
      await query(`select tidings.trigger(${workflow}, ${recipient}, ${payload}, ${withId})`);
    }
    await query(`select tidings.trigger('shipped', '${place}-behind', '{"order": 1}')`);
    await eventually(async () => (await subjectsOf(client, `${place}-behind`)).length === 1, "what follows");
    const refusals = await refusalsOf(client);
    for (const [index, [given, reason]] of [...cases, ...options].entries())
      assert.match(refusals.get(`${place}-${index}`) ?? "accepted", reason, given);
  });

  test(`${place}: a payload of exactly the limit, and a transaction id that is used twice`, async () => {
    const id = `${place}-twice`;
    const call = (text: string) =>
      query(`select tidings.trigger('shipped', '${place}-twice', ${text}, '{"transactionId": "${id}"}') as id`);
    assert.equal((await call(payloadOf(524_288))).rows[0].id, id);
    assert.equal((await call("'{\"order\": 2}'")).rows[0].id, id);
    await query(`select tidings.trigger('shipped', '${place}-twice', '{"order": 3}')`);
    await eventually(async () => (await subjectsOf(client, `${place}-twice`)).length === 2, "two messages");
    assert.deepEqual(await subjectsOf(client, `${place}-twice`), ["Order ", "Order 3"]);
    assert.equal((await notificationsOf(client, id)).length, 1);
  });

  test(`${place}: an id that is canceled first may be used afterwards`, async () => {
    const id = `${place}-later`;
    await query(
      `select tidings.cancel('${id}'), tidings.trigger('shipped', '${id}', '{"order": 4}', '{"transactionId": "${id}"}')`,
    );
    await eventually(async () => (await subjectsOf(client, id)).length === 1, "the message");
    const [notification] = await notificationsOf(client, id);
    assert.ok(notification?.jobs?.every(({ status }) => status === "completed"));
  });
}

/** Rows that were written by hand: transaction id, kind, body, and why they are refused. */
const handwritten: [id: string, kind: string, body: string, reason: RegExp][] = [
  ["hand-1", "trigger", "[1, 2]", /body must be a JSON object/],
  ["hand-2", "trigger", "5", /body must be a JSON object/],
  ["hand-3", "trigger", "{}", /name/],
  ["hand-4", "dance", "{}", /kind must be trigger, subscriber or cancel, not dance/],
  ["hand-5", "subscriber", '{"subscriberId": 5}', /subscriberId/],
  ["", "trigger", '{"name": "shipped", "to": "ada"}', /transaction_id must not be empty/],
  ["x".repeat(300), "trigger", '{"name": "shipped", "to": "ada"}', /transactionId/],
];

test("remote: rows that were written by hand are failed tasks, each for its reason", async () => {
  const insert = "insert into tidings.outbox (transaction_id, kind, key, body) values ($1, $2, 'hand', $3)";
  for (const [id, kind, body] of handwritten) await customer.query(insert, [id, kind, body]);
  const large = `insert into tidings.outbox (transaction_id, kind, body)
    select 'hand-large', 'trigger', jsonb_build_object('name', 'shipped', 'to', 'ada', 'payload', ${payloadOf(20_000_000)})`;
  await customer.query(large);
  const subscriber = JSON.stringify({ name: "shipped", to: "after-hand", payload: { order: 5 } });
  await customer.query(insert, ["hand-good", "trigger", subscriber]);
  await eventually(async () => (await subjectsOf(client, "after-hand")).length === 1, "the row behind them");
  const refusals = await refusalsOf(client);
  for (const [id, , , reason] of handwritten) assert.match(refusals.get(id) ?? "accepted", reason, id.slice(0, 20));
  assert.match(refusals.get("hand-large") ?? "accepted", /body has 200000\d\d bytes, the limit is 1048576/);
  await eventually(async () => (await customer.waiting()) === 0, "the outbox to be empty");
});

test("remote: times that are years off, and a database that was restored from yesterday", async () => {
  await client("sources.update", { params: customer.params, body: { paused: true } });
  const times = ["infinity", "-infinity", "0044-03-15 BC", "1969-07-20", "2300-01-01", "294000-01-01"];
  const insert = `insert into tidings.outbox (transaction_id, kind, key, body, created_at)
    select $1, 'trigger', 'clock', jsonb_build_object('name', $3::text, 'to', 'clock'), $2::timestamptz`;
  const rows = times.flatMap((time, index) => [
    [`clock-${index}`, time, "shipped"],
    [`clock-refused-${index}`, time, "missing"],
  ]);
  for (const row of rows) await customer.query(insert, row);
  const listed = async () => (await client("sources.list")).body.find(({ id }) => id === customer.params.sourceId)!;
  await withClient(customer.url, async (holder) => {
    // Rows that the relay cannot claim yet wait, since a time that makes sense.
    await holder.query("begin");
    await holder.query("select 1 from tidings.outbox for update");
    await client("sources.update", { params: customer.params, body: { paused: false } });
    await eventually(async () => (await listed()).waiting === rows.length, "the measurement");
    assert.ok((await listed()).lagSeconds >= 0);
    await holder.query("commit");
  });
  await eventually(async () => (await subjectsOf(client, "clock")).length === times.length, "all events");
  const refusals = await refusalsOf(client);
  assert.ok(times.every((_, index) => refusals.has(`clock-refused-${index}`)));
  await eventually(async () => (await listed()).waiting === 0, "the measurement");
  // The same rows again, as after a restore: they are known, leave the outbox, and nothing is sent twice.
  const { refused } = await listed();
  for (const row of rows) await customer.query(insert, row);
  await eventually(async () => (await customer.waiting()) === 0, "the outbox to be empty again");
  await eventually(async () => (await listed()).refused === refused + times.length, "its count");
  assert.equal((await subjectsOf(client, "clock")).length, times.length);
});
