// Workflows in code, with the published framework: the example of docs/bridge.md on Express, and the handler for Next.
import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { registerHooks } from "node:module";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { atEnd } from "@tidings/testkit/at-end";
import { createClient } from "@tidings/testkit/client";
import { newStage } from "@tidings/testkit/clock";
import { refused } from "@tidings/testkit/refusals";
import { startTestService } from "@tidings/testkit/service";
import { messagesOf, notificationsOf, settled, trigger } from "@tidings/testkit/verbs";
import { eventually } from "@tidings/testkit/wait";
import { newApiKey } from "../../src/lib/secrets.ts";

const apiKey = newApiKey();

/**
 * The framework imports validators and a module of Next that are optional, and runs without those that are not
 * installed.
 */
const hooks = registerHooks({
  resolve: (specifier, context, next) => {
    try {
      return next(specifier, context);
    } catch (error) {
      if (!context.parentURL?.includes("@novu/framework")) throw error;
      return { url: "data:text/javascript,export {}", shortCircuit: true };
    }
  },
});
atEnd(async () => hooks.deregister());
const { Client, workflow } = await import("@novu/framework");

/** The address of a server that is closed when the file ends. */
function urlOf(server: Server): string {
  atEnd(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/novu`;
}

async function startExample(): Promise<string> {
  const page = readFileSync(join(import.meta.dirname, "../../../../docs/bridge.md"), "utf8");
  const folder = mkdtempSync(join(import.meta.dirname, "example-"));
  const before = { ...process.env };
  try {
    const file = join(folder, "bridge.mjs");
    // On a busy machine the second event may take longer than a second to reach the digest.
    writeFileSync(file, /```js\n(.*?)```/s.exec(page)![1]!.replace("amount: 1 }", "amount: 4 }"));
    Object.assign(process.env, { TIDINGS_API_KEY: apiKey, PORT: "0", NODE_ENV: "production" });
    const { server } = (await import(pathToFileURL(file).href)) as { server: Server };
    if (!server.listening) await once(server, "listening");
    return urlOf(server);
  } finally {
    for (const name of ["TIDINGS_API_KEY", "PORT", "NODE_ENV"]) {
      if (before[name] === undefined) delete process.env[name];
      else process.env[name] = before[name];
    }
    rmSync(folder, { recursive: true });
  }
}

const greeting = workflow(
  "greeting",
  async ({ step, payload }) => {
    const hello = await step.inApp("hello", async () => ({ subject: "Salt & pepper", body: `Hello ${payload.name}` }));
    await step.delay("pause", async () => ({ type: "regular", unit: "hours", amount: 1 }));
    await step.email(
      "mail",
      async () => ({ subject: `You did not read it`, body: "<p>Look!</p>", preheader: "1 < 2" }),
      {
        skip: () => hello.read === true,
      },
    );
  },
  { payloadSchema: { type: "object", properties: { name: { type: "string" } }, required: ["name"] } as const },
);

/** Its email is skipped for those who do not want one. */
const picky = workflow(
  "picky",
  async ({ step, payload }) => {
    await step.email("mail", async () => ({ subject: "Mail", body: "<p>Mail</p>" }), { skip: () => !payload.wants });
  },
  { payloadSchema: { type: "object", properties: { wants: { type: "boolean" } }, required: ["wants"] } as const },
);

type NextHandlers = { serve(options: object): Record<string, (request: Request) => Promise<Response>> };

async function startNext(client: object): Promise<string> {
  const { serve } = (await import("@novu/framework/next" as string)) as NextHandlers;
  const handlers = serve({ client, workflows: [greeting, picky] });
  const server = createServer(async (incoming, outgoing) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const { method = "GET", url, headers } = incoming;
    const body = chunks.length > 0 ? { body: Buffer.concat(chunks) } : {};
    const request = new Request(`http://${headers.host}${url}`, { method, headers: headers as never, ...body });
    const response = await handlers[method]!(request);
    outgoing.writeHead(response.status, Object.fromEntries(response.headers)).end(await response.text());
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return urlOf(server);
}

const example = await startExample();
const openBridge = await startNext(new Client({ secretKey: "any", strictAuthentication: false, verbose: false }));
const strictBridge = await startNext(new Client({ secretKey: "wrong", strictAuthentication: true, verbose: false }));
const service = await startTestService({ TIDINGS_API_KEY: apiKey, TIDINGS_DELIVERY_FIRST_WAIT: "100" });
const client = createClient({ baseUrl: service.url, apiKey });

const sync = async (bridgeUrl: string, by = client) => (await by("bridge.sync", { body: { bridgeUrl } })).body;
const ada = { subscriberId: "ada", firstName: "Ada", email: "ada@example.com" };
const params = { workflowId: "order-packed" };

test("a sync stores the workflows of the code, and changes nothing when it is repeated", async () => {
  const first = await client.raw("bridge.sync", { body: { bridgeUrl: example }, query: { source: "cli" } });
  const empty = { created: [], updated: [], unchanged: [], missing: [] };
  assert.deepEqual(first.body, { ...empty, bridgeUrl: example, created: ["order-packed"] });
  const { body: stored } = await client("workflows.retrieve", { params });
  assert.deepEqual(
    [stored.name, stored.origin, stored.tags, stored.active, stored.preferences.default.channels?.sms],
    ["Order packed", "external", ["orders"], true, { enabled: false }],
  );
  assert.deepEqual(
    stored.steps.map(({ stepId, type }) => `${stepId} ${type}`),
    ["tell in_app", "bundle digest", "price custom", "mail email"],
  );
  assert.ok("title" in (stored.steps[0]!.controls.dataSchema!.properties as object));
  assert.deepEqual(stored.payloadExample, { order: "text" });
  assert.deepEqual(await sync(example), { ...empty, bridgeUrl: example, unchanged: ["order-packed"] });
  assert.equal((await client("workflows.retrieve", { params })).body.versionId, stored.versionId);
  assert.equal((await service.production.raw("workflows.retrieve", { params })).status, 404);
  const { message } = await refused(client, "bridge.sync", { body: { bridgeUrl: strictBridge } }, "BRIDGE_SYNC_FAILED");
  assert.match(message, /401, Signature\w+Error/);
});

test("control values can be changed, and nothing else", async () => {
  const { body: stored } = await client("workflows.retrieve", { params });
  const steps = stored.steps.map(({ _id, name, type, controlValues }) => ({ _id, name, type, controlValues }));
  const whole = { name: stored.name, origin: stored.origin, preferences: {}, steps };
  const titled = steps.map((step, index) =>
    index === 0 ? { ...step, controlValues: { title: "Order {{ payload.order }}" } } : step,
  );
  const { body: changed } = await client("workflows.update", { params, body: { ...whole, steps: titled } as never });
  assert.deepEqual(changed.steps[0]!.controls.values, { title: "Order {{ payload.order }}" });
  for (const change of [{ name: "Other" }, { steps: steps.slice(1) }, { origin: "svc-cloud" }]) {
    const answer = await client.raw("workflows.update", { params, body: { ...whole, ...change } });
    assert.deepEqual([answer.status, (answer.body as { code: string }).code], [409, "WORKFLOW_IN_CODE"]);
  }
  assert.equal((await client.raw("workflows.patch", { params, body: { tags: ["x"] } })).status, 409);
  assert.equal((await client.raw("workflows.duplicate", { params, body: {} })).status, 409);
  assert.deepEqual((await sync(example)).unchanged, ["order-packed"], "a sync leaves control values");
});

test("the code gives the content of every step, with the results of earlier ones", async () => {
  const first = await trigger(client, "order-packed", ada, { order: "A {{ payload.order }}" });
  await eventually(async () => (await messagesOf(client, first)).length > 0, "the first event is ahead of the second");
  const second = await trigger(client, "order-packed", ada, { order: "B" });
  const [leader] = await settled(client, first);
  await settled(client, second);
  const [inbox] = (await messagesOf(client, first)).filter(({ channel }) => channel === "in_app");
  assert.equal(
    inbox!.subject,
    "Order A {{ payload.order }}",
    "the bridge renders controls; its answer is not rendered again",
  );
  assert.equal(inbox!.content, "Order A {{ payload.order }} is on its way");
  const { data: mails } = (await client("captured.list", { query: { subscriberId: "ada" } })).body;
  assert.deepEqual(
    mails.map(({ subject, html }) => [subject, html]),
    [["2 orders", "<p>Together 20 €</p>"]],
  );
  const details = leader!.jobs!.flatMap((job) => job.executionDetails.map((entry) => `${job.type}: ${entry.detail}`));
  assert.ok(details.includes("custom: Bridge responded"), details.join("\n"));
  const query = { transactionId: first, subscriberId: "ada" };
  const { body: explained } = await client("explain.retrieve", { query });
  const told = JSON.stringify(explained.steps.find(({ stepId }) => stepId === "price"));
  assert.match(told, /"total\\*":20/);
  assert.match(told, /duration/);
});

test("a dry run and a preview ask the bridge, and write nothing", async () => {
  const { body: dry } = await client("explain.dryRun", {
    body: { name: "order-packed", to: { ...ada, subscriberId: "bob" }, payload: { order: "C" } },
  });
  const [bob] = dry.recipients;
  assert.deepEqual(
    bob!.steps.map(({ outcome, messages }) => [outcome, messages[0]?.content]),
    [
      ["sent", "Order C is on its way"],
      ["done", undefined],
      ["done", undefined],
      ["sent", "<p>Together 10 €</p>"],
    ],
  );
  const { body: preview } = await client("workflows.preview", {
    body: { workflowId: "order-packed", step: { type: "in_app", stepId: "tell" }, payload: { order: "D" } },
  });
  assert.deepEqual(preview.data, { result: { subject: "Order D", body: "Order D is on its way" }, faults: [] });
  assert.equal((await client.raw("subscribers.retrieve", { params: { subscriberId: "bob" } })).status, 404);
});

test("the handler for Next: a delay, and an email that the result of an earlier step skips", async () => {
  const stage = await newStage({ client, url: service.url }, "2026-03-01T10:00:00.000Z");
  await sync(openBridge, stage.client);
  const to = (subscriberId: string) => ({ ...ada, subscriberId });
  const [read, unread] = [
    await trigger(stage.client, "greeting", to("reader"), { name: "Ada" }),
    await trigger(stage.client, "greeting", to("other"), { name: "Ada" }),
  ];
  await stage.advance(1, "minutes");
  const [message] = await messagesOf(stage.client, read);
  assert.deepEqual([message!.subject, message!.content], ["Salt & pepper", "Hello Ada"]);
  await stage.client("subscribers.markMessages", {
    params: { subscriberId: "reader" },
    body: { messageId: message!._id!, markAs: "read" },
  });
  await stage.advance(2, "hours");
  const storyOf = async (id: string) => (await notificationsOf(stage.client, id))[0]!.jobs!.map(({ status }) => status);
  assert.deepEqual(await storyOf(read), ["completed", "completed", "skipped"]);
  assert.deepEqual(await storyOf(unread), ["completed", "completed", "completed"]);
  const { data: mails } = (await stage.client("captured.list", {})).body;
  assert.equal(mails.length, 1);
  assert.match(mails[0]!.html!, /1 &lt; 2<\/div><p>Look!<\/p>/);
});

test("a dry run and the run agree on a step that the code skips", async () => {
  await sync(openBridge);
  for (const [wants, outcome] of [
    [false, "skipped"],
    [true, "sent"],
  ] as const) {
    const event = { name: "picky", to: ada, payload: { wants } };
    const { body: dry } = await client("explain.dryRun", { body: event });
    const foreseen = dry.recipients[0]!.steps.find(({ stepId }) => stepId === "mail")!;
    const transactionId = await trigger(client, "picky", ada, { wants });
    await settled(client, transactionId);
    const { body: past } = await client("explain.retrieve", { query: { transactionId, subscriberId: "ada" } });
    const happened = past.steps.find(({ stepId }) => stepId === "mail")!;
    assert.deepEqual([foreseen.outcome, happened.outcome], [outcome, outcome]);
    if (!wants) assert.match(foreseen.reason, /by its code/);
  }
});

test("trigger() and cancel() of the framework", async () => {
  await sync(openBridge);
  const target = { secretKey: apiKey, apiUrl: service.url };
  const { data, cancel } = await greeting.trigger({ to: "carl", payload: { name: "C" }, ...target } as never);
  const { transactionId } = data as unknown as { transactionId: string };
  assert.match(transactionId, /^txn_/);
  // An event that is canceled while it waits in the queue gets no notification.
  await eventually(async () => (await notificationsOf(client, transactionId)).length > 0, "the notification");
  assert.equal(await cancel(), true);
  const jobs = (await settled(client, transactionId)).flatMap((one) => one.jobs!.map(({ status }) => status));
  assert.ok(jobs.includes("canceled"));
  const unknown = workflow("nowhere", async () => {});
  await assert.rejects(unknown.trigger({ to: "carl", payload: {}, ...target } as never), { statusCode: 404 });
});
