import assert from "node:assert/strict";
import { test } from "node:test";
import { request } from "@tidings/testkit/http";
import { startTestService } from "@tidings/testkit/service";
import { createWorkflow, email, messagesOf, settled, trigger } from "@tidings/testkit/verbs";
import { eventually } from "@tidings/testkit/wait";
import { sql } from "kysely";
import { excerptOf } from "../../../src/app/webhooks/inbound-receipts.ts";
import { newId } from "../../../src/lib/ids.ts";
import { purgeInboundReceipts, purgeInboundReceiptsBeyond } from "../../../src/store/installation/purges.ts";

const service = await startTestService();
const { client, production, db } = service;
const key = "a signing key of this test";
const [environment] = (await client("environments.list")).body.filter(({ apiKeys }) => apiKeys);
const capture = (await client("integrations.list")).body.find(({ identifier }) => identifier === "svc-email-default")!;
await client("integrations.update", {
  params: { integrationId: capture._id! },
  body: { configurations: { inboundWebhookEnabled: true, inboundWebhookSigningKey: key } },
});
await createWorkflow(client, "mail", [email()]);

const send = (body: unknown, password = key, integrationId = capture._id!) =>
  request(service, `/v2/inbound-webhooks/delivery-providers/${environment!._id}/${integrationId}`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      authorization: `Basic ${Buffer.from(`reports:${password}`).toString("base64")}`,
    },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
const list = async (query: object = {}, by = client) => (await by("inboundReceipts.list", { query })).body;

async function sentMail(name: string) {
  const transactionId = await trigger(client, "mail", { subscriberId: name, email: `${name}@example.com` });
  await settled(client, transactionId);
  const [message] = await messagesOf(client, transactionId);
  return { transactionId, messageId: message!._id! };
}

test("a report shows what it changed; a duplicate and a report on an unknown message say so", async () => {
  const { messageId, transactionId } = await sentMail("ada");
  assert.equal(
    (
      await send([
        { messageId, status: "delivered" },
        { messageId: newId(), status: "opened" },
      ])
    ).status,
    200,
  );
  await send([{ messageId, status: "delivered" }]);
  await send([{ messageId, status: "bounced" }]);
  const { data, totalCount } = await list();
  assert.equal(totalCount, 4);
  const shown = data.map(({ result, reason, status, changes }) => [status, result, reason, changes]);
  assert.deepEqual(shown, [
    ["bounced", "applied", undefined, ["failed", "suppressed", "detail"]],
    ["delivered", "duplicate", undefined, []],
    ["opened", "refused", "unknown_message", []],
    ["delivered", "applied", undefined, ["delivered", "detail"]],
  ]);
  const { messageId: of, transactionId: by, integrationIdentifier, providerId } = data[0]!;
  assert.deepEqual(
    [of, by, integrationIdentifier, providerId],
    [messageId, transactionId, "svc-email-default", "svc-email"],
  );
});

test("a report that is faster than its message waits, and is refused when the message never comes", async () => {
  await send([{ externalId: "from-the-provider", status: "delivered" }]);
  assert.deepEqual(
    (await list({ result: "waiting" })).data.map(({ externalId }) => externalId),
    ["from-the-provider"],
  );
  const longAgo = "00000000-0000-7000-8000-000000000001";
  await sql`update inbound_receipts set id = ${longAgo} where result = 'waiting'`.execute(db);
  await sql`update early_receipts set id = ${longAgo}`.execute(db);
  await sql`update queue.job_common set start_after = now() where name = 'housekeeping' and data->>'name' = 'receipts'`.execute(
    db,
  );
  await sql`select pg_notify('tidings_due', (extract(epoch from clock_timestamp()) * 1000)::bigint::text)`.execute(db);
  await eventually(async () => (await list({ result: "waiting" })).totalCount === 0, "the receipt to expire", 20_000);
  const [dropped] = (await list({ result: "refused" })).data.filter(({ externalId }) => externalId);
  assert.deepEqual([dropped!.reason, dropped!.externalId], ["unknown_message", "from-the-provider"]);
});

test("what is refused is kept with its reason and an excerpt without secrets, a flood only in part", async () => {
  await db.deleteFrom("inbound_receipts").execute();
  assert.equal((await send({ messageId: "x", password: "hunter2" }, "wrong")).status, 401);
  assert.equal((await send("{ no json")).status, 400);
  assert.equal((await send({ hello: "there" })).status, 200);
  assert.equal((await send({}, key, newId())).status, 404);
  const { data } = await list();
  assert.deepEqual(
    data.map(({ result, reason, excerpt, integrationId }) => [result, reason, excerpt, integrationId === capture._id]),
    [
      ["refused", "unknown_integration", "{}", false],
      ["ignored", "no_report", '{"hello":"there"}', true],
      ["refused", "unreadable", "{ no json", true],
      ["refused", "bad_signature", '{"messageId":"x","password":"…"}', true],
    ],
  );
  assert.equal((await list({ integrationIdentifier: "svc-email-default", result: "refused" })).totalCount, 2);
  assert.deepEqual((await list({ integrationIdentifier: "nothing" })).data, []);
  assert.equal((await list({}, production)).totalCount, 0, "another environment");
  for (let sent = 0; sent < 25; sent++) await send("junk".repeat(2_000), "wrong");
  const flood = await list({ result: "refused", limit: 100 });
  assert.ok(flood.totalCount <= 22, `${flood.totalCount} rows of a flood`);
  assert.ok(flood.data.every(({ excerpt }) => excerpt!.length <= 2_000));
});

test("excerpts hide secrets of forms and JSON texts, and the signing key wherever it stands", () => {
  assert.equal(excerptOf("id=1&password=abc&x-api-key=def&to=ada"), "id=1&password=…&x-api-key=…&to=ada");
  assert.equal(
    excerptOf('{"a":{"accessToken":"t\\"x","b":1},"text":"s3cret-key"}', "s3cret-key"),
    '{"a":{"accessToken":"…","b":1},"text":"…"}',
  );
  assert.equal(excerptOf("a\u0000b\nc"), "a b c");
});

test("old rows are purged, and those beyond the newest of an environment", async () => {
  const kept = (await list({ limit: 100 })).totalCount;
  assert.ok(kept > 5);
  await purgeInboundReceiptsBeyond(db, { kept: 3, isRefused: true }, 1_000);
  assert.equal((await list({ result: "refused" })).totalCount, 3);
  assert.equal((await list({ result: "ignored" })).totalCount, 1, "only refused ones");
  await purgeInboundReceiptsBeyond(db, { kept: 2, isRefused: false }, 1_000);
  assert.equal((await list()).totalCount, 2);
  await purgeInboundReceipts(db, new Date(Date.now() + 1_000), 1_000);
  assert.equal((await list()).totalCount, 0);
});
