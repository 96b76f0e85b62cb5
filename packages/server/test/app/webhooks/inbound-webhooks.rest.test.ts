import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { test } from "node:test";
import type { InboundReceipt, Message } from "@tidings/contract";
import { errorOf, request } from "@tidings/testkit/http";
import { startLossyMail, startScriptedMail } from "@tidings/testkit/mail/scripted-mail";
import { assertRefused, faultsOf } from "@tidings/testkit/refusals";
import { startReceiver } from "@tidings/testkit/servers/receiver";
import { shareService } from "@tidings/testkit/service";
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

const mail = await startScriptedMail(() => null);
const lossy = await startLossyMail();
const receiver = await startReceiver();
const service = await shareService();
const { client, production, db, environmentId } = service;

const key = `whsec_${Buffer.from("a key of thirty-two random bytes").toString("base64")}`;
const server = { host: "127.0.0.1", secure: false, ignoreTls: true, requireTls: false };
const make = async (identifier: string, configurations?: object, port = mail.port) =>
  (
    await client("integrations.create", {
      body: {
        providerId: "nodemailer",
        channel: "email",
        identifier,
        active: true,
        credentials: { ...server, port, from: "shop@example.com", senderName: "Shop" },
        configurations,
      },
    })
  ).body;
const integration = await make("smtp", { inboundWebhookEnabled: true, inboundWebhookSigningKey: key });
await client("integrations.setPrimary", { params: { integrationId: "smtp" } });
await createWorkflow(client, "mail", [email()]);

const pathOf = (integrationId: string | undefined, environmentId = integration._environmentId) =>
  `/v2/inbound-webhooks/delivery-providers/${environmentId}/${integrationId}`;

const signed = (body: string, at = Date.now(), secret = key): Record<string, string> => {
  const timestamp = String(Math.floor(at / 1000));
  const bytes = Buffer.from(secret.slice("whsec_".length), "base64");
  const signature = createHmac("sha256", bytes).update(`msg_1.${timestamp}.${body}`).digest("base64");
  return { "webhook-id": "msg_1", "webhook-timestamp": timestamp, "webhook-signature": `v1,${signature}` };
};

const send = (body: string, headers: Record<string, string>, path = pathOf(integration._id)) =>
  request(service, path, { method: "POST", headers: { "content-type": "application/json", ...headers }, body });

async function report(events: unknown, integrationId = integration._id): Promise<InboundReceipt[]> {
  const body = JSON.stringify(events);
  const reply = await send(body, signed(body), pathOf(integrationId));
  assert.equal(reply.status, 200, reply.text);
  return reply.body as InboundReceipt[];
}

let count = 0;
async function sentMail(): Promise<{
  message: Message;
  externalId: string;
  address: string;
  details(): Promise<string[]>;
}> {
  const name = `reader-${++count}`;
  const address = `${name}@example.com`;
  const transactionId = await trigger(client, "mail", { subscriberId: name, email: address });
  await settled(client, transactionId);
  const [message] = await messagesOf(client, transactionId);
  assert.equal(message!.status, "sent");
  const { rows } = await sql<{ id: string }>`
    select provider_message_id as id from attempts where message_id = ${message!._id}`.execute(db);
  const details = async () => detailsOf((await notificationsOf(client, transactionId))[0]!, "email");
  return { message: message!, externalId: rows[0]!.id, address, details };
}
const again = async ({ transactionId }: Message) => (await messagesOf(client, transactionId))[0]!;

test("a receipt needs an integration that accepts receipts, and a signature with its key", async () => {
  const body = "[]";
  const unknown = async (path: string) => errorOf(await send(body, signed(body), path), "INTEGRATION_NOT_FOUND");
  await unknown(pathOf("nobody"));
  await unknown(pathOf(integration._id, "0199b4c2-0000-7000-8000-000000000000"));
  await unknown(pathOf(integration._id, "nowhere"));
  const [prod] = (await production("environments.list")).body.filter(({ type }) => type === "prod");
  await unknown(pathOf(integration._id, prod!._id));
  const silent = await make("silent", { inboundWebhookEnabled: false, inboundWebhookSigningKey: key });
  await unknown(pathOf(silent._id));

  const forged = async (headers: Record<string, string>, path?: string) => {
    const reply = await send(body, headers, path);
    assert.equal(errorOf(reply, "INVALID_SIGNATURE").message, "Webhook signature is missing or wrong");
  };
  await forged({});
  await forged(signed("[ ]"));
  await forged(signed(body, Date.now() - 301_000));
  await forged(signed(body, Date.now(), `whsec_${Buffer.from("another").toString("base64")}`));
  await forged({ authorization: `Basic ${Buffer.from("x:wrong").toString("base64")}` });
  await forged({ authorization: `ApiKey ${service.apiKey}` });
  const keyless = await make("keyless", { inboundWebhookEnabled: true });
  await forged(signed(body), pathOf(keyless._id));
  await forged({ authorization: `Basic ${Buffer.from("x:").toString("base64")}` }, pathOf(keyless._id));

  // By id or identifier, signed or with the key as password; an API key is not asked for.
  assert.equal((await send(body, signed(body), pathOf("smtp"))).text, "[]");
  assert.equal(
    (await send(body, { authorization: `Basic ${Buffer.from(`x:${key}`).toString("base64")}` })).status,
    200,
  );
  errorOf(await send("{", signed("{")), "MALFORMED_JSON");
});

