// Steps that start another workflow: for whom, with what, once, and where it ends.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { maxWorkflowDepth, type StepIn } from "@tidings/contract";
import { startTestService } from "@tidings/testkit/service";
import { createWorkflow, feedOf, inApp, settled, trigger } from "@tidings/testkit/verbs";
import { eventually } from "@tidings/testkit/wait";
import { sql } from "kysely";

const service = await startTestService();
const { client, db } = service;

const start = (workflowId: string, controlValues: object = {}): StepIn => ({
  name: "Start",
  stepId: "start",
  type: "start_workflow",
  controlValues: { workflowId, ...controlValues },
});
const explained = async (transactionId: string, subscriberId: string) =>
  (await client("explain.retrieve", { query: { transactionId, subscriberId } })).body;
/** The sentence of the step after the event has ended. */
const ended = async (workflowId: string, subscriberId: string, payload: object = {}) => {
  const transactionId = await trigger(client, workflowId, subscriberId, payload);
  await settled(client, transactionId);
  const explanation = await explained(transactionId, subscriberId);
  return { transactionId, ...explanation.steps[0]! };
};
const contentsOf = async (subscriberId: string) => (await feedOf(client, subscriberId)).map(({ content }) => content);
/** The event may create the subscriber. */
const hasGot = async (subscriberId: string, content: string) => {
  await client("subscribers.create", { body: { subscriberId } });
  await eventually(async () => (await contentsOf(subscriberId)).includes(content), `${content} for ${subscriberId}`);
};
const startedIn = (reason: string) => /as transaction (start_\S+)/.exec(reason)![1]!;

const told =
  "{{ subscriber.subscriberId }} {{ payload.n }} {{ tenant.identifier }} {{ context.team.id }} {{ actor.subscriberId }}";
await createWorkflow(client, "other", [inApp({ body: told })]);

describe("whom it starts another workflow for", () => {
  test("the same person, with the same payload, contexts, tenant and actor", async () => {
    await createWorkflow(client, "same", [start("other"), inApp({ body: "{{ steps.start.transactionId }}" })]);
    const event = {
      name: "same",
      to: "ada",
      payload: { n: 7 },
      tenant: { identifier: "acme", data: { a: 1 } },
      context: { team: "red" },
      actor: "boss",
      overrides: { steps: { "in-app": { body: "overridden" } } },
    } as const;
    const { transactionId } = (await client("events.trigger", { body: event })).body;
    await settled(client, transactionId!);
    await hasGot("ada", "ada 7 acme red boss");
    const { steps } = await explained(transactionId!, "ada");
    assert.match(steps[0]!.reason, /ended: it started the workflow other for ada, as transaction start_[0-9a-f]{32}$/);
    const started = startedIn(steps[0]!.reason);
    assert.ok((await contentsOf("ada")).includes(started));
    const { event: other } = await explained(started, "ada");
    const { notificationId, ...by } = other.startedBy!;
    assert.deepEqual(by, {
      workflowId: "same",
      stepId: "start",
      transactionId,
      text: `The step start of the workflow same started it, in transaction ${transactionId}`,
    });
    assert.equal(notificationId, (await explained(transactionId!, "ada")).notificationId);
    const listed = (await client("activity.listEvents", { query: { transactionId: started } })).body.data;
    assert.deepEqual(listed[0]!.startedBy, { workflowId: "same", stepId: "start", notificationId });
    const scenario = async (query: object) => (await client("scenarios.export", { query })).body.scenario;
    const range = {
      from: new Date(Date.now() - 60_000).toISOString(),
      to: new Date(Date.now() + 60_000).toISOString(),
    };
    assert.deepEqual(
      (await scenario(range)).when.map(({ trigger }) => trigger),
      ["same"],
    );
    assert.equal((await explained(transactionId!, "ada")).event.startedBy, undefined);
  });

  test("people and topics by template, with a payload by template", async () => {
    const people = ["tom", "tim"];
    for (const subscriberId of people) await client("subscribers.create", { body: { subscriberId } });
    await client("topics.create", { body: { key: "team-red" } });
    await client("topicSubscriptions.create", { params: { topicKey: "team-red" }, body: { subscriptions: people } });
    await createWorkflow(client, "counts", [inApp({ body: "{{ payload.n | size }} characters{{ payload.admin }}" })]);
    await createWorkflow(client, "escalates", [
      start("counts", {
        to: [
          { subscriberId: "{{ payload.boss }}" },
          { topicKey: "team-{{ payload.team }}" },
          { subscriberId: "{{ payload.nothing }}" },
        ],
        payload: '{ "n": "{{ payload.quote }}" }',
      }),
    ]);
    const quote = '"},{"admin":true';
    const { reason } = await ended("escalates", "cleo", { boss: "bea", team: "red", quote });
    assert.match(reason, /it started the workflow counts for bea, the topic team-red, as transaction/);
    for (const id of ["bea", ...people]) await hasGot(id, `${quote.length} characters`);
    assert.deepEqual(await contentsOf("cleo"), []);
  });
});

