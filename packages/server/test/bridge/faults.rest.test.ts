// Bridges that are down, wrong or hostile: nothing is lost, and the reason is shown.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Client } from "@tidings/testkit/client";
import { newStage } from "@tidings/testkit/clock";
import { type Answer, startReceiver } from "@tidings/testkit/servers/receiver";
import { startTestService } from "@tidings/testkit/service";
import {
  createWorkflow,
  detailsOf,
  inApp,
  messagesOf,
  notificationsOf,
  settled,
  trigger,
} from "@tidings/testkit/verbs";
import { eventually } from "@tidings/testkit/wait";

type Script = { workflows: object[]; execute: () => Answer | null };

const step = (stepId: string, type = "in_app") => ({ stepId, type, controls: { schema: { type: "object" } } });
const one = { workflowId: "one", steps: [step("hello")], payload: {}, preferences: {}, tags: [], severity: "none" };
const json = (body: unknown, status = 200): Answer => ({ status, text: JSON.stringify(body) });
const content = () => json({ outputs: { body: "Hello" }, providers: {}, options: { skip: false } });

const script: Script = { workflows: [one], execute: content };
const answer = ({ path }: { path: string }) =>
  path.includes("action=discover") ? json({ workflows: script.workflows }) : script.execute();
const bridge = await startReceiver(answer);
const other = await startReceiver(() => json({ outputs: { body: "From the other" }, options: {} }));
const service = await startTestService({
  TIDINGS_DELIVERY_FIRST_WAIT: "100",
  TIDINGS_DELIVERY_ATTEMPTS: "2",
  TIDINGS_CIRCUIT_FAILURES: "3",
  TIDINGS_CIRCUIT_FIRST_PROBE: "1",
});
const { client, production } = service;

const sync = (by: Client = client, bridgeUrl = bridge.url) => by.raw("bridge.sync", { body: { bridgeUrl } });
const reasonOf = async (transactionId: string, subscriberId: string) =>
  (await client("explain.retrieve", { query: { transactionId, subscriberId } })).body.steps[0]!.reason;

test("a bridge that is down delays a notification, and the breaker pauses the calls; then it arrives once", async () => {
  assert.equal((await sync()).status, 200);
  script.execute = () => null;
  const transactionId = await trigger(client, "one", "ada");
  await eventually(async () => {
    const [notification] = await notificationsOf(client, transactionId);
    return detailsOf(notification!, "in_app").filter((text) => text.startsWith("Bridge did not respond")).length >= 3;
  }, "three failed calls");
  assert.match(await reasonOf(transactionId, "ada"), /waits until .*: bridge did not respond, will be asked again: /);
  const behind = await trigger(client, "one", "bob");
  script.execute = content;
  const [notification] = await settled(client, transactionId);
  assert.ok(detailsOf(notification!, "in_app").includes("Bridge responded"));
  await settled(client, behind);
  for (const id of [transactionId, behind]) {
    assert.deepEqual(
      (await messagesOf(client, id)).map(({ content }) => content),
      ["Hello"],
    );
  }
});

const refusal = (code: string, status: number) => () => json({ code, message: "told by the bridge" }, status);

const cases: [name: string, execute: Script["execute"], status: string, reason: RegExp][] = [
  ["text in place of JSON", () => ({ status: 200, text: "<html>soon back</html>" }), "failed", /is not JSON/],
  ["a list", () => json([]), "failed", /not a JSON object/],
  ["no outputs", () => json({ ok: true }), "failed", /has no outputs/],
  ["2 MB", () => json({ outputs: { body: "x".repeat(2_000_000) } }), "failed", /larger than 1 MB/],
  ["a zero byte", () => json({ outputs: { body: "a\0b" } }), "failed", /cannot be stored/],
  [
    "deep nesting",
    () => ({ status: 200, text: `{"outputs":${'{"a":'.repeat(99)}1${"}".repeat(100)}` }),
    "failed",
    /nested/,
  ],
  [
    "a redirect to a private address",
    () => ({ status: 302, headers: { location: "http://10.0.0.1/" } }),
    "failed",
    /302: redirects are not followed/,
  ],
  ["code that throws", refusal("StepExecutionFailedError", 502), "failed", /502, StepExecutionFailedError: told/],
  ["an unknown workflow", refusal("WorkflowNotFoundError", 404), "failed", /404, WorkflowNotFoundError: told/],
  ["an unknown step", () => json({ outputs: {}, options: { skip: false } }), "skipped", /did not run it/],
  ["a step that is skipped", () => json({ outputs: {}, options: { skip: true } }), "skipped", /by its code/],
];

