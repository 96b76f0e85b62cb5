// The client against a server that speaks HTTP: what goes over the wire, what comes back, and what the types allow.
import assert from "node:assert/strict";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, describe, test } from "node:test";
import type { Subscriber } from "@tidings/contract";
import { ApiError, type Client, createClient } from "@tidings/testkit/client";

type Seen = { method: string; url: string; headers: IncomingMessage["headers"]; body: string };
type Reply = { status: number; body?: string; headers?: Record<string, string> };

let server: Server;
let baseUrl: string;
let client: Client;
let seen: Seen;
let reply: Reply;

function answer(status: number, body?: unknown) {
  reply = { status, body: body === undefined ? undefined : JSON.stringify(body) };
}

describe("the client over HTTP", () => {
  before(async () => {
    server = createServer(async (request, response) => {
      let body = "";
      for await (const chunk of request.setEncoding("utf8")) body += chunk;
      seen = { method: request.method ?? "", url: request.url ?? "", headers: request.headers, body };
      response.writeHead(reply.status, reply.headers).end(reply.body);
    });
    await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
    baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    client = createClient({ baseUrl: `${baseUrl}/`, apiKey: "secret", headers: { "x-team": "news" } });
  });

  after(() => server.close());

  describe("what is sent", () => {
    test("method, path, key, JSON body and per-call headers", async () => {
      answer(201, { subscriberId: "ada" });
      const { status, headers, body } = await client("subscribers.create", {
        body: { subscriberId: "ada", firstName: "Ada" },
        headers: { "idempotency-key": "k1" },
      });
      assert.equal(seen.method, "POST");
      assert.equal(seen.url, "/v2/subscribers");
      assert.equal(seen.headers.authorization, "ApiKey secret");
      assert.equal(seen.headers["content-type"], "application/json");
      assert.equal(seen.headers["idempotency-key"], "k1");
      assert.equal(seen.headers["x-team"], "news");
      assert.deepEqual(JSON.parse(seen.body), { subscriberId: "ada", firstName: "Ada" });
      assert.equal(status, 201);
      assert.ok(headers instanceof Headers);
      assert.equal(body.subscriberId, "ada");
    });

    test("path parts are percent-encoded, and those that would name something else are refused", async () => {
      answer(200, {});
      await client("subscribers.retrieve", { params: { subscriberId: "a/b?c#d é" } });
      assert.equal(seen.url, "/v2/subscribers/a%2Fb%3Fc%23d%20%C3%A9");
      for (const subscriberId of ["", ".", ".."]) {
        await assert.rejects(client("subscribers.delete", { params: { subscriberId } }), TypeError);
      }
    });

    test("query arrays are repeated, undefined is left out", async () => {
      answer(200, { data: [] });
      await client("messages.list", {
        query: { limit: 5, channel: undefined, transactionId: ["a b", "c&d"], contextKeys: [] },
      });
      assert.equal(seen.url, "/v1/messages?limit=5&transactionId=a+b&transactionId=c%26d");
      assert.equal(seen.headers["content-type"], undefined);
    });

    test("a base path stays in front, and a header can be taken away", async () => {
      answer(200, []);
      const behindProxy = createClient({ baseUrl: `${baseUrl}/tidings/`, apiKey: "secret" });
      await behindProxy("environments.list", { headers: { Authorization: undefined } });
      assert.equal(seen.url, "/tidings/v1/environments");
      assert.equal(seen.headers.authorization, undefined);
    });

    test("the given fetch is used, and a signal ends the call", async () => {
      const urls: string[] = [];
      const own = createClient({
        baseUrl: "",
        apiKey: "secret",
        fetch: async (url) => {
          urls.push(String(url));
          return new Response("[]");
        },
      });
      await own("integrations.list");
      assert.deepEqual(urls, ["/v1/integrations"]);
      await assert.rejects(client("integrations.list", { signal: AbortSignal.abort() }), { name: "AbortError" });
    });
  });

  describe("what comes back", () => {
    test("an answer without body", async () => {
      answer(204);
      const { status, body } = await client("workflows.delete", { params: { workflowId: "welcome" } });
      assert.equal(status, 204);
      assert.equal(body, undefined);
    });

    test("an error answer is thrown with its code", async () => {
      answer(404, { statusCode: 404, code: "SUBSCRIBER_NOT_FOUND", message: "Subscriber with id x not found" });
      await assert.rejects(client("subscribers.retrieve", { params: { subscriberId: "x" } }), (error) => {
        assert.ok(error instanceof ApiError);
        assert.equal(error.status, 404);
        assert.equal(error.code, "SUBSCRIBER_NOT_FOUND");
        assert.match(error.message, /subscribers\.retrieve: 404 Subscriber with id x not found/);
        assert.equal((error.body as { statusCode: number }).statusCode, 404);
        return true;
      });
    });

    test("a page of something in between is an error, whatever its status", async () => {
      for (const status of [200, 502]) {
        reply = { status, body: "<h1>hello</h1>", headers: { "content-type": "text/html" } };
        await assert.rejects(client("integrations.list"), { name: "ApiError", status, code: undefined });
      }
    });

    test("raw gives every answer as it came and sends anything", async () => {
      answer(422, { code: "VALIDATION_ERROR" });
      const refused = await client.raw("subscribers.create", { query: { failIfExists: "perhaps" }, body: [null] });
      assert.equal(seen.url, "/v2/subscribers?failIfExists=perhaps");
      assert.equal(seen.body, "[null]");
      assert.equal(refused.status, 422);
      assert.deepEqual(refused.body, { code: "VALIDATION_ERROR" });
      reply = { status: 500, body: "not json" };
      assert.equal((await client.raw("integrations.list")).body, "not json");
    });
  });

  test("types ask for what an operation needs and for nothing else", () => {
    // Never called: the compiler is the judge, and an expected error that does not occur fails the type check.
    const judged = async () => {
      const { body } = await client("subscribers.retrieve", { params: { subscriberId: "ada" } });
      body satisfies Subscriber;
      await client("integrations.list");
      await client("messages.list", { query: { channel: "email" } });
      // @ts-expect-error params are required
      await client("subscribers.retrieve");
      // @ts-expect-error the body is required
      await client("subscribers.update", { params: { subscriberId: "ada" } });
      // @ts-expect-error subscriberId is required in the body
      await client("subscribers.create", { body: {} });
      // @ts-expect-error this operation has no body
      await client("integrations.list", { body: {} });
      // @ts-expect-error not a channel
      await client("messages.list", { query: { channel: "pigeon" } });
      // @ts-expect-error unknown operation
      await client("subscribers.explode");
      // @ts-expect-error a raw body is unknown
      (await client.raw("subscribers.retrieve")).body.subscriberId;
    };
    assert.equal(typeof judged, "function");
  });
});
