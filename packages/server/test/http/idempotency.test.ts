import assert from "node:assert/strict";
import { randomBytes, randomUUID } from "node:crypto";
import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { after, before, describe, test } from "node:test";
import type { OperationId } from "@tidings/contract";
import type { RawInput } from "@tidings/testkit/client";
import { authorized, errorOf, exchange, isWrite, operationOf, type Reply } from "@tidings/testkit/http";
import { startTestService } from "@tidings/testkit/service";
import { eventually } from "@tidings/testkit/wait";
import { sql } from "kysely";
import { failure } from "../../src/failure.ts";
import { fingerprintOf, runOncePerKey } from "../../src/http/request/idempotency.ts";
import { createSecrets } from "../../src/lib/secrets.ts";
import { inTransaction, type Tx } from "../../src/store/db.ts";
import { storeAnswer } from "../../src/store/idempotency.ts";
import { countRows, inputIds, makeThings, validInput } from "../support/inputs.ts";

// Without workers nothing but requests writes, so that rows can be counted.
const service = await startTestService({ TIDINGS_ROLE: "api" });
const { client, production, db } = service;

const withKey = (key: string, input: RawInput = {}): RawInput => ({
  ...input,
  headers: { ...input.headers, "idempotency-key": key },
});

const newKey = () => `key-${randomUUID()}`;
const newPerson = () => `person-${randomUUID()}`;

/** Headers that must not differ between a first response and its replay. */
const steady = (reply: Reply) => ["content-type", "idempotency-key"].map((name) => reply.headers.get(name));

const stored = async (key: string) =>
  (await db.selectFrom("idempotency_keys").where("key", "=", key).selectAll().execute()).map(({ status }) => status);

const writing = inputIds.filter(isWrite);

for (const id of writing) {
  test(`${id}: a repeat is answered from the first answer and changes nothing`, async () => {
    const things = await makeThings(client, `once-${id}`);
    const key = newKey();
    const input = withKey(key, validInput[id](things, `once-${id}`));
    const first = await exchange(service, id, input);
    assert.equal(first.status, operationOf(id).success.status, first.text);
    assert.equal(first.headers.get("idempotency-key"), key);
    assert.equal(first.headers.get("idempotency-replay"), null);

    const between = await countRows(db);
    const repeat = await exchange(service, id, input);
    assert.equal(repeat.status, first.status);
    assert.equal(repeat.text, first.text);
    assert.deepEqual(steady(repeat), steady(first));
    assert.equal(repeat.headers.get("idempotency-replay"), "true");
    assert.deepEqual(await countRows(db), between);
  });
}

test("without a key the same request runs again", async () => {
  const things = await makeThings(client, "twice");
  const before = await countRows(db);
  for (let i = 0; i < 2; i++) {
    const reply = await exchange(service, "events.trigger", validInput["events.trigger"](things, ""));
    assert.deepEqual([reply.headers.get("idempotency-key"), reply.headers.get("idempotency-replay")], [null, null]);
  }
  const after = await countRows(db);
  assert.equal(after.events, before.events! + 2);
  assert.equal(after.idempotency_keys, before.idempotency_keys);
});

const create = (key: string, body: string, path = "/v2/subscribers", method = "POST") =>
  authorized(service, path, { method, body, headers: { "idempotency-key": key } });

test("the order of members and white space make no other request", async () => {
  const key = newKey();
  const id = newPerson();
  const first = await create(key, `{"subscriberId":"${id}","data":{"a":1,"b":[{"c":2,"d":3}]}}`);
  const repeat = await create(key, ` { "data": {"b":[{"d":3,"c":2}], "a":1.0}, "subscriberId":"${id}" } `);
  assert.deepEqual([repeat.status, repeat.text], [201, first.text]);
  assert.equal(repeat.headers.get("idempotency-replay"), "true");
});

type Reuse = { name: string; method?: string; path?: string; body?: (id: string) => string };
const sameBody = (id: string) => JSON.stringify({ subscriberId: id, data: { list: [1, 2] } });
const reuses: Reuse[] = [
  {
    name: "another body",
    body: (id) => JSON.stringify({ subscriberId: id, firstName: "Eve", data: { list: [1, 2] } }),
  },
  { name: "another order of a list", body: (id) => JSON.stringify({ subscriberId: id, data: { list: [2, 1] } }) },
  { name: "a body that is not even valid", body: () => "[]" },
  { name: "another path", path: "/v1/subscribers/bulk" },
  { name: "another query", path: "/v2/subscribers?failIfExists=false" },
  { name: "another method", method: "PATCH", path: "/v2/subscribers/anyone" },
];

