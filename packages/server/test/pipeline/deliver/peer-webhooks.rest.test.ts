// Receivers of the generic webhooks that were written for Novu: with TIDINGS_VOCABULARY=novu they get its bodies, and
// its signature in addition to that of Standard Webhooks.
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { test } from "node:test";
import { endpoint, subscriber } from "@tidings/testkit/channels";
import { isSignedWith, type Received, startReceiver } from "@tidings/testkit/servers/receiver";
import { integration, mailer, secretKey, step } from "@tidings/testkit/servers/webhook-providers";
import { shareService } from "@tidings/testkit/service";
import { createWorkflow, email, messagesOf, settled, trigger } from "@tidings/testkit/verbs";
import { eventually } from "@tidings/testkit/wait";

const receiver = await startReceiver(() => ({ status: 200, text: "{}" }));
const { client } = await shareService({ TIDINGS_VOCABULARY: "novu" });

/** What came there, with both signatures checked. */
async function receivedAt(path: string): Promise<Record<string, unknown>> {
  const [one] = await eventually(() => (receiver.of(path).length > 0 ? receiver.of(path) : null), path);
  const { headers, body } = one as Received;
  assert.equal(headers["x-novu-signature"], createHmac("sha256", secretKey).update(body).digest("hex"));
  assert.ok(isSignedWith(secretKey, one as Received));
  return JSON.parse(body) as Record<string, unknown>;
}

test("a mail has its addresses as texts, its files as bytes, and the payload", async () => {
  await mailer(client, "mail", `${receiver.url}/mail`);
  await client("integrations.setPrimary", { params: { integrationId: "mail" } });
  await createWorkflow(client, "mail", [email()]);
  const file = Buffer.from("hi").toString("base64");
  const payload = { order: 7, attachments: [{ name: "a.txt", mime: "text/plain", file }] };
  const transactionId = await trigger(client, "mail", { subscriberId: "ada", email: "ada@example.com" }, payload);
  const body = await receivedAt("/mail");
  await settled(client, transactionId);
  const [message] = await messagesOf(client, transactionId);
  const { html, text, headers, ...rest } = body;
  assert.match(String(html), /Hello/);
  assert.deepEqual(rest, {
    id: message!._id,
    from: "a@example.com",
    senderName: "A",
    to: ["ada@example.com"],
    subject: "Hi",
    attachments: [{ name: "a.txt", mime: "text/plain", file: { type: "Buffer", data: [104, 105] } }],
    payload: { order: 7 },
    payloadDetails: { order: 7 },
  });
});

test("a push names its devices as a list, and carries the subscriber and what a digest collected", async () => {
  await integration(client, "push-webhook", "push", { webhookUrl: `${receiver.url}/push`, secretKey });
  await client("subscribers.create", { body: { subscriberId: "bob", firstName: "Bob" } });
  await client("subscribers.appendCredentials", {
    params: { subscriberId: "bob" },
    body: { providerId: "push-webhook", credentials: { deviceTokens: ["device-1"] } },
  });
  await createWorkflow(client, "ring", [
    step("digest", { type: "regular", amount: 1, unit: "seconds" }),
    step("push", { subject: "Hi", body: "There" }),
  ]);
  const transactionId = await trigger(client, "ring", "bob", { order: 8 });
  const body = await receivedAt("/push");
  await settled(client, transactionId);
  const [message] = await messagesOf(client, transactionId);
  const { payload, ...rest } = body;
  assert.deepEqual(rest, { target: ["device-1"], title: "Hi", content: "There" });
  const { subscriber: told, step: state, ...fields } = payload as Record<string, unknown>;
  assert.deepEqual(fields, { order: 8, tidingsMessageId: message!._id });
  assert.deepEqual((told as Record<string, unknown>).firstName, "Bob");
  assert.deepEqual(state, { digest: true, events: [{ order: 8 }], total_count: 1 });
});

test("a chat message is the content of the peer API", async () => {
  await integration(client, "chat-webhook", "chat", { secretKey });
  await subscriber(client, "cleo");
  const url = `${receiver.url}/chat`;
  await endpoint(client, "chat", "cleo", { endpoint: { url, channel: "orders" } });
  await createWorkflow(client, "talk", [step("chat", { body: "Hello" })]);
  await settled(client, await trigger(client, "talk", "cleo"));
  assert.deepEqual(await receivedAt("/chat"), { content: "Hello", webhookUrl: url, channel: "orders" });
});
