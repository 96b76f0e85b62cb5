import assert from "node:assert/strict";
import { test } from "node:test";
import { stepTypes, type Workflow } from "@tidings/contract";
import { faultsOf, refused } from "@tidings/testkit/refusals";
import { shareService } from "@tidings/testkit/service";
import { connectInbox, createWorkflow, email, inApp, notificationsOf, settled, trigger } from "@tidings/testkit/verbs";
import { eventually } from "@tidings/testkit/wait";

const service = await shareService();
const { client, production } = service;
await connectInbox(client);

const retrieve = async (workflowId: string, query: { environmentId?: string } = {}, by = client) =>
  (await by("workflows.retrieve", { params: { workflowId }, query })).body;
const exists = async (workflowId: string) =>
  (await client.raw("workflows.retrieve", { params: { workflowId } })).status === 200;

const allOn = Object.fromEntries(["in_app", "email", "sms", "chat", "push"].map((name) => [name, { enabled: true }]));

test("a workflow is created with everything it was given", async () => {
  const schema = { type: "object", properties: { name: { type: "string" } } };
  const { status, body } = await client("workflows.create", {
    body: {
      name: "Order shipped",
      workflowId: "order-shipped",
      description: "When a parcel leaves",
      tags: [" orders ", "mail", "orders"],
      active: true,
      validatePayload: true,
      payloadSchema: schema,
      severity: "high",
      preferences: { workflow: { all: { readOnly: true }, channels: { email: { enabled: false } } } },
      steps: [inApp({ body: "Hello {{ payload.name }}" }), email()],
    },
  });
  assert.equal(status, 201);
  assert.match(body._id, /^[0-9a-f-]{36}$/);
  assert.match(body.slug, /^order-shipped_wf_[0-9A-Za-z]{22}$/);
  const { name, workflowId, description, tags, active, validatePayload, payloadSchema, severity, origin } = body;
  assert.deepEqual(
    { name, workflowId, description, tags, active, validatePayload, payloadSchema, severity, origin },
    {
      ...{ name: "Order shipped", workflowId: "order-shipped", description: "When a parcel leaves" },
      ...{ tags: ["orders", "mail"], active: true, validatePayload: true, payloadSchema: schema },
      ...{ severity: "high", origin: "svc-cloud" },
    },
  );
  assert.equal(body.status, "ACTIVE");
  assert.equal(body.lastTriggeredAt, null);
  assert.deepEqual(body.payloadExample, { name: "text" });
  assert.deepEqual(body.preferences, {
    user: null,
    default: { all: { enabled: true, readOnly: true }, channels: { ...allOn, email: { enabled: false } } },
  });
  const [first, second] = body.steps;
  assert.deepEqual([first!.stepId, second!.stepId], ["in-app", "email"]);
  assert.match(first!.slug, /^in-app_st_[0-9A-Za-z]{22}$/);
  assert.deepEqual([first!.workflowId, first!.workflowDatabaseId], ["order-shipped", body._id]);
  assert.deepEqual(first!.controls.values, { body: "Hello {{ payload.name }}" });
  assert.deepEqual(first!.controlValues, first!.controls.values);
  assert.deepEqual([first!.active, first!.shouldStopOnFail, first!.issues], [true, false, undefined]);
  assert.equal((first!.controls.uiSchema as { group: string }).group, "IN_APP");
  const variables = second!.variables.properties as Record<string, { properties?: object }>;
  assert.deepEqual(variables.payload, schema);
  assert.deepEqual(Object.keys(variables.steps!.properties!), ["in-app"]);
  assert.deepEqual(await retrieve("order-shipped"), body);
});

test("what is left out has its default", async () => {
  const { body } = await client("workflows.create", { body: { name: "Bare", workflowId: "bare", steps: [] } });
  assert.deepEqual(
    [body.active, body.validatePayload, body.isTranslationEnabled, body.tags, body.severity, body.status],
    [false, false, false, [], "none", "INACTIVE"],
  );
  assert.deepEqual([body.payloadSchema, body.payloadExample, body.description], [null, null, undefined]);
  assert.deepEqual(body.preferences.default, { all: { enabled: true, readOnly: false }, channels: allOn });
});

test("an identifier is taken once, also when many ask at the same time", async () => {
  const create = () => client.raw("workflows.create", { body: { name: "Same", workflowId: "same", steps: [inApp()] } });
  const answers = await Promise.all(Array.from({ length: 6 }, create));
  assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 409, 409, 409, 409, 409]);
  const body = { name: "Same", workflowId: "same", steps: [] };
  const error = await refused(client, "workflows.create", { body }, "WORKFLOW_ID_TAKEN");
  assert.equal(error.message, "Workflow same already exists");
  // Another environment has its own.
  assert.equal((await production("workflows.create", { body })).status, 201);
});

const tooMany = Array.from({ length: 21 }, (_, index) => ({ ...inApp(), stepId: `s${index}` }));
const only = `must be one of: ${stepTypes.join(", ")}`;

