// Topics over HTTP: creating, reading, renaming, deleting, listing.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { assertRefused } from "@tidings/testkit/refusals";
import { shareService } from "@tidings/testkit/service";

const service = await shareService();
const { client, production } = service;

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const isoTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

const createTopic = (body: object, query?: object, headers?: Record<string, string>) =>
  client.raw("topics.create", { body, query: query as Record<string, unknown>, headers });

describe("create", () => {
  test("201 with every field", async () => {
    const { status, body } = await client("topics.create", { body: { key: "news", name: "News" } });
    assert.equal(status, 201);
    assert.match(body._id, uuid);
    assert.match(body.createdAt!, isoTime);
    assert.deepEqual(body, {
      _id: body._id,
      key: "news",
      name: "News",
      createdAt: body.createdAt,
      updatedAt: body.createdAt,
    });
  });

  test("without a name the field is absent; unknown members are ignored", async () => {
    const { status, body } = await createTopic({ key: "nameless", extra: { deep: 1 } });
    assert.equal(status, 201);
    assert.equal(Object.hasOwn(body as object, "name"), false);
  });

  test("an existing key is 200: a name replaces the old one, no name leaves it", async () => {
    const first = await client("topics.create", { body: { key: "again", name: "One" } });
    const same = await client("topics.create", { body: { key: "again" } });
    assert.equal(same.status, 200);
    assert.deepEqual(same.body, first.body);
    const renamed = await client("topics.create", { body: { key: "again", name: "Two" } });
    assert.equal(renamed.status, 200);
    assert.equal(renamed.body._id, first.body._id);
    assert.equal(renamed.body.name, "Two");
    assert.ok(renamed.body.updatedAt! >= first.body.updatedAt!);
  });

  test("failIfExists refuses with 409 and shows the record", async () => {
    const made = await createTopic({ key: "once", name: "Once" }, { failIfExists: true });
    assert.equal(made.status, 201);
    const again = { body: { key: "once", name: "Twice" }, query: { failIfExists: true } };
    const expected = { code: "TOPIC_EXISTS", message: "Topic once already exists" } as const;
    const body = await assertRefused(client, "topics.create", again, expected);
    assert.deepEqual(body.ctx, { topicKey: "once" });
    for (const [field, value] of Object.entries(made.body as object)) assert.equal(body[field], value, field);
    assert.equal((await client("topics.retrieve", { params: { topicKey: "once" } })).body.name, "Once");
  });

  test("concurrent requests create one topic, and one of them gets 201", async () => {
    const answers = await Promise.all(Array.from({ length: 12 }, () => createTopic({ key: "race" })));
    const statuses = answers.map((answer) => answer.status).sort();
    assert.deepEqual(statuses, [...Array.from({ length: 11 }, () => 200), 201]);
    assert.equal(new Set(answers.map((answer) => (answer.body as { _id: string })._id)).size, 1);
  });

  test("a replay gives the stored answer with its status", async () => {
    const headers = { "idempotency-key": "topic-1" };
    const first = await createTopic({ key: "replayed", name: "R" }, {}, headers);
    const second = await createTopic({ key: "replayed", name: "R" }, {}, headers);
    assert.equal(first.status, 201);
    assert.equal(second.status, 201);
    assert.equal(second.headers.get("idempotency-replay"), "true");
    assert.deepEqual(second.body, first.body);
    const existing = { "idempotency-key": "topic-2" };
    assert.equal((await createTopic({ key: "replayed" }, {}, existing)).status, 200);
    const replayed = await createTopic({ key: "replayed" }, {}, existing);
    assert.equal(replayed.status, 200);
    assert.equal(replayed.headers.get("idempotency-replay"), "true");
  });

  test("keys follow the pattern of subscriber ids, email addresses included", async () => {
    for (const key of ["a", "A_b:c.d-9", "team@example.org", "k".repeat(100)]) {
      assert.equal((await createTopic({ key })).status, 201, key);
    }
  });

  test("422 names every fault at once and writes nothing", async () => {
    const cases: [unknown, Record<string, string[]>][] = [
      [undefined, { general: ["Request body is required"] }],
      [[], { general: ["Request body must be an object"] }],
      [{}, { key: ["key is required"] }],
      [
        { key: "", name: "" },
        { key: ["key must not be empty", "key has an invalid format"], name: ["name must not be empty"] },
      ],
      [
        { key: 5, name: null },
        { key: ["key must be a string"], name: ["name must be a string"] },
      ],
      [{ key: "with space" }, { key: ["key has an invalid format"] }],
      [
        { key: "k".repeat(101), name: "n".repeat(101) },
        {
          key: ["key must not be longer than 100 characters"],
          name: ["name must not be longer than 100 characters"],
        },
      ],
    ];
    const before = (await client("topics.list")).body.totalCount;
    for (const [body, expected] of cases) {
      const refusal = { code: "VALIDATION_ERROR", message: "Validation Error", errors: expected } as const;
      await assertRefused(client, "topics.create", { body }, refusal);
    }
    const badFlag = { body: { key: "fine" }, query: { failIfExists: "perhaps" } };
    const errors = { failIfExists: ["failIfExists must be a boolean"] };
    await assertRefused(client, "topics.create", badFlag, { code: "VALIDATION_ERROR", errors });
    assert.equal((await client("topics.list")).body.totalCount, before);
  });
});

