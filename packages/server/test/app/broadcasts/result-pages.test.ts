// Results of broadcasts with more people than one statement reads: pages of runs add up to what one statement counts
// and lists.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { BroadcastOutcome, BroadcastResults } from "@tidings/contract";
import { shareService } from "@tidings/testkit/service";
import { email } from "@tidings/testkit/verbs";
import { eventually } from "@tidings/testkit/wait";
import { sql } from "kysely";
import { addCounts, countAllResults } from "../../../src/app/broadcasts/result-counts.ts";
import type { BroadcastCounts } from "../../../src/context.ts";
import { createBoundedCache } from "../../../src/lib/bounded-cache.ts";
import {
  countResults,
  listPeopleWith,
  type ResultCounts,
  type ResultEvent,
} from "../../../src/store/broadcasts/results.ts";

const service = await shareService();
const { client, db } = service;
const people = 23;
const subscribers = Array.from({ length: people }, (_, n) => ({
  subscriberId: `p${n}`,
  ...(n % 5 !== 0 && { email: `p${n}@example.com` }),
}));
await client("subscribers.createBulk", { body: { subscribers } });
const variants = [{ id: "a" }, { id: "b" }];
const steps = [
  { stepId: "arms", name: "Arms", type: "experiment", controlValues: { variants } },
  { stepId: "mail", ...email() },
];
const { body: draft } = await client("broadcasts.create", {
  body: { name: "News", content: { steps }, audience: { include: [], everyone: true } } as never,
});
const params = { broadcastId: draft._id };
await client("broadcasts.send", { params });
const mails = subscribers.filter(({ email: address }) => address !== undefined).length;
await eventually(async () => {
  const { status, body } = await client.raw("broadcasts.retrieveResults", { params });
  return status === 200 && (body as BroadcastResults).outcomes.sent === mails;
}, "all mails");

const { rows } = await sql<{ event_id: string; environment_id: string }>`
  select event_id, environment_id from broadcasts where id = ${draft._id}`.execute(db);
const environmentId = rows[0]!.environment_id;
const event: ResultEvent = { eventId: rows[0]!.event_id, choiceIds: [], since: new Date(0) };

const countBy = async (runs: number): Promise<ResultCounts> => {
  let sum: ResultCounts = { people: 0, last: null, outcomes: {}, causes: [], variants: [] };
  for (let page = 0; page <= people; page++) {
    sum = addCounts(sum, await countResults(db, environmentId, event, { ignored: [], after: sum.last, runs }));
    if (sum.last === null) return sum;
  }
  assert.fail("the pages do not end");
};

const listBy = async (runs: number, outcome: BroadcastOutcome | undefined, limit: number): Promise<string[]> => {
  const found: string[] = [];
  let after: string | null = null;
  for (let page = 0; page <= people + 1; page++) {
    const next: Awaited<ReturnType<typeof listPeopleWith>> = await listPeopleWith(db, environmentId, event, {
      ...{ outcome, after, limit, runs },
    });
    found.push(...next.people.map(({ subscriber_id }) => subscriber_id));
    after = next.last;
    if (after === null) return found;
  }
  assert.fail("the pages do not end");
};

test("pages of any size add up to what one statement counts", async () => {
  const whole = await countBy(1_000);
  assert.equal(whole.people, people);
  assert.deepEqual([whole.outcomes.sent, whole.outcomes.skipped], [mails, people - mails]);
  assert.equal(whole.variants.length, 2);
  for (const runs of [1, 4, people, people + 1]) assert.deepEqual(await countBy(runs), whole, `${runs} runs a page`);
});

test("a request that runs out of time says so, and the next ones continue to the same counts", async () => {
  const ctx = { db, broadcastCounts: createBoundedCache<BroadcastCounts>(10) };
  const next = (hour: number) =>
    countAllResults(
      ctx,
      { environmentId, event, ignored: [], now: new Date(Date.UTC(2027, 0, 1, hour)) },
      { countingMs: 0, runs: 10 },
    );
  const [first, shared] = await Promise.all([next(1), next(2)]);
  assert.equal(shared, first, "requests at the same time share the work");
  assert.deepEqual([first.people, first.isCapped], [10, true]);
  const second = await next(3);
  assert.deepEqual([second.people, second.isCapped], [20, true]);
  const { isCapped, countedAt, ...third } = await next(4);
  assert.deepEqual(third, await countBy(1_000));
  assert.deepEqual([isCapped, countedAt], [false, first.countedAt], "as old as its oldest part");
  assert.equal((await next(5)).people, 10, "counted again, because it took no time");
});

test("the people of an outcome are listed to the last one, where a page of runs has none of them", async () => {
  const expected: [BroadcastOutcome | undefined, number][] = [
    ["sent", mails],
    ["skipped", people - mails],
    ["clicked", 0],
    [undefined, people],
  ];
  for (const [outcome, count] of expected) {
    const whole = await listBy(1_000, outcome, 1_000);
    assert.equal(whole.length, count, outcome);
    for (const [runs, limit] of [
      [1, 3],
      [4, 2],
      [7, 100],
      [people, 1],
    ] as const) {
      assert.deepEqual(await listBy(runs, outcome, limit), whole, `${outcome}: ${runs} runs a page, ${limit} people`);
    }
  }
});
