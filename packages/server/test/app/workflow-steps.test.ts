// Steps of workflows: reading one, its schemas and variables, and control values that are refused or dropped.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { stepControlSchemas, stepUiSchemas } from "@tidings/contract";
import { sql } from "kysely";
import { assertRefused } from "../support/refusals.ts";
import { startTestService } from "../support/service.ts";
import { createWorkflow, email, inApp } from "../support/verbs.ts";

const service = await startTestService();
const { client, production, db } = service;

const digest = { name: "Digest", type: "digest" as const, controlValues: { amount: 1, unit: "hours" } };
const step = async (workflowId: string, stepId: string) =>
  (await client("workflows.retrieveStep", { params: { workflowId, stepId } })).body;

describe("retrieveStep", () => {
  test("200 with the body of the contract, by id, identifier or slug of both", async () => {
    const workflow = await createWorkflow(client, "order", [
      digest,
      inApp({ subject: "Hi", body: "{{payload.a}}" }),
      email(),
    ]);
    const own = workflow.steps[1]!;
    for (const workflowId of [workflow._id, workflow.workflowId, workflow.slug]) {
      for (const stepId of [own._id, own.stepId, own.slug, `stale_st_${own.slug.slice(-22)}`]) {
        assert.deepEqual(await step(workflowId, stepId), own);
      }
    }
    const { variables, issues, ...rest } = own;
    assert.deepEqual(rest, {
      _id: own._id,
      stepId: "in-app",
      name: "In-app",
      slug: own.slug,
      type: "in_app",
      origin: "svc-cloud",
      workflowId: "order",
      workflowDatabaseId: workflow._id,
      controls: {
        dataSchema: stepControlSchemas.in_app,
        uiSchema: JSON.parse(JSON.stringify(stepUiSchemas.in_app)),
        values: { subject: "Hi", body: "{{payload.a}}" },
      },
      controlValues: { subject: "Hi", body: "{{payload.a}}" },
      active: true,
      shouldStopOnFail: false,
    });
    assert.match(own.slug, /^in-app_st_[0-9A-Za-z]{22}$/);
    assert.equal("issues" in (await step("order", "digest")), false);
  });

  test("unknown workflows, unknown steps, steps of other workflows and environments are 404", async () => {
    const other = await createWorkflow(client, "other", [inApp()]);
    const at = (workflowId: string, stepId: string) => ({ params: { workflowId, stepId } });
    await assertRefused(client, "workflows.retrieveStep", at("nope", "in-app"), {
      code: "WORKFLOW_NOT_FOUND",
      message: "Workflow nope not found",
    });
    const body = await assertRefused(client, "workflows.retrieveStep", at("order", "nope"), {
      code: "STEP_NOT_FOUND",
      message: "Step nope not found in workflow order",
    });
    assert.deepEqual(body.ctx, { stepId: "nope", workflowId: "order" });
    for (const stepId of [other.steps[0]!._id, other.steps[0]!.slug, "x".repeat(2000), "\0"]) {
      await assertRefused(client, "workflows.retrieveStep", at("order", stepId), { code: "STEP_NOT_FOUND" });
    }
    await assertRefused(production, "workflows.retrieveStep", at("order", "in-app"), { code: "WORKFLOW_NOT_FOUND" });
  });
});

