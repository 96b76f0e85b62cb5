// The workflow `broadcast`, in which people choose whether they get broadcasts that are written in place: pruning keeps
// it, sending creates it again, and what others wrote into it is left unchanged.
import assert from "node:assert/strict";
import { test } from "node:test";
import { startTestService } from "@tidings/testkit/service";
import { createWorkflow, email, inApp } from "@tidings/testkit/verbs";
import { invite, signInOwner } from "../members/browsers.ts";
import { createDraft, createList, inStatus, sendBroadcast } from "./lists.ts";

const service = await startTestService();
const { client, production } = service;
const owner = await signInOwner(service);
const second = await invite(service, owner, "owner", "second@example.com");
await createList(client, "team", ["t1", "t2"]);
const content = { steps: [inApp({ body: "News" })] };
const audience = { include: ["team"] };
const draft = () => createDraft(client, { content, audience });
const remove = () => client("workflows.delete", { params: { workflowId: "broadcast" } });
const activeSteps = async () => {
  const { body } = await client("workflows.retrieve", { params: { workflowId: "broadcast" } });
  return Promise.all(
    body.steps.map(async ({ _id }) => {
      const params = { workflowId: "broadcast", stepId: _id };
      const step = (await client("workflows.retrieveStep", { params })).body;
      return [step.stepId, step.active];
    }),
  );
};

test("files that lack it do not delete it, and neither does a publish", async () => {
  await draft();
  const body = { resources: { workflows: [] }, prune: true };
  const { kept, changes } = (await client("files.plan", { body })).body;
  assert.ok(changes.every(({ id }) => id !== "broadcast"));
  assert.deepEqual(
    kept.filter(({ id }) => id === "broadcast"),
    [{ type: "workflow", id: "broadcast", reason: "people choose in it whether they get broadcasts" }],
  );
  await createList(production, "theirs", ["p1"]);
  await createDraft(production, { content, audience: { include: ["theirs"] } });
  await remove();
  const resources = [{ resourceType: "workflow", resourceId: "broadcast" }];
  const params = { targetEnvironmentId: "production" };
  const { results } = (await production("environments.publish", { params, body: { resources } as never })).body;
  assert.equal(results[0]!.failed[0]!.error, "People choose in it whether they get broadcasts");
});

test("where it was deleted, tests, sends and approvals create it again", async () => {
  const { _id: tested } = await draft();
  await remove();
  const toOne = { params: { broadcastId: tested }, body: { subscriberIds: ["t1"] } };
  assert.equal((await client.raw("broadcasts.test", toOne)).status, 201);
  await remove();
  await sendBroadcast(client, tested);
  await inStatus(client, tested, "completed");
  await remove();
  const again = await client.raw("broadcasts.resend", { params: { broadcastId: tested }, body: { outcome: "sent" } });
  assert.equal(again.status, 201, JSON.stringify(again.body));

  const environmentId = owner.session.environments[0]!._id;
  const approval = (broadcastApproval: boolean) =>
    owner.call("environments.update", { params: { environmentId }, body: { broadcastApproval } });
  await approval(true);
  const { _id: broadcastId } = await draft();
  await sendBroadcast(client, broadcastId);
  await remove();
  const approved = await second.call("broadcasts.approve", { params: { broadcastId } });
  assert.equal(approved.status, 200, approved.text);
  await inStatus(client, broadcastId, "completed");
  await approval(false);
});

test("steps that a customer wrote are not switched on", async () => {
  await remove();
  const own = [
    { ...inApp({ body: "Ours" }), stepId: "in-app", active: false },
    { ...email({ subject: "Ours", body: "Ours" }), stepId: "mail", active: false },
  ];
  await createWorkflow(client, "broadcast", own as never);
  await createDraft(client, { content: { steps: [inApp({ body: "News" }), email()] }, audience });
  assert.deepEqual(await activeSteps(), [
    ["in-app", false],
    ["mail", false],
  ]);
  await remove();
  await draft();
  const used = [["in-app", true], ...["email", "sms", "push", "chat"].map((stepId) => [stepId, false])];
  assert.deepEqual(await activeSteps(), used);
  await createDraft(client, { content: { steps: [email()] }, audience });
  used[1]![1] = true;
  assert.deepEqual(await activeSteps(), used);
});
