// Comparing environments, and copying workflows and layouts from one to the other.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { assertRefused } from "@tidings/testkit/refusals";
import { startTestService } from "@tidings/testkit/service";
import { createWorkflow, email, feedOf, inApp, settled, trigger } from "@tidings/testkit/verbs";
import { sql } from "kysely";

const service = await startTestService();
const { client, production, db } = service;
await client("workflows.delete", { params: { workflowId: "welcome" } });

const toProduction = { targetEnvironmentId: "production" };
const diff = async (body: object = {}) => (await production("environments.diff", { params: toProduction, body })).body;
const publish = async (body: object = {}) =>
  (await production("environments.publish", { params: toProduction, body })).body;
const diffOf = async (id: string) =>
  (await diff()).resources.find((one) => (one.sourceResource ?? one.targetResource)?.id === id)!;
const environmentIds = Object.fromEntries(
  (await client("environments.list")).body.map((one) => [one.identifier, one._id]),
);

test("nothing to publish: empty reports", async () => {
  assert.deepEqual(await diff(), {
    sourceEnvironmentId: environmentIds.development,
    targetEnvironmentId: environmentIds.production,
    resources: [],
    summary: { totalEntities: 0, totalChanges: 0, hasChanges: false },
  });
  const empty = { successful: [], failed: [], skipped: [], totalProcessed: 0 };
  assert.deepEqual(await publish(), {
    results: [
      { resourceType: "workflow", ...empty },
      { resourceType: "layout", ...empty },
    ],
    summary: { resources: 0, successful: 0, failed: 0, skipped: 0 },
  });
});

describe("a workflow and a layout", () => {
  test("are new: diff and dry run say so and write nothing, publish makes them", async () => {
    await createWorkflow(client, "order", [{ ...inApp({ body: "v1" }), stepId: "note" }, email()], {
      name: "Order",
      tags: ["shop"],
      severity: "high",
      outsideSchedule: "skip",
      payloadSchema: { type: "object", properties: { id: { type: "string" } } },
      preferences: { user: { all: { enabled: true, readOnly: true } } },
    });
    await client("layouts.create", { body: { layoutId: "house", name: "House" } });
    const texts = { locale: "de_DE", content: { a: "b" } };
    await client("translations.create", { body: { ...texts, resourceType: "workflow", resourceId: "order" } });
    await client("translations.create", { body: { ...texts, resourceType: "layout", resourceId: "house" } });

    const { resources, summary } = await diff();
    assert.deepEqual(summary, { totalEntities: 2, totalChanges: 2, hasChanges: true });
    const added = resources.find((one) => one.resourceType === "workflow")!;
    assert.deepEqual(added.summary, { added: 1, modified: 0, deleted: 0, unchanged: 0 });
    assert.equal(added.targetResource, null);
    const { id, name, updatedBy, updatedAt } = added.sourceResource!;
    assert.deepEqual([id, name, updatedBy!.firstName, typeof updatedAt], ["order", "Order", "Owner", "string"]);
    assert.equal(added.changes[0]!.action, "added");
    assert.equal(added.changes[0]!.diffs!.previous, null);
    assert.equal(added.changes[0]!.diffs!.new!.severity, "high");

    const message = "No active integration for the email channel";
    const issues = [{ field: "steps.1.type", issueType: "MISSING_INTEGRATION", message }];
    const expected = {
      results: [
        {
          resourceType: "workflow",
          successful: [
            { resourceType: "workflow", resourceId: "order", resourceName: "Order", action: "created", issues },
          ],
          failed: [],
          skipped: [],
          totalProcessed: 1,
        },
        {
          resourceType: "layout",
          successful: [{ resourceType: "layout", resourceId: "house", resourceName: "House", action: "created" }],
          failed: [],
          skipped: [],
          totalProcessed: 1,
        },
      ],
      summary: { resources: 2, successful: 2, failed: 0, skipped: 0 },
    };
    const dry = await publish({ dryRun: true });
    assert.deepEqual(dry.summary, { resources: 2, successful: 0, failed: 0, skipped: 2 });
    assert.deepEqual(
      dry.results.map(({ successful, skipped }) => [successful, skipped[0]!.resourceId, skipped[0]!.reason]),
      [
        [[], "order", "Dry run: would be created"],
        [[], "house", "Dry run: would be created"],
      ],
    );
    assert.equal((await production("workflows.list")).body.totalCount, 0);
    const { publishId, ...done } = await publish({ resources: [] });
    assert.deepEqual(done, expected, "an empty list names nothing: everything is published");
    assert.equal(typeof publishId, "string");
  });

  test("the copy is the same but for its ids, and runs", async () => {
    const params = { workflowId: "order" };
    const source = (await client("workflows.retrieve", { params })).body;
    const copy = (await production("workflows.retrieve", { params })).body;
    const comparable = ({ steps, ...rest }: typeof source) => {
      const { _id, versionId, slug, createdAt, updatedAt, lastTriggeredAt, status, ...same } = rest;
      return {
        ...same,
        steps: steps.map(({ stepId, name, type, controlValues }) => ({ stepId, name, type, controlValues })),
      };
    };
    assert.deepEqual(comparable(copy), comparable(source));
    assert.notEqual(copy._id, source._id);
    assert.ok(source.lastPublishedAt && source.lastPublishedBy);
    const layout = (await production("layouts.retrieve", { params: { layoutId: "house" } })).body;
    assert.equal(layout.isDefault, true);
    for (const [resourceType, resourceId] of [
      ["workflow", "order"],
      ["layout", "house"],
    ] as const) {
      const read = { resourceType, resourceId, locale: "de_DE" };
      assert.deepEqual((await production("translations.retrieve", { params: read })).body.content, { a: "b" });
    }
    await settled(production, await trigger(production, "order", "ada"));
    assert.equal((await feedOf(production, "ada"))[0]!.content, "v1");
  });

  test("are unchanged: nothing to do", async () => {
    const { resources, summary } = await diff();
    assert.deepEqual(summary, { totalEntities: 0, totalChanges: 0, hasChanges: false });
    assert.deepEqual(resources, []);
    const report = await publish();
    assert.deepEqual(report.summary, { resources: 2, successful: 0, failed: 0, skipped: 2 });
    assert.equal(report.results[0]!.skipped[0]!.reason, "No changes");
  });

  test("have changed: the diff names settings and steps, publish keeps the target's ids", async () => {
    const before = (await production("workflows.retrieve", { params: { workflowId: "order" } })).body;
    const sourceSteps = (await client("workflows.retrieve", { params: { workflowId: "order" } })).body.steps;
    const body = {
      name: "Order 2",
      origin: "svc-cloud" as const,
      preferences: {},
      steps: [
        { ...email({ subject: "Hi", body: "<p>Hello</p>" }), stepId: sourceSteps[1]!.stepId },
        { ...inApp({ body: "v2" }), stepId: "note" },
        { ...inApp(), stepId: "more" },
      ],
    };
    await client("workflows.update", { params: { workflowId: "order" }, body });
    const change = await diffOf("order");
    assert.deepEqual(
      change.changes.map(({ resourceType, action, stepType, previousIndex, newIndex }) => ({
        resourceType,
        action,
        stepType,
        previousIndex,
        newIndex,
      })),
      [
        {
          resourceType: "workflow",
          action: "modified",
          stepType: undefined,
          previousIndex: undefined,
          newIndex: undefined,
        },
        { resourceType: "step", action: "moved", stepType: "email", previousIndex: 1, newIndex: 0 },
        { resourceType: "step", action: "modified", stepType: "in_app", previousIndex: 0, newIndex: 1 },
        { resourceType: "step", action: "added", stepType: "in_app", previousIndex: undefined, newIndex: 2 },
      ],
    );
    assert.deepEqual(change.changes[0]!.diffs, { previous: { name: "Order" }, new: { name: "Order 2" } });
    assert.deepEqual(change.changes[2]!.diffs!.new, { controlValues: { body: "v2" } });
    assert.deepEqual(change.changes[3]!.sourceResource, { id: "more", name: "In-app" });
    assert.deepEqual(change.summary, { added: 1, modified: 3, deleted: 0, unchanged: 0 });

    assert.equal((await publish()).results[0]!.successful[0]!.action, "updated");
    const after = (await production("workflows.retrieve", { params: { workflowId: "order" } })).body;
    assert.equal(after._id, before._id);
    assert.equal(after.createdAt, before.createdAt);
    const idOf = (steps: typeof after.steps, stepId: string) => steps.find((step) => step.stepId === stepId)!._id;
    assert.equal(idOf(after.steps, "note"), idOf(before.steps, "note"));
    await settled(production, await trigger(production, "order", "bob"));
    assert.equal((await feedOf(production, "bob")).length, 2);
  });
});

