// Who matches a condition that is not saved.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { ConditionMatchIn, ErrorCode } from "@tidings/contract";
import { errorOf } from "@tidings/testkit/http";
import { shareService } from "@tidings/testkit/service";
import { createWorkflow, inApp } from "@tidings/testkit/verbs";

const { client, production } = await shareService();

const match = async (body: ConditionMatchIn) => (await client("subscribers.match", { body })).body.data;

for (const [subscriberId, firstName, plan] of [
  ["ada", "Ada", "pro"],
  ["bob", "Bob", "free"],
  ["eve", undefined, "free"],
] as const)
  await client("subscribers.create", { body: { subscriberId, firstName, data: { plan } } });
await createWorkflow(client, "vip", [inApp()]);

const isFree = { "==": [{ var: "subscriber.data.plan" }, "free"] };

test("counts the people for whom a condition is met, with examples", async () => {
  assert.deepEqual(await match({ condition: isFree }), {
    sampled: 3,
    matched: 2,
    failed: 0,
    matching: [
      { subscriberId: "eve", name: "eve" },
      { subscriberId: "bob", name: "Bob" },
    ],
    others: [{ subscriberId: "ada", name: "Ada" }],
  });
  const withPayload = { and: [isFree, { ">": [{ var: "payload.total" }, 10] }] };
  assert.equal((await match({ condition: withPayload, payload: { total: 11 } })).matched, 2);
  assert.equal((await match({ condition: withPayload })).matched, 0);
});

test("a rule of a topic is met when it is exactly true, that of a step when it is truthy", async () => {
  const condition = { var: "subscriber.firstName" };
  assert.equal((await match({ condition })).matched, 0);
  assert.equal((await match({ condition, as: "skip" })).matched, 2);
  // A topic's rule looks other names up in the payload; a step's rule renders templates.
  assert.equal((await match({ condition: { "==": [{ var: "total" }, 3] }, payload: { total: 3 } })).matched, 3);
  const template = { "==": [{ var: "subscriber.firstName" }, "{{payload.name}}"] };
  assert.equal((await match({ condition: template, as: "skip", payload: { name: "Ada" } })).matched, 1);
  const named = { "==": [{ var: "workflow.workflowId" }, "vip"] };
  assert.equal((await match({ condition: named, workflowId: "vip" })).matched, 3);
});

test("a condition that cannot be evaluated for some is counted for them, with the error", async () => {
  const condition = { if: [isFree, { "*": [] }, true] };
  const found = await match({ condition });
  assert.deepEqual([found.sampled, found.matched, found.failed], [3, 1, 2]);
  assert.ok(found.fault);
});

test("bad input is refused by the field", async () => {
  const refused = async (body: object, code: ErrorCode) =>
    JSON.stringify(errorOf(await client.raw("subscribers.match", { body: body as ConditionMatchIn }), code));
  assert.match(
    await refused({ condition: { nope: 1 } }, "VALIDATION_ERROR"),
    /condition uses an unknown operator: nope/,
  );
  assert.match(await refused({}, "VALIDATION_ERROR"), /condition/);
  assert.match(await refused({ condition: isFree, as: "never" }, "VALIDATION_ERROR"), /"as"/);
  await refused({ condition: isFree, workflowId: "unknown" }, "WORKFLOW_NOT_FOUND");
  assert.deepEqual((await production("subscribers.match", { body: { condition: isFree } })).body.data.sampled, 0);
});
