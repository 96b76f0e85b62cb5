// Pause, resume, stop and expiry are exact: after the response no one is started, and no one is left out or repeated.
import assert from "node:assert/strict";
import { test } from "node:test";
import { startTestService } from "@tidings/testkit/service";
import { createWorkflow, inApp } from "@tidings/testkit/verbs";
import { eventually } from "@tidings/testkit/wait";
import { countRuns, createDraft, createList, idsOf, inStatus, retrieveBroadcast, sendBroadcast } from "./lists.ts";

const service = await startTestService();
const { client } = service;
await createWorkflow(client, "news", [inApp()]);
await createList(client, "crowd", idsOf("crowd", 600));
const content = { workflowId: "news" };
const audience = { include: ["crowd"] };
const once = (runs: Map<string, number>) => [...runs.values()].every((count) => count === 1);

/** With a pace a page has few people, and the broadcast runs until it is stopped. */
async function startPaced(perMinute: number, more: object = {}) {
  const draft = await createDraft(client, { content, audience, pace: { perMinute }, ...more });
  await sendBroadcast(client, draft._id);
  return eventually(async () => {
    const broadcast = await retrieveBroadcast(client, draft._id);
    return broadcast.progress.started > 0 ? broadcast : null;
  }, "the first page");
}

test("a pause starts no one after its response, and resuming completes it", async () => {
  const { _id: broadcastId, transactionId } = await startPaced(3_000);
  const params = { broadcastId };
  for (let round = 0; round < 3; round++) {
    const paused = (await client("broadcasts.pause", { params })).body;
    assert.equal(paused.status, "paused");
    const after = await countRuns(service, transactionId!);
    assert.equal(after.size, paused.progress.started);
    await client("broadcasts.resume", { params });
    assert.equal((await countRuns(service, transactionId!)).size >= after.size, true);
  }
  // Without a pace the rest is due at once.
  await client("broadcasts.pause", { params });
  await service.db.updateTable("broadcasts").set({ pace: "{}" }).where("id", "=", broadcastId).execute();
  await service.db.updateTable("event_pages").set({ due_at: new Date() }).where("state", "=", "waiting").execute();
  await client("broadcasts.resume", { params });
  const done = await inStatus(client, broadcastId, "completed");
  assert.equal(done.progress.started, 600);
  const runs = await countRuns(service, transactionId!);
  assert.equal(runs.size, 600);
  assert.ok(once(runs));
});

test("requests to pause, resume and stop at the same time leave one clear state", async () => {
  const { _id: broadcastId, transactionId } = await startPaced(60);
  const params = { broadcastId };
  const requests = ["pause", "resume", "pause", "resume", "pause"] as const;
  await Promise.allSettled(requests.map((verb) => client(`broadcasts.${verb}`, { params })));
  const stopped = (await client("broadcasts.stop", { params })).body;
  assert.equal(stopped.status, "stopped");
  const runs = await countRuns(service, transactionId!);
  assert.equal(runs.size, stopped.progress.started);
  assert.ok(once(runs));
  assert.equal((await client("broadcasts.stop", { params })).body.status, "stopped");
  await assert.rejects(client("broadcasts.resume", { params }), /only a paused broadcast can be resumed/);
});

test("people whose turn would be after the expiry do not get it, and are counted", async () => {
  const expiresAt = new Date(Date.now() + 3_000).toISOString();
  const { _id: broadcastId, transactionId } = await startPaced(600, { expiresAt });
  await eventually(async () => Date.now() > Date.parse(expiresAt) || null, "the expiry");
  await client("broadcasts.pause", { params: { broadcastId } });
  await service.db.updateTable("event_pages").set({ due_at: new Date() }).where("state", "=", "waiting").execute();
  await service.db.updateTable("broadcasts").set({ pace: "{}" }).where("id", "=", broadcastId).execute();
  await client("broadcasts.resume", { params: { broadcastId } });
  const { progress } = await inStatus(client, broadcastId, "completed");
  assert.equal(progress.started + progress.expired, 600);
  assert.ok(progress.expired > 0);
  assert.equal((await countRuns(service, transactionId!)).size, progress.started);
});

test("people who are deleted before their turn are counted as gone", async () => {
  await createList(client, "leaving", idsOf("leaving", 20));
  const { _id: broadcastId } = await startPaced(6, { audience: { include: ["leaving"] } });
  await client("broadcasts.pause", { params: { broadcastId } });
  const { progress: before } = await retrieveBroadcast(client, broadcastId);
  for (const subscriberId of idsOf("leaving", 20)) await client("subscribers.delete", { params: { subscriberId } });
  await service.db.updateTable("broadcasts").set({ pace: "{}" }).where("id", "=", broadcastId).execute();
  await service.db.updateTable("event_pages").set({ due_at: new Date() }).where("state", "=", "waiting").execute();
  await client("broadcasts.resume", { params: { broadcastId } });
  const { progress } = await inStatus(client, broadcastId, "completed");
  assert.equal(progress.started, before.started);
  assert.equal(progress.gone, 20 - before.started);
});

test("canceling its event stops the broadcast", async () => {
  const { _id: broadcastId, transactionId } = await startPaced(60);
  await client("events.cancel", { params: { transactionId: transactionId! } });
  assert.equal((await retrieveBroadcast(client, broadcastId)).status, "stopped");
});