describe("what is refused ends the step with the reason", () => {
  const schema = { type: "object", properties: { n: { type: "number" } }, required: ["n"] };
  test("the cases", async () => {
    await createWorkflow(client, "off", [inApp()], { active: false });
    await createWorkflow(client, "strict", [inApp()], { payloadSchema: schema, validatePayload: true });
    await createWorkflow(client, "empty", []);
    const long = "x".repeat(300_000);
    const cases: [object, RegExp][] = [
      [start("nosuch"), /failed: workflow not started: there is no workflow nosuch/],
      [start("off"), /Workflow off is not active/],
      [start("empty"), /Workflow empty has no steps/],
      [start("strict"), /Payload validation failed: n: is required/],
      [start("other", { to: [{ subscriberId: "{{ payload.nothing }}" }] }), /to has no recipients/],
      [start("other", { to: [{ subscriberId: "not valid!" }] }), /Recipient 'not valid!' is not valid/],
      [start("other", { to: [{ topicKey: "not valid!" }] }), /Recipient 'not valid!' is not valid/],
      [start("other", { payload: "[1]" }), /payload must be a JSON object/],
      [start("other", { payload: '{ "n": }' }), /payload: it is not JSON/],
      [start("other", { payload: '{ "n": "\\u0000" }' }), /payload: n must not contain U\+0000/],
      [start("other", { payload: '{ "a": {{ payload.long }}, "b": {{ payload.long }} }' }), /payload of \d+ bytes/],
    ];
    for (const [index, [step, reason]] of cases.entries()) {
      await createWorkflow(client, `refused-${index}`, [step as StepIn, inApp({ body: "goes on" })]);
      const result = await ended(`refused-${index}`, `r-${index}`, index < cases.length - 1 ? {} : { long });
      assert.match(result.reason, reason);
      assert.equal(result.outcome, "failed");
      await hasGot(`r-${index}`, "goes on");
    }
  });

  test("recipients that are not valid are left out, as in a request", async () => {
    await createWorkflow(client, "partly", [
      start("other", { to: [{ subscriberId: "no!" }, { subscriberId: "yes" }] }),
    ]);
    const { reason } = await ended("partly", "pat", { n: 1 });
    assert.match(reason, /for no!, yes, without: Recipient 'no!' is not valid/);
    await hasGot("yes", "yes 1   ");
  });
});

describe("workflows that start each other", () => {
  test("end at the depth, through another workflow too", async () => {
    await createWorkflow(client, "ping", [start("pong"), inApp({ body: "ping" })]);
    await createWorkflow(client, "pong", [start("ping"), inApp({ body: "pong" })]);
    await settled(client, await trigger(client, "ping", "loop"));
    await eventually(async () => (await contentsOf("loop")).length === maxWorkflowDepth + 1, "all events of the loop");
    const { rows } = await sql<{ transaction_id: string }>`
      select transaction_id from events where jsonb_array_length(started_by->'path') = ${maxWorkflowDepth}`.execute(db);
    const last = rows[0]!.transaction_id;
    const [step] = (await explained(last, "loop")).steps;
    assert.equal(step!.outcome, "failed");
    assert.match(step!.reason, /workflows started each other 8 deep: ping → pong → .* → ping → pong$/);
  });

  test("do not multiply", async () => {
    await createWorkflow(client, "spreads", [
      start("spreads", { to: [{ subscriberId: "s-1" }, { subscriberId: "s-2" }] }),
    ]);
    const { reason } = await ended("spreads", "s-1");
    assert.match(reason, /workflows that start each other can do so for one person only: spreads → spreads/);
  });
});

describe("once", () => {
  test("in a few statements for many runs, also when transactions fail", async () => {
    await sql`create sequence failed_so_far`.execute(db);
    await sql`create sequence insert_count`.execute(db);
    await sql`create function note_insert() returns trigger language plpgsql as
      $$ begin perform nextval('insert_count'); return null; end $$`.execute(db);
    await sql`create function fail_twice() returns trigger language plpgsql as
      $$ begin if nextval('failed_so_far') <= 2 then raise exception 'the process ends here'; end if; return null; end $$`.execute(
      db,
    );
    await createWorkflow(client, "fans-out", [start("other")]);
    const ids = Array.from({ length: 300 }, (_, index) => `many-${index}`);
    const events = [0, 100, 200].map((at) => ({ name: "fans-out", to: ids.slice(at, at + 100), payload: { n: 1 } }));
    await client("subscribers.createBulk", { body: { subscribers: ids.map((subscriberId) => ({ subscriberId })) } });
    // After the events were started, and before the outcome of the step is stored.
    await sql`create trigger fail_twice after insert on notifications for each statement
      execute function fail_twice()`.execute(db);
    await sql`create trigger note_insert after insert on transaction_ids for each statement
      execute function note_insert()`.execute(db);
    await client("events.triggerBulk", { body: { events } });
    const messages = async () =>
      (
        await sql<{ people: number; all: number }>`
          select count(distinct m.subscriber_id)::int as people, count(*)::int as all from messages m
          join subscribers s on s.id = m.subscriber_id where s.subscriber_id like 'many-%'`.execute(db)
      ).rows[0]!;
    await eventually(async () => (await messages()).people === 300, "a message for everyone");
    assert.equal((await messages()).all, 300);
    const { rows } = await sql<{ n: number }>`
      select count(*)::int as n from events where started_by->>'workflowId' = 'fans-out'`.execute(db);
    assert.equal(rows[0]!.n, 300);
    const { rows: counted } = await sql<{ n: number }>`select last_value::int as n from insert_count`.execute(db);
    assert.ok(counted[0]!.n <= 12, `${counted[0]!.n} statements`);
    await sql`drop trigger fail_twice on notifications`.execute(db);
  });

  test("an event with the transaction id of a started one is a duplicate", async () => {
    await createWorkflow(client, "one", [start("other")]);
    const transactionId = startedIn((await ended("one", "dup", { n: 1 })).reason);
    await hasGot("dup", "dup 1   ");
    const event = { name: "other", to: "dup", payload: { n: 2 }, transactionId };
    assert.equal((await client("events.trigger", { body: event })).body.status, "processed");
    assert.deepEqual(await contentsOf("dup"), ["dup 1   "]);
  });
});

