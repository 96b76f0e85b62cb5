// Counts, costs and people of rules: exact up to 100,000 people, estimated above, and never slower than the limit.
import assert from "node:assert/strict";
import { test } from "node:test";
import { before } from "@tidings/testkit/at-end";
import { startTestService } from "@tidings/testkit/service";
import { sql } from "kysely";

const { client, production, db } = await startTestService({ TIDINGS_ROLE: "api", TIDINGS_READ_SECONDS: "2" });
const many = 110_000;
const planIs = (plan: string) => ({ "==": [{ var: "subscriber.data.plan" }, plan] });
const preview = async (rule: object) => (await client("audiences.preview", { body: { rule: rule as never } })).body;

before(async () => {
  const [development, live] = await Promise.all(
    [client, production].map(async (of) => (await of("environments.list")).body.find(({ apiKeys }) => apiKeys)!),
  );
  // One person in twenty is on the plan pro, and three are on gold.
  await sql`
    insert into subscribers (id, environment_id, subscriber_id, first_name, timezone, data, created_at, updated_at)
    select gen_random_uuid(), ${development!._id}, 'p' || n, 'N' || n, 'Europe/Berlin', jsonb_build_object(
      'plan', case when n <= 3 then 'gold' when n % 20 = 0 then 'pro' else 'free' end,
      'tags', to_jsonb(array_fill('tag'::text, array[40]))), now(), now()
    from generate_series(1, ${many}::int) as n`.execute(db);
  await sql`insert into subscribers (id, environment_id, subscriber_id, data, created_at, updated_at)
    select gen_random_uuid(), ${live!._id}, 'few' || n, '{"plan":"gold"}', now(), now()
    from generate_series(1, 20) as n`.execute(db);
  await sql`vacuum analyze subscribers`.execute(db);
});

test("a count is exact up to 100,000 people, and an estimate above", async () => {
  const pro = await preview(planIs("pro"));
  assert.deepEqual(pro.count, { people: many / 20, isEstimated: false });
  assert.equal(pro.sample.length, 10);
  assert.equal(pro.sentence, 'subscriber.data.plan is "pro"');
  const free = await preview(planIs("free"));
  assert.equal(free.count.isEstimated, true);
  const actual = many * 0.95;
  assert.ok(Math.abs(free.count.people - actual) < actual * 0.1, `${free.count.people} of ${actual} people`);
  assert.ok(free.count.people > 100_000 && free.count.people <= many);
});

test("the cost says whether an index finds the people, and what makes it high", async () => {
  const [gold, ending, topic] = [
    await preview(planIs("gold")),
    await preview({ endsWith: [{ var: "subscriber.firstName" }, "99999"] }),
    await preview({
      or: [{ in: ["beta", { var: "topics" }] }, { endsWith: [{ var: "subscriber.firstName" }, "7777"] }],
    }),
  ];
  assert.deepEqual([gold.count.people, gold.cost.level], [3, "low"]);
  assert.match(gold.cost.reason, /An index finds the people/);
  assert.ok(gold.cost.rows < many / 2);
  assert.deepEqual([ending.count.people, ending.cost.level], [1, "medium"]);
  assert.match(ending.cost.reason, /no index finds the people/);
  assert.equal(topic.cost.level, "high");
  const { body: few } = await production("audiences.preview", { body: { rule: planIs("gold") } });
  assert.deepEqual([few.everyone, few.count.people, few.cost.level], [20, 20, "low"]);
  assert.match(few.cost.reason, /There are few subscribers/);
});

test("a saved audience is counted, and its people have pages", async () => {
  await client("audiences.create", { body: { audienceId: "gold", name: "Gold", rule: planIs("gold") } });
  const params = { audienceId: "gold" };
  assert.deepEqual((await client("audiences.count", { params })).body, { people: 3, isEstimated: false });
  const list = async (query: object) => (await client("audiences.listPeople", { params, query })).body;
  const first = await list({ limit: 2 });
  const rest = await list({ limit: 2, after: first.next! });
  assert.deepEqual([first.data.length, rest.data.length, rest.next], [2, 1, null]);
  assert.deepEqual([...first.data, ...rest.data].map(({ subscriberId }) => subscriberId).sort(), ["p1", "p2", "p3"]);
  assert.deepEqual(
    [...first.data, ...rest.data].find(({ subscriberId }) => subscriberId === "p1"),
    {
      ...{ subscriberId: "p1", firstName: "N1", lastName: null, email: null },
      ...{ locale: null, timezone: "Europe/Berlin" },
    },
  );
  await assert.rejects(list({ after: "p1" }), { status: 422 });
  for (const id of ["audiences.count", "audiences.listPeople"] as const) {
    await assert.rejects(production(id, { params }), { status: 404, code: "AUDIENCE_NOT_FOUND" });
  }
});

test("a rule that takes too long is refused in time, with the part to change, wherever it is used", async () => {
  const slow = {
    none: [{ var: "subscriber.data.tags" }, { or: Array.from({ length: 40 }, (_, n) => ({ "==": [{ var: "" }, n] })) }],
  };
  const rule = { and: [{ "!=": [{ var: "subscriber.data.plan" }, "silver"] }, slow] };
  const tooSlow = {
    status: 422,
    code: "AUDIENCE_TOO_SLOW",
    message: /too long: the costliest part is .*subscriber\.data\.tags/,
  };
  const began = performance.now();
  await assert.rejects(preview(rule), tooSlow);
  assert.ok(performance.now() - began < 8_000, "it ended in time");
  await assert.rejects(client("audiences.create", { body: { audienceId: "slow", name: "Slow", rule } }), tooSlow);
  await assert.rejects(client("audiences.retrieve", { params: { audienceId: "slow" } }), { status: 404 });
  const params = { audienceId: "gold" };
  await assert.rejects(client("audiences.update", { params, body: { rule } }), tooSlow);
  assert.deepEqual((await client("audiences.count", { params })).body.people, 3, "nothing has changed");
});
