// Closing digests before their time.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { ErrorCode, StepIn } from "@tidings/contract";
import { only } from "@tidings/testkit/lists";
import { refused } from "@tidings/testkit/refusals";
import { shareService } from "@tidings/testkit/service";
import { createWorkflow, detailsOf, feedOf, inApp, notificationsOf, settled, trigger } from "@tidings/testkit/verbs";
import { eventually } from "@tidings/testkit/wait";

const { client, production } = await shareService();

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
  const run = only(await settled(client, first));
  assert.deepEqual(detailsOf(run, "digest").slice(1), [
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

describe("open digests", () => {
  const open = async (query: object = {}) => (await client("digests.list", { query })).body.data;

  test("are listed with their first members, and shown with all of them", async () => {
    await createWorkflow(client, "listed", [digest("hourly", { digestKey: "payload.list[0].k" }), report("hourly")]);
    const sent = [];
    for (const n of [1, 2, 3, 4]) sent.push(await digested("listed", "reader", { n, list: [{ k: "a" }] }));
    await digested("listed", "reader", { n: 5, list: [{ k: "b" }] });
    const found = await open({ workflowId: "listed", subscriberId: "reader" });
    assert.equal(found.length, 2);
    const { id, members, openedAt, closesAt, secondsLeft, ...rest } = found[0]!;
    const { _id } = rest.workflow;
    assert.deepEqual(rest, {
      workflow: { _id, workflowId: "listed", name: "listed" },
      step: { _id: rest.step._id, stepId: "hourly", name: "hourly" },
      subscriberId: "reader",
      key: { path: "list.0.k", value: '"a"' },
      count: 4,
    });
    assert.deepEqual(
      members.map(({ transactionId }) => transactionId),
      sent.slice(0, 3),
    );
    assert.ok(openedAt < closesAt && secondsLeft > 0 && secondsLeft <= 3_600);
    const page = (await client("digests.retrieve", { params: { id }, query: { limit: 3 } })).body;
    assert.deepEqual([page.digest.id, page.totalCount], [id, 4]);
    const rest2 = (await client("digests.retrieve", { params: { id }, query: { after: page.next! } })).body;
    const all = [...page.data, ...rest2.data].map(({ transactionId }) => transactionId);
    assert.deepEqual(all, sent);
    assert.deepEqual(await open({ workflowId: "unknown" }), []);
    assert.deepEqual(await open({ subscriberId: "unknown" }), []);
  });

  test("one is closed exactly once, however many requests close it at the same moment", async () => {
    await createWorkflow(client, "sent-now", [digest("hourly"), report("hourly")]);
    const first = await digested("sent-now", "now", { n: 1 });
    await digested("sent-now", "now", { n: 2 });
    const [{ id } = { id: "" }] = await open({ workflowId: "sent-now" });
    const answers = await Promise.all(
      [1, 2, 3, 4].map(() =>
        client.raw("digests.closeOne", { params: { id } }).then(({ status, body }) => ({ status, body })),
      ),
    );
    assert.equal(answers.filter(({ body }) => (body as { closed?: boolean }).closed).length, 1);
    assert.ok(answers.every(({ status }) => status === 200 || status === 404));
    await settled(client, first);
    assert.deepEqual(await contents("now"), ["2:12"]);
    await refused(client, "digests.closeOne", { params: { id } }, "DIGEST_NOT_FOUND" satisfies ErrorCode);
    await refused(client, "digests.retrieve", { params: { id } }, "DIGEST_NOT_FOUND");
  });

  test("those of another environment, and texts that are no id, are unknown", async () => {
    await createWorkflow(client, "mine", [digest("hourly"), report("hourly")]);
    await digested("mine", "me", { n: 1 });
    const [{ id } = { id: "" }] = await open({ workflowId: "mine" });
    for (const [from, unknown] of [
      [production, id],
      [client, "x"],
    ] as const) {
      await refused(from, "digests.closeOne", { params: { id: unknown } }, "DIGEST_NOT_FOUND");
    }
    assert.deepEqual((await production("digests.list")).body.data, []);
    assert.equal((await open({ workflowId: "mine" })).length, 1);
  });
});

test("the digests of a deleted workflow are not listed", async () => {
  await createWorkflow(client, "withdrawn", [digest("daily"), report("daily")]);
  await digested("withdrawn", "ada", { n: 1 });
  const listed = async () =>
    (await client("digests.list", { query: { subscriberId: "ada" } })).body.data.filter(
      ({ workflow }) => workflow.workflowId === "withdrawn",
    ).length;
  assert.equal(await listed(), 1);
  await client("workflows.delete", { params: { workflowId: "withdrawn" } });
  assert.equal(await listed(), 0);
});
