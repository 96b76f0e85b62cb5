// Publishing: selections, layouts that workflows need, one workflow alone, and what is refused.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createClient } from "@tidings/testkit/client";
import { assertRefused } from "@tidings/testkit/refusals";
import { startTestService } from "@tidings/testkit/service";
import { createWorkflow, email, inApp } from "@tidings/testkit/verbs";
import { sql } from "kysely";

const service = await startTestService();
const { client, production, db } = service;

const toProduction = { targetEnvironmentId: "production" };
const publish = async (body: object = {}) =>
  (await production("environments.publish", { params: toProduction, body })).body;
const workflow = (resourceId: string) => ({ resourceType: "workflow", resourceId });

/** Steps cannot be saved with a layout yet; what they will look like then is written by hand. */
const useLayout = (workflowId: string, layoutId: string) =>
  sql`update workflows set steps = jsonb_set(steps, '{0,controlValues,layoutId}', ${JSON.stringify(layoutId)}::jsonb)
    where workflow_id = ${workflowId}`.execute(db);

describe("selections", () => {
  test("only what is named; unknown names fail and do not stop the others; the same name twice counts once", async () => {
    await createWorkflow(client, "one", [inApp()]);
    await createWorkflow(client, "two", [inApp()]);
    const { results, summary } = await publish({ resources: [workflow("one"), workflow("one"), workflow("nope")] });
    assert.deepEqual(summary, { resources: 2, successful: 1, failed: 1, skipped: 0 });
    assert.deepEqual(results[0]!.failed, [
      { resourceType: "workflow", resourceId: "nope", resourceName: "nope", error: "No workflow has this identifier" },
    ]);
    assert.equal((await production("workflows.list")).body.totalCount, 1);
  });

  test("from another environment than the first", async () => {
    const other = (await client("environments.create", { body: { name: "Other", color: "red" } })).body;
    const inside = createClient({ baseUrl: service.url, apiKey: other.apiKeys![0]!.key });
    await createWorkflow(inside, "from-other", [inApp()]);
    const { summary } = await publish({ sourceEnvironmentId: "other" });
    assert.equal(summary.successful, 1);
    await production("workflows.retrieve", { params: { workflowId: "from-other" } });
    const back = { params: { targetEnvironmentId: other._id }, body: { sourceEnvironmentId: "production" } };
    const { resources } = (await inside("environments.diff", back)).body;
    assert.deepEqual(
      resources.map((one) => one.sourceResource!.id),
      ["one"],
    );
  });
});

test("the comparison says what to look at before it is published: faults first, then what the target lacks", async () => {
  const staging = (await client("environments.create", { body: { name: "Staging", color: "red" } })).body;
  const inside = createClient({ baseUrl: service.url, apiKey: staging.apiKeys![0]!.key });
  await inside("layouts.create", { body: { layoutId: "brand", name: "Brand" } });
  const noContent = { email: { body: "<p>frame</p>", editorType: "html" as const } };
  await inside("layouts.update", { params: { layoutId: "brand" }, body: { name: "Brand", controlValues: noContent } });
  await createWorkflow(inside, "broken", [email({ subject: "{{ payload.x | truncat: 3 }}", body: "B" })]);
  await createWorkflow(inside, "empty", []);
  await createWorkflow(inside, "fine", [inApp()], { isTranslationEnabled: true });
  const texts = { resourceType: "workflow", resourceId: "fine" } as const;
  await inside("translations.create", { body: { ...texts, locale: "en_US", content: { a: "A", b: { c: "C" } } } });
  await inside("translations.create", { body: { ...texts, locale: "de_DE", content: { a: "A" } } });
  const { resources } = (
    await production("environments.diff", { params: toProduction, body: { sourceEnvironmentId: "staging" } })
  ).body;
  const checksOf = (id: string) =>
    resources
      .find(({ sourceResource }) => sourceResource?.id === id)!
      .checks!.map(({ code, isFault, message }) => [code, isFault, message]);
  assert.deepEqual(checksOf("brand"), [["FAULTY_CONTENT", true, "The body must contain {{content}}"]]);
  assert.deepEqual(checksOf("empty"), [
    ["NO_STEPS", true, "It has no steps: events are accepted, and nobody gets anything"],
  ]);
  assert.deepEqual(checksOf("broken"), [
    ["FAULTY_CONTENT", true, "Email: undefined filter: truncat (line 1, column 1)"],
    ["MISSING_INTEGRATION", false, "Production has no active integration for email"],
    ["LAYOUT_DIFFERS", false, "It uses the default layout Brand, which Production does not have"],
  ]);
  assert.deepEqual(checksOf("fine"), [
    ["INBOX_NOT_CONNECTED", false, "No inbox has asked Production for its notifications yet"],
    ["MISSING_TRANSLATION", false, "Texts are missing in de_DE: b.c"],
  ]);
  // What only the target has is not checked.
  assert.ok(resources.every(({ sourceResource, checks }) => sourceResource !== null || checks === undefined));
});

