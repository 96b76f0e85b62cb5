// Deleting messages, and what happens to messages that are deleted or canceled while they wait for their provider.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import { test } from "node:test";
import type { Message } from "@tidings/contract";
import { atEnd } from "@tidings/testkit/at-end";
import { newStage } from "@tidings/testkit/clock";
import { only } from "@tidings/testkit/lists";
import { startReceiver } from "@tidings/testkit/servers/receiver";
import { integration, secretKey, step } from "@tidings/testkit/servers/webhook-providers";
import { startTestService } from "@tidings/testkit/service";
import {
  createWorkflow,
  detailsOf,
  email,
  feedOf,
  inApp,
  messagesOf,
  notificationsOf,
  settled,
  trigger,
} from "@tidings/testkit/verbs";
import { eventually } from "@tidings/testkit/wait";

// A mail server that takes connections and says nothing: a message handed to it is in progress until the test hangs up.
const sockets = new Set<Socket>();
const server = createServer((socket) => {
  sockets.add(socket);
  socket.on("error", () => {});
  socket.on("close", () => sockets.delete(socket));
});
server.listen(0, "127.0.0.1");
await once(server, "listening");
atEnd(() => {
  for (const socket of sockets) socket.destroy();
  server.close();
});
const hangUp = () => {
  for (const socket of sockets) socket.end("421 4.3.2 Closing\r\n");
};

/** Takes no push message until the test says so. */
let isOpen = false;
const phones = await startReceiver(({ path }) => ({ status: isOpen || path === "/told" ? 200 : 503 }));

const service = await startTestService({ TIDINGS_CIRCUIT_FAILURES: "50" });
const { client, production } = service;
await createWorkflow(client, "both", [inApp(), email()]);
const to = (subscriberId: string) => ({ subscriberId, email: `${subscriberId}@example.com` });

const remove = (messageId: string, via = client) => via.raw("messages.delete", { params: { messageId } });
const removeAll = (transactionId: string, query = {}, via = client) =>
  via.raw("messages.deleteByTransaction", { params: { transactionId }, query });
const codeOf = (answer: { body: unknown }) => (answer.body as { code: string }).code;
const messageOf = (answer: { body: unknown }) => (answer.body as { message: string }).message;

test("a message is deleted once", async () => {
  const transactionId = await trigger(client, "both", to("ada"));
  await settled(client, transactionId);
  const [item] = await feedOf(client, "ada");
  const foreign = await remove(item!._id, production);
  assert.deepEqual([foreign.status, codeOf(foreign)], [404, "MESSAGE_NOT_FOUND"]);
  const answer = await remove(item!._id);
  assert.deepEqual([answer.status, answer.body], [200, { acknowledged: true, status: "deleted" }]);
  assert.equal((await feedOf(client, "ada")).length, 0);
  assert.equal((await messagesOf(client, transactionId)).length, 1);
  for (const id of [item!._id, "nonsense"]) {
    const again = await remove(id);
    assert.deepEqual([again.status, messageOf(again)], [404, `Message with id ${id} not found`]);
  }
});

test("the messages of a transaction, all or of one channel", async () => {
  const transactionId = await trigger(client, "both", [to("bob"), to("carl")]);
  await settled(client, transactionId);
  assert.equal((await removeAll(transactionId, {}, production)).status, 404);
  assert.equal((await removeAll(transactionId, { channel: "fax" })).status, 422);
  const none = await removeAll(transactionId, { channel: "sms" });
  assert.deepEqual([none.status, codeOf(none)], [404, "MESSAGE_NOT_FOUND"]);
  assert.equal(messageOf(none), `No message of transaction ${transactionId} found`);
  assert.equal((await messagesOf(client, transactionId)).length, 4);

  const some = await removeAll(transactionId, { channel: "in_app" });
  assert.deepEqual([some.status, some.body], [204, undefined]);
  const left = await messagesOf(client, transactionId);
  assert.deepEqual(
    left.map((message) => message.channel),
    ["email", "email"],
  );
  assert.equal((await removeAll(transactionId)).status, 204);
  assert.equal((await removeAll(transactionId)).status, 404);
  assert.equal((await removeAll("unknown")).status, 404);
});

const port = (server.address() as { port: number }).port;
const underWay = () => eventually(() => sockets.size > 0, "the call to the mail server");

/** Waiting without an error so far, even for monitoring that searches for errors. */
function assertHealthy(message: Message) {
  assert.equal(message.status, "warning");
  for (const name of ["errorId", "errorText"]) assert.ok(!(name in message), JSON.stringify(message));
}

