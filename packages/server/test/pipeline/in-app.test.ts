import assert from "node:assert/strict";
import { test } from "node:test";
import { startTestService } from "../support/service.ts";
import { createWorkflow, detailsOf, feedOf, inApp, settled, trigger } from "../support/verbs.ts";

const service = await startTestService();
const { client } = service;

test("an event becomes a message in the feed of each recipient, once", async () => {
  await createWorkflow(client, "shipped", [
    inApp({ subject: "Order {{payload.order}}", body: "<b>{{payload.city}}</b>" }),
  ]);
  const transactionId = await trigger(client, "shipped", ["ada", "bob", "ada"], { order: 4711, city: "Köln <x>" });
  const notifications = await settled(client, transactionId);
  assert.equal(notifications.length, 2);
  assert.deepEqual(detailsOf(notifications[0]!, "in_app"), ["Step created", "Message created", "Message sent"]);
  for (const subscriberId of ["ada", "bob"]) {
    const feed = await feedOf(client, subscriberId);
    assert.equal(feed.length, 1);
    assert.equal(feed[0]!.subject, "Order 4711");
    assert.equal(feed[0]!.content, "<b>Köln &lt;x&gt;</b>");
  }
});
