// Versions of workflows over HTTP: listed, compared, restored; the lock of updates; copies.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { StepIn, Workflow } from "@tidings/contract";
import { errorOf } from "@tidings/testkit/http";
import { shareService } from "@tidings/testkit/service";
import { createWorkflow, email, feedOf, inApp, settled, trigger } from "@tidings/testkit/verbs";

const { client, production } = await shareService();

const update = (workflow: Workflow, changes: { name?: string; steps?: StepIn[]; expectedVersion?: string }) => {
  const { name, steps, origin, workflowId } = workflow;
  return client.raw("workflows.update", {
    params: { workflowId },
    body: { name, steps, origin, preferences: {}, ...changes },
  });
};
const versionsOf = async (workflowId: string) =>
  (await client("workflows.listVersions", { params: { workflowId }, query: { limit: 100 } })).body.data;
const diff = async (workflowId: string, fromVersionId: string, toVersionId: string) =>
  (await client("workflows.diffVersions", { params: { workflowId, fromVersionId, toVersionId } })).body;
const named = (stepId: string, step: StepIn): StepIn => ({ ...step, stepId, name: stepId });

describe("versions", () => {
  test("every save makes one, with number, author and summary", async () => {
    const made = await createWorkflow(client, "numbered", [inApp()]);
    await client("workflows.patch", { params: { workflowId: "numbered" }, body: { name: "Renamed", tags: ["a"] } });
    await update(made, { name: "Renamed", steps: made.steps.map((one) => ({ ...one, controlValues: { body: "B" } })) });
    await update(made, { name: "Renamed", steps: made.steps.map((one) => ({ ...one, controlValues: { body: "B" } })) });
    const versions = await versionsOf("numbered");
    assert.deepEqual(
      versions.map(({ number, summary, isCurrent }) => [number, summary, isCurrent]),
      [
        [4, "Saved without changes", true],
        [3, "Changed in-app: body", false],
        [2, "Changed name, tags", false],
        [1, "Created", false],
      ],
    );
    assert.ok(versions.every(({ createdBy }) => createdBy?.id && createdBy.name));
    const { body: now } = await client("workflows.retrieve", { params: { workflowId: "numbered" } });
    assert.equal(now.versionId, versions[0]!.id);
  });

  test("a form that sends back what it was shown changes nothing, and settings are named in words", async () => {
    const { origin } = await createWorkflow(client, "formed", [inApp()]);
    const params = { workflowId: "formed" };
    const { steps, preferences } = (await client("workflows.retrieve", { params })).body;
    const sent = { name: "formed", origin, description: "", active: true, steps: steps as never };
    const put = (body: object) => client("workflows.update", { params, body: { ...sent, ...body } as never });
    await put({ preferences: { user: null, workflow: preferences.default } });
    const other = { ...preferences.default, all: { enabled: true, readOnly: true } };
    await put({ preferences: { user: null, workflow: other }, isTranslationEnabled: true, active: false });
    assert.deepEqual(
      (await versionsOf("formed")).map(({ summary }) => summary),
      ["Changed default preferences, translation; turned off", "Saved without changes", "Created"],
    );
  });

  test("are compared by meaning", async () => {
    const first = [named("a", inApp({ body: "A" })), named("b", email()), named("c", inApp({ body: "C" }))];
    const made = await createWorkflow(client, "compared", first);
    const [a, b, c] = made.steps as unknown as [StepIn, StepIn, StepIn];
    const steps = [b, { ...c, controlValues: { body: "C2" } }, a, named("d", inApp({ body: "D" }))];
    await update(made, { name: "Other", steps });
    await update(made, { name: "Other", steps: steps.slice(1) });
    const { from, to, settings, steps: changes } = await diff("compared", "1", "2");
    assert.deepEqual([from.number, to.number], [1, 2]);
    assert.deepEqual(settings, [{ field: "name", before: "compared", after: "Other" }]);
    assert.deepEqual(
      changes.map(({ kind, stepId, fromIndex, toIndex, hasMoved }) => [kind, stepId, fromIndex, toIndex, hasMoved]),
      [
        ["changed", "c", 2, 1, false],
        ["moved", "a", 0, 2, true],
        ["added", "d", undefined, 3, false],
      ],
    );
    assert.deepEqual(changes[0]!.fields, [{ field: "controlValues.body", before: "C", after: "C2" }]);
    const back = await diff("compared", to.id, "3");
    assert.deepEqual(
      back.steps.map(({ kind, stepId }) => [kind, stepId]),
      [["removed", "b"]],
    );
    const same = await diff("compared", "2", "2");
    assert.deepEqual([same.settings, same.steps], [[], []]);
  });

  test("a restored one is a new version with the old content, and is what events run", async () => {
    const schema = { type: "object", properties: { x: { type: "string" } } };
    const made = await createWorkflow(client, "restored", [named("feed", inApp({ body: "First" }))], {
      payloadSchema: schema,
    });
    await update(made, { name: "Edited", steps: [named("other", inApp({ body: "Second" }))] });
    await client("workflows.patch", { params: { workflowId: "restored" }, body: { payloadSchema: null } });
    const params = { workflowId: "restored", versionId: "1" };
    const { status, body } = await client("workflows.restoreVersion", { params });
    assert.equal(status, 201);
    assert.deepEqual([body.name, body.active, body.payloadSchema], ["restored", true, schema]);
    assert.deepEqual(
      body.steps.map(({ _id }) => _id),
      made.steps.map(({ _id }) => _id),
    );
    const [newest] = await versionsOf("restored");
    assert.deepEqual([newest!.number, newest!.summary, newest!.id], [4, "Restored version 1", body.versionId]);
    assert.deepEqual((await diff("restored", "1", "4")).steps, []);
    await settled(client, await trigger(client, "restored", "reader"));
    assert.equal((await feedOf(client, "reader"))[0]!.content, "First");
    const { body: shown } = await client("workflows.retrieveVersion", { params: { ...params, versionId: "2" } });
    assert.deepEqual([shown.workflow.name, shown.workflow.steps[0]!.controlValues], ["Edited", { body: "Second" }]);
  });

  test("are unknown to other workflows and environments", async () => {
    await createWorkflow(client, "one", [inApp()]);
    await createWorkflow(client, "two", [inApp()]);
    await createWorkflow(production, "theirs", [inApp()]);
    const [version] = await versionsOf("two");
    const ask = (workflowId: string, versionId: string) =>
      client.raw("workflows.restoreVersion", { params: { workflowId, versionId } });
    for (const versionId of [version!.id, "2", "0", "-1", "x", "99999999999999999999"]) {
      errorOf(await ask("one", versionId), "WORKFLOW_VERSION_NOT_FOUND");
    }
    errorOf(await ask("theirs", "1"), "WORKFLOW_NOT_FOUND");
    assert.equal((await versionsOf("one")).length, 1);
  });
});

