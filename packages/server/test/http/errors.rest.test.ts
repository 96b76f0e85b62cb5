import assert from "node:assert/strict";
import http from "node:http";
import { test } from "node:test";
import { stepTypes } from "@tidings/contract";
import { authorized, type ErrorBody, errorOf, type Reply, request } from "@tidings/testkit/http";
import { startTestService } from "@tidings/testkit/service";
import { createWorkflow, feedOf, inApp, trigger } from "@tidings/testkit/verbs";
import { eventually } from "@tidings/testkit/wait";
import { sql } from "kysely";
import { countRows, makeThings } from "../support/inputs.ts";

const bodyLimit = 4096;
const service = await startTestService({ TIDINGS_BODY_LIMIT: String(bodyLimit), TIDINGS_BULK_BODY_LIMIT: "65536" });
const { client, db, database } = service;

const json = "application/json; charset=utf-8";

/** The members a body has, in no order; what is not named must not be there. */
const members = (body: ErrorBody): string[] => Object.keys(body).sort();
const usual = ["code", "error", "message", "path", "statusCode", "timestamp"];

const post = (path: string, body: string, headers: Record<string, string> = {}) =>
  authorized(service, path, { method: "POST", body, headers });

test("400: a body that is not JSON", async () => {
  for (const body of ["{", "{'a':1}", "nul", "[1,]", '{"a":"\u0001"}']) {
    const reply = await post("/v2/subscribers?failIfExists=true", body);
    const error = errorOf(reply, "MALFORMED_JSON");
    assert.deepEqual(members(error), [...usual, "errors", "type"].sort());
    assert.deepEqual([error.type, error.errors], ["MALFORMED_JSON", []]);
    assert.equal(error.message, "Request body is not valid JSON");
    assert.equal(error.path, "/v2/subscribers?failIfExists=true");
    assert.equal(reply.headers.get("content-type"), json);
    assert.ok(reply.headers.get("ratelimit-limit"));
  }
});

type Missing = { method: string; path: string; named?: string };
const missing: Missing[] = [
  { method: "GET", path: "/v3/subscribers" },
  { method: "POST", path: "/v2/subscribers/ada/unknown" },
  { method: "GET", path: "/v2//subscribers" },
  { method: "GET", path: "/v2/subscribers/%zz" },
  { method: "DELETE", path: "/nothing?x=1", named: "/nothing" },
];

for (const { method, path, named } of missing) {
  test(`404: ${method} ${path} is no route, with or without a key`, async () => {
    for (const reply of [await request(service, path, { method }), await authorized(service, path, { method })]) {
      const error = errorOf(reply, "ROUTE_NOT_FOUND");
      assert.deepEqual(members(error), [...usual, "ctx"].sort());
      assert.equal(error.message, `Route ${method} ${named ?? path} does not exist`);
      assert.deepEqual(error.ctx, { method, path: named ?? path });
      assert.equal(error.path, path);
      assert.ok(reply.headers.get("x-request-id"));
      assert.equal(reply.headers.get("www-authenticate"), null);
    }
  });
}

test("404: an unknown route is unknown whatever its body is", async () => {
  for (const [type, body] of [
    ["text/plain", "hello"],
    ["application/json", "{"],
    ["application/json", JSON.stringify("x".repeat(bodyLimit))],
  ]) {
    errorOf(
      await request(service, "/nope", { method: "POST", body, headers: { "content-type": type! } }),
      "ROUTE_NOT_FOUND",
    );
  }
});

test("404: ids are never refused for their form", async () => {
  for (const id of [
    "a".repeat(2000),
    "%00",
    "a%00b",
    "%F0%9F%98%80",
    "a%2Fb",
    "..%2F..",
    "%20",
    "'; drop table subscribers",
  ]) {
    const error = errorOf(await authorized(service, `/v2/subscribers/${id}`), "SUBSCRIBER_NOT_FOUND");
    assert.equal(typeof error.ctx?.subscriberId, "string");
    errorOf(await authorized(service, `/v2/workflows/${id}`), "WORKFLOW_NOT_FOUND");
    errorOf(await authorized(service, `/v1/notifications/${id}`), "NOTIFICATION_NOT_FOUND");
    errorOf(await authorized(service, `/v1/integrations/${id}`, { method: "DELETE" }), "INTEGRATION_NOT_FOUND");
  }
});

