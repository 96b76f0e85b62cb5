// Contexts: the records, their limits, and how other requests name them.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { assertRefused } from "@tidings/testkit/refusals";
import { shareService } from "@tidings/testkit/service";
import { readContext } from "../../../src/app/subscribers/contexts.ts";
import type { Failure } from "../../../src/failure.ts";
import { contextKeysOf } from "../../../src/pipeline/trigger/contexts.ts";
import { resolveContexts } from "../../../src/store/subscribers/contexts.ts";

const service = await shareService();
const { client, production, db, environmentId } = service;

const create = async (type: string, id: string, data?: Record<string, unknown>) =>
  (await client("contexts.create", { body: { type, id, data } })).body;

const notFound = (type: string, id: string) =>
  ({ code: "CONTEXT_NOT_FOUND", message: `Context ${type}:${id} not found` }) as const;

describe("one context", () => {
  test("is created with its data, or with none, and read back with every field", async () => {
    const made = await client("contexts.create", { body: { type: "tenant", id: "acme", data: { plan: "pro" } } });
    assert.equal(made.status, 201);
    const { createdAt, updatedAt, ...rest } = made.body;
    assert.deepEqual(rest, { type: "tenant", id: "acme", data: { plan: "pro" } });
    assert.match(createdAt, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    assert.equal(updatedAt, createdAt);
    const read = await client("contexts.retrieve", { params: { type: "tenant", id: "acme" } });
    assert.deepEqual([read.status, read.body], [200, made.body]);
    assert.deepEqual((await create("tenant", "bare")).data, {});
  });

  test("exists once per environment, also when two requests race", async () => {
    await create("race", "before");
    const exists = { code: "CONTEXT_EXISTS", message: "Context race:before already exists" } as const;
    await assertRefused(client, "contexts.create", { body: { type: "race", id: "before" } }, exists);
    const input = { body: { type: "race", id: "both" } };
    const answers = await Promise.all([1, 2, 3, 4].map(() => client.raw("contexts.create", input)));
    assert.deepEqual(answers.map((answer) => answer.status).sort(), [201, 409, 409, 409]);
    assert.equal((await production("contexts.create", input)).status, 201);
  });

  test("is updated by replacing its data", async () => {
    const made = await create("tenant", "updated", { a: 1, b: 2 });
    const params = { type: "tenant", id: "updated" };
    const { status, body } = await client("contexts.update", { params, body: { data: { c: 3 } } });
    assert.equal(status, 200);
    assert.deepEqual(body.data, { c: 3 });
    assert.equal(body.createdAt, made.createdAt);
    assert.ok(body.updatedAt >= made.updatedAt);
    const errors = { data: ["data is required"] };
    await assertRefused(client, "contexts.update", { params, body: {} }, { code: "VALIDATION_ERROR", errors });
    const none = await client.raw("contexts.update", { params });
    assert.equal(none.status, 422);
    assert.deepEqual((await client("contexts.retrieve", { params })).body, body);
  });

  test("is deleted with an empty answer, and can be made again", async () => {
    await create("tenant", "gone");
    const params = { type: "tenant", id: "gone" };
    const answer = await client("contexts.delete", { params });
    assert.deepEqual([answer.status, answer.body], [204, undefined]);
    assert.equal(answer.headers.get("content-type"), null);
    const refused = await assertRefused(client, "contexts.delete", { params }, notFound("tenant", "gone"));
    assert.deepEqual(refused.ctx, { type: "tenant", id: "gone" });
    await create("tenant", "gone");
  });

  test("is not found under an unknown name, one that cannot exist, or from another environment", async () => {
    await create("tenant", "private");
    const foreign = { type: "tenant", id: "private" };
    const nowhere = [
      { type: "tenant", id: "unknown" },
      { type: "acme", id: "tenant" },
      { type: "a b", id: "\u0000/ü" },
      { type: "x".repeat(3000), id: "y" },
    ];
    for (const verb of ["retrieve", "update", "delete"] as const) {
      const body = verb === "update" ? { data: {} } : undefined;
      for (const params of nowhere) {
        await assertRefused(client, `contexts.${verb}`, { params, body }, { code: "CONTEXT_NOT_FOUND" });
      }
      await assertRefused(production, `contexts.${verb}`, { params: foreign, body }, notFound("tenant", "private"));
    }
    assert.deepEqual((await client("contexts.retrieve", { params: foreign })).body.data, {});
  });

  test("is refused with all its faults, and nothing is written", async () => {
    const before = (await client("contexts.list")).body.totalCount;
    const cases: [unknown, Record<string, string[]>][] = [
      [{}, { type: ["type is required"], id: ["id is required"] }],
      [
        { type: 1, id: null },
        { type: ["type must be a string"], id: ["id must be a string"] },
      ],
      [
        { type: "a:b", id: "c d" },
        { type: ["type has an invalid format"], id: ["id has an invalid format"] },
      ],
      [
        { type: "a".repeat(101), id: "ok", data: [] },
        { type: ["type must not be longer than 100 characters"], data: ["data must be an object"] },
      ],
      [
        { type: "t", id: "i", data: { text: "x".repeat(65_536) } },
        { data: ["data must not be larger than 65536 bytes of JSON"] },
      ],
    ];
    for (const [body, errors] of cases) {
      await assertRefused(client, "contexts.create", { body }, { code: "VALIDATION_ERROR", errors });
    }
    const empty = await client.raw("contexts.create", { body: { type: "", id: "i" } });
    assert.equal(empty.status, 422);
    assert.equal((await client("contexts.list")).body.totalCount, before);
  });

  test("is made once under an idempotency key", async () => {
    const headers = { "idempotency-key": "context-1" };
    const body = { type: "idem", id: "one" };
    const first = await client("contexts.create", { body, headers });
    const again = await client("contexts.create", { body, headers });
    assert.equal(again.headers.get("idempotency-replay"), "true");
    assert.deepEqual([again.status, again.body], [201, first.body]);
    const params = body;
    const deletion = { "idempotency-key": "context-2" };
    await client("contexts.delete", { params, headers: deletion });
    const replayed = await client("contexts.delete", { params, headers: deletion });
    assert.deepEqual([replayed.status, replayed.body], [204, undefined]);
    await assertRefused(client, "contexts.delete", { params }, notFound("idem", "one"));
  });
});

describe("the list", () => {
  test("filters by type and id exactly and by part of either, and pages by cursor", async () => {
    for (const id of ["red", "green", "blue"]) await create("colour", id);
    await create("paint", "red");
    const keys = async (query: Record<string, unknown>) => {
      const { body } = await client("contexts.list", { query: { orderDirection: "ASC", ...query } });
      return body.data.map((item) => `${item.type}:${item.id}`);
    };
    assert.deepEqual(await keys({ type: "colour" }), ["colour:red", "colour:green", "colour:blue"]);
    assert.deepEqual(await keys({ id: "red" }), ["colour:red", "paint:red"]);
    assert.deepEqual(await keys({ type: "colour", id: "red" }), ["colour:red"]);
    assert.deepEqual(await keys({ search: "olou", orderDirection: "DESC", limit: 2 }), ["colour:blue", "colour:green"]);
    assert.deepEqual(await keys({ search: "%" }), []);
    assert.deepEqual(await keys({ type: "nothing" }), []);
    await client("contexts.update", { params: { type: "colour", id: "red" }, body: { data: {} } });
    assert.deepEqual((await keys({ type: "colour", orderBy: "updatedAt" })).at(-1), "colour:red");

    const first = (await client("contexts.list", { query: { type: "colour", limit: 2 } })).body;
    assert.deepEqual([first.totalCount, first.totalCountCapped, first.previous], [3, false, null]);
    const rest = (await client("contexts.list", { query: { type: "colour", limit: 2, after: first.next! } })).body;
    assert.deepEqual([rest.data.map((item) => item.id), rest.next], [["red"], null]);
    const back = (await client("contexts.list", { query: { type: "colour", limit: 2, before: rest.previous! } })).body;
    assert.deepEqual(back.data, first.data);
    assert.deepEqual((await production("contexts.list", { query: { type: "colour" } })).body.totalCount, 0);
  });

  test("refuses what it cannot read", async () => {
    const cases: [Record<string, unknown>, string][] = [
      [{ limit: 0 }, "limit must not be less than 1"],
      [{ limit: 101 }, "limit must not be greater than 100"],
      [{ orderBy: "identifier" }, "orderBy must be one of: createdAt, updatedAt"],
      [{ after: "nonsense" }, "after is not a valid cursor"],
      [
        { before: Buffer.from('["1","------------------------------------"]').toString("base64url") },
        "before is not a valid cursor",
      ],
    ];
    for (const [query, message] of cases) {
      const errors = { [Object.keys(query)[0]!]: [message] };
      await assertRefused(client, "contexts.list", { query }, { code: "VALIDATION_ERROR", errors });
    }
  });
});

describe("named by other requests", () => {
  const messagesOf = (context: unknown) => {
    try {
      readContext(context);
      return {};
    } catch (error) {
      const faults = (error as Failure).extra.errors as Record<string, { messages: string[] }>;
      return Object.fromEntries(Object.entries(faults).map(([field, { messages }]) => [field, messages]));
    }
  };

  test("the map is read, and its keys are sorted and unique", () => {
    assert.deepEqual(readContext(undefined), []);
    const entries = readContext({ tenant: "acme", app: { id: "web", data: { a: 1 } } });
    assert.deepEqual(entries[0], { type: "tenant", id: "acme" });
    assert.deepEqual(entries[1], { type: "app", id: "web", data: { a: 1 } });
    assert.deepEqual(contextKeysOf([...entries, ...entries]), ["app:web", "tenant:acme"]);
  });

  test("every fault is named under `context`", () => {
    assert.deepEqual(messagesOf(null), { context: ["context must be an object"] });
    assert.deepEqual(messagesOf(["a"]), { context: ["context must be an object"] });
    assert.deepEqual(messagesOf({ a: "1", b: "1", c: "1", d: "1", e: "1", f: "1" }), {
      context: ["context must contain no more than 5 elements"],
    });
    assert.deepEqual(messagesOf({ "a b": "ok", c: "d e", e: 5, f: {}, g: { id: "x", data: "y" } }), {
      "context.a b": ["context.a b has an invalid format"],
      "context.c": ["context.c has an invalid format"],
      "context.e": ["context.e must be a string or an object"],
      "context.f.id": ["context.f.id is required"],
      "context.g.data": ["context.g.data must be an object"],
    });
    const big = messagesOf({ a: { id: "x", data: { text: "x".repeat(65_536) } } });
    assert.deepEqual(big, { "context.a.data": ["context.a.data must not be larger than 65536 bytes of JSON"] });
  });

  test("unknown ones are created, known ones stay, whatever the order of many requests", async () => {
    await create("many", "c3", { kept: true });
    const entries = Array.from({ length: 5 }, (_, n) => ({ type: "many", id: `c${n}`, data: { n } }));
    const rounds = Array.from({ length: 20 }, (_, n) => (n % 2 === 0 ? entries : entries.toReversed()));
    await Promise.all(rounds.map((round) => resolveContexts(db, environmentId, round, new Date())));
    await resolveContexts(db, environmentId, [], new Date());
    const { body } = await client("contexts.list", { query: { type: "many" } });
    const data = Object.fromEntries(body.data.map((item) => [item.id, item.data]));
    assert.deepEqual(data, { c0: { n: 0 }, c1: { n: 1 }, c2: { n: 2 }, c3: { kept: true }, c4: { n: 4 } });
  });
});
