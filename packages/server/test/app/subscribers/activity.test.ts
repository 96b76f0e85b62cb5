// When people last read and opened messages: what counts, and what does not.
import assert from "node:assert/strict";
import { test } from "node:test";
import { request } from "@tidings/testkit/http";
import { shareService } from "@tidings/testkit/service";
import { createWorkflow, email, inApp, messagesOf, settled, trigger } from "@tidings/testkit/verbs";
import { sql } from "kysely";

const service = await shareService();
const { client, db, environmentId } = service;
const key = "a signing key of this test";
const [environment] = (await client("environments.list")).body.filter(({ apiKeys }) => apiKeys);
const capture = (await client("integrations.list")).body.find(({ identifier }) => identifier === "svc-email-default")!;
await client("integrations.update", {
  params: { integrationId: capture._id! },
  body: { configurations: { inboundWebhookEnabled: true, inboundWebhookSigningKey: key } },
});
await createWorkflow(client, "both", [inApp({ body: "Hello" }), email()]);

/** Sends an in-app message and an email to the person. */
async function send(subscriberId: string) {
  const transactionId = await trigger(client, "both", { subscriberId, email: `${subscriberId}@example.com` });
  await settled(client, transactionId);
  const messages = await messagesOf(client, transactionId);
  const find = (channel: string) => messages.find((message) => message.channel === channel)!._id!;
  return { inAppId: find("in_app"), emailId: find("email") };
}

async function report(receipts: object[]): Promise<void> {
  const path = `/v2/inbound-webhooks/delivery-providers/${environment!._id}/${capture._id}`;
  const authorization = `Basic ${Buffer.from(`reports:${key}`).toString("base64")}`;
  const headers = { "content-type": "application/json", authorization };
  const { status } = await request(service, path, { method: "POST", headers, body: JSON.stringify(receipts) });
  assert.equal(status, 200);
}

type Activity = { last_read_at: Date | null; last_opened_at: Date | null };

async function activityOf(subscriberId: string): Promise<Activity | undefined> {
  const { rows } = await sql<Activity>`
    select a.last_read_at, a.last_opened_at from subscriber_activity a join subscribers s on s.id = a.subscriber_id
      and s.environment_id = a.environment_id where s.subscriber_id = ${subscriberId} and s.environment_id = ${environmentId}`.execute(
    db,
  );
  return rows[0];
}

const backdate = (subscriberId: string, minutes: number) =>
  sql`
  update subscriber_activity a set last_read_at = last_read_at - ${`${minutes} minutes`}::interval,
    last_opened_at = last_opened_at - ${`${minutes} minutes`}::interval
  from subscribers s where s.id = a.subscriber_id and s.subscriber_id = ${subscriberId} and s.environment_id = ${environmentId}`.execute(
    db,
  );

test("reading an in-app message is noted, in every way of reading; seeing it is not", async () => {
  const ways: [string, (subscriberId: string, notificationId: string) => Promise<unknown>][] = [
    [
      "inbox",
      (subscriberId, notificationId) =>
        client("subscriberNotifications.markRead", { params: { subscriberId, notificationId } }),
    ],
    [
      "inbox-all",
      (subscriberId) => client("subscriberNotifications.markAllRead", { params: { subscriberId }, body: {} }),
    ],
    [
      "marks",
      (subscriberId, messageId) =>
        client("subscribers.markMessages", { params: { subscriberId }, body: { messageId, markAs: "read" } }),
    ],
    [
      "marks-all",
      (subscriberId) => client("subscribers.markAllMessages", { params: { subscriberId }, body: { markAs: "read" } }),
    ],
  ];
  for (const [name, read] of ways) {
    const { inAppId } = await send(name);
    const params = { subscriberId: name };
    await client("subscribers.markMessages", { params, body: { messageId: inAppId, markAs: "seen" } });
    assert.equal(await activityOf(name), undefined, `${name}: a message that is seen is not read`);
    await read(name, inAppId);
    const activity = await activityOf(name);
    assert.ok(activity?.last_read_at, name);
    assert.equal(activity.last_opened_at, null, "reading is not opening");
  }
});

test("marking an email as read is not reading in the inbox", async () => {
  const { emailId } = await send("mail-reader");
  const params = { subscriberId: "mail-reader" };
  await client("subscribers.markMessages", { params, body: { messageId: emailId, markAs: "read" } });
  assert.equal(await activityOf("mail-reader"), undefined);
});

test("a burst of reads writes once, and the time moves on after a minute", async () => {
  const first = await send("reader");
  const second = await send("reader");
  const third = await send("reader");
  const read = (messageId: string) =>
    client("subscribers.markMessages", { params: { subscriberId: "reader" }, body: { messageId, markAs: "read" } });
  await read(first.inAppId);
  const { last_read_at: before } = (await activityOf("reader"))!;
  await read(second.inAppId);
  assert.deepEqual((await activityOf("reader"))!.last_read_at, before, "less than a minute later");
  await backdate("reader", 2);
  await read(third.inAppId);
  assert.ok((await activityOf("reader"))!.last_read_at! >= before!);
});

test("a provider's report that a message was opened or clicked is noted, no other report is", async () => {
  for (const status of ["opened", "clicked"]) {
    const { emailId } = await send(status);
    await report([{ messageId: emailId, status: "delivered" }]);
    assert.equal(await activityOf(status), undefined);
    await report([{ messageId: emailId, status }]);
    const activity = await activityOf(status);
    assert.ok(activity?.last_opened_at, status);
    assert.equal(activity.last_read_at, null, "opening is not reading in the inbox");
  }
});

test("an old report does not move the time back, and one from the future is from now", async () => {
  const { emailId } = await send("late");
  await report([{ messageId: emailId, status: "opened", date: "2096-01-01T00:00:00.000Z" }]);
  const { last_opened_at: opened } = (await activityOf("late"))!;
  assert.ok(opened! <= new Date());
  await report([{ messageId: emailId, status: "clicked", date: "2020-01-01T00:00:00.000Z" }]);
  assert.deepEqual((await activityOf("late"))!.last_opened_at, opened);
});

test("a report about a person who was deleted meanwhile has no effect on activity", async () => {
  const { emailId } = await send("gone");
  await client("subscribers.delete", { params: { subscriberId: "gone" } });
  await report([{ messageId: emailId, status: "opened" }]);
  const { rows } = await sql`
    select 1 from messages m join subscriber_activity a on a.subscriber_id = m.subscriber_id
    where m.id = ${emailId}`.execute(db);
  assert.equal(rows.length, 0);
});
