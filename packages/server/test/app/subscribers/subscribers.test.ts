import assert from "node:assert/strict";
import { test } from "node:test";
import { faultsOf, refused } from "@tidings/testkit/refusals";
import { shareService } from "@tidings/testkit/service";
import { sql } from "kysely";

const service = await shareService();
const { client } = service;

const create = async (body: { subscriberId: string } & Record<string, unknown>) =>
  (await client("subscribers.create", { body })).body;
const retrieve = async (subscriberId: string) =>
  (await client("subscribers.retrieve", { params: { subscriberId } })).body;
const rowsOf = async (subscriberId: string) =>
  (
    await sql<{
      id: string;
    }>`select id from subscribers where subscriber_id = ${subscriberId} and environment_id = ${service.environmentId}`.execute(
      service.db,
    )
  ).rows;

const profile = {
  firstName: "Ada",
  lastName: "Lovelace",
  email: "ada@example.com",
  phone: "+44 20 7946 0000",
  avatar: "https://example.com/ada.png",
  locale: "en_GB",
  timezone: "Europe/London",
  data: { plan: "gold", nested: { list: [1, null, "x"] } },
};

test("a subscriber is created with its fields and found by its id", async () => {
  const { status, body } = await client("subscribers.create", { body: { subscriberId: "ada", ...profile } });
  assert.equal(status, 201);
  const { _id, _environmentId, _organizationId, createdAt, updatedAt, ...rest } = body;
  assert.deepEqual(rest, { subscriberId: "ada", ...profile, channels: [], deleted: false });
  for (const id of [_id, _environmentId, _organizationId]) assert.match(id ?? "", /^[0-9a-f-]{36}$/);
  for (const time of [createdAt, updatedAt]) assert.match(time, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  assert.deepEqual(await retrieve("ada"), body);
});

test("absent values are left out, never null", async () => {
  const body = await create({ subscriberId: "bare" });
  assert.deepEqual(Object.keys(body).sort(), [
    ...["_environmentId", "_id", "_organizationId", "channels", "createdAt", "deleted", "subscriberId", "updatedAt"],
  ]);
});

test("creating again updates the fields given and leaves the others", async () => {
  const first = await create({ subscriberId: "again", ...profile });
  const second = await create({ subscriberId: "again", lastName: "King", phone: null, unknown: "ignored" });
  assert.equal(second._id, first._id);
  assert.equal(second.createdAt, first.createdAt);
  assert.equal(second.lastName, "King");
  assert.equal(second.firstName, "Ada");
  assert.equal(second.phone, undefined);
  assert.ok(!("unknown" in second));
  // Nothing given, nothing changed.
  assert.deepEqual(await create({ subscriberId: "again" }), second);
});

test("failIfExists refuses a known id with the record in the answer, and changes nothing", async () => {
  const input = { query: { failIfExists: true }, body: { subscriberId: "once", firstName: "First" } };
  const created = await client("subscribers.create", input);
  assert.equal(created.status, 201);
  const again = { ...input, body: { subscriberId: " once ", firstName: "Second" } };
  const error = await refused(client, "subscribers.create", again, "SUBSCRIBER_EXISTS");
  assert.equal(error.message, "Subscriber once already exists");
  const { statusCode, timestamp, path, message, code, error: _text, ctx, ...record } = error;
  assert.deepEqual(record, created.body);
  assert.deepEqual(await retrieve("once"), created.body);
});

test("ids are trimmed, also in paths", async () => {
  const body = await create({ subscriberId: "  padded\t" });
  assert.equal(body.subscriberId, "padded");
  assert.equal((await retrieve(" padded ")).subscriberId, "padded");
  const updated = await client("subscribers.update", { params: { subscriberId: " padded" }, body: { firstName: "P" } });
  assert.equal(updated.body.firstName, "P");
  await client("subscribers.delete", { params: { subscriberId: "padded " } });
  await refused(client, "subscribers.retrieve", { params: { subscriberId: "padded" } }, "SUBSCRIBER_NOT_FOUND");
});

for (const subscriberId of ["a", "A:b.c_d-9", "user@example.com", "first+tag@sub.example.co", "x".repeat(255)]) {
  test(`the id ${subscriberId.slice(0, 30)} is legal`, async () => {
    assert.equal((await create({ subscriberId })).subscriberId, subscriberId);
    assert.equal((await retrieve(subscriberId)).subscriberId, subscriberId);
  });
}

const badFields: [name: string, body: Record<string, unknown>, faults: Record<string, string[]>][] = [
  ["a missing id", {}, { subscriberId: ["subscriberId is required"] }],
  ["a number as id", { subscriberId: 5 }, { subscriberId: ["subscriberId must be a string"] }],
  ["null as id", { subscriberId: null }, { subscriberId: ["subscriberId must be a string"] }],
  ["an id with a space", { subscriberId: "a b" }, { subscriberId: ["subscriberId has an invalid format"] }],
  ["an id with a slash", { subscriberId: "a/b" }, { subscriberId: ["subscriberId has an invalid format"] }],
  ["an id of spaces", { subscriberId: "  " }, { subscriberId: ["subscriberId has an invalid format"] }],
  [
    "an id that is too long",
    { subscriberId: "x".repeat(256) },
    { subscriberId: ["subscriberId must not be longer than 255 characters"] },
  ],
  ["an email without a host", { email: "ada" }, { email: ["email has an invalid format"] }],
  ["an email with a control character", { email: "a\u0085b@example.com" }, { email: ["email has an invalid format"] }],
  ["an email with a hidden character", { email: "a\u200bb@example.com" }, { email: ["email has an invalid format"] }],
  ["an email that is a list", { email: "a,b@example.com" }, { email: ["email has an invalid format"] }],
  [
    "an id with a hidden character",
    { subscriberId: "a@exam\u00adple.com" },
    { subscriberId: ["subscriberId has an invalid format"] },
  ],
  ["an email with two at signs", { email: "a@b@c" }, { email: ["email has an invalid format"] }],
  ["a timezone that does not exist", { timezone: "Mars/Olympus" }, { timezone: ["timezone has an invalid format"] }],
  ["a locale with spaces", { locale: "en US" }, { locale: ["locale has an invalid format"] }],
  ["a name that is no text", { firstName: ["Ada"] }, { firstName: ["firstName must be a string"] }],
  ["data that is a list", { data: [1] }, { data: ["data must be an object"] }],
  [
    "data of more than 64 KB",
    { data: { text: "ä".repeat(32_768) } },
    { data: ["data must not be larger than 65536 bytes of JSON"] },
  ],
  [
    "several faults at once",
    { email: "x", timezone: "y", lastName: 1 },
    {
      email: ["email has an invalid format"],
      timezone: ["timezone has an invalid format"],
      lastName: ["lastName must be a string"],
    },
  ],
];

for (const [name, body, faults] of badFields) {
  test(`${name} is refused and nothing is written`, async () => {
    const given = "subscriberId" in faults ? body : { subscriberId: "refused", ...body };
    assert.deepEqual(await faultsOf(client, "subscribers.create", { body: given }), faults);
    assert.deepEqual(await rowsOf("refused"), []);
  });
}

test("data of exactly 64 KB is taken", async () => {
  const frame = JSON.stringify({ text: "" }).length;
  const { data } = await create({ subscriberId: "big", data: { text: "x".repeat(65_536 - frame) } });
  assert.equal(JSON.stringify(data).length, 65_536);
});

test("an update changes the fields given, null clears, data is replaced as a whole", async () => {
  const before = await create({ subscriberId: "patched", ...profile });
  const params = { subscriberId: "patched" };
  const cleared = {
    ...{ firstName: null, lastName: null, email: null, phone: null },
    ...{ avatar: null, locale: null, timezone: null },
  };
  const { body } = await client("subscribers.update", { params, body: { ...cleared, data: { plan: "free" } } });
  for (const field of Object.keys(cleared)) assert.ok(!(field in body), field);
  assert.deepEqual(body.data, { plan: "free" });
  assert.equal(body._id, before._id);
  const emptied = await client("subscribers.update", { params, body: { data: null } });
  assert.ok(!("data" in emptied.body));
  // An empty update is legal and touches nothing, not even the time of the last change.
  const same = await client("subscribers.update", { params, body: {} });
  assert.deepEqual(same.body, emptied.body);
});

test("an update cannot rename, and is checked like a creation", async () => {
  await create({ subscriberId: "fixed" });
  const params = { subscriberId: "fixed" };
  const renamed = await client.raw("subscribers.update", { params, body: { subscriberId: "other", firstName: "F" } });
  assert.equal((renamed.body as { subscriberId: string }).subscriberId, "fixed");
  assert.deepEqual(await rowsOf("other"), []);
  assert.deepEqual(await faultsOf(client, "subscribers.update", { params, body: { email: "x", locale: "??" } }), {
    email: ["email has an invalid format"],
    locale: ["locale has an invalid format"],
  });
});

for (const id of [
  "subscribers.retrieve",
  "subscribers.update",
  "subscribers.delete",
  "subscribers.listFeed",
] as const) {
  test(`${id} of an unknown subscriber is 404`, async () => {
    const body = id === "subscribers.update" ? {} : undefined;
    for (const subscriberId of ["nobody", "not an id / at all", "0199a1b2-0000-7000-8000-000000000001"]) {
      const error = await refused(client, id, { params: { subscriberId }, body }, "SUBSCRIBER_NOT_FOUND");
      assert.equal(error.message, `Subscriber with id ${subscriberId} not found`);
      assert.deepEqual(error.ctx, { subscriberId });
    }
  });
}

test("environments do not see each other's subscribers", async () => {
  const own = await create({ subscriberId: "shared-id", firstName: "Dev" });
  const params = { subscriberId: "shared-id" };
  await refused(service.production, "subscribers.retrieve", { params }, "SUBSCRIBER_NOT_FOUND");
  await refused(service.production, "subscribers.delete", { params }, "SUBSCRIBER_NOT_FOUND");
  const other = await service.production("subscribers.create", { body: { subscriberId: "shared-id" } });
  assert.notEqual(other.body._id, own._id);
  assert.notEqual(other.body._environmentId, own._environmentId);
  assert.equal(other.body._organizationId, own._organizationId);
  const listed = await service.production("subscribers.list", { query: { subscriberId: "shared-id" } });
  assert.deepEqual(listed.body.data, [other.body]);
  assert.deepEqual(await retrieve("shared-id"), own);
});

test("many requests that create the same person at once make one record", async () => {
  const fields = ["firstName", "lastName", "phone", "avatar"];
  const bodies = Array.from({ length: 16 }, (_, index) => ({
    subscriberId: "crowd",
    [fields[index % fields.length]!]: `value ${index % fields.length}`,
  }));
  const answers = await Promise.all(bodies.map((body) => client.raw("subscribers.create", { body })));
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([201]));
  assert.equal((await rowsOf("crowd")).length, 1);
  // No update got lost: each request wrote its own field.
  const { firstName, lastName, phone, avatar } = await retrieve("crowd");
  assert.deepEqual([firstName, lastName, phone, avatar], ["value 0", "value 1", "value 2", "value 3"]);
});

test("of many requests that insist on a new person, one gets it", async () => {
  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, index) =>
      client.raw("subscribers.create", {
        query: { failIfExists: true },
        body: { subscriberId: "only-one", firstName: String(index) },
      }),
    ),
  );
  const statuses = answers.map(({ status }) => status).sort();
  assert.deepEqual(statuses, [201, ...Array.from({ length: 7 }, () => 409)]);
  const winner = answers.find(({ status }) => status === 201)!.body;
  assert.deepEqual(await retrieve("only-one"), winner);
});
