// HTTP requests of steps: what the third party gets, what later steps read, and what happens when it fails.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Notification, StepIn } from "@tidings/contract";
import { type Answer, type Received, startReceiver } from "@tidings/testkit/servers/receiver";
import { startTestService } from "@tidings/testkit/service";
import { createWorkflow, detailsOf, feedOf, inApp, notificationsOf, settled, trigger } from "@tidings/testkit/verbs";
import { eventually } from "@tidings/testkit/wait";
import { sql } from "kysely";

type Script = (received: Received) => Answer | null | Promise<Answer | null>;
const json = (body: unknown, status = 200): Answer => ({ status, text: JSON.stringify(body) });

/** By path, so that the tests do not disturb each other. */
const scripts = new Map<string, Script>();
const host = await startReceiver((received) =>
  (scripts.get(received.path.split("?")[0]!) ?? (() => json({})))(received),
);
const service = await startTestService({
  TIDINGS_DELIVERY_FIRST_WAIT: "50",
  TIDINGS_DELIVERY_WAIT_FACTOR: "1",
  TIDINGS_DELIVERY_ATTEMPTS: "3",
  TIDINGS_CIRCUIT_FAILURES: "4",
  TIDINGS_CIRCUIT_FIRST_PROBE: "1",
});
const { client, db } = service;

const request = (path: string, controlValues: Record<string, unknown> = {}): StepIn => ({
  name: "Account",
  stepId: "account",
  type: "http_request",
  controlValues: { method: "POST", url: `${host.url}${path}`, ...controlValues },
});

/** Runs a workflow with the request and a message behind it that shows `shown`. */
async function run(id: string, step: StepIn, shown: string, payload: object = {}): Promise<Notification> {
  await createWorkflow(client, id, [step, inApp({ body: shown })]);
  const [notification] = await settled(client, await trigger(client, id, `for-${id}`, payload));
  return notification!;
}

const shownIn = async (id: string) => (await feedOf(client, `for-${id}`))[0]?.content;
const statuses = ({ jobs }: Notification): string[] => jobs!.map(({ status }) => status);
const rawOf = ({ jobs }: Notification, detail: string) =>
  JSON.parse(jobs![0]!.executionDetails.find((entry) => entry.detail === detail)!.raw!);

describe("a request that succeeds", () => {
  test("sends what its templates give; the properties of its schema are results", async () => {
    scripts.set("/account", () => json({ plan: "pro", seats: 3, other: 1 }));
    const step = request("/account", {
      url: `${host.url}/account?user={{ subscriber.subscriberId | url_encode }}`,
      headers: [
        { key: "X-Plan", value: "{{ payload.name }}" },
        { key: "Authorization", value: "Bearer s3cr3t" },
      ],
      body: '{"name": "{{ payload.name }}", "list": {{ payload.list | json }}, "none": {{ payload.none | json }}}',
      responseBodySchema: { type: "object", properties: { plan: { type: "string" }, seats: { type: "number" } } },
      enforceSchemaValidation: true,
    });
    const name = 'Ann", "admin": true, "x": "';
    const shown =
      "{{ steps.account.plan }} {{ steps.account.seats }} {{ steps.account.other }} {{ steps.account.status }}";
    const notification = await run("schema", step, shown, { name, list: [1, "a"] });
    assert.deepEqual(statuses(notification), ["completed", "completed"]);
    assert.equal(await shownIn("schema"), "pro 3  200");
    const [got] = host.of("/account?user=for-schema");
    assert.deepEqual(JSON.parse(got!.body), { name, list: [1, "a"], none: null });
    assert.equal(got!.headers["idempotency-key"], notification.jobs![0]!._id);
    assert.deepEqual(
      [got!.headers["user-agent"], got!.headers["content-type"], got!.headers["x-plan"], got!.headers.authorization],
      ["Tidings", "application/json", name, "Bearer s3cr3t"],
    );
    const raw = rawOf(notification, "HTTP request succeeded");
    assert.deepEqual(
      [raw.method, raw.url, raw.status, raw.attempt, raw.headers.authorization],
      ["POST", `${host.url}/account?user=for-schema`, 200, 1, "********"],
    );
    assert.doesNotMatch(JSON.stringify(notification.jobs![0]!.executionDetails), /s3cr3t/);
  });

  test("without a schema the body is a result: JSON, a text, or null", async () => {
    scripts.set("/json", () => json({ a: { b: 1 } }));
    scripts.set("/text", () => ({ status: 201, text: "plain" }));
    scripts.set("/empty", () => ({ status: 204 }));
    await run("json", request("/json", { method: "GET" }), "{{ steps.account.body.a.b }}");
    await run("text", request("/text"), "{{ steps.account.body }} {{ steps.account.status }}");
    await run("empty", request("/empty", { method: "HEAD" }), "[{{ steps.account.body }}] {{ steps.account.status }}");
    assert.deepEqual(await Promise.all(["json", "text", "empty"].map(shownIn)), ["1", "plain 201", "[] 204"]);
  });

  test("a body of pairs is an object", async () => {
    scripts.set("/pairs", () => json({}));
    const body = [{ key: "name", value: "{{ payload.name }}" }];
    await run("pairs", request("/pairs", { body }), "done", { name: 'A "B"' });
    assert.deepEqual(JSON.parse(host.of("/pairs")[0]!.body), { name: 'A "B"' });
  });
});