test("set up a mail server that never answers", async () => {
  const credentials = { host: "127.0.0.1", port: String(port), secure: false, from: "a@example.com", senderName: "A" };
  const body = { providerId: "nodemailer", channel: "email", active: true, credentials } as const;
  await client("integrations.create", { body });
  await createWorkflow(client, "mailed", [email(), inApp()]);
});

test("a message that is deleted during the call is not repeated, and its run goes on", async () => {
  const url = `${phones.url}/told`;
  const { id: webhookId } = (await client("webhooks.create", { body: { url, eventTypes: ["message.deleted"] } })).body;
  const transactionId = await trigger(client, "mailed", to("dora"));
  await underWay();
  assertHealthy((await messagesOf(client, transactionId))[0]!);
  assert.equal((await removeAll(transactionId)).status, 204);
  const told = await eventually(() => phones.of("/told")[0], "the webhook");
  assertHealthy(told.event.data.object as Message);
  await client("webhooks.delete", { params: { webhookId } });
  await eventually(async () => (await feedOf(client, "dora")).length === 1, "the step behind the deleted message");
  hangUp();
  await eventually(async () => {
    const run = only(await notificationsOf(client, transactionId));
    return detailsOf(run, "email").includes("Provider error, will be repeated");
  }, "the end of the call");
  const run = only(await settled(client, transactionId));
  assert.deepEqual(
    run.jobs!.map((job) => job.status),
    ["canceled", "completed"],
  );
  assert.deepEqual(
    (await messagesOf(client, transactionId)).map((message) => message.channel),
    ["in_app"],
  );
});

test("a message that waits for its repeat is withdrawn with its event", async () => {
  const transactionId = await trigger(client, "mailed", to("emil"));
  await underWay();
  const { body } = await client("events.cancel", { params: { transactionId } });
  assert.equal(body, true);
  hangUp();
  await eventually(async () => {
    const run = only(await notificationsOf(client, transactionId));
    return detailsOf(run, "email").includes("Provider error, will be repeated");
  }, "the end of the call");
  const run = only(await settled(client, transactionId));
  assert.deepEqual(
    run.jobs!.map((job) => job.status),
    ["canceled", "canceled"],
  );
  const [message] = await messagesOf(client, transactionId);
  assert.equal(message!.status, "warning");
  assert.equal(message!.errorText, "Canceled: the event was canceled");
  assert.equal((await feedOf(client, "emil")).length, 0);
});

test("of several messages of a step one can be deleted: the others are sent, and the last of them ends the step", async () => {
  isOpen = false;
  const stage = await newStage(service, "2026-03-02T09:00:00.000Z");
  const { client: own } = stage;
  await integration(own, "push-webhook", "phones", { webhookUrl: phones.url, secretKey });
  await createWorkflow(own, "pushed", [step("push", { subject: "Hi", body: "Ho" }), inApp()]);
  const waiting = async (subscriberId: string, deviceTokens: string[]) => {
    const before = phones.received.length;
    const channels = [{ providerId: "push-webhook", integrationIdentifier: "phones", credentials: { deviceTokens } }];
    const transactionId = await trigger(own, "pushed", { subscriberId, channels });
    await eventually(() => phones.received.length === before + deviceTokens.length, "a call for each device");
    await stage.moveTo("2026-03-02T09:00:00.000Z");
    return { transactionId, messages: await messagesOf(own, transactionId) };
  };
  const statuses = async (transactionId: string) =>
    only(await notificationsOf(own, transactionId)).jobs!.map((job) => job.status);

  const some = await waiting("gina", ["one", "two", "three"]);
  const one = await waiting("hugo", ["four", "five"]);
  const none = await waiting("ines", ["six"]);
  await remove(some.messages[0]!._id!, own);
  assert.deepEqual(await statuses(some.transactionId), ["queued", "pending"]);
  for (const { messages } of [one, none]) await remove(messages[0]!._id!, own);
  await removeAll(none.transactionId, {}, own);
  isOpen = true;
  await stage.advance(1, "hours");
  for (const [sent, count] of [[some, 2] as const, [one, 1] as const]) {
    const run = only(await notificationsOf(own, sent.transactionId));
    assert.deepEqual(await statuses(sent.transactionId), ["completed", "completed"]);
    assert.equal(detailsOf(run, "push").filter((text) => text === "Message sent").length, count);
    assert.ok(detailsOf(run, "push").includes("Message deleted before it was sent"));
  }
  assert.deepEqual(await statuses(none.transactionId), ["canceled", "completed"]);
});
