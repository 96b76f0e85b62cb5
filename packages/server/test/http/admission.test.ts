import assert from "node:assert/strict";
import { test } from "node:test";
import { sql } from "kysely";
import { createAdmission } from "../../src/http/admission.ts";
import { errorOf } from "../support/http.ts";
import { startTestService } from "../support/service.ts";
import { createWorkflow, inApp } from "../support/verbs.ts";
import { eventually } from "../support/wait.ts";

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
  let ages = new Map([["busy", 2_250]]);
  const admission = createAdmission({ findAges: async () => ages, onError: assert.fail });
  const timed = async (environmentId: string, isSingle = false) => {
    const start = performance.now();
    await admission.admit(environmentId, { isSingle });
    return performance.now() - start;
  };
  await timed("busy");
  await new Promise((resolve) => setImmediate(resolve));
  assert.ok((await timed("busy")) >= 495, "a quarter of the two seconds beyond the free time");
  assert.ok((await timed("busy", true)) < 495);
  assert.ok((await timed("idle")) < 495);
  ages = new Map();
  await eventually(async () => (await timed("busy")) < 495, "the new age to be noticed");
});

test("a failing look at the queue admits all events", async () => {
  const errors: unknown[] = [];
  const findAges = () => Promise.reject(new Error("no database"));
  const admission = createAdmission({ findAges, onError: (error) => errors.push(error) });
  for (let tries = 0; tries < 2; tries++) await admission.admit("any", { isSingle: false });
  await eventually(() => errors.length === 1, "the error");
});
