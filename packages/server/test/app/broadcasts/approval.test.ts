// Where the environment asks for approval, a second person decides; who may do what; and what the audit log has of it.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { AuditEntry, Broadcast, OperationId } from "@tidings/contract";
import { errorOf } from "@tidings/testkit/http";
import { startTestService } from "@tidings/testkit/service";
import { createWorkflow, inApp, messagesOf, settled } from "@tidings/testkit/verbs";
import { type Browser, invite, signInOwner } from "../members/browsers.ts";
import { countRuns, createDraft, createList, inStatus, retrieveBroadcast } from "./lists.ts";

const service = await startTestService();
const { client } = service;
const owner = await signInOwner(service);
const second = await invite(service, owner, "owner", "second@example.com");
const editor = await invite(service, owner, "editor");
const other = await invite(service, owner, "editor", "other@example.com");
const viewer = await invite(service, owner, "viewer");
const environmentId = owner.session.environments[0]!._id;

await createWorkflow(client, "news", [inApp({ body: "News" })]);
await createList(client, "team", ["t1", "t2"]);

const draft = async () => {
  const content = { workflowId: "news" };
  return (await createDraft(client, { content, audience: { include: ["team"] } }))._id;
};

async function call(person: Browser, verb: string, broadcastId: string, body?: object): Promise<Broadcast> {
  const reply = await person.call(`broadcasts.${verb}` as OperationId, { params: { broadcastId }, body });
  assert.equal(reply.status, 200, reply.text);
  return reply.body as Broadcast;
}

const refused = async (person: Browser, verb: string, broadcastId: string, code: string): Promise<string> =>
  errorOf(await person.call(`broadcasts.${verb}` as OperationId, { params: { broadcastId } }), code as never).message;

test("without approval an editor sends at once; a viewer sends nothing", async () => {
  const id = await draft();
  await refused(viewer, "send", id, "ROLE_NOT_ALLOWED");
  assert.equal((await retrieveBroadcast(client, id)).status, "draft");
  assert.equal((await call(editor, "send", id)).approval, null);
  await inStatus(client, id, "completed");
});

test("only an owner asks the environment for approval", async () => {
  const change = { params: { environmentId }, body: { broadcastApproval: true } };
  errorOf(await editor.call("environments.update", change), "ROLE_NOT_ALLOWED");
  const { broadcastApproval } = (await owner.call("environments.update", change)).body as Record<string, unknown>;
  assert.equal(broadcastApproval, true);
});

test("an editor sends, another person who is an owner approves, and it goes out once", async () => {
  const id = await draft();
  const asked = await call(editor, "send", id);
  assert.equal(asked.status, "awaiting_approval");
  assert.equal(asked.approval!.requestedBy, "editor@example.com");
  assert.deepEqual([asked.transactionId, asked.approval!.isApproved], [null, null]);
  await refused(editor, "approve", id, "ROLE_NOT_ALLOWED");
  await refused(other, "reject", id, "FORBIDDEN");
  for (const verb of ["send", "pause", "resume", "stop"]) {
    await refused(editor, verb, id, "BROADCAST_STATE");
  }
  const [first, next] = await Promise.all(
    [owner, second].map((person) => person.call("broadcasts.approve", { params: { broadcastId: id } })),
  );
  assert.deepEqual([first!.status, next!.status].sort(), [200, 409], "one of two owners decides");
  const done = await inStatus(client, id, "completed");
  assert.equal(done.approval!.isApproved, true);
  assert.match(done.approval!.decidedBy!, /^(owner|second)@example\.com$/);
  assert.deepEqual(Object.fromEntries(await countRuns(service, done.transactionId!)), { t1: 1, t2: 1 });
});

test("nobody approves what they sent themselves, not even an owner", async () => {
  const id = await draft();
  await call(owner, "send", id);
  const message = await refused(owner, "approve", id, "BROADCAST_OWN_APPROVAL");
  assert.match(message, /must be approved by another person than owner@example\.com/);
  assert.equal((await retrieveBroadcast(client, id)).status, "awaiting_approval");
  await call(second, "approve", id);
  await inStatus(client, id, "completed");
});

test("returned to its author it is a draft again, with the reason; the author can take it back too", async () => {
  const id = await draft();
  await call(editor, "send", id);
  const returned = await call(owner, "reject", id, { note: " Wrong week " });
  assert.equal(returned.status, "draft");
  assert.deepEqual(
    [returned.approval!.isApproved, returned.approval!.decidedBy, returned.approval!.note],
    [false, "owner@example.com", "Wrong week"],
  );
  await refused(owner, "reject", id, "BROADCAST_STATE");
  await refused(owner, "approve", id, "BROADCAST_STATE");
  await client("broadcasts.update", { params: { broadcastId: id }, body: { name: "Next week" } });
  const again = await call(editor, "send", id);
  assert.deepEqual([again.approval!.note, again.approval!.decidedBy], [null, null]);
  assert.equal((await call(editor, "reject", id)).status, "draft", "taken back");
});