test("a delivery changes message and job and is sent to webhooks once, also when it is reported again", async () => {
  const { body: webhook } = await client("webhooks.create", {
    body: { url: receiver.url, eventTypes: ["message.delivered"] },
  });
  const { message, externalId, details } = await sentMail();
  const date = new Date(Date.now() - 60_000).toISOString();
  const event = { externalId, status: "delivered", date, attempts: 1, response: "250 OK" };
  const answer = await report([event, event, { externalId, status: "exploded" }, "nonsense", null]);
  assert.equal(answer.length, 2);
  assert.deepEqual(answer[0], {
    id: message._id,
    event: { status: "delivered", date, externalId, attempts: 1, response: "250 OK", row: JSON.stringify(event) },
  });
  await report(event);
  assert.deepEqual((await again(message)).deliveredAt, [date]);
  assert.deepEqual((await details()).filter((text) => text === "Message delivered").length, 1);
  const [told] = await eventually(() => (receiver.received.length > 0 ? receiver.received : null), "the webhook");
  assert.deepEqual(told!.event.data.object.deliveredAt, [date]);

  // By our own id and without a time: once again, and once only.
  const { _id: messageId } = message;
  await report([{ messageId, status: "opened" }]);
  await report([{ messageId, status: "opened" }]);
  assert.equal((await details()).filter((text) => text === "Message opened").length, 1);
  const form = new URLSearchParams({ messageId: messageId!, status: "clicked" }).toString();
  const headers = { ...signed(form), "content-type": "application/x-www-form-urlencoded" };
  assert.equal((await send(form, headers)).status, 200);
  assert.ok((await details()).includes("Message clicked"));
  await client("webhooks.delete", { params: { webhookId: webhook.id } });
  const { rows } =
    await sql`select 1 from webhook_events where type = 'message.delivered' and environment_id = ${environmentId}`.execute(
      db,
    );
  assert.equal(rows.length, 1);
});

test("a bounce turns a sent message into a failed one, whatever is reported after or before it", async () => {
  const { message, externalId, details, address } = await sentMail();
  const bounced = { externalId, status: "bounced", date: "2026-01-01T10:00:00.000Z", response: "550 no such user" };
  await report([bounced]);
  const failed = await again(message);
  assert.deepEqual([failed.status, failed.errorId], ["error", "provider_bounced"]);
  assert.equal(failed.errorText, 'The provider reported "bounced": 550 no such user');
  await report([{ externalId, status: "delivered", date: "2026-01-01T09:59:00.000Z" }]);
  await report([{ externalId, status: "rejected", date: "2026-01-01T10:01:00.000Z" }]);
  const after = await again(message);
  assert.deepEqual([after.status, after.errorId], ["error", "provider_bounced"]);
  assert.deepEqual(after.deliveredAt, ["2026-01-01T09:59:00.000Z"]);
  const said = (await details()).filter((text) => /^Message (bounced|delivered|rejected)/.test(text));
  assert.deepEqual(said, ["Message bounced", "Message delivered", "Message rejected"]);
  const [notification] = await notificationsOf(client, message.transactionId);
  const source = notification!
    .jobs!.flatMap((job) => job.executionDetails)
    .find((one) => one.detail === "Message bounced");
  assert.deepEqual([source!.source, source!.status], ["Webhook", "Failed"]);

  const [suppression] = (await client("suppressions.list", { query: { address: address.toUpperCase() } })).body.data;
  assert.deepEqual([suppression!.reason, suppression!.messageId], ["bounce", message._id]);
});

