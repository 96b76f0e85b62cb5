// The history of publishes: what each changed, in sentences, and rolling one back.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Output, StepIn } from "@tidings/contract";
import { errorOf } from "@tidings/testkit/http";
import { assertRefused } from "@tidings/testkit/refusals";
import { startTestService } from "@tidings/testkit/service";
import { createWorkflow, email, inApp, trigger } from "@tidings/testkit/verbs";
import { eventually } from "@tidings/testkit/wait";
import { invite, signInOwner } from "../members/browsers.ts";

const service = await startTestService();
const { client, production } = service;
await client("workflows.delete", { params: { workflowId: "welcome" } });

const target = { environmentId: "production" };
const list = async (query = {}) => (await production("environments.listPublishes", { params: target, query })).body;
const retrieve = async (publishId: string) =>
  (await production("environments.retrievePublish", { params: { ...target, publishId } })).body;
const planOf = async (publishId: string) =>
  (await production("environments.planRestore", { params: { ...target, publishId } })).body;
const restore = async (publishId: string, body = {}) =>
  (await production("environments.restorePublish", { params: { ...target, publishId }, body })).body;
const publish = async (...resourceIds: string[]) => {
  const resources = resourceIds.map((resourceId) => ({ resourceType: "workflow" as const, resourceId }));
  const { body } = await production("environments.publish", {
    params: { targetEnvironmentId: "production" },
    body: { resources },
  });
  return body.publishId!;
};
const workflow = async (workflowId: string) =>
  (await production("workflows.retrieve", { params: { workflowId } })).body;
const sentencesOf = async (workflowId: string) => {
  const { body } = await production("environments.diff", { params: { targetEnvironmentId: "production" }, body: {} });
  return body.resources.find((one) => (one.sourceResource ?? one.targetResource)?.id === workflowId)?.sentences;
};
const actionsOf = ({ resources }: Pick<Output<"environments.planRestore">, "resources">) =>
  Object.fromEntries(resources.map(({ resourceId, action }) => [resourceId, action]));
const edit = async (workflowId: string, steps: StepIn[], more: object = {}) => {
  const { name, origin, steps: old } = (await client("workflows.retrieve", { params: { workflowId } })).body;
  const kept = steps.map((step) => ({ ...step, _id: old.find(({ stepId }) => stepId === step.stepId)?._id }));
  const body = { name, origin, preferences: {}, active: true, ...more, steps: kept as never };
  await client("workflows.update", { params: { workflowId }, body });
};

const hour = {
  name: "Delay",
  stepId: "wait",
  type: "delay",
  controlValues: { type: "regular", amount: 1, unit: "hours" },
};
const mail = (subject: string): StepIn => ({ ...email({ subject, body: "<p>A</p>" }), stepId: "email" });
const sms: StepIn = { name: "SMS", stepId: "sms", type: "sms", controlValues: { body: "Hi" } };
let first: string;
let second: string;