const methods = [
  { method: "PUT", path: "/v2/subscribers", allow: "GET, HEAD, POST" },
  { method: "PUT", path: "/v2/subscribers/", allow: "GET, HEAD, POST" },
  { method: "POST", path: "/v2/workflows/some", allow: "DELETE, GET, HEAD, PATCH, PUT" },
  { method: "GET", path: "/v1/events/trigger", allow: "POST" },
  { method: "OPTIONS", path: "/v1/environments", allow: "GET, HEAD, POST" },
  { method: "PROPFIND", path: "/v1/environments", allow: "GET, HEAD, POST" },
  { method: "POST", path: "/health", allow: "GET, HEAD" },
  { method: "DELETE", path: "/openapi.json", allow: "GET, HEAD" },
  { method: "POST", path: "/v1/exports/subscribers.csv", allow: "GET" },
  { method: "DELETE", path: "/u/any-token", allow: "GET, HEAD, POST" },
  { method: "POST", path: "/v1/activity/stream", allow: "GET" },
];

for (const { method, path, allow } of methods) {
  test(`405: ${method} ${path}, with Allow`, async () => {
    const reply = await request(service, path, { method });
    const error = errorOf(reply, "METHOD_NOT_ALLOWED");
    assert.equal(error.message, `Method ${method} is not allowed here`);
    assert.equal(reply.headers.get("allow"), allow);
  });
}

const bodyOf = (bytes: number) => {
  const empty = '{"subscriberId":"large","firstName":""}';
  return empty.replace('""', `"${"x".repeat(bytes - empty.length)}"`);
};

test("413: a body above the limit, and none at it", async () => {
  const before = await countRows(db);
  const reply = await post("/v2/subscribers", bodyOf(bodyLimit + 1));
  const error = errorOf(reply, "PAYLOAD_TOO_LARGE");
  assert.deepEqual(members(error), usual);
  assert.equal(error.message, `Request body is larger than ${bodyLimit} bytes`);
  // At the limit the body is read, and the name in it is too long instead.
  errorOf(await post("/v2/subscribers", bodyOf(bodyLimit)), "VALIDATION_ERROR");
  // The bulk trigger has its own limit.
  const events = [{ name: "unknown", to: "ada", payload: { text: "x".repeat(bodyLimit) } }];
  assert.equal((await post("/v1/events/trigger/bulk", JSON.stringify({ events }))).status, 201);
  const tooLarge = await post(
    "/v1/events/trigger/bulk",
    JSON.stringify({ events: [{ ...events[0], to: "x".repeat(65_536) }] }),
  );
  assert.equal(errorOf(tooLarge, "PAYLOAD_TOO_LARGE").message, "Request body is larger than 65536 bytes");
  assert.deepEqual(await countRows(db), before);
});

test("413: a body that never says how long it is", async () => {
  const reply = await new Promise<Reply>((resolve, reject) => {
    const headers = { authorization: `ApiKey ${service.apiKey}`, "content-type": "application/json" };
    const sent = http.request(
      `${service.url}/v2/subscribers`,
      { method: "POST", headers, agent: false },
      (response) => {
        let text = "";
        response.setEncoding("utf8").on("data", (chunk: string) => {
          text += chunk;
        });
        response.on("end", () =>
          resolve({ status: response.statusCode!, headers: new Headers(), text, body: JSON.parse(text) }),
        );
      },
    );
    sent.on("error", reject);
    sent.write(bodyOf(bodyLimit));
    sent.end(bodyOf(bodyLimit));
  });
  errorOf(reply, "PAYLOAD_TOO_LARGE");
});

test("415: only JSON is read", async () => {
  for (const type of [
    "text/plain",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
    "application/xml",
    ";",
  ]) {
    const reply = await post("/v2/subscribers", '{"subscriberId":"typed"}', { "content-type": type });
    const error = errorOf(reply, "UNSUPPORTED_MEDIA_TYPE");
    assert.deepEqual(members(error), usual);
    assert.equal(error.message, "Content-Type must be application/json");
  }
  errorOf(await authorized(service, "/v2/subscribers/typed"), "SUBSCRIBER_NOT_FOUND");
});