for (const { name, method, path, body = sameBody } of reuses) {
  test(`the same key with ${name} is refused, and the first answer stays`, async () => {
    const key = newKey();
    const id = newPerson();
    const first = await create(key, sameBody(id));
    assert.equal(first.status, 201);
    const before = await countRows(db);
    const reply = await create(key, body(id), path, method);
    const error = errorOf(reply, "IDEMPOTENCY_KEY_REUSED");
    assert.equal(error.message, "This idempotency-key was used with another request");
    assert.deepEqual(Object.keys(error.errors!), ["idempotency-key"]);
    assert.equal(error.errors!["idempotency-key"]!.messages.length, 1);
    assert.equal(reply.headers.get("idempotency-replay"), null);
    assert.deepEqual(await countRows(db), before);
    assert.equal((await client("subscribers.retrieve", { params: { subscriberId: id } })).body.firstName, undefined);
    const again = await create(key, sameBody(id));
    assert.deepEqual([again.text, again.headers.get("idempotency-replay")], [first.text, "true"]);
  });
}

test("a key has 1 to 255 characters; an empty one is none", async () => {
  const tooLong = await create("x".repeat(256), JSON.stringify({ subscriberId: newPerson() }));
  const error = errorOf(tooLong, "IDEMPOTENCY_KEY_TOO_LONG");
  assert.equal(error.message, "idempotency-key must not be longer than 255 characters");
  assert.deepEqual([error.type, error.errors], ["IDEMPOTENCY_KEY_TOO_LONG", []]);

  const longest = await create("x".repeat(255), JSON.stringify({ subscriberId: newPerson() }));
  assert.deepEqual([longest.status, longest.headers.get("idempotency-key")], [201, "x".repeat(255)]);

  const before = await countRows(db);
  for (const key of ["", "   "]) {
    const id = newPerson();
    for (let i = 0; i < 2; i++) {
      const reply = await create(key, JSON.stringify({ subscriberId: id }));
      assert.deepEqual([reply.status, reply.headers.get("idempotency-key")], [201, null]);
    }
  }
  assert.equal((await countRows(db)).idempotency_keys, before.idempotency_keys);
});

test("GET ignores the header, also one that is too long", async () => {
  for (const key of [newKey(), "x".repeat(300)]) {
    for (const path of ["/v1/environments", "/v2/subscribers?limit=1"]) {
      const reply = await authorized(service, path, { headers: { "idempotency-key": key } });
      assert.deepEqual([reply.status, reply.headers.get("idempotency-key")], [200, null]);
    }
    assert.deepEqual(await stored(key), []);
  }
});

test("a 4xx is kept: it stays true for its key when the reason is gone", async () => {
  const id = newPerson();
  const key = newKey();
  const rename = () => create(key, '{"firstName":"Ada"}', `/v2/subscribers/${id}`, "PATCH");
  const first = await rename();
  errorOf(first, "SUBSCRIBER_NOT_FOUND");
  assert.deepEqual([first.headers.get("idempotency-key"), first.headers.get("idempotency-replay")], [key, null]);
  assert.deepEqual(await stored(key), [404]);

  await client("subscribers.create", { body: { subscriberId: id } });
  const repeat = await rename();
  assert.deepEqual([repeat.status, repeat.text, steady(repeat)], [404, first.text, steady(first)]);
  assert.equal(repeat.headers.get("idempotency-replay"), "true");
  const person = await client("subscribers.retrieve", { params: { subscriberId: id } });
  assert.equal(person.body.firstName, undefined);
  // With its own key, the request runs.
  assert.equal((await create(newKey(), '{"firstName":"Ada"}', `/v2/subscribers/${id}`, "PATCH")).status, 200);
});

const kept = [
  { name: "validation", path: "/v2/subscribers", body: "{}", status: 422 },
  { name: "conflict", path: "/v2/subscribers?failIfExists=true", body: '{"subscriberId":"taken"}', status: 409 },
  { name: "unknown workflow", path: "/v1/events/trigger", body: '{"name":"unknown","to":"ada"}', status: 404 },
];

