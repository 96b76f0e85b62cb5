// An installation that speaks the words of the other API is brought over, twice, and the second time changes nothing.
import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { startTestService } from "../../server/test/support/service.ts";
import { createWorkflow, email, inApp } from "../../server/test/support/verbs.ts";
import { openTerminal } from "./support.ts";

const other = await startTestService({ TIDINGS_VOCABULARY: "novu" });
const service = await startTestService();
const terminal = openTerminal(service);
const { client } = service;

await other.client("layouts.create", { body: { layoutId: "frame", name: "Frame" } });
await other.client("layouts.update", {
  params: { layoutId: "frame" },
  body: { name: "Frame", controlValues: { email: { body: "<main>{{content}}</main>", editorType: "html" } } },
});
await createWorkflow(
  other.client,
  "greeting",
  [
    email({ subject: "Hi {{ t.name }}", body: "<p>Hello</p>", layoutId: "frame" }),
    { name: "Wait", type: "delay", controlValues: { amount: 1, unit: "days" } },
    inApp({ body: "Still there?" }),
  ],
  { tags: ["start"], isTranslationEnabled: true, preferences: { user: { channels: { in_app: { enabled: false } } } } },
);
await other.client("translations.create", {
  body: { resourceId: "greeting", resourceType: "workflow", locale: "de_DE", content: { name: "Du" } },
});
await other.client("integrations.create", {
  body: {
    providerId: "sendgrid",
    channel: "email",
    identifier: "sendgrid-main",
    credentials: { apiKey: "s3cret-word", from: "a@example.com", senderName: "A" },
  },
});
for (const subscriberId of ["ada", "bob"])
  await other.client("subscribers.create", {
    body: { subscriberId, email: `${subscriberId}@example.com`, data: { plan: "pro" } },
  });
await other.client("subscribers.updatePreferences", {
  params: { subscriberId: "ada" },
  body: { workflowId: "greeting", channels: { email: false } },
});
await other.client("topicSubscriptions.create", {
  params: { topicKey: "team" },
  body: { subscriptions: ["ada", "bob"] },
});

type Report = { created: Record<string, number>; updated: Record<string, number>; byHand: string[] };

test("everything comes over, without secrets, and the report says what is left to do", async () => {
  writeFileSync(join(terminal.folder, "novu.key"), `${other.apiKey}\n`);
  const ran = await terminal.run(
    "import",
    "novu",
    "--from",
    other.url,
    "--key-file",
    "novu.key",
    "--report",
    "report.json",
  );
  assert.equal(ran.code, 0, ran.stderr);
  assert.match(ran.stdout, /workflows +1 +1/);
  assert.match(ran.stdout, /by hand\n {2}integration sendgrid-main \(sendgrid\): enter its credentials/);
  for (const text of [ran.stdout, ran.stderr, readFileSync(join(terminal.folder, "report.json"), "utf8")])
    assert.ok(!text.includes("s3cret-word") && !text.includes(other.apiKey));
  assert.ok(!existsSync(join(terminal.folder, ".tidings-import.json")));

  const { body: workflow } = await client("workflows.retrieve", { params: { workflowId: "greeting" } });
  assert.deepEqual(
    workflow.steps.map(({ type, controls }) => [
      type,
      controls.values.subject ?? controls.values.body ?? controls.values.amount,
    ]),
    [
      ["email", "Hi {{ t.name }}"],
      ["delay", 1],
      ["in_app", "Still there?"],
    ],
  );
  assert.deepEqual([workflow.tags, workflow.preferences.user?.channels?.in_app?.enabled], [["start"], false]);
  const { body: layout } = await client("layouts.retrieve", { params: { layoutId: "frame" } });
  assert.equal(layout.controls.values.email?.body, "<main>{{content}}</main>");
  const params = { resourceType: "workflow" as const, resourceId: "greeting", locale: "de_DE" };
  assert.deepEqual((await client("translations.retrieve", { params })).body.content, { name: "Du" });
  const { body: integrations } = await client("integrations.list");
  const sendgrid = integrations.find(({ identifier }) => identifier === "sendgrid-main");
  assert.deepEqual([sendgrid?.active, sendgrid?.credentials], [false, {}]);
  const { body: ada } = await client("subscribers.retrieve", { params: { subscriberId: "ada" } });
  assert.deepEqual([ada.email, ada.data], ["ada@example.com", { plan: "pro" }]);
  const { body: preferences } = await client("subscribers.retrievePreferences", { params: { subscriberId: "ada" } });
  assert.equal(preferences.workflows.find((one) => one.workflow.identifier === "greeting")?.channels.email, false);
  const { body: members } = await client("topicSubscriptions.list", { params: { topicKey: "team" } });
  assert.deepEqual(members.data.map(({ subscriber }) => subscriber.subscriberId).sort(), ["ada", "bob"]);
});

test("a repeated import updates, and one that stopped goes on", async () => {
  const again = await terminal.runWith({ input: other.apiKey }, "import", "novu", "--from", other.url, "--json");
  const report = JSON.parse(again.stdout) as Report;
  assert.deepEqual(report.created.workflows, undefined);
  assert.equal(report.updated.workflows, 2, "with the one that every installation begins with");
  const { body } = await client("workflows.list", { query: {} });
  assert.equal(body.workflows.filter(({ workflowId }) => workflowId === "greeting").length, 1);
  const done = ["layouts", "workflows", "integrations", "subscribers"];
  writeFileSync(join(terminal.folder, ".tidings-import.json"), JSON.stringify({ from: other.url, done }));
  const rest = JSON.parse(
    (await terminal.runWith({ input: other.apiKey }, "import", "novu", "--from", other.url, "--json")).stdout,
  ) as Report;
  assert.deepEqual([rest.updated.workflows, rest.updated.topics], [undefined, 1]);
});

test("wrong input is refused", async () => {
  const cases: [argv: string[], code: number, stderr: RegExp][] = [
    [["import"], 64, /Say what to do: novu/],
    [["import", "novu"], 64, /--from <address> is missing/],
    [["import", "novu", "--from", "moon"], 64, /is no http or https address/],
    [["import", "novu", "--from", other.url], 1, /The key of the other installation is missing/],
    [["import", "novu", "--from", other.url, "--key-file", "moon"], 1, /moon cannot be read \(ENOENT\)/],
  ];
  for (const [argv, code, stderr] of cases) {
    const ran = await terminal.run(...argv);
    assert.match(ran.stderr, stderr);
    assert.equal(ran.code, code);
  }
  const wrong = await terminal.runWith({ input: "wrong" }, "import", "novu", "--from", other.url);
  assert.equal(wrong.code, 1);
  assert.match(wrong.stderr, /401/);
});
