import assert from "node:assert/strict";
import { test } from "node:test";
import type { Client } from "@tidings/testkit/client";
import { newStage, storyOf } from "@tidings/testkit/clock";
import { errorOf } from "@tidings/testkit/http";
import { only } from "@tidings/testkit/lists";
import { startTestService } from "@tidings/testkit/service";
import {
  connectInbox,
  createWorkflow,
  email,
  feedOf,
  inApp,
  messagesOf,
  notificationsOf,
  trigger,
} from "@tidings/testkit/verbs";

const service = await startTestService({ TIDINGS_MAX_SNOOZE_DAYS: "30" });
const monday = "2026-03-02T09:00:00.000Z";
const noon = "2026-03-02T12:00:00.000Z";
const params = (notificationId: string, subscriberId = "ada") => ({ subscriberId, notificationId });

/** A subscriber with one message in its feed. */
async function withMessage() {
  const stage = await newStage(service, monday);
  const { client } = stage;
  await connectInbox(client);
  await createWorkflow(
    client,
    "hello",
    [
      inApp({
        subject: "Hi",
        body: "Hello {{ subscriber.firstName }}",
        avatar: "https://example.com/a.png",
        primaryAction: { label: "Open", redirect: { url: "https://example.com/open" } },
        redirect: { url: "/inbox" },
        data: { a: 1 },
      }),
      email(),
    ],
    { tags: ["t"], severity: "high" },
  );
  const transactionId = await trigger(client, "hello", {
    subscriberId: "ada",
    firstName: "Ada",
    email: "a@example.com",
  });
  await stage.moveTo(monday);
  const [item] = await feedOf(client, "ada");
  return { ...stage, transactionId, id: item!._id };
}

const unseen = async (client: Client): Promise<number> =>
  (await client("subscribers.countUnseen", { params: { subscriberId: "ada" } })).body.count;

test("a snoozed message is hidden, and comes back at its time as if new", async () => {
  const { client, id, transactionId, advance } = await withMessage();
  await client("subscribers.markMessages", {
    params: { subscriberId: "ada" },
    body: { messageId: id, markAs: "read" },
  });
  await advance(1, "hours");
  const { body } = await client("subscriberNotifications.snooze", { params: params(id), body: { snoozeUntil: noon } });
  const { workflow, to, ...rest } = body;
  assert.deepEqual(rest, {
    id,
    transactionId,
    subject: "Hi",
    body: "Hello Ada",
    isRead: true,
    isSeen: true,
    isArchived: false,
    isSnoozed: true,
    snoozedUntil: noon,
    deliveredAt: [monday],
    createdAt: monday,
    readAt: monday,
    firstSeenAt: monday,
    avatar: "https://example.com/a.png",
    primaryAction: {
      label: "Open",
      isCompleted: false,
      redirect: { url: "https://example.com/open", target: "_self" },
    },
    channelType: "in_app",
    tags: ["t"],
    data: { a: 1 },
    redirect: { url: "/inbox", target: "_self" },
    severity: "high",
  });
  assert.deepEqual([workflow?.identifier, to.subscriberId, to.firstName], ["hello", "ada", "Ada"]);
  assert.deepEqual(await feedOf(client, "ada"), []);
  assert.equal(await unseen(client), 0);
  const all = await client("subscribers.markAllMessages", {
    params: { subscriberId: "ada" },
    body: { markAs: "unseen" },
  });
  assert.equal(all.body, 0, "what is hidden is not marked with the rest");
  const listed = (await messagesOf(client, transactionId)).find(({ channel }) => channel === "in_app");
  assert.equal(listed?.snoozedUntil, noon);

  await advance(119, "minutes");
  assert.deepEqual(await feedOf(client, "ada"), []);
  await advance(1, "minutes");
  const [item] = await feedOf(client, "ada");
  assert.deepEqual([item?._id, item?.read, item?.seen], [id, false, false]);
  assert.equal(await unseen(client), 1);
  const back = (await messagesOf(client, transactionId)).find(({ channel }) => channel === "in_app");
  assert.deepEqual([back?.deliveredAt, back?.snoozedUntil], [[monday, noon], undefined]);
  assert.deepEqual([back?.lastSeenDate, back?.lastReadDate], [monday, monday], "the last times stay known");
  const notification = only(await notificationsOf(client, transactionId));
  const story = storyOf(notification);
  assert.ok(story.includes("2026-03-02T10:00:00.000Z in_app: Message snoozed"), story.join("\n"));
  assert.ok(story.includes(`${noon} in_app: Message unsnoozed`), story.join("\n"));
});