describe("what only the target has", () => {
  test("is reported, left alone, and deleted when it is named", async () => {
    await createWorkflow(production, "only-here", [inApp()]);
    await production("layouts.create", { body: { layoutId: "only-here", name: "L" } });
    assert.deepEqual((await diffOf("only-here")).summary, { added: 0, modified: 0, deleted: 1, unchanged: 0 });
    const all = await publish();
    assert.equal(all.summary.successful, 0);
    const reasons = all.results.map((result) => result.skipped.find((one) => one.resourceId === "only-here")?.reason);
    assert.deepEqual(new Set(reasons), new Set(["Exists only in the target; name it in resources to delete it"]));

    const resources = (["workflow", "layout"] as const).map((resourceType) => ({
      resourceType,
      resourceId: "only-here",
    }));
    const report = await publish({ resources });
    assert.deepEqual(
      report.results.map((result) => result.successful[0]!.action),
      ["deleted", "deleted"],
    );
    await assertRefused(
      production,
      "workflows.retrieve",
      { params: { workflowId: "only-here" } },
      {
        code: "WORKFLOW_NOT_FOUND",
      },
    );
    await assertRefused(
      production,
      "layouts.retrieve",
      { params: { layoutId: "only-here" } },
      { code: "LAYOUT_NOT_FOUND" },
    );
  });

  test("a default layout and one in use stay", async () => {
    for (const layoutId of ["kept", "used"]) {
      await production("layouts.create", { body: { layoutId, name: layoutId } });
    }
    await sql`update layouts set is_default = false where environment_id = ${environmentIds.production!}`.execute(db);
    await sql`update layouts set is_default = true where layout_id = 'kept'`.execute(db);
    await createWorkflow(production, "user", [email()]);
    await sql`update workflows set steps = jsonb_set(steps, '{0,controlValues,layoutId}', '"used"')
      where workflow_id = 'user'`.execute(db);
    const resources = ["kept", "used"].map((resourceId) => ({ resourceType: "layout", resourceId }));
    const { failed } = (await publish({ resources })).results[1]!;
    assert.deepEqual(
      failed.map(({ resourceId, error }) => [resourceId, error]),
      [
        ["kept", "It is the default layout of the target environment"],
        ["used", "It is used by workflows: user"],
      ],
    );
    const gone = await publish({
      resources: [...resources.slice(1), { resourceType: "workflow", resourceId: "user" }],
    });
    assert.deepEqual(gone.summary, { resources: 2, successful: 2, failed: 0, skipped: 0 });
  });
});