for (const { name, path, body, status } of kept) {
  test(`a refusal is kept: ${name}, ${status}`, async () => {
    await client("subscribers.create", { body: { subscriberId: "taken" } });
    const key = newKey();
    const first = await create(key, body, path);
    const repeat = await create(key, body, path);
    assert.equal(first.status, status, first.text);
    assert.deepEqual(
      [repeat.status, repeat.text, repeat.headers.get("idempotency-replay")],
      [status, first.text, "true"],
    );
  });
}

test("what never reached the key is not kept under it: 400 malformed, 401, 415", async () => {
  const key = newKey();
  const id = newPerson();
  const body = JSON.stringify({ subscriberId: id });
  errorOf(await create(key, "{"), "MALFORMED_JSON");
  const wrongType = { "idempotency-key": key, "content-type": "text/plain" };
  const typed = await authorized(service, "/v2/subscribers", { method: "POST", body, headers: wrongType });
  errorOf(typed, "UNSUPPORTED_MEDIA_TYPE");
  const stranger = { "idempotency-key": key, authorization: "ApiKey nobody" };
  errorOf(
    await authorized(service, "/v2/subscribers", { method: "POST", body, headers: stranger }),
    "API_KEY_NOT_FOUND",
  );
  assert.deepEqual(await stored(key), []);
  const reply = await create(key, body);
  assert.deepEqual([reply.status, reply.headers.get("idempotency-replay")], [201, null]);
});

test("a 5xx is not kept: the repeat runs", async () => {
  const key = newKey();
  const body = JSON.stringify({ name: "Healed", workflowId: `healed-${randomUUID()}`, steps: [] });
  await sql`alter table workflows rename column severity to severity_gone`.execute(db);
  try {
    errorOf(await create(key, body, "/v2/workflows"), "INTERNAL_ERROR");
  } finally {
    await sql`alter table workflows rename column severity_gone to severity`.execute(db);
  }
  assert.deepEqual(await stored(key), []);
  const repeat = await create(key, body, "/v2/workflows");
  assert.deepEqual([repeat.status, repeat.headers.get("idempotency-replay")], [201, null]);
});

test("many at once under one key: one runs, the others wait or see its answer, nothing is written twice", async () => {
  const things = await makeThings(client, "race");
  for (const id of ["events.triggerBulk", "events.trigger", "subscribers.create"] as const) {
    const key = newKey();
    const before = await countRows(db);
    const input = withKey(key, validInput[id](things, `race-${id}`));
    const replies = await Promise.all(Array.from({ length: 40 }, () => exchange(service, id, input)));
    const originals = replies.filter(({ status, headers }) => status === 201 && !headers.get("idempotency-replay"));
    const replays = replies.filter(({ headers }) => headers.get("idempotency-replay") === "true");
    const waiting = replies.filter(({ status }) => status === 409);
    assert.equal(originals.length, 1);
    assert.equal(originals.length + replays.length + waiting.length, replies.length);
    for (const replay of replays) assert.deepEqual([replay.status, replay.text], [201, originals[0]!.text]);
    for (const reply of waiting) {
      errorOf(reply, "IDEMPOTENCY_IN_PROGRESS");
      assert.equal(reply.headers.get("retry-after"), "1");
    }
    const after = await countRows(db);
    assert.equal(after.idempotency_keys, before.idempotency_keys! + 1);
    assert.equal(after.events, before.events! + (id === "subscribers.create" ? 0 : 1));
    assert.equal(after.subscribers, before.subscribers! + (id === "subscribers.create" ? 1 : 0));
  }
});

test("many refused at once under one key agree on the answer", async () => {
  const key = newKey();
  const replies = await Promise.all(Array.from({ length: 20 }, () => create(key, "{}")));
  const refused = replies.filter(({ status }) => status === 422);
  for (const reply of replies) assert.ok(reply.status === 422 || reply.status === 409, reply.text);
  assert.equal(new Set(refused.map(({ text }) => text)).size, 1, "the first stored answer counts");
});

