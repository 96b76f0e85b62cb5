// The configuration of an environment as one value, over HTTP: exported, planned, applied.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { FileResources, Input, WorkflowFile } from "@tidings/contract";
import { errorOf } from "@tidings/testkit/http";
import { shareService } from "@tidings/testkit/service";
import { createWorkflow, email, inApp, notificationsOf, trigger } from "@tidings/testkit/verbs";
import { eventually } from "@tidings/testkit/wait";

const service = await shareService();
const { client, production } = service;
// The example that Development begins with.
await client("workflows.delete", { params: { workflowId: "welcome" } });

type Client = typeof client;
const exported = async (from: Client) => (await from("files.export")).body;
const plan = async (on: Client, resources: FileResources, more: Partial<Input<"files.plan">["body"]> = {}) =>
  (await on("files.plan", { body: { resources, ...more } })).body;
const apply = async (on: Client, resources: FileResources, more: Partial<Input<"files.plan">["body"]> = {}) => {
  const { fingerprint } = await plan(on, resources, more);
  return (await on("files.apply", { body: { resources, ...more, expectedFingerprint: fingerprint } })).body;
};
const versionsOf = async (on: Client, workflowId: string) =>
  (await on("workflows.listVersions", { params: { workflowId } })).body.data;
const summary = (changes: { type: string; id: string; action: string }[]) =>
  changes.map(({ type, id, action }) => `${action} ${type} ${id}`).sort();

const hello: WorkflowFile = {
  workflowId: "hello",
  name: "Hello",
  steps: [
    { stepId: "wait", type: "delay", controlValues: { type: "regular", amount: 1, unit: "days" } },
    { stepId: "mail", name: "Mail", type: "email", controlValues: { subject: "Hi", body: "<p>Hi</p>" } },
  ],
};

describe("from one environment to another", () => {
  test("everything is exported, applied, and the same afterwards", async () => {
    await client("layouts.create", { body: { layoutId: "main", name: "Main" } });
    const { _id: layoutId } = (await client("layouts.retrieve", { params: { layoutId: "main" } })).body;
    await createWorkflow(
      client,
      "order-shipped",
      [inApp(), email({ subject: "Shipped", body: "<p>{{payload.id}}</p>", layoutId })],
      {
        tags: ["orders"],
        severity: "high",
        payloadSchema: { type: "object", properties: { id: { type: "string" } } },
        preferences: { workflow: { all: { enabled: true, readOnly: true }, channels: { email: { enabled: false } } } },
        isTranslationEnabled: true,
      },
    );
    const texts = { hello: "Hallo" };
    await client("translations.create", {
      body: { resourceId: "order-shipped", resourceType: "workflow", locale: "de-de", content: texts },
    });
    await client("topics.create", { body: { key: "news", name: "News" } });
    await client("topics.create", { body: { key: "made-by-a-program" } });
    await client("integrations.create", {
      body: {
        providerId: "sendgrid",
        channel: "email",
        identifier: "mail",
        name: "Mail",
        active: true,
        credentials: { apiKey: "SG.secret", from: "a@example.com", senderName: "A" },
        configurations: { inboundWebhookSigningKey: "also-secret", maxPerSecond: 5 },
      },
    });
    const from = await exported(client);
    assert.ok(!JSON.stringify(from).includes("secret"));
    assert.deepEqual(from.resources.topics, [{ key: "news", name: "News" }]);
    const [workflow] = from.resources.workflows!;
    assert.deepEqual(workflow!.translations, { de_DE: texts });
    assert.deepEqual(workflow!.preferences, {
      workflow: { all: { readOnly: true }, channels: { email: { enabled: false } } },
    });
    assert.equal((workflow!.steps[1]!.controlValues as { layoutId: string }).layoutId, "main");
    assert.equal((await plan(client, from.resources, { prune: true })).changes.length, 0);

    const planned = await plan(production, from.resources);
    assert.deepEqual(summary(planned.changes), [
      "created integration mail",
      "created layout main",
      "created topic news",
      "created workflow order-shipped",
    ]);
    assert.deepEqual(planned.changes.find(({ type }) => type === "integration")!.sentences, [
      "New integration, not active yet",
    ]);
    const applied = await apply(production, from.resources);
    assert.match(
      applied.changes.find(({ type }) => type === "integration")!.notes[0]!,
      /until its secrets are entered/,
    );
    const to = await exported(production);
    assert.equal(to.fingerprint, applied.fingerprint);
    const { integrations, ...rest } = from.resources;
    const { integrations: copies, ...copied } = to.resources;
    assert.deepEqual(copied, rest);
    assert.deepEqual(copies, [{ ...integrations![0]!, active: false, primary: undefined }].map(withoutUndefined));
    assert.equal((await plan(production, from.resources)).changes.length, 0);
  });

  test("applying again makes no versions, also with the fingerprint of the first plan", async () => {
    const resources = { workflows: [hello] };
    const { fingerprint } = await plan(production, resources);
    const body = { resources, expectedFingerprint: fingerprint };
    assert.equal((await production("files.apply", { body })).body.changes.length, 1);
    assert.equal((await production("files.apply", { body })).body.changes.length, 0);
    // What means the same is not a change.
    const spelled = { ...hello, active: true, tags: [], severity: "none" as const, description: "" };
    assert.equal((await apply(production, { workflows: [spelled] })).changes.length, 0);
    const versions = await versionsOf(production, "hello");
    assert.deepEqual(
      versions.map((version) => version.summary),
      ["Created from files"],
    );
  });

  test("another environment of the organisation can be read with the key of this one", async () => {
    const { environmentId } = await exported(client);
    const seen = (await production("files.export", { query: { environmentId } })).body;
    assert.deepEqual(seen, { ...(await exported(client)), exportedAt: seen.exportedAt });
    errorOf(await production.raw("files.export", { query: { environmentId: "moon" } }), "ENVIRONMENT_NOT_FOUND");
  });
});

