// Receipts of mails to several recipients: each concerns one of them.
import assert from "node:assert/strict";
import { test } from "node:test";
import { request } from "@tidings/testkit/http";
import { startScriptedMail } from "@tidings/testkit/mail/scripted-mail";
import { shareService } from "@tidings/testkit/service";
import { createWorkflow, email, messagesOf, notificationsOf, settled } from "@tidings/testkit/verbs";

const mail = await startScriptedMail(() => null);
const service = await shareService();
const { client } = service;

const { body: integration } = await client("integrations.create", {
  body: {
    providerId: "nodemailer",
    channel: "email",
    identifier: "smtp",
    active: true,
    credentials: { host: "127.0.0.1", port: mail.port, ignoreTls: true, from: "shop@example.com", senderName: "Shop" },
    configurations: { inboundWebhookEnabled: true, inboundWebhookSigningKey: "k" },
  },
});
await client("integrations.setPrimary", { params: { integrationId: "smtp" } });
await createWorkflow(client, "mail", [email()]);

let count = 0;
/** A mail to one subscriber, with or without a copy to another address. */
async function sentMail(hasCopy = true) {
  const name = `reader-${++count}`;
  const [own, copy] = [`${name}@example.com`, `Copy-${count}@Example.com`];
  // For all providers, or for the one it goes through.
  const overrides = hasCopy ? { [count % 2 ? "email" : "nodemailer"]: { cc: [`Carbon Copy <${copy}>`] } } : {};
  const events = [{ name: "mail", to: { subscriberId: name, email: own }, payload: {}, overrides }];
  const [result] = (await client("events.triggerBulk", { body: { events } })).body;
  const { transactionId } = result as { transactionId: string };
  await settled(client, transactionId);
  const message = async () => (await messagesOf(client, transactionId))[0]!;
  const { _id: messageId, status } = await message();
  assert.equal(status, "sent");
  const details = async () =>
    (await notificationsOf(client, transactionId))[0]!
      .jobs!.flatMap((job) => job.executionDetails)
      .filter(({ source }) => source === "Webhook")
      .map(({ detail, raw }) => [detail, (JSON.parse(raw ?? "{}") as { recipient?: string }).recipient]);
  return { own, copy, messageId, message, details };
}

async function report(events: object[]): Promise<void> {
  const path = `/v2/inbound-webhooks/delivery-providers/${integration._environmentId}/${integration._id}`;
  const authorization = `Basic ${Buffer.from("x:k").toString("base64")}`;
  const headers = { authorization, "content-type": "application/json" };
  const reply = await request(service, path, { method: "POST", headers, body: JSON.stringify(events) });
  assert.equal(reply.status, 200, reply.text);
}

const isSuppressed = async (address: string): Promise<boolean> =>
  (await client("suppressions.list", { query: { address } })).body.data.length === 1;

test("a copy that bounced is suppressed, and its message stays sent", async () => {
  const { own, copy, messageId, message, details } = await sentMail();
  await report([{ messageId, status: "bounced", recipient: copy.toUpperCase() }]);
  assert.deepEqual(
    [(await message()).status, await isSuppressed(own), await isSuppressed(copy)],
    ["sent", false, true],
  );
  assert.deepEqual(await details(), [["Message bounced", copy.toUpperCase()]]);
  await report([{ messageId, status: "delivered", recipient: copy }]);
  assert.equal((await message()).deliveredAt, undefined);
  await report([{ messageId, status: "delivered", recipient: own }]);
  assert.equal((await message()).deliveredAt?.length, 1);
});

test("one report about each of two recipients, at the same time: both count, each once", async () => {
  const { own, copy, messageId, message, details } = await sentMail();
  const both = [own, copy].map((recipient) => ({
    messageId,
    status: "bounced",
    recipient,
    date: "2026-01-01T10:00:00Z",
  }));
  await report(both);
  await report(both);
  const { status, errorId } = await message();
  assert.deepEqual(
    [status, errorId, await isSuppressed(own), await isSuppressed(copy)],
    [...["error", "provider_bounced"], ...[true, true]],
  );
  assert.deepEqual(await details(), [
    ["Message bounced", undefined],
    ["Message bounced", copy],
  ]);
});

test("addresses that the receipt does not name, or the message did not go to, are not suppressed", async () => {
  const unnamed = await sentMail();
  await report([{ messageId: unnamed.messageId, status: "bounced" }]);
  assert.equal((await unnamed.message()).status, "error");
  const strange = await sentMail();
  await report([{ messageId: strange.messageId, status: "complaint", recipient: "ceo@example.com" }]);
  assert.equal((await strange.message()).status, "sent");
  for (const address of [unnamed.own, unnamed.copy, strange.own, strange.copy, "ceo@example.com"]) {
    assert.equal(await isSuppressed(address), false, address);
  }
  const alone = await sentMail(false);
  await report([{ messageId: alone.messageId, status: "complaint" }]);
  assert.deepEqual([(await alone.message()).status, await isSuppressed(alone.own)], ["sent", true]);
});

test("a mail that failed for a temporary reason has failed, and its address is not suppressed", async () => {
  const { own, messageId, message, details } = await sentMail(false);
  await report([{ messageId, status: "deferred", recipient: own }]);
  assert.equal((await message()).status, "sent");
  await report([{ messageId, status: "undelivered", recipient: own, response: "452 mailbox full" }]);
  const { status, errorId, errorText } = await message();
  assert.deepEqual([status, errorId], ["error", "provider_bounced"]);
  assert.equal(errorText, 'The provider reported "undelivered": 452 mailbox full');
  assert.equal(await isSuppressed(own), false);
  assert.deepEqual(await details(), [
    ["Message deferred by the provider", undefined],
    ["Message bounced", undefined],
  ]);
});
