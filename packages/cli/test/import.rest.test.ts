// An installation that speaks the words of the other API is brought over, twice, and the second time changes nothing.
import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import { shareService } from "@tidings/testkit/service";
import { createWorkflow, email, inApp, settled, trigger } from "@tidings/testkit/verbs";
import { runsWhen, startNovu } from "./novu-fixtures.ts";
import { openTerminal } from "./support.ts";

const other = await shareService({ TIDINGS_VOCABULARY: "novu" });
const service = await shareService();
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

type Report = Record<"created" | "updated" | "unchanged", Record<string, number>> & {
  source: string;
  changed: string[];
  byHand: string[];
};

async function importFrom(url: string): Promise<Report> {
  const ran = await terminal.runWith({ input: other.apiKey }, "import", "novu", "--from", url, "--json");
  assert.equal(ran.code, 0, ran.stderr);
  return JSON.parse(ran.stdout) as Report;
}

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
  assert.match(ran.stdout, /The other installation is Tidings\.\n/);
  assert.match(ran.stdout, /workflows +1 +0 +1/);
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

test("a repeated import writes nothing, and one that stopped goes on", async () => {
  const versionsOf = async () => {
    const { body } = await client("workflows.listVersions", { params: { workflowId: "greeting" }, query: {} });
    return body.data.length;
  };
  const before = await versionsOf();
  const report = await importFrom(other.url);
  assert.deepEqual([report.created, report.updated], [{}, {}]);
  assert.deepEqual(report.unchanged, {
    ...{ layouts: 1, workflows: 2, translations: 1, integrations: 1 },
    ...{ subscribers: 2, preferences: 1, topics: 1, subscriptions: 2 },
  });
  assert.equal(await versionsOf(), before);
  await other.client("workflows.patch", { params: { workflowId: "greeting" }, body: { name: "Greeting, renamed" } });
  assert.deepEqual((await importFrom(other.url)).updated, { workflows: 1 });
  assert.equal(await versionsOf(), before + 1);
  const done = ["layouts", "workflows", "integrations", "subscribers"];
  writeFileSync(join(terminal.folder, ".tidings-import.json"), JSON.stringify({ from: other.url, done }));
  const rest = await importFrom(other.url);
  assert.deepEqual(rest.unchanged, { topics: 1, subscriptions: 2 });
});

test("a condition of Tidings keeps its meaning, also in the words of Novu", async () => {
  const skip = { "==": [{ var: "payload.plan" }, "free"] };
  const settings = { messageClass: "promotional", priority: "low", isCommercial: true } as const;
  await createWorkflow(other.client, "conditional", [inApp({ body: "Hi", skip }), email()], settings);
  const report = await importFrom(other.url);
  assert.deepEqual([report.source, report.changed], ["tidings", []]);
  const { body } = await client("workflows.retrieve", { params: { workflowId: "conditional" } });
  assert.deepEqual(body.steps[0]?.controls.values.skip, skip);
  assert.equal(body.steps[1]?.controls.values.layoutId, undefined);
  const { messageClass, priority, isCommercial } = body;
  assert.deepEqual({ messageClass, priority, isCommercial }, settings, "and so do the settings");
});

