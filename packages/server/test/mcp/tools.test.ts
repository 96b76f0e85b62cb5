// Every tool: what it promises, what the audit log has of it, what it refuses; and the tools that change something.
import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { createClient } from "@tidings/testkit/client";
import { startScriptedMail } from "@tidings/testkit/mail/scripted-mail";
import { startTestService } from "@tidings/testkit/service";
import { createWorkflow, email, inApp, settled, trigger } from "@tidings/testkit/verbs";
import { eventually } from "@tidings/testkit/wait";
import { sql } from "kysely";
import { type Assistant, connectTo } from "./assistant.ts";

const { port } = await startScriptedMail(() => null);
const service = await startTestService();
const { client, db } = service;
const assistant = await connectTo(service);
const { ask, refusal } = assistant;

await client("subscribers.create", { body: { subscriberId: "ada", email: "ada@example.com" } });
await client("subscribers.create", { body: { subscriberId: "tess", data: { isTestPerson: true } } });
await createWorkflow(client, "hello", [inApp({ body: "Hello" }), email()]);
const transactionId = await trigger(client, "hello", "ada");
await settled(client, transactionId);

const files = (name: string) => [
  { path: "tidings.yaml", content: "version: 1\n" },
  {
    path: "workflows/hello/workflow.yaml",
    content: `name: ${name}\nsteps:\n  - stepId: in-app\n    type: in_app\n    controlValues: { body: Hello }\n`,
  },
];
const anyPlan = "x".repeat(43);

/** A valid input of each tool, and what it is about. */
const matrix: Record<string, { input: object; changes?: true; isRefused?: true; about: string }> = {
  find_person: { input: { query: "ada" }, about: "ada" },
  explain: { input: { transactionId, subscriberId: "ada" }, about: transactionId },
  list_activity: { input: { subscriberId: "ada" }, about: transactionId },
  show_run: { input: { transactionId, subscriberId: "ada" }, about: transactionId },
  dry_run: { input: { workflowId: "hello", subscriberIds: ["ada"] }, about: "hello" },
  simulate: { input: { workflowId: "hello", subscriberId: "ada" }, about: "hello" },
  backtest: { input: { files: files("Renamed"), lastDays: 1 }, changes: true, about: "Backtest" },
  validate_and_plan_files: { input: { files: files("Renamed") }, about: "changed workflow hello" },
  list_workflows: { input: {}, about: "hello" },
  read_workflow: { input: { workflowId: "hello" }, about: "hello" },
  preview_content: { input: { workflowId: "hello", stepId: "email" }, about: "hello" },
  dead_letters: { input: {}, about: "0 open letters" },
  system_health: { input: {}, about: "Tidings" },
  apply_plan: { input: { files: files("Renamed"), planId: anyPlan }, changes: true, isRefused: true, about: "plan id" },
  trigger_test: { input: { workflowId: "hello", subscriberId: "ada" }, changes: true, isRefused: true, about: "ada" },
  replay_dead_letters: { input: { workflowId: "hello", atMost: 1 }, changes: true, isRefused: true, about: "No open" },
};

const isRefused = (one: Assistant): Promise<boolean> =>
  one.client.listTools().then(
    () => false,
    (error: Error) => /API_KEY_EXPIRED|expired/.test(error.message),
  );

const auditRows = () =>
  db.selectFrom("audit_log").selectAll().where("operation", "like", "mcp.%").orderBy("id").execute();

