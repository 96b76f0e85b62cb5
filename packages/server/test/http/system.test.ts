import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { openApiDocument } from "@tidings/contract";
import { authorized, errorOf, operationIds, request } from "@tidings/testkit/http";
import { metric } from "@tidings/testkit/metric";
import { startTestService, startWorker } from "@tidings/testkit/service";
import { createWorkflow, inApp, notificationsOf, settled, trigger } from "@tidings/testkit/verbs";
import { docsPageCsp } from "../../src/http/docs/docs-page.ts";
import { version } from "../../src/version.ts";

/** Numbers of levels in the log. */
const levels = { debug: 20, info: 30 };

const encryptionKey = randomBytes(32).toString("base64");
const service = await startTestService({ TIDINGS_ENCRYPTION_KEY: encryptionKey });
const { client } = service;

test("/health and /ready answer without a key", async () => {
  const health = await request(service, "/health");
  assert.deepEqual([health.status, health.body], [200, { status: "ok", version }]);
  const ready = await request(service, "/ready");
  assert.deepEqual([ready.status, ready.body, ready.headers.get("retry-after")], [200, { status: "ready" }, null]);
});

test("/metrics counts requests by operation and status, and what the pipeline did", async () => {
  await createWorkflow(client, "measured", [inApp()]);
  await settled(client, await trigger(client, "measured", "ada"));
  const counted = { operation: "subscribers.retrieve", status: "404" };
  const read = async () => (await request(service, "/metrics")).text;
  const before = metric(await read(), "tidings_http_requests_total", counted) ?? 0;
  await client.raw("subscribers.retrieve", { params: { subscriberId: "no-one" } });

  const reply = await request(service, "/metrics");
  assert.equal(reply.status, 200);
  assert.match(reply.headers.get("content-type")!, /^text\/plain; version=0\.0\.4/);
  assert.equal(metric(reply.text, "tidings_http_requests_total", counted), before + 1);
  assert.ok(metric(reply.text, "tidings_http_request_seconds_count", { operation: "workflows.create" })! >= 1);
  assert.ok(metric(reply.text, "tidings_events_total", { status: "processed" })! >= 1);
  assert.ok(metric(reply.text, "tidings_notifications_total", {})! >= 1);
  assert.ok(metric(reply.text, "tidings_messages_total", { channel: "in_app", status: "sent" })! >= 1);
  assert.notEqual(metric(reply.text, "tidings_queue_depth", { kind: "trigger" }), null);
  assert.notEqual(metric(reply.text, "process_cpu_seconds_total", {}), null);

  // A label per path would let anyone fill the memory with made-up paths.
  await request(service, "/made-up-path");
  const operations = new Set([...(await read()).matchAll(/operation="([^"]*)"/g)].map(([, id]) => id));
  for (const id of operations) assert.ok(operationIds.includes(id as never), `${id} is no operation`);
});

test("/openapi.json is the document of the contract", async () => {
  const reply = await request(service, "/openapi.json");
  assert.equal(reply.headers.get("content-type"), "application/json; charset=utf-8");
  assert.deepEqual(reply.body, JSON.parse(JSON.stringify(openApiDocument({ version }))));
  const serversBehind = async (prefix: string) => {
    const { body } = await request(service, "/openapi.json", { headers: { "x-forwarded-prefix": prefix } });
    return (body as { servers: unknown }).servers;
  };
  assert.deepEqual(await serversBehind("/tidings"), [{ url: "/tidings" }]);
  assert.deepEqual(await serversBehind("https://elsewhere.example"), [{ url: "/" }]);
});

test("/docs is a page that can load nothing from elsewhere", async () => {
  const reply = await request(service, "/docs");
  assert.deepEqual([reply.status, reply.headers.get("content-type")], [200, "text/html; charset=utf-8"]);
  assert.equal(reply.headers.get("content-security-policy"), docsPageCsp());
  assert.match(reply.text, /^<!doctype html>/i);
});

test("a request id is taken over when it is harmless, and made otherwise", async () => {
  const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
  for (const given of ["abc-123", "a.b:c_d", "x".repeat(128)]) {
    const reply = await authorized(service, "/v1/environments", { headers: { "x-request-id": given } });
    assert.equal(reply.headers.get("x-request-id"), given);
  }
  for (const given of ["", "x".repeat(129), "a b", "<script>", "a\tb", 'a"b', "é", "a,b", "{}"]) {
    for (const path of ["/v1/environments", "/nowhere", "/health"]) {
      const reply = await request(service, path, { headers: { "x-request-id": given } });
      assert.match(reply.headers.get("x-request-id")!, uuid);
    }
  }
  const one = await request(service, "/health");
  const two = await request(service, "/health");
  assert.notEqual(one.headers.get("x-request-id"), two.headers.get("x-request-id"));
});

test("one log line per request has its id, operation, status and environment, and no secret", async () => {
  await authorized(service, "/v2/subscribers/no-one?secret=hidden", { headers: { "x-request-id": "logged-request" } });
  const lines = service.logs.filter((line) => line.reqId === "logged-request");
  assert.equal(lines.length, 1);
  const { operation, method, route, status, level } = lines[0]!;
  assert.deepEqual(
    { operation, method, route, status, level },
    {
      operation: "subscribers.retrieve",
      method: "GET",
      route: "/v2/subscribers/{subscriberId}",
      status: 404,
      level: levels.info,
    },
  );
  assert.deepEqual([typeof lines[0]!.env, typeof lines[0]!.ms], ["string", "number"]);
  assert.doesNotMatch(JSON.stringify(lines), /hidden|authorization/i);
  assert.ok(!JSON.stringify(lines).includes(service.apiKey));
});

test("requests that anyone can send in any number are logged at debug only", async () => {
  const levelOf = async (path: string, headers: Record<string, string>) => {
    const id = `level-${path.length}-${Object.keys(headers).length}`;
    await request(service, path, { headers: { ...headers, "x-request-id": id } });
    const lines = service.logs.filter((line) => line.reqId === id);
    assert.equal(lines.length, 1, path);
    assert.doesNotMatch(JSON.stringify(lines), /hidden/);
    return lines[0]!.level;
  };
  const key = { authorization: `ApiKey ${service.apiKey}` };
  assert.equal(await levelOf("/made-up?token=hidden", {}), levels.debug);
  assert.equal(await levelOf("/made-up/too?token=hidden", key), levels.debug);
  assert.equal(await levelOf("/v2/subscribers/no-one", { authorization: "ApiKey wrong" }), levels.debug);
  assert.equal(await levelOf("/v2/subscribers?limit=1", key), levels.debug);
  assert.equal(await levelOf("/v2/subscribers?limit=none", key), levels.info);
});

test("a list in a query may be repeated, or named with [] or [n]", async () => {
  await createWorkflow(client, "listed", [inApp()]);
  const wanted = [await trigger(client, "listed", "ada"), await trigger(client, "listed", "ada")];
  const other = await trigger(client, "listed", "ada");
  for (const transactionId of [...wanted, other]) await settled(client, transactionId);
  assert.equal((await notificationsOf(client, other)).length, 1);
  const [a, b] = wanted;
  const forms = [
    `transactionId=${a}&transactionId=${b}`,
    `transactionId[]=${a}&transactionId[]=${b}`,
    `transactionId[0]=${a}&transactionId[1]=${b}`,
    `transactionId%5B%5D=${a}&transactionId%5B%5D=${b}`,
    `transactionId=${a}&transactionId[]=${b}`,
  ];
  for (const form of forms) {
    const reply = await authorized(service, `/v1/messages?${form}`);
    const { data } = reply.body as { data: { transactionId: string }[] };
    assert.deepEqual(data.map((message) => message.transactionId).sort(), [...wanted].sort(), form);
  }
  for (const form of [`transactionId=${a}`, `transactionId[]=${a}`, `transactionId[0]=${a}`]) {
    const reply = await authorized(service, `/v1/messages?${form}`);
    assert.equal((reply.body as { data: unknown[] }).data.length, 1, form);
  }
  // One value for what is not a list is not a list; several are an error.
  assert.equal((await authorized(service, "/v2/subscribers?limit[]=1")).status, 200);
  const twice = await authorized(service, "/v2/subscribers?email=a&email=b");
  assert.deepEqual(Object.keys(errorOf(twice, "VALIDATION_ERROR").errors!), ["email"]);
});

test("hostile queries are refused or ignored, never a fault of ours", async () => {
  const queries = [
    "__proto__=1&constructor=2&toString=3&limit=1",
    "__proto__[limit]=5",
    "limit[a][b]=1",
    "=1&&&==",
    "%ff%fe=%ff",
    Array.from({ length: 2000 }, (_, i) => `a${i}=1`).join("&"),
    "orderBy=createdAt%3Bdrop%20table%20subscribers",
  ];
  for (const query of queries) {
    const { status } = await authorized(service, `/v2/subscribers?${query}`);
    assert.ok(status === 200 || status === 422, `${status} for ${query.slice(0, 60)}`);
  }
});

test("a trailing slash makes no other path", async () => {
  const pairs = [
    ["/v1/environments", "/v1/environments/"],
    ["/v2/subscribers?limit=1", "/v2/subscribers/?limit=1"],
    ["/v2/workflows/welcome", "/v2/workflows/welcome/"],
  ];
  for (const [plain, slashed] of pairs) {
    const one = await authorized(service, plain!);
    const two = await authorized(service, slashed!);
    assert.deepEqual([two.status, two.text], [200, one.text]);
  }
});

test("HEAD is GET without the body", async () => {
  const reply = await authorized(service, "/v1/environments", { method: "HEAD" });
  assert.deepEqual([reply.status, reply.text], [200, ""]);
  errorOf(
    { ...(await authorized(service, "/v1/environments", { headers: { authorization: "" } })) },
    "MISSING_AUTHORIZATION",
  );
});

test("a worker serves its health and its metrics, and says where the rest is", async () => {
  const worker = await startWorker(service, encryptionKey);
  try {
    const target = { url: worker.url, apiKey: service.apiKey };
    for (const path of ["/health", "/ready", "/metrics"]) assert.equal((await request(target, path)).status, 200, path);
    for (const path of ["/", "/docs", "/openapi.json", "/activity", "/v1/environments", "/inbox", "/nowhere"]) {
      const { message } = errorOf(await authorized(target, path), "ROUTE_NOT_FOUND");
      assert.match(message, /^This process is a worker \(TIDINGS_ROLE\) .*a process with the role api$/, path);
    }
    const body = JSON.stringify({ name: "welcome", to: "ada" });
    errorOf(await authorized(target, "/v1/events/trigger", { method: "POST", body }), "ROUTE_NOT_FOUND");
    errorOf(await authorized(target, "/health", { method: "POST", body }), "METHOD_NOT_ALLOWED");
  } finally {
    await worker.stop();
  }
});
