// Do lists get slower as the tables grow? Loads messages straight into the tables, measures the list operations over
// HTTP at 100,000 and at 2,000,000 rows (40 messages a subscriber at both sizes, so that the answers have the same
// size), and checks that PostgreSQL read no large table sequentially on the way.
import { createClient } from "@tidings/contract";
import { sql } from "kysely";
import { type Db, openDb } from "../packages/server/src/store/db.ts";
import { type BenchService, progress } from "./support.ts";

const messagesPerSubscriber = 40;
const topicsPerSubscriber = 20;
const warmUp = 200;

export type GrowthOptions = { small: number; large: number; requests: number };
type Timing = { p50: number; p99: number };
export type GrowthResult = { list: string; small: Timing; large: Timing; ratio: number }[];

export async function benchGrowth(service: BenchService, options: GrowthOptions): Promise<GrowthResult> {
  const client = createClient({ baseUrl: service.url, apiKey: service.apiKey });
  const db = openDb({ url: service.databaseUrl, poolSize: 2, onError: () => {} });
  try {
    const { body: workflow } = await client("workflows.retrieve", { params: { workflowId: "welcome" }, query: {} });
    progress(`loading ${options.small.toLocaleString("en")} messages …`);
    await load(db, workflow._id, 0, options.small);
    const small = await measure(service, db, options.small, options.requests);
    progress(`loading up to ${options.large.toLocaleString("en")} messages …`);
    const step = 200_000;
    for (let from = options.small; from < options.large; from += step) {
      await load(db, workflow._id, from, Math.min(options.large, from + step));
      progress(`${Math.min(options.large, from + step).toLocaleString("en")} messages loaded`);
    }
    const large = await measure(service, db, options.large, options.requests);
    return Object.keys(small).map((list) => ({
      list,
      small: small[list]!,
      large: large[list]!,
      ratio: large[list]!.p50 / small[list]!.p50,
    }));
  } finally {
    await db.destroy();
  }
}

/** Rows `from`..`to`: an event, a notification, a job and a message each, spread over the last 20 days. */
async function load(db: Db, workflowId: string, from: number, to: number): Promise<void> {
  // A UUIDv7 whose time is `at` and whose tail comes from the row number and a salt.
  const id = (salt: string) =>
    sql.raw(`
    (substr(hex, 1, 8) || '-' || substr(hex, 9, 4) || '-7' || substr(md5(i || '${salt}'), 1, 3) || '-8'
      || substr(md5(i || '${salt}'), 4, 3) || '-' || substr(md5(i || '${salt}'), 7, 12))::uuid`);
  await sql`
    insert into subscribers (id, environment_id, subscriber_id, email, created_at, updated_at)
    select gen_random_uuid(), w.environment_id, 'growth-' || s, 'growth-' || s || '@example.com', now(), now()
    from generate_series(${Math.floor(from / messagesPerSubscriber)}::int, ${Math.ceil(to / messagesPerSubscriber) - 1}::int) s,
         workflows w where w.id = ${workflowId}
    on conflict do nothing`.execute(db);
  await sql`drop table if exists growth_rows`.execute(db);
  await sql`
    create unlogged table growth_rows as
    select r.i, r.at, r.hex, ${id("e")} as event_id, ${id("n")} as notification_id, ${id("j")} as job_id, ${id("m")} as message_id,
           s.id as subscriber_id, w.environment_id, w.id as workflow_id, w.version_id
    from (select i, at, lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') as hex
          from (select i, now() - interval '20 days' * (1 - (hashint4(i)::bigint + 2147483648) / 4294967296.0) as at
                from generate_series(${from}::int, ${to - 1}::int) i) spread) r
    join workflows w on w.id = ${workflowId}
    join subscribers s on s.environment_id = w.environment_id and s.subscriber_id = 'growth-' || (r.i / ${messagesPerSubscriber})
  `.execute(db);
  await sql`insert into events (id, environment_id, transaction_id, workflow_id, workflow_version_id, payload, recipients, created_at)
    select event_id, environment_id, 'growth-' || i, workflow_id, version_id, jsonb_build_object('order', i), '[]', at from growth_rows
  `.execute(db);
  await sql`insert into notifications (id, environment_id, event_id, workflow_id, workflow_version_id, subscriber_id, severity,
      critical, created_at, updated_at)
    select notification_id, environment_id, event_id, workflow_id, version_id, subscriber_id, 'none', false, at, at from growth_rows
  `.execute(db);
  await sql`insert into jobs (id, environment_id, notification_id, step_index, type, status, details, updated_at)
    select job_id, environment_id, notification_id, 0, 'in_app', 'completed', '[]', at from growth_rows`.execute(db);
  await sql`insert into messages (id, environment_id, notification_id, event_id, job_id, subscriber_id, workflow_id, channel,
      provider_id, status, subject, content, created_at, updated_at)
    select message_id, environment_id, notification_id, event_id, job_id, subscriber_id, workflow_id, 'in_app', 'svc', 'sent',
      'Order ' || i, 'Order ' || i || ' is on its way.', at, at from growth_rows`.execute(db);
  await sql`drop table growth_rows`.execute(db);
  // Everyone is a member of 20 topics, as many as fill two pages.
  await sql`
    insert into topics (id, environment_id, key, name, created_at, updated_at)
    select gen_random_uuid(), w.environment_id, 'growth-' || t, 'Growth', now(), now()
    from generate_series(1, ${topicsPerSubscriber}::int) t, workflows w where w.id = ${workflowId} on conflict do nothing`.execute(
    db,
  );
  await sql`
    insert into topic_subscriptions (id, environment_id, topic_id, subscriber_id, identifier, created_at, updated_at)
    select gen_random_uuid(), s.environment_id, t.id, s.id, 'tk_' || t.key || ':si_' || s.subscriber_id, now(), now()
    from topics t join subscribers s on s.environment_id = t.environment_id
    where t.key like 'growth-%' and s.subscriber_id like 'growth-%'
      and not exists (select 1 from topic_subscriptions x where x.topic_id = t.id and x.subscriber_id = s.id)`.execute(
    db,
  );
}

