import assert from "node:assert/strict";
import { test } from "node:test";
import type { Notification, StepIn } from "@tidings/contract";
import { startTestService } from "@tidings/testkit/service";
import { createWorkflow, detailsOf, feedOf, inApp, notificationsOf, settled, trigger } from "@tidings/testkit/verbs";
import { announceDueTasks, eventually } from "@tidings/testkit/wait";
import { sql } from "kysely";

const service = await startTestService();
const { client, db } = service;

const delay = (amount: number, unit: string): StepIn => ({
  name: "Wait",
  type: "delay",
  controlValues: { amount, unit },
});
const steps = (amount: number, unit = "seconds"): StepIn[] => [
  inApp({ body: "first {{ payload.name }}" }),
  delay(amount, unit),
  inApp({ body: "second {{ payload.name }}" }),
];

const statuses = (notification: Notification | undefined): string[] =>
  (notification?.jobs ?? []).map((job) => `${job.type} ${job.status}`);
const bodies = async (subscriberId: string): Promise<unknown[]> =>
  (await feedOf(client, subscriberId)).map((item) => item.content).sort();

/** Waits until the transaction's delay has begun. */
const waiting = (transactionId: string): Promise<Notification> =>
  eventually(async () => {
    const [notification] = await notificationsOf(client, transactionId);
    return notification?.jobs?.some((job) => job.status === "delayed") ? notification : null;
  }, "the delay to begin");

const reasonsOf = (notification: Notification | undefined, detail: string): string[] =>
  (notification?.jobs ?? []).flatMap((job) =>
    job.executionDetails.flatMap((entry) =>
      entry.detail === detail ? [String(JSON.parse(entry.raw ?? "{}").reason ?? "")] : [],
    ),
  );

test("the step before a delay is done at once, the step behind it when the time has come", async () => {
  await createWorkflow(client, "wait", steps(1));
  const transactionId = await trigger(client, "wait", "ada", { name: "Ada" });
  const begun = await waiting(transactionId);
  assert.deepEqual(statuses(begun), ["in_app completed", "delay delayed", "in_app pending"]);
  assert.deepEqual(await bodies("ada"), ["first Ada"]);
  const started = begun.jobs![1]!.executionDetails.find((entry) => entry.detail === "Step delayed");
  assert.equal(started?.status, "Pending");
  const { until } = JSON.parse(started?.raw ?? "{}") as { until: string };
  const { rows } = await sql<{ wake_at: Date }>`select wake_at from jobs where id = ${begun.jobs![1]!._id}`.execute(db);
  assert.equal(rows[0]?.wake_at.toISOString(), until);

  const [done] = await settled(client, transactionId);
  assert.deepEqual(statuses(done), ["in_app completed", "delay completed", "in_app completed"]);
  assert.deepEqual(detailsOf(done!, "delay"), ["Step created", "Step delayed", "Delay finished"]);
  assert.deepEqual(await bodies("ada"), ["first Ada", "second Ada"]);
  const second = (await feedOf(client, "ada")).find((item) => item.content === "second Ada");
  assert.ok(Date.parse(second!.createdAt!) >= Date.parse(until), "not before its time");
});

test("a run keeps the version of the workflow that started it", async () => {
  const workflow = await createWorkflow(client, "edited", steps(2));
  const before = await trigger(client, "edited", "bob", { name: "old" });
  await waiting(before);
  const changed = [inApp({ body: "changed {{ payload.name }}" })];
  const { name, preferences } = workflow;
  await client("workflows.update", {
    params: { workflowId: "edited" },
    body: {
      name,
      steps: changed,
      active: true,
      preferences: { user: preferences.user ?? null },
      origin: "svc-cloud",
    } as never,
  });
  const after = await trigger(client, "edited", "bob", { name: "new" });
  await settled(client, after);
  const [done] = await settled(client, before);
  assert.deepEqual(statuses(done), ["in_app completed", "delay completed", "in_app completed"]);
  assert.deepEqual(await bodies("bob"), ["changed new", "first old", "second old"]);
});

