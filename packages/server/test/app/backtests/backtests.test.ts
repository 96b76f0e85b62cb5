// The operations of backtests: what is refused with which fix, one at a time, canceling without a trace, samples, and
// events that cannot be replayed.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { BacktestChange } from "@tidings/contract";
import { newStage } from "@tidings/testkit/clock";
import { startReceiver } from "@tidings/testkit/servers/receiver";
import { startTestService } from "@tidings/testkit/service";
import { createWorkflow, email, inApp, settled, trigger } from "@tidings/testkit/verbs";
import { eventually } from "@tidings/testkit/wait";
import { sql } from "kysely";
import { firstIdAt } from "../../../src/lib/ids.ts";
import { estimateNotifications, expectedOf, sampleOf, shareOf } from "../../../src/pipeline/backtests/sample.ts";
import { readTally } from "../../../src/pipeline/backtests/tally.ts";
import { backtest, differencesOf, endHistory, named, newScene } from "../../pipeline/backtests/scene.ts";

const provider = await startReceiver();
const service = await startTestService();
const scene = await newScene(service, provider.url, 2);
const { client } = scene;

const note = named("note", inApp({ body: "Hello {{ payload.n }}" }));
await createWorkflow(client, "hello", [note]);
await createWorkflow(client, "gone", [note]);
for (let n = 0; n < 20; n++) {
  await client("subscribers.create", { body: { subscriberId: `p${n}`, email: `p${n}@example.com` } });
  await trigger(client, "hello", `p${n}`, { n });
}
await trigger(client, "gone", ["p1", "p2"], { n: 1 });
await scene.advance(1, "hours");
await endHistory(scene);

const rowsOf = async () => {
  const { rows } = await sql<{ count: number }>`
    select (select count(*) from backtests)::int + (select count(*) from backtest_differences)::int as count`.execute(
    service.db,
  );
  return rows[0]!.count;
};
const changed: BacktestChange = {
  workflows: [{ workflowId: "hello", name: "hello", steps: [named("note", inApp({ body: "Bye {{ payload.n }}" }))] }],
};
const refused = async (body: object) => {
  const before = await rowsOf();
  const answer = await client.raw("backtests.create", { body: body as never });
  assert.equal(await rowsOf(), before, "nothing is stored");
  return { status: answer.status, body: answer.body as Record<string, unknown> };
};
const errorsOf = async (body: object): Promise<string[]> => {
  const { status, body: answer } = await refused(body);
  assert.equal(status, 422, JSON.stringify(answer));
  return Object.values(answer.errors as Record<string, { messages: string[] }>).flatMap(({ messages }) => messages);
};

/** As before its first page, and without a task. */
async function newWaiting(): Promise<string> {
  const { _id } = await backtest(scene);
  await sql`update backtests set status = 'queued', finished_at = null where id = ${_id}`.execute(service.db);
  return _id;
}

test("bad input names the field and the fix, and stores nothing", async () => {
  const days = 24 * 3_600_000;
  const ago = (count: number) => new Date(Date.now() - count * days).toISOString();
  assert.deepEqual(await errorsOf({ from: "yesterday" }), ["from must be an ISO time, such as 2026-01-31T09:00:00Z"]);
  assert.deepEqual(await errorsOf({ from: ago(40) }), ["from must be at most 31 days before to"]);
  assert.deepEqual(await errorsOf({ from: ago(1), to: ago(2) }), ["from must be before to, and in the past"]);
  assert.deepEqual(await errorsOf({ to: ago(2) }), ["from is missing: give it together with to"]);
  assert.deepEqual(await errorsOf({ from: ago(2), lastDays: 3 }), [
    "lastDays is given instead of from and to: leave one of them out",
  ]);
  assert.deepEqual(await errorsOf({ change: { workflows: [{ workflowId: "nosuch", name: "x", steps: [] }] } }), [
    "change.workflows.0.workflowId names no workflow of this environment: a new one has no events of the past",
  ]);
  const [twice] = changed.workflows!;
  assert.deepEqual(await errorsOf({ change: { workflows: [twice, twice] } }), [
    "change.workflows.1.workflowId is given twice",
  ]);
  const broken = { ...twice!, steps: [named("note", inApp({ body: "{{ payload.n | nosuch }}" }))] };
  const [fault] = await errorsOf({ change: { workflows: [broken] } });
  assert.match(fault!, /^change\.workflows\.0\.steps\.0\.controlValues\.body: .*nosuch/);
  const order = [{ channel: "email", identifiers: ["nosuch"] }];
  assert.deepEqual(await errorsOf({ change: { integrationOrder: order } }), [
    "change.integrationOrder.0.identifiers.0 names no active integration of the channel email",
  ]);
});

