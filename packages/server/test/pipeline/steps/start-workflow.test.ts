// Steps that start another workflow: for whom, with what, once, and where it ends.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { maxWorkflowDepth, type StepIn } from "@tidings/contract";
import { sql } from "kysely";
import { startTestService } from "../../support/service.ts";
import { createWorkflow, feedOf, inApp, settled, trigger } from "../../support/verbs.ts";
import { eventually } from "../../support/wait.ts";

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
const hasGot = (subscriberId: string, content: string) =>
  eventually(async () => (await contentsOf(subscriberId)).includes(content), `${content} for ${subscriberId}`);
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
      const result = await ended(`refused-${index}`, `r-${index}`, { long: "x".repeat(300_000) });
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
