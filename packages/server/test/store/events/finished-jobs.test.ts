// Jobs of runs that end in the transaction that begins them are stored with their notification; everything that reads
// jobs or adds details to them shows them like jobs with rows.
import assert from "node:assert/strict";
import { test } from "node:test";
import { startTestService } from "@tidings/testkit/service";
import { createWorkflow, detailsOf, email, inApp, messagesOf, settled, trigger } from "@tidings/testkit/verbs";
import fc from "fast-check";
import { sql } from "kysely";
import { jobIdOf, newId } from "../../../src/lib/ids.ts";
import { packJobs, unpackJobs } from "../../../src/store/events/finished-jobs.ts";
import type { JobRow } from "../../../src/store/events/jobs.ts";
import { openInbox } from "../../app/inbox/browser.ts";

const service = await startTestService();
const { client, db } = service;

const at = new Date("2026-03-02T10:00:00.123Z");
const key = { environment_id: newId(), notification_id: newId() };
const detail = fc.record(
  {
    d: fc.string({ minLength: 1 }),
    t: fc.constant(at.getTime()),
    r: fc.dictionary(fc.string(), fc.string()),
    p: fc.string(),
  },
  { requiredKeys: ["d", "t"], noNullPrototype: true },
);
const finishedJobs = fc
  .array(
    fc.record(
      {
        step: fc.constantFrom(
          { type: "in_app" as const, status: "completed" as const },
          { type: "in_app" as const, status: "skipped" as const },
          { type: "email" as const, status: "skipped" as const },
        ),
        details: fc.array(detail, { maxLength: 3 }),
      },
      { noNullPrototype: true },
    ),
    { maxLength: 4 },
  )
  .map((jobs) =>
    jobs.map(({ step, details }, step_index) => ({
      id: jobIdOf(key.notification_id, step_index),
      ...key,
      step_index,
      ...step,
      details,
      provider_id: null,
      output: null,
      digest: null,
      bridge: null,
      merged_into: null,
      wake_at: null,
      updated_at: at,
    })),
  );
const sourceOf = (finished_jobs: ReturnType<typeof packJobs>) => ({
  id: key.notification_id,
  environment_id: key.environment_id,
  created_at: at,
  finished_jobs,
  later_details: null,
});

test("finished jobs are read as they were stored", () => {
  fc.assert(
    fc.property(finishedJobs, (jobs) => {
      const packed = packJobs(jobs, at);
      assert.ok(packed);
      assert.deepEqual(unpackJobs(sourceOf(JSON.parse(JSON.stringify(packed)))), structuredClone(jobs));
    }),
  );
});

test("a job that is not finished, may be replayed, or has a result or a time of its own needs a row", () => {
  const [job] = fc.sample(
    finishedJobs.filter((jobs) => jobs[0]?.status === "completed"),
    { numRuns: 1, seed: 1 },
  )[0]!;
  const changes: Partial<JobRow>[] = [
    { status: "pending" },
    { status: "failed" },
    { type: "email" },
    { provider_id: "sendgrid" },
    { output: {} },
    { digest: {} },
    { bridge: { askedAt: 0, tries: 1 } },
    { wake_at: at },
    { merged_into: newId() },
    { details: [{ d: "message_sent", t: at.getTime() + 1 }] },
  ];
  assert.ok(packJobs([job!], at));
  for (const change of changes) assert.equal(packJobs([{ ...job!, ...change }], at), null, JSON.stringify(change));
});

test("the jobs of a notification have ids of their own, which differ from all ids made", () => {
  const notificationId = "01a1e36a-a3db-7000-8d36-17f03324ffff";
  const ids = Array.from({ length: 20 }, (_, step) => jobIdOf(notificationId, step));
  assert.equal(new Set([notificationId, ...ids]).size, 21);
  assert.deepEqual([ids[0], ids[1]], ["01a1e36a-a3db-7000-8d36-17f033240000", "01a1e36a-a3db-7000-8d36-17f033240001"]);
});

const rowsOf = async (notificationId: string): Promise<number> => {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from jobs where notification_id = ${notificationId}`.execute(db);
  return rows[0]!.count;
};

test("a run that ends at once has no rows in jobs, and a run that sends has", async () => {
  const skipped = {
    ...email(),
    controlValues: { subject: "Hi", body: "Hi", skip: { "==": [{ var: "payload.mail" }, false] } },
  };
  await createWorkflow(client, "at-once", [inApp({ body: "Hi" }), skipped]);
  const ada = { subscriberId: "ada", email: "ada@example.com" };
  const [silent] = await settled(client, await trigger(client, "at-once", ada, { mail: false }));
  const states = silent!.jobs!.map(({ type, status }) => `${type} ${status}`);
  assert.deepEqual(states, ["in_app completed", "email skipped"]);
  assert.equal(await rowsOf(silent!._id!), 0);
  const [sent] = await settled(client, await trigger(client, "at-once", ada, { mail: true }));
  assert.equal(await rowsOf(sent!._id!), 2);
});

test("marks and snoozing add their details, to each of two messages that are marked together", async () => {
  await createWorkflow(client, "two", [inApp({ body: "First" }), inApp({ body: "Second" })]);
  const transactionId = await trigger(client, "two", "grace");
  const [begun] = await settled(client, transactionId);
  const messages = await messagesOf(client, transactionId);
  const inbox = await openInbox(service, {
    applicationIdentifier: begun!._environmentId,
    subscriber: { subscriberId: "grace" },
  });
  const call = async (method: string, path: string, body?: object) => {
    const reply = await inbox.call(method, `/notifications${path}`, body);
    assert.ok(reply.status < 300, reply.text);
  };
  await call("POST", "/read", {});
  await call("PATCH", `/${messages[0]!._id}/unread`);
  await call("PATCH", `/${messages[0]!._id}/read`);
  const until = new Date(Date.now() + 86_400_000).toISOString();
  await call("PATCH", `/${messages[0]!._id}/snooze`, { snoozeUntil: until });
  await call("PATCH", `/${messages[0]!._id}/unsnooze`);
  const [marked] = await settled(client, transactionId);
  const names = marked!.jobs!.map((job) => job.executionDetails!.map(({ detail: name }) => name));
  const named = (list: (string | undefined)[], word: RegExp) => list.filter((name) => word.test(name ?? "")).length;
  for (const list of names) assert.equal(named(list, /read/i), 1, JSON.stringify(names));
  assert.deepEqual(
    names.map((list) => named(list, /snooz/i)).sort(),
    [0, 2],
    JSON.stringify([names, detailsOf(marked!, "in_app")]),
  );
  assert.equal(await rowsOf(marked!._id!), 0);
});