test("a period without events is refused", async () => {
  const from = new Date(Date.now() - 20 * 86_400_000).toISOString();
  const to = new Date(Date.now() - 10 * 86_400_000).toISOString();
  const { status, body } = await refused({ from, to });
  assert.deepEqual([status, body.code], [422, "BACKTEST_EMPTY"]);
});

test("an environment with a test clock has none", async () => {
  const stage = await newStage(service, "2026-01-01T00:00:00.000Z");
  const answer = await stage.client.raw("backtests.create", { body: {} });
  assert.equal(answer.status, 409);
  assert.equal((answer.body as { code: string }).code, "BACKTEST_TEST_CLOCK");
});

test("one runs at a time, and canceling it leaves no row", async () => {
  const before = await rowsOf();
  const backtestId = await newWaiting();
  const { status, body } = await refused({});
  assert.deepEqual([status, body.code], [409, "BACKTEST_RUNNING"]);
  assert.match(String(body.message), new RegExp(backtestId));
  const canceled = (await client("backtests.cancel", { params: { backtestId } })).body;
  assert.equal(canceled.status, "canceled");
  assert.equal(await rowsOf(), before);
  assert.equal((await client.raw("backtests.get", { params: { backtestId } })).status, 404);
  assert.equal((await client.raw("backtests.cancel", { params: { backtestId } })).status, 404);
});

