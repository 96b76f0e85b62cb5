// Rules of audiences in SQL mean what they mean to the interpreter: random rules over random people with odd values.
// AUDIENCE_RULES=10000 tries more of them.
import assert from "node:assert/strict";
import { test } from "node:test";
import { before } from "@tidings/testkit/at-end";
import { startTestService } from "@tidings/testkit/service";
import { createWorkflow, inApp } from "@tidings/testkit/verbs";
import fc from "fast-check";
import { sql } from "kysely";
import { checkRule } from "../../../src/lib/audiences/rule-check.ts";
import { newId } from "../../../src/lib/ids.ts";
import { conditionOfRule } from "../../../src/pipeline/audiences/condition.ts";
import { type AudienceFacts, holds, loadAudienceFacts } from "../../../src/pipeline/audiences/facts.ts";
import { resolveAudiences } from "../../../src/pipeline/audiences/resolve.ts";
import { constants, fieldPaths, oddRules, type Person, person, rules } from "./random-rules.ts";

const rulesToTry = Number(process.env.AUDIENCE_RULES ?? 150);
const peopleInGroup = 60;
const rulesPerGroup = 1_000;
const now = new Date("2026-11-18T10:00:00.000Z");

const { db, client } = await startTestService();
await createWorkflow(client, "news", [inApp({ body: "News" })]);
const { environmentId, workflowRowId } = (
  await sql<{ environmentId: string; workflowRowId: string }>`
    select environment_id as "environmentId", id as "workflowRowId" from workflows where workflow_id = 'news'`.execute(
    db,
  )
).rows[0]!;

const savedRules = {
  pros: { in: [{ var: "subscriber.data.plan" }, ["pro", "5"]] },
  named: { or: [{ in: ["vip", { var: "audiences" }] }, { "!": { in: ["pros", { var: "audiences" }] } }] },
};
const ids = { vip: newId(), pros: newId(), named: newId(), a: newId(), b: newId() };

before(async () => {
  for (const audience of ["vip", "pros", "named"] as const) {
    const rule = audience === "vip" ? null : JSON.stringify(savedRules[audience]);
    await sql`insert into audiences (environment_id, id, audience_id, name, rule, created_at, updated_at)
      values (${environmentId}, ${ids[audience]}, ${audience}, ${audience}, ${rule}::jsonb, now(), now())`.execute(db);
  }
  for (const topic of ["a", "b"] as const)
    await sql`insert into topics (id, environment_id, key, created_at, updated_at)
      values (${ids[topic]}, ${environmentId}, ${topic}, now(), now())`.execute(db);
});

/** Replaces the people of the environment. */
async function writePeople(people: Person[]): Promise<string[]> {
  await sql`delete from subscribers where environment_id = ${environmentId}`.execute(db);
  const rowIds = people.map(() => newId());
  const rows = JSON.stringify(people.map((each, index) => ({ ...each, id: rowIds[index], key: `person-${index}` })));
  await sql`
    with given as (select p.* from jsonb_to_recordset(${rows}::jsonb) as p(id uuid, key text, "firstName" text,
      email text, locale text, data jsonb, "isOnline" boolean, "onlineAt" timestamptz, "readAt" timestamptz,
      "openedAt" timestamptz, topics text[], "isVip" boolean, global jsonb, news jsonb)),
    added as (insert into subscribers (id, environment_id, subscriber_id, first_name, email, locale, data, is_online,
        last_online_at, created_at, updated_at)
      select id, ${environmentId}, key, "firstName", email, locale, data, "isOnline", "onlineAt", ${now}, ${now}
      from given returning id),
    activity as (insert into subscriber_activity (subscriber_id, environment_id, last_read_at, last_opened_at)
      select id, ${environmentId}, "readAt", "openedAt" from given where "readAt" is not null or "openedAt" is not null),
    members as (insert into audience_members select ${environmentId}, ${ids.vip}, id from given where "isVip"),
    topics as (insert into topic_subscriptions (id, environment_id, topic_id, subscriber_id, identifier, created_at,
        updated_at)
      select gen_random_uuid(), ${environmentId}, t.id, g.id, g.key, now(), now() from given g
      join topics t on t.environment_id = ${environmentId} and t.key = any(g.topics))
    insert into subscriber_preferences (environment_id, subscriber_id, workflow_id, channels, created_at, updated_at)
    select ${environmentId}::uuid, id, null, global, now(), now() from given where global is not null
    union all select ${environmentId}::uuid, id, ${workflowRowId}::uuid, news, now(), now() from given where news is not null`.execute(
    db,
  );
  return rowIds;
}