describe("two publishes", () => {
  test("are in the history, with versions and sentences; a publish without changes and a dry run are not", async () => {
    await createWorkflow(client, "order", [mail("Order shipped")], { name: "Order" });
    assert.deepEqual(await sentencesOf("order"), ["The workflow is added: Email"]);
    await client("layouts.create", { body: { layoutId: "house", name: "House" } });
    first = (await production("environments.publish", { params: { targetEnvironmentId: "production" }, body: {} })).body
      .publishId!;
    await edit("order", [mail("Your order is on its way"), hour as StepIn, sms], { tags: ["shop"] });
    const expected = [
      "Tags are added: “shop”",
      "Email subject changes from “Order shipped” to “Your order is on its way”",
      "A step is added: Delay (1 hour)",
      "A step is added: SMS after 1 hour",
    ];
    assert.deepEqual(await sentencesOf("order"), expected);
    second = await publish("order");
    assert.equal(await publish("order"), undefined);
    const { data } = await list();
    assert.deepEqual(
      data.map(({ id, kind, created, updated, deleted, names }) => [id, kind, created, updated, deleted, names]),
      [
        [second, "publish", 0, 1, 0, ["Order"]],
        [first, "publish", 2, 0, 0, ["House", "Order"]],
      ],
    );
    assert.equal(data[0]!.source.name, "Development");
    assert.deepEqual((await retrieve(second)).resources, [
      {
        resourceType: "workflow",
        resourceId: "order",
        resourceName: "Order",
        action: "updated",
        versionBefore: 1,
        versionAfter: 2,
        sentences: expected,
      },
    ]);
  });

  test("the newest is taken back: the content from before is a new version; twice is refused", async () => {
    assert.deepEqual(actionsOf(await planOf(second)), { order: "restored" });
    const { publishId, resources } = await restore(second);
    assert.deepEqual(actionsOf({ resources }), { order: "restored" });
    const { steps, tags } = await workflow("order");
    assert.deepEqual([steps.map(({ name }) => name), tags], [["Email"], []]);
    assert.equal(steps[0]!.controlValues!.subject, "Order shipped");
    const input = { params: { ...target, publishId: second }, body: {} };
    await assertRefused(production, "environments.restorePublish", input, { code: "PUBLISH_RESTORED" });
    await assertRefused(production, "environments.planRestore", { params: input.params }, { code: "PUBLISH_RESTORED" });
    assert.ok((await list()).data.find(({ id }) => id === second)!.restoredAt);
    // The restore is itself a publish, which is rolled back in turn.
    const made = await retrieve(publishId!);
    assert.deepEqual([made.kind, made.restores, made.updated], ["restore", second, 1]);
    await restore(publishId!);
    assert.equal((await workflow("order")).steps.length, 3);
  });

  test("of two restores at once one is done", async () => {
    await edit("order", [mail("At once")]);
    const id = await publish("order");
    const call = () =>
      production.raw("environments.restorePublish", { params: { ...target, publishId: id }, body: {} });
    const answers = await Promise.all([call(), call()]);
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409]);
  });

  test("of two publishes at once each has its own entry, and what was there before it", async () => {
    await edit("order", [mail("Race")]);
    const answers = await Promise.all([publish("order"), publish("order")]);
    assert.equal(answers.filter((id) => id !== undefined).length, 1, "the second finds nothing to change");
  });
});