describe("layouts that workflows need", () => {
  test("that neither environment has are said in the answer, also in that of a dry run", async () => {
    await createWorkflow(client, "lost", [email({ subject: "S", body: "B", layoutId: "nowhere" }), inApp()]);
    const named = { resources: [workflow("lost")] };
    const [planned] = (await publish({ ...named, dryRun: true })).results[0]!.skipped;
    const [done] = (await publish(named)).results[0]!.successful;
    for (const one of [planned!, done!])
      assert.deepEqual(
        one.issues!.map(({ field, message }) => [field, message]),
        [
          ["steps.0.controlValues.layoutId", "Layout nowhere does not exist in this environment"],
          ["steps.0.type", "No active integration for the email channel"],
        ],
      );
    const active = (body: object) => client("workflows.patch", { params: { workflowId: "lost" }, body });
    await active({ active: false });
    const { status, steps } = (await active({ active: true })).body;
    assert.equal(status, "ERROR");
    assert.match(steps[0]!.issues!.controls!.layoutId![0]!.message, /Layout nowhere does not exist/);
  });

  test("block a workflow unless the target has them or gets them", async () => {
    await client("layouts.create", { body: { layoutId: "base", name: "Base" } });
    const needed = (await client("layouts.create", { body: { layoutId: "needed", name: "Needed" } })).body;
    await createWorkflow(client, "mail", [email()]);
    await useLayout("mail", needed._id);
    const dependency = async () => {
      const { resources } = (await production("environments.diff", { params: toProduction, body: {} })).body;
      return resources.find((one) => one.sourceResource?.id === "mail")!.dependencies;
    };
    const described = { resourceType: "layout", resourceId: "needed", resourceName: "Needed" };
    assert.deepEqual(await dependency(), [{ ...described, isBlocking: true, reason: "LAYOUT_REQUIRED_FOR_WORKFLOW" }]);
    const { results } = await publish({ resources: [workflow("mail")] });
    assert.equal(results[0]!.failed[0]!.error, "Layout needed is not in the target environment");
    const sync = { params: { workflowId: "mail" }, body: { targetEnvironmentId: "production" } };
    await assertRefused(production, "workflows.sync", sync, {
      code: "LAYOUT_MISSING_IN_TARGET",
      message: "Workflow mail uses layout needed, which the target environment does not have",
    });
    const both = await publish({ resources: [workflow("mail"), { resourceType: "layout", resourceId: "needed" }] });
    assert.deepEqual(both.summary, { resources: 2, successful: 2, failed: 0, skipped: 0 });
    await client("workflows.patch", { params: { workflowId: "mail" }, body: { name: "Mail 2" } });
    assert.deepEqual(await dependency(), [{ ...described, isBlocking: false, reason: "LAYOUT_EXISTS_IN_TARGET" }]);
    const copy = (await production("workflows.retrieve", { params: { workflowId: "mail" } })).body;
    assert.equal(copy.steps[0]!.controlValues!.layoutId, "needed");
    assert.equal((await production("layouts.retrieve", { params: { layoutId: "needed" } })).body.isDefault, true);
  });
});

describe("workflows.sync", () => {
  test("200 with the workflow as it is in the target now", async () => {
    const made = await createWorkflow(client, "alone", [inApp({ body: "v1" })], { name: "Alone" });
    await createWorkflow(client, "not-this", [inApp()]);
    const sync = (workflowId: string) =>
      production("workflows.sync", { params: { workflowId }, body: { targetEnvironmentId: "production" } });
    const first = await sync(made.slug);
    assert.equal(first.status, 200);
    assert.deepEqual([first.body.workflowId, first.body.name], ["alone", "Alone"]);
    assert.notEqual(first.body._id, made._id);
    assert.ok(first.body.lastPublishedAt);
    const same = await sync("alone");
    assert.deepEqual(same.body, first.body);
    await client("workflows.patch", { params: { workflowId: "alone" }, body: { name: "Renamed" } });
    const second = (await sync(made._id)).body;
    assert.deepEqual([second._id, second.name], [first.body._id, "Renamed"]);
    assert.ok(second.updatedAt > first.body.updatedAt);
    const params = { workflowId: "not-this" };
    await assertRefused(production, "workflows.retrieve", { params }, { code: "WORKFLOW_NOT_FOUND" });
  });

  test("the source may be any environment of the organisation", async () => {
    await createWorkflow(production, "back", [inApp()]);
    const body = { targetEnvironmentId: "development", sourceEnvironmentId: "production" };
    const copy = (await client("workflows.sync", { params: { workflowId: "back" }, body })).body;
    assert.equal(copy.workflowId, "back");
    await client("workflows.retrieve", { params: { workflowId: "back" } });
  });

  test("403, 404, 422 and a workflow that the source does not have", async () => {
    const sync = (workflowId: string, body: object) => ({ params: { workflowId }, body });
    await assertRefused(client, "workflows.sync", sync("alone", {}), {
      code: "VALIDATION_ERROR",
      errors: { targetEnvironmentId: ["targetEnvironmentId is required"] },
    });
    await assertRefused(client, "workflows.sync", sync("alone", { targetEnvironmentId: "development" }), {
      code: "VALIDATION_ERROR",
      errors: { sourceEnvironmentId: ["sourceEnvironmentId must not be the target environment"] },
    });
    await assertRefused(client, "workflows.sync", sync("alone", { targetEnvironmentId: "production" }), {
      code: "FORBIDDEN",
    });
    await assertRefused(production, "workflows.sync", sync("nope", { targetEnvironmentId: "production" }), {
      code: "WORKFLOW_NOT_FOUND",
    });
    await assertRefused(client, "workflows.sync", sync("alone", { targetEnvironmentId: "nope" }), {
      code: "ENVIRONMENT_NOT_FOUND",
    });
    const body = { targetEnvironmentId: "development", sourceEnvironmentId: "production" };
    await assertRefused(client, "workflows.sync", sync("not-this", body), { code: "WORKFLOW_NOT_FOUND" });
  });
});

