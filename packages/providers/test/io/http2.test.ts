import assert from "node:assert/strict";
import { once } from "node:events";
import type { ServerHttp2Session } from "node:http2";
import { connect } from "node:net";
import { describe, it } from "node:test";
import { SendError } from "../../src/kit/outcome.ts";
import type { HttpReply } from "../../src/kit/reply.ts";
import { get, post } from "../../src/kit/request.ts";
import { cacheKey, fetchToken, withToken } from "../../src/kit/token.ts";
import { closedPort, openIo, startHttp, startHttp2, startTcp } from "../support.ts";

async function failure(call: Promise<unknown>) {
  const error = await call.then(
    () => assert.fail("the call succeeded"),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof SendError, String(error));
  return error.outcome;
}

describe("an HTTP/2 call", () => {
  it("carries method, path, headers and body, and shares one session per origin", async (t) => {
    const { url, sessions } = await startHttp2(t, async (request, response) => {
      let body = "";
      for await (const chunk of request) body += chunk;
      response.writeHead(200, { "apns-id": String(request.headers["apns-id"]) });
      response.end(JSON.stringify({ path: request.url, authority: request.authority, body }));
    });
    const io = openIo(t);
    const send = (id: string) => io.http2(post(`${url}/3/device/a`, { headers: { "apns-id": id }, json: { id } }));
    const replies = await Promise.all([send("1"), send("2"), send("3")]);
    assert.deepEqual(
      replies.map(({ headers }) => headers["apns-id"]),
      ["1", "2", "3"],
    );
    assert.deepEqual(replies[0]?.json, { path: "/3/device/a", authority: new URL(url).host, body: '{"id":"1"}' });
    await send("4");
    assert.equal(sessions.length, 1);
  });

  it("opens a new session after the server has said goodbye", async (t) => {
    const { url, sessions } = await startHttp2(t, (_request, response) => void response.end("{}"));
    const io = openIo(t);
    await io.http2(get(url));
    const [first] = sessions as [ServerHttp2Session];
    first.close();
    await once(first, "close");
    // The goodbye may cross the next call, which is then to be repeated and nothing else.
    const status = (): Promise<number> =>
      io.http2(get(url)).then(
        (reply) => reply.status,
        (error: SendError) => (error.outcome.kind === "retry" ? status() : assert.fail(error.message)),
      );
    assert.equal(await status(), 200);
    assert.equal(sessions.length, 2);
  });

  it("leaves a connection on which a call was not answered, although others go on being made", async (t) => {
    const { url } = await startHttp2(t, (_request, response) => void response.end("{}"));
    let isDead = false;
    let connections = 0;
    // As behind a router that has forgotten the first connection: neither side is informed, and nothing arrives.
    const port = await startTcp(t, (socket) => {
      const isFirst = ++connections === 1;
      const line = connect(Number(new URL(url).port), "127.0.0.1");
      const passOn = (to: typeof socket) => (chunk: Buffer) => void ((isFirst && isDead) || to.write(chunk));
      socket.on("data", passOn(line)).on("close", () => line.destroy());
      line.on("data", passOn(socket)).on("error", () => {});
    });
    const io = openIo(t, { timeoutMs: 300 });
    const call = () => io.http2(post(`http://push.test:${port}/`));
    assert.equal((await call()).status, 200);
    isDead = true;
    assert.equal((await failure(call())).kind, "unknown");
    assert.equal((await call()).status, 200);
    assert.equal(connections, 2);
  });

  it("lets calls under way finish when their session takes no new ones", async (t) => {
    const waiting: (() => void)[] = [];
    const { url, sessions } = await startHttp2(t, (request, response) => {
      if (request.url === "/slow") waiting.push(() => response.end('"late"'));
      else response.end("{}");
    });
    const io = openIo(t);
    const slow = io.http2(post(`${url}/slow`));
    while (waiting.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    sessions[0]?.close();
    // What meets the old session before the news of its end does is turned away.
    while (sessions.length < 2) await io.http2(post(`${url}/quick`)).catch(() => {});
    for (const answer of waiting) answer();
    assert.equal((await slow).json, "late");
  });

  it("asks once whether an idle session is alive, however many calls want to know", async (t) => {
    const { url, sessions } = await startHttp2(t, (_request, response) => void response.end("{}"));
    const io = openIo(t);
    t.mock.timers.enable({ apis: ["Date"], now: Date.now() });
    await io.http2(post(url));
    t.mock.timers.tick(60_000);
    const replies = await Promise.all(Array.from({ length: 20 }, () => io.http2(post(url))));
    assert.ok(replies.every(({ status }) => status === 200));
    assert.equal(sessions.length, 1);
  });

  it("repeats what was never taken and leaves open what was", async (t) => {
    const acts: Record<string, Parameters<typeof startHttp2>[1]> = {
      "/refused": (request) => request.stream.close(7),
      "/reset": (request) => request.stream.session?.destroy(),
      "/silent": () => {},
    };
    const { url } = await startHttp2(t, (request, response) => acts[request.url]?.(request, response));
    const io = openIo(t, { timeoutMs: 500 });
    const kind = async (path: string): Promise<string> => (await failure(io.http2(get(`${url}${path}`)))).kind;
    assert.equal(await kind("/refused"), "retry");
    assert.equal(await kind("/reset"), "unknown");
    assert.equal(await kind("/silent"), "unknown");
    assert.equal((await failure(io.http2(get(`http://push.test:${await closedPort()}`)))).kind, "retry");
  });

  it("asks the guard before it connects", async (t) => {
    const outcome = await failure(openIo(t).http2(get("https://api.private/3/device/a")));
    assert.deepEqual(outcome, {
      kind: "rejected",
      class: "config",
      reason: "Connections to api.private are refused",
      isDecidedLocally: true,
    });
  });
});

describe("access tokens", () => {
  it("are bought once, kept until shortly before they expire, and bought anew on 401", async (t) => {
    let bought = 0;
    let now = new Date("2026-01-01T00:00:00Z");
    const url = await startHttp(t, (request, response) => {
      if (request.url === "/token") response.end(JSON.stringify({ access_token: `t${++bought}`, expires_in: 3600 }));
      else response.writeHead(request.headers.authorization === "Bearer t1" ? 401 : 200).end("{}");
    });
    const io = openIo(t, { now: () => now });
    const key = cacheKey("fcm", "s3cret");
    assert.doesNotMatch(key, /s3cret/);
    const make = () => fetchToken(io, post(`${url}/token`, {}));
    const call = (bearer: string): Promise<HttpReply> => io.http(post(`${url}/send`, { bearer }));
    const replies = await Promise.all([withToken(io, key, make, call), withToken(io, key, make, call)]);
    assert.deepEqual(
      replies.map(({ status }) => status),
      [200, 200],
    );
    const after = bought;
    now = new Date("2026-01-01T00:59:00Z");
    await withToken(io, key, make, call);
    assert.equal(bought, after);
    now = new Date("2026-01-01T00:59:40Z");
    await withToken(io, key, make, call);
    assert.equal(bought, after + 1);
  });

  it("that cannot be bought are faults of the integration, or worth a repeat, but never an open outcome", async (t) => {
    const url = await startHttp(t, (request, response) => {
      if (request.url === "/reset") request.socket.destroy();
      else response.writeHead(Number(request.url?.slice(1))).end("{}");
    });
    const io = openIo(t);
    const bought = (path: string) =>
      failure(io.cached(cacheKey("fcm", path), () => fetchToken(io, get(`${url}/${path}`))));
    assert.equal((await bought("reset")).kind, "retry");
    assert.equal((await bought("503")).kind, "retry");
    assert.deepEqual(await bought("400"), { kind: "rejected", class: "auth", reason: "No access token: HTTP 400: {}" });
    assert.equal((await bought("200")).kind, "rejected");
    // A failure is not kept.
    const value = await io.cached(cacheKey("fcm", "400"), async () => ({
      value: 1,
      expiresAt: new Date(Date.now() + 1e6),
    }));
    assert.equal(value, 1);
  });
});
