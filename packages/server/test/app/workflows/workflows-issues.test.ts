// Saving accepts incomplete content: the errors of a step are reported in its issues.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { StepIn } from "@tidings/contract";
import { startTestService } from "@tidings/testkit/service";
import { connectInbox, createWorkflow, email, inApp } from "@tidings/testkit/verbs";

const { client, production } = await startTestService({ TIDINGS_MAX_WAIT_DAYS: "30" });
await connectInbox(client);
await connectInbox(production);

let number = 0;
const issuesOf = async (steps: StepIn[], payloadSchema?: Record<string, unknown>) => {
  const workflow = await createWorkflow(client, `issues-${++number}`, steps, payloadSchema ? { payloadSchema } : {});
  return { status: workflow.status, issues: workflow.steps.at(-1)!.issues };
};

const wait = (type: "delay" | "digest", controlValues: Record<string, unknown>): StepIn => ({
  name: "Wait",
  type,
  controlValues,
});

type Told = Record<string, [issueType: string, message: RegExp | string]>;

const illegal = "ILLEGAL_VARIABLE_IN_CONTROL_VALUE";
const filter = "INVALID_FILTER_ARG_IN_VARIABLE";

const faulty: [name: string, steps: StepIn[], told: Told][] = [
  [
    "in-app without subject and body",
    [inApp({})],
    { body: ["MISSING_VALUE", "Either a subject or a body is required"] },
  ],
  ["in-app with empty texts", [inApp({ subject: "", body: "" })], { body: ["MISSING_VALUE", /Either/] }],
  [
    "a mail without anything",
    [{ name: "Mail", type: "email" }],
    { subject: ["MISSING_VALUE", "subject is required"], body: ["MISSING_VALUE", "body is required"] },
  ],
  ["a mail without a body", [email({ subject: "S" })], { body: ["MISSING_VALUE", "body is required"] }],
  [
    "a delay without a length",
    [wait("delay", {})],
    { amount: ["MISSING_VALUE", "amount is required"], unit: ["MISSING_VALUE", "unit is required"] },
  ],
  [
    "a delay beyond the limit",
    [wait("delay", { amount: 31, unit: "days" })],
    { amount: ["TIER_LIMIT_EXCEEDED", "The wait is longer than the allowed 30 days"] },
  ],
  [
    "a digest beyond the limit",
    [wait("digest", { amount: 9, unit: "months" })],
    { amount: ["TIER_LIMIT_EXCEEDED", /30 days/] },
  ],
  ["a template that is not closed", [inApp({ body: "Hi {{ payload.name" })], { body: [illegal, /not closed/] }],
  [
    "a syntax error that speaks of filters",
    [inApp({ body: "{{ payload.filter }" })],
    { body: [illegal, /not closed/] },
  ],
  ["an unknown tag", [inApp({ body: "{% dance %}" })], { body: [illegal, /dance/] }],
  ["a tag that reads files", [inApp({ body: "{% include 'x' %}" })], { body: [illegal, /include/] }],
  ["an unknown filter", [inApp({ subject: "{{ payload.a | shout }}" })], { subject: [filter, /shout/] }],
  [
    "a name outside the scope",
    [inApp({ body: "{{ name }}" })],
    { body: [illegal, "name is not a variable that can be used here"] },
  ],
  [
    "a misspelt field of the subscriber",
    [inApp({ body: "{{ subscriber.firstname }}" })],
    { body: [illegal, /firstname/] },
  ],
  ["a later step", [inApp({ body: "{{ steps.nothing.events }}" })], { body: [illegal, /steps\.nothing/] }],
  [
    "faults deep inside",
    [inApp({ body: "B", primaryAction: { label: "{{ oops }}", redirect: { url: "{{ payload.url" } } })],
    { "primaryAction.label": [illegal, /oops/], "primaryAction.redirect.url": [illegal, /not closed/] },
  ],
];

for (const [name, steps, told] of faulty) {
  test(`${name} is stored and reported`, async () => {
    const { status, issues } = await issuesOf(steps);
    assert.equal(status, "ERROR");
    assert.deepEqual(Object.keys(issues!.controls!).sort(), Object.keys(told).sort());
    for (const [path, [issueType, message]] of Object.entries(told)) {
      const [issue] = issues!.controls![path]!;
      assert.equal(issue!.issueType, issueType);
      if (typeof message === "string") assert.equal(issue!.message, message);
      else assert.match(issue!.message, message);
    }
  });
}

