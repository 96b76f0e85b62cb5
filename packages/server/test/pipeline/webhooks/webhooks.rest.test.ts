import assert from "node:assert/strict";
import { test } from "node:test";
import type { WebhookDelivery, WebhookEventType } from "@tidings/contract";
import { type Answer, isSignedWith, startReceiver } from "@tidings/testkit/servers/receiver";
import { startTestService } from "@tidings/testkit/service";
import { createWorkflow, email, inApp, messagesOf, settled, trigger } from "@tidings/testkit/verbs";
import { eventually } from "@tidings/testkit/wait";
import { sql } from "kysely";
import { retryAfter, webhookRetryWaits } from "../../../src/pipeline/webhooks/retry.ts";
import { purgeWebhookEvents } from "../../../src/store/installation/purges.ts";

const answers = new Map<string, Answer>([
  ["/gone", { status: 410, text: "closed" }],
  ["/moved", { status: 302, headers: { location: "/all" } }],
  ["/down", { status: 500, text: "x".repeat(5_000) }],
  ["/shaky", { status: 503 }],
]);
const receiver = await startReceiver(({ path }) => answers.get(path) ?? { status: 204 });
const { client, production, db } = await startTestService();

const make = async (path: string, eventTypes: WebhookEventType[] = []) =>
  (await client("webhooks.create", { body: { url: `${receiver.url}${path}`, eventTypes } })).body;
const remove = (webhookId: string) => client("webhooks.delete", { params: { webhookId } });
const heard = (path: string, type: WebhookEventType, count = 1) =>
  eventually(() => {
    const found = receiver.of(path).filter(({ event }) => event.type === type);
    return found.length >= count ? found.map(({ event }) => event) : null;
  }, `${count} ${type} at ${path}`);
const deliveries = async (webhookId: string): Promise<WebhookDelivery[]> =>
  (await client("webhooks.listDeliveries", { params: { webhookId } })).body.data;
const attempted = (webhookId: string, attempts = 1) =>
  eventually(async () => (await deliveries(webhookId)).find((one) => one.attempts >= attempts), "an attempt");

test("everything that happens to messages, preferences and workflows is told, as the API shows it", async () => {
  const all = await make("/all");
  const workflow = await createWorkflow(client, "told", [inApp({ subject: "Hi", body: "Hello {{payload.name}}" })]);
  const [created] = await heard("/all", "workflow.created");
  assert.equal(created!.object, "workflow");
  assert.equal(created!.environmentId, (await client("environments.list")).body.find(({ apiKeys }) => apiKeys)!._id);
  assert.match(created!.id, /^evt_[0-9a-f]{32}$/);
  assert.deepEqual(created!.data.object, JSON.parse(JSON.stringify(workflow)));

  await client("workflows.patch", { params: { workflowId: "told" }, body: { name: "Renamed" } });
  const [updated] = await heard("/all", "workflow.updated");
  assert.equal(updated!.data.object.name, "Renamed");
  assert.equal(updated!.data.previousObject?.name, "told");

  const to = { subscriberId: "ada", email: "ada@example.com" };
  const transactionId = await trigger(client, "told", to, { name: "Ada" });
  const [sent] = await heard("/all", "message.sent");
  const [message] = await messagesOf(client, transactionId);
  const { subscriber, ...rest } = message!;
  const { channels, ...person } = subscriber!;
  assert.deepEqual(sent!.data, { object: { ...rest, subscriber: person }, subscriberId: "ada" });
  const { headers } = receiver.of("/all").at(-1)!;
  assert.equal(headers["content-type"], "application/json");
  assert.equal(headers["webhook-id"], sent!.id);
  assert.ok(Math.abs(Number(headers["webhook-timestamp"]) * 1000 - Date.now()) < 60_000);
  for (const one of receiver.of("/all")) assert.ok(isSignedWith(all.secret, one));

  const messageId = message!._id!;
  const params = { subscriberId: "ada" };
  const mark = (markAs: "seen" | "read" | "unread" | "unseen") =>
    client("subscribers.markMessages", { params, body: { messageId, markAs } });
  await mark("seen");
  assert.equal((await heard("/all", "message.seen"))[0]!.data.object.seen, true);
  await mark("read");
  assert.equal((await heard("/all", "message.read"))[0]!.data.object.read, true);
  await mark("read");
  await mark("unread");
  await client("subscribers.markAllMessages", { params, body: { markAs: "read" } });
  await mark("unseen");
  assert.equal((await heard("/all", "message.unread", 2))[1]!.data.object.read, false);
  assert.equal((await heard("/all", "message.read", 2)).length, 2, "a mark that changes nothing is no news");

  const at = { subscriberId: "ada", notificationId: messageId };
  await client("subscriberNotifications.archive", { params: at });
  await mark("unread");
  assert.equal((await heard("/all", "message.unarchived")).length, 1, "what is unread is not archived");
  const snoozeUntil = new Date(Date.now() + 3_600_000).toISOString();
  await client("subscriberNotifications.snooze", { params: at, body: { snoozeUntil } });
  assert.equal((await heard("/all", "message.snoozed"))[0]!.data.object.snoozedUntil, snoozeUntil);
  await client("subscriberNotifications.unsnooze", { params: at });
  assert.equal((await heard("/all", "message.unsnoozed"))[0]!.data.object.snoozedUntil, undefined);

  await client("messages.delete", { params: { messageId } });
  assert.equal((await heard("/all", "message.deleted"))[0]!.data.object._id, messageId);

  await client("subscribers.updatePreferences", { params, body: { channels: { in_app: false } } });
  await client("subscribers.bulkUpdatePreferences", {
    params,
    body: { preferences: [{ workflowId: "told", channels: { in_app: false } }] },
  });
  const preferences = await heard("/all", "preference.updated", 2);
  const ofLevel = (level: string) => preferences.find(({ data }) => data.object.level === level)!.data;
  assert.deepEqual(ofLevel("global").object.channels, { in_app: false });
  assert.deepEqual(ofLevel("template").object.channels, { in_app: false });
  assert.equal(ofLevel("template").subscriberId, "ada");

  await client("workflows.delete", { params: { workflowId: "told" } });
  assert.equal((await heard("/all", "workflow.deleted"))[0]!.data.object.workflowId, "told");
  await remove(all.id);
});

