// Issues of steps that change a subscriber or start another workflow.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { StepIn } from "@tidings/contract";
import { shareService } from "@tidings/testkit/service";
import { createWorkflow, inApp } from "@tidings/testkit/verbs";

const { client, production } = await shareService();

type Step = { name: string; type: StepIn["type"]; controlValues: Record<string, unknown> };
const step = (type: StepIn["type"], controlValues: object): Step => ({
  name: "Step",
  type,
  controlValues: controlValues as Step["controlValues"],
});
const start = (workflowId: string, more: object = {}) => step("start_workflow", { workflowId, ...more });
let count = 0;

/** By the path of the control. */
async function issuesOf(steps: Step[], workflowId = `issues-${count++}`): Promise<Record<string, string>> {
  await createWorkflow(client, workflowId, steps);
  return readIssues(workflowId);
}
async function readIssues(workflowId: string): Promise<Record<string, string>> {
  const { body } = await client("workflows.retrieve", { params: { workflowId } });
  const found = Object.entries(body.steps[0]!.issues?.controls ?? {});
  return Object.fromEntries(found.map(([path, issues]) => [path, issues[0]!.message]));
}

await createWorkflow(client, "target", [inApp()]);
await createWorkflow(production, "elsewhere", [inApp()]);

const cases: [string, Step, Record<string, RegExp>][] = [
  ["nothing to change", step("update_subscriber", { firstName: " " }), { data: /It changes nothing/ }],
  [
    "values that are not valid",
    step("update_subscriber", { email: "nobody", locale: "?", timezone: "Mars/Base", phone: "{{ payload.phone }}" }),
    { email: /email has an invalid format/, locale: /locale has/, timezone: /timezone has an invalid format/ },
  ],
  ["data that is not JSON", step("update_subscriber", { data: '{ "a": }' }), { data: /data is not JSON: / }],
  ["data that is no object", step("update_subscriber", { data: "[1]" }), { data: /data must be a JSON object/ }],
  [
    "an unknown variable",
    step("update_subscriber", { data: '{ "a": {{ subscriber.nosuch }} }' }),
    { data: /subscriber.nosuch is not a variable/ },
  ],
  ["no issue", step("update_subscriber", { timezone: "Europe/Berlin", data: '{ "a": {{ payload.a }} }' }), {}],
  ["no workflow", step("start_workflow", {}), { workflowId: /workflowId is required/ }],
  ["an unknown workflow", start("nosuch"), { workflowId: /Workflow nosuch does not exist in this environment/ }],
  ["a workflow of another environment", start("elsewhere"), { workflowId: /Workflow elsewhere does not exist/ }],
  [
    "recipients that name nobody, or two",
    start("target", { to: [{}, { subscriberId: "" }, { subscriberId: "a", topicKey: "b" }, { topicKey: "b" }] }),
    { "to.0": /to.0 names nobody/, "to.1": /to.1 names nobody/, "to.2": /make it two recipients/ },
  ],
  ["a payload that is not JSON", start("target", { payload: "{" }), { payload: /payload is not JSON: / }],
  [
    "none",
    start("target", { to: [{ topicKey: "team-{{ payload.team }}" }], payload: '{ "a": "{{ payload.a }}" }' }),
    {},
  ],
];

for (const [name, one, expected] of cases) {
  test(name, async () => {
    const issues = await issuesOf([one]);
    assert.deepEqual(Object.keys(issues).toSorted(), Object.keys(expected).toSorted());
    for (const [path, message] of Object.entries(expected)) assert.match(issues[path]!, message);
  });
}

describe("workflows that start each other", () => {
  test("itself", async () => {
    assert.match((await issuesOf([start("self")], "self")).workflowId!, /: self → self\. They end after 8 rounds/);
  });

  test("through others, on each of them", async () => {
    await createWorkflow(client, "a", [start("b")]);
    await createWorkflow(client, "b", [start("target"), start("c")]);
    assert.deepEqual(await readIssues("b"), {});
    await createWorkflow(client, "c", [start("a")]);
    assert.match((await readIssues("a")).workflowId!, /start each other: a → b → c → a\./);
    assert.match((await readIssues("c")).workflowId!, /start each other: c → a → b → c\./);
    assert.deepEqual(await issuesOf([start("a")]), {});
    await client("workflows.delete", { params: { workflowId: "b" } });
    assert.match((await readIssues("a")).workflowId!, /Workflow b does not exist/);
    assert.deepEqual(await readIssues("c"), {});
  });
});

test("a publish names the workflow that the target does not have", async () => {
  await createWorkflow(client, "starter", [start("target")]);
  const environments = (await client("environments.list", {})).body;
  const target = environments.find(({ name }) => name === "Production")!._id;
  const params = { targetEnvironmentId: target };
  const diff = (await production("environments.diff", { params, body: {} })).body;
  const resource = diff.resources.find(({ sourceResource }) => sourceResource?.id === "starter")!;
  assert.match(resource.checks![0]!.message, /It starts the workflow target, which Production does not have yet/);
  const body = { resources: [{ resourceType: "workflow" as const, resourceId: "starter" }] };
  const { results } = (await production("environments.publish", { params, body })).body;
  const [copied] = results.flatMap(({ successful }) => successful);
  assert.match(copied!.issues![0]!.message, /Workflow target does not exist in this environment/);
});
