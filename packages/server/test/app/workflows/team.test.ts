// Comments on steps, and who has a workflow open.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Output } from "@tidings/contract";
import { errorOf } from "@tidings/testkit/http";
import { startTestService } from "@tidings/testkit/service";
import { createWorkflow, inApp } from "@tidings/testkit/verbs";
import { invite, signInOwner } from "../members/browsers.ts";

const service = await startTestService();
const { client, production } = service;
const owner = await signInOwner(service);
const viewer = await invite(service, owner, "viewer");
const workflow = await createWorkflow(client, "shared", [inApp()]);
const params = { workflowId: "shared" };
const [step] = workflow.steps;

test("a comment is written, resolved, opened again and deleted; it stays when the step gets another identifier", async () => {
  const { status, body } = await client("comments.create", {
    params,
    body: { stepId: step!.stepId, text: "Shorter?" },
  });
  assert.equal(status, 201);
  const { id, createdAt, ...rest } = body;
  assert.ok(createdAt);
  assert.deepEqual(rest, { stepId: step!._id, text: "Shorter?", author: "API key of development" });
  const key = { ...params, commentId: id };
  const resolved = (await client("comments.update", { params: key, body: { isResolved: true } })).body;
  assert.ok(resolved.resolvedAt && resolved.resolvedBy);
  const steps = [{ ...inApp(), _id: step!._id, stepId: "renamed" }];
  const { preferences, origin } = workflow;
  const changed = { name: "Shared", steps, origin, preferences: { user: null, workflow: preferences.default } };
  await client("workflows.update", { params, body: changed });
  assert.deepEqual((await client("comments.list", { params })).body.data, [resolved]);
  assert.deepEqual((await client("comments.update", { params: key, body: { isResolved: false } })).body, body);
  assert.equal((await client("comments.delete", { params: key })).status, 204);
  errorOf(await client.raw("comments.delete", { params: key }), "COMMENT_NOT_FOUND");
  assert.deepEqual((await client("comments.list", { params })).body.data, []);
});

test("bad comments are refused and change nothing", async () => {
  const write = (body: object) => client.raw("comments.create", { params, body: body as never });
  for (const body of [{}, { stepId: step!._id, text: "" }, { stepId: step!._id, text: "x".repeat(2_001) }, { text: 3 }])
    errorOf(await write(body), "VALIDATION_ERROR");
  errorOf(await write({ stepId: "unknown", text: "Hi" }), "STEP_NOT_FOUND");
  const elsewhere = { params: { workflowId: workflow._id } };
  errorOf(await production.raw("comments.list", elsewhere), "WORKFLOW_NOT_FOUND");
  const key = { ...params, commentId: "not an id" };
  errorOf(await client.raw("comments.update", { params: key, body: { isResolved: true } }), "COMMENT_NOT_FOUND");
  const refused = await viewer.call("comments.create", { params, body: { stepId: step!._id, text: "Hi" } });
  assert.equal(refused.status, 403);
  assert.deepEqual((await client("comments.list", { params })).body.data, []);
});

type Viewers = Output<"workflows.announceViewer">["data"];

test("tabs of other members are seen while they give signs, and nothing of it is in the audit log", async () => {
  const seenBy = async (person: typeof owner, tabId: string, more: object = {}): Promise<Viewers> => {
    const reply = await person.call("workflows.announceViewer", { params, body: { tabId, ...more } });
    assert.equal(reply.status, 200, reply.text);
    return (reply.body as { data: Viewers }).data;
  };
  assert.deepEqual(await seenBy(owner, "one"), []);
  const [seen, ...more] = await seenBy(viewer, "two");
  assert.deepEqual([seen!.name, seen!.isEditing, more.length], [owner.session.person.name, false, 0]);
  // A second tab of the same member does not count as another person.
  assert.equal((await seenBy(owner, "three", { isEditing: true })).length, 1);
  assert.equal((await seenBy(viewer, "two"))[0]!.isEditing, true);
  // Another member cannot take over a tab.
  await seenBy(viewer, "one", { isLeaving: true });
  assert.equal((await seenBy(viewer, "two")).length, 1);
  await seenBy(viewer, "two", { isLeaving: true });
  assert.deepEqual(await seenBy(owner, "one"), []);
  // An API key learns who has it open, and is nobody.
  const ids = (await client("workflows.announceViewer", { params, body: { tabId: "key" } })).body.data;
  assert.deepEqual(
    ids.map(({ name }) => name),
    [owner.session.person.name],
  );
  assert.deepEqual(await seenBy(owner, "one"), []);
  const { body } = await owner.call("auditLog.list", { query: { limit: 100 } });
  assert.ok(!JSON.stringify(body).includes("announceViewer"));
});
