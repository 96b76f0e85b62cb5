import assert from "node:assert/strict";
import { test } from "node:test";
import type { StepIn } from "@tidings/contract";
import { startTestService } from "@tidings/testkit/service";
import { createWorkflow, detailsOf, inApp, notificationsOf, settled, trigger } from "@tidings/testkit/verbs";
import { eventually } from "@tidings/testkit/wait";
import { sql } from "kysely";

const service = await startTestService({ TIDINGS_DIGEST_EVENTS: "40" });
const { client, db } = service;

const digest = (amount: number, settings: object = {}, stepId = "digest"): StepIn => ({
  name: stepId,
  stepId,
  type: "digest",
  controlValues: { amount, unit: "seconds", ...settings },
});

/** Renders what a digest hands on, so that a test can add it up: `count;n,n,n,`. */
const report = (stepId = "digest"): StepIn =>
  inApp({
    body: `{{ steps.${stepId}.eventCount }};{% for e in steps.${stepId}.events %}{{ e.payload.n }},{% endfor %};{{ payload.n }}`,
  });

type Report = { subscriberId: string; count: number; events: number[]; root: number };

async function reportsOf(workflowId: string): Promise<Report[]> {
  const { rows } = await sql<{ subscriber_id: string; content: string }>`
    select s.subscriber_id, m.content from messages m
    join subscribers s on s.id = m.subscriber_id join workflows w on w.id = m.workflow_id
    where w.workflow_id = ${workflowId} order by m.id`.execute(db);
  return rows.map(({ subscriber_id, content }) => {
    const [count, events, root] = content.split(";");
    const numbers = events!.split(",").filter(Boolean).map(Number);
    return { subscriberId: subscriber_id, count: Number(count), events: numbers, root: Number(root) };
  });
}

type Total = { notifications: number; open: number; leaders: number; merged: number };

/** Counts a workflow's runs; `open` counts jobs that have not ended. */
async function totalOf(workflowId: string): Promise<Total> {
  const { rows } = await sql<Total>`
    select count(distinct n.id)::int as notifications,
      count(*) filter (where j.status in ('pending', 'queued', 'running', 'delayed'))::int as open,
      count(*) filter (where j.type = 'digest' and j.status = 'completed')::int as leaders,
      count(*) filter (where j.merged_into is not null)::int as merged
    from notifications n join jobs j on j.notification_id = n.id join workflows w on w.id = n.workflow_id
    where w.workflow_id = ${workflowId}`.execute(db);
  return rows[0]!;
}

const ended = (workflowId: string, notifications: number): Promise<Total> =>
  eventually(async () => {
    const total = await totalOf(workflowId);
    return total.notifications === notifications && total.open === 0 ? total : null;
  }, `the end of ${notifications} runs of ${workflowId}`);

const windowsLeft = async (): Promise<number> =>
  (await sql<{ count: number }>`select count(*)::int as count from digest_windows`.execute(db)).rows[0]!.count;

const range = (count: number): number[] => Array.from({ length: count }, (_, n) => n);
const numerically = (a: number, b: number): number => a - b;

test("events of a group are sent on together: one leader, none lost, none twice", async () => {
  await createWorkflow(client, "orders", [digest(1, { digestKey: "order.id" }), report()]);
  const ids = await Promise.all(
    range(30).map((n) => trigger(client, "orders", ["ada", "bob"], { n, order: { id: `o${n % 3}` } })),
  );
  const total = await ended("orders", 60);
  const reports = await reportsOf("orders");
  assert.equal(total.leaders, reports.length, "one message for each window");
  assert.equal(total.leaders + total.merged, 60);
  for (const subscriberId of ["ada", "bob"]) {
    const own = reports.filter((entry) => entry.subscriberId === subscriberId);
    const all = own.flatMap((entry) => entry.events);
    assert.deepEqual(all.toSorted(numerically), range(30));
    for (const entry of own) {
      assert.equal(entry.count, entry.events.length);
      assert.equal(new Set(entry.events.map((n) => n % 3)).size, 1, "one key in a group");
      assert.ok(entry.events.includes(entry.root), "the payload behind the digest is the leader's");
    }
  }
  assert.equal(await windowsLeft(), 0);

  const notifications = (await Promise.all(ids.map((id) => notificationsOf(client, id)))).flat();
  const leaders = new Set(notifications.filter((one) => one.jobs?.[0]?.status === "completed").map((one) => one._id!));
  for (const one of notifications) {
    if (leaders.has(one._id!)) {
      assert.equal(one._digestedNotificationId, undefined);
      const expected = ["Step created", "Step digested", "Digest started", "Digest sent its events on"];
      assert.deepEqual(detailsOf(one, "digest"), expected);
      continue;
    }
    assert.ok(leaders.has(one._digestedNotificationId!), "merged into a leader");
    assert.deepEqual(
      one.jobs?.map((job) => job.status),
      ["merged", "merged"],
    );
    const merged = one.jobs![0]!.executionDetails.find((entry) => entry.detail === "Merged into a waiting digest");
    assert.equal(JSON.parse(merged?.raw ?? "{}").leader, one._digestedNotificationId);
  }
});