test("every spelling of JSON is read, and an empty body of any type is none", async () => {
  for (const type of ["application/json", "application/json; charset=utf-8", "Application/JSON;charset=UTF-8"]) {
    const reply = await post("/v2/subscribers", '{"subscriberId":"typed-well"}', { "content-type": type });
    assert.equal(reply.status, 201, reply.text);
  }
  for (const type of ["application/json", "text/plain"]) {
    const reply = await post("/v2/subscribers", "", { "content-type": type });
    assert.deepEqual(errorOf(reply, "VALIDATION_ERROR").errors, {
      general: { messages: ["Request body is required"] },
    });
  }
  const gone = await authorized(service, "/v2/subscribers/typed-well", {
    method: "DELETE",
    headers: { "content-type": "application/json" },
  });
  assert.equal(gone.status, 200);
});

type Fault = { name: string; path: string; method?: string; body?: unknown; errors: ErrorBody["errors"] };

const faults: Fault[] = [
  {
    name: "no body",
    path: "/v2/subscribers",
    method: "POST",
    errors: { general: { messages: ["Request body is required"] } },
  },
  {
    name: "null for a body",
    path: "/v2/subscribers",
    body: null,
    errors: { general: { messages: ["Request body is required"] } },
  },
  {
    name: "a list for an object",
    path: "/v2/subscribers",
    body: ["a"],
    errors: { general: { messages: ["Request body must be an object"], value: ["a"] } },
  },
  {
    name: "an empty object is a body",
    path: "/v2/subscribers",
    body: {},
    errors: { subscriberId: { messages: ["subscriberId is required"] } },
  },
  {
    name: "all faults at once, by dotted path",
    path: "/v1/events/trigger/bulk",
    body: { events: [{ to: 5, payload: [] }, 7, { name: "", to: [true, { subscriberId: 1 }], actor: null }] },
    errors: {
      "events.0.name": { messages: ["events.0.name is required"] },
      "events.0.to": { messages: ["events.0.to must be a string, an object or an array"], value: 5 },
      "events.0.payload": { messages: ["events.0.payload must be an object"], value: [] },
      "events.1": { messages: ["events.1 must be an object"], value: 7 },
      "events.2.name": { messages: ["events.2.name must not be empty"], value: "" },
      "events.2.to.0": { messages: ["events.2.to.0 must be a string or an object"], value: true },
      "events.2.to.1.subscriberId": { messages: ["events.2.to.1.subscriberId must be a string"], value: 1 },
      "events.2.actor": { messages: ["events.2.actor must be a string or an object"], value: null },
    },
  },
  {
    name: "lists too short and too long",
    path: "/v1/events/trigger/bulk",
    body: { events: [] },
    errors: { events: { messages: ["events must not be empty"], value: [] } },
  },
  {
    name: "formats, lengths and sets",
    path: "/v2/subscribers",
    body: { subscriberId: "a b", email: "nobody", locale: "?", timezone: "Mars/Olympus", phone: "1".repeat(65) },
    errors: {
      subscriberId: { messages: ["subscriberId has an invalid format"], value: "a b" },
      email: { messages: ["email has an invalid format"], value: "nobody" },
      locale: { messages: ["locale has an invalid format"], value: "?" },
      timezone: { messages: ["timezone has an invalid format"], value: "Mars/Olympus" },
      phone: { messages: ["phone must not be longer than 64 characters"], value: "1".repeat(65) },
    },
  },
  {
    name: "null where null is not allowed",
    path: "/v2/workflows",
    body: { name: null, workflowId: "ok", steps: null },
    errors: {
      name: { messages: ["name must be a string"], value: null },
      steps: { messages: ["steps must be an array"], value: null },
    },
  },
  {
    name: "a word outside its set",
    path: "/v2/workflows",
    body: { name: "A", workflowId: "ok", steps: [{ name: "S", type: "smoke" }], severity: "extreme" },
    errors: {
      "steps.0.type": {
        messages: [`steps.0.type must be one of: ${stepTypes.join(", ")}`],
        value: "smoke",
      },
      severity: { messages: ["severity must be one of: high, medium, low, none"], value: "extreme" },
    },
  },
  {
    name: "a value longer than 1,000 characters is not repeated",
    path: "/v2/subscribers",
    body: { subscriberId: "b".repeat(1000), firstName: "a".repeat(256) },
    errors: {
      subscriberId: { messages: ["subscriberId must not be longer than 255 characters"] },
      firstName: { messages: ["firstName must not be longer than 255 characters"], value: "a".repeat(256) },
    },
  },
  {
    name: "secrets are not repeated",
    path: "/v1/integrations",
    body: {
      providerId: "nodemailer",
      channel: "pigeon",
      credentials: { password: 12345, apiKey: ["s3cret"] },
      configurations: { inboundWebhookSigningKey: 5 },
    },
    errors: {
      channel: { messages: ["channel must be one of: in_app, email, sms, chat, push"], value: "pigeon" },
      "credentials.password": { messages: ["credentials.password must be a string"] },
      "credentials.apiKey": { messages: ["credentials.apiKey must be a string"] },
      "configurations.inboundWebhookSigningKey": {
        messages: ["configurations.inboundWebhookSigningKey must be a string"],
      },
    },
  },
  {
    name: "nor is a value that holds one",
    path: "/v1/integrations",
    body: [{ credentials: { apiKey: "s3cret" } }],
    errors: { general: { messages: ["Request body must be an object"] } },
  },
  {
    name: "texts that cannot be stored",
    path: "/v2/subscribers",
    body: { subscriberId: "ok", firstName: "a\u0000", lastName: "😀", data: { deep: ["\ud800"], "\u0000": 1 } },
    errors: {
      firstName: { messages: ["firstName must not contain U+0000 or half a surrogate pair"] },
      "data.deep.0": { messages: ["data.deep.0 must not contain U+0000 or half a surrogate pair"] },
      data: { messages: ["data must not contain U+0000 or half a surrogate pair"] },
    },
  },
  {
    name: "a query's faults",
    path: "/v2/subscribers?limit=0&orderDirection=UP&includeCursor=yes&email=%00",
    method: "GET",
    errors: {
      limit: { messages: ["limit must not be less than 1"], value: 0 },
      orderDirection: { messages: ["orderDirection must be one of: ASC, DESC"], value: "UP" },
      includeCursor: { messages: ["includeCursor must be a boolean"], value: "yes" },
      email: { messages: ["email must not contain U+0000 or half a surrogate pair"] },
    },
  },
  {
    name: "numbers that are too large or not whole",
    path: "/v1/messages?limit=1001&page=1.5",
    method: "GET",
    errors: {
      limit: { messages: ["limit must not be greater than 1000"], value: 1001 },
      page: { messages: ["page must be a whole number"], value: "1.5" },
    },
  },
  {
    name: "a page no list has",
    path: "/v1/messages?page=1e300",
    method: "GET",
    errors: { page: { messages: ["page must not be greater than 9007199254740991"], value: 1e300 } },
  },
  {
    name: "times",
    path: "/v1/notifications?after=yesterday",
    method: "GET",
    errors: { after: { messages: ["after must be a date"], value: "yesterday" } },
  },
  {
    name: "query and body together",
    path: "/v2/subscribers?failIfExists=1",
    body: { subscriberId: 5 },
    errors: {
      failIfExists: { messages: ["failIfExists must be a boolean"], value: "1" },
      subscriberId: { messages: ["subscriberId must be a string"], value: 5 },
    },
  },
];

