// What the retention leaves alone: runs that wait, digests, snoozed messages, in-app messages after the rest has gone,
// and months whose detach was interrupted.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { StepIn } from "@tidings/contract";
import { newStage } from "@tidings/testkit/clock";
import { refused } from "@tidings/testkit/refusals";
import { startTestService } from "@tidings/testkit/service";
import { createWorkflow, feedOf, inApp, messagesOf, notificationsOf, settled, trigger } from "@tidings/testkit/verbs";
import { eventually } from "@tidings/testkit/wait";
import { sql } from "kysely";
import { openDb } from "../../../src/store/db.ts";
import { ensurePartitions } from "../../../src/store/installation/partitions.ts";
import { listRetentionRuns } from "../../../src/store/installation/retention-runs.ts";
import { openInbox } from "../../app/inbox/browser.ts";
import { addPastRun, runRetentionAt } from "../../support/past-runs.ts";

const service = await startTestService();
const { client, db } = service;

/** A run of the retention as it would be after these days; then the service has its months again. */
async function runAfter(days: number): Promise<void> {
  await runRetentionAt(db, new Date(Date.now() + days * 86_400_000));
  const [run] = await listRetentionRuns(db, 1);
  assert.deepEqual([run!.error, run!.is_complete], [null, true]);
  await ensurePartitions(db, new Date());
}

const wait = (type: "delay" | "digest"): StepIn => ({
  name: "Wait",
  stepId: "wait",
  type,
  controlValues: { amount: 80, unit: "days" },
});

test("runs that wait keep what they need, and deliver afterwards; the others of their month go", async () => {
  const stage = await newStage(service, "2026-01-01T09:00:00Z");
  await createWorkflow(stage.client, "at-once", [inApp()]);
  await createWorkflow(stage.client, "delayed", [wait("delay"), inApp()]);
  const body =
    "{{ steps.wait.eventCount }} of {% for event in steps.wait.events %}{{ event.payload.name }} {% endfor %}";
  await createWorkflow(stage.client, "digested", [wait("digest"), inApp({ body })]);
  const done = await trigger(stage.client, "at-once", "ada", { name: "gone" });
  await settled(stage.client, done);
  const delayed = await trigger(stage.client, "delayed", "ada", { name: "Eve" });
  const digested = [
    await trigger(stage.client, "digested", "ada", { name: "one" }),
    await trigger(stage.client, "digested", "ada", { name: "two" }),
  ];
  // Either may have come first to the digest.
  const isMerged = async (id: string) => (await notificationsOf(stage.client, id))[0]?.jobs?.[0]?.status === "merged";
  await eventually(async () => (await Promise.all(digested.map(isMerged))).includes(true), "the digest");

  await runAfter(200);
  assert.equal((await notificationsOf(stage.client, done)).length, 0, "what has ended is gone");
  for (const waiting of [delayed, ...digested]) {
    assert.equal((await notificationsOf(stage.client, waiting)).length, 1, "what waits is not");
  }
  await stage.advance(81, "days");
  await settled(stage.client, delayed);
  for (const id of digested) await settled(stage.client, id);
  assert.deepEqual((await feedOf(stage.client, "ada")).map(({ content }) => content).toSorted(), [
    "2 of one two ",
    "Hello Eve",
    "Hello gone",
  ]);
});