test("what Novu means comes over, and every value that is written differently is listed", async () => {
  const report = await importFrom(await startNovu());
  assert.equal(report.source, "novu");
  assert.deepEqual(report.created, {
    ...{ layouts: 1, workflows: 2, integrations: 1, subscribers: 1, topics: 1, subscriptions: 1 },
  });
  const negated = "its condition is negated: Novu runs a step when the rule is true, Tidings skips it";
  for (const stepId of ["pro-only", "not-blocked", "no-code"])
    assert.ok(report.changed.includes(`workflow novu-orders, step ${stepId}: ${negated}`), stepId);
  assert.deepEqual(
    report.changed.filter((line) => line.includes("step always") || line.includes("step framed")),
    [],
  );
  assert.match(report.changed.join("\n"), /novu-mail, step plain: uses no layout/);
  assert.match(report.changed.join("\n"), /novu-mail, step collect: is a timed digest/);
  assert.match(report.changed.join("\n"), /layout novu-frame: is the default layout there, and is not here/);
  assert.match(report.changed.join("\n"), /`outsideSchedule` is `skip`/);
  assert.match(report.changed.join("\n"), /values are escaped in HTML/);
  assert.match(report.changed.join("\n"), /preferences: only choices that differ/);
  assert.deepEqual(report.byHand.toSorted(), [
    "integration novu-fcm-1 (fcm): enter its credentials and switch it on; enter its conditions again: they did not come over",
    "workflow novu-classic: a classic workflow, whose content the API of Novu does not show; create it again",
    "workflow novu-code: its steps are code in your application; register that again",
    "workflow novu-late: the condition uses moreThanXAgo, which Tidings does not have; create it with another condition",
  ]);

  const { body: mail } = await client("workflows.retrieve", { params: { workflowId: "novu-mail" } });
  assert.deepEqual(
    mail.steps.map(({ controls }) => controls.values.layoutId ?? controls.values.type ?? null),
    ["timed", null, "novu-frame"],
  );
  assert.deepEqual([mail.outsideSchedule, mail.status], ["skip", "ACTIVE"]);
  const params = { subscriberId: "novu-ada" };
  const { body: preferences } = await client("subscribers.retrievePreferences", { params });
  const choicesFor = (id: string) => preferences.workflows.find(({ workflow }) => workflow.identifier === id);
  assert.equal(choicesFor("novu-mail")?.channels.email, false);
  assert.deepEqual(
    choicesFor("novu-orders")?.overrides.filter(({ source }) => source === "subscriber"),
    [],
    "a default is not a choice",
  );
  const { body: ada } = await client("subscribers.retrieve", { params });
  assert.deepEqual([ada.phone, ada.channels?.[0]?.credentials.deviceTokens], [undefined, ["token-1"]]);
});

test("a step that came from Novu runs when it would run there", async () => {
  const cases: [payload: object, ran: string[]][] = [
    [{ plan: "pro" }, ["pro-only", "not-blocked", "always"]],
    [{ plan: "free", blocked: true, code: "AX" }, ["always"]],
    [{ blocked: "false", code: "A" }, ["not-blocked", "no-code", "always"]],
  ];
  for (const [payload, expected] of cases) {
    const [notification] = await settled(client, await trigger(client, "novu-orders", "novu-ada", payload));
    const ran = notification!.jobs!.filter(({ status }) => status === "completed").map(({ step }) => step?.name);
    assert.deepEqual(ran, expected, JSON.stringify(payload));
  }
});

test("a repeated import of Novu writes nothing", async () => {
  const { created, updated, unchanged } = await importFrom(await startNovu());
  assert.deepEqual([created, updated], [{}, {}]);
  assert.deepEqual([unchanged.workflows, unchanged.preferences, unchanged.credentials], [2, undefined, 1]);
  const { body } = await client("workflows.retrieve", { params: { workflowId: "novu-orders" } });
  assert.match(JSON.stringify(body.steps[0]?.controls.values.skip), /^\{"!":\[\{"===":/);
  assert.ok(!isDeepStrictEqual(body.steps[0]?.controls.values.skip, runsWhen.isPro));
});

test("an installation that is neither is refused before anything is written", async () => {
  const url = await startNovu({ "/v1/system": { data: { uptime: 1 } } });
  const ran = await terminal.runWith({ input: "key" }, "import", "novu", "--from", url);
  assert.equal(ran.code, 1);
  assert.match(ran.stderr, /neither Novu nor Tidings/);
});

test("wrong input is refused", async () => {
  const cases: [argv: string[], code: number, stderr: RegExp][] = [
    [["import"], 64, /Say what to do: novu/],
    [["import", "novu"], 64, /--from <address> is missing/],
    [["import", "novu", "--from", "moon"], 64, /is not an http or https URL/],
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