describe("retrieve, update, delete", () => {
  test("a topic is read, renamed and deleted by its key", async () => {
    const made = (await client("topics.create", { body: { key: "friends@example.org", name: "T" } })).body;
    const params = { topicKey: made.key };
    const { status, body } = await client("topics.update", { params, body: { name: "Team" } });
    assert.equal(status, 200);
    assert.deepEqual({ ...body, updatedAt: "" }, { ...made, name: "Team", updatedAt: "" });
    assert.match(body.updatedAt!, isoTime);
    assert.deepEqual((await client("topics.retrieve", { params })).body, body);
    const deleted = await client("topics.delete", { params });
    assert.equal(deleted.status, 200);
    assert.deepEqual(deleted.body, { acknowledged: true });
    assert.equal((await client.raw("topics.delete", { params })).status, 404);
  });

  test("404 for what does not exist, cannot exist, or is another environment's", async () => {
    await production("topics.create", { body: { key: "theirs" } });
    for (const topicKey of ["unknown", "with space / and \u0000", "k".repeat(3000), "theirs"]) {
      const params = { topicKey };
      await assertRefused(client, "topics.retrieve", { params }, { code: "TOPIC_NOT_FOUND" });
      await assertRefused(client, "topics.update", { params, body: { name: "x" } }, { code: "TOPIC_NOT_FOUND" });
      await assertRefused(client, "topics.delete", { params }, { code: "TOPIC_NOT_FOUND" });
    }
    const message = "Topic with key theirs not found";
    const named = { params: { topicKey: "theirs" } };
    const body = await assertRefused(client, "topics.retrieve", named, { code: "TOPIC_NOT_FOUND", message });
    assert.deepEqual(body.ctx, { topicKey: "theirs" });
    assert.equal((await production("topics.retrieve", { params: { topicKey: "theirs" } })).status, 200);
  });

  test("a bad body is reported before a missing topic", async () => {
    const params = { topicKey: "unknown" };
    for (const [body, fault] of [
      [{}, "name is required"],
      [{ name: "" }, "name must not be empty"],
      [{ name: 7 }, "name must be a string"],
      [{ name: "n".repeat(101) }, "name must not be longer than 100 characters"],
    ] as const) {
      const errors = { name: [fault] };
      await assertRefused(client, "topics.update", { params, body }, { code: "VALIDATION_ERROR", errors });
    }
  });
});

describe("list", () => {
  test("pages, filters, order and faults", async () => {
    for (const key of ["l1", "l2", "l3"]) await production("topics.create", { body: { key, name: `List ${key}` } });
    await production("topics.update", { params: { topicKey: "l1" }, body: { name: "List L1 again" } });
    const keysOf = async (query: object) =>
      (await production("topics.list", { query })).body.data.map((topic) => topic.key);

    assert.deepEqual(await keysOf({ name: "list" }), ["l3", "l2", "l1"]);
    assert.deepEqual(await keysOf({ name: "list", orderDirection: "ASC" }), ["l1", "l2", "l3"]);
    assert.deepEqual(await keysOf({ name: "list", orderBy: "updatedAt" }), ["l1", "l3", "l2"]);
    assert.deepEqual(await keysOf({ key: "l2" }), ["l2"]);
    assert.deepEqual(await keysOf({ key: "l" }), []);
    assert.deepEqual(await keysOf({ name: "AGAIN", key: "l1" }), ["l1"]);

    const first = (await production("topics.list", { query: { name: "list", limit: 2 } })).body;
    assert.deepEqual([first.totalCount, first.totalCountCapped, first.previous], [3, false, null]);
    const rest = (await production("topics.list", { query: { name: "list", limit: 2, after: first.next! } })).body;
    assert.deepEqual(
      rest.data.map((topic) => topic.key),
      ["l1"],
    );
    assert.equal(rest.next, null);
    assert.deepEqual(await keysOf({ name: "list", limit: 2, before: rest.previous! }), ["l3", "l2"]);

    const bad = { limit: 101, orderBy: "key", orderDirection: "UP" };
    const errors = {
      limit: ["limit must not be greater than 100"],
      orderBy: ["orderBy must be one of: createdAt, updatedAt"],
      orderDirection: ["orderDirection must be one of: ASC, DESC"],
    };
    await assertRefused(client, "topics.list", { query: bad }, { code: "VALIDATION_ERROR", errors });
    const cursor = { code: "VALIDATION_ERROR", errors: { after: ["after is not a valid cursor"] } } as const;
    await assertRefused(client, "topics.list", { query: { after: "nonsense" } }, cursor);
  });
});
