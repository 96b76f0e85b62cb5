// What the SDK does in addition to the operations themselves: it authenticates, sends a key for idempotency with every
// call, repeats failed calls under the same key, and reads errors into its own classes.
import assert from "node:assert/strict";
import { test } from "node:test";
import { NovuCore } from "@novu/api/core.js";
import { subscribersCreate } from "@novu/api/funcs/subscribersCreate.js";
import { topicsCreate } from "@novu/api/funcs/topicsCreate.js";
import { HTTPClient } from "@novu/api/lib/http.js";
import * as errors from "@novu/api/models/errors/index.js";
import { SubscriberResponseDto } from "@novu/api/models/errors/subscriberresponsedto.js";
import { TopicResponseDto } from "@novu/api/models/errors/topicresponsedto.js";
import { shareService } from "@tidings/testkit/service";
import { createCore, createSdk } from "./sdk.ts";

const service = await shareService({ TIDINGS_VOCABULARY: "novu" });
const sdk = createSdk(createCore(service.url, service.apiKey));

const quickRetries = {
  strategy: "backoff",
  backoff: { initialInterval: 1, maxInterval: 5, exponent: 1, maxElapsedTime: 10_000 },
  retryConnectionErrors: true,
} as const;

/** A core whose calls pass through `send`, which may lose requests or responses. */
const through = (send: (request: Request) => Promise<Response>): NovuCore =>
  new NovuCore({
    serverURL: service.url,
    secretKey: service.apiKey,
    retryConfig: quickRetries,
    httpClient: new HTTPClient({ fetcher: (request) => send(request as Request) }),
  });

test("a call whose answer was lost is repeated under the same key and done once", async () => {
  const keys: (string | null)[] = [];
  let replayed: string | null = null;
  const core = through(async (request) => {
    keys.push(request.headers.get("idempotency-key"));
    const answer = await fetch(request);
    if (keys.length === 1) return new Response("{}", { status: 503 });
    replayed = answer.headers.get("idempotency-replay");
    return answer;
  });
  const outcome = await subscribersCreate(core, { subscriberId: "lost", firstName: "Once" });
  assert.ok(outcome.ok);
  assert.equal(outcome.value.headers["idempotency-replay"]?.[0], "true");
  assert.equal(outcome.value.result.firstName, "Once");
  assert.equal(keys.length, 2);
  assert.ok(keys[0] && keys[0] === keys[1]);
  assert.equal(replayed, "true");
});

test("a key given by the caller is used, and another body under it is refused", async () => {
  const core = createCore(service.url, service.apiKey);
  const first = await topicsCreate(core, { key: "keyed" }, undefined, "my-key");
  assert.ok(first.ok);
  assert.deepEqual(first.value.headers["idempotency-key"], ["my-key"]);
  const other = await topicsCreate(core, { key: "another" }, undefined, "my-key");
  assert.ok(!other.ok && other.error instanceof errors.ValidationErrorDto);
});

test("errors arrive as the SDK's own classes", async () => {
  await sdk.call("subscribersCreate", { subscriberId: "twice", firstName: "First" });
  const conflict = await sdk.refused("subscribersCreate", { subscriberId: "twice" }, true);
  assert.ok(conflict instanceof SubscriberResponseDto, String(conflict));
  assert.equal(conflict.firstName, "First");
  await sdk.call("topicsCreate", { key: "twice", name: "T" });
  const taken = await sdk.refused("topicsCreate", { key: "twice" }, true);
  assert.ok(taken instanceof TopicResponseDto, String(taken));
  assert.equal(taken.key, "twice");

  const missing = await sdk.refused("subscribersRetrieve", "nobody");
  assert.ok(missing instanceof errors.ErrorDto);
  assert.equal(missing.statusCode, 404);
  const invalid = await sdk.refused("subscribersCreate", { subscriberId: "x y", email: "nonsense" });
  assert.ok(invalid instanceof errors.ValidationErrorDto);
  assert.deepEqual(Object.keys(invalid.errors).sort(), ["email", "subscriberId"]);
  await sdk.call("workflowsCreate", {
    name: "Strict",
    workflowId: "strict",
    active: true,
    validatePayload: true,
    payloadSchema: { type: "object", required: ["a"], properties: { a: { type: "string" } } },
    steps: [{ name: "Inbox", type: "in_app", controlValues: { body: "{{payload.a}}" } }],
  });
  const badPayload = await sdk.refused("trigger", { workflowId: "strict", to: "ada", payload: { a: 1 } });
  assert.ok(badPayload instanceof errors.PayloadValidationExceptionDto, String(badPayload));

  const stranger = createSdk(createCore(service.url, "not-the-key"));
  const unknown = await stranger.refused("integrationsList");
  assert.ok(unknown instanceof errors.ErrorDto);
  assert.equal(unknown.statusCode, 401);
});