test("deleting the workflow cancels what waits, and says why", async () => {
  await createWorkflow(client, "dropped", steps(1));
  const transactionId = await trigger(client, "dropped", "cleo", { name: "Cleo" });
  await waiting(transactionId);
  await client("workflows.delete", { params: { workflowId: "dropped" } });
  const [ended] = await settled(client, transactionId);
  assert.deepEqual(statuses(ended), ["in_app completed", "delay canceled", "in_app canceled"]);
  assert.deepEqual(reasonsOf(ended, "Step canceled"), ["the workflow was deleted", "the workflow was deleted"]);
  await wakesAreWorked();
  assert.deepEqual(await bodies("cleo"), ["first Cleo"]);
});

test("deleting the subscriber cancels what waits, and says why", async () => {
  await createWorkflow(client, "left", steps(1));
  const transactionId = await trigger(client, "left", "dora", { name: "Dora" });
  await waiting(transactionId);
  await client("subscribers.delete", { params: { subscriberId: "dora" } });
  const [ended] = await settled(client, transactionId);
  assert.deepEqual(statuses(ended), ["in_app completed", "delay canceled", "in_app canceled"]);
  assert.deepEqual(reasonsOf(ended, "Step canceled"), ["the subscriber was deleted", "the subscriber was deleted"]);
  await wakesAreWorked();
  const [still] = await notificationsOf(client, transactionId);
  assert.deepEqual(statuses(still), statuses(ended));
});

/** The tasks of canceled runs still come due; afterwards nothing is left that could change anything. */
const wakesAreWorked = () =>
  eventually(async () => {
    const { rows } = await sql<{ left: number }>`
      select count(*)::int as left from queue.job where name = 'wake' and state < 'completed'`.execute(db);
    return rows[0]?.left === 0;
  }, "every wake task to be worked");

test("a wait over the maximum fails with its reason and stops the chain", async () => {
  await createWorkflow(client, "forever", steps(91, "days"));
  const [ended] = await settled(client, await trigger(client, "forever", "eve", { name: "Eve" }));
  assert.deepEqual(statuses(ended), ["in_app completed", "delay failed", "in_app canceled"]);
  assert.deepEqual(detailsOf(ended!, "delay"), ["Step created", "Wait is longer than allowed"]);
  assert.deepEqual(reasonsOf(ended, "Step canceled"), ["step wait failed"]);
  assert.deepEqual(await bodies("eve"), ["first Eve"]);
});

test("a delay without settings fails and stops the chain", async () => {
  await createWorkflow(client, "unset", [{ name: "Wait", type: "delay", controlValues: {} }, inApp()]);
  const [ended] = await settled(client, await trigger(client, "unset", "finn"));
  assert.deepEqual(statuses(ended), ["delay failed", "in_app canceled"]);
  assert.deepEqual(detailsOf(ended!, "delay"), ["Step created", "Delay settings are not valid"]);
});

test("a run woken before its time sleeps on and is not lost", async () => {
  // What happens when the clock of the database is ahead of ours: the task comes due before the run does.
  await createWorkflow(client, "early", steps(2));
  const transactionId = await trigger(client, "early", "gil", { name: "Gil" });
  await waiting(transactionId);
  await sql`update queue.job set start_after = now() where name = 'wake' and state < 'active'`.execute(db);
  await announceDueTasks(db);
  const [done] = await settled(client, transactionId);
  assert.deepEqual(statuses(done), ["in_app completed", "delay completed", "in_app completed"]);
  assert.deepEqual(await bodies("gil"), ["first Gil", "second Gil"]);
});

test("many runs with the same wake-up time all go on, each once", async () => {
  await createWorkflow(client, "crowd", steps(1));
  const people = Array.from({ length: 60 }, (_, index) => `crowd-${index}`);
  await trigger(client, "crowd", people, { name: "x" });
  const counts = async () => {
    const { rows } = await sql<{ open: number; subscribers: number; messages: number }>`
      select count(distinct m.subscriber_id)::int as subscribers, count(*)::int as messages,
        (select count(*)::int from jobs where status not in ('completed', 'failed', 'canceled')) as open
      from messages m join workflows w on w.id = m.workflow_id where w.workflow_id = 'crowd'`.execute(db);
    return rows[0]!;
  };
  const ended = await eventually(async () => {
    const now = await counts();
    return now.subscribers > 0 && now.open === 0 ? now : null;
  }, "every run to end");
  assert.deepEqual(ended, { subscribers: 60, messages: 120, open: 0 });
});
