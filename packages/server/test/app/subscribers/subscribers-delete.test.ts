// Deleting a subscriber: its record, its messages, its waiting jobs.
import assert from "node:assert/strict";
import { test } from "node:test";
import { closedPort } from "@tidings/testkit/mail/smtp";
import { refused } from "@tidings/testkit/refusals";
import { startTestService } from "@tidings/testkit/service";
import {
  createWorkflow,
  email,
  feedOf,
  inApp,
  messagesOf,
  notificationsOf,
  settled,
  trigger,
} from "@tidings/testkit/verbs";
import { eventually } from "@tidings/testkit/wait";
import { sql } from "kysely";

const service = await startTestService();
const { client, db } = service;

const remove = (subscriberId: string, by = client) => by("subscribers.delete", { params: { subscriberId } });

test("the record goes at once and the id is free again", async () => {
  await createWorkflow(client, "greet", [inApp({ body: "Hello" })]);
  await settled(client, await trigger(client, "greet", "gone"));
  assert.equal((await feedOf(client, "gone")).length, 1);
  const answer = await remove("gone");
  assert.equal(answer.status, 200);
  assert.deepEqual(answer.body, { acknowledged: true, status: "success" });
  for (const id of ["subscribers.retrieve", "subscribers.delete", "subscribers.listFeed"] as const) {
    await refused(client, id, { params: { subscriberId: "gone" } }, "SUBSCRIBER_NOT_FOUND");
  }
  // A new subscriber with the old id does not inherit the feed.
  await client("subscribers.create", { body: { subscriberId: "gone" } });
  assert.deepEqual(await feedOf(client, "gone"), []);
});

test("past messages stay, without the address", async () => {
  await createWorkflow(client, "mail", [email()]);
  const to = { subscriberId: "private", email: "private@example.com" };
  const transactionId = await trigger(client, "mail", to);
  await settled(client, transactionId);
  assert.equal((await messagesOf(client, transactionId))[0]!.email, "private@example.com");
  await remove("private");
  const [message] = await messagesOf(client, transactionId);
  assert.equal(message!.status, "sent");
  assert.equal(message!.email, undefined);
  assert.equal(message!.subscriber, undefined);
  const captured = (await client("captured.list", { query: { transactionId } })).body.data;
  assert.deepEqual(
    captured.map((item) => item.to),
    [[]],
  );
  const stored = await sql<{ text: string }>`
    select row_to_json(m)::text as text from messages m union all
    select row_to_json(c)::text from captured_messages c union all
    select row_to_json(s)::text from subscribers s`.execute(db);
  for (const { text } of stored.rows) assert.ok(!text.includes("private@example.com"), text);
});

test("waiting jobs are canceled, with the reason", async () => {
  const delay = { name: "Wait", type: "delay" as const, controlValues: { amount: 1, unit: "hours" } };
  await createWorkflow(client, "later", [delay, inApp({ body: "Too late" })]);
  const transactionId = await trigger(client, "later", ["waits", "stays"]);
  const delayed = await eventually(async () => {
    const list = await notificationsOf(client, transactionId);
    return list.length === 2 && list.every(({ jobs }) => jobs![0]!.status === "delayed") ? list : null;
  }, "both runs to wait");
  await remove("waits");
  const statusesOf = async (subscriberId: string) => {
    const before = delayed.find(({ subscriber }) => subscriber!.subscriberId === subscriberId)!;
    const { body } = await client("notifications.retrieve", { params: { notificationId: before._id! } });
    return body.jobs!;
  };
  const canceled = await statusesOf("waits");
  assert.deepEqual(
    canceled.map(({ status }) => status),
    ["canceled", "canceled"],
  );
  const last = canceled[1]!.executionDetails.at(-1)!;
  assert.equal(last.detail, "Step canceled");
  assert.match(last.raw!, /the subscriber was deleted/);
  assert.equal((await statusesOf("stays"))[0]!.status, "delayed");
});

test("a mail that waits for its retry is canceled", async () => {
  const { production } = service;
  await production("integrations.create", {
    body: {
      ...{ providerId: "nodemailer", channel: "email", active: true },
      credentials: { host: "127.0.0.1", port: String(await closedPort()), from: "a@example.com", senderName: "A" },
    },
  });
  await createWorkflow(production, "mail", [email()]);
  const to = { subscriberId: "patient", email: "patient@example.com" };
  const transactionId = await trigger(production, "mail", to);
  await eventually(
    async () => (await messagesOf(production, transactionId))[0]?.errorText?.startsWith("Will be repeated"),
    "the first attempt to fail",
  );
  await remove("patient", production);
  // The retry is still in the queue; it must change nothing.
  await eventually(async () => {
    const { rows } = await sql<{ count: number }>`
      select count(*) as count from queue.job where name = 'deliver' and state in ('created', 'retry', 'active')
    `.execute(db);
    return rows[0]!.count === 0;
  }, "the queue to be empty");
  const [message] = await messagesOf(production, transactionId);
  assert.deepEqual([message!.status, message!.errorText], ["warning", "Canceled: the subscriber was deleted"]);
  const [notification] = await notificationsOf(production, transactionId);
  assert.equal(notification!.jobs![0]!.status, "canceled");
});