const openTasks = async () => {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from queue.job where name = 'backtest' and state < 'completed'`.execute(service.db);
  return rows[0]!.count;
};

/** A page reads this table, and nothing else in these tests does: no backtest ends in the meantime. */
const whileHeld = (act: () => Promise<void>) =>
  service.db.transaction().execute(async (lock) => {
    await sql`lock table retracted_messages in access exclusive mode`.execute(lock);
    await act();
  });

test("requests at the same time begin one backtest", async () => {
  await whileHeld(async () => {
    const answers = await Promise.all([1, 2, 3].map(() => client.raw("backtests.create", { body: { lastDays: 7 } })));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [202, 409, 409]);
    const { _id } = answers.find(({ status }) => status === 202)!.body as { _id: string };
    for (const { body } of answers.filter(({ status }) => status === 409)) {
      const { code, message } = body as { code: string; message: string };
      assert.equal(code, "BACKTEST_RUNNING");
      assert.match(message, new RegExp(_id));
    }
    await client("backtests.delete", { params: { backtestId: _id } });
  });
});

test("what was canceled while a page is replayed is not stored by it", async () => {
  const before = await rowsOf();
  await whileHeld(async () => {
    const { body } = await client("backtests.create", { body: { lastDays: 7, change: changed } });
    const isReplayed = async () => {
      const { rows } = await sql<{ count: number }>`select count(*)::int as count from pg_locks
        where relation = 'retracted_messages'::regclass and not granted`.execute(service.db);
      return rows[0]!.count > 0;
    };
    await eventually(isReplayed, "a page that is being replayed");
    await client("backtests.cancel", { params: { backtestId: body._id } });
  });
  await eventually(async () => (await openTasks()) === 0, "the end of the page");
  assert.equal(await rowsOf(), before);
});

test("an ended one cannot be canceled, and is deleted with its differences", async () => {
  const before = await rowsOf();
  const { _id: backtestId, report } = await backtest(scene, changed);
  assert.deepEqual(report.totals.effects, { content: 20 });
  assert.equal((await client.raw("backtests.cancel", { params: { backtestId } })).status, 409);
  assert.equal(await rowsOf(), before + 1 + 20);
  await client("backtests.delete", { params: { backtestId } });
  assert.equal(await rowsOf(), before);
});

test("both versions of a message side by side, and nothing of it is stored", async () => {
  const { _id: backtestId } = await backtest(scene, changed);
  const { body } = await client("backtests.person", { params: { backtestId, subscriberId: "p3" } });
  const [message] = body.messages;
  assert.equal(body.messages.length, 1);
  assert.equal(message!.effect, "content");
  assert.equal(message!.before!.content!.body, "Hello 3");
  assert.equal(message!.after!.content!.body, "Bye 3");
  const all = await client("backtests.person", { params: { backtestId, subscriberId: "p1" }, query: { all: true } });
  assert.equal(all.body.messages.length, 2);
  const page = await client("backtests.people", { params: { backtestId }, query: { limit: 15, effect: "content" } });
  assert.equal(page.body.data.length, 15);
  const rest = await client("backtests.people", { params: { backtestId }, query: { after: page.body.next! } });
  assert.deepEqual([rest.body.data.length, rest.body.next], [5, null]);
  const none = await client("backtests.people", { params: { backtestId }, query: { workflowId: "gone" } });
  assert.deepEqual(none.body.data, []);
  const unknown = await client.raw("backtests.person", { params: { backtestId, subscriberId: "nobody" } });
  assert.equal(unknown.status, 404);
});

test("above the limit a sample of the people is replayed, with everything they got", async () => {
  const { sample, report } = await backtest(scene, changed, { maxNotifications: 11 });
  assert.equal(sample!.percent, 50);
  assert.match(sample!.sentence, /^Of 22 notifications, those of 50 % of the people are replayed$/);
  const { people, runs } = report.totals;
  assert.ok(people > 0 && people < 20 && runs >= people, `${people} people, ${runs} runs`);
});

test("a sample stays within its limit", async () => {
  for (const most of [2, 5, 8, 11, 14, 17, 20]) {
    const { report } = await backtest(scene, {}, { maxNotifications: most });
    const { runs } = report.totals;
    assert.ok(runs <= most, `${runs} of at most ${most}`);
  }
});

test("above what is counted, the share follows from an estimate", () => {
  const period = { from: 0, to: 100_000 };
  const last_id = firstIdAt(new Date(20_000));
  const notifications = estimateNotifications({ count: 2_000_000, last_id }, period, 2_000_000);
  assert.equal(notifications, 10_000_000);
  const permyriad = shareOf(notifications, 200_000);
  assert.deepEqual([permyriad, expectedOf({ permyriad, notifications })], [200, 200_000]);
  assert.match(sampleOf({ permyriad, notifications })!.sentence, /^Of about 10,000,000 notifications, those of 2 % of/);
  assert.equal(estimateNotifications({ count: 1_999_999, last_id }, period, 2_000_000), 1_999_999);
});

test("files are a change, and say what they leave out", async () => {
  const { resources } = (await client("files.export")).body;
  const workflows = resources.workflows!.map((one) =>
    one.workflowId === "hello"
      ? {
          ...one,
          steps: one.steps.map((step) => ({ ...step, controlValues: { body: "From a file {{ payload.n }}" } })),
        }
      : one,
  );
  const topics = [{ key: "news", name: "News" }];
  const found = await backtest(scene, { files: { workflows, topics } as never });
  assert.deepEqual(found.workflowIds, ["hello"]);
  assert.equal((await differencesOf(scene, found._id)).length, 20);
  assert.ok(found.report.limits.some((sentence) => sentence.startsWith("Topics of the files")));
});

test("events of a deleted workflow and of deleted people are counted and named", async () => {
  await client("workflows.delete", { params: { workflowId: "gone" } });
  await client("subscribers.delete", { params: { subscriberId: "p2" } });
  const { report } = await backtest(scene, changed);
  assert.deepEqual(report.skipped.deletedWorkflows, [{ workflowId: "gone", notifications: 1 }]);
  assert.equal(report.skipped.deletedPeople, 1);
  assert.equal(report.totals.runs, 19);
});

test("a person who changed since is a cause of deviations", async () => {
  await createWorkflow(client, "greeting", [
    named("mail", email({ subject: "Hi {{ subscriber.firstName }}", body: "<p>x</p>" })),
  ]);
  const transactionId = await trigger(client, "greeting", "p5", {});
  await settled(client, transactionId);
  await client("subscribers.update", { params: { subscriberId: "p5" }, body: { firstName: "Changed" } });
  const { report } = await backtest(scene);
  const [deviation] = report.calibration.deviations;
  assert.equal(deviation!.cause, "person_changed");
  assert.equal(deviation!.steps, 1);
  assert.equal(deviation!.examples[0]!.was, "sent, with different content");
});

test("an event that mentioned an erased person is a cause of deviations", async () => {
  const mentioned = { "==": [{ var: "payload.author" }, "p6@example.com"] };
  await createWorkflow(client, "mention", [named("note", inApp({ body: "A reply", skip: mentioned }))]);
  await settled(client, await trigger(client, "mention", "p7", { author: "p6@example.com" }));
  const { body: erasure } = await client("subscribers.erase", { params: { subscriberId: "p6" }, body: {} });
  const params = { erasureId: erasure.id };
  await eventually(
    async () => (await client("erasures.retrieve", { params })).body.status === "completed",
    "the end of the erasure",
  );
  const { report } = await backtest(scene);
  const found = report.calibration.deviations.find(({ cause }) => cause === "payload_erased");
  assert.equal(found?.steps, 1, JSON.stringify(report.calibration.deviations));
  assert.equal(found.examples[0]!.subscriberId, "p7");
});

test("workflows and steps have the ids that objects have from the start", async () => {
  const steps = (body: string) => ["toString", "constructor"].map((id) => named(id, inApp({ body })));
  const ids = ["constructor", "toString"];
  for (const workflowId of ids) {
    await createWorkflow(client, workflowId, steps("Hello"));
    await settled(client, await trigger(client, workflowId, "p3", {}));
    await settled(client, await trigger(client, workflowId, "p4", {}));
  }
  const workflows = ids.map((workflowId) => ({ workflowId, name: workflowId, steps: steps("Bye") }));
  const { _id, report } = await backtest(scene, { workflows });
  const own = report.workflows.filter(({ workflowId }) => ids.includes(workflowId));
  for (const one of own) {
    assert.deepEqual([one.before, one.after, one.people, one.effects], [4, 4, 2, { content: 4 }]);
    const found = one.steps.map(({ stepId, effects }) => [stepId, effects.content]);
    assert.deepEqual(found, [
      ["toString", 2],
      ["constructor", 2],
    ]);
  }
  assert.deepEqual(own.map(({ workflowId }) => workflowId).sort(), ["constructor", "toString"]);
  assert.equal((await differencesOf(scene, _id)).length, 8);
  await client("workflows.delete", { params: { workflowId: "constructor" } });
  const { skipped } = (await backtest(scene)).report;
  const deleted = skipped.deletedWorkflows.find(({ workflowId }) => workflowId === "constructor");
  assert.equal(deleted?.notifications, 2);
  // The counts of a page before.
  assert.equal(readTally({ workflows: {} }).workflows.constructor, undefined);
});
