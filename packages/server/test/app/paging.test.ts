// Cursor lists, over subscribers: the one list that can be filled quickly. Each test gives its subscribers their own
// last name and filters by it.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "@tidings/testkit/properties";
import { faultsOf } from "@tidings/testkit/refusals";
import { shareService } from "@tidings/testkit/service";
import { sql } from "kysely";

const { client, db } = await shareService();

type Query = { after?: string; before?: string; limit?: number; includeCursor?: boolean } & Order;
type Order = { orderDirection?: "ASC" | "DESC"; orderBy?: "createdAt" | "updatedAt" };

const page = async (mark: string, query: Query = {}) => {
  const { body } = await client("subscribers.list", { query: { name: mark, ...query } });
  return { ...body, ids: body.data.map(({ subscriberId }) => subscriberId) };
};

let marks = 0;
const newMark = (): string => `mark${++marks}x`;

/** One request per list: people of one list share their time of creation, so that ties are broken by id. */
async function add(mark: string, ...lists: string[][]): Promise<void> {
  for (const names of lists) {
    const subscribers = names.map((name) => ({ subscriberId: `${mark}-${name}`, lastName: mark }));
    if (names.length > 0) await client("subscribers.createBulk", { body: { subscribers } });
  }
}

const remove = (subscriberId: string) => client("subscribers.delete", { params: { subscriberId } });
const names = (prefix: string, count: number) => Array.from({ length: count }, (_, index) => `${prefix}${index}`);

const order = fc.record({
  orderDirection: fc.constantFrom("ASC" as const, "DESC" as const),
  orderBy: fc.constantFrom("createdAt" as const, "updatedAt" as const),
});

