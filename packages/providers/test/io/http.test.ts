import assert from "node:assert/strict";
import { once } from "node:events";
import https from "node:https";
import type { AddressInfo } from "node:net";
import { describe, it } from "node:test";
import type { JsonObject } from "@tidings/contract";
import type { Io } from "../../src/kit/io.ts";
import { SendError } from "../../src/kit/outcome.ts";
import { byStatus, type HttpReply, textAt } from "../../src/kit/reply.ts";
import { get, post } from "../../src/kit/request.ts";
import { makeCertificate } from "../conformance/certificate.ts";
import { closedPort, openIo, startHttp, startHttp2, startTcp } from "../support.ts";

async function failure(call: Promise<HttpReply>) {
  try {
    await call;
  } catch (error) {
    assert.ok(error instanceof SendError, String(error));
    return error.outcome;
  }
  return assert.fail("the call succeeded");
}

describe("an HTTP call", () => {
  it("sends method, path, headers and body to the resolved address under the given name", async (t) => {
    const seen: JsonObject = {};
    const url = await startHttp(t, async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk);
      const { method, url: path, headers } = request;
      Object.assign(seen, { method, path, headers, body: Buffer.concat(chunks).toString() });
      response.writeHead(201, { "content-type": "application/json", "x-a": "1" }).end('{"messages":[{"id":42}]}');
    });
    const request = post(`${url}/v1/send`, {
      query: { a: "b c", none: undefined },
      bearer: "t0k",
      json: { text: "ü" },
    });
    const reply = await openIo(t).http(request);
    assert.equal(reply.status, 201);
    assert.equal(reply.headers["x-a"], "1");
    assert.equal(textAt(reply.json, "messages", 0, "id"), "42");
    assert.equal(textAt(reply.json, "messages", 1, "id"), undefined);
    assert.equal(textAt(reply.json, "messages"), undefined);
    assert.equal(seen.method, "POST");
    assert.equal(seen.path, "/v1/send?a=b+c");
    assert.equal(seen.body, '{"text":"ü"}');
    const headers = seen.headers as Record<string, string>;
    assert.equal(headers.host, new URL(url).host);
    assert.equal(headers.authorization, "Bearer t0k");
    assert.equal(headers["content-type"], "application/json");
  });

  it("resolves the name once and connects to what the resolver said", async (t) => {
    const url = await startHttp(t, (_request, response) => response.end("ok"));
    const asked: string[] = [];
    const resolveHost = async (host: string) => {
      asked.push(host);
      return { address: "127.0.0.1", family: 4 };
    };
    const reply = await openIo(t, { resolveHost }).http(get(url));
    assert.equal(reply.text, "ok");
    assert.deepEqual(asked, ["api.test"]);
  });

  it("does not follow a redirect", async (t) => {
    let hits = 0;
    const url = await startHttp(t, (_request, response) => {
      hits++;
      response.writeHead(302, { location: "/elsewhere" }).end();
    });
    const reply = await openIo(t).http(get(url));
    assert.equal(reply.status, 302);
    assert.equal(hits, 1);
    assert.deepEqual(byStatus(reply), {
      kind: "rejected",
      class: "config",
      reason: "HTTP 302 (redirects are not followed)",
    });
  });

  it("takes a reply that is not the JSON it claims to be", async (t) => {
    const url = await startHttp(t, (_request, response) => {
      response.writeHead(200, { "content-type": "application/json" }).end("{oops");
    });
    const reply = await openIo(t).http(get(url));
    assert.equal(reply.text, "{oops");
    assert.equal(reply.json, undefined);
  });

  it("reads no more than a megabyte of a reply", async (t) => {
    const url = await startHttp(t, (_request, response) => {
      response.writeHead(200);
      const more = (): void => {
        if (response.write(Buffer.alloc(64 * 1024, "a"))) setImmediate(more);
        else response.once("drain", more);
      };
      response.on("error", () => {});
      more();
    });
    const reply = await openIo(t).http(get(url));
    assert.equal(reply.status, 200);
    assert.equal(reply.text.length, 1024 * 1024);
    assert.equal(reply.json, undefined);
  });

  it("that is refused may be repeated", async (t) => {
    const outcome = await failure(openIo(t).http(get(`http://api.test:${await closedPort()}/secret-path`)));
    assert.equal(outcome.kind, "retry");
    assert.match(outcome.reason, /api\.test.*ECONNREFUSED/);
    assert.doesNotMatch(outcome.reason, /secret-path/);
  });

  it("that is cut off after it was written leaves the outcome open", async (t) => {
    const port = await startTcp(t, (socket) => socket.once("data", () => socket.resetAndDestroy()));
    const outcome = await failure(openIo(t).http(post(`http://api.test:${port}/`, { json: {} })));
    assert.equal(outcome.kind, "unknown");
  });

  it("whose reply breaks off leaves the outcome open", async (t) => {
    const port = await startTcp(t, (socket) =>
      socket.once("data", () => socket.end("HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf")),
    );
    assert.equal((await failure(openIo(t).http(get(`http://api.test:${port}/`)))).kind, "unknown");
  });

  it("that is not answered in time leaves the outcome open", async (t) => {
    const url = await startHttp(t, () => {});
    const outcome = await failure(openIo(t, { timeoutMs: 100 }).http(get(url)));
    assert.equal(outcome.kind, "unknown");
    assert.match(outcome.reason, /did not respond in time/);
  });

  it("that drips its answer is cut off too", async (t) => {
    const url = await startHttp(t, (_request, response) => {
      const timer = setInterval(() => response.write("x"), 10);
      response.on("close", () => clearInterval(timer));
    });
    assert.equal((await failure(openIo(t, { timeoutMs: 150 }).http(get(url)))).kind, "unknown");
  });

  it("that cannot finish its handshake may be repeated", async (t) => {
    const port = await startTcp(t, () => {});
    const outcome = await failure(openIo(t, { timeoutMs: 100 }).http(get(`https://api.test:${port}/`)));
    assert.equal(outcome.kind, "retry");
  });

  it("whose name never resolves may be repeated", async (t) => {
    const resolveHost = () => new Promise<never>(() => {});
    assert.equal(
      (await failure(openIo(t, { resolveHost, timeoutMs: 50 }).http(get("http://api.test/")))).kind,
      "retry",
    );
  });

  const unusable: [url: string, kind: string][] = [
    ["not a url", "rejected"],
    ["ftp://api.test/", "rejected"],
    ["file:///etc/passwd", "rejected"],
    ["http://api.private/", "rejected"],
    ["http://api.invalid/", "retry"],
  ];
  for (const [url, kind] of unusable) {
    it(`to ${url} is ${kind}`, async (t) => {
      assert.equal((await failure(openIo(t).http(get(url)))).kind, kind);
    });
  }

  it("with a line break in a header is not sent", async (t) => {
    let hits = 0;
    const url = await startHttp(t, (_request, response) => {
      hits++;
      response.end();
    });
    const request = post(url, { headers: { "x-key": "a\r\nx-evil: b" } });
    assert.equal((await failure(openIo(t).http(request))).kind, "rejected");
    assert.equal(hits, 0);
  });

  for (const name of [
    "Transfer-Encoding",
    "content-length",
    "Host",
    "connection",
    "TE",
    "Upgrade",
    "proxy-authorization",
  ]) {
    it(`with a ${name} of its own is not sent, over HTTP/1.1 and HTTP/2`, async (t) => {
      let hits = 0;
      const port = await startTcp(t, (socket) => socket.on("data", () => hits++));
      const request = { ...post(`http://api.test:${port}/`, { json: {} }), headers: { [name]: "chunked" } };
      const io = openIo(t, { timeoutMs: 500 });
      const outcome = await failure(io.http(request));
      assert.deepEqual(outcome.kind === "rejected" && outcome.class, "config");
      assert.match(outcome.reason, new RegExp(`header ${name}`));
      assert.equal(hits, 0);
      const { url } = await startHttp2(t, () => hits++);
      const second = await failure(io.http2({ ...request, url }));
      assert.deepEqual(second.kind === "rejected" && second.class, "config");
      assert.equal(hits, 0);
    });
  }

  it("over TLS names the host it was given, and sends nothing to a server without a certificate for it", async (t) => {
    const { pem, privateKey } = makeCertificate("2026-01-01", "2036-01-01");
    const names: string[] = [];
    let hits = 0;
    const SNICallback = (name: string, done: (error: Error | null) => void) => {
      names.push(name);
      done(null);
    };
    const key = privateKey.export({ type: "pkcs8", format: "pem" });
    const server = https.createServer({ key, cert: pem, SNICallback }, () => hits++).listen(0, "127.0.0.1");
    t.after(() => server.close());
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const outcome = await failure(openIo(t).http(post(`https://api.test:${port}/`, { json: {} })));
    assert.deepEqual([outcome.kind, names, hits], ["retry", ["api.test"], 0]);
    assert.match(outcome.reason, /certificate/);
  });

  it("reuses its connections: two for calls one after the other, because one rests for a turn after its answer", async (t) => {
    const ports = new Set<number | undefined>();
    const url = await startHttp(t, (request, response) => {
      ports.add(request.socket.remotePort);
      response.end("ok");
    });
    const io: Io = openIo(t);
    for (let n = 0; n < 6; n++) await io.http(get(url));
    assert.ok(ports.size <= 2, `${ports.size} connections`);
  });

  it("has the headers of its request, ours beside them, and none twice", async (t) => {
    const url = await startHttp(t, (request, response) => response.end(request.rawHeaders.join("\n")));
    const withUser = url.replace("http://", "http://ada:secret@");
    const headers = { "User-Agent": "Mine", Authorization: "Key 1", "X-Signature": "s" };
    const named = await openIo(t).http({ method: "POST", url: withUser, headers, body: "{}" });
    const names = named.text.split("\n").filter((_, index) => index % 2 === 0);
    assert.equal(new Set(names.map((name) => name.toLowerCase())).size, names.length, names.join());
    for (const [name, value] of Object.entries(headers)) assert.ok(named.text.includes(`${name}\n${value}\n`), name);
    const bare = await openIo(t).http(get(withUser));
    assert.match(bare.text, /^authorization\nBasic YWRhOnNlY3JldA==$/m);
    assert.match(bare.text, /^user-agent\nTidings$/m);
  });

  it("to more hosts than connections are kept for is made too", async (t) => {
    let hits = 0;
    const url = await startHttp(t, (_request, response) => {
      hits++;
      response.end("ok");
    });
    const io = openIo(t);
    const { port } = new URL(url);
    for (let n = 0; n < 520; n++) await io.http(get(`http://host-${n}.test:${port}/`));
    assert.equal(hits, 520);
  });
});

