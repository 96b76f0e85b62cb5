// Steps that steer a run, through files, versions and publishing: nothing is lost, and what changes is said.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { FileResources, StepFile, WorkflowFile } from "@tidings/contract";
import { shareService } from "@tidings/testkit/service";
import { notificationsOf, trigger } from "@tidings/testkit/verbs";
import { eventually } from "@tidings/testkit/wait";

const service = await shareService();
const { client, production } = service;

const steps: StepFile[] = [
  {
    stepId: "account",
    type: "http_request",
    controlValues: {
      method: "GET",
      url: "https://billing.example.com/{{ subscriber.subscriberId }}",
      headers: [{ key: "X-Token", value: "first-secret" }],
      responseBodySchema: { type: "object", properties: { plan: { type: "string" } } },
      sampleResponse: { status: 200, body: { plan: "pro" } },
    },
  },
  {
    stepId: "test",
    type: "experiment",
    controlValues: {
      variants: [
        { id: "a", weight: 1 },
        { id: "b", weight: 1 },
      ],
      holdOutPercent: 5,
      goals: ["paid"],
    },
  },
  {
    stepId: "plan",
    name: "Plan",
    type: "branch",
    controlValues: {
      arms: [
        { id: "pro", name: "Pro", condition: { "==": [{ var: "steps.account.plan" }, "pro"] } },
        { id: "b", condition: { "==": [{ var: "steps.test.variant" }, "b"] } },
      ],
    },
  },
  { stepId: "hello", type: "in_app", arm: "plan/pro", controlValues: { body: "Hello" } },
  {
    stepId: "seen",
    type: "wait",
    arm: "plan/pro",
    controlValues: {
      ...{ type: "regular", amount: 2, unit: "days" },
      message: { stepId: "hello", event: "read" },
      onTimeout: "end",
    },
  },
  {
    stepId: "inner",
    name: "Inner",
    type: "branch",
    arm: "plan/pro",
    controlValues: { arms: [{ id: "x", condition: { "!=": [{ var: "payload.x" }, 1] } }] },
  },
  { stepId: "text", type: "sms", arm: "inner/else", controlValues: { body: "Hi" } },
  { stepId: "mail", type: "email", arm: "plan/else", controlValues: { subject: "Hi", body: "<p>Hi</p>" } },
  {
    stepId: "paid",
    type: "wait",
    controlValues: {
      ...{ type: "regular", amount: 1, unit: "days" },
      signal: { name: "paid", key: "{{ payload.id }}", lookBackMinutes: 10 },
      onEvent: "end",
    },
  },
  {
    stepId: "note",
    type: "update_subscriber",
    controlValues: { firstName: "{{ payload.name }}", data: '{"late": true}' },
  },
  {
    stepId: "next",
    type: "start_workflow",
    controlValues: { workflowId: "hold", to: [{ topicKey: "leads" }], payload: '{"id": 1}' },
  },
];
const flow: WorkflowFile = { workflowId: "flow", name: "Flow", steps };
const hold: WorkflowFile = {
  workflowId: "hold",
  name: "Hold",
  steps: [
    {
      stepId: "paid",
      type: "wait",
      controlValues: { type: "regular", amount: 1, unit: "days", signal: { name: "paid" } },
    },
    { stepId: "told", type: "in_app", controlValues: { body: "Paid" } },
  ],
};

type Client = typeof client;
const plan = async (on: Client, resources: FileResources) => (await on("files.plan", { body: { resources } })).body;
const apply = async (on: Client, workflows: WorkflowFile[]) => {
  const { fingerprint } = await plan(on, { workflows });
  const body = { resources: { workflows }, expectedFingerprint: fingerprint, allowIssues: true };
  return (await on("files.apply", { body })).body;
};
const fileOf = async (on: Client, id: string) =>
  (await on("files.export")).body.resources.workflows!.find(({ workflowId }) => workflowId === id);
const changed = (stepId: string, change: (step: StepFile) => StepFile): WorkflowFile => ({
  ...flow,
  steps: steps.map((step) => (step.stepId === stepId ? change(step) : step)),
});
const withValues = (stepId: string, values: object): WorkflowFile =>
  changed(stepId, (step) => ({ ...step, controlValues: { ...step.controlValues, ...values } }));

test("every step type and its place comes back from files, from a publish, and from undoing it", async () => {
  const applied = await apply(client, [flow, hold]);
  assert.match(
    JSON.stringify(applied.changes),
    /New workflow: HTTP request → experiment → branch \(pro: in-app → wait → branch \(else: SMS\) \| else: email\) → wait/,
  );
  assert.deepEqual((await fileOf(client, "flow"))!.steps, steps);
  assert.deepEqual((await plan(client, { workflows: [flow, hold] })).changes, []);
  const publish = () =>
    production("environments.publish", {
      params: { targetEnvironmentId: "production" },
      body: { resources: [{ resourceType: "workflow", resourceId: "flow" }] },
    });
  await publish();
  assert.deepEqual((await fileOf(production, "flow"))!.steps, steps);
  const moved = changed("mail", (step) => ({ ...step, arm: "plan/b" }));
  await apply(client, [moved]);
  const { publishId } = (await publish()).body;
  assert.deepEqual((await fileOf(production, "flow"))!.steps, moved.steps);
  await production("environments.restorePublish", {
    params: { environmentId: "production", publishId: publishId! },
    body: {},
  });
  assert.deepEqual((await fileOf(production, "flow"))!.steps, steps);
  const params = { workflowId: "flow" };
  const [newest, first] = (await client("workflows.listVersions", { params })).body.data;
  const compared = { ...params, fromVersionId: first!.id, toVersionId: newest!.id };
  const diff = (await client("workflows.diffVersions", { params: compared })).body;
  assert.deepEqual(diff.steps[0]!.fields, [{ field: "arm", before: "plan/else", after: "plan/b" }]);
  await apply(client, [flow]);
});