test("while a window is open there is one per group, and the first event of a group opens it", async () => {
  await createWorkflow(client, "exact", [digest(1, { digestKey: "payload.k" }), report()]);
  // All in one request: the events are taken in together, so no window closes between them.
  const events = range(40).map((n) => ({ name: "exact", to: ["p1", "p2"], payload: { n, k: { id: n % 4 } } }));
  await client("events.triggerBulk", { body: { events } as never });
  const total = await ended("exact", 80);
  assert.deepEqual([total.leaders, total.merged], [8, 72]);
  for (const entry of await reportsOf("exact")) {
    assert.equal(entry.count, 10);
    assert.deepEqual(entry.events, entry.events.toSorted(numerically), "in order of arrival");
    assert.equal(entry.root, entry.events[0]);
  }
});

test("after a window has closed the next event opens a new one", async () => {
  await createWorkflow(client, "again", [digest(1), report()]);
  for (const round of [1, 2]) {
    const ids = await Promise.all([
      trigger(client, "again", "cleo", { n: round }),
      trigger(client, "again", "cleo", { n: round }),
    ]);
    await Promise.all(ids.map((id) => settled(client, id)));
  }
  const reports = await reportsOf("again");
  assert.deepEqual(reports.flatMap((entry) => entry.events).toSorted(numerically), [1, 1, 2, 2]);
  assert.ok(reports.length >= 2);
  assert.equal(await windowsLeft(), 0);
});

test("a second digest groups the results of the first", async () => {
  await createWorkflow(client, "twice", [
    digest(1, { digestKey: "k" }, "first"),
    digest(1, {}, "second"),
    report("second"),
  ]);
  const events = range(8).map((n) => ({ name: "twice", to: "dora", payload: { n, k: n % 3 } }));
  await client("events.triggerBulk", { body: { events } as never });
  await ended("twice", 8);
  const [only, ...others] = await reportsOf("twice");
  assert.deepEqual(others, []);
  assert.equal(only?.count, 8);
  assert.deepEqual(only?.events.toSorted(numerically), range(8));
});

test("a digest keeps the events it may keep and counts all of them", async () => {
  await createWorkflow(client, "many", [digest(1), report()]);
  const events = range(60).map((n) => ({ name: "many", to: "eve", payload: { n } }));
  await client("events.triggerBulk", { body: { events } as never });
  await ended("many", 60);
  const [only] = await reportsOf("many");
  assert.equal(only?.count, 60);
  assert.deepEqual(only?.events, range(40));
});

test("deleting the workflow ends its windows with it", async () => {
  await createWorkflow(client, "gone", [digest(1), report()]);
  const ids = await Promise.all(range(4).map((n) => trigger(client, "gone", "finn", { n })));
  await eventually(async () => (await totalOf("gone")).notifications === 4, "the events to be taken in");
  await client("workflows.delete", { params: { workflowId: "gone" } });
  for (const id of ids) {
    const [notification] = await settled(client, id);
    for (const job of notification!.jobs!) assert.equal(job.status, "canceled");
  }
  await eventually(async () => (await windowsLeft()) === 0, "the window to be closed");
  assert.deepEqual(await reportsOf("gone"), []);
});

test("a digest without settings fails and stops the chain", async () => {
  await createWorkflow(client, "unset", [{ name: "d", type: "digest", controlValues: {} }, report()]);
  const [notification] = await settled(client, await trigger(client, "unset", "gil"));
  assert.deepEqual(
    notification?.jobs?.map((job) => job.status),
    ["failed", "canceled"],
  );
  assert.deepEqual(detailsOf(notification!, "digest"), ["Step created", "Digest settings are not valid"]);
});