/** Holds a subscriber's row while `work` runs, so that a request that changes it stays in flight. */
async function whileHeld<T>(subscriberId: string, work: (release: () => void) => Promise<T>): Promise<T> {
  let release = () => {};
  const isReleased = new Promise<void>((resolve) => {
    release = resolve;
  });
  let isHeld = () => {};
  const held = new Promise<void>((resolve) => {
    isHeld = resolve;
  });
  const holding = inTransaction(db, async (tx) => {
    await sql`select 1 from subscribers where subscriber_id = ${subscriberId} for update`.execute(tx);
    isHeld();
    await isReleased;
  });
  await held;
  try {
    return await work(release);
  } finally {
    release();
    await holding;
  }
}

const blockedPids = async (): Promise<number[]> =>
  (
    await sql<{ pid: number }>`select pid from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`.execute(db)
  ).rows.map(({ pid }) => pid);

test("while the first request runs, the same key is in progress and other keys are free", async () => {
  const id = newPerson();
  await client("subscribers.create", { body: { subscriberId: id } });
  const key = newKey();
  const rename = () => create(key, '{"firstName":"Ada"}', `/v2/subscribers/${id}`, "PATCH");
  const first = await whileHeld(id, async (release) => {
    const running = rename();
    await eventually(async () => (await blockedPids()).length > 0, "the first request to be in flight");
    const second = await rename();
    const error = errorOf(second, "IDEMPOTENCY_IN_PROGRESS");
    assert.equal(error.message, "A request with this idempotency-key is still being processed");
    assert.equal(second.headers.get("retry-after"), "1");
    assert.equal(second.headers.get("idempotency-replay"), null);
    assert.deepEqual(await stored(key), [], "409 in progress is not kept");
    assert.equal((await create(newKey(), JSON.stringify({ subscriberId: newPerson() }))).status, 201);
    release();
    return running;
  });
  assert.deepEqual([first.status, first.headers.get("idempotency-replay")], [200, null]);
  const third = await rename();
  assert.deepEqual([third.text, third.headers.get("idempotency-replay")], [first.text, "true"]);
});

test("a request that fails half-way frees its key at once", async () => {
  const id = newPerson();
  await client("subscribers.create", { body: { subscriberId: id } });
  const key = newKey();
  const rename = () => create(key, '{"firstName":"Ada"}', `/v2/subscribers/${id}`, "PATCH");
  await whileHeld(id, async () => {
    const running = rename();
    const [pid] = await eventually(async () => {
      const pids = await blockedPids();
      return pids.length > 0 ? pids : null;
    }, "the request to be in flight");
    await sql`select pg_cancel_backend(${pid!}::int)`.execute(db);
    errorOf(await running, "DATABASE_SLOW");
  });
  assert.deepEqual(await stored(key), []);
  const repeat = await rename();
  assert.deepEqual([repeat.status, repeat.headers.get("idempotency-replay")], [200, null]);
});

test("two environments may use the same key", async () => {
  const key = newKey();
  const body = { subscriberId: newPerson() };
  const headers = { "idempotency-key": key };
  const ours = await client("subscribers.create", { body, headers });
  const theirs = await production("subscribers.create", { body, headers });
  assert.equal(theirs.headers.get("idempotency-replay"), null);
  assert.notEqual(ours.body._environmentId, theirs.body._environmentId);
  assert.equal((await stored(key)).length, 2);
});

test("an answer is kept for 24 hours", async () => {
  const things = await makeThings(client, "expiry");
  const key = newKey();
  // Each run of a trigger generates its own transaction id, so equal texts mean that it ran once.
  const run = () => exchange(service, "events.trigger", withKey(key, validInput["events.trigger"](things, "")));
  const age = (interval: string) =>
    sql`update idempotency_keys set created_at = now() - ${interval}::interval where key = ${key}`.execute(db);
  const first = await run();
  await age("23 hours 59 minutes");
  const replay = await run();
  assert.deepEqual([replay.text, replay.headers.get("idempotency-replay")], [first.text, "true"]);

  await age("24 hours 1 second");
  const second = await run();
  assert.deepEqual([second.status, second.headers.get("idempotency-replay")], [201, null]);
  assert.notEqual(second.text, first.text);
  assert.equal((await run()).text, second.text);

  // An expired key may be used with another request.
  await age("25 hours");
  assert.equal((await create(key, JSON.stringify({ subscriberId: newPerson() }))).status, 201);
});

// Races between two requests under one key, made deterministic: the other request stores its response while this one
// runs.
const environmentId = (await client("environments.list")).body[0]!._id;
const refusal = failure("SUBSCRIBER_NOT_FOUND", { subscriberId: "x" });
const refuse = (_: unknown, error: unknown) => (error === refusal ? { status: 404, body: "refused" } : null);
const secrets = createSecrets([{ version: 1, key: randomBytes(32) }]);

