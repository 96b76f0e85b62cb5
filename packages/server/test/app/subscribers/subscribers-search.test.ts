import assert from "node:assert/strict";
import { test } from "node:test";
import { before } from "@tidings/testkit/at-end";
import { faultsOf } from "@tidings/testkit/refusals";
import { shareService } from "@tidings/testkit/service";

const { client } = await shareService();

before(async () => {
  const subscribers = [
    { subscriberId: "Ada", firstName: "Ada", lastName: "Lovelace", email: "Ada@Example.com", phone: "+44" },
    { subscriberId: "grace", firstName: "Grace", lastName: "Hopper", email: "grace@example.com", phone: "+1" },
    { subscriberId: "ada2", firstName: "Ada", email: "ada2@example.com", phone: "+441" },
    { subscriberId: "percent", lastName: "100% _real_" },
    { subscriberId: "mail@example.com" },
  ];
  await client("subscribers.createBulk", { body: { subscribers } });
});

type Query = Record<string, string>;

const found = async (query: Query) =>
  (await client("subscribers.list", { query })).body.data.map(({ subscriberId }) => subscriberId).sort();

const searches: [name: string, query: Query, expected: string[]][] = [
  ["subscriberId, exact", { subscriberId: "grace" }, ["grace"]],
  ["subscriberId, in other letters", { subscriberId: "ADA" }, ["Ada"]],
  ["subscriberId, not a part of it", { subscriberId: "gra" }, []],
  ["subscriberId that is an address", { subscriberId: "MAIL@example.com" }, ["mail@example.com"]],
  ["email, in other letters", { email: "aDA@eXAMPLE.COM" }, ["Ada"]],
  ["email, not a part of it", { email: "example.com" }, []],
  ["phone, exact", { phone: "+44" }, ["Ada"]],
  ["phone, not a part of it", { phone: "4" }, []],
  ["name, part of the first", { name: "ada" }, ["Ada", "ada2"]],
  ["name, across first and last", { name: "ada love" }, ["Ada"]],
  ["name, with signs that mean something in a pattern", { name: "% _r" }, ["percent"]],
  ["name, a pattern is taken literally", { name: "%" }, ["percent"]],
  ["search, the beginning of an id or a part of a name", { search: "ADA" }, ["Ada", "ada2"]],
  ["search, the beginning of an address", { search: "ada@exam" }, ["Ada"]],
  ["search, not the middle of an address", { search: "xample.com" }, []],
  ["search, a pattern is taken literally", { search: "%" }, ["percent"]],
  ["several filters have to match together", { name: "ada", phone: "+441" }, ["ada2"]],
  ["a filter that contradicts another", { subscriberId: "grace", email: "ada@example.com" }, []],
  ["SQL in a filter is text", { name: "' or 1=1 --" }, []],
];

for (const [name, query, expected] of searches) {
  test(`search by ${name}`, async () => {
    assert.deepEqual(await found(query), expected);
    const { totalCount, totalCountCapped } = (await client("subscribers.list", { query })).body;
    assert.deepEqual([totalCount, totalCountCapped], [expected.length, false]);
  });
}

const refusals: [query: Record<string, unknown>, faults: Record<string, string[]>][] = [
  [{ limit: 0 }, { limit: ["limit must not be less than 1"] }],
  [{ limit: 101 }, { limit: ["limit must not be greater than 100"] }],
  [{ limit: "ten" }, { limit: ["limit must be a number"] }],
  [{ limit: "" }, { limit: ["limit must be a number"] }],
  [{ orderBy: "email" }, { orderBy: ["orderBy must be one of: createdAt, updatedAt"] }],
  [{ orderDirection: "asc" }, { orderDirection: ["orderDirection must be one of: ASC, DESC"] }],
  [{ includeCursor: "yes" }, { includeCursor: ["includeCursor must be a boolean"] }],
];

for (const [query, faults] of refusals) {
  test(`a list with ${JSON.stringify(query)} is refused`, async () => {
    assert.deepEqual(await faultsOf(client, "subscribers.list", { query }), faults);
  });
}

test("a limit that is no whole number is refused", async () => {
  assert.deepEqual(Object.keys(await faultsOf(client, "subscribers.list", { query: { limit: 1.5 } })), ["limit"]);
});
