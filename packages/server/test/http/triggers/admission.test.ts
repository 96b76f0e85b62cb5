import assert from "node:assert/strict";
import { test } from "node:test";
import { errorOf } from "@tidings/testkit/http";
import { startTestService } from "@tidings/testkit/service";
import { createWorkflow, inApp } from "@tidings/testkit/verbs";
import { eventually } from "@tidings/testkit/wait";
import { sql } from "kysely";
import { type Admission, createAdmission } from "../../../src/http/triggers/admission.ts";

/** Runs `accept` once the request is admitted. */
async function admit(admission: Admission, arrival: Parameters<Admission["acquire"]>[0], accept: () => Promise<void>) {
  await admission.waitForQueue(arrival);
  const release = await admission.acquire(arrival);
  await accept().finally(release);
}

// Without workers, so that what is enqueued waits.
const service = await startTestService({ TIDINGS_ROLE: "api" });
const { client, production, db } = service;

test("an environment whose events wait for five minutes is refused with 429, others are not", async () => {
  const recipients = ["a", "b", "c", "d", "e", "f"];
  const events = [{ name: "slow", to: recipients }];
  for (const caller of [client, production]) {
    await createWorkflow(caller, "slow", [inApp()]);
    await caller("events.triggerBulk", { body: { events } });
  }
  await sql`update queue.job_common set created_on = now() - interval '400 seconds'
    where name = 'trigger' and singleton_key = (select id::text from environments where type = 'dev')`.execute(db);
  const refused = await eventually(async () => {
    const reply = await client.raw("events.triggerBulk", { body: { events } });
    return reply.status === 429 && reply;
  }, "the age to be noticed");
  const error = errorOf(refused as never, "RATE_LIMITED");
  assert.match(error.message, /^Events of this environment have been waiting for 4\d\d seconds/);
  assert.equal((await client.raw("events.trigger", { body: { name: "slow", to: "a" } })).status, 429);
  assert.equal((await production.raw("events.triggerBulk", { body: { events } })).status, 201);
  await sql`delete from queue.job_common where name = 'trigger'`.execute(db);
  await eventually(
    async () => (await client.raw("events.triggerBulk", { body: { events } })).status === 201,
    "the environment to be admitted again",
  );
});

test("bulk requests are delayed in proportion to the age of the backlog; single events are not", async () => {
  let ages = new Map([
    ["busy", { others: 2_250, low: 0 }],
    ["campaign", { others: 0, low: 30 * 60_000 }],
    ["old campaign", { others: 0, low: 2 * 3_600_000 }],
  ]);
  const admission = createAdmission({
    findAges: async () => ages,
    onError: assert.fail,
    connections: 10,
    countThreads: () => 1,
  });
  const timed = async (environmentId: string, isSingle = false) => {
    const start = performance.now();
    await admit(admission, { environmentId, isSingle }, async () => {});
    return performance.now() - start;
  };
  await timed("busy");
  await new Promise((resolve) => setImmediate(resolve));
  assert.ok((await timed("busy")) >= 495, "a quarter of the two seconds beyond the free time");
  assert.ok((await timed("busy", true)) < 495);
  assert.ok((await timed("idle")) < 495);
  assert.ok((await timed("campaign")) < 495, "low events wait by design");
  await assert.rejects(timed("old campaign"), /have been waiting for 7200 seconds/);
  assert.ok((await timed("old campaign", true)) < 495, "a single event is accepted");
  ages = new Map();
  await eventually(async () => (await timed("busy")) < 495, "the new age to be noticed");
});

test("a failing look at the queue admits all events", async () => {
  const errors: unknown[] = [];
  const findAges = () => Promise.reject(new Error("no database"));
  const admission = createAdmission({
    findAges,
    onError: (error) => errors.push(error),
    connections: 10,
    countThreads: () => 1,
  });
  for (let tries = 0; tries < 2; tries++)
    await admit(admission, { environmentId: "any", isSingle: false }, async () => {});
  await eventually(() => errors.length === 1, "the error");
});

test("environments take turns: a flood of one leaves a slot to the others, and bulk requests do not hold up single events", async () => {
  const admission = createAdmission({
    findAges: async () => new Map(),
    onError: assert.fail,
    connections: 10,
    countThreads: () => 1,
  });
  const order: string[] = [];
  const held: (() => void)[] = [];
  const send = (environmentId: string, isSingle: boolean) =>
    admit(admission, { environmentId, isSingle }, async () => {
      order.push(`${environmentId} ${isSingle ? "single" : "bulk"}`);
      await new Promise<void>((resolve) => held.push(resolve));
    });
  const all = Array.from({ length: 9 }, () => send("flood", false));
  all.push(send("other", true), send("other", false), send("flood", true));
  await eventually(() => order.length === 6, "three bulk requests of the flood, and all others");
  assert.deepEqual([...order].sort(), [
    ...["flood bulk", "flood bulk", "flood bulk", "flood single"],
    ...["other bulk", "other single"],
  ]);
  while (held.length > 0) {
    held.shift()!();
    await new Promise((resolve) => setImmediate(resolve));
  }
  await Promise.all(all);
  assert.equal(order.length, 12);
});