test("in-app messages outlive the rest: inbox, feed and lists show them, and they can be marked and snoozed", async () => {
  const stage = await newStage(service);
  const sent = await createWorkflow(stage.client, "news", [inApp({ subject: "News", body: "Read it" })], {
    severity: "low",
  });
  const overrides = { severity: "high" };
  const input = { name: "news", to: "ada", payload: { name: "Ada" }, overrides, transactionId: "given-1" };
  await stage.client("events.trigger", { body: input });
  await settled(stage.client, "given-1");
  const inbox = await openInbox(service, {
    applicationIdentifier: stage.environmentId,
    subscriber: { subscriberId: "ada" },
  });
  const listed = async () => {
    const reply = await inbox.call("GET", "/notifications?limit=10");
    assert.equal(reply.status, 200, reply.text);
    return (reply.body as { data: { id: string; severity: string; isRead: boolean; transactionId: string }[] }).data;
  };
  const [before] = await listed();

  await runAfter(100);
  await refused(
    stage.client,
    "explain.retrieve",
    { query: { transactionId: "given-1", subscriberId: "ada" } },
    "TRANSACTION_NOT_FOUND",
  );
  assert.deepEqual((await stage.client("notifications.list")).body.data, []);
  const [after] = await listed();
  assert.deepEqual({ ...after, transactionId: "" }, { ...before, transactionId: "" });
  assert.match(after!.transactionId, /^txn_[0-9a-f]{32}$/, "the given one went with the event");
  const [item] = await feedOf(stage.client, "ada");
  assert.deepEqual([item!.content, item!.payload], ["Read it", {}]);
  const [message] = (await stage.client("messages.list", { query: { subscriberId: "ada" } })).body.data;
  assert.deepEqual([message!._templateId, message!.content], [sent._id, "Read it"]);
  const countWith = async (severity: string) => {
    const filters = encodeURIComponent(JSON.stringify([{ severity: [severity] }]));
    const counted = await inbox.call("GET", `/notifications/count?filters=${filters}`);
    return (counted.body as { data: { count: number }[] }).data[0]!.count;
  };
  assert.equal(await countWith("high"), 1, "by the severity of the event");
  await sql`update messages set severity = null where id = ${after!.id}`.execute(service.db);
  assert.equal(await countWith("low"), 1, "a message without one has that of its workflow");
  assert.equal((await inbox.call("PATCH", `/notifications/${after!.id}/read`)).status, 200);
  assert.equal((await listed())[0]!.isRead, true);

  // The transaction id is free again.
  const [again] = (await stage.client("events.triggerBulk", { body: { events: [input] } })).body;
  assert.equal(again!.status, "processed");
  await settled(stage.client, "given-1");

  const snoozeUntil = new Date(Date.now() + 80 * 86_400_000).toISOString();
  assert.equal((await inbox.call("PATCH", `/notifications/${after!.id}/snooze`, { snoozeUntil })).status, 200);
  await stage.client("environments.retrieveTimeline", { params: { environmentId: stage.environmentId } });
  await runAfter(420);
  assert.deepEqual(await messagesOf(stage.client, "given-1"), [], "the rest has gone");
  assert.equal((await inbox.call("PATCH", `/notifications/${after!.id}/unsnooze`)).status, 200);
  assert.deepEqual(
    (await listed()).map(({ id }) => id),
    [after!.id],
    "a snoozed message stays until it returns",
  );
});

test("a detach that was interrupted is finished by the next run", async () => {
  const { body } = await client("environments.list");
  const environmentId = body.find(({ identifier }) => identifier === "development")!._id;
  await client("subscribers.create", { body: { subscriberId: "ada" } });
  const workflow = await createWorkflow(client, "past", [inApp()]);
  await addPastRun(db, { environmentId, workflow, subscriberId: "ada" }, "old", new Date("2014-05-05T00:00:00Z"));
  const reader = openDb({ url: service.database.url, poolSize: 1, onError: () => {} });
  const attached = async () =>
    (
      await sql<{ name: string; is_pending: boolean }>`select c.relname as name, i.inhdetachpending as is_pending
        from pg_inherits i join pg_class c on c.oid = i.inhrelid where c.relname like '%_2014_04' order by 1`.execute(
        db,
      )
    ).rows;
  try {
    await reader.connection().execute(async (connection) => {
      // A statement of a long transaction uses the table that is detached.
      await sql`begin`.execute(connection);
      await sql`select 1 from attempts limit 1`.execute(connection);
      const interrupted = runRetentionAt(db, new Date("2014-09-01T01:00:00Z"));
      await eventually(async () => (await attached()).some((one) => one.is_pending), "the detach to wait");
      await sql`select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and query like 'alter table "attempts" detach%'`.execute(connection);
      await interrupted.catch(() => {});
      await sql`commit`.execute(connection);
    });
  } finally {
    await reader.destroy();
  }
  assert.deepEqual(
    (await attached()).filter((one) => one.is_pending).map((one) => one.name),
    ["attempts_2014_04"],
  );
  const next = new Date("2014-09-01T01:10:00Z");
  await runRetentionAt(db, next);
  const run = (await listRetentionRuns(db, 100)).find((one) => one.started_at.getTime() === next.getTime());
  assert.deepEqual([run!.error, run!.is_complete], [null, true]);
  assert.ok(run!.partitions.includes("attempts_2014_04"), "it was dropped as well");
  assert.deepEqual(
    (await attached()).map((one) => one.name),
    ["messages_2014_04"],
  );
  const { rows } = await sql`select 1 from pg_class where relname = 'attempts_2014_04'`.execute(db);
  assert.equal(rows.length, 0);
});