test("concurrent receipts count once each; those of unknown messages are dropped", async () => {
  const { message, externalId } = await sentMail();
  const event = { externalId, status: "delivered", date: new Date().toISOString() };
  await Promise.all(Array.from({ length: 8 }, () => report([event])));
  assert.equal((await again(message)).deliveredAt!.length, 1);

  const stranger = await report([{ externalId: "who", status: "bounced" }]);
  assert.deepEqual([stranger.length, stranger[0]!.id], [1, "who"]);
  // Receipts for messages of another integration are dropped.
  const other = await make("other", { inboundWebhookEnabled: true, inboundWebhookSigningKey: key });
  const body = JSON.stringify([
    { externalId, status: "bounced" },
    { messageId: message._id, status: "bounced" },
  ]);
  assert.equal((await send(body, signed(body), pathOf(other._id))).status, 200);
  assert.equal((await again(message)).status, "sent");
});

test("nothing is sent to a suppressed address until the suppression is deleted", async () => {
  const { externalId, address } = await sentMail();
  await report([{ externalId, status: "complaint" }]);
  const asked = mail.asked.get(address);
  const transactionId = await trigger(client, "mail", {
    subscriberId: "angry",
    email: `  ${address.toUpperCase()}`.trim(),
  });
  const [notification] = await settled(client, transactionId);
  const [message] = await messagesOf(client, transactionId);
  assert.deepEqual([message!.status, message!.errorId], ["error", "provider_rejected"]);
  assert.match(message!.errorText!, /^The message was not sent: the address is suppressed after a complaint/);
  assert.ok(detailsOf(notification!, "email").includes("Recipient address is suppressed"));
  assert.equal(mail.asked.get(address), asked);
  assert.equal((await client("suppressions.delete", { params: { suppressionId: address } })).status, 204);
  await settled(client, await trigger(client, "mail", { subscriberId: "calm", email: address }));
  assert.equal(mail.mailsTo(address).length, 2);
});

test("addresses are suppressed by hand, listed and lifted in their own environment", async () => {
  const create = (body: object) => client.raw("suppressions.create", { body });
  const first = await create({ channel: "email", address: " Grace@Example.com " });
  const again = await create({ channel: "email", address: "grace@example.com" });
  assert.deepEqual([first.status, again.status, again.body], [201, 200, first.body]);
  const phone = (await client("suppressions.create", { body: { channel: "sms", address: "+49 (170) 123-456" } })).body;
  assert.deepEqual([phone.address, phone.reason], ["+49170123456", "manual"]);
  assert.deepEqual(await faultsOf(client, "suppressions.create", { body: { channel: "email", address: "nobody" } }), {
    address: ["address must be an email address"],
  });
  assert.deepEqual(await faultsOf(client, "suppressions.create", { body: { channel: "sms", address: "a@b.c" } }), {
    address: ["address must be a phone number"],
  });
  const listed = async (query: object) =>
    (await client("suppressions.list", { query })).body.data.map(({ address }) => address);
  assert.deepEqual(await listed({ channel: "sms" }), ["+49170123456"]);
  assert.deepEqual(await listed({ reason: "manual", address: "GRACE@example.com" }), ["grace@example.com"]);
  const theirs = { params: { suppressionId: phone.id } };
  await assertRefused(production, "suppressions.delete", theirs, { code: "SUPPRESSION_NOT_FOUND" });
  assert.equal((await client("suppressions.delete", theirs)).status, 204);
  await assertRefused(client, "suppressions.delete", theirs, { code: "SUPPRESSION_NOT_FOUND" });
});

test("a receipt settles a call whose outcome was unknown: no duplicate is sent", async () => {
  const doubtful = await make("lossy", { inboundWebhookEnabled: true, inboundWebhookSigningKey: key }, lossy.port);
  await client("integrations.setPrimary", { params: { integrationId: "lossy" } });
  await createWorkflow(client, "doubt", [email()], { onUnknownOutcome: "may_delay" });
  const to = { subscriberId: "lost", email: "lost@example.com" };
  const transactionId = await trigger(client, "doubt", to);
  const [waiting] = await eventually(async () => {
    const [notification] = await notificationsOf(client, transactionId);
    const isWaiting = notification?.jobs?.some(({ type, status }) => type === "email" && status === "delayed");
    return isWaiting ? messagesOf(client, transactionId) : null;
  }, "the mail to be in doubt");
  assert.equal(waiting!.status, "warning");
  await report([{ messageId: waiting!._id, externalId: "x-1", status: "delivered" }], doubtful._id);
  const [notification] = await settled(client, transactionId);
  const [message] = await messagesOf(client, transactionId);
  assert.deepEqual([message!.status, message!.deliveredAt?.length, message!.errorText], ["sent", 1, undefined]);
  assert.equal(notification!.jobs!.find(({ type }) => type === "email")!.status, "completed");
  assert.deepEqual(detailsOf(notification!, "email").slice(-2), ["Message sent", "Message delivered"]);
  assert.equal(lossy.taken(), 1);
});