describe("every tool", async () => {
  const { tools } = await assistant.client.listTools();

  test("is in the matrix, and says what it does", () => {
    assert.deepEqual(tools.map(({ name }) => name).sort(), Object.keys(matrix).sort());
    for (const { name, title, description, annotations, inputSchema } of tools) {
      assert.ok(title && description && description.length < 400, name);
      assert.equal(annotations?.readOnlyHint, !matrix[name]!.changes, name);
      if (annotations?.readOnlyHint) assert.equal(annotations.destructiveHint, false, name);
      assert.equal(inputSchema.additionalProperties, false, name);
      for (const [argument, schema] of Object.entries(inputSchema.properties ?? {}))
        assert.ok(isBounded(schema as Schema), `${name}: ${argument} has no bound`);
    }
    const destructive = tools.filter(({ annotations }) => annotations?.destructiveHint).map(({ name }) => name);
    assert.deepEqual(destructive.sort(), ["apply_plan", "replay_dead_letters"]);
  });

  for (const [name, { input, about, isRefused }] of Object.entries(matrix))
    test(name, async () => {
      const before = (await auditRows()).length;
      const text = isRefused ? await refusal(name, input) : await ask(name, input);
      assert.ok(text.includes(about), text);
      const entry = (await auditRows()).at(-1)!;
      assert.equal(entry.operation, `mcp.${name}`);
      assert.equal(entry.actor, "API key of development");
      assert.ok(entry.api_key_id && entry.user_agent !== undefined);
      if ("subscriberId" in input) assert.equal(entry.subscriber_id, input.subscriberId);
      if ("subscriberIds" in input) assert.equal(entry.subscriber_id, "ada", "the only one of a list");
      assert.match(await refusal(name, { ...input, mispelt: 1 }), /mispelt is not a known member/);
      assert.equal((await auditRows()).length, before + 2, "what is refused for its arguments is recorded as well");
    });

  test("what people search for is not in the audit log", async () => {
    await refusal("find_person", { query: "secret.person@example.com" });
    assert.ok(!JSON.stringify(await auditRows()).includes("secret.person"));
  });

  test("is recorded with the people, letters and backtest that it was about", async () => {
    const calls: [string, object, object][] = [
      ["dry_run", { workflowId: "hello" }, { subscriberIds: ["ada", "tess"] }],
      ["dry_run", { workflowId: "hello" }, { topicKey: "t", audienceId: "a" }],
      ["replay_dead_letters", { atMost: 1 }, { ids: [anyPlan, "b"] }],
      ["backtest", {}, { backtestId: "none" }],
    ];
    for (const [name, others, about] of calls) {
      await assistant.client.callTool({ name, arguments: { ...others, ...about } });
      const { after, subscriber_id } = (await auditRows()).at(-1)!;
      assert.deepEqual([after, subscriber_id], [{ request: { ...others, ...about } }, null]);
    }
  });

  test("follows the scope of its key, and names the scope that is missing", async () => {
    const { environmentId } = (await client("files.export")).body;
    const connectWith = async (body: object) => {
      const key = (await client("environments.createApiKey", { params: { environmentId }, body } as never)).body;
      return connectTo({ url: service.url, apiKey: (key as { key: string }).key });
    };
    const namesOf = async ({ client: own }: Assistant) =>
      (await own.listTools()).tools.map(({ name }) => name).filter((name) => matrix[name]!.changes);
    const reader = await connectWith({ scope: "read" });
    assert.deepEqual(await namesOf(reader), ["backtest"], "a report may be read");
    assert.match(await reader.ask("list_workflows"), /hello/);
    assert.match(await reader.refusal("backtest", matrix.backtest!.input), /scope full/);
    const sender = await connectWith({ scope: "send" });
    assert.deepEqual(await namesOf(sender), [], "a test person is read before an event is sent");
    const { trigger_test: test } = matrix;
    assert.match(
      await sender.refusal("trigger_test", test!.input),
      /may only send\. subscribers\.retrieve needs scope full/,
    );
    const entry = (await auditRows()).at(-1)!;
    assert.deepEqual([entry.operation, entry.subscriber_id], ["mcp.trigger_test", "ada"], "a refusal is recorded");
    const tester = await connectWith({ scope: "operations", operations: ["events.trigger", "subscribers.retrieve"] });
    assert.deepEqual(await namesOf(tester), ["trigger_test"]);
    const planner = await connectWith({ scope: "operations", operations: ["files.plan", "files.apply"] });
    assert.deepEqual(await namesOf(planner), ["apply_plan"]);
    const expired = await connectWith({ expiresAt: new Date(Date.now() + 1_000).toISOString() });
    await eventually(async () => ((await isRefused(expired)) ? true : null), "the expiry of the key");
  });

  test("that fails unexpectedly says nothing of the error but its ids, and the log has it", async () => {
    await sql`alter table audit_log rename to audit_log_away`.execute(db);
    const text = await refusal("list_workflows").finally(() =>
      sql`alter table audit_log_away rename to audit_log`.execute(db),
    );
    const [, errorId] = /^The service could not answer: .+ Request id: \S+, errorId: (\S+)$/.exec(text) ?? [];
    assert.ok(errorId && !text.includes("audit_log"), text);
    const entry = service.logs.find((one) => one.errorId === errorId);
    assert.match(JSON.stringify(entry?.err), /relation .+audit_log.+ does not exist/);
  });

  test("of another environment finds nothing", async () => {
    const { body } = await client("environments.create", { body: { name: "Elsewhere", color: "#123456" } });
    const elsewhere = await connectTo({ url: service.url, apiKey: body.apiKeys![0]!.key });
    for (const name of [
      "explain",
      "show_run",
      "read_workflow",
      "dry_run",
      "simulate",
      "preview_content",
      "trigger_test",
    ])
      assert.match(await elsewhere.refusal(name, matrix[name]!.input), /not found|no run|not exist|NOT_FOUND/i, name);
    for (const name of ["list_activity", "list_workflows"])
      assert.ok(!(await elsewhere.ask(name, matrix[name]!.input)).includes(matrix[name]!.about), name);
    await elsewhere.refusal("find_person", { query: "ada" });
  });
});

