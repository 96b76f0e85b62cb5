import assert from "node:assert/strict";
import { test } from "node:test";
import { operations, type RateCategory } from "@tidings/contract";
import { authorized, errorOf, operationIds, operationOf, type Reply } from "@tidings/testkit/http";
import { startTestService } from "@tidings/testkit/service";
import { createRateLimiter } from "../../src/http/auth/rate-limit.ts";
import { countRows } from "../support/inputs.ts";

/** A request at `at` (ms) and what happened to it. */
type Take = {
  at: number;
  cost?: number;
  env?: string;
  category?: RateCategory;
  isAllowed: boolean;
  remaining?: number;
  reset?: number;
  retryAfter?: number;
};

const rates = { trigger: 10, configuration: 1, global: 0, inbox: 0 };

const tables: { name: string; takes: Take[] }[] = [
  {
    name: "a bucket holds five seconds' worth and 10 % more",
    takes: [
      { at: 0, cost: 54, isAllowed: true, remaining: 1, reset: 6 },
      { at: 0, isAllowed: true, remaining: 0, reset: 6 },
      { at: 0, isAllowed: false, remaining: 0, retryAfter: 1 },
    ],
  },
  {
    name: "tokens come back with time, and never above the full bucket",
    takes: [
      { at: 0, cost: 55, isAllowed: true, remaining: 0 },
      { at: 99, isAllowed: false, remaining: 0 },
      { at: 100, isAllowed: true, remaining: 0 },
      { at: 1_100, cost: 10, isAllowed: true, remaining: 0 },
      { at: 3_600_000, isAllowed: true, remaining: 54, reset: 1 },
    ],
  },
  {
    name: "a refused request costs nothing",
    takes: [
      { at: 0, cost: 50, isAllowed: true, remaining: 5 },
      { at: 0, cost: 6, isAllowed: false, remaining: 5, retryAfter: 1 },
      { at: 0, cost: 5, isAllowed: true, remaining: 0 },
    ],
  },
  {
    name: "Retry-After is the time to the missing tokens, rounded up",
    takes: [
      { at: 0, cost: 55, isAllowed: true },
      { at: 0, cost: 11, isAllowed: false, retryAfter: 2 },
      { at: 0, cost: 10, isAllowed: false, retryAfter: 1 },
      { at: 0, cost: 55, isAllowed: false, retryAfter: 6 },
    ],
  },
  {
    name: "a cost above the whole bucket passes when it is full, and empties it",
    takes: [
      { at: 0, cost: 100, isAllowed: true, remaining: 0 },
      { at: 5_400, cost: 100, isAllowed: false, retryAfter: 1 },
      { at: 5_500, cost: 100, isAllowed: true, remaining: 0 },
    ],
  },
  {
    name: "environments and categories have buckets of their own",
    takes: [
      { at: 0, cost: 55, isAllowed: true, remaining: 0 },
      { at: 0, isAllowed: false },
      { at: 0, env: "other", isAllowed: true, remaining: 54 },
      { at: 0, category: "configuration", isAllowed: true, remaining: 5 },
      { at: 0, category: "configuration", cost: 5, isAllowed: true, remaining: 0 },
      { at: 0, category: "configuration", isAllowed: false, retryAfter: 1 },
      { at: 0, env: "other", category: "configuration", isAllowed: true, remaining: 5 },
    ],
  },
];

for (const { name, takes } of tables) {
  test(`token bucket: ${name}`, () => {
    let clock = 0;
    const limiter = createRateLimiter(rates, () => clock);
    for (const [index, take] of takes.entries()) {
      clock = take.at;
      const { isAllowed, headers } = limiter.take(take.env ?? "env", take.category ?? "trigger", take.cost ?? 1);
      const seen = {
        isAllowed,
        remaining: take.remaining === undefined ? undefined : Number(headers["ratelimit-remaining"]),
        reset: take.reset === undefined ? undefined : Number(headers["ratelimit-reset"]),
        retryAfter: take.retryAfter === undefined ? undefined : Number(headers["retry-after"]),
      };
      const { remaining, reset, retryAfter } = take;
      assert.deepEqual(seen, { isAllowed: take.isAllowed, remaining, reset, retryAfter }, `request ${index}`);
      assert.equal("retry-after" in headers, !isAllowed, "Retry-After belongs to refusals alone");
    }
  });
}

test("token bucket: the headers name the limit, the burst, the category and the cost", () => {
  const limiter = createRateLimiter({ trigger: 50_000, configuration: 1, global: 1, inbox: 0 }, () => 0);
  assert.deepEqual(limiter.take("env", "trigger", 3).headers, {
    "ratelimit-limit": "250000",
    "ratelimit-remaining": "274997",
    "ratelimit-reset": "1",
    "ratelimit-policy": '250000;w=5;burst=275000;comment="token bucket";category="trigger";cost="3"',
  });
});

test("token bucket: 0 switches a category off", () => {
  const limiter = createRateLimiter(rates, () => 0);
  for (let i = 0; i < 1000; i++) {
    assert.deepEqual(limiter.take("env", "global", 1_000), { isAllowed: true, headers: {} });
  }
});