describe("reading a reply by its status", () => {
  const reply = (status: number, headers: Record<string, string> = {}, text = ""): HttpReply => ({
    status,
    headers,
    text,
    json: undefined,
  });

  const table: [status: number, expected: string][] = [
    [200, "accepted"],
    [202, "accepted"],
    [301, "config"],
    [400, "content"],
    [401, "auth"],
    [402, "quota"],
    [403, "auth"],
    [404, "config"],
    [405, "config"],
    [406, "config"],
    [410, "config"],
    [415, "config"],
    [408, "retry"],
    [422, "content"],
    [425, "retry"],
    [429, "retry"],
    [500, "retry"],
    [503, "retry"],
  ];
  for (const [status, expected] of table) {
    it(`${status} is ${expected}`, () => {
      const outcome = byStatus(reply(status));
      assert.equal(outcome.kind === "rejected" ? outcome.class : outcome.kind, expected);
    });
  }

  it("keeps the provider's id and words", () => {
    assert.deepEqual(byStatus(reply(200), "sm-1"), { kind: "accepted", providerMessageId: "sm-1" });
    assert.deepEqual(byStatus(reply(400, {}, '{"error":\n  "bad"}')), {
      kind: "rejected",
      class: "content",
      reason: 'HTTP 400: {"error": "bad"}',
    });
  });

  it("waits as long as Retry-After says", async (t) => {
    const url = await startHttp(t, (_request, response) => response.writeHead(429, { "retry-after": "7" }).end());
    assert.deepEqual(byStatus(await openIo(t).http(get(url))), { kind: "retry", reason: "HTTP 429", afterMs: 7000 });
    const date = "Wed, 21 Oct 2026 07:28:00 GMT";
    const later = reply(503, { date, "retry-after": "Wed, 21 Oct 2026 07:30:00 GMT" });
    assert.deepEqual(byStatus(later), { kind: "retry", reason: "HTTP 503", afterMs: 120_000 });
    const past = reply(503, { date, "retry-after": "Wed, 21 Oct 2026 07:00:00 GMT" });
    assert.deepEqual(byStatus(past), { kind: "retry", reason: "HTTP 503", afterMs: 0 });
    assert.deepEqual(byStatus(reply(503, { "retry-after": "soon" })), { kind: "retry", reason: "HTTP 503" });
  });
});

describe("building a request", () => {
  it("encodes forms and basic credentials", () => {
    const request = post("https://api.test/x?y=1", {
      basic: ["user", "pass word"],
      form: { To: "+49 1", From: undefined, flag: true },
      query: { z: 2 },
      headers: { "X-Key": "k" },
    });
    assert.deepEqual(request, {
      method: "POST",
      url: "https://api.test/x?y=1&z=2",
      headers: {
        accept: "application/json",
        authorization: `Basic ${Buffer.from("user:pass word").toString("base64")}`,
        "content-type": "application/x-www-form-urlencoded",
        "x-key": "k",
      },
      body: "To=%2B49+1&flag=true",
    });
  });
});
