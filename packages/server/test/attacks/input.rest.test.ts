// Requests that try to block the service, while another client polls its health. The longest time without a response is
// printed and not asserted, because the machine may be busy. The responses are asserted.
import assert from "node:assert/strict";
import { connect } from "node:net";
import { test } from "node:test";
import { authorized, errorOf, request } from "@tidings/testkit/http";
import { startTestService } from "@tidings/testkit/service";
import { sql } from "kysely";

const service = await startTestService({ TIDINGS_RATE_WRONG_KEYS: "50", TIDINGS_MAX_ENVIRONMENTS: "4" });
const { client, url } = service;

// The client runs in this process too: its first request loads it.
await request(service, "/health");

/** Runs the attack while another client polls; returns the result of the attack, and prints the longest gap. */
async function under<T>(name: string, attack: () => Promise<T>): Promise<T> {
  let [isOver, longest] = [false, 0];
  const watching = (async () => {
    while (!isOver) {
      const start = performance.now();
      assert.equal((await request(service, "/health")).status, 200);
      longest = Math.max(longest, performance.now() - start);
    }
  })();
  const result = await attack().finally(() => {
    isOver = true;
  });
  await watching;
  process.stdout.write(`  ${name}: the longest answer of /health took ${Math.round(longest)} ms\n`);
  return result;
}

const post = (path: string, body: unknown) => authorized(service, path, { method: "POST", body: JSON.stringify(body) });
const messagesOf = (errors: Record<string, { messages: string[] }> | undefined) =>
  Object.fromEntries(Object.entries(errors ?? {}).map(([field, { messages }]) => [field, messages[0]]));

test("lists of wrong types are refused for their length, or by their first fifty faults", async () => {
  const numbers = Array<number>(100_000).fill(1);
  const tooLong: [path: string, body: object, field: string, limit: number][] = [
    ["/v1/events/trigger", { name: "welcome", to: numbers }, "to", 100],
    ["/v1/events/trigger/bulk", { events: numbers }, "events", 100],
    ["/v2/topics/news/subscriptions", { subscriptions: numbers }, "subscriptions", 100],
    ["/v2/topics/news/subscriptions", { subscriberIds: numbers }, "subscriberIds", 100],
    ["/v1/subscribers/bulk", { subscribers: numbers }, "subscribers", 500],
  ];
  for (const [path, body, field, limit] of tooLong) {
    const error = errorOf(await under(`${path} ${field}`, () => post(path, body)), "VALIDATION_ERROR");
    assert.deepEqual(messagesOf(error.errors), { [field]: `${field} must contain no more than ${limit} elements` });
  }
  const events = Array(100).fill({ name: "welcome", to: Array(100).fill(1) });
  const { errors = {} } = errorOf(
    await under("10,000 wrong recipients", () => post("/v1/events/trigger/bulk", { events })),
    "VALIDATION_ERROR",
  );
  assert.equal(Object.keys(errors).length, 51);
  assert.deepEqual(errors["events.0.to.0"], { messages: ["events.0.to.0 must be a string or an object"], value: 1 });
  assert.match(errors.general!.messages[0]!, /^More than 50 fields have errors/);
});

test("objects with a hundred thousand unknown members are refused", async () => {
  await client("subscribers.create", { body: { subscriberId: "ada" } });
  const credentials = Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`m${index}`, 0]));
  const path = "/v1/subscribers/ada/credentials";
  const body = JSON.stringify({ providerId: "fcm", credentials });
  const reply = await under("unknown members", () => authorized(service, path, { method: "PUT", body }));
  const { errors = {} } = errorOf(reply, "VALIDATION_ERROR");
  assert.equal(errors["credentials.m0"]?.messages[0], "credentials.m0 is not a known member");
  assert.equal(Object.keys(errors).length, 51);
});

test("a header of spaces costs no more than its length", async () => {
  const header = `ApiKey a${" ".repeat(15_000)}b`;
  const send = () => request(service, "/v1/integrations", { headers: { authorization: header } });
  for (const reply of await under("20 headers of spaces", () => Promise.all(Array.from({ length: 20 }, send)))) {
    errorOf(reply, "API_KEY_NOT_FOUND");
  }
});

