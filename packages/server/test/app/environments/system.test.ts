// The state of the system, and the runs in progress in a workflow, over HTTP.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { StepIn } from "@tidings/contract";
import { errorOf } from "@tidings/testkit/http";
import { startTestService } from "@tidings/testkit/service";
import { createWorkflow, inApp, trigger } from "@tidings/testkit/verbs";
import { eventually } from "@tidings/testkit/wait";
import { sql } from "kysely";

const { client, production, db } = await startTestService();

const state = async (from = client) => (await from("system.retrieve")).body;

test("versions, processes and queues are told", async () => {
  const { versions, processes, queue } = await state();
  assert.match(versions.service, /^\d+\.\d+\.\d+/);
  assert.match(versions.postgres, /^\d+/);
  assert.match(versions.schema, /^\d{4}_/);
  assert.equal(processes, 1);
  assert.ok(queue.some(({ kind }) => kind === "deliver"));
  assert.ok(queue.every(({ due, active, lagSeconds }) => due >= 0 && active >= 0 && lagSeconds >= 0));
});

test("an environment is told of its own breakers, dead letters and webhooks, of others only the number", async () => {
  const body = { providerId: "sendgrid", channel: "email", identifier: "failing", name: "Failing" } as const;
  const { body: integration } = await client("integrations.create", { body });
  await sql`insert into integration_health (integration_id, environment_id, state, failures, probes, opened_at, updated_at)
    values (${integration._id}, ${integration._environmentId}, 'open', 5, 0, now(), now())`.execute(db);
  const mine = await state();
  assert.deepEqual(
    mine.environment.breakers.map(({ identifier, name, state, failures }) => [identifier, name, state, failures]),
    [["failing", "Failing", "open", 5]],
  );
  const theirs = await state(production);
  assert.deepEqual([theirs.environment.breakers, theirs.openBreakers], [[], 1]);
  assert.doesNotMatch(JSON.stringify(theirs), /"failing"/i);
  assert.deepEqual([mine.environment.deadLetters, mine.environment.failedTasks], [0, 0]);
});

test("runs under way are counted by version, step and wait", async () => {
  const wait: StepIn = { name: "Wait", stepId: "wait", type: "delay", controlValues: { amount: 1, unit: "days" } };
  const digest: StepIn = {
    name: "Digest",
    stepId: "digest",
    type: "digest",
    controlValues: { amount: 1, unit: "days" },
  };
  const inFlight = async () => (await client("workflows.retrieveInFlight", { params: { workflowId: "waiting" } })).body;
  await createWorkflow(client, "waiting", [wait, inApp()]);
  assert.deepEqual(await inFlight(), { data: [], total: 0, isCapped: false });
  for (const id of ["a", "b"]) await trigger(client, "waiting", id);
  await eventually(async () => (await inFlight()).data[0]?.count === 2, "two delays");
  const { body } = await client("workflows.retrieve", { params: { workflowId: "waiting" } });
  const update = { name: body.name, origin: body.origin, preferences: {}, steps: [digest, inApp()] };
  await client("workflows.update", { params: { workflowId: "waiting" }, body: update });
  await trigger(client, "waiting", "c");
  const now = await eventually(async () => {
    const found = await inFlight();
    return found.total === 3 && found.data.every(({ wait }) => wait !== "starting") ? found : null;
  }, "a digest");
  assert.deepEqual(
    now.data.map(({ version, step, wait, count }) => [version, step.stepId, wait, count]),
    [
      [2, "digest", "digest", 1],
      [1, "wait", "delay", 2],
    ],
  );
  assert.ok(now.data.every(({ oldest, nextAt }) => nextAt! > oldest));
  errorOf(
    await production.raw("workflows.retrieveInFlight", { params: { workflowId: "waiting" } }),
    "WORKFLOW_NOT_FOUND",
  );
});