describe("refusals of diff and publish", () => {
  test("a key of another environment, the source's among them, compares nothing, publishes nothing and tries nothing", async () => {
    await createWorkflow(client, "kept-back", [inApp()]);
    for (const body of [
      {},
      { dryRun: true },
      { sourceEnvironmentId: "development", resources: [workflow("kept-back")] },
    ]) {
      const input = { params: toProduction, body };
      await assertRefused(client, "environments.publish", input, {
        code: "FORBIDDEN",
        message: "This API key may not act on another environment",
      });
    }
    await assertRefused(client, "environments.diff", { params: toProduction, body: {} }, { code: "FORBIDDEN" });
    const params = { workflowId: "kept-back" };
    await assertRefused(production, "workflows.retrieve", { params }, { code: "WORKFLOW_NOT_FOUND" });
  });

  test("unknown environments, an environment and itself, shapes", async () => {
    for (const id of ["environments.diff", "environments.publish"] as const) {
      const call = (targetEnvironmentId: string, body: object) => ({ params: { targetEnvironmentId }, body });
      await assertRefused(client, id, call("nope", {}), {
        code: "ENVIRONMENT_NOT_FOUND",
        message: "Environment with id nope not found",
      });
      await assertRefused(production, id, call("production", { sourceEnvironmentId: "nope" }), {
        code: "ENVIRONMENT_NOT_FOUND",
      });
      await assertRefused(client, id, call("development", {}), {
        code: "VALIDATION_ERROR",
        errors: { sourceEnvironmentId: ["sourceEnvironmentId must not be the target environment"] },
      });
      await assertRefused(
        client,
        id,
        { params: toProduction },
        {
          code: "VALIDATION_ERROR",
          errors: { general: ["Request body is required"] },
        },
      );
    }
    const body = { sourceEnvironmentId: 1, dryRun: "yes", resources: [{ resourceType: "topic" }, "x"] };
    await assertRefused(
      client,
      "environments.publish",
      { params: toProduction, body },
      {
        code: "VALIDATION_ERROR",
        errors: {
          sourceEnvironmentId: ["sourceEnvironmentId must be a string"],
          dryRun: ["dryRun must be a boolean"],
          "resources.0.resourceType": [
            "resources.0.resourceType must be one of: workflow, layout, category, audience, brand, attention",
          ],
          "resources.0.resourceId": ["resources.0.resourceId is required"],
          "resources.1": ["resources.1 must be an object"],
        },
      },
    );
  });

  test("many at once publish once, and a replay answers the same report", async () => {
    await createWorkflow(client, "contended", [inApp()]);
    const reports = await Promise.all(Array.from({ length: 4 }, () => publish({ resources: [workflow("contended")] })));
    assert.equal(reports.filter((report) => report.summary.successful === 1).length, 1);
    await client("workflows.patch", { params: { workflowId: "contended" }, body: { name: "Again" } });
    const input = {
      params: toProduction,
      body: { resources: [workflow("contended")] },
      headers: { "idempotency-key": "p1" },
    };
    const first = await production.raw("environments.publish", input);
    assert.deepEqual((await production.raw("environments.publish", input)).body, first.body);
    const { rows } = await sql<{ count: number }>`
      select count(*) as count from workflow_versions v join workflows w on w.id = v.workflow_id
      join environments e on e.id = w.environment_id
      where w.workflow_id = 'contended' and e.identifier = 'production'`.execute(db);
    assert.equal(rows[0]!.count, 2);
  });
});
