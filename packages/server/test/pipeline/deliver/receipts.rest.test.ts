// Reports and calls at the same time: a report that is faster than the response to its call, and one that comes when
// the message has been given up.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { InboundReceipt, Integration } from "@tidings/contract";
import { request } from "@tidings/testkit/http";
import { refused } from "@tidings/testkit/refusals";
import { type Answer, type Received, startReceiver } from "@tidings/testkit/servers/receiver";
import { mailer, person, step, texter } from "@tidings/testkit/servers/webhook-providers";
import { startTestService } from "@tidings/testkit/service";
import {
  createWorkflow,
  detailsOf,
  email,
  messagesOf,
  notificationsOf,
  settled,
  trigger,
} from "@tidings/testkit/verbs";
import { eventually } from "@tidings/testkit/wait";
import { sql } from "kysely";
import { newId } from "../../../src/lib/ids.ts";
import { openQueue } from "../../../src/store/queue/queue.ts";

/** What the provider does with a call, by the path of its integration. */
const scripts = new Map<string, (received: Received) => Promise<Answer | null>>();
const provider = await startReceiver(async (received) => (await scripts.get(received.path)?.(received)) ?? null);
const service = await startTestService();
const { production: client, db } = service;

const key = "a password for reports";
const takeReports = (integration: Integration) =>
  client("integrations.update", {
    params: { integrationId: integration._id! },
    body: { configurations: { inboundWebhookEnabled: true, inboundWebhookSigningKey: key } },
  });
const mail = await mailer(client, "mail", `${provider.url}/mail`);
const text = await texter(client, "text", `${provider.url}/text`);
for (const integration of [mail, text]) await takeReports(integration);
await createWorkflow(client, "mail", [email()]);
await createWorkflow(client, "text", [step("sms", { body: "Hi" })]);