test("answers that cannot be used end with their reason, and can be asked for again", async () => {
  for (const [name, execute, status, reason] of cases) {
    script.execute = execute;
    const transactionId = await trigger(client, "one", "ada");
    const [notification] = await settled(client, transactionId);
    assert.equal(notification!.jobs![0]!.status, status, name);
    assert.match(await reasonOf(transactionId, "ada"), reason, name);
    assert.deepEqual(await messagesOf(client, transactionId), [], name);
  }
  const { body: failed } = await client("failedTasks.list", { query: { status: "open" } });
  assert.equal(failed.totalCount, cases.filter(([, , status]) => status === "failed").length);
  assert.match(failed.data[0]!.error, /no content for step hello: .*WorkflowNotFoundError/);
  assert.equal((await production("failedTasks.list", {})).body.totalCount, 0);
});

test("after a day without an answer the step fails, and a replay continues the notification", async () => {
  const stage = await newStage(service, "2026-03-01T10:00:00.000Z");
  const steps = [step("price", "custom"), step("hello")];
  script.workflows = [{ ...one, workflowId: "two", steps }];
  assert.equal((await sync(stage.client)).status, 200);
  script.execute = () => ({ status: 503, text: "down" });
  const transactionId = await trigger(stage.client, "two", "ada");
  const statuses = async () =>
    (await notificationsOf(stage.client, transactionId))[0]!.jobs!.map(({ status }) => status);
  await stage.advance(1, "hours");
  assert.deepEqual(await statuses(), ["queued", "pending"]);
  await stage.advance(1, "days");
  await eventually(async () => (await statuses())[0] === "failed", "the end of the tries");
  await eventually(async () => (await statuses())[1] === "canceled", "the step behind it");
  const { body: failed } = await stage.client("failedTasks.list", { query: { status: "open" } });
  script.execute = content;
  await stage.client("failedTasks.replay", { params: { id: failed.data[0]!.id } });
  await eventually(async () => (await statuses()).join() === "completed,completed", "the replay");
  assert.equal((await messagesOf(stage.client, transactionId)).length, 1);
});

test("a sync is refused as a whole, with the reason", async () => {
  await createWorkflow(client, "mine", [inApp()]);
  const valid = { ...one, workflowId: "new" };
  const refusals: [workflows: unknown, status: number, message: RegExp][] = [
    ["none", 400, /has no list of workflows/],
    [[valid, { ...one, workflowId: "no way" }], 400, /has the id "no way"/],
    [[valid, valid], 400, /two of its workflows have the id "new"/],
    [[valid, { ...one, steps: [step("x", "tool")] }], 400, /step x has the type "tool"/],
    [
      [valid, { ...one, steps: [step("x", "wait")] }],
      400,
      /step x has the type "wait", which workflows in code cannot/,
    ],
    [[valid, { ...one, payload: { schema: { type: "nonsense" } } }], 400, /payload schema is not a valid JSON Schema/],
    [[valid, { ...one, workflowId: "mine" }], 409, /Workflow mine exists and is not defined in code/],
  ];
  for (const [workflows, status, message] of refusals) {
    script.workflows = workflows as object[];
    const { status: given, body } = await sync();
    assert.equal(given, status, String(message));
    assert.match((body as { message: string }).message, message);
  }
  assert.equal((await client.raw("workflows.retrieve", { params: { workflowId: "new" } })).status, 404);
  const urls: [url: string, status: number, message: RegExp][] = [
    ["ftp://example.com", 422, /must be a web address/],
    ["https://me:secret@example.com", 422, /must not contain a user name/],
    ["http://10.0.0.1/api/novu", 400, /Connections to 10\.0\.0\.1 are refused/],
    ["http://127.0.0.1:9/", 400, /ECONNREFUSED/],
  ];
  for (const [url, status, message] of urls) {
    const { status: given, body } = await sync(client, url);
    assert.equal(given, status, url);
    assert.match(JSON.stringify(body), message);
  }
  script.workflows = [valid];
  assert.deepEqual((await sync()).body, {
    bridgeUrl: bridge.url,
    created: ["new"],
    updated: [],
    unchanged: [],
    missing: ["one"],
  });
});

test("an event of development may name another bridge; one of production may not", async () => {
  script.execute = content;
  const event = { name: "one", to: "ada", payload: {}, bridgeUrl: other.url };
  const { transactionId } = (await client("events.trigger", { body: event })).body;
  await settled(client, transactionId!);
  assert.equal((await messagesOf(client, transactionId!))[0]!.content, "From the other");
  script.workflows = [one];
  assert.equal((await sync(production)).status, 200);
  const refused = (await production("events.trigger", { body: event })).body;
  assert.deepEqual(refused.error, ["bridgeUrl can be given in a development environment only"]);
  const wrong = (await client("events.trigger", { body: { ...event, bridgeUrl: "nonsense" } })).body;
  assert.match(wrong.error![0]!, /^bridgeUrl must be a web address/);
});
