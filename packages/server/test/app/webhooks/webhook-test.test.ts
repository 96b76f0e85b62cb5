import assert from "node:assert/strict";
import { test } from "node:test";
import { assertRefused, refused } from "@tidings/testkit/refusals";
import { isSignedWith, startReceiver } from "@tidings/testkit/servers/receiver";
import { startTestService } from "@tidings/testkit/service";
import { invite, signInOwner } from "../members/browsers.ts";

const receiver = await startReceiver(({ path }) => ({ status: path === "/broken" ? 503 : 204, text: "said" }));
const service = await startTestService();
const { client, production } = service;
const make = async (path: string, settings: object = {}) =>
  (await client("webhooks.create", { body: { url: `${receiver.url}${path}`, ...settings } })).body;
const send = async (webhookId: string) => (await client("webhooks.test", { params: { webhookId } })).body;

test("a test event is sent at once, signed, also to a webhook that is off; its delivery shows request and answer", async () => {
  const webhook = await make("/fine", { active: false });
  const sent = await send(webhook.id);
  assert.deepEqual([sent.type, sent.status, sent.attempts, sent.responseStatus], ["webhook.test", "delivered", 1, 204]);
  const [received] = receiver.of("/fine");
  assert.ok(isSignedWith(webhook.secret, received!));
  assert.deepEqual(
    [received!.event.type, received!.event.object, received!.event.id],
    ["webhook.test", "webhook", sent.eventId],
  );
  const params = { webhookId: webhook.id, deliveryId: sent.id };
  const { request, ...delivery } = (await client("webhooks.retrieveDelivery", { params })).body;
  assert.deepEqual(delivery, sent);
  assert.deepEqual(request, {
    url: webhook.url,
    headers: { "content-type": "application/json", "webhook-id": sent.eventId },
    body: received!.body,
  });
});

test("a test that fails is stored as failed and not retried", async () => {
  const webhook = await make("/broken");
  const sent = await send(webhook.id);
  assert.deepEqual(
    [sent.status, sent.responseStatus, sent.response, sent.nextAttemptAt],
    ["failed", 503, "said", undefined],
  );
  assert.equal(receiver.of("/broken").length, 1);
  const { active, disabledAt } = (await client("webhooks.retrieve", { params: { webhookId: webhook.id } })).body;
  assert.deepEqual([active, disabledAt], [true, undefined]);
});

test("other environments, unknown ids and roles are refused", async () => {
  const webhook = await make("/other");
  const params = { webhookId: webhook.id };
  await refused(production, "webhooks.test", { params }, "WEBHOOK_NOT_FOUND");
  const { id: deliveryId } = await send(webhook.id);
  await refused(production, "webhooks.retrieveDelivery", { params: { ...params, deliveryId } }, "WEBHOOK_NOT_FOUND");
  const unknown = { params: { ...params, deliveryId: "no-such" } };
  await assertRefused(client, "webhooks.retrieveDelivery", unknown, { code: "WEBHOOK_DELIVERY_NOT_FOUND" });
  const owner = await signInOwner(service);
  const viewer = await invite(service, owner, "viewer");
  assert.equal((await viewer.call("webhooks.test", { params })).status, 403);
  assert.equal(receiver.of("/other").length, 1);
});
