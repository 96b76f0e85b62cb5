// Deleting messages, and what becomes of messages that wait for their provider when they are deleted or canceled.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import { after, test } from "node:test";
import { startTestService } from "../support/service.ts";
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
} from "../support/verbs.ts";
import { eventually } from "../support/wait.ts";

// A mail server that takes connections and says nothing: a message handed to it is under way until the test hangs up.
const sockets = new Set<Socket>();
const server = createServer((socket) => {
  sockets.add(socket);
  socket.on("error", () => {});
  socket.on("close", () => sockets.delete(socket));
});
server.listen(0, "127.0.0.1");
await once(server, "listening");
after(() => {
  for (const socket of sockets) socket.destroy();
  server.close();
});
const hangUp = () => {
  for (const socket of sockets) socket.end("421 4.3.2 Closing\r\n");
};

const { client, production } = await startTestService();
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

test("prepare a silent mail server", async () => {
  const credentials = { host: "127.0.0.1", port: String(port), secure: false, from: "a@example.com", senderName: "A" };
  const body = { providerId: "nodemailer", channel: "email", active: true, credentials } as const;
  await client("integrations.create", { body });
  await createWorkflow(client, "mailed", [email(), inApp()]);
});

test("a message that is deleted during the call is not repeated, and its run goes on", async () => {
  const transactionId = await trigger(client, "mailed", to("dora"));
  await underWay();
  assert.equal((await removeAll(transactionId)).status, 204);
  await eventually(async () => (await feedOf(client, "dora")).length === 1, "the step behind the deleted message");
  hangUp();
  await eventually(async () => {
    const [run] = await notificationsOf(client, transactionId);
    return detailsOf(run!, "email").filter((detail) => detail === "Step canceled").length === 2;
  }, "the end of the call");
  const [run] = await settled(client, transactionId);
  assert.deepEqual(
    run!.jobs!.map((job) => job.status),
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
    const [run] = await notificationsOf(client, transactionId);
    return detailsOf(run!, "email").includes("Provider error, will be repeated");
  }, "the end of the call");
  const [run] = await settled(client, transactionId);
  assert.deepEqual(
    run!.jobs!.map((job) => job.status),
    ["canceled", "canceled"],
  );
  const [message] = await messagesOf(client, transactionId);
  assert.equal(message!.status, "warning");
  assert.equal(message!.errorText, "Canceled: the event was canceled");
  assert.equal((await feedOf(client, "emil")).length, 0);
});