const refusals: [name: string, body: Record<string, unknown>, faults: Record<string, string[]>][] = [
  [
    "no name and steps",
    { name: undefined, steps: undefined },
    { name: ["name is required"], steps: ["steps is required"] },
  ],
  ["an empty name", { name: "" }, { name: ["name must not be empty"] }],
  ["a long name", { name: "x".repeat(129) }, { name: ["name must not be longer than 128 characters"] }],
  [
    "a long description",
    { description: "x".repeat(257) },
    { description: ["description must not be longer than 256 characters"] },
  ],
  ["null for a text", { description: null }, { description: ["description must be a string"] }],
  ["an identifier with a space", { workflowId: "a b" }, { workflowId: ["workflowId has an invalid format"] }],
  ["an identifier that ends in a dash", { workflowId: "a-" }, { workflowId: ["workflowId has an invalid format"] }],
  ["more than 20 steps", { steps: tooMany }, { steps: ["steps must contain no more than 20 elements"] }],
  ["17 tags", { tags: Array.from({ length: 17 }, String) }, { tags: ["tags must contain no more than 16 elements"] }],
  ["a tag of spaces", { tags: ["fine", "  "] }, { "tags.1": ["tags.1 must not be empty"] }],
  ["an unknown severity", { severity: "loud" }, { severity: ["severity must be one of: high, medium, low, none"] }],
  ["the internal step type", { steps: [{ name: "T", type: "trigger" }] }, { "steps.0.type": [`steps.0.type ${only}`] }],
  ["an unknown step type", { steps: [{ name: "S", type: "smoke" }] }, { "steps.0.type": [`steps.0.type ${only}`] }],
  [
    "a step without name and type",
    { steps: [{}] },
    { "steps.0.name": ["steps.0.name is required"], "steps.0.type": ["steps.0.type is required"] },
  ],
  [
    "a step id used twice",
    {
      steps: [
        { ...inApp(), stepId: "one" },
        { ...email(), stepId: "one" },
      ],
    },
    { "steps.1.stepId": ["steps.1.stepId must be unique within the workflow"] },
  ],
  [
    "control values of the wrong type",
    {
      steps: [
        inApp({ body: 5, data: [], primaryAction: { label: true } }),
        { name: "D", type: "delay", controlValues: { amount: "1", unit: "hours" } },
      ],
    },
    {
      "steps.0.controlValues.body": ["steps.0.controlValues.body must be a string"],
      "steps.0.controlValues.data": ["steps.0.controlValues.data must be an object"],
      "steps.0.controlValues.primaryAction.label": ["steps.0.controlValues.primaryAction.label must be a string"],
      "steps.1.controlValues.amount": ["steps.1.controlValues.amount must be a number"],
    },
  ],
];

for (const [name, changes, faults] of refusals) {
  test(`${name} is refused and nothing is stored`, async () => {
    const body = { name: "Refused", workflowId: "refused", steps: [inApp()], ...changes };
    assert.deepEqual(await faultsOf(client, "workflows.create", { body }), faults);
    assert.equal(await exists("refused"), false);
  });
}

for (const [name, payloadSchema] of [
  ["an unknown type", { type: "strin" }],
  ["a broken pattern", { type: "object", properties: { a: { type: "string", pattern: "(" } } }],
  ["a reference to elsewhere", { $ref: "https://example.com/schema.json" }],
  ["checks that answer later", { $async: true, type: "object" }],
] as const) {
  test(`a payload schema with ${name} is refused`, async () => {
    const body = { name: "Refused", workflowId: "refused", steps: [], payloadSchema };
    const faults = await faultsOf(client, "workflows.create", { body });
    assert.deepEqual(Object.keys(faults), ["payloadSchema"]);
    assert.match(faults.payloadSchema![0]!, /^payloadSchema is not a valid JSON Schema: ./);
    assert.equal(await exists("refused"), false);
  });
}

test("the example of a payload fits its schema, and is null when no object can", async () => {
  const exampleOf = async (workflowId: string, payloadSchema: Record<string, unknown>) =>
    (await client("workflows.create", { body: { name: "E", workflowId, steps: [], payloadSchema } })).body
      .payloadExample;
  const properties = {
    ...{ text: { type: "string" }, count: { type: "integer", minimum: 3 }, on: { type: "boolean" } },
    ...{ size: { enum: ["s", "m"] }, list: { type: "array", items: { type: "number" } }, late: { default: "x" } },
    nested: { type: "object", properties: { inner: { const: 7 } } },
  };
  assert.deepEqual(await exampleOf("example", { type: "object", properties }), {
    ...{ text: "text", count: 3, on: true, size: "s", list: [1], late: "x" },
    nested: { inner: 7 },
  });
  assert.deepEqual(await exampleOf("example-2020", { $schema: "https://json-schema.org/draft/2020-12/schema" }), null);
  assert.deepEqual(await exampleOf("example-list", { type: "array" }), null);
  assert.deepEqual(await exampleOf("example-text", { type: "string" }), null);
});

