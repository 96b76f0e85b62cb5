// Steps of workflows: reading one, its schemas and variables, and control values that are refused or dropped.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { stepDefinitions, stepTypes } from "@tidings/contract";
import { assertRefused } from "@tidings/testkit/refusals";
import { shareService } from "@tidings/testkit/service";
import { createWorkflow, email, inApp } from "@tidings/testkit/verbs";

const service = await shareService();
const { client, production } = service;

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
        dataSchema: stepDefinitions.in_app.controls,
        uiSchema: JSON.parse(JSON.stringify(stepDefinitions.in_app.ui)),
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
    const roots = [
      "actor",
      "audiences",
      "brand",
      "context",
      "env",
      "payload",
      "steps",
      "subscriber",
      "tenant",
      "workflow",
    ];
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
      "sentAt",
      "status",
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

  test("the result that each type has for later steps", async () => {
    const types = ["sms", "push", "chat", "throttle", "custom"] as const;
    const bare = types.map((type) => ({ name: type, type, controlValues: { custom: { color: "red" } } }));
    const made = await createWorkflow(client, "all-types", [...bare, inApp()]);
    const { properties } = (await variablesOf("all-types", "in-app")).properties.steps!;
    const names = Object.fromEntries(types.map((type) => [type, Object.keys(properties[type]!.properties)]));
    assert.deepEqual(names, {
      sms: ["status", "sentAt"],
      push: ["status", "sentAt"],
      chat: ["status", "sentAt"],
      throttle: ["throttled", "executionCount", "threshold", "throttledUntil"],
      custom: ["color"],
    });
    const custom = await step("all-types", "custom");
    assert.equal("uiSchema" in custom.controls, false);
    const missing = Object.fromEntries(
      made.steps.map(({ type, issues }) => [type, Object.keys(issues?.controls ?? {})]),
    );
    assert.deepEqual(missing, {
      sms: ["body"],
      push: ["subject", "body"],
      chat: ["body"],
      throttle: ["amount", "unit"],
      custom: [],
      in_app: [],
    });
    await createWorkflow(production, "all-types", bare);
    for (const type of ["sms", "chat"]) {
      const params = { workflowId: "all-types", stepId: type };
      const { issues } = (await production("workflows.retrieveStep", { params })).body;
      assert.equal(issues?.integration?.[type]?.[0]?.issueType, "MISSING_INTEGRATION", type);
    }
  });
});

describe("control values when saving", () => {
  const save = (steps: object[]) => ({ body: { name: "x", workflowId: "saved", steps } });
  const wait = { amount: 1, unit: "days" };

  test("values of the wrong type are refused by name, all at once", async () => {
    const at = (path: string, words: string): [string, string[]] => {
      const field = `steps.${path}`;
      return [field, [`${field} ${words}`]];
    };
    await assertRefused(
      client,
      "workflows.create",
      save([
        { name: "a", type: "email", controlValues: { layoutId: 5, editorType: "word", skip: 1 } },
        { name: "b", type: "delay", controlValues: { type: "never", amount: -1 } },
        { name: "c", type: "digest", controlValues: { ...wait, lookBackWindow: { amount: 0, unit: "years" } } },
        { name: "d", type: "throttle", controlValues: { amount: 1, unit: "seconds", threshold: 101 } },
        { name: "e", type: "custom", controlValues: { custom: [] } },
        { name: "f", type: "sms", controlValues: { body: 5 } },
      ]),
      {
        code: "VALIDATION_ERROR",
        errors: Object.fromEntries([
          at("0.controlValues.skip", "must be an object"),
          at("0.controlValues.layoutId", "must be a string"),
          at("0.controlValues.editorType", "must be one of: block, html"),
          at("1.controlValues.type", "must be one of: regular, timed, dynamic"),
          at("1.controlValues.amount", "must not be less than 1"),
          at("2.controlValues.lookBackWindow.amount", "must not be less than 1"),
          at("2.controlValues.lookBackWindow.unit", "must be one of: seconds, minutes, hours, days, weeks, months"),
          at("3.controlValues.unit", "must be one of: minutes, hours, days"),
          at("3.controlValues.threshold", "must not be greater than 100"),
          at("4.controlValues.custom", "must be an object"),
          at("5.controlValues.body", "must be a string"),
        ]),
      },
    );
  });

  test("empty values are accepted; unknown members are dropped", async () => {
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

  test("the internal step type and unknown ones are refused", async () => {
    const words = `must be one of: ${stepTypes.join(", ")}`;
    const types = ["trigger", "smoke"];
    const steps = types.map((type) => ({ name: type, type }));
    const errors = Object.fromEntries(
      types.map((_, index) => [`steps.${index}.type`, [`steps.${index}.type ${words}`]]),
    );
    await assertRefused(client, "workflows.create", save(steps), { code: "VALIDATION_ERROR", errors });
  });

  test("classic filters are kept with the step and shown with it", async () => {
    const part = { on: "payload", field: "amount", operator: "LARGER", value: "5" } as const;
    const filters = [{ isNegated: false, type: "GROUP", value: "AND", children: [part] } as const];
    const stored = filters.map((filter) => ({ ...filter, children: [...filter.children] }));
    const made = await createWorkflow(client, "filtered", [{ ...inApp(), filters: stored }, email()]);
    assert.deepEqual(made.steps[0]!.filters, filters);
    assert.equal("filters" in made.steps[1]!, false);
    const short = await createWorkflow(client, "filtered-short", [{ ...inApp(), filters: [{ children: [part] }] }]);
    assert.deepEqual(short.steps[0]!.filters, filters);
    const broken = [{ ...inApp(), filters: [{ children: [{ ...part, value: "{{ payload.x" }] }] }];
    await assertRefused(client, "workflows.create", save(broken), {
      code: "VALIDATION_ERROR",
      errors: {
        "steps.0.filters.0.children.0.value": [
          'steps.0.filters.0.children.0.value is not a valid template: syntax error: output "{{ payload.x" not closed',
        ],
      },
    });
    const unknown = [{ ...inApp(), filters: [{ ...filters[0], children: [{ ...part, operator: "ALIKE" }] }] }];
    await assertRefused(client, "workflows.create", save(unknown), { code: "VALIDATION_ERROR" });
  });
});