async function report({ _environmentId, _id }: Integration, events: object[]): Promise<InboundReceipt[]> {
  const reply = await request(service, `/v2/inbound-webhooks/delivery-providers/${_environmentId}/${_id}`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Basic ${btoa(`x:${key}`)}` },
    body: JSON.stringify(events),
  });
  assert.equal(reply.status, 200, reply.text);
  return reply.body as InboundReceipt[];
}

/** Every attempt has the id of the message. */
const idOf = ({ headers }: Received) => String(headers["webhook-id"]);
const callsOf = (transactionId: string) =>
  sql<{ outcome: string }>`select a.outcome from attempts a join messages m on m.id = a.message_id
    join events e on e.id = m.event_id where e.transaction_id = ${transactionId} order by a.id`
    .execute(db)
    .then(({ rows }) => rows.map((row) => row.outcome));
const waiting = async () =>
  (await sql<{ name: string }>`select name from early_receipts`.execute(db)).rows.map((row) => row.name);

test("a bounce that is faster than the answer to the call counts when the answer is there, once", async () => {
  const date = new Date().toISOString();
  const bounce = (messageId: string) => [{ messageId, status: "bounced", date, response: "no such user" }];
  scripts.set("/mail", async (received) => {
    const [answer] = await report(mail, bounce(idOf(received)));
    assert.equal(answer!.id, idOf(received));
    return { status: 200 };
  });
  const transactionId = await trigger(client, "mail", person("ada"));
  await settled(client, transactionId);
  const [message] = await messagesOf(client, transactionId);
  assert.deepEqual([message!.status, message!.errorId], ["error", "provider_bounced"]);
  await report(mail, bounce(message!._id!));
  const [notification] = await notificationsOf(client, transactionId);
  assert.deepEqual(detailsOf(notification!, "email").slice(-2), ["Message sent", "Message bounced"]);
  const [suppression] = (await client("suppressions.list", { query: { address: "ada@example.com" } })).body.data;
  assert.equal(suppression!.messageId, message!._id);
  assert.deepEqual(await waiting(), []);
});

test("so does a report that knows the provider's id alone, before anybody here has heard of it", async () => {
  scripts.set("/text", async () => {
    await report(text, [{ externalId: "theirs-1", status: "delivered" }]);
    return { status: 200, text: '{"id":"theirs-1"}', headers: { "content-type": "application/json" } };
  });
  const transactionId = await trigger(client, "text", person("bob"));
  await settled(client, transactionId);
  const [message] = await messagesOf(client, transactionId);
  assert.deepEqual([message!.status, message!.deliveredAt?.length], ["sent", 1]);
  assert.deepEqual(await waiting(), []);
});

test("a delivery that is reported during a call whose answer never comes: nothing is sent twice", async () => {
  scripts.set("/mail", async (received) => {
    await report(mail, [{ messageId: idOf(received), status: "delivered" }]);
    return null;
  });
  const transactionId = await trigger(client, "mail", person("cleo"));
  await settled(client, transactionId);
  const [message] = await messagesOf(client, transactionId);
  assert.deepEqual([message!.status, message!.deliveredAt?.length, message!.errorText], ["sent", 1, undefined]);
  await eventually(async () => {
    const { rows } = await sql`select 1 from queue.job where name = 'deliver' and state < 'completed'
      and data->'messageIds' ? ${message!._id}`.execute(db);
    return rows.length === 0;
  }, "the repeat to find nothing to do");
  assert.deepEqual(await callsOf(transactionId), ["unknown"]);
});

test("what one integration reports late does not fail a message that another one took", async () => {
  const spare = await mailer(client, "spare", `${provider.url}/spare`);
  scripts.set("/mail", async () => ({ status: 401 }));
  scripts.set("/spare", async (received) => {
    await report(mail, [{ messageId: idOf(received), status: "dropped" }]);
    return { status: 200 };
  });
  const transactionId = await trigger(client, "mail", person("gus"));
  await settled(client, transactionId);
  const [message] = await messagesOf(client, transactionId);
  assert.equal(message!.status, "sent");
  const [notification] = await notificationsOf(client, transactionId);
  assert.deepEqual(detailsOf(notification!, "email").slice(-2), ["Message sent", "Message dropped"]);
  await client("integrations.delete", { params: { integrationId: spare._id! } });
});

test("names that fill an index by their bytes, not by their letters, leave the result of a call alone", async () => {
  // Not to be compressed: that would make them fit.
  const long = String.fromCharCode(...Array.from({ length: 490 }, (_, n) => 0x4e00 + ((n * 7919) % 20_000)));
  const names = { externalId: long, recipient: `${long}@example.com` };
  scripts.set("/mail", async (received) => {
    await report(mail, [{ messageId: idOf(received), ...names, status: "delivered" }]);
    return { status: 200 };
  });
  const overrides = { email: { cc: ["copy@example.com"] } };
  const body = { name: "mail", to: person("hal"), overrides };
  const { transactionId = "" } = (await client("events.trigger", { body })).body;
  await settled(client, transactionId);
  const [message] = await messagesOf(client, transactionId);
  assert.equal(message!.status, "sent");
  assert.deepEqual(await callsOf(transactionId), ["accepted"]);
});

test("early receipts that were not applied are applied after a while, and reports on unknown messages are dropped then", async () => {
  scripts.set("/text", async () => ({
    status: 200,
    text: '{"id":"theirs-2"}',
    headers: { "content-type": "application/json" },
  }));
  const transactionId = await trigger(client, "text", person("dora"));
  await settled(client, transactionId);
  await report(text, [{ externalId: "a stranger's", status: "failed" }]);
  assert.deepEqual(await waiting(), ["a stranger's"]);
  // As if it had been kept in the very moment in which the result was written.
  await sql`insert into early_receipts select ${newId()}, environment_id, integration_id, 'theirs-2',
    '{"externalId": "theirs-2", "status": "undelivered", "date": "2026-01-01T10:00:00.000Z"}'
    from early_receipts`.execute(db);
  await sql`update early_receipts set id = overlay(id::text placing '00000000-0000' from 1)::uuid`.execute(db);
  const queue = await openQueue({ url: service.database.url, onError: () => {} });
  try {
    await queue.enqueue(db, "housekeeping", [{ data: { name: "receipts" } }]);
    await eventually(async () => (await waiting()).length === 0, "the housekeeping");
  } finally {
    await queue.stop();
  }
  const [message] = await messagesOf(client, transactionId);
  assert.deepEqual([message!.status, message!.errorId], ["error", "provider_bounced"]);
});

test("a message that was given up and has arrived after all is not replayed; one that has failed may be", async () => {
  const steps = [{ ...email(), deadlineSeconds: 60 }];
  await createWorkflow(client, "doubt", steps, { onUnknownOutcome: "may_delay" });
  scripts.set("/mail", async () => null);
  const giveUp = async (name: string) => {
    const transactionId = await trigger(client, "doubt", person(name));
    await settled(client, transactionId);
    const [letter] = (await client("deadLetters.list", { query: { transactionId } })).body.data;
    assert.deepEqual([letter!.status, letter!.errorClass], ["open", "unknown"]);
    return letter!;
  };
  const letter = await giveUp("eve");
  const failed = await giveUp("finn");
  await report(mail, [
    { messageId: letter.messageId, status: "delivered" },
    { messageId: failed.messageId, status: "undelivered" },
  ]);
  const [message] = await messagesOf(client, letter.transactionId);
  assert.deepEqual([message!.status, message!.deliveredAt?.length], ["error", 1]);
  const { data } = (await client("deadLetters.list", { query: { status: "resolved" } })).body;
  assert.deepEqual(
    data.map((one) => one.id),
    [letter.id],
  );
  const [notification] = await notificationsOf(client, letter.transactionId);
  assert.equal(detailsOf(notification!, "email").at(-1), "Provider has the message after all, dead letter closed");
  const { message: why } = await refused(
    client,
    "deadLetters.replay",
    { params: { id: letter.id } },
    "DEAD_LETTER_NOT_OPEN",
  );
  assert.match(why, /: a provider has reported that it took the message$/);
  scripts.set("/mail", async () => ({ status: 200 }));
  const filter = { workflowId: "doubt" };
  assert.deepEqual((await client("deadLetters.replayMany", { body: { filter } })).body, { replayed: 1, failed: 0 });
  await eventually(async () => (await callsOf(failed.transactionId)).at(-1) === "accepted", "the replay");
  assert.deepEqual(await callsOf(letter.transactionId), ["unknown"]);
});
