// In-app messages that expire: they leave every inbox at their time, and housekeeping deletes them.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import type { Client } from "@tidings/testkit/client";
import { newStage, storyOf } from "@tidings/testkit/clock";
import { errorOf } from "@tidings/testkit/http";
import { only } from "@tidings/testkit/lists";
import { startTestService } from "@tidings/testkit/service";
import {
  connectInbox,
  createWorkflow,
  detailsOf,
  feedOf,
  inApp,
  messagesOf,
  notificationsOf,
  settled,
  trigger,
} from "@tidings/testkit/verbs";
import { eventually } from "@tidings/testkit/wait";
import { openQueue } from "../../../src/store/queue/queue.ts";
import { encryptionKey, openStream, tokenFor } from "../../live/clients.ts";

// Without hints, live inboxes would be read again after ten minutes only.
const service = await startTestService({ TIDINGS_ENCRYPTION_KEY: encryptionKey, TIDINGS_LIVE_SWEEP: "600" });
const monday = "2026-03-02T09:00:00.000Z";
const noon = "2026-03-02T12:00:00.000Z";

/** Runs the chore that the minute would run. */
async function purge() {
  const queue = await openQueue({ url: service.database.url, onError: () => {} });
  await queue.enqueue(service.db, "housekeeping", [{ data: { name: "expired" } }]);
  await queue.stop();
}

/** What the inbox of ada has: its list, with archived and snoozed messages, and its counts. */
async function inboxOf(client: Client) {
  const params = { subscriberId: "ada" };
  const list = async (query: object) =>
    (await client("subscriberNotifications.list", { params, query })).body.data.map(({ id }) => id);
  const filters = JSON.stringify([{ read: false }, { seen: false }]);
  return {
    feed: (await feedOf(client, "ada")).length,
    listed: await list({}),
    snoozed: await list({ snoozed: true }),
    counts: (await client("subscriberNotifications.count", { params, query: { filters } })).body.map(
      ({ count }) => count,
    ),
    unseen: (await client("subscribers.countUnseen", { params })).body.count,
  };
}
const nothing = { feed: 0, listed: [], snoozed: [], counts: [0, 0], unseen: 0 };

async function withMessage(controls: object, payload: object = {}) {
  const stage = await newStage(service, monday);
  const { client } = stage;
  await connectInbox(client);
  await createWorkflow(client, "offer", [inApp({ body: "Today only", ...controls })]);
  const transactionId = await trigger(client, "offer", "ada", payload);
  await stage.moveTo(monday);
  const [message] = await messagesOf(client, transactionId);
  return { ...stage, transactionId, message, id: message?._id ?? "" };
}

test("a message leaves feeds and counts at its time, is deleted, and the activity explains it", async () => {
  const { client, advance, id, message, transactionId } = await withMessage(
    { expiresAt: "{{ payload.ends }}" },
    { ends: noon },
  );
  assert.equal(message?.expiresAt, noon);
  const { body } = await client("subscriberNotifications.list", { params: { subscriberId: "ada" } });
  assert.equal(body.data[0]?.expiresAt, noon);
  await advance(179, "minutes");
  assert.deepEqual(await inboxOf(client), { feed: 1, listed: [id], snoozed: [], counts: [1, 1], unseen: 1 });
  await advance(1, "minutes");
  assert.deepEqual(await inboxOf(client), nothing);
  const params = { subscriberId: "ada", notificationId: id };
  for (const operation of ["markRead", "archive", "delete", "unsnooze"] as const) {
    const reply = await client.raw(`subscriberNotifications.${operation}`, { params });
    errorOf(reply, "NOTIFICATION_NOT_FOUND");
  }
  const all = await client("subscribers.markAllMessages", {
    params: { subscriberId: "ada" },
    body: { markAs: "read" },
  });
  assert.equal(all.body, 0);

  await purge();
  await eventually(async () => (await messagesOf(client, transactionId)).length === 0, "the row to go");
  const notification = only(await notificationsOf(client, transactionId));
  const story = storyOf(notification);
  assert.ok(story.includes(`${noon} in_app: Message expired and was deleted`), story.join("\n"));
  const explained = (await client("explain.retrieve", { query: { transactionId, subscriberId: "ada" } })).body;
  assert.match(JSON.stringify(explained), /In-app message was sent, and then: message expired and was deleted/);
});