test("unsnoozing by hand brings it back as it was, and its time passes without effect", async () => {
  const { client, id, advance } = await withMessage();
  await client("subscribers.markMessages", {
    params: { subscriberId: "ada" },
    body: { messageId: id, markAs: "seen" },
  });
  await client("subscriberNotifications.snooze", { params: params(id), body: { snoozeUntil: noon } });
  const { body } = await client("subscriberNotifications.unsnooze", { params: params(id) });
  assert.deepEqual([body.isSnoozed, body.snoozedUntil, body.isSeen, body.deliveredAt], [false, null, true, [monday]]);
  const again = await client("subscriberNotifications.unsnooze", { params: params(id) });
  assert.deepEqual(again.body, body, "nothing left to do");
  await advance(1, "days");
  const [item] = await feedOf(client, "ada");
  assert.deepEqual([item?.seen, item?.read], [true, false]);
});

test("snoozing again changes the time, to later or to earlier", async () => {
  const { client, id, advance, transactionId } = await withMessage();
  const until = (snoozeUntil: string) =>
    client("subscriberNotifications.snooze", { params: params(id), body: { snoozeUntil } });
  await until(noon);
  await until("2026-03-02T15:00:00Z");
  await advance(4, "hours");
  assert.deepEqual(await feedOf(client, "ada"), []);
  await until("2026-03-02T14:00:00Z");
  await advance(1, "days");
  const message = (await messagesOf(client, transactionId)).find(({ channel }) => channel === "in_app");
  assert.deepEqual(message?.deliveredAt, [monday, "2026-03-02T14:00:00.000Z"], "back once");
});

test("three minutes from the caller's own now are enough, though the request arrives later", async () => {
  const { client, id } = await withMessage();
  for (const snoozeUntil of ["2026-03-02T09:03:00.000Z", "2026-03-02T09:02:59.500Z", "2026-03-02T09:02:00.000Z"]) {
    const { body } = await client("subscriberNotifications.snooze", { params: params(id), body: { snoozeUntil } });
    assert.equal(body.snoozedUntil, snoozeUntil);
  }
});

test("what cannot be snoozed is refused", async () => {
  const { client, id, transactionId } = await withMessage();
  const snooze = (snoozeUntil: unknown, where: object = params(id)) =>
    client.raw("subscriberNotifications.snooze", { params: where as never, body: { snoozeUntil } });
  const times = ["soon", "2026-03-02T09:01:59.999Z", "2026-03-02T09:00:00Z", "2026-04-01T09:00:01Z", "2025-01-01"];
  for (const time of [...times, 7, undefined]) {
    const { errors } = errorOf(await snooze(time), "VALIDATION_ERROR");
    assert.deepEqual(Object.keys(errors!), ["snoozeUntil"], String(time));
  }
  errorOf(await snooze(noon, params(id, "nobody")), "SUBSCRIBER_NOT_FOUND");
  errorOf(await snooze(noon, params("no-id")), "NOTIFICATION_NOT_FOUND");
  errorOf(await snooze(noon, params(id, "first-reader")), "NOTIFICATION_NOT_FOUND");
  const mail = (await messagesOf(client, transactionId)).find(({ channel }) => channel === "email");
  errorOf(await snooze(noon, params(mail!._id!)), "NOTIFICATION_NOT_FOUND");
  assert.equal((await feedOf(client, "ada")).length, 1);
});

test("a snoozed message cannot become read or unread", async () => {
  const { client, id } = await withMessage();
  await client("subscriberNotifications.snooze", { params: params(id), body: { snoozeUntil: noon } });
  for (const markAs of ["read", "unread", "unseen"]) {
    const answer = await client.raw("subscribers.markMessages", {
      params: { subscriberId: "ada" },
      body: { messageId: id, markAs },
    });
    assert.match(errorOf(answer, "NOTIFICATION_SNOOZED").message, /snoozed until 2026-03-02T12:00:00\.000Z/);
  }
});