test("canceling an event leaves those that it started", async () => {
  const delay: StepIn = { name: "Delay", type: "delay", controlValues: { amount: 1, unit: "hours" } };
  await createWorkflow(client, "slow", [delay, inApp()]);
  await createWorkflow(client, "canceled", [start("slow"), delay]);
  const outer = await trigger(client, "canceled", "can");
  const waiting = (transactionId: string) =>
    eventually(async () => {
      const [notification] = (await client("notifications.list", { query: { transactionId } })).body.data;
      return notification?.jobs?.find(({ status }) => status === "delayed") && notification;
    }, "the delay");
  await waiting(outer);
  const { steps } = await explained(outer, "can");
  const started = startedIn(steps[0]!.reason);
  await waiting(started);
  await client("events.cancel", { params: { transactionId: outer } });
  await settled(client, outer);
  assert.equal((await waiting(started)).jobs![0]!.status, "delayed");
});

describe("nothing is started", () => {
  const startedBy = async (workflowId: string) =>
    (await sql`select 1 from events where started_by->>'workflowId' = ${workflowId}`.execute(db)).rows.length;

  test("by a dry run, which says what would be", async () => {
    await createWorkflow(
      client,
      "tries",
      [
        start("other", { to: [{ subscriberId: "{{ payload.boss }}" }, { topicKey: "team" }] }),
        start("nosuch"),
        inApp({ body: "{{ steps.start.transactionId | slice: 0, 6 }}" }),
      ].map((step, index) => ({ ...step, stepId: ["start", "wrong", "last"][index]! })),
    );
    const event = { name: "tries", to: "dry", payload: { boss: "bea" } };
    const { recipients } = (await client("explain.dryRun", { body: event })).body;
    const [first, second, third] = recipients[0]!.steps;
    assert.match(first!.reason, /would end: it would start the workflow other for bea, the topic team$/);
    assert.match(second!.reason, /would fail: workflow not started: there is no workflow nosuch/);
    assert.equal(third!.messages[0]!.content, "start_");
    assert.equal(await startedBy("tries"), 0);
  });

  test("by a test of a draft, which changes nobody either", async () => {
    await client("subscribers.create", { body: { subscriberId: "tess", firstName: "Tess" } });
    const update: StepIn = { name: "Set", type: "update_subscriber", controlValues: { firstName: "Other" } };
    const steps = [start("other"), update, inApp({ body: "{{ subscriber.firstName }}" })];
    await createWorkflow(client, "drafted", [inApp()]);
    const body = { workflow: { name: "Drafted", steps }, to: "tess" };
    const { transactionId } = (await client("workflows.test", { params: { workflowId: "drafted" }, body })).body;
    await settled(client, transactionId);
    const explanation = await explained(transactionId, "tess");
    assert.match(explanation.steps[0]!.reason, /it would start the workflow other for tess, and a test starts nothing/);
    assert.match(explanation.steps[1]!.reason, /it would change firstName of Tess, and a test changes nobody/);
    assert.deepEqual(await contentsOf("tess"), ["Other"]);
    assert.equal((await client("subscribers.retrieve", { params: { subscriberId: "tess" } })).body.firstName, "Tess");
    assert.equal(await startedBy("drafted"), 0);
  });
});

test("large payloads are divided among transactions", async () => {
  await createWorkflow(client, "quiet", [inApp({ body: "large" })]);
  await createWorkflow(client, "heavy", [start("quiet")]);
  const ids = Array.from({ length: 60 }, (_, index) => `heavy-${index}`);
  await client("events.trigger", { body: { name: "heavy", to: ids, payload: { text: "x".repeat(400_000) } } });
  const count = async () =>
    (
      await sql<{ all: number; transactions: number }>`
        select count(*)::int as all, count(distinct xmin::text)::int as transactions from events
        where started_by->>'workflowId' = 'heavy'`.execute(db)
    ).rows[0]!;
  await eventually(async () => (await count()).all === 60, "60 events");
  assert.ok((await count()).transactions >= 2, "more than one transaction");
});