test("captured messages without a space in them are read in proportion to their length", async () => {
  const lines = Array<string>(100).fill("x".repeat(999)).join("\n");
  const content = JSON.stringify({ channel: "sms", to: ["+491700000000"], text: `Your code is 482913\n${lines}` });
  await sql`insert into captured_messages (id, environment_id, message_id, event_id, subscriber_id, transaction_id,
      channel, provider_id, integration_identifier, content, created_at)
    select gen_random_uuid(), e.id, gen_random_uuid(), gen_random_uuid(), 'ada', 't', 'sms', 'svc-sms', 'i',
      ${content}::jsonb, now()
    from environments e, generate_series(1, 20) where e.type = 'dev'`.execute(service.db);
  const reply = await under("20 captured messages", () => authorized(service, "/v2/captured?limit=20"));
  assert.equal(reply.status, 200);
  const { data } = reply.body as { data: { codes: string[] }[] };
  assert.equal(data.length, 20);
  for (const { codes } of data) assert.deepEqual(codes, ["482913"]);
});

test("wrong keys are slowed down by their address, a right one is not", async () => {
  const attempt = (key: string) =>
    request(service, "/v1/integrations", { headers: { authorization: `ApiKey ${key}` } });
  const replies = await under("200 wrong keys", () =>
    Promise.all(Array.from({ length: 200 }, (_, index) => attempt(`wrong-${index}`))),
  );
  const limited = replies.filter(({ status }) => status === 429);
  assert.ok(limited.length >= 100, `${limited.length} of 200 were limited`);
  const error = errorOf(limited[0]!, "RATE_LIMITED");
  assert.equal(error.message, "Too many wrong API keys came from this address");
  assert.ok(Number(limited[0]!.headers.get("retry-after")) >= 1);
  const right = await Promise.all(Array.from({ length: 20 }, () => attempt(service.apiKey)));
  for (const { status } of right) assert.equal(status, 200);
});

/** The response to raw bytes. */
const answerTo = (bytes: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(url).port), "127.0.0.1", () => socket.write(bytes));
    let text = "";
    socket.on("data", (chunk) => {
      text += chunk;
    });
    socket.on("error", reject);
    socket.on("close", () => resolve(text));
  });

test("heads that are too large and bytes that are not HTTP are answered in our words", async () => {
  const long = "a".repeat(17_000);
  const heads: [bytes: string, status: RegExp, code: string][] = [
    [`GET /v1/messages?x=${long} HTTP/1.1\r\nhost: a\r\n\r\n`, /^HTTP\/1\.1 431 /, "HEADERS_TOO_LARGE"],
    [`GET /health HTTP/1.1\r\nhost: a\r\nx-long: ${long}\r\n\r\n`, /^HTTP\/1\.1 431 /, "HEADERS_TOO_LARGE"],
    ["HELO mail.example.com\r\n\r\n", /^HTTP\/1\.1 400 /, "MALFORMED_REQUEST"],
  ];
  for (const [bytes, status, code] of heads) {
    const answer = await under(code, () => answerTo(bytes));
    assert.match(answer, status);
    const body = JSON.parse(answer.slice(answer.indexOf("\r\n\r\n"))) as { code: string; statusCode: number };
    assert.equal(body.code, code);
  }
});

test("no parameter of a query is dropped, however many there are", async () => {
  const many = Array.from({ length: 2_000 }, (_, index) => `a${index}=`).join("&");
  const reply = await under("2,000 parameters", () => authorized(service, `/v1/messages?${many}&limit=nonsense`));
  assert.deepEqual(Object.keys(errorOf(reply, "VALIDATION_ERROR").errors ?? {}), ["limit"]);
});

test("answers are kept by no cache", async () => {
  const wrong = await request(service, "/v1/environments");
  for (const reply of [await authorized(service, "/v1/environments"), wrong, await request(service, "/nowhere")]) {
    assert.equal(reply.headers.get("cache-control"), "no-store");
  }
});

test("an organisation has no more environments than the setting allows, however many are made at once", async () => {
  const made = await Promise.all(
    Array.from({ length: 6 }, (_, index) =>
      client.raw("environments.create", { body: { name: `E${index}`, color: "#aabbcc" } }),
    ),
  );
  assert.deepEqual(made.map(({ status }) => status).sort(), [201, 201, 409, 409, 409, 409]);
  const refusal = made.find(({ status }) => status === 409)!;
  assert.equal(errorOf(refusal, "ENVIRONMENT_LIMIT").message, "An organisation can have at most 4 environments");
});

test("metrics and documentation can be switched off", async () => {
  const quiet = await startTestService({ TIDINGS_METRICS: "off", TIDINGS_DOCS: "off", TIDINGS_DASHBOARD: "off" });
  for (const path of ["/metrics", "/docs", "/openapi.json", "/"]) {
    errorOf(await request(quiet, path), "ROUTE_NOT_FOUND");
    assert.ok((await request(service, path)).status < 400, path);
  }
  assert.equal((await request(quiet, "/health")).status, 200);
});
