// Canceling an event: waiting jobs are canceled, running jobs finish, and digests continue without the event.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Notification } from "@tidings/contract";
import { only } from "@tidings/testkit/lists";
import { startTestService } from "@tidings/testkit/service";
import { createWorkflow, detailsOf, feedOf, inApp, notificationsOf, settled, trigger } from "@tidings/testkit/verbs";
import { announceDueTasks, eventually } from "@tidings/testkit/wait";
import { sql } from "kysely";

const { client, production, db } = await startTestService();

const cancel = async (transactionId: string, via = client) =>
  (await via("events.cancel", { params: { transactionId } })).body;
const statuses = (run: Notification | undefined) => run?.jobs?.map((job) => job.status);
const runOf = async (transactionId: string) => (await notificationsOf(client, transactionId))[0];
const started = (transactionId: string) =>
  eventually(() => runOf(transactionId), `the notification of ${transactionId}`);

/** Makes waiting tasks due now. */
const hurry = async () => {
  await sql`update jobs set wake_at = now() where wake_at is not null`.execute(db);
  await sql`update queue.job set start_after = now(), priority = 0 where name = 'wake' and state = 'created'`.execute(
    db,
  );
  await announceDueTasks(db);
};

const hour = { amount: 1, unit: "hours" };
await createWorkflow(client, "later", [{ name: "Wait", type: "delay", controlValues: hour }, inApp()]);
await createWorkflow(client, "digested", [
  { name: "Digest", stepId: "digest", type: "digest", controlValues: hour },
  inApp({ body: "{{steps.digest.eventCount}}: {% for e in steps.digest.events %}{{e.payload.n}}{% endfor %}" }),
]);
/** Events one after the other, so that the first leads and the others are merged in order. */
async function digest(subscriberId: string, names: string[]): Promise<string[]> {
  const ids: string[] = [];
  for (const n of names) {
    const id = await trigger(client, "digested", subscriberId, { n });
    await started(id);
    ids.push(id);
  }
  return ids;
}

test("waiting jobs are canceled once; other environments and unknown transactions are not touched", async () => {
  const transactionId = await trigger(client, "later", ["ada", "bob"]);
  await started(transactionId);
  assert.equal(await cancel(transactionId, production), false);
  assert.equal(await cancel("unknown"), false);
  assert.deepEqual(statuses(await runOf(transactionId)), ["delayed", "pending"]);
  assert.equal(await cancel(transactionId), true);
  for (const run of await notificationsOf(client, transactionId)) {
    assert.deepEqual(statuses(run), ["canceled", "canceled"]);
    assert.equal(detailsOf(run, "delay").at(-1), "Step canceled");
    assert.match(run.jobs![0]!.executionDetails.at(-1)!.raw ?? "", /the event was canceled/);
  }
  assert.equal(await cancel(transactionId), false);
  await hurry();
  const next = await trigger(client, "later", "ada");
  await started(next);
  await hurry();
  await settled(client, next);
  assert.equal((await feedOf(client, "ada")).length, 1, "only the event that was not canceled arrives");
  assert.equal((await feedOf(client, "bob")).length, 0);
});

test("a finished event has nothing to cancel", async () => {
  await createWorkflow(client, "now", [inApp()]);
  const transactionId = await trigger(client, "now", "carl");
  const run = only(await settled(client, transactionId));
  assert.equal(await cancel(transactionId), false);
  assert.deepEqual(statuses(run), ["completed"]);
});

test("a canceled leader hands its window to the oldest merged event, with the same due time", async () => {
  const [a, b, c] = (await digest("dora", ["a", "b", "c"])) as [string, string, string];
  const due = async () =>
    (await sql<{ due_at: Date; leader_notification_id: string }>`select * from digest_windows`.execute(db)).rows;
  const [before] = await due();
  assert.equal(before?.leader_notification_id, (await runOf(a))!._id);
  assert.equal(await cancel(a), true);

  const [runB, runC] = [(await runOf(b))!, (await runOf(c))!];
  assert.deepEqual(statuses(await runOf(a)), ["canceled", "canceled"]);
  assert.deepEqual(statuses(runB), ["delayed", "pending"]);
  assert.deepEqual(statuses(runC), ["merged", "merged"]);
  assert.equal(runB._digestedNotificationId, undefined);
  assert.equal(runC._digestedNotificationId, runB._id);
  const [after] = await due();
  assert.deepEqual(after, { ...before, leader_job_id: runB.jobs![0]!._id, leader_notification_id: runB._id });

  const [d] = (await digest("dora", ["d"])) as [string];
  assert.equal((await runOf(d))!._digestedNotificationId, runB._id, "later events join the new leader");
  await hurry();
  await settled(client, b);
  assert.deepEqual(
    (await feedOf(client, "dora")).map((item) => item.content),
    ["3: bcd"],
  );
});

test("a canceled merged event disappears from the digest", async () => {
  const [a, b, c] = (await digest("emil", ["a", "b", "c"])) as [string, string, string];
  assert.equal(await cancel(b), true);
  assert.deepEqual(statuses(await runOf(b)), ["canceled", "canceled"]);
  assert.deepEqual(statuses(await runOf(a)), ["delayed", "pending"]);
  await hurry();
  await settled(client, a);
  assert.equal((await feedOf(client, "emil"))[0]!.content, "2: ac");
  assert.equal(await cancel(c), false, "the digest that holds it has been sent");
  assert.deepEqual(statuses(await runOf(c)), ["merged", "merged"]);
});

test("a leader without followers closes its window", async () => {
  const [a] = (await digest("fay", ["a"])) as [string];
  assert.equal(await cancel(a), true);
  const [b] = (await digest("fay", ["b"])) as [string];
  assert.deepEqual(statuses(await runOf(b)), ["delayed", "pending"]);
  await hurry();
  await settled(client, b);
  assert.equal((await feedOf(client, "fay"))[0]!.content, "1: b");
});

test("canceling everything of a group at once leaves nothing waiting", async () => {
  const ids = await digest("gus", ["a", "b", "c", "d", "e"]);
  assert.deepEqual(
    await Promise.all(ids.map((id) => cancel(id))),
    ids.map(() => true),
  );
  for (const id of ids) assert.deepEqual(statuses(await runOf(id)), ["canceled", "canceled"]);
  const { rows } = await sql`select 1 from digest_windows`.execute(db);
  assert.equal(rows.length, 0);
  const [next] = (await digest("gus", ["f"])) as [string];
  await hurry();
  await settled(client, next);
  assert.equal((await feedOf(client, "gus"))[0]!.content, "1: f");
});

test("a replay answers what the first request did", async () => {
  const transactionId = await trigger(client, "later", "ida");
  await started(transactionId);
  const call = () => client("events.cancel", { params: { transactionId }, headers: { "idempotency-key": "cancel" } });
  const [first, second] = [await call(), await call()];
  assert.deepEqual([first.status, first.body, second.status, second.body], [200, true, 200, true]);
  assert.equal(second.headers.get("idempotency-replay"), "true");
});