test("a plan and a publish say what changes", async () => {
  const cases: [next: WorkflowFile, planned: string, published: string][] = [
    [
      changed("mail", (step) => ({ ...step, arm: "plan/b" })),
      "The email step mail: moves from the arm else of Plan to the arm b of Plan",
      "Email “mail” moves from the arm else of Plan to the arm b of Plan",
    ],
    [
      { ...flow, steps: steps.map((step) => (step.stepId === "mail" ? { ...step, arm: undefined } : step)) },
      "The email step mail: leaves the arm else of Plan: every run gets to it",
      "Email “mail” leaves the arm else of Plan: every run gets to it",
    ],
    [
      withValues("plan", {
        arms: [
          { id: "pro", name: "Pro", condition: { "==": [{ var: "steps.account.plan" }, "gold"] } },
          { id: "c", condition: { "==": [{ var: "payload.c" }, true] } },
        ],
      }),
      'The branch step plan: takes the arm Pro when steps.account.plan is "gold", was when steps.account.plan is "pro"; ' +
        "gets the arm c, taken when payload.c is true; loses the arm b",
      "Branch “Plan” loses the arm b",
    ],
    [
      withValues("test", { variants: [{ id: "a" }, { id: "b", weight: 3 }], holdOutPercent: 10 }),
      "The experiment step test: changes the weights of its variants, b: 1 → 3; holds out 10 % of people, was 5 %",
      "Experiment “test” holds out 10 % of people, was 5 %",
    ],
    [
      withValues("paid", { signal: { name: "settled", lookBackMinutes: 5 }, onEvent: "continue", amount: 2 }),
      "The wait step paid: it lasts 2 days, was 1 day; waits for the signal settled, was paid; takes signals with any key; " +
        "looks back 5 minutes for a signal; lets the run continue when that happens",
      "Wait “paid” waits for the signal settled, was paid",
    ],
    [
      withValues("account", {
        url: "https://me:first-secret@a.example.com?q=second-secret",
        headers: [{ key: "X-Token", value: "second-secret" }],
      }),
      "The HTTP request step account: calls “https://********@a.example.com?q=********”, was " +
        "“https://billing.example.com/{{ subscriber.subscriberId }}”; sends another value in the header X-Token",
      "HTTP request step “account” sends another value in the header X-Token",
    ],
    [
      withValues("next", { to: [{ subscriberId: "lea" }], workflowId: "welcome" }),
      "The start-workflow step next: starts its workflow for lea; starts the workflow welcome, was hold",
      "Start workflow step “next” starts its workflow for lea",
    ],
    [
      withValues("note", { firstName: "Ada" }),
      "The update-subscriber step note: sets firstName to “Ada”",
      "Update subscriber step “note” sets firstName to “Ada”",
    ],
  ];
  for (const [next, planned, published] of cases) {
    const [change] = (await plan(client, { workflows: [next] })).changes;
    assert.deepEqual(change!.sentences, [planned]);
    await apply(client, [next]);
    const { body } = await production("environments.diff", { params: { targetEnvironmentId: "production" }, body: {} });
    const { sentences } = body.resources.find((one) => one.sourceResource?.id === "flow")!;
    assert.ok(sentences!.includes(published), sentences!.join("\n"));
    assert.doesNotMatch(sentences!.join("\n"), /secret/);
    await apply(client, [flow]);
  }
});

test("runs that wait in a step that is removed continue, and the plan says so", async () => {
  await client("subscribers.create", { body: { subscriberId: "ada" } });
  const transactions = [await trigger(client, "hold", "ada"), await trigger(client, "hold", "bob")];
  await eventually(async () => {
    const runs = await Promise.all(transactions.map((id) => notificationsOf(client, id)));
    return runs.flat().filter(({ jobs }) => jobs?.some(({ status }) => status === "delayed")).length === 2;
  }, "both runs to wait");
  const without = { ...hold, steps: hold.steps.slice(1) };
  const [change] = (await apply(client, [without])).changes;
  assert.equal(
    change!.inFlight!.text,
    "2 runs are in progress: they will finish with the version they started with. " +
      "2 runs wait in paid, which is removed: they continue as before",
  );
  const { reached } = (await client("signals.send", { body: { name: "paid", to: ["ada", "bob"] } })).body;
  assert.equal(reached, 2);
  await eventually(async () => {
    const runs = await Promise.all(transactions.map((id) => notificationsOf(client, id)));
    return runs.flat().every(({ jobs }) => jobs?.every(({ status }) => status === "completed"));
  }, "both runs to end");
});

test("a renamed step is missed where others name it", async () => {
  const renamed = changed("plan", (step) => ({ ...step, stepId: "tariff" }));
  const refused = await client.raw("files.plan", { body: { resources: { workflows: [renamed] } } });
  assert.equal(refused.status, 422);
  assert.match(JSON.stringify(refused.body), /resources\.workflows\.0\.steps\.3\.arm[^}]*there is no step plan/);
  const { issues } = await plan(client, {
    workflows: [changed("hello", (step) => ({ ...step, stepId: "greeting" }))],
  });
  const found = issues.find(({ field }) => field.endsWith("steps.4.controlValues.message.stepId"));
  assert.match(String(found?.message), /hello is not an earlier step that sends a message/);
});