describe("an update that expects a version", () => {
  test("is refused when another was saved meanwhile, and changes nothing", async () => {
    const made = await createWorkflow(client, "contended", [inApp()]);
    const first = await update(made, { name: "Mine", expectedVersion: made.versionId });
    assert.equal(first.status, 200);
    const late = await update(made, { name: "Late", expectedVersion: made.versionId });
    const body = errorOf(late, "WORKFLOW_CHANGED") as unknown as { currentVersion: { id: string; number: number } };
    const current = (first.body as Workflow).versionId;
    assert.deepEqual([body.currentVersion.id, body.currentVersion.number], [current, 2]);
    const { body: now } = await client("workflows.retrieve", { params: { workflowId: "contended" } });
    assert.deepEqual([now.name, now.versionId], ["Mine", current]);
  });

  test("of several at once one is made", async () => {
    const made = await createWorkflow(client, "raced", [inApp()]);
    const answers = await Promise.all(
      ["a", "b", "c", "d"].map((name) => update(made, { name, expectedVersion: made.versionId })),
    );
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409, 409, 409]);
    assert.equal((await versionsOf("raced")).length, 2);
  });
});

describe("a copy", () => {
  test("has its own ids, the translations of the original, and is not active", async () => {
    const made = await createWorkflow(client, "original", [inApp({ body: "{{t.hi}}" })], {
      isTranslationEnabled: true,
      tags: ["a"],
    });
    const resource = { resourceType: "workflow", resourceId: "original", locale: "en_US" } as const;
    await client("translations.create", { body: { ...resource, content: { hi: "Hello" } } });
    const copy = async (body: object) =>
      (await client("workflows.duplicate", { params: { workflowId: "original" }, body })).body;
    const first = await copy({});
    assert.deepEqual([first.name, first.workflowId, first.active], ["original (copy)", "original-copy", false]);
    assert.deepEqual([first.tags, first.isTranslationEnabled], [["a"], true]);
    assert.notEqual(first.steps[0]!._id, made.steps[0]!._id);
    assert.equal(first.steps[0]!.stepId, made.steps[0]!.stepId);
    assert.equal((await copy({})).workflowId, "original-copy-1");
    const params = { resourceType: "workflow", resourceId: "original-copy", locale: "en_US" } as const;
    assert.deepEqual((await client("translations.retrieve", { params })).body.content, { hi: "Hello" });
    const [version] = await versionsOf("original-copy");
    assert.equal(version!.summary, "Copied from original");
    const taken = await client.raw("workflows.duplicate", {
      params: { workflowId: "original" },
      body: { workflowId: "original" },
    });
    errorOf(taken, "WORKFLOW_ID_TAKEN");
    errorOf(
      await production.raw("workflows.duplicate", { params: { workflowId: "original" }, body: {} }),
      "WORKFLOW_NOT_FOUND",
    );
  });
});
