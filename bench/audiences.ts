// What rules of audiences cost among many subscribers: the time of a preview, which counts the people, reads ten of
// them and asks PostgreSQL for the plan, compared with counting all subscribers of the environment in one pass.

import { type Db, openDb } from "@tidings/server/source/store/db";
import { type Client, createClient } from "@tidings/testkit/client";
import { median } from "@tidings/testkit/load/figures";
import { progress } from "@tidings/testkit/load/progress";
import { sql } from "kysely";
import type { BenchService } from "./support.ts";
import { formatNumber, type Row, valueAtMost } from "./table.ts";

const field = (path: string) => ({ var: path });
const data = (name: string) => field(`subscriber.data.${name}`);

/** The rules that teams write. `aim`: milliseconds; a rule that reads everyone has none. */
const rules: { what: string; rule: object; aim?: number }[] = [
  { what: "one company of 10,000", rule: { "==": [data("company"), "c17"] }, aim: 500 },
  {
    what: "Pro in Germany, away for two weeks",
    rule: {
      and: [
        { "==": [data("plan"), "pro"] },
        { beginsWith: [field("subscriber.locale"), "de"] },
        { ">": [field("activity.daysSinceOnline"), 14] },
      ],
    },
    aim: 1_000,
  },
  { what: "a topic of 5,000", rule: { in: ["beta", field("topics")] }, aim: 500 },
  {
    what: "Pro and not in the topic",
    rule: { and: [{ "==": [data("plan"), "pro"] }, { "!": { in: ["beta", field("topics")] } }] },
    aim: 1_000,
  },
  { what: "three countries", rule: { in: [data("country"), ["DE", "AT", "CH"]] }, aim: 1_000 },
  { what: "created this month", rule: { ">": [field("subscriber.createdAt"), monthAgo()] }, aim: 1_000 },
  { what: "an email address", rule: { "==": [field("subscriber.email"), "p77@example.com"] }, aim: 100 },
  { what: "online in the last day, or never", rule: { "<": [field("activity.daysSinceOnline"), 1] } },
  { what: "more than 490 seats", rule: { ">": [data("seats"), 490] } },
];

function monthAgo(): string {
  return new Date(Date.now() - 30 * 86_400_000).toISOString();
}

export async function benchAudiences(service: BenchService, people: number, rounds: number): Promise<Row[]> {
  const db = openDb({ url: service.databaseUrl, poolSize: 2, statementMs: 1_800_000, onError: () => {} });
  const client = createClient({ baseUrl: service.url, apiKey: service.apiKey });
  try {
    const { environmentId } = (await client("files.export")).body;
    await prepare(db, environmentId, people);
    const wholePass = await medianMs(rounds, () => countAll(db, environmentId));
    const rows: Row[] = [];
    for (const { what, rule, aim } of rules) {
      const found = await preview(client, rule);
      const value = await medianMs(rounds, () => preview(client, rule));
      const { people: count, isEstimated } = found.count;
      rows.push({
        what: `audience, ${what}: ${isEstimated ? "about " : ""}${formatNumber(count)} people, cost ${found.cost.level}`,
        value,
        unit: "ms",
        beside: { what: `to count all ${formatNumber(people)}`, value: wholePass },
        ...(aim === undefined ? {} : { aim: valueAtMost(aim) }),
      });
    }
    return rows;
  } finally {
    await db.destroy();
  }
}

const preview = async (client: Client, rule: object) =>
  (await client("audiences.preview", { body: { rule: rule as never } })).body;

const countAll = (db: Db, environmentId: string) =>
  sql`select count(*) from subscribers where environment_id = ${environmentId}`.execute(db);

async function medianMs(rounds: number, work: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const begun = performance.now();
    await work();
    times.push(performance.now() - begun);
  }
  return median(times);
}

const perStatement = 100_000;

/** Without the indexes, ten million rows are written in a fraction of the time. Returns how to create them again. */
async function dropIndexes(db: Db): Promise<string[]> {
  const { rows } = await sql<{ name: string; definition: string }>`
    select indexname as name, indexdef as definition from pg_indexes i where i.tablename = 'subscribers'
      and not exists (select 1 from pg_constraint c where c.conname = i.indexname)`.execute(db);
  for (const { name } of rows) await sql`drop index ${sql.ref(name)}`.execute(db);
  return rows.map(({ definition }) => definition);
}

async function prepare(db: Db, environmentId: string, people: number): Promise<void> {
  const definitions = await dropIndexes(db);
  for (let from = 1; from <= people; from += perStatement) {
    progress(`${formatNumber(from - 1)} of ${formatNumber(people)} subscribers …`);
    await sql`
      insert into subscribers (id, environment_id, subscriber_id, first_name, email, locale, timezone, data,
        last_online_at, created_at, updated_at)
      select gen_random_uuid(), ${environmentId}, 'p-' || i, 'Name ' || i, 'p' || i || '@example.com',
        (array['de_DE', 'en_US', 'fr_FR', 'en_GB', 'es_ES', 'ja_JP', 'pt_BR', 'it_IT'])[1 + i % 8], 'Europe/Berlin',
        jsonb_build_object('plan', case when i / 8 % 10 = 9 then 'pro' else 'free' end, 'seats', i % 500,
          'country', (array['DE', 'US', 'FR', 'GB', 'ES', 'JP', 'BR', 'IT', 'PL', 'SE', 'NO', 'DK', 'FI', 'NL', 'BE',
            'CH', 'AT', 'CZ', 'HU', 'GR'])[1 + i % 20], 'company', 'c' || i % 10000),
        now() - random() * 60 * interval '1 day', now() - random() * 700 * interval '1 day', now()
      from generate_series(${from}::int, ${Math.min(people, from + perStatement - 1)}::int) i`.execute(db);
  }
  for (const definition of definitions) {
    progress(`${definition} …`);
    await sql.raw(definition).execute(db);
  }
  await sql`
    with beta as (insert into topics (id, environment_id, key, created_at, updated_at)
      values (gen_random_uuid(), ${environmentId}, 'beta', now(), now()) returning id)
    insert into topic_subscriptions (id, environment_id, topic_id, subscriber_id, identifier, created_at, updated_at)
    select gen_random_uuid(), ${environmentId}, beta.id, s.id, s.subscriber_id, now(), now()
    from beta, (select id, subscriber_id from subscribers where environment_id = ${environmentId} limit 5000) s`.execute(
    db,
  );
  await sql`vacuum analyze subscribers`.execute(db);
  await sql`analyze topic_subscriptions`.execute(db);
}