test("walking forward and back again meets everyone once, in opposite order", async () => {
  const limit = fc.integer({ min: 1, max: 5 });
  const sizes = fc.array(fc.integer({ min: 0, max: 4 }), { maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(order, limit, sizes, async (by, limit, sizes) => {
      const mark = newMark();
      await add(mark, ...sizes.map((size, list) => names(`${list}-`, size)));
      const total = sizes.reduce((sum, size) => sum + size, 0);
      const all = await page(mark, { ...by, limit: 100 });
      assert.equal(all.ids.length, total);

      const forward: string[][] = [];
      let current = await page(mark, { ...by, limit });
      assert.equal(current.previous, null);
      for (;;) {
        assert.equal(current.totalCount, total);
        forward.push(current.ids);
        if (current.next === null) break;
        assert.equal(current.ids.length, limit);
        current = await page(mark, { ...by, limit, after: current.next });
        assert.notEqual(current.previous, null);
      }
      assert.deepEqual(forward.flat(), all.ids);

      const backward = [current.ids];
      while (current.previous !== null) {
        current = await page(mark, { ...by, limit, before: current.previous });
        assert.notEqual(current.next, null);
        backward.unshift(current.ids);
      }
      assert.deepEqual(backward.flat(), all.ids);
    }),
    { numRuns: 12 },
  );
});

test("subscribers created and deleted meanwhile neither hide nor repeat others", async () => {
  const change = fc.constantFrom("none", "delete the cursor's item", "insert", "both");
  await fc.assert(
    fc.asyncProperty(order, fc.array(change, { minLength: 4, maxLength: 4 }), async (by, changes) => {
      const mark = newMark();
      await add(mark, names("a", 5), names("b", 4));
      const original = (await page(mark, { ...by, limit: 100 })).ids;
      const seen: string[] = [];
      let after: string | undefined;
      for (let round = 0; ; round++) {
        const current = await page(mark, { ...by, limit: 2, after });
        seen.push(...current.ids);
        if (current.next === null) break;
        after = current.next;
        const kind = changes[round];
        if (kind === "insert" || kind === "both") await add(mark, [`late${round}`]);
        if (kind === "delete the cursor's item" || kind === "both") await remove(current.ids.at(-1)!);
      }
      assert.equal(new Set(seen).size, seen.length, "a subscriber was returned twice");
      const isOriginal = (id: string) => original.includes(id);
      assert.deepEqual(seen.filter(isOriginal), original);
    }),
    { numRuns: 8 },
  );
});

test("without parameters a list has ten items, newest first", async () => {
  const mark = newMark();
  await add(mark, names("old", 6), names("new", 6));
  const first = await page(mark);
  assert.equal(first.ids.length, 10);
  assert.ok(first.ids.slice(0, 6).every((id) => id.includes("-new")));
  assert.deepEqual([first.totalCount, first.totalCountCapped, first.previous], [12, false, null]);
  assert.equal((await page(mark, { after: first.next! })).next, null);
});

test("includeCursor returns the cursor's own item too, in both directions, while it exists", async () => {
  const mark = newMark();
  await add(mark, names("p", 5));
  const all = (await page(mark)).ids;
  const cursor = (await page(mark, { limit: 3 })).next!;
  assert.deepEqual((await page(mark, { after: cursor, includeCursor: true })).ids, all.slice(2));
  assert.deepEqual((await page(mark, { after: cursor, includeCursor: false })).ids, all.slice(3));
  assert.deepEqual((await page(mark, { before: cursor, includeCursor: true })).ids, all.slice(0, 3));
  assert.deepEqual((await page(mark, { before: cursor })).ids, all.slice(0, 2));
  await remove(all[2]!);
  assert.deepEqual((await page(mark, { after: cursor, includeCursor: true })).ids, all.slice(3));
  assert.deepEqual((await page(mark, { before: cursor, includeCursor: true })).ids, all.slice(0, 2));
});

test("an empty page has no cursors, whichever way it was reached", async () => {
  const mark = newMark();
  await add(mark, ["only", "other"]);
  const cursor = (await page(mark, { limit: 1 })).next!;
  for (const id of (await page(mark)).ids) await remove(id);
  for (const query of [{}, { after: cursor }, { before: cursor }]) {
    const { data, next, previous, totalCount } = await page(mark, query);
    assert.deepEqual([data, next, previous, totalCount], [[], null, null, 0]);
  }
});

test("orderBy updatedAt follows changes, createdAt does not", async () => {
  const mark = newMark();
  await add(mark, ["first"], ["second"], ["third"]);
  // An hour back, so that the change below is later however fast the machine is.
  await sql`update subscribers set updated_at = updated_at - interval '1 hour' where last_name = ${mark}`.execute(db);
  await client("subscribers.update", { params: { subscriberId: `${mark}-first` }, body: { firstName: "Changed" } });
  const suffixes = async (query: Query) => (await page(mark, query)).ids.map((id) => id.slice(mark.length + 1));
  assert.deepEqual(await suffixes({ orderBy: "updatedAt" }), ["first", "third", "second"]);
  assert.deepEqual(await suffixes({ orderBy: "updatedAt", orderDirection: "ASC" }), ["second", "third", "first"]);
  assert.deepEqual(await suffixes({ orderBy: "createdAt" }), ["third", "second", "first"]);
});

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");
const time = "2026-01-01T00:00:00.000Z";
const id = "0199a1b2-0000-7000-8000-000000000001";

const badCursors: [name: string, cursor: string][] = [
  ["words", "not a cursor"],
  ["an id", id],
  ["another shape", encode({ value: time, id })],
  ["too few parts", encode([time])],
  ["numbers", encode([1, 2])],
  ["a time that only JavaScript reads", encode(["1", id])],
  ["a time in the year 0", encode(["0000-01-01T00:00:00.000Z", id])],
  ["a day that does not exist", encode(["2026-13-45T00:00:00.000Z", id])],
  ["an id of dashes", encode([time, "-".repeat(36)])],
  ["SQL as time", encode(["2026-01-01'); drop table subscribers; --", id])],
  ["SQL as id", encode([time, "' or 1=1 --"])],
  ["a good cursor with something behind it", `${encode([time, id])}!`],
  ["a good cursor in the other alphabet", `${encode([time, id])}==`],
  ["a NUL", encode([`${time}\u0000`, id])],
];

for (const [name, cursor] of badCursors) {
  test(`a cursor made of ${name} is refused`, async () => {
    for (const field of ["after", "before"]) {
      assert.deepEqual(await faultsOf(client, "subscribers.list", { query: { [field]: cursor } }), {
        [field]: [`${field} is not a valid cursor`],
      });
    }
  });
}

test("before and after exclude each other", async () => {
  const cursor = encode([time, id]);
  assert.deepEqual(await faultsOf(client, "subscribers.list", { query: { before: cursor, after: cursor } }), {
    before: ["before and after cannot be used together"],
  });
  assert.deepEqual(await faultsOf(client, "subscribers.list", { query: { before: "x", after: "y" } }), {
    after: ["after is not a valid cursor"],
    before: ["before is not a valid cursor", "before and after cannot be used together"],
  });
});
