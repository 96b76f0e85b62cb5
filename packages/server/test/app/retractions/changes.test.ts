// Messages that providers change: to a correction, and to the message of a later event with the same key.
import assert from "node:assert/strict";
import { test } from "node:test";
import { pushSubscription } from "@tidings/testkit/browser";
import { endpoint } from "@tidings/testkit/channels";
import { integration, step } from "@tidings/testkit/servers/webhook-providers";
import { shareService } from "@tidings/testkit/service";
import { createWorkflow, messagesOf, settled } from "@tidings/testkit/verbs";
import { eventually } from "@tidings/testkit/wait";
import { startProviders } from "./providers.ts";

const providers = await startProviders();
const { client } = await shareService();
await integration(client, "discord", "discord", {});
await integration(client, "rocket-chat", "rocket-chat", { token: "t", user: "u" } as never);
await integration(client, "slack", "slack", { applicationId: "A", clientId: "C", secretKey: "s" } as never);
await createWorkflow(client, "chat", [step("chat", { body: "{{ payload.text }}" })]);
await createWorkflow(client, "push", [step("push", { subject: "Hi", body: "{{ payload.text }}" })]);

async function reach(subscriberId: string, provider: "discord" | "rocket-chat" | "slack") {
  await client("subscribers.create", { body: { subscriberId } });
  const address = { url: `${providers.url}/${subscriberId}`, ...(provider === "rocket-chat" && { channel: "room" }) };
  await endpoint(client, provider, subscriberId, { endpoint: address } as never);
}

async function send(to: string, text: string, { name = "chat", supersedeKey = undefined as string | undefined } = {}) {
  const { body } = await client("events.trigger", { body: { name, to, payload: { text }, supersedeKey } });
  await settled(client, body.transactionId!);
  return body.transactionId!;
}

async function retract(transactionId: string, correction?: { body: string; subject?: string }) {
  const { body } = await client("retractions.create", { body: { transactionId, reason: "wrong", correction } });
  const done = await eventually(async () => {
    const { body: now } = await client("retractions.retrieve", { params: { retractionId: body._id } });
    return now.status === "completed" ? now : null;
  }, "the end");
  return done.results;
}

const explain = async (transactionId: string, subscriberId: string) =>
  (await client("explain.retrieve", { query: { transactionId, subscriberId } })).body.steps[0]!.reason;

test("a correction changes the message where it is", async () => {
  await reach("edit-d", "discord");
  await reach("edit-r", "rocket-chat");
  const correction = { body: "It is {{ payload.text }}, {{ subscriber.subscriberId }}" };
  assert.deepEqual(await retract(await send("edit-d", "five"), correction), { chat: { edited: 1 } });
  const [edit] = providers.callsTo("/edit-d/messages/m", "PATCH");
  assert.equal(JSON.parse(edit!.body).content, "It is five, edit-d");
  assert.deepEqual(await retract(await send("edit-r", "six"), correction), { chat: { edited: 1 } });
  const [update] = providers.callsTo("/edit-r/api/v1/chat.update");
  assert.equal(JSON.parse(update!.body).text, "It is six, edit-r");
});

test("where nothing can be changed, the correction is another message through the same channel", async () => {
  await reach("slack-hook", "slack");
  const transactionId = await send("slack-hook", "five");
  assert.deepEqual(await retract(transactionId, { body: "It is six" }), { chat: { corrected: 1 } });
  await eventually(() => providers.callsTo("/slack-hook").length === 2, "the correction");
  assert.match(providers.callsTo("/slack-hook")[1]!.body, /It is six/);
  assert.match(
    await explain(transactionId, "slack-hook"),
    /could not be unsent: the message stays; a correction was sent/,
  );
  const statuses = async () => (await messagesOf(client, transactionId)).map(({ status }) => status);
  await eventually(async () => (await statuses()).join() === "sent,sent", "both are sent");
});

test("a provider that refuses is named, with its reason", async () => {
  await reach("d-locked", "discord");
  const transactionId = await send("d-locked", "five");
  assert.deepEqual(await retract(transactionId), { chat: { failed: 1 } });
  assert.match(await explain(transactionId, "d-locked"), /could not be retracted: the provider refused \(.*401/);
});

test("a later event with the same key changes the message, and retracting it deletes that message", async () => {
  await reach("key", "discord");
  const first = await send("key", "shipped", { supersedeKey: "order" });
  const second = await send("key", "delivered", { supersedeKey: "order" });
  assert.equal(providers.callsTo("/key").length, 1, "one message was posted");
  const [edit] = providers.callsTo("/key/messages/", "PATCH");
  assert.equal(JSON.parse(edit!.body).content, "delivered");
  assert.match(await explain(first, "key"), /and then: replaced by a later event with the same key/);
  assert.deepEqual(await retract(second), { chat: { deleted: 1 } });
  assert.deepEqual(
    providers.callsTo("/key/messages/", "DELETE").map(({ path }) => path),
    [edit!.path],
  );
  assert.deepEqual(await retract(first), {}, "the first has its end state already");
});

test("a push replaces the one before by its topic", async () => {
  const token = pushSubscription(`${providers.secureUrl}/web/topic`);
  await client("subscribers.create", { body: { subscriberId: "topic" } });
  await client("subscribers.replaceCredentials", {
    params: { subscriberId: "topic" },
    body: { providerId: "web-push", credentials: { deviceTokens: [token] } },
  } as never);
  await send("topic", "one", { name: "push", supersedeKey: "k" });
  await send("topic", "two", { name: "push", supersedeKey: "k" });
  const topics = providers.callsTo("/web/topic").map(({ topic }) => topic);
  assert.equal(topics.length, 2);
  assert.ok(topics[0]);
  assert.equal(topics[0], topics[1]);
});