type Schema = {
  type?: string;
  enum?: unknown[];
  pattern?: string;
  maxLength?: number;
  maximum?: number;
  maxItems?: number;
  maxJsonBytes?: number;
  items?: Schema;
  properties?: Record<string, Schema>;
};

function isBounded({
  type,
  enum: words,
  pattern,
  maxLength,
  maximum,
  maxItems,
  maxJsonBytes,
  ...below
}: Schema): boolean {
  if (words !== undefined || type === "boolean") return true;
  if (type === "string") return maxLength !== undefined || pattern !== undefined;
  if (type === "integer") return maximum !== undefined;
  if (type === "array") return maxItems !== undefined && isBounded(below.items!);
  return maxJsonBytes !== undefined || Object.values(below.properties ?? {}).every(isBounded);
}

describe("a plan", () => {
  const planIdIn = (text: string): string => /^Plan id: ([\w-]+)\./.exec(text)![1]!;
  const nameNow = async () => (await client("workflows.retrieve", { params: { workflowId: "hello" } })).body.name;

  test("that was shown is applied, once, as it was shown", async () => {
    const shown = await ask("validate_and_plan_files", { files: files("First") });
    assert.match(shown, /The files are valid\./);
    assert.equal(await nameNow(), "hello", "a plan changes nothing");
    const planId = planIdIn(shown);
    assert.match(await refusal("apply_plan", { files: files("Second"), planId }), /does not belong to these files/);
    assert.match(await refusal("apply_plan", { files: files("First"), planId, prune: true }), /does not belong/);
    assert.equal(await nameNow(), "hello");
    assert.match(await ask("apply_plan", { files: files("First"), planId }), /^The plan was applied\./);
    assert.equal(await nameNow(), "First");
  });

  test("is refused when the environment has changed since, and again when it was applied", async () => {
    const planId = planIdIn(await ask("validate_and_plan_files", { files: files("Third") }));
    await client("workflows.patch", { params: { workflowId: "hello" }, body: { name: "By hand" } });
    assert.match(await refusal("apply_plan", { files: files("Third"), planId }), /present state of the environment/);
    assert.equal(await nameNow(), "By hand");
    const next = planIdIn(await ask("validate_and_plan_files", { files: files("Third") }));
    await ask("apply_plan", { files: files("Third"), planId: next });
    await refusal("apply_plan", { files: files("Third"), planId: next });
    assert.equal(await nameNow(), "Third");
    assert.match(await ask("validate_and_plan_files", { files: files("Third") }), /^There is nothing to apply\./);
  });

  test("of wrong files names file, line and field", async () => {
    const [project, workflow] = files("Wrong") as [object, { path: string; content: string }];
    const wrong = [project, { ...workflow, content: "name: 1\nstepz: []\n" }];
    const text = await refusal("validate_and_plan_files", { files: wrong });
    assert.match(text, /^The files have \d errors:\nworkflows\/hello\/workflow\.yaml:\d+:\d+ "/);
    assert.match(text, /stepz/);
    for (const path of ["../secret.yaml", "/etc/passwd", "a//b", "C:\\x"])
      assert.match(await refusal("validate_and_plan_files", { files: [{ path, content: "" }] }), /cannot be the path/);
    assert.match(await refusal("validate_and_plan_files", { files: [project, project] }), /given twice/);
  });
});

test("a backtest says that there was nothing to compare", async () => {
  const { body } = await client("environments.create", { body: { name: "Waiting", color: "#123456" } });
  const apiKey = body.apiKeys![0]!.key;
  const there = createClient({ baseUrl: service.url, apiKey });
  const pause = { type: "regular", amount: 1, unit: "hours" } as const;
  await createWorkflow(there, "hello", [
    { name: "Pause", stepId: "pause", type: "delay", controlValues: pause },
    { ...inApp({ body: "Hello" }), stepId: "in-app" },
  ]);
  const event = await trigger(there, "hello", "joe");
  await eventually(async () => {
    const { data } = (await there("notifications.list", { query: { transactionId: event } })).body;
    return data[0]?.jobs?.some(({ status }) => status === "delayed") || null;
  }, "the delay");
  const waiting = await connectTo({ url: service.url, apiKey });
  const text = await waiting.ask("backtest", { files: files("Hello"), lastDays: 1 });
  assert.match(text, /^"Nothing to compare, so do not rely on this report: no step of the period has ended"$/m);
  assert.doesNotMatch(text, /100 %/);
});

describe("a test", () => {
  test("reaches a test person, and nobody else", async () => {
    const count = async () => (await client("notifications.list", { query: {} })).body.data.length;
    const before = await count();
    assert.match(await refusal("trigger_test", { workflowId: "hello", subscriberId: "ada" }), /is not a test person/);
    await refusal("trigger_test", { workflowId: "hello", subscriberId: "unknown" });
    await refusal("trigger_test", { workflowId: "hello", subscriberId: ".." });
    assert.equal(await count(), before);
    const text = await ask("trigger_test", { workflowId: "hello", subscriberId: "tess" });
    const [, id] = /^Event (\S+) of workflow hello was accepted for test person tess/.exec(text)!;
    await settled(client, id!);
    assert.match(await ask("explain", { transactionId: id, subscriberId: "tess" }), /Step in-app \(in_app\): sent/);
  });
});

describe("a replay", () => {
  let shop: Assistant;
  let letters: () => Promise<number>;

  before(async () => {
    const { body } = await client("environments.create", { body: { name: "Shop", color: "#123456" } });
    const apiKey = body.apiKeys![0]!.key;
    const there = createClient({ baseUrl: service.url, apiKey });
    shop = await connectTo({ url: service.url, apiKey });
    for (const { _id, channel } of (await there("integrations.list")).body)
      if (channel === "email")
        await there("integrations.update", { params: { integrationId: _id! }, body: { active: false } });
    const server = { host: "127.0.0.1", port: String(port), ignoreTls: true, from: "shop@example.com" };
    const mail = { providerId: "nodemailer", channel: "email", identifier: "smtp", active: true } as const;
    await there("integrations.create", { body: { ...mail, credentials: { ...server, user: "a", password: "b" } } });
    await createWorkflow(there, "receipt", [email()]);
    for (const name of ["joe", "kim"])
      await settled(there, await trigger(there, "receipt", { subscriberId: name, email: `${name}@example.com` }));
    await there("integrations.update", { params: { integrationId: "smtp" }, body: { credentials: server } });
    letters = async () => (await there("deadLetters.list", { query: { status: "open" } })).body.totalCount;
    assert.equal(await letters(), 2);
  });

  test("needs a selection and a number, and sends nothing beyond it", async () => {
    assert.match(await shop.refusal("replay_dead_letters", { atMost: 10 }), /Give either ids or at least one filter/);
    assert.match(await shop.refusal("replay_dead_letters", { workflowId: "receipt" }), /atMost is required/);
    assert.match(
      await shop.refusal("replay_dead_letters", { workflowId: "receipt", atMost: 1 }),
      /^2 letters match, more than atMost \(1\)\. Nothing was sent\.$/,
    );
    assert.equal(await letters(), 2);
  });

  test("sends the letters at its pace", async () => {
    const text = await shop.ask("replay_dead_letters", { workflowId: "receipt", atMost: 2, perSecond: 50 });
    assert.match(text, /^Replay \S+ running: 2 letters, 50 per second\. 2 can be sent now\./);
    await eventually(async () => (await letters()) === 0 || null, "the letters to be sent");
    assert.match(
      await shop.refusal("replay_dead_letters", { workflowId: "receipt", atMost: 2 }),
      /No open dead letter/,
    );
  });
});