async function measure(service: BenchService, db: Db, rows: number, requests: number): Promise<Record<string, Timing>> {
  await sql`vacuum analyze`.execute(db);
  const subscribers = Math.floor(rows / messagesPerSubscriber);
  const lists: Record<string, (i: number) => string> = {
    feed: (i) => `/v1/subscribers/growth-${(i * 7919) % subscribers}/notifications/feed`,
    "messages of a subscriber": (i) => `/v1/messages?subscriberId=growth-${(i * 7919) % subscribers}`,
    "messages of a transaction": (i) => `/v1/messages?transactionId=growth-${(i * 7919) % rows}`,
    "messages, newest": () => "/v1/messages",
    "notifications, newest": () => "/v1/notifications",
    "notifications of a subscriber": (i) => `/v1/notifications?subscriberIds=growth-${(i * 7919) % subscribers}`,
    "subscriptions of a subscriber": (i) => `/v2/subscribers/growth-${(i * 7919) % subscribers}/subscriptions`,
    "subscriptions of a topic": (i) => `/v2/topics/growth-${(i % topicsPerSubscriber) + 1}/subscriptions`,
    "notifications of a transaction": (i) => `/v1/notifications?transactionId=growth-${(i * 7919) % rows}`,
  };
  const scansBefore = await sequentialScans(db);
  const result: Record<string, Timing> = {};
  for (const [name, path] of Object.entries(lists)) {
    const times: number[] = [];
    for (let i = 0; i < warmUp + requests; i++) {
      const started = performance.now();
      const response = await fetch(`${service.url}${path(i)}`, {
        headers: { authorization: `ApiKey ${service.apiKey}` },
      });
      const body = (await response.json()) as { data: unknown[] };
      if (response.status !== 200 || body.data.length === 0)
        throw new Error(`${path(i)} answered ${response.status}, empty or not`);
      if (i >= warmUp) times.push(performance.now() - started);
    }
    times.sort((a, b) => a - b);
    result[name] = { p50: times[Math.floor(times.length * 0.5)]!, p99: times[Math.floor(times.length * 0.99)]! };
    progress(
      `${rows.toLocaleString("en")} rows, ${name}: p50 ${result[name].p50.toFixed(1)} ms, p99 ${result[name].p99.toFixed(1)} ms`,
    );
  }
  const scanned = await sequentialScans(db);
  const grown = Object.entries(scanned).filter(([table, scans]) => scans > (scansBefore[table] ?? 0));
  if (grown.length > 0) throw new Error(`sequential scans while listing: ${grown.map(([table]) => table).join(", ")}`);
  return result;
}

/** Sequential scans of partitions with rows; PostgreSQL always scans empty ones sequentially. */
async function sequentialScans(db: Db): Promise<Record<string, number>> {
  await sql`select pg_stat_force_next_flush()`.execute(db);
  const { rows } = await sql<{ relname: string; seq_scan: number }>`
    select relname, seq_scan from pg_stat_user_tables
    where schemaname = 'public' and n_live_tup > 1000 and relname ~ '^(events|notifications|jobs|messages|subscribers|topic_subscriptions)'`.execute(
    db,
  );
  return Object.fromEntries(rows.map((row) => [row.relname, row.seq_scan]));
}