for (const outcome of ["success", "refusal"] as const) {
  test(`an answer stored meanwhile wins over this request's ${outcome}, which leaves nothing behind`, async () => {
    const keyed = { key: newKey(), request: { method: "POST", url: "/x", body: {} } };
    const fingerprint = fingerprintOf(keyed.request);
    const before = await countRows(db, ["idempotency_keys"]);
    let runs = 0;
    const run = async (tx: Tx) => {
      runs++;
      await sql`insert into installation (name, value) values (${keyed.key}, 'written')`.execute(tx);
      await storeAnswer(db, environmentId, keyed.key, { fingerprint, status: 201, body: "theirs" });
      if (outcome === "refusal") throw refusal;
      return [{ status: 200, body: "ours" }];
    };
    const [response] = await runOncePerKey({ db, secrets }, environmentId, [keyed], { run, refuse });
    assert.deepEqual(response, { status: 201, body: "theirs", isReplay: true });
    assert.equal(runs, 1);
    assert.deepEqual(await countRows(db, ["idempotency_keys"]), before);
  });
}

test("the operations that write are the ones that take a key", () => {
  const methods = new Set(writing.map((id: OperationId) => operationOf(id).method));
  assert.deepEqual([...methods].sort(), ["DELETE", "PATCH", "POST", "PUT"]);
});

describe("a request that makes external calls", () => {
  const sockets: Socket[] = [];
  const silent = createServer((socket) => sockets.push(socket.on("error", () => {})));
  const body = (identifier: string) => ({
    ...{ providerId: "nodemailer", channel: "email", identifier, check: true },
    credentials: { host: "127.0.0.1", port: String((silent.address() as AddressInfo).port), from: "a@example.com" },
  });
  /**
   * All requests have ended or wait for an external response: a transaction that is open now is open during external
   * calls.
   */
  const holdsConnections = async () => {
    const { rows } = await sql`select 1 from pg_stat_activity
      where datname = current_database() and state like 'idle in transaction%'`.execute(db);
    return rows.length > 0;
  };

  before(async () => {
    silent.listen(0, "127.0.0.1");
    await once(silent, "listening");
  });
  after(() => silent.close());

  test("holds no connection to the database, and is asked once under a key", async () => {
    const input = withKey(newKey(), { body: body("asked") });
    const first = exchange(service, "integrations.create", input);
    await eventually(() => sockets.length === 1, "the check");
    assert.equal(await holdsConnections(), false);
    errorOf(await exchange(service, "integrations.create", input), "IDEMPOTENCY_IN_PROGRESS");
    sockets[0]!.destroy();
    const { status, text } = await first;
    assert.equal(status, 400, text);
    const repeat = await exchange(service, "integrations.create", input);
    assert.deepEqual([repeat.status, repeat.text, sockets.length], [400, text, 1]);
    assert.equal(repeat.headers.get("idempotency-replay"), "true");
  });

  test("has only so many such calls under way in an environment", async () => {
    sockets.length = 0;
    const asking = Array.from({ length: 5 }, (_, n) =>
      exchange(service, "integrations.create", { body: body(`n${n}`) }),
    );
    await eventually(() => sockets.length === 5, "the checks");
    assert.equal(await holdsConnections(), false);
    const key = newKey();
    const sixth = await exchange(service, "integrations.create", withKey(key, { body: body("n5") }));
    const { message } = errorOf(sixth, "RATE_LIMITED");
    assert.equal(message, "At most 5 calls to providers may be in flight at once for an environment");
    assert.deepEqual([sixth.headers.get("retry-after"), await stored(key)], ["1", []]);
    const other = production.raw("integrations.create", { body: body("other") });
    await eventually(() => sockets.length === 6, "the check of another environment");
    for (const socket of sockets) socket.destroy();
    assert.deepEqual(new Set((await Promise.all([...asking, other])).map(({ status }) => status)), new Set([400]));
    // Calls that have ended free their slots.
    const next = exchange(service, "integrations.create", { body: body("n6") });
    await eventually(() => sockets.length === 7, "one more check");
    sockets[6]!.destroy();
    assert.equal((await next).status, 400);
  });
});