for (const { name, path, method = "POST", body, errors } of faults) {
  test(`422: ${name}`, async () => {
    const before = await countRows(db);
    const reply = await authorized(service, path, {
      method,
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    const error = errorOf(reply, "VALIDATION_ERROR");
    assert.equal(error.message, "Validation Error");
    assert.deepEqual(members(error), [...usual, "errors"].sort());
    assert.deepEqual(error.errors, errors);
    assert.ok(!reply.text.includes("s3cret"));
    assert.deepEqual(await countRows(db), before);
  });
}

test("422: nesting without end", async () => {
  const nested = (depth: number) => `{"subscriberId":"deep","data":{"a":${"[".repeat(depth)}${"]".repeat(depth)}}}`;
  const error = errorOf(await post("/v2/subscribers", nested(199)), "VALIDATION_ERROR");
  assert.deepEqual(error.errors, {
    general: { messages: ["Request body must not be nested deeper than 200 levels"] },
  });
  assert.equal((await post("/v2/subscribers", nested(198))).status, 201);
  // Brackets inside a text are not nesting.
  const text = JSON.stringify({ subscriberId: "deep", data: { a: `"${"[".repeat(1000)}` } });
  assert.equal((await post("/v2/subscribers", text)).status, 201);
});

test("null clears a nullable field, and unknown members are ignored", async () => {
  await post("/v2/subscribers", '{"subscriberId":"nullable","firstName":"Ada","unknown":{"a":1},"__proto__":{"b":1}}');
  const reply = await authorized(service, "/v2/subscribers/nullable", { method: "PATCH", body: '{"firstName":null}' });
  assert.equal(reply.status, 200);
  assert.ok(!reply.text.includes("firstName"), "an absent value is left out");
  assert.ok(!reply.text.includes("unknown"));
});

test("an answer without a body has no content type", async () => {
  const things = await makeThings(client, "empty");
  const reply = await authorized(service, `/v2/workflows/${things.workflowId}`, { method: "DELETE" });
  assert.deepEqual([reply.status, reply.text, reply.headers.get("content-type")], [204, "", null]);
  assert.equal((await authorized(service, "/v1/environments")).headers.get("content-type"), json);
});

test("500: tells an errorId and nothing else; the log has the rest under it", async () => {
  await sql`alter table workflows rename column severity to severity_gone`.execute(db);
  try {
    const things = { name: "Broken", workflowId: "broken", steps: [] };
    for (const reply of [
      await authorized(service, "/v2/workflows/welcome"),
      await post("/v2/workflows", JSON.stringify(things)),
    ]) {
      const error = errorOf(reply, "INTERNAL_ERROR");
      assert.deepEqual(members(error), [...usual, "errorId"].sort());
      assert.equal(error.message, "Internal server error, quote the errorId when you report it");
      assert.doesNotMatch(reply.text, /severity|column|select|insert|\.ts|node_modules|Error:/);
      const entry = service.logs.find((line) => line.errorId === error.errorId);
      assert.match(JSON.stringify(entry), /severity/);
      assert.ok(!JSON.stringify(entry).includes(service.apiKey));
    }
  } finally {
    await sql`alter table workflows rename column severity_gone to severity`.execute(db);
  }
  // Connections keep the shape of the table they knew; the first statement after the change may still notice.
  await eventually(
    async () => (await authorized(service, "/v2/workflows/welcome")).status === 200,
    "the table as it was",
  );
});

test("503: the database goes away and comes back, and everything goes on by itself", async () => {
  await createWorkflow(client, "comeback", [inApp()]);
  await client("subscribers.create", { body: { subscriberId: "resident" } });
  await trigger(client, "comeback", "resident");
  await eventually(async () => (await feedOf(client, "resident")).length === 1, "the message before");
  const before = await countRows(db);

  await database.allowConnections(false);
  const replies = [
    await authorized(service, "/v2/subscribers/resident"),
    await post("/v1/events/trigger/bulk", '{"events":[{"name":"comeback","to":"resident"}]}'),
    await post("/v2/subscribers", '{"subscriberId":"new"}', { "idempotency-key": "while-away" }),
    // Whether a key is valid is not known now, so it is not called invalid.
    await request(service, "/v1/environments", { headers: { authorization: "ApiKey nobody" } }),
  ];
  for (const reply of replies) {
    const error = errorOf(reply, "UNAVAILABLE");
    assert.deepEqual(members(error), usual);
    assert.ok(Number(reply.headers.get("retry-after")) >= 1);
    assert.equal(reply.headers.get("www-authenticate"), null);
  }
  assert.equal((await request(service, "/health")).status, 200);
  const notReady = await request(service, "/ready");
  assert.equal(notReady.status, 503);
  assert.ok(Number(notReady.headers.get("retry-after")) >= 1);
  assert.equal((await request(service, "/metrics")).status, 200);

  await database.allowConnections(true);
  await eventually(async () => (await request(service, "/ready")).status === 200, "readiness");
  assert.equal((await request(service, "/health")).status, 200);
  assert.deepEqual(await countRows(db), before, "nothing was written while the database was away");
  // What was refused was not kept under its key: the repeat runs.
  const repeat = await post("/v2/subscribers", '{"subscriberId":"new"}', { "idempotency-key": "while-away" });
  assert.deepEqual([repeat.status, repeat.headers.get("idempotency-replay")], [201, null]);
  await trigger(client, "comeback", "resident");
  await eventually(async () => (await feedOf(client, "resident")).length === 2, "the message after");
});