describe("a restore", () => {
  test("names what was changed since, changes nothing, and takes it back as well when that is asked for", async () => {
    await createWorkflow(client, "kept", [inApp({ body: "one" })], { name: "Kept" });
    const made = await publish("kept");
    await production("workflows.patch", { params: { workflowId: "kept" }, body: { name: "Changed by hand" } });
    const { hasConflicts, resources } = await planOf(made);
    assert.equal(hasConflicts, true);
    assert.equal(resources[0]!.resourceName, "Changed by hand");
    assert.equal(typeof resources[0]!.changedSince!.at, "string");
    await assertRefused(
      production,
      "environments.restorePublish",
      { params: { ...target, publishId: made }, body: {} },
      {
        code: "PUBLISH_CHANGED_SINCE",
        message:
          "Changed since the publish: workflow kept. Send overwriteChanges: true to discard these changes as well",
      },
    );
    assert.equal((await workflow("kept")).name, "Changed by hand");
    assert.deepEqual(actionsOf(await restore(made, { overwriteChanges: true })), { kept: "deleted" });
    await assertRefused(
      production,
      "workflows.retrieve",
      { params: { workflowId: "kept" } },
      { code: "WORKFLOW_NOT_FOUND" },
    );
  });

  test("turns a new workflow off while runs of it are under way", async () => {
    await createWorkflow(client, "waiting", [hour as StepIn, inApp()], { name: "Waiting" });
    const made = await publish("waiting");
    await trigger(production, "waiting", "ada");
    await eventually(
      async () =>
        (await production("workflows.retrieveInFlight", { params: { workflowId: "waiting" } })).body.total === 1,
      "the run to wait",
    );
    assert.deepEqual(actionsOf(await restore(made)), { waiting: "turned_off" });
    assert.equal((await workflow("waiting")).active, false);
  });

  test("makes a deleted workflow again, with its translations, and its layout", async () => {
    const texts = { locale: "de_DE", content: { hello: "Hallo" } };
    await createWorkflow(client, "gone", [mail("Gone")], { isTranslationEnabled: true });
    await client("translations.create", { body: { ...texts, resourceType: "workflow", resourceId: "gone" } });
    await client("layouts.create", { body: { layoutId: "frame", name: "Frame" } });
    const everything = { params: { targetEnvironmentId: "production" }, body: {} };
    await production("environments.publish", everything);
    await client("workflows.delete", { params: { workflowId: "gone" } });
    await client("layouts.delete", { params: { layoutId: "frame" } });
    assert.deepEqual(await sentencesOf("gone"), ["The workflow is deleted, and its runs in progress are canceled"]);
    const resources = [
      { resourceType: "workflow" as const, resourceId: "gone" },
      { resourceType: "layout" as const, resourceId: "frame" },
    ];
    const { publishId } = (await production("environments.publish", { ...everything, body: { resources } })).body;
    assert.equal((await retrieve(publishId!)).deleted, 2);
    assert.deepEqual(actionsOf(await restore(publishId!)), { gone: "recreated", frame: "recreated" });
    assert.equal((await workflow("gone")).steps[0]!.controlValues!.subject, "Gone");
    const { body } = await production("translations.retrieve", {
      params: { resourceType: "workflow", resourceId: "gone", locale: "de_DE" },
    });
    assert.deepEqual(body.content, { hello: "Hallo" });
    assert.equal((await production("layouts.retrieve", { params: { layoutId: "frame" } })).body.name, "Frame");
  });

  test("keeps a new layout that is the default", async () => {
    const { resources } = await planOf(first);
    const house = resources.find(({ resourceId }) => resourceId === "house")!;
    assert.deepEqual([house.action, house.reason], ["kept", "It is the default layout of the target environment"]);
  });
});

test("unknown ids, other environments and roles", async () => {
  for (const publishId of ["not-an-id", "01900000-0000-7000-8000-000000000000"]) {
    for (const id of ["environments.retrievePublish", "environments.planRestore"] as const)
      await assertRefused(production, id, { params: { ...target, publishId } }, { code: "PUBLISH_NOT_FOUND" });
  }
  const foreign = { params: { ...target, publishId: first } };
  await assertRefused(client, "environments.retrievePublish", foreign, { code: "FORBIDDEN" });
  await assertRefused(client, "environments.restorePublish", { ...foreign, body: {} }, { code: "FORBIDDEN" });
  const own = { params: { environmentId: "development", publishId: first } };
  await assertRefused(client, "environments.retrievePublish", own, { code: "PUBLISH_NOT_FOUND" });
  const wrong = { ...foreign, body: { overwriteChanges: "yes" } as never };
  await assertRefused(production, "environments.restorePublish", wrong, { code: "VALIDATION_ERROR" });

  const owner = await signInOwner(service);
  const [viewer, editor] = [await invite(service, owner, "viewer"), await invite(service, owner, "editor")];
  const where = owner.session.environments.find(({ type }) => type === "prod")!._id;
  const reply = await viewer.call("environments.retrievePublish", foreign, where);
  assert.equal(reply.status, 200, reply.text);
  errorOf(await viewer.call("environments.restorePublish", { ...foreign, body: {} }, where), "ROLE_NOT_ALLOWED");
  const toProduction = { params: { targetEnvironmentId: where }, body: {} };
  errorOf(await viewer.call("environments.publish", toProduction, where), "ROLE_NOT_ALLOWED");
  assert.equal((await viewer.call("environments.diff", toProduction, where)).status, 200);
  await createWorkflow(client, "by-editor", [inApp()]);
  const published = await editor.call("environments.publish", toProduction, where);
  assert.equal(published.status, 200, published.text);
  assert.equal((await list({ limit: 1 })).data[0]!.createdBy.name, "The editor");
});
