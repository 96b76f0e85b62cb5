// The examples for nginx and Caddy, started for real: requests, live streams, sockets, large bodies and the address of
// the client get through.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { type IncomingMessage, request as requestPlainly } from "node:http";
import { connect } from "node:http2";
import { request as requestSecurely } from "node:https";
import { join } from "node:path";
import { test } from "node:test";
import { atEnd } from "@tidings/testkit/at-end";
import { startTestService } from "@tidings/testkit/service";
import { createWorkflow, inApp } from "@tidings/testkit/verbs";
import { eventually } from "@tidings/testkit/wait";
import { settings } from "../../src/settings.ts";
import { encryptionKey, type LiveClient, openSocketIo, openStream, openWebSocket, tokenFor } from "../live/clients.ts";
import { type RunningProxy, skipWithoutCaddy, skipWithoutNginx, startCaddy, startNginx } from "./proxies.ts";

const root = join(import.meta.dirname, "../../../..");
const service = await startTestService({
  TIDINGS_ENCRYPTION_KEY: encryptionKey,
  TIDINGS_TRUSTED_PROXIES: "127.0.0.1",
  TIDINGS_RATE_WRONG_KEYS: "3",
  TIDINGS_LIVE_SWEEP: "600",
  TIDINGS_LIVE_HEARTBEAT: "1",
});
await createWorkflow(service.client, "greet", [inApp()]);
const { host, hostname, port } = new URL(service.url);

const proxies: { name: string; skip: string | false; start(): Promise<RunningProxy> }[] = [
  { name: "nginx", skip: skipWithoutNginx, start: () => startNginx(host) },
  { name: "Caddy", skip: skipWithoutCaddy, start: () => startCaddy("Caddyfile", { UPSTREAM: host }) },
  {
    name: "Caddy with several processes",
    skip: skipWithoutCaddy,
    start: () => startCaddy("Caddyfile.split", { UPSTREAM_NAME: hostname, UPSTREAM_PORT: port }),
  },
];

const clients: LiveClient[] = [];
atEnd(() => {
  for (const one of clients) one.close();
});
const track = <C extends LiveClient>(one: C): C => {
  clients.push(one);
  return one;
};

type Call = { path: string; body?: string | Buffer; key?: string; from?: string; headers?: Record<string, string> };
type Reply = { status: number; headers: IncomingMessage["headers"]; text: string };

/** One request over its own connection, from an address of this machine. */
function call({ url, ca }: RunningProxy, { path, body, key = service.apiKey, from, headers }: Call): Promise<Reply> {
  const options = {
    method: body === undefined ? "GET" : "POST",
    headers: { authorization: `ApiKey ${key}`, "content-type": "application/json", ...headers },
    localAddress: from,
    agent: false,
    ca,
  };
  return new Promise((resolve, reject) => {
    const sent = (ca ? requestSecurely : requestPlainly)(`${url}${path}`, options, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (chunk: string) => {
        text += chunk;
      });
      response.on("end", () => resolve({ status: response.statusCode!, headers: response.headers, text }));
    });
    sent.on("error", reject);
    sent.end(body);
  });
}

const eventFor = (subscriberId: string): string =>
  JSON.stringify({ events: [{ name: "greet", to: subscriberId, payload: { name: "Ada" } }] });

/** The same request, with as many spaces as it needs to have this size. */
function padded(text: string, bytes: number): Buffer {
  const body = Buffer.alloc(bytes, " ");
  body.write(text);
  return body;
}

const bulk = "/v1/events/trigger/bulk";
const mebibyte = 1024 * 1024;