test("the earlier of both times counts, and an expired message does not return from a snooze", async () => {
  const controls = { expiresAt: "2026-03-09", expiresIn: { amount: 3, unit: "hours" } };
  const { client, advance, id, message } = await withMessage(controls);
  assert.equal(message?.expiresAt, noon);
  const params = { subscriberId: "ada", notificationId: id };
  const snoozeUntil = "2026-03-02T14:00:00.000Z";
  await client("subscriberNotifications.snooze", { params, body: { snoozeUntil } });
  assert.deepEqual(await inboxOf(client), { ...nothing, snoozed: [id] });
  await advance(3, "hours");
  assert.deepEqual(await inboxOf(client), nothing);
  await advance(3, "hours");
  assert.deepEqual(await inboxOf(client), nothing);
});

test("a live inbox drops the message", async () => {
  const { client, url } = service;
  await createWorkflow(client, "blink", [inApp({ body: "x", expiresIn: { amount: 1, unit: "seconds" } })]);
  const stream = openStream(url, await tokenFor(service, "eve"));
  after(() => stream.close());
  await eventually(() => stream.named("counts").length > 0, "the first counts");
  await trigger(client, "blink", "eve");
  const shown = await eventually(() => stream.named("notification")[0], "the message");
  await eventually(async () => (await feedOf(client, "eve")).length === 0, "the end of the message");
  await purge();
  const removed = await eventually(() => stream.named("removed")[0], "the removal");
  assert.deepEqual(removed.data, { ids: [shown.data.id], count: 1 });
  assert.equal(stream.named("counts").at(-1)!.data.unseen, 0);
});

test("an expiry that is over, unreadable or too far ends the step with a reason; none keeps the message", async () => {
  const { client } = service;
  await createWorkflow(client, "timed", [inApp({ body: "x", expiresAt: "{{ payload.ends }}" })]);
  const outcomes = [
    ["2020-01-01T00:00:00Z", "skipped", "expiresAt is 2020-01-01T00:00:00.000Z, which is in the past"],
    ["tomorrow", "failed", 'expiresAt is "tomorrow": it must be an ISO time'],
    ["2026-02-30", "failed", "it must be an ISO time"],
    ["9999-12-31", "failed", "it must be at most 3650 days ahead"],
    [`${"9".repeat(500)}`, "failed", "it must be an ISO time"],
    ["", "completed", ""],
    [undefined, "completed", ""],
  ];
  for (const [index, [ends, status, reason]] of outcomes.entries()) {
    const notification = only(await settled(client, await trigger(client, "timed", `reader-${index}`, { ends })));
    const job = notification.jobs![0]!;
    assert.equal(job.status, status, String(ends));
    assert.ok(
      JSON.stringify(job).replaceAll("\\", "").includes(reason!),
      `${ends}: ${detailsOf(notification, "in_app")}`,
    );
    const [item] = await feedOf(client, `reader-${index}`);
    assert.equal(item !== undefined, status === "completed", String(ends));
  }
});

test("the editor reports a fixed time that cannot be kept, and refuses values of another type", async () => {
  const { client } = service;
  const issuesOf = async (controls: object) => {
    const { steps } = await createWorkflow(client, `check-${Math.random()}`, [inApp({ body: "x", ...controls })]);
    const issues = steps[0]!.issues?.controls ?? {};
    return Object.entries(issues).map(([path, [issue]]) => `${path} ${issue!.issueType}: ${issue!.message}`);
  };
  const illegal = "expiresAt ILLEGAL_VARIABLE_IN_CONTROL_VALUE: expiresAt is";
  assert.match((await issuesOf({ expiresAt: "soon" }))[0]!, new RegExp(`^${illegal} "soon": it must be an ISO time`));
  assert.match((await issuesOf({ expiresAt: "2020-01-01" }))[0]!, /which is in the past$/);
  assert.deepEqual(await issuesOf({ expiresIn: { amount: 200, unit: "months" } }), [
    "expiresIn.amount TIER_LIMIT_EXCEEDED: expiresIn must be at most 3650 days",
  ]);
  assert.match(
    (await issuesOf({ expiresIn: { amount: 2 } }))[0]!,
    /^expiresIn.unit MISSING_VALUE: expiresIn.unit must be/,
  );
  for (const fine of [
    { expiresAt: "" },
    { expiresIn: { unit: "days" } },
    { expiresAt: "{{ subscriber.data.ends }}" },
  ]) {
    assert.deepEqual(await issuesOf(fine), [], JSON.stringify(fine));
  }
  for (const wrong of [{ expiresAt: 5 }, { expiresIn: "P7D" }, { expiresIn: { amount: "2", unit: "days" } }]) {
    const body = { name: "w", workflowId: "wrong", steps: [inApp({ body: "x", ...wrong })], active: true };
    const reply = await client.raw("workflows.create", { body });
    assert.match(JSON.stringify(errorOf(reply, "VALIDATION_ERROR").errors), /expires(At|In)/);
  }
});