describe("a request that fails", () => {
  test("is repeated with the same key, after the time that the host asks for", async () => {
    const times: number[] = [];
    scripts.set("/busy", () => {
      times.push(Date.now());
      if (times.length === 1) return { status: 503 };
      return times.length === 2 ? { status: 429, headers: { "retry-after": "1" } } : json({ ok: true });
    });
    const notification = await run("busy", request("/busy"), "{{ steps.account.body.ok }}");
    assert.equal(await shownIn("busy"), "true");
    const calls = host.of("/busy");
    assert.equal(new Set(calls.map(({ headers }) => headers["idempotency-key"])).size, 1);
    assert.equal(calls.length, 3);
    assert.ok(times[2]! - times[1]! >= 1_000, "Retry-After was kept");
    const repeats = detailsOf(notification, "http_request").filter((text) => text.includes("will be repeated"));
    assert.equal(repeats.length, 2);
  });

  const schema = { type: "object", properties: { plan: { type: "string" } }, required: ["plan"] };
  const strict = { responseBodySchema: schema, enforceSchemaValidation: true };
  const large = "x".repeat(1_000_000);
  const cases: [name: string, script: Script, controls: Record<string, unknown>, reason: RegExp][] = [
    ["404", () => json({ error: "no such account" }, 404), {}, /it returned 404, .*no such account/],
    ["500", () => ({ status: 500, text: "broken" }), {}, /it returned 500, broken/],
    ["no response", () => null, {}, /127\.0\.0\.1/],
    ["no JSON", () => ({ status: 200, text: "<html>" }), { responseBodySchema: schema }, /its response is not JSON/],
    ["a wrong type", () => json({ plan: 3 }), strict, /does not match the schema: plan must be string/],
    ["a missing member", () => json({}), strict, /does not match the schema: .*must have required property 'plan'/],
    ["50 MB", () => ({ status: 200, text: large.repeat(50) }), {}, /larger than 1 MB/],
    ["a long result", () => json({ a: large.slice(0, 70_000) }), {}, /a result may have 65536/],
    ["a zero byte", () => json({ a: "a\0b" }), {}, /cannot be stored/],
    [
      "a redirect",
      () => ({ status: 302, headers: { location: "http://10.0.0.1/" } }),
      {},
      /302: redirects are not followed/,
    ],
    ["a private address", () => null, { url: "http://10.0.0.1/" }, /Connections to 10\.0\.0\.1 are refused/],
    ["no address", () => null, { url: "{{ payload.none }}" }, /url is empty/],
    ["no JSON to send", () => null, { body: '{"a": {{ payload.none }}' }, /body: it is not JSON/],
    ["an own header", () => null, { headers: [{ key: "{{ payload.h }}", value: "1" }] }, /the header Host is set by/],
  ];
  test("the run ends with its reason", async () => {
    const ends = cases.map(async ([name, script, controls, reason], index) => {
      const id = `fails-${index}`;
      scripts.set(`/${id}`, script);
      const notification = await run(id, request(`/${id}`, controls), "never", { h: "Host" });
      assert.deepEqual(statuses(notification), ["failed", "canceled"], name);
      const query = { transactionId: notification.transactionId!, subscriberId: `for-${id}` };
      const { steps } = (await client("explain.retrieve", { query })).body;
      assert.match(steps[0]!.reason, reason, name);
      assert.match(steps[1]!.reason, /step account failed/, name);
    });
    await Promise.all(ends);
  });

  test("with continueOnFailure the run goes on, with the last response", async () => {
    scripts.set("/lost", () => json({ error: "gone" }, 410));
    scripts.set("/silent", () => null);
    const shown = "{{ steps.account.status | json }} {{ steps.account.body.error }}";
    const lost = await run("lost", request("/lost", { continueOnFailure: true }), shown);
    const silent = await run("silent", request("/silent", { continueOnFailure: true }), shown);
    assert.deepEqual([statuses(lost), statuses(silent)], Array(2).fill(["failed", "completed"]));
    assert.deepEqual([await shownIn("lost"), await shownIn("silent")], ["410 gone", "null "]);
  });

  test("the failed task can be replayed", async () => {
    let isUp = false;
    scripts.set("/later", () => (isUp ? json({ ok: 1 }) : { status: 404 }));
    const notification = await run("later", request("/later"), "ok {{ steps.account.body.ok }}");
    assert.deepEqual(statuses(notification), ["failed", "canceled"]);
    const { data } = (await client("failedTasks.list", { query: { limit: 100 } })).body;
    const [task, ...more] = data.filter(({ data: { jobId } }) => jobId === notification.jobs![0]!._id);
    assert.deepEqual([task!.kind, more.length], ["request", 0]);
    assert.match(task!.error, /The HTTP request of step account failed: it returned 404/);
    isUp = true;
    await client("failedTasks.replay", { params: { id: task!.id } });
    await eventually(async () => (await shownIn("later")) === "ok 1", "the message");
  });
});

