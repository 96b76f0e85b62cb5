import assert from "node:assert/strict";
import { test } from "node:test";
import { faultsOf } from "@tidings/testkit/refusals";
import { startTestService } from "@tidings/testkit/service";
import { sql } from "kysely";

const service = await startTestService();
const { client } = service;

const bulk = async (subscribers: unknown[]) => {
  const { status, body } = await client.raw("subscribers.createBulk", { body: { subscribers } });
  assert.equal(status, 201, JSON.stringify(body));
  return body as { created: unknown[]; updated: unknown[]; failed: { subscriberId?: string; message: string }[] };
};
const retrieve = async (subscriberId: string) =>
  (await client("subscribers.retrieve", { params: { subscriberId } })).body;
const countSubscribers = async () =>
  (await sql<{ count: number }>`select count(*) as count from subscribers`.execute(service.db)).rows[0]!.count;

test("new, known and invalid entries are reported apart, and an invalid one does not stop the others", async () => {
  await client("subscribers.create", { body: { subscriberId: "known", firstName: "Old", lastName: "Kept" } });
  const answer = await bulk([
    { subscriberId: "fresh", email: "fresh@example.com" },
    { subscriberId: "known", firstName: "New" },
    { subscriberId: "bad mail", email: "x" },
    { subscriberId: "bad-mail", email: "x", timezone: "y" },
    { firstName: "Nameless" },
    { subscriberId: 7 },
    {},
  ]);
  assert.deepEqual(answer.created, [{ subscriberId: "fresh" }]);
  assert.deepEqual(answer.updated, [{ subscriberId: "known" }]);
  assert.deepEqual(answer.failed, [
    { subscriberId: "bad mail", message: "subscriberId has an invalid format; email has an invalid format" },
    { subscriberId: "bad-mail", message: "email has an invalid format; timezone has an invalid format" },
    { message: "subscriberId is required" },
    { message: "subscriberId must be a string" },
    { message: "subscriberId is required" },
  ]);
  const known = await retrieve("known");
  assert.deepEqual([known.firstName, known.lastName], ["New", "Kept"]);
  assert.equal((await retrieve("fresh")).email, "fresh@example.com");
});

test("the same id twice is one subscriber; the later entry wins per field", async () => {
  const answer = await bulk([
    { subscriberId: "twice", firstName: "A", lastName: "B", phone: "1" },
    { subscriberId: " twice ", firstName: "C", phone: null },
  ]);
  const twice = { subscriberId: "twice" };
  assert.deepEqual(answer, { created: [twice], updated: [twice], failed: [] }, "each entry is reported");
  assert.deepEqual(await bulk([twice, twice]), { created: [], updated: [twice, twice], failed: [] });
  const { firstName, lastName, phone } = await retrieve("twice");
  assert.deepEqual([firstName, lastName, phone], ["C", "B", undefined]);
});

test("500 entries are taken, 501 are not, and neither is an empty list", async () => {
  const people = Array.from({ length: 501 }, (_, index) => ({ subscriberId: `many-${index}` }));
  const before = await countSubscribers();
  assert.deepEqual(await faultsOf(client, "subscribers.createBulk", { body: { subscribers: people } }), {
    subscribers: ["subscribers must contain no more than 500 elements"],
  });
  assert.deepEqual(await faultsOf(client, "subscribers.createBulk", { body: { subscribers: [] } }), {
    subscribers: ["subscribers must not be empty"],
  });
  assert.deepEqual(await faultsOf(client, "subscribers.createBulk", { body: {} }), {
    subscribers: ["subscribers is required"],
  });
  assert.equal(await countSubscribers(), before);
  const answer = await bulk(people.slice(0, 500));
  assert.equal(answer.created.length, 500);
  assert.deepEqual(answer.failed, []);
  assert.equal(await countSubscribers(), before + 500);
});

test("an entry that is no object refuses the request", async () => {
  const before = await countSubscribers();
  const body = { subscribers: [{ subscriberId: "beside" }, "text", null] };
  assert.deepEqual(await faultsOf(client, "subscribers.createBulk", { body }), {
    "subscribers.1": ["subscribers.1 must be an object"],
    "subscribers.2": ["subscribers.2 must be an object"],
  });
  assert.equal(await countSubscribers(), before);
});

test("requests that name the same people in opposite order do not block each other", async () => {
  const people = (lastName: string) =>
    Array.from({ length: 100 }, (_, index) => ({ subscriberId: `pair-${index}`, firstName: "F", lastName }));
  await bulk(people("first"));
  const rounds = Array.from({ length: 12 }, (_, round) => {
    const list = people(`round ${round}`);
    return bulk(round % 2 === 0 ? list : list.reverse());
  });
  for (const answer of await Promise.all(rounds)) assert.equal(answer.updated.length, 100);
});