/** What the interpreter knows of everyone, for all rules. */
async function factsOf(rowIds: string[]): Promise<Map<string, AudienceFacts>> {
  const rule = { or: fieldPaths.map((path) => ({ var: path })) };
  const audiences = await resolveAudiences(db, environmentId, ["vip", "pros", "named"]);
  return loadAudienceFacts(db, environmentId, { subscriberRowIds: rowIds, rule, audiences, now });
}

async function compare(rule: unknown, facts: Map<string, AudienceFacts>): Promise<void> {
  const condition = await conditionOfRule(db, environmentId, rule, now);
  const { rows } = await sql<{ id: string; is_in: boolean | null; found: boolean }>`
    select s.id, ${condition} as is_in from subscribers s where s.environment_id = ${environmentId}`.execute(db);
  assert.equal(rows.length, facts.size);
  for (const { id, is_in } of rows) {
    const person = facts.get(id)!;
    assert.equal(is_in, holds(rule, person), JSON.stringify({ rule, person }));
  }
}

async function newGroup(): Promise<Map<string, AudienceFacts>> {
  return factsOf(await writePeople(fc.sample(person, peopleInGroup)));
}

test(`${rulesToTry} random rules have the same people in SQL and for the interpreter`, async () => {
  for (let left = rulesToTry; left > 0; left -= rulesPerGroup) {
    const facts = await newGroup();
    const checked = fc.asyncProperty(rules, async (rule) => {
      fc.pre(checkRule(rule).faults.length === 0);
      await compare(rule, facts);
    });
    await fc.assert(checked, { numRuns: Math.min(left, rulesPerGroup), maxSkipsPerRun: 1_000, endOnFailure: false });
  }
});

test("every operator compares every pair of odd values as JavaScript does", async () => {
  // Two constants, so that one row says it for many pairs.
  await writePeople([fc.sample(person, 1)[0]!]);
  const pairs = constants.flatMap((a) => constants.map((b) => [a, b] as const));
  const functions = {
    "==": sql`audience_equals(a, b)`,
    "===": sql`audience_same(a, b)`,
    "<": sql`audience_before(a, b, false)`,
    "<=": sql`audience_before(a, b, true)`,
    in: sql`audience_in(a, b)`,
    contains: sql`audience_contains(a, b)`,
    beginsWith: sql`audience_begins(a, b)`,
    endsWith: sql`audience_ends(a, b)`,
  };
  for (const [operator, call] of Object.entries(functions)) {
    const { rows } = await sql<{ result: boolean }>`
      select ${call} as result from jsonb_array_elements(${JSON.stringify(pairs)}::jsonb) with ordinality as p(pair, place)
      cross join lateral (select pair -> 0 as a, pair -> 1 as b) as given order by place`.execute(db);
    for (const [index, [a, b]] of pairs.entries()) {
      const data = { a: structuredClone(a), b: structuredClone(b) };
      const expected = holds({ [operator]: [{ var: "a" }, { var: "b" }] }, data as unknown as AudienceFacts);
      assert.equal(rows[index]!.result, expected, `${JSON.stringify(a)} ${operator} ${JSON.stringify(b)}`);
    }
  }
});

test("rules that are written in unusual ways have the same people", async () => {
  const facts = await newGroup();
  for (const rule of oddRules) {
    assert.deepEqual(checkRule(rule).faults, [], JSON.stringify(rule));
    await compare(rule, facts);
  }
});
