// What is said about variables of the environment while workflows are written, previewed, planned and published.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { StepIn, Workflow } from "@tidings/contract";
import { shareService } from "@tidings/testkit/service";
import { connectInbox, createWorkflow, email, inApp } from "@tidings/testkit/verbs";

const { client, production } = await shareService();
const environments = (await client("environments.list", {})).body;
const [dev, prod] = environments.map(({ _id }) => _id) as [string, string];
for (const one of [client, production]) await connectInbox(one);

const set = (key: string, value: string, isSecret = false, via = client) =>
  via("environmentVariables.create", {
    body: { key, isSecret, values: [{ _environmentId: via === client ? dev : prod, value }] },
  });
await set("BASE_URL", "https://dev.example.com");
await set("API_TOKEN", "canary-4711", true);

const issuesOf = ({ steps }: Workflow) =>
  steps.flatMap(({ issues }) =>
    Object.entries(issues?.controls ?? {}).flatMap(([path, some]) => some.map(({ message }) => `${path}: ${message}`)),
  );
const unset = (key: string, where = "this environment") =>
  `env.${key} has no value in ${where}: set it in Environments under Variables, or with tidings env set ${key}`;
const secret = "env.API_TOKEN is a secret: only the URL, headers and body of an HTTP request can use it";

test("unknown names and secrets outside of requests are issues, which a new value clears", async () => {
  const skip = { or: [{ "==": [{ var: "env.API_TOKEN" }, "x"] }, { "==": [{ var: "env.BASE_URL" }, "x"] }] };
  const steps = [
    inApp({ subject: "{{ env.BASE_URL }}", body: "{{ env.REGION }} {{ env['API_TOKEN'] }}", skip }),
    email({ subject: "{{ env.API_TOKEN }}", body: "<p>{{ env.BASE_URL }}</p>", editorType: "html" }),
  ];
  const created = await createWorkflow(client, "written", steps);
  assert.deepEqual(issuesOf(created), [
    `skip: ${secret}`,
    `body: ${unset("REGION")}`,
    `body: ${secret}`,
    `subject: ${secret}`,
  ]);
  assert.equal(created.status, "ERROR");
  const { env } = created.steps[0]!.variables.properties as { env: { properties: Record<string, object> } };
  assert.deepEqual(Object.keys(env.properties), ["API_TOKEN", "BASE_URL"]);
  await set("REGION", "eu");
  const { body } = await client("workflows.retrieve", { params: { workflowId: "written" } });
  assert.equal(issuesOf(body).filter((one) => one.includes("REGION")).length, 0);
});

test("a request may use secrets in its URL, headers and body, and nowhere else", async () => {
  const request: StepIn = {
    name: "Call",
    type: "http_request",
    controlValues: {
      method: "POST",
      url: "https://example.com/{{ env.API_TOKEN }}",
      headers: [{ key: "authorization", value: "Bearer {{ env.API_TOKEN }}" }],
      body: '{ "token": "{{ env.API_TOKEN }}" }',
      skip: { "==": [{ var: "env.API_TOKEN" }, "x"] },
    },
  };
  assert.deepEqual(issuesOf(await createWorkflow(client, "calling", [request])), [`skip: ${secret}`]);
});

test("layouts have the same issues, and a preview shows values but no secret", async () => {
  const layoutId = "framed";
  await client("layouts.create", { body: { layoutId, name: "Framed" } });
  const body = "<p>{{ env.API_TOKEN }}[{{ env.BASE_URL }}]{{ content }}</p>";
  const controlValues = { email: { body, editorType: "html" as const } };
  const saved = (await client("layouts.update", { params: { layoutId }, body: { name: "Framed", controlValues } }))
    .body;
  assert.deepEqual(
    saved.issues?.controls?.["email.body"]?.map(({ message }) => message),
    [secret],
  );
  const shown = await client("layouts.preview", { params: { layoutId }, body: {} });
  const values = { subject: "{{ env.BASE_URL }}", body: "<p>{{ env.API_TOKEN }}[{{ env.BASE_URL }}]</p>" };
  const mail = await client("workflows.preview", { body: { step: { type: "email", controlValues: values } } });
  for (const { body } of [shown, mail]) {
    assert.match(JSON.stringify(body), /\[https:\/\/dev\.example\.com\]/);
    assert.ok(!JSON.stringify(body).includes("canary-4711"));
  }
});

test("publishing says which variable the target lacks, and copies none", async () => {
  await createWorkflow(client, "published", [inApp({ body: "{{ env.BASE_URL }}" })]);
  const params = { targetEnvironmentId: prod };
  const resources = [{ resourceType: "workflow" as const, resourceId: "published" }];
  const diff = (await production("environments.diff", { params, body: {} })).body;
  const checks = JSON.stringify(diff.resources.find(({ sourceResource: one }) => one?.id === "published"));
  assert.ok(checks.includes(unset("BASE_URL", "Production")), checks);
  const { body } = await production("environments.publish", { params, body: { resources } });
  assert.ok(JSON.stringify(body).includes(unset("BASE_URL", "Production")), JSON.stringify(body));
  assert.deepEqual((await production("environmentVariables.list", {})).body, []);
  await set("BASE_URL", "https://example.com", false, production);
  const after = (await production("workflows.retrieve", { params: { workflowId: "published" } })).body;
  assert.deepEqual(issuesOf(after), []);
});

test("a plan of files refuses a name that the environment lacks, and files have no variables", async () => {
  const exported = (await client("files.export", {})).body;
  assert.ok(!JSON.stringify(exported).includes("dev.example.com"));
  const step = { stepId: "one", ...inApp({ body: "{{ env.MISSING }}" }) };
  const workflows = [{ workflowId: "planned", name: "Planned", active: true, steps: [step] }];
  const { body } = await client.raw("files.plan", { body: { resources: { workflows } } as never });
  assert.ok(JSON.stringify(body).includes(unset("MISSING")), JSON.stringify(body));
});
