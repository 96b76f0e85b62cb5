// Closing digests before their time.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { ErrorCode, StepIn } from "@tidings/contract";
import { refused } from "../../support/refusals.ts";
import { startTestService } from "../../support/service.ts";
import { createWorkflow, detailsOf, feedOf, inApp, notificationsOf, settled, trigger } from "../../support/verbs.ts";
import { eventually } from "../../support/wait.ts";

const { client, production } = await startTestService();

const digest = (stepId: string, settings: object = {}): StepIn => ({
  name: stepId,
  stepId,
  type: "digest",
  controlValues: { amount: 1, unit: "hours", ...settings },
});
const report = (stepId: string) =>
  inApp({
    body: `{{ steps.${stepId}.eventCount }}:{% for e in steps.${stepId}.events %}{{ e.payload.n }}{% endfor %}`,
  });
const close = async (workflowId: string, body: object = {}) =>
  (await client("digests.close", { params: { workflowId }, body })).body;

/** Triggers and waits until the event waits in a digest. */
async function digested(workflowId: string, subscriberId: string, payload: object): Promise<string> {
  const transactionId = await trigger(client, workflowId, subscriberId, payload);
  await eventually(async () => {
    const [run] = await notificationsOf(client, transactionId);
    return run?.jobs?.some((job) => job.type === "digest" && ["delayed", "merged"].includes(job.status));
  }, "the event to be digested");
  return transactionId;
}

const contents = async (subscriberId: string) =>
  (await feedOf(client, subscriberId)).map((item) => item.content).sort();

test("an open digest goes on at once with what it has; later events open a new one", async () => {
  await createWorkflow(client, "news", [digest("daily"), report("daily")]);
  const first = await digested("news", "ada", { n: 1 });
  await digested("news", "ada", { n: 2 });
  assert.deepEqual(await close("news"), { closed: 1, hasMore: false });
  const [run] = await settled(client, first);
  assert.deepEqual(detailsOf(run!, "digest").slice(1), [
    "Step digested",
    "Digest closed before its time",
    "Digest started",
    "Digest sent its events on",
  ]);
  assert.deepEqual(await contents("ada"), ["2:12"]);
  assert.deepEqual(await close("news"), { closed: 0, hasMore: false });
  await digested("news", "ada", { n: 3 });
  assert.deepEqual(await close("news"), { closed: 1, hasMore: false });
  await eventually(async () => (await contents("ada")).length === 2, "the second digest");
  assert.deepEqual(await contents("ada"), ["1:3", "2:12"]);
});

test("one subscriber's, one step's; and a second digest behind the first", async () => {
  await createWorkflow(client, "two", [digest("first", { digestKey: "k" }), digest("second"), report("second")]);
  for (const [n, k] of [
    [1, "a"],
    [2, "b"],
    [3, "a"],
  ]) {
    await digested("two", "bob", { n, k });
  }
  await digested("two", "cleo", { n: 4 });
  assert.deepEqual(await close("two", { subscriberId: "cleo", stepId: "second" }), { closed: 0, hasMore: false });
  assert.deepEqual(await close("two", { subscriberId: "cleo" }), { closed: 1, hasMore: false });
  assert.deepEqual(await close("two", { stepId: "first" }), { closed: 2, hasMore: false });
  // Cleo's and both of Bob's groups have gone on into the second digest.
  await eventually(async () => (await close("two", { stepId: "second", subscriberId: "cleo" })).closed === 1, "cleo");
  const waiting = async () => {
    const { body } = await client("notifications.list", { query: { templates: ["two"], subscriberIds: ["bob"] } });
    return body.data.flatMap((run) => run.jobs!.filter((job) => job.step.name === "second").map((job) => job.status));
  };
  await eventually(async () => (await waiting()).sort().join() === "delayed,merged,merged", "both groups of bob");
  assert.deepEqual(await close("two", { stepId: "second" }), { closed: 1, hasMore: false });
  await eventually(async () => (await contents("bob")).length === 1, "bob's digest");
  const [content] = await contents("bob");
  assert.equal(content?.slice(0, 2), "3:");
  assert.deepEqual([...content!.slice(2)].sort(), ["1", "2", "3"]);
  await eventually(async () => (await contents("cleo")).join() === "1:4", "cleo's digest");
});

test("calls at once close each digest once, and a replay answers what the first did", async () => {
  await createWorkflow(client, "crowd", [digest("d"), report("d")]);
  await Promise.all(Array.from({ length: 12 }, (_, n) => digested("crowd", `crowd-${n}`, { n })));
  const answers = await Promise.all(Array.from({ length: 5 }, () => close("crowd")));
  assert.equal(
    answers.reduce((sum, { closed }) => sum + closed, 0),
    12,
  );
  for (let n = 0; n < 12; n++) await eventually(async () => (await contents(`crowd-${n}`)).join() === `1:${n}`, `${n}`);
  await digested("crowd", "crowd-0", { n: 1 });
  const once = { params: { workflowId: "crowd" }, body: {}, headers: { "idempotency-key": "close" } };
  const [first, second] = [await client("digests.close", once), await client("digests.close", once)];
  assert.deepEqual([first.body.closed, second.body.closed], [1, 1]);
  assert.equal(second.headers.get("idempotency-replay"), "true");
});

test("what does not exist, is no digest or belongs to another environment is refused", async () => {
  await createWorkflow(client, "refusing", [digest("d"), inApp()]);
  await digested("refusing", "dora", {});
  const table: [workflowId: string, body: object, code: ErrorCode, via?: typeof client][] = [
    ["nothing", {}, "WORKFLOW_NOT_FOUND"],
    ["refusing", {}, "WORKFLOW_NOT_FOUND", production],
    ["refusing", { stepId: "nothing" }, "STEP_NOT_FOUND"],
    ["refusing", { stepId: "in-app" }, "VALIDATION_ERROR"],
    ["refusing", { subscriberId: "nobody" }, "SUBSCRIBER_NOT_FOUND"],
    ["refusing", { subscriberId: 7 }, "VALIDATION_ERROR"],
  ];
  for (const [workflowId, body, code, via = client] of table) {
    await refused(via, "digests.close", { params: { workflowId }, body }, code);
  }
  assert.deepEqual(await close("refusing", { stepId: "d", subscriberId: "dora" }), { closed: 1, hasMore: false });
});