describe("hosts", () => {
  test("one that fails is paused until a probe succeeds, and another is called meanwhile", async () => {
    let isUp = false;
    const dead = await startReceiver(() => (isUp ? json({ ok: 1 }) : null));
    await createWorkflow(client, "dead", [request("", { url: `${dead.url}/x` })]);
    const failing = await Promise.all(["a", "b"].map((who) => trigger(client, "dead", who)));
    const stateOf = async () => {
      const { rows } = await sql<{ state: string }>`select state from request_hosts where url = ${dead.url}`.execute(
        db,
      );
      return rows[0]?.state;
    };
    await eventually(async () => (await stateOf()) === "open", "the open circuit");
    const waiting = await trigger(client, "dead", "c");
    scripts.set("/alive", () => json({ ok: 1 }));
    await run("alive", request("/alive"), "{{ steps.account.body.ok }}");
    assert.equal(await shownIn("alive"), "1");
    assert.equal((await notificationsOf(client, waiting))[0]!.jobs![0]!.status, "queued");
    isUp = true;
    const [ended] = await Promise.all([waiting, ...failing].map((id) => settled(client, id)));
    assert.deepEqual(detailsOf(ended![0]!, "http_request").slice(-2), [
      "HTTP request failed, will be repeated",
      "HTTP request succeeded",
    ]);
    assert.equal(await stateOf(), "closed");
  });
});