for (const { name, skip, start } of proxies) {
  test(`${name}: requests, streams, sockets, large bodies and the client's address`, { skip }, async (context) => {
    const proxy = await start();
    context.after(() => proxy.stop());
    const { url, ca } = proxy;
    const subscriberId = `reader-${name.toLowerCase().replaceAll(" ", "-")}`;
    const token = await tokenFor(service, subscriberId);
    const open = [
      track(openStream(url, token, { ca })),
      track(openWebSocket(url, token, { ca })),
      track(openWebSocket(url, token, { ca }, "/")),
      track(openSocketIo(url, token, { ca })),
    ];
    const isStarted = (one: LiveClient) =>
      one.named("counts").length > 0 || one.named("unseen_count_changed").length > 0;
    await eventually(() => open.every(isStarted), "the first counts at all doors");

    const accepted = await call(proxy, { path: bulk, body: eventFor(subscriberId) });
    assert.equal(accepted.status, 201, accepted.text);
    const [{ transactionId }] = JSON.parse(accepted.text) as [{ transactionId: string }];
    const isReceived = (one: LiveClient) => JSON.stringify(one.events).includes(transactionId);
    const hasMessage = (one: LiveClient) => one.named("notification").length > 0 || isReceived(one);
    await eventually(() => open.every(hasMessage), "the message at all doors", 5_000);
    for (const one of open) one.close();

    // Just below TIDINGS_BULK_BODY_LIMIT, and above it.
    const large = await call(proxy, { path: bulk, body: padded(eventFor(subscriberId), 60 * mebibyte - 1) });
    assert.equal(large.status, 201, large.text.slice(0, 500));
    const tooLarge = await call(proxy, { path: bulk, body: padded(eventFor(subscriberId), 61 * mebibyte) }).catch(
      // A proxy may close the connection without reading all of the body.
      (error: NodeJS.ErrnoException) => ({ status: error.code === "EPIPE" || error.code === "ECONNRESET" ? 413 : 0 }),
    );
    // Caddy before 2.7 responds with 502.
    assert.ok([413, 502].includes(tooLarge.status), String(tooLarge.status));

    for (const path of ["/metrics", "/health", "/ready"]) {
      const reply = await call(proxy, { path });
      assert.equal(reply.status, 404, path);
      assert.equal(reply.headers["x-request-id"], undefined, "the service did not see the request");
    }

    await expectOwnLimits(proxy);
  });
}

/** Wrong keys are counted for the address that the proxy sees, whatever a client says about itself. */
async function expectOwnLimits(proxy: RunningProxy): Promise<void> {
  const tryKey = async (from: string, headers = {}) =>
    (await call(proxy, { path: "/v2/subscribers", key: "tdg_wrong", from, headers })).status;
  await eventually(async () => (await tryKey("127.0.0.2")) === 429, "the limit of one address");
  assert.equal(await tryKey("127.0.0.2", { "x-forwarded-for": "203.0.113.9" }), 429);
  assert.equal(await tryKey("127.0.0.3"), 401, "another client has its own limit");
}

test("nginx: HTTP/2, heartbeats without delay, and HTTPS for everybody", {
  skip: skipWithoutNginx,
}, async (context) => {
  const proxy = await startNginx(host);
  const token = await tokenFor(service, "reader-http2");
  const session = connect(proxy.url, { ca: proxy.ca });
  context.after(async () => {
    // Before the proxy, which would reset the connection.
    session.destroy();
    await proxy.stop();
  });
  const stream = session.request({ ":path": "/v1/inbox/stream", authorization: `Bearer ${token}` });
  let text = "";
  stream.setEncoding("utf8").on("data", (chunk: string) => {
    text += chunk;
  });
  await eventually(() => text.includes("event: counts"), "the counts over HTTP/2");
  assert.equal(session.alpnProtocol, "h2");
  // Each comment line is sent as soon as it is written, and begins the read timeout of the proxy anew.
  await eventually(() => (text.match(/^:/gm) ?? []).length >= 2, "two heartbeats");
  stream.close();
  const redirected = await call({ url: proxy.plainUrl, stop: proxy.stop }, { path: "/v1/events?page=1" });
  assert.deepEqual([redirected.status, redirected.headers.location], [301, "https://127.0.0.1/v1/events?page=1"]);
});

test("the timeouts of nginx are longer than what the service needs", () => {
  const file = readFileSync(join(root, "deploy/nginx/tidings.conf"), "utf8");
  const secondsOf = (name: string): number => Number(new RegExp(`\\b${name} (\\d+)s;`).exec(file)![1]);
  assert.ok(secondsOf("proxy_read_timeout") > 2 * Number(settings.TIDINGS_LIVE_HEARTBEAT.fallback));
  // docs/failover.md: a request ends after 75 s at most.
  assert.ok(secondsOf("proxy_read_timeout") > 75);
  const server = readFileSync(join(root, "packages/server/src/http/server.ts"), "utf8");
  const keepAlive = Number(/keepAliveTimeout: ([\d_]+)/.exec(server)![1]!.replaceAll("_", "")) / 1000;
  assert.ok(secondsOf("keepalive_timeout") < keepAlive, "the proxy closes idle connections first");
});

test("body limits of all proxies are the limit of the service", () => {
  const limit = Number(settings.TIDINGS_BULK_BODY_LIMIT.fallback) / mebibyte;
  assert.match(
    readFileSync(join(root, "deploy/nginx/tidings.conf"), "utf8"),
    new RegExp(`client_max_body_size ${limit}m;`),
  );
  for (const name of ["Caddyfile", "Caddyfile.split"])
    assert.match(readFileSync(join(root, "deploy/caddy", name), "utf8"), new RegExp(`max_size ${limit}MiB`));
});
