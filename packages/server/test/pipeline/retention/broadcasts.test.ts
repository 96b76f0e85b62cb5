// What broadcasts keep while they are not finished: their own events, and nothing else.
import assert from "node:assert/strict";
import { test } from "node:test";
import { startTestService } from "@tidings/testkit/service";
import { createWorkflow, inApp, notificationsOf, settled, trigger } from "@tidings/testkit/verbs";
import { eventually } from "@tidings/testkit/wait";
import { sql } from "kysely";
import { ensurePartitions, monthAt } from "../../../src/store/installation/partitions.ts";
import { listRetentionRuns } from "../../../src/store/installation/retention-runs.ts";
import {
  createDraft,
  createList,
  idsOf,
  inStatus,
  retrieveBroadcast,
  sendBroadcast,
} from "../../app/broadcasts/lists.ts";
import { runRetentionAt } from "../../support/past-runs.ts";

const { client, production, db } = await startTestService();
const dayMs = 86_400_000;

const news = { content: { workflowId: "news" }, audience: { include: ["crowd"] } };
const inTenMonths = { time: { kind: "at", at: new Date(Date.now() + 300 * dayMs).toISOString() } };

async function send(when: object): Promise<{ broadcastId: string; transactionId: string }> {
  const { _id: broadcastId } = await createDraft(client, { ...news, ...when });
  const { transactionId } = await sendBroadcast(client, broadcastId);
  return { broadcastId, transactionId: transactionId! };
}

/** One person has got it, and the next is due in a minute. */
async function start() {
  const sent = await send({ pace: { perMinute: 1 } });
  const hasBegun = async () => (await retrieveBroadcast(client, sent.broadcastId)).progress.started > 0;
  await eventually(hasBegun, "the first person");
  return sent;
}

const stop = ({ broadcastId }: { broadcastId: string }) => client("broadcasts.stop", { params: { broadcastId } });

const hasEvent = async (transactionId: string) =>
  (await sql`select 1 from events where transaction_id = ${transactionId}`.execute(db)).rows.length > 0;

test("broadcasts that wait keep their events, and everything else of that time goes", async () => {
  for (const one of [client, production]) await createWorkflow(one, "news", [inApp()]);
  await createList(client, "crowd", idsOf("crowd", 4));
  const scheduled = await send(inTenMonths);
  const deleted = await send(inTenMonths);
  await stop(deleted);
  await client("broadcasts.delete", { params: { broadcastId: deleted.broadcastId } });
  const running = await start();
  const paused = await start();
  await client("broadcasts.pause", { params: { broadcastId: paused.broadcastId } });
  const stopped = await start();
  await stop(stopped);
  const done = await trigger(client, "news", "ada");
  await settled(client, done);
  const elsewhere = await trigger(production, "news", "bob");
  await settled(production, elsewhere);

  await runRetentionAt(db, new Date(Date.now() + 200 * dayMs));
  const [run] = await listRetentionRuns(db, 1);
  assert.deepEqual([run!.error, run!.is_complete], [null, true]);
  await ensurePartitions(db, new Date());
  const gone = [done, elsewhere, stopped.transactionId, deleted.transactionId];
  for (const id of gone) assert.equal(await hasEvent(id), false);
  for (const { transactionId } of [scheduled, running, paused]) assert.equal(await hasEvent(transactionId), true);
  assert.equal((await notificationsOf(client, paused.transactionId)).length, 0, "those who got it are gone");
  const { name } = monthAt(new Date());
  assert.ok(run!.partitions.includes(`notifications_${name}`), run!.partitions.join());
  assert.ok(!run!.partitions.includes(`events_${name}`), "the month of their events stays");

  await sql`update broadcasts set pace = '{}'`.execute(db);
  await sql`update event_pages set due_at = now()`.execute(db);
  await client("broadcasts.resume", { params: { broadcastId: paused.broadcastId } });
  const { progress } = await inStatus(client, paused.broadcastId, "completed");
  assert.equal(progress.started, 4);
  assert.equal((await notificationsOf(client, paused.transactionId)).length, 3, "the first person is not repeated");
});
