// Every response has the id of its request, whoever writes it.
import assert from "node:assert/strict";
import { once } from "node:events";
import { type IncomingMessage, request as open } from "node:http";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { authorized, request } from "@tidings/testkit/http";
import { startTestService } from "@tidings/testkit/service";

const service = await startTestService({ TIDINGS_RATE_TRIGGER: "1", TIDINGS_TRUSTED_PROXIES: "10.0.0.0/8" });
const port = Number(new URL(service.url).port);
const bulk = JSON.stringify({ events: Array.from({ length: 20 }, () => ({ name: "none", to: "ada" })) });

const cases: [status: number, method: string, path: string, body?: string][] = [
  [200, "GET", "/health"],
  [200, "GET", "/metrics"],
  [200, "GET", "/docs"],
  [200, "GET", "/inbox"],
  [200, "GET", "/v2/subscribers"],
  [404, "GET", "/v2/subscribers/no-one"],
  [404, "GET", "/nowhere"],
  [404, "GET", "/v2/subscribers/%zz"],
  [405, "PUT", "/v1/events/trigger"],
  [422, "POST", "/v1/events/trigger", "{}"],
  [400, "POST", "/v1/events/trigger", "{"],
  [429, "POST", "/v1/events/trigger/bulk", bulk],
];

for (const [status, method, path, body] of cases) {
  test(`${status}: ${method} ${path}`, async () => {
    const headers = { "x-request-id": `id-of-${status}` };
    const reply = await authorized(service, path, { method, body, headers });
    assert.deepEqual([reply.status, reply.headers.get("x-request-id")], [status, `id-of-${status}`], reply.text);
  });
}

test("401 and the pages of the dashboard", async () => {
  for (const path of ["/v2/subscribers", "/", "/sign-in"]) {
    const reply = await request(service, path, { headers: { "x-request-id": "mine" } });
    assert.equal(reply.headers.get("x-request-id"), "mine", path);
  }
});

test("a stream, an upgrade that is refused, and bytes that are no request", async () => {
  const headers = { authorization: `ApiKey ${service.apiKey}`, "x-request-id": "mine" };
  const opened = open({ port, host: "127.0.0.1", path: "/v1/activity/stream", headers }).end();
  const [stream] = (await once(opened, "response")) as [IncomingMessage];
  assert.deepEqual([stream.statusCode, stream.headers["x-request-id"]], [200, "mine"]);
  stream.destroy();

  const upgrade = { connection: "upgrade", upgrade: "websocket", "x-request-id": "mine" };
  const [refused] = (await once(
    open({ port, host: "127.0.0.1", path: "/ws", headers: upgrade }).end(),
    "response",
  )) as [IncomingMessage];
  assert.deepEqual([refused.statusCode, refused.headers["x-request-id"]], [401, "mine"]);
  refused.resume();

  const socket = connect(port, "127.0.0.1");
  socket.write("hello\r\n\r\n");
  assert.match(await text(socket), /^HTTP\/1\.1 400 .*\r\nx-request-id: [\da-f-]{36}\r\n/s);
});