const costs = [
  { id: "events.triggerBulk", body: { events: [1, 2, 3] }, cost: 3 },
  { id: "events.triggerBulk", body: { events: [] }, cost: 1 },
  { id: "events.triggerBulk", body: { events: "many" }, cost: 1 },
  { id: "events.triggerBulk", body: null, cost: 1 },
  { id: "events.triggerBulk", body: undefined, cost: 1 },
  { id: "events.triggerBulk", body: "text", cost: 1 },
  { id: "signals.sendBulk", body: { signals: Array(100) }, cost: 100 },
  { id: "subscribers.createBulk", body: { subscribers: Array(1) }, cost: 1 },
  { id: "subscribers.createBulk", body: { subscribers: Array(10) }, cost: 1 },
  { id: "subscribers.createBulk", body: { subscribers: Array(11) }, cost: 2 },
  { id: "subscribers.createBulk", body: { subscribers: Array(500) }, cost: 50 },
] as const;

test("bulk operations cost by what they carry", () => {
  for (const { id, body, cost } of costs)
    assert.equal(operations[id].cost(body), cost, `${id} ${JSON.stringify(body)}`);
  const priced = operationIds.filter((id) => operationOf(id).cost);
  assert.deepEqual(priced.sort(), ["events.triggerBulk", "signals.sendBulk", "subscribers.createBulk"]);
});

// One token a second: what is used up in a test stays used up for the length of it.
const service = await startTestService({
  TIDINGS_RATE_TRIGGER: "1",
  TIDINGS_RATE_CONFIGURATION: "2000",
  TIDINGS_RATE_GLOBAL: "0",
  TIDINGS_ROLE: "api",
});
const { client, production, db } = service;

const rateHeaders = (reply: Pick<Reply, "headers">) =>
  ["limit", "remaining", "reset", "policy"].map((name) => reply.headers.get(`ratelimit-${name}`));

const bulk = (count: number) => ({ events: Array.from({ length: count }, () => ({ name: "welcome", to: "ada" })) });

test("a used-up bucket refuses with 429 and Retry-After, writes nothing, and leaves the others alone", async () => {
  const first = await client.raw("events.triggerBulk", { body: bulk(100) });
  assert.equal(first.status, 201);
  assert.deepEqual(rateHeaders(first), [
    "5",
    "0",
    "6",
    '5;w=5;burst=6;comment="token bucket";category="trigger";cost="100"',
  ]);
  assert.equal(first.headers.get("retry-after"), null);

  const before = await countRows(db);
  const headers = { "idempotency-key": "limited" };
  const second = await client.raw("events.triggerBulk", { body: bulk(100), headers });
  const error = errorOf(second, "RATE_LIMITED");
  assert.equal(error.message, "API rate limit exceeded");
  assert.ok(Number(second.headers.get("retry-after")) >= 1);
  assert.equal(second.headers.get("ratelimit-limit"), "5");
  assert.equal(second.headers.get("idempotency-replay"), null);
  assert.deepEqual(await countRows(db), before, "neither events nor an answer under the key");

  // Other categories are not touched.
  const configuration = await client.raw("subscribers.list");
  assert.equal(configuration.status, 200);
  assert.equal(configuration.headers.get("ratelimit-limit"), "10000");
  const off = await client.raw("environments.list");
  assert.equal(off.status, 200);
  assert.deepEqual(rateHeaders(off), [null, null, null, null]);
});

test("every authenticated answer has the headers, also a refused one", async () => {
  const answers = [
    await client.raw("subscribers.retrieve", { params: { subscriberId: "no-one" } }),
    await client.raw("subscribers.create", { body: {} }),
    await authorized(service, "/v2/subscribers", { method: "POST", body: "{" }),
    await authorized(service, "/v1/subscribers/bulk", { method: "POST", body: "{" }),
    await authorized(service, "/v1/subscribers/bulk", {
      method: "POST",
      body: "x",
      headers: { "content-type": "a/b" },
    }),
  ];
  for (const answer of answers) {
    assert.ok(answer.status >= 400 && answer.status < 500);
    const [limit, remaining, reset, policy] = rateHeaders(answer);
    assert.equal(limit, "10000");
    assert.ok(Number(remaining) <= 11_000 && Number(reset) >= 0);
    assert.match(policy!, /;category="configuration";cost="1"$/);
  }
});

test("unreadable bulk bodies count too: they cannot be sent without end", async () => {
  const headers = { "content-type": "text/plain" };
  const answers = await Promise.all(
    Array.from({ length: 40 }, () => production.raw("events.triggerBulk", { body: bulk(1), headers })),
  );
  for (const answer of answers) assert.ok(answer.status === 415 || answer.status === 429, String(answer.status));
  for (const answer of answers) assert.equal(answer.headers.get("ratelimit-limit"), "5");
  assert.ok(answers.some((answer) => answer.status === 429 && answer.headers.get("retry-after")));
});

test("bulk subscriber creation costs one token per ten", async () => {
  const subscribers = Array.from({ length: 25 }, (_, i) => ({ subscriberId: `bulk-${i}` }));
  const answer = await client("subscribers.createBulk", { body: { subscribers } });
  assert.match(answer.headers.get("ratelimit-policy")!, /;cost="3"$/);
});
