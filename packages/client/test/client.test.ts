import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { atEnd } from "@tidings/testkit/at-end";
import { startTestService } from "@tidings/testkit/service";
import { createWorkflow, inApp, notificationsOf, trigger } from "@tidings/testkit/verbs";
import { eventually } from "@tidings/testkit/wait";
import { createTidings, TidingsError } from "../src/index.ts";

const service = await startTestService();
const tidings = createTidings({ baseUrl: service.url, apiKey: service.apiKey });

test("operations are methods, and errors have the code of the service", async () => {
  const ada = await tidings.subscribers.create({ body: { subscriberId: "ada", email: "ada@example.com" } });
  assert.equal(ada.subscriberId, "ada");
  const read = await tidings.call("subscribers.retrieve", { params: { subscriberId: "ada" } });
  assert.equal(read.email, "ada@example.com");
  await assert.rejects(
    () => tidings.subscribers.retrieve({ params: { subscriberId: "moon" } }),
    (error: unknown) =>
      error instanceof TidingsError &&
      error.status === 404 &&
      error.code === "SUBSCRIBER_NOT_FOUND" &&
      /moon/.test(error.message),
  );
  await assert.rejects(() => tidings.subscribers.retrieve({ params: { subscriberId: ".." } }), TypeError);
});

test("a signal that lives through many requests is listened to only while they last", async () => {
  const { signal } = new AbortController();
  for (let at = 0; at < 3; at++) await tidings.environments.list({ signal });
  await assert.rejects(() => tidings.subscribers.retrieve({ params: { subscriberId: "moon" }, signal }));
  assert.equal(getEventListeners(signal, "abort").length, 0);
  const stopped = AbortSignal.abort(new Error("stopped"));
  await assert.rejects(() => tidings.environments.list({ signal: stopped }), /stopped/);
});

test("all tries of a request carry one idempotency key, and a refusal is not repeated", async () => {
  const keys: (string | undefined)[] = [];
  const statuses = [503, 429, 201];
  const proxy = createServer((request, response) => {
    keys.push(request.headers["idempotency-key"] as string);
    const status = statuses.shift() ?? 422;
    response.writeHead(status, { "content-type": "application/json", "retry-after": "0" }).end("{}");
  }).listen(0, "127.0.0.1");
  atEnd(() => proxy.close());
  await new Promise((resolve) => proxy.once("listening", resolve));
  const throughProxy = createTidings({
    baseUrl: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    apiKey: "key",
  });
  const send = () => throughProxy.events.trigger({ body: { name: "order-shipped", to: "ada" } });
  await send();
  assert.equal(keys.length, 3);
  assert.ok(keys[0]);
  assert.equal(new Set(keys).size, 1);
  await assert.rejects(send, /422/);
  assert.equal(keys.length, 4);
});

test("a signal whose response is lost is sent again, and is one signal", async () => {
  await createWorkflow(service.client, "ask", [
    {
      ...{ name: "Answer", stepId: "answer", type: "wait" },
      controlValues: { type: "regular", amount: 1, unit: "hours", signal: { name: "answered" } },
    },
    inApp({ body: "{{ steps.answer.data.word }}" }),
  ]);
  const transactionId = await trigger(service.client, "ask", "eve");
  await eventually(async () => {
    const [run] = await notificationsOf(service.client, transactionId);
    return run?.jobs?.some(({ status }) => status === "delayed") ?? false;
  }, "the wait to begin");
  let tries = 0;
  const lossy = createTidings({
    baseUrl: service.url,
    apiKey: service.apiKey,
    fetch: async (...request) => {
      const response = await fetch(...request);
      if (tries++ === 0) throw new TypeError("connection lost");
      return response;
    },
  });
  const sent = await lossy.signals.send({ body: { name: "answered", to: "eve", data: { word: "yes" } } });
  assert.deepEqual([tries, sent.reached], [2, 1]);
  const bulk = { body: { signals: [{ name: "answered", to: ["eve", "moon"] }] } };
  const [again] = await tidings.signals.sendBulk(bulk);
  assert.deepEqual([again!.reached, again!.unknownSubscribers], [0, ["moon"]]);
  await assert.rejects(() => tidings.signals.send({ body: { name: "a b", to: "eve" } }), /422|name/);
});

test("no answer is an error with status 0, which says why", async () => {
  const nowhere = createTidings({ baseUrl: "http://127.0.0.1:9", apiKey: "key", retries: 0 });
  await assert.rejects(() => nowhere.system.retrieve(), /no answer \((ECONNREFUSED|bad port)\)/);
});

test("what is built stays under 15 kB", () => {
  const built = readFileSync(join(import.meta.dirname, "../dist/index.js"));
  assert.ok(gzipSync(built).length < 15_000, `${gzipSync(built).length} bytes`);
});