test("what providers take and refuse is told too", async () => {
  const { id } = await make("/mail", ["message.sent", "message.failed"]);
  await createWorkflow(client, "mail", [email()]);
  await settled(client, await trigger(client, "mail", { subscriberId: "eve", email: "eve@example.com" }));
  const [sent] = await heard("/mail", "message.sent");
  assert.deepEqual([sent!.data.object.status, sent!.data.object.email], ["sent", "eve@example.com"]);
  await settled(client, await trigger(client, "mail", "nobody-at-all"));
  const [failed] = await heard("/mail", "message.failed");
  assert.equal(failed!.data.object.errorId, "subscriber_missing_email");
  assert.equal(failed!.data.error?.message, failed!.data.object.errorText);
  assert.deepEqual(new Set(receiver.of("/mail").map(({ event }) => event.object)), new Set(["message"]));
  await remove(id);
});

test("publishing is reported to the target environment only", async () => {
  const target = (await client("environments.list")).body.find(({ type }) => type === "prod")!;
  const { body } = await production("webhooks.create", { body: { url: "https://127.0.0.1:1/" } });
  const here = await make("/here", ["workflow.published", "workflow.updated"]);
  await createWorkflow(client, "published", []);
  await production("workflows.sync", {
    params: { workflowId: "published" },
    body: { targetEnvironmentId: target._id },
  });
  const there = await production("webhooks.listDeliveries", { params: { webhookId: body.id } });
  assert.deepEqual(
    there.body.data.map((one) => one.type),
    ["workflow.published"],
  );
  const { rows } = await sql<{ type: string }>`select e.type from webhook_deliveries d
    join webhook_events e on e.id = d.event_id where d.webhook_id = ${here.id}`.execute(db);
  assert.deepEqual(rows, []);
  await remove(here.id);
  await production("webhooks.delete", { params: { webhookId: body.id } });
});

test("without a webhook that hears of it nothing is written, and a refused request is no event", async () => {
  const count = async () =>
    (await sql<{ count: number }>`select count(*) as count from webhook_events`.execute(db)).rows[0]!.count;
  const before = await count();
  const deaf = await make("/deaf", ["message.archived"]);
  const off = await make("/off");
  await client("webhooks.update", { params: { webhookId: off.id }, body: { active: false } });
  await createWorkflow(client, "unheard", [inApp()]);
  await settled(client, await trigger(client, "unheard", "bob"));
  await client("webhooks.update", { params: { webhookId: off.id }, body: { active: true } });
  assert.equal(
    (await client.raw("workflows.create", { body: { name: "x", workflowId: "unheard", steps: [] } })).status,
    409,
  );
  assert.equal(await count(), before);
  await remove(deaf.id);
  await remove(off.id);
});

test("a receiver that fails is tried again later with the same id, and heals", async () => {
  const { id } = await make("/shaky");
  await createWorkflow(client, "shaky", []);
  const first = await attempted(id);
  assert.deepEqual([first.status, first.responseStatus], ["pending", 503]);
  const waitMs = Date.parse(first.nextAttemptAt!) - Date.parse(first.lastAttemptAt!);
  assert.equal(waitMs, 5_000);
  answers.delete("/shaky");
  const done = await attempted(id, 2);
  assert.deepEqual([done.status, done.attempts, done.responseStatus], ["delivered", 2, 204]);
  const [one, two] = receiver.of("/shaky");
  assert.deepEqual([two!.body, two!.headers["webhook-id"]], [one!.body, one!.headers["webhook-id"]]);
  const { rows } = await sql`select 1 from webhooks where id = ${id} and failing_since is not null`.execute(db);
  assert.deepEqual(rows, []);
  await remove(id);
});