const withoutUndefined = (value: object) => JSON.parse(JSON.stringify(value));

describe("a plan", () => {
  test("says what people will notice, and what becomes of runs under way", async () => {
    await apply(client, { workflows: [hello] });
    const transactionId = await trigger(client, "hello", "ada");
    await eventually(async () => (await notificationsOf(client, transactionId)).length === 1, "its notification");
    const [wait, mail] = hello.steps;
    const next: WorkflowFile = {
      ...hello,
      name: "Hello there",
      active: false,
      translations: { de: { a: "b" } },
      steps: [
        { ...wait!, controlValues: { type: "regular", amount: 2, unit: "hours" } },
        { ...mail!, controlValues: { subject: "Hello", body: "<p>Other</p>" } },
        { stepId: "text", type: "sms", controlValues: { body: "Hi" } },
      ],
    };
    const { changes } = await plan(client, { workflows: [next] });
    assert.deepEqual(changes[0]!.sentences, [
      "The name becomes “Hello there”, was “Hello”",
      "It becomes inactive: events for it notify no subscriber",
      "The delay step wait: it lasts 2 hours, was 1 day",
      "The email step mail: the text changes; the subject becomes “Hello”, was “Hi”",
      "New SMS step text, after mail",
      "New texts in de",
    ]);
    const { inFlight } = changes[0]!;
    assert.equal(
      inFlight!.text,
      "1 run is in progress: it will finish with the version it started with. " +
        "1 run waits in wait, which changes: it continues as before",
    );
    assert.deepEqual(
      inFlight!.data.map(({ step, wait: waits, version, count }) => [step.stepId, waits, version, count]),
      [["wait", "delay", 1, 1]],
    );
    const kept = await plan(client, { workflows: [] });
    assert.deepEqual(summary(kept.changes), []);
    assert.deepEqual(
      kept.kept.map(({ id, reason }) => [id, reason]),
      [
        ["hello", "it is not in the files; prune deletes it"],
        ["order-shipped", "it is not in the files; prune deletes it"],
      ],
    );
    const others = (await exported(client)).resources.workflows!.filter(({ workflowId }) => workflowId !== "hello");
    const pruned = await apply(client, { workflows: others }, { prune: true });
    assert.equal(pruned.changes[0]!.inFlight!.text, "1 run is in progress: it will be canceled");
    const [notification] = await notificationsOf(client, transactionId);
    assert.ok(
      notification!.jobs!.every(({ status }) => status === "canceled"),
      JSON.stringify(notification!.jobs),
    );
    assert.equal((await client.raw("workflows.retrieve", { params: { workflowId: "hello" } })).status, 404);
  });

  test("tells what changed since the fingerprints were taken", async () => {
    const { fingerprints: pulled, resources } = await exported(client);
    await client("workflows.patch", { params: { workflowId: "order-shipped" }, body: { name: "By hand" } });
    await createWorkflow(client, "by-hand", [inApp()]);
    await client("topics.delete", { params: { topicKey: "news" } });
    const { drift } = await plan(client, resources, { pulled });
    assert.deepEqual(drift, [
      { type: "topic", id: "news", kind: "deleted", isOverwritten: true },
      { type: "workflow", id: "by-hand", kind: "created", isOverwritten: false },
      { type: "workflow", id: "order-shipped", kind: "changed", isOverwritten: true },
    ]);
    await client("workflows.delete", { params: { workflowId: "by-hand" } });
  });

  test("the default layout moves, and a layout in use is kept", async () => {
    const { resources } = await exported(client);
    const other = { layoutId: "other", name: "Other", isDefault: true, body: "{{content}}" };
    await apply(client, { layouts: [...resources.layouts!.map((one) => ({ ...one, isDefault: false })), other] });
    const layouts = (await exported(client)).resources.layouts!;
    assert.deepEqual(
      layouts.map(({ layoutId, isDefault }) => [layoutId, isDefault]),
      [
        ["main", undefined],
        ["other", true],
      ],
    );
    const { kept, changes } = await plan(client, { layouts: [] }, { prune: true });
    assert.deepEqual(changes, []);
    assert.deepEqual(
      kept.map(({ id, reason }) => [id, reason]),
      [
        ["main", "workflow order-shipped uses it"],
        ["other", "it is the default layout; make another one the default first"],
      ],
    );
  });

  test("an integration whose secrets are entered becomes active and primary by its file", async () => {
    const file = { identifier: "mail", name: "Mail", providerId: "sendgrid" as const, channel: "email" as const };
    const resources = { integrations: [{ ...file, primary: true, configurations: { maxPerSecond: 5 } }] };
    assert.deepEqual((await plan(production, resources)).changes, []);
    await production("integrations.update", {
      params: { integrationId: await idOf(production, "mail") },
      body: { credentials: { apiKey: "SG.x", from: "a@example.com", senderName: "A" } },
    });
    assert.deepEqual((await apply(production, resources)).changes[0]!.sentences, [
      "It is switched on",
      "It becomes the primary integration: messages of its channel go through it",
    ]);
    const { active, primary } = (await exported(production)).resources.integrations![0]!;
    assert.deepEqual([active, primary], [undefined, true]);
    await apply(client, { integrations: [{ ...file, configurations: { maxPerSecond: 6 } }] });
    const row = (await client("integrations.list")).body.find(({ identifier }) => identifier === "mail")!;
    assert.deepEqual(row.configurations, { inboundWebhookSigningKey: "********", maxPerSecond: 6 });
  });
});