test("step ids come from names, numbered when taken, and can be sent back", async () => {
  const name = `${"a".repeat(89)} very long name`;
  const steps = ["Send Mail!", "Send mail", "Ünïcode", "日本", name].map((step) => ({ ...email(), name: step }));
  const created = await createWorkflow(client, "named-steps", [...steps, { ...email(), name: "x", stepId: "unicode" }]);
  assert.deepEqual(
    created.steps.map(({ stepId }) => stepId),
    ["send-mail", "send-mail-1", "unicode-1", "step", "a".repeat(89), "unicode"],
  );
  const body = {
    ...{ name: "N", preferences: {}, origin: "svc-cloud" as const },
    steps: created.steps.map(({ stepId, name }) => ({ ...email(), stepId, name })),
  };
  const updated = (await client("workflows.update", { params: { workflowId: "named-steps" }, body })).body;
  assert.deepEqual(
    updated.steps.map(({ _id }) => _id),
    created.steps.map(({ _id }) => _id),
  );
});

test("a workflow is found by internal id, identifier and slug, and the name part of a slug may be stale", async () => {
  const { _id, slug } = await createWorkflow(client, "findable", [inApp()]);
  const tail = slug.slice(slug.indexOf("_wf_"));
  for (const key of [_id, "findable", slug, `an-old-name${tail}`]) assert.equal((await retrieve(key))._id, _id);
  // An identifier may look like a slug without being one.
  const lookalike = await createWorkflow(client, "look_wf_0000000000000000000000", [inApp()]);
  assert.equal((await retrieve("look_wf_0000000000000000000000"))._id, lookalike._id);
  const other = await production.raw("workflows.retrieve", { params: { workflowId: _id } });
  assert.equal(other.status, 404);
  for (const workflowId of ["missing", "x_wf_1", "0199a1b2-0000-7000-8000-000000000001", "a b/c"]) {
    const error = await refused(client, "workflows.retrieve", { params: { workflowId } }, "WORKFLOW_NOT_FOUND");
    assert.equal(error.message, `Workflow ${workflowId} not found`);
    assert.deepEqual(error.ctx, { workflowId });
  }
});

test("environmentId reads the workflow of the same identifier in another environment", async () => {
  const own = await createWorkflow(client, "both", [inApp()]);
  const other = await createWorkflow(production, "both", [inApp(), inApp()]);
  const environments = (await client("environments.list")).body;
  const target = environments.find(({ type }) => type === "prod")!;
  for (const environmentId of [target._id, target.identifier]) {
    for (const key of ["both", own._id, own.slug, other._id]) {
      assert.equal((await retrieve(key, { environmentId }))._id, other._id, `${environmentId} ${key}`);
    }
  }
  const ownEnvironment = environments.find(({ type }) => type === "dev")!;
  assert.equal((await retrieve("both", { environmentId: ownEnvironment._id }))._id, own._id);
  await createWorkflow(client, "here-only", [inApp()]);
  const absent = { params: { workflowId: "here-only" }, query: { environmentId: target._id } };
  await refused(client, "workflows.retrieve", absent, "WORKFLOW_NOT_FOUND");
  for (const environmentId of ["nowhere", "0199a1b2-0000-7000-8000-000000000001"]) {
    const input = { params: { workflowId: "both" }, query: { environmentId } };
    const error = await refused(client, "workflows.retrieve", input, "ENVIRONMENT_NOT_FOUND");
    assert.equal(error.message, `Environment with id ${environmentId} not found`);
  }
});

test("a deleted workflow takes no events, its waiting jobs are canceled and its identifier is free", async () => {
  const delay = { name: "Wait", type: "delay" as const, controlValues: { amount: 1, unit: "hours" } };
  const first = await createWorkflow(client, "short-lived", [delay, inApp()]);
  const transactionId = await trigger(client, "short-lived", "ada");
  const jobs = async () => (await notificationsOf(client, transactionId))[0]?.jobs?.map(({ status }) => status);
  await eventually(async () => (await jobs())?.[0] === "delayed", "the delay to begin");

  const answer = await client.raw("workflows.delete", { params: { workflowId: first.slug } });
  assert.deepEqual([answer.status, answer.body], [204, undefined]);
  assert.deepEqual(await jobs(), ["canceled", "canceled"]);
  const again = { name: "short-lived", to: "ada" };
  await refused(client, "events.trigger", { body: again }, "WORKFLOW_NOT_FOUND");
  for (const id of ["workflows.retrieve", "workflows.delete"] as const) {
    await refused(client, id, { params: { workflowId: "short-lived" } }, "WORKFLOW_NOT_FOUND");
  }
  const second: Workflow = await createWorkflow(client, "short-lived", [inApp()]);
  assert.notEqual(second._id, first._id);
  await settled(client, await trigger(client, "short-lived", "ada"));
  assert.notEqual((await retrieve("short-lived")).lastTriggeredAt, null);
});
