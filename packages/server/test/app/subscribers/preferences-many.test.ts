import assert from "node:assert/strict";
import { test } from "node:test";
import { startReceiver } from "@tidings/testkit/servers/receiver";
import { shareService } from "@tidings/testkit/service";
import { createWorkflow, email, inApp } from "@tidings/testkit/verbs";
import { eventually } from "@tidings/testkit/wait";

const receiver = await startReceiver();
const { client, production } = await shareService();
await createWorkflow(client, "news", [inApp(), email()]);
await createWorkflow(client, "alarm", [email()], { preferences: { workflow: { all: { readOnly: true } } } });
for (const subscriberId of ["ada", "grace"]) await client("subscribers.create", { body: { subscriberId } });
await production("subscribers.create", { body: { subscriberId: "foreign" } });

const choicesOf = async (subscriberId: string) => {
  const { body } = await client("subscribers.retrievePreferences", { params: { subscriberId } });
  return {
    global: body.global.channels,
    news: body.workflows.find((one) => one.workflow.identifier === "news")!.channels,
  };
};
const updateMany = async (body: object) => client.raw("preferences.updateMany", { body });

test("one choice for many: merged into theirs, unknown ones named, webhooks told of each", async () => {
  await client("webhooks.create", { body: { url: receiver.url, eventTypes: ["preference.updated"] } });
  await client("subscribers.updatePreferences", {
    params: { subscriberId: "ada" },
    body: { workflowId: "news", channels: { in_app: false } },
  });
  const { status, body } = await updateMany({
    subscriberIds: ["ada", " grace ", "ada", "ghost", "foreign"],
    workflowId: "news",
    channels: { email: false },
  });
  assert.deepEqual([status, body], [200, { updated: 2, notFound: ["ghost", "foreign"] }]);
  assert.deepEqual((await choicesOf("ada")).news, { in_app: false, email: false });
  assert.deepEqual((await choicesOf("grace")).news, { in_app: true, email: false });
  await updateMany({ subscriberIds: ["ada", "grace"], channels: { email: false } });
  assert.equal((await choicesOf("grace")).global.email, false);
  await eventually(() => receiver.received.length >= 5, "the webhook to be told of five changes");
});

test("a request with a fault changes nothing", async () => {
  const before = await choicesOf("ada");
  for (const [body, expected] of [
    [{ subscriberIds: ["ada"], workflowId: "none", channels: { sms: true } }, 404],
    [{ subscriberIds: ["ada"], workflowId: "alarm", channels: { sms: true } }, 400],
    [{ subscriberIds: [], channels: { sms: true } }, 422],
    [{ subscriberIds: Array.from({ length: 501 }, (_, index) => `p${index}`), channels: { sms: true } }, 422],
    [{ subscriberIds: ["ada"], channels: {} }, 422],
    [{ subscriberIds: ["ada"], channels: { fax: true } }, 422],
    [{ channels: { sms: true } }, 422],
  ] as const) {
    assert.equal((await updateMany(body)).status, expected, JSON.stringify(body).slice(0, 100));
  }
  assert.deepEqual(await choicesOf("ada"), before);
});