describe("variables", () => {
  type Schema = { properties: Record<string, Schema>; additionalProperties?: unknown; type?: string; items?: Schema };
  const variablesOf = async (workflowId: string, stepId: string) =>
    (await step(workflowId, stepId)).variables as unknown as Schema;

  test("the roots, the payload's schema, results of earlier steps only", async () => {
    const payloadSchema = { type: "object", properties: { order: { type: "string" } }, additionalProperties: false };
    await createWorkflow(client, "vars", [digest, inApp(), email()], { payloadSchema });
    const first = await variablesOf("vars", "digest");
    assert.equal(first.additionalProperties, false);
    const roots = ["actor", "context", "payload", "steps", "subscriber", "tenant", "workflow"];
    assert.deepEqual(Object.keys(first.properties).sort(), roots);
    assert.deepEqual(first.properties.payload, payloadSchema);
    assert.deepEqual(first.properties.steps!.properties, {});
    const people = "avatar data email firstName isOnline lastName lastOnlineAt locale phone subscriberId timezone";
    assert.deepEqual(Object.keys(first.properties.subscriber!.properties).sort(), people.split(" "));
    assert.deepEqual(Object.keys(first.properties.tenant!.properties).sort(), ["data", "identifier", "name"]);
    const flow = "description name severity tags workflowId";
    assert.deepEqual(Object.keys(first.properties.workflow!.properties).sort(), flow.split(" "));
    const { properties } = (await variablesOf("vars", "email")).properties.steps!;
    assert.deepEqual(Object.keys(properties), ["digest", "in-app"]);
    assert.deepEqual(Object.keys(properties["in-app"]!.properties).sort(), [
      "lastReadDate",
      "lastSeenDate",
      "read",
      "seen",
    ]);
    const { events, eventCount } = properties.digest!.properties;
    assert.equal(eventCount!.type, "number");
    assert.deepEqual(events!.items!.properties.payload, payloadSchema);
    assert.deepEqual(Object.keys(events!.items!.properties).sort(), ["id", "payload", "time"]);
  });

  test("t is there with translations, an open payload without a schema", async () => {
    await createWorkflow(client, "texts", [inApp()], { isTranslationEnabled: true });
    const { properties } = await variablesOf("texts", "in-app");
    assert.equal(properties.t!.additionalProperties, true);
    assert.deepEqual(properties.payload, { type: "object", additionalProperties: true });
  });

  test("of step types that cannot be saved yet", async () => {
    const types = ["sms", "push", "chat", "throttle", "custom"];
    const kept = types.map((type) => ({ id: crypto.randomUUID(), stepId: type, name: type, type, active: true }));
    const steps = kept.map((one) => ({ ...one, controlValues: { custom: { color: "red" } }, shouldStopOnFail: false }));
    await createWorkflow(client, "future", [inApp()]);
    await sql`update workflows set steps = ${JSON.stringify(steps)}::jsonb || steps where workflow_id = 'future'`.execute(
      db,
    );
    const { properties } = (await variablesOf("future", "in-app")).properties.steps!;
    const names = Object.fromEntries(types.map((type) => [type, Object.keys(properties[type]!.properties)]));
    assert.deepEqual(names, {
      sms: ["status"],
      push: ["status"],
      chat: ["status"],
      throttle: ["throttled", "executionCount", "threshold", "throttledUntil"],
      custom: ["color"],
    });
    const custom = await step("future", "custom");
    assert.equal("uiSchema" in custom.controls, false);
    assert.deepEqual((await step("future", "sms")).issues!.integration!.sms![0]!.issueType, "MISSING_INTEGRATION");
  });
});

describe("control values when saving", () => {
  const save = (steps: object[]) => ({ body: { name: "x", workflowId: "saved", steps } });
  const wait = { amount: 1, unit: "days" };

  test("what the engine cannot carry out yet is refused by name, all at once", async () => {
    const unsupported = (path: string) => [`steps.${path} is not supported yet`];
    await assertRefused(
      client,
      "workflows.create",
      save([
        { name: "a", type: "in_app", controlValues: { body: "x", skip: { "==": [1, 1] } } },
        { name: "b", type: "email", controlValues: { layoutId: "house", editorType: "block", body: "{}", skip: 1 } },
        { name: "c", type: "delay", controlValues: { type: "timed", cron: "* * * * *", extendToSchedule: true } },
        { name: "d", type: "digest", controlValues: { ...wait, lookBackWindow: wait, type: "timed" } },
        { name: "e", type: "delay", controlValues: { type: "never" } },
      ]),
      {
        code: "VALIDATION_ERROR",
        errors: {
          "steps.0.controlValues.skip": unsupported("0.controlValues.skip"),
          "steps.1.controlValues.skip": ["steps.1.controlValues.skip must be an object"],
          "steps.1.controlValues.layoutId": unsupported("1.controlValues.layoutId house"),
          "steps.1.controlValues.editorType": unsupported("1.controlValues.editorType block"),
          "steps.2.controlValues.type": unsupported("2.controlValues.type timed"),
          "steps.2.controlValues.extendToSchedule": unsupported("2.controlValues.extendToSchedule"),
          "steps.3.controlValues.type": unsupported("3.controlValues.type timed"),
          "steps.3.controlValues.lookBackWindow": unsupported("3.controlValues.lookBackWindow"),
          "steps.4.controlValues.type": ["steps.4.controlValues.type must be one of: regular, timed, dynamic"],
        },
      },
    );
  });

  test("values that mean the same as none are taken; unknown members are dropped", async () => {
    const { body } = await client("workflows.create", {
      body: {
        name: "Kept",
        workflowId: "kept",
        steps: [
          {
            name: "a",
            type: "email",
            controlValues: {
              subject: "s",
              body: "b",
              skip: {},
              layoutId: null,
              editorType: "html",
              rendererType: "react-email",
            },
          },
          { name: "b", type: "digest", controlValues: { ...wait, type: "regular", extendToSchedule: false, other: 1 } },
        ],
      },
    });
    assert.deepEqual(body.steps[0]!.controlValues, {
      skip: {},
      subject: "s",
      body: "b",
      editorType: "html",
      rendererType: "react-email",
      layoutId: null,
    });
    assert.deepEqual(body.steps[1]!.controlValues, { type: "regular", ...wait, extendToSchedule: false });
  });

  test("step types the engine does not run are refused", async () => {
    await assertRefused(
      client,
      "workflows.create",
      save([
        { name: "a", type: "sms" },
        { name: "b", type: "trigger" },
      ]),
      {
        code: "VALIDATION_ERROR",
        errors: {
          "steps.0.type": ["steps.0.type must be one of: in_app, email, delay, digest"],
          "steps.1.type": ["steps.1.type must be one of: in_app, email, delay, digest"],
        },
      },
    );
  });
});