test("the waits between attempts", () => {
  const minute = 60_000;
  assert.deepEqual(
    webhookRetryWaits.map((_, index) => retryAfter(index + 1)! / minute),
    [...[5 / 60, 5, 30, 120, 300, 600, 600]],
  );
  assert.equal(retryAfter(8), null);
});

test("a redirect is an answer like any other, and an address that became private is not called", async () => {
  const moved = await make("/moved");
  await createWorkflow(client, "moving", []);
  const answered = await attempted(moved.id);
  assert.deepEqual([answered.status, answered.responseStatus], ["pending", 302]);
  assert.ok(!receiver.of("/all").some(({ event }) => event.id === answered.eventId));
  await remove(moved.id);

  const rebound = await make("/rebound");
  await sql`update webhooks set url = 'http://10.0.0.1/' where id = ${rebound.id}`.execute(db);
  await createWorkflow(client, "rebinding", []);
  const refused = await attempted(rebound.id);
  assert.equal(refused.responseStatus, undefined);
  assert.match(refused.response!, /10\.0\.0\.1 are refused: it is a private address/);
  await remove(rebound.id);
});

test("410 switches a webhook off; so do 5 days without a success; what waited has failed and can be replayed", async () => {
  const gone = await make("/gone");
  await createWorkflow(client, "leaving", []);
  const last = await attempted(gone.id);
  assert.deepEqual([last.status, last.responseStatus, last.response], ["failed", 410, "closed"]);
  const at = { params: { webhookId: gone.id } };
  const off = (await client("webhooks.retrieve", at)).body;
  assert.deepEqual([off.active, off.disabledReason], [false, "The receiver returned 410 Gone"]);
  assert.ok(off.disabledAt);
  // What happens from now on is not sent, but kept.
  const missed = async () => (await deliveries(gone.id)).filter((one) => one.attempts === 0);
  await createWorkflow(client, "meanwhile", []);
  const unheard = await eventually(
    async () => (await missed()).find((one) => one.status === "failed"),
    "what was missed",
  );
  assert.equal(unheard.response, "Not sent: the webhook is switched off");
  await sql`update webhooks set disabled_at = disabled_at - interval '31 days' where id = ${gone.id}`.execute(db);
  await client("webhooks.update", { ...at, body: { eventTypes: [] } });
  await createWorkflow(client, "long-after", []);
  assert.equal((await missed()).length, 1, "no events are kept after a month");
  const on = (await client("webhooks.update", { ...at, body: { active: true } })).body;
  assert.deepEqual([on.active, on.disabledAt, on.disabledReason], [true, undefined, undefined]);
  answers.delete("/gone");
  const since = new Date(Date.now() - 3_600_000).toISOString();
  assert.equal((await client("webhooks.replay", { ...at, body: { since } })).body.replayed, 2);
  assert.equal((await attempted(gone.id, 2)).id, last.id);
  await eventually(async () => (await deliveries(gone.id)).every((one) => one.status === "delivered"), "the replay");
  await remove(gone.id);

  const down = await make("/down");
  const of = { params: { webhookId: down.id } };
  await createWorkflow(client, "down-1", []);
  const first = await attempted(down.id);
  assert.equal(first.response!.length, 1_024);
  assert.equal((await client("webhooks.retrieve", of)).body.active, true);
  await sql`update webhooks set failing_since = now() - interval '5 days 1 second' where id = ${down.id}`.execute(db);
  await createWorkflow(client, "down-2", []);
  const stopped = await eventually(async () => {
    const { body } = await client("webhooks.retrieve", of);
    return body.active ? null : body;
  }, "the webhook to be switched off");
  assert.equal(stopped.disabledReason, "No delivery has succeeded for 5 days");
  const unsent = await eventually(
    async () => (await deliveries(down.id)).find((one) => one.id === first.id && one.status === "failed"),
    "what waited to fail",
  );
  assert.deepEqual([unsent.attempts, unsent.response], [1, "Not sent: the webhook is switched off"]);
  await remove(down.id);
});

test("what is large is left out of the event, and old events are removed", async () => {
  const { id } = await make("/large", ["message.sent"]);
  await createWorkflow(client, "large", [inApp({ body: "small" })]);
  await trigger(client, "large", "bob", { text: "x".repeat(70_000) });
  const [sent] = await heard("/large", "message.sent");
  assert.deepEqual([sent!.data.object.payload, sent!.data.object.content], [undefined, "small"]);

  await eventually(async () => (await deliveries(id))[0]?.status === "delivered", "the delivery");
  assert.equal(await purgeWebhookEvents(db, new Date(Date.now() - 60_000), 100), false);
  assert.equal((await deliveries(id)).length, 1);
  assert.equal(await purgeWebhookEvents(db, new Date(Date.now() + 60_000), 1), true);
  while (await purgeWebhookEvents(db, new Date(Date.now() + 60_000), 1_000));
  assert.deepEqual(await deliveries(id), []);
  await remove(id);
});