const digest = { ...wait("digest", { amount: 1, unit: "hours" }), stepId: "grouped" };

const fine: [name: string, steps: StepIn[]][] = [
  [
    "every name of the scope",
    [inApp({ body: "{{ subscriber.data.a.b }}{{ actor.avatar }}{{ workflow.tags }}{{ payload.x }}" })],
  ],
  [
    "names of loops and assignments",
    [
      inApp({
        body: "{% assign q = payload.a %}{% for e in payload.l %}{{ e.x }}{{ q }}{{ forloop.index }}{% endfor %}",
      }),
    ],
  ],
  [
    "what an earlier digest collected",
    [digest, inApp({ body: "{{ steps.grouped.eventCount }}{{ steps.grouped.events[0].payload.a }}" })],
  ],
  [
    "sizes, places and computed names",
    [inApp({ body: "{{ payload.l.size }}{{ payload.l.first }}{{ payload[payload.key].z }}" })],
  ],
  ["a filter of ours", [inApp({ body: "{{ payload.n | pluralize: 'day', 'days' }}" })]],
  ["a wait of exactly the limit", [wait("delay", { amount: 30, unit: "days" })]],
  ["a plain text with braces", [inApp({ body: "{ payload }" })]],
];

for (const [name, steps] of fine) {
  test(`${name}: no issue`, async () => {
    assert.deepEqual(await issuesOf(steps), { status: "ACTIVE", issues: undefined });
  });
}

test("a payload schema that is closed closes the names of the payload", async () => {
  const schema = { type: "object", properties: { known: { type: "string" } } };
  const steps = [inApp({ body: "{{ payload.known }}{{ payload.unknown }}" })];
  assert.equal((await issuesOf(steps, schema)).issues, undefined);
  const closed = await issuesOf(steps, { ...schema, additionalProperties: false });
  const [issue] = closed.issues!.controls!.body!;
  assert.deepEqual([issue!.issueType, issue!.variableName], [illegal, "payload.unknown"]);
});

test("members that a step type does not know are dropped", async () => {
  const { steps } = await createWorkflow(client, "dropped", [inApp({ body: "B", colour: "red", subject: "S" })]);
  assert.deepEqual(steps[0]!.controls.values, { body: "B", subject: "S" });
});

test("a missing integration is an issue until there is an active one", async () => {
  const retrieve = async () => (await production("workflows.retrieve", { params: { workflowId: "mail" } })).body;
  const created = await createWorkflow(production, "mail", [inApp(), email()]);
  assert.equal(created.status, "ERROR");
  assert.equal(created.steps[0]!.issues, undefined);
  assert.deepEqual(created.steps[1]!.issues, {
    integration: {
      email: [
        { issueType: "MISSING_INTEGRATION", message: "No active integration for the email channel", severity: "error" },
      ],
    },
  });
  const credentials = { host: "127.0.0.1", port: "25", user: "u", password: "p", from: "a@example.com" };
  const body = { providerId: "nodemailer", channel: "email", identifier: "mailbox", credentials } as const;
  await production("integrations.create", { body });
  assert.equal((await retrieve()).status, "ERROR", "an inactive integration sends nothing");
  await production("integrations.update", { params: { integrationId: "mailbox" }, body: { active: true } });
  assert.deepEqual([(await retrieve()).status, (await retrieve()).steps[1]!.issues], ["ACTIVE", undefined]);
  await production("integrations.delete", { params: { integrationId: "mailbox" } });
  assert.equal((await retrieve()).status, "ERROR");
});

test("an in-app step needs the in-app integration", async () => {
  await createWorkflow(production, "inbox", [inApp()]);
  const params = { integrationId: "svc-default" };
  await production("integrations.update", { params, body: { active: false } });
  const { body } = await production("workflows.retrieve", { params: { workflowId: "inbox" } });
  assert.equal(body.steps[0]!.issues!.integration!.in_app![0]!.issueType, "MISSING_INTEGRATION");
  await production("integrations.update", { params, body: { active: true } });
});

test("a workflow that is not active is INACTIVE whatever its steps lack", async () => {
  const { status, steps } = await createWorkflow(client, "off", [inApp({})], { active: false });
  assert.equal(status, "INACTIVE");
  assert.ok(steps[0]!.issues);
});