test("what became incomplete while it waited is not sent, and waits on", async () => {
  const id = await draft();
  await call(editor, "send", id);
  await client("workflows.patch", { params: { workflowId: "news" }, body: { active: false } });
  assert.match(await refused(owner, "approve", id, "BROADCAST_INCOMPLETE"), /workflow news is not active/);
  assert.equal((await retrieveBroadcast(client, id)).status, "awaiting_approval");
  await client("workflows.patch", { params: { workflowId: "news" }, body: { active: true } });
  await call(owner, "approve", id);
  await inStatus(client, id, "completed");
});

test("what was asked for is approved: the workflow may be edited meanwhile, another revision is refused", async () => {
  const { steps, origin } = await createWorkflow(client, "weekly", [inApp({ body: "as asked" })]);
  const edit = (text: string) => {
    const edited = steps.map((step) => ({ ...step, controlValues: { body: text } }));
    const body = { name: "weekly", origin, preferences: {}, steps: edited };
    return client("workflows.update", { params: { workflowId: "weekly" }, body } as never);
  };
  const content = { workflowId: "weekly" };
  const { _id: id } = await createDraft(client, { content, audience: { include: ["team"] } });
  const { revision: first } = await call(editor, "send", id);
  await edit("edited");
  const seen = await client("broadcasts.preview", { params: { broadcastId: id }, body: { subscriberIds: ["t1"] } });
  assert.equal(seen.body.data[0]!.messages[0]!.content!.body, "as asked");
  await call(editor, "reject", id);
  await edit("asked again");
  const { revision: second } = await call(editor, "send", id);
  await edit("edited again");
  const old = await owner.call("broadcasts.approve", { params: { broadcastId: id }, body: { revision: first } });
  const { message } = errorOf(old, "BROADCAST_CHANGED");
  assert.match(message, new RegExp(`has revision ${second}, not ${first}: read it again`));
  assert.equal((await retrieveBroadcast(client, id)).status, "awaiting_approval");
  const approved = await call(owner, "approve", id, { revision: second });
  assert.equal("versionId" in approved.approval!, false);
  const { transactionId } = await inStatus(client, id, "completed");
  await settled(client, transactionId!);
  const [sent] = await messagesOf(client, transactionId!);
  assert.equal(sent!.content, "asked again");
});

test("a workflow that was replaced by another one while it waited is not sent", async () => {
  await createWorkflow(client, "gone", [inApp({ body: "first" })]);
  const content = { workflowId: "gone" };
  const { _id: id } = await createDraft(client, { content, audience: { include: ["team"] } });
  await call(editor, "send", id);
  await client("workflows.delete", { params: { workflowId: "gone" } });
  await createWorkflow(client, "gone", [inApp({ body: "second" })]);
  assert.match(await refused(owner, "approve", id, "BROADCAST_INCOMPLETE"), /was deleted after the approval was asked/);
  await call(owner, "reject", id);
});

test("a payload that the workflow refuses is refused before anyone is asked for approval", async () => {
  await createWorkflow(client, "strict", [inApp()], {
    payloadSchema: { type: "object", required: ["version"], properties: { version: { type: "string" } } },
    validatePayload: true,
  });
  const content = { workflowId: "strict" };
  const { _id: id } = await createDraft(client, { content, audience: { include: ["team"] } });
  assert.match(await refused(editor, "send", id, "BROADCAST_INCOMPLETE"), /version/);
  assert.equal((await retrieveBroadcast(client, id)).status, "draft");
});

test("every action is in the audit log, with who did it", async () => {
  await owner.call("environments.update", { params: { environmentId }, body: { broadcastApproval: false } });
  const time = { kind: "at", at: new Date(Date.now() + 3_600_000).toISOString() };
  const created = await editor.call("broadcasts.create", {
    body: { name: "Logged", content: { workflowId: "news" }, audience: { include: ["team"] }, time },
  });
  const { _id: id } = created.body as Broadcast;
  await client("broadcasts.test", { params: { broadcastId: id }, body: { subscriberIds: ["t1"] } });
  for (const verb of ["send", "pause", "resume", "stop"]) await call(editor, verb, id);
  const query = { limit: 100, operation: "broadcasts" };
  const { data } = (await owner.call("auditLog.list", { query })).body as { data: AuditEntry[] };
  const ofThis = data.filter(({ target }) => target === id).reverse();
  assert.deepEqual(
    ofThis.map(({ operation, action, actor }) => `${actor.name}: ${operation}: ${action}`),
    [
      "editor@example.com: broadcasts.create: created the broadcast",
      `${ofThis[1]!.actor.name}: broadcasts.test: sent a test of the broadcast`,
      "editor@example.com: broadcasts.send: sent the broadcast",
      "editor@example.com: broadcasts.pause: paused the broadcast",
      "editor@example.com: broadcasts.resume: resumed the broadcast",
      "editor@example.com: broadcasts.stop: stopped the broadcast",
    ],
  );
  assert.equal(ofThis[1]!.actor.type, "key");
  const decided = new Set(data.map(({ operation, action }) => `${operation}: ${action}`));
  assert.ok(decided.has("broadcasts.approve: approved the broadcast"), [...decided].join("\n"));
  assert.ok(decided.has("broadcasts.reject: returned the broadcast to its author"), [...decided].join("\n"));
});