const idOf = async (on: Client, wanted: string) =>
  (await on("integrations.list")).body.find(({ identifier }) => identifier === wanted)!._id!;

describe("all or nothing", () => {
  test("one broken resource refuses all, and every fault is named", async () => {
    const before = await exported(client);
    const broken: FileResources = {
      workflows: [
        { ...hello, workflowId: "fine" },
        {
          ...hello,
          workflowId: "broken",
          payloadSchema: { type: "nonsense" },
          steps: [
            { stepId: "a", type: "sms", controlValues: { body: 1, colour: "red" } },
            { stepId: "a", type: "sms" },
          ],
        },
        { ...hello, workflowId: "fine" },
      ],
      integrations: [
        { identifier: "svc-default", name: "x", providerId: "svc", channel: "in_app" },
        { identifier: "mail", name: "x", providerId: "resend", channel: "sms" },
        { identifier: "second-inbox", name: "x", providerId: "svc", channel: "in_app" },
      ],
      topics: [
        { key: "twice", name: "A" },
        { key: " twice ", name: "B" },
      ],
    };
    for (const id of ["files.plan", "files.apply"] as const) {
      const body = { resources: broken, expectedFingerprint: before.fingerprint };
      const error = errorOf(await client.raw(id, { body }), "VALIDATION_ERROR");
      assert.deepEqual(Object.keys(error.errors as object).sort(), [
        "resources.integrations.0.identifier",
        "resources.integrations.1.channel",
        "resources.integrations.2.identifier",
        "resources.topics.1.key",
        "resources.workflows.1.payloadSchema",
        "resources.workflows.1.steps.0.controlValues.body",
        "resources.workflows.1.steps.0.controlValues.colour",
        "resources.workflows.1.steps.1.stepId",
        "resources.workflows.2.workflowId",
      ]);
    }
    const misspelt = { ...hello, colour: "red" } as WorkflowFile;
    const refused = await client.raw("files.plan", { body: { resources: { workflows: [misspelt] } } });
    const error = errorOf(refused, "VALIDATION_ERROR");
    assert.deepEqual(Object.keys(error.errors as object), ["resources.workflows.0.colour"]);
    assert.equal((await exported(client)).fingerprint, before.fingerprint);
    const other = { identifier: "mail", name: "x", providerId: "resend" as const, channel: "email" as const };
    const moved = await client.raw("files.plan", { body: { resources: { integrations: [other] } } });
    assert.deepEqual(Object.keys(errorOf(moved, "VALIDATION_ERROR").errors as object), [
      "resources.integrations.0.providerId",
    ]);
  });

  test("a long text of characters beyond the first plane is applied, wherever the audit log cuts it", async () => {
    for (const lead of ["", "x"]) {
      const step = { stepId: "text", type: "sms" as const, controlValues: { body: lead + "😀".repeat(1_500) } };
      const { changes } = await apply(client, { workflows: [{ workflowId: "long", name: "Long", steps: [step] }] });
      assert.equal(changes.length, 1);
    }
  });

  test("a workflow or layout with an error is applied only when that is asked for", async () => {
    const mail = {
      stepId: "mail",
      type: "email" as const,
      controlValues: { subject: "S", body: "B", layoutId: "nope" },
    };
    const resources = {
      workflows: [
        { ...hello, workflowId: "sound" },
        { workflowId: "unsound", name: "Unsound", steps: [mail] },
      ],
      layouts: [{ layoutId: "empty", name: "Empty", body: "<p></p>" }],
    };
    const { issues, fingerprint } = await plan(client, resources);
    assert.deepEqual(
      issues.map(({ type, id, field, message, isBlocking }) => [type, id, field, message, isBlocking]),
      [
        ["layout", "empty", "resources.layouts.0.body", "The body must contain {{content}}", true],
        [
          "workflow",
          "unsound",
          "resources.workflows.1.steps.0.controlValues.layoutId",
          "Layout nope does not exist in this environment",
          true,
        ],
      ],
    );
    const body = { resources, expectedFingerprint: fingerprint };
    const refused = errorOf(await client.raw("files.apply", { body }), "FILES_HAVE_ISSUES");
    assert.deepEqual((refused as { issues?: unknown }).issues, issues);
    assert.equal((await client.raw("workflows.retrieve", { params: { workflowId: "sound" } })).status, 404);
    const applied = (await client("files.apply", { body: { ...body, allowIssues: true } })).body;
    assert.deepEqual(applied.issues, issues);
    assert.deepEqual((await plan(client, resources)).issues, [], "what is in place already is not said again");
    const fixed = { ...resources, layouts: [{ layoutId: "nope", name: "Nope", body: "{{content}}" }] };
    const changed = { ...fixed, workflows: [{ ...resources.workflows[1]!, name: "Mended" }] };
    assert.deepEqual((await plan(client, changed)).issues, [], "a layout of the same request exists");
  });

  test("a change between plan and apply is a conflict, and of two applies at once one wins", async () => {
    const wanted = (name: string) => ({ workflows: [{ ...hello, workflowId: "raced", name }] });
    const { fingerprint } = await plan(client, wanted("A"));
    await client("topics.create", { body: { key: "between", name: "Between" } });
    const body = { resources: wanted("A"), expectedFingerprint: fingerprint };
    errorOf(await client.raw("files.apply", { body }), "FILES_CHANGED");
    const now = (await plan(client, wanted("A"))).fingerprint;
    const both = await Promise.all(
      ["A", "B"].map((name) =>
        client.raw("files.apply", { body: { resources: wanted(name), expectedFingerprint: now } }),
      ),
    );
    assert.deepEqual(both.map(({ status }) => status).sort(), [200, 409]);
    assert.equal((await versionsOf(client, "raced")).length, 1);
  });
});
