// Do lists get slower as the tables grow? Loads messages straight into the tables, measures the list operations over HTTP at
// 100,000 and at 10,000,000 rows (40 messages a subscriber at both sizes, so that the answers have the same size), and counts
// the large tables that PostgreSQL read sequentially on the way. Loading ten million takes minutes and about 15 GB.
import { createClient } from "@tidings/contract";
import { sql } from "kysely";
import { type Db, openDb } from "../packages/server/src/store/db.ts";
import { type BenchService, median, percentile, progress } from "./support.ts";
import { formatNumber, type Row, ratioAtMost, valueAtMost } from "./table.ts";

const messagesPerSubscriber = 40;
/** More than fit on one page. */
const topicsPerSubscriber = 12;
const warmUp = 100;
const passes = 3;
const loaders = 2;
const rowsPerStatement = 50_000;
const peoplePerStatement = 25_000;

type Timing = { p50: number; p99: number };
type Measured = { lists: Record<string, Timing>; scans: string[] };

export async function benchGrowth(
  service: BenchService,
  { large, requests }: { large: number; requests: number },
): Promise<Row[]> {
  const small = Math.min(100_000, large / 2);
  const client = createClient({ baseUrl: service.url, apiKey: service.apiKey });
  const db = openDb({ url: service.databaseUrl, poolSize: loaders, statementMs: 1_800_000, onError: () => {} });
  try {
    const { body: workflow } = await client("workflows.retrieve", { params: { workflowId: "welcome" }, query: {} });
    await load(db, workflow._id, 0, small);
    const before = await measure(service, db, small, requests);
    await load(db, workflow._id, small, large);
    const after = await measure(service, db, large, requests);
    const scans = [...new Set([...before.scans, ...after.scans])];
    return [
      ...Object.entries(after.lists).map(([list, { p50, p99 }]) => toRow(list, large, small, p50, p99, before)),
      {
        what: "growth, large tables read sequentially by lists",
        value: scans.length,
        unit: "",
        aim: valueAtMost(0),
        ...(scans.length > 0 ? { note: scans.join(", ") } : {}),
      },
    ];
  } finally {
    await db.destroy();
  }
}

function toRow(list: string, large: number, small: number, p50: number, p99: number, before: Measured): Row {
  const old = before.lists[list]!;
  const medians = `p50 ${formatNumber(old.p50)} → ${formatNumber(p50)} ms`;
  return {
    what: `growth, ${list}, p99 with ${formatNumber(large)} messages (${medians})`,
    value: p99,
    unit: "ms",
    beside: { what: `with ${formatNumber(small)}`, value: old.p99 },
    ratio: p99 / old.p99,
    aim: ratioAtMost(1.5),
  };
}

/** Rows `from`..`to` with their subscribers and memberships. */
export async function load(db: Db, workflowId: string, from: number, to: number): Promise<void> {
  progress(`loading ${formatNumber(to)} messages …`);
  const first = Math.floor(from / messagesPerSubscriber);
  const last = Math.ceil(to / messagesPerSubscriber) - 1;
  await loadPeople(db, workflowId, first, last);
  await inSteps(from, to, rowsPerStatement, async (start, end) => {
    await loadMessages(db, workflowId, { start, end, from, to });
    if (start % 500_000 === 0 && start > from) progress(`${formatNumber(start)} messages loaded`);
  });
}

const subscriberIdOf = (number: string) => sql.raw(`md5('growth-' || ${number})::uuid`);

async function loadPeople(db: Db, workflowId: string, first: number, last: number): Promise<void> {
  const environment = sql`(select environment_id from workflows where id = ${workflowId})`;
  await sql`
    insert into subscribers (id, environment_id, subscriber_id, email, created_at, updated_at)
    select ${subscriberIdOf("s")}, ${environment}, 'growth-' || s, 'growth-' || s || '@example.com', now(), now()
    from generate_series(${first}::int, ${last}::int) s`.execute(db);
  await sql`
    insert into topics (id, environment_id, key, name, created_at, updated_at)
    select gen_random_uuid(), ${environment}, 'growth-' || t, 'Growth', now(), now()
    from generate_series(1, ${topicsPerSubscriber}::int) t on conflict do nothing`.execute(db);
  await inSteps(first, last + 1, peoplePerStatement, async (from, to) => {
    await sql`
      insert into topic_subscriptions (id, environment_id, topic_id, subscriber_id, identifier, created_at, updated_at)
      select uuidv7(), t.environment_id, t.id, ${subscriberIdOf("s")}, 'tk_' || t.key || ':si_growth-' || s, now(), now()
      from topics t, generate_series(${from}::int, ${to - 1}::int) s where t.key like 'growth-%'`.execute(db);
    progress(`memberships of ${formatNumber(to)} subscribers loaded`);
  });
}

/** Loads `from`..`to` (not included) in steps, several at once. */
async function inSteps(from: number, to: number, size: number, work: (from: number, to: number) => Promise<void>) {
  let next = from;
  const one = async () => {
    while (next < to) {
      const start = next;
      next += size;
      await work(start, Math.min(to, start + size));
    }
  };
  await Promise.all(Array.from({ length: loaders }, one));
}

/**
 * Messages `start`..`end` (not included) of the load `from`..`to`, each with its event, notification and job. They are spread evenly over the
 * last 20 days and in turn over the subscribers of the load; ids are UUIDv7 of their time.
 */
async function loadMessages(
  db: Db,
  workflowId: string,
  { start, end, from, to }: { start: number; end: number; from: number; to: number },
): Promise<void> {
  const id = (salt: number) =>
    sql.raw(`(hex || '7' || substr(tail, 1, 3) || '8' || substr(tail, 4, 14) || '${salt}')::uuid`);
  const first = Math.floor(from / messagesPerSubscriber);
  const subscribers = Math.ceil(to / messagesPerSubscriber) - first;
  await sql`
    with numbered as (
      select i, md5(i::text) as tail, w.environment_id, w.id as workflow_id, w.version_id,
             now() - interval '20 days' * (${to} - i) / ${to - from} as at, ${first}::int + (i - ${from}::int) % ${subscribers}::int as s
      from generate_series(${start}::int, ${end - 1}::int) i, workflows w where w.id = ${workflowId}),
    made as materialized (
      select n.*, ${subscriberIdOf("s")} as subscriber_id, ${id(1)} as event_id, ${id(2)} as notification_id, ${id(3)} as job_id
      from numbered n, lateral (select lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') as hex) h),
    of_events as (
      insert into events (id, environment_id, transaction_id, workflow_id, workflow_version_id, payload, recipients, created_at)
      select event_id, environment_id, 'growth-' || i, workflow_id, version_id, jsonb_build_object('order', i), '[]', at from made),
    of_transactions as (
      insert into transaction_ids (environment_id, transaction_id, event_id)
      select environment_id, 'growth-' || i, event_id from made),
    of_notifications as (
      insert into notifications (id, environment_id, event_id, workflow_id, workflow_version_id, subscriber_id, severity, critical,
        created_at, updated_at)
      select notification_id, environment_id, event_id, workflow_id, version_id, subscriber_id, 'none', false, at, at from made),
    of_jobs as (
      insert into jobs (id, environment_id, notification_id, step_index, type, status, details, updated_at)
      select job_id, environment_id, notification_id, 0, 'in_app', 'completed', '[]', at from made)
    insert into messages (id, environment_id, notification_id, event_id, job_id, subscriber_id, workflow_id, channel, provider_id,
      status, subject, content, created_at, updated_at)
    select notification_id, environment_id, notification_id, event_id, job_id, subscriber_id, workflow_id, 'in_app', 'svc', 'sent',
      'Order ' || i, 'Order ' || i || ' is on its way.', at, at from made`.execute(db);
}

async function measure(service: BenchService, db: Db, rows: number, requests: number): Promise<Measured> {
  progress("vacuum and analyze …");
  await sql`vacuum analyze`.execute(db);
  const subscribers = Math.floor(rows / messagesPerSubscriber);
  const subscriber = (i: number) => `growth-${(i * 7919) % subscribers}`;
  const transaction = (i: number) => `growth-${(i * 7919) % rows}`;
  const lists: Record<string, (i: number) => string> = {
    feed: (i) => `/v1/subscribers/${subscriber(i)}/notifications/feed`,
    "messages of a subscriber": (i) => `/v1/messages?subscriberId=${subscriber(i)}`,
    "messages of a transaction": (i) => `/v1/messages?transactionId=${transaction(i)}`,
    "messages, newest": () => "/v1/messages",
    "notifications, newest": () => "/v1/notifications",
    "notifications of a subscriber": (i) => `/v1/notifications?subscriberIds=${subscriber(i)}`,
    "notifications of a transaction": (i) => `/v1/notifications?transactionId=${transaction(i)}`,
    subscribers: () => "/v2/subscribers",
    "subscriptions of a subscriber": (i) => `/v2/subscribers/${subscriber(i)}/subscriptions`,
    "subscriptions of a topic": (i) => `/v2/topics/growth-${(i % topicsPerSubscriber) + 1}/subscriptions`,
  };
  const scansBefore = await sequentialScans(db);
  const passesOf: Record<string, Timing[]> = {};
  // Other work of the machine disturbs a whole pass: the median of the passes leaves it out.
  for (let pass = 0; pass < passes; pass++) {
    for (const [name, path] of Object.entries(lists)) {
      const times: number[] = [];
      for (let i = 0; i < warmUp + requests; i++) {
        const ms = await timeRequest(service, path(pass * requests + i));
        if (i >= warmUp) times.push(ms);
      }
      const timing = { p50: percentile(times, 0.5), p99: percentile(times, 0.99) };
      passesOf[name] = [...(passesOf[name] ?? []), timing];
      progress(`${name}: p50 ${formatNumber(timing.p50)} ms, p99 ${formatNumber(timing.p99)} ms`);
    }
  }
  const timings = Object.fromEntries(
    Object.entries(passesOf).map(([name, all]) => [
      name,
      { p50: median(all.map(({ p50 }) => p50)), p99: median(all.map(({ p99 }) => p99)) },
    ]),
  );
  const scanned = await sequentialScans(db);
  const grown = Object.entries(scanned).filter(([table, scans]) => scans > (scansBefore[table] ?? 0));
  return { lists: timings, scans: grown.map(([table]) => table) };
}

async function timeRequest(service: BenchService, path: string): Promise<number> {
  const started = performance.now();
  const response = await fetch(`${service.url}${path}`, { headers: { authorization: `ApiKey ${service.apiKey}` } });
  const body = (await response.json()) as { data: unknown[] };
  if (response.status !== 200 || body.data.length === 0)
    throw new Error(`${path} answered ${response.status} or an empty list`);
  return performance.now() - started;
}

/** Sequential scans of partitions with rows; PostgreSQL always scans empty ones sequentially. */
async function sequentialScans(db: Db): Promise<Record<string, number>> {
  await sql`select pg_stat_force_next_flush()`.execute(db);
  const { rows } = await sql<{ relname: string; seq_scan: number }>`
    select relname, seq_scan from pg_stat_user_tables
    where schemaname = 'public' and n_live_tup > 1000
      and relname ~ '^(events|notifications|jobs|messages|subscribers|topic_subscriptions|list_counts)'`.execute(db);
  return Object.fromEntries(rows.map((row) => [row.relname, row.seq_scan]));
}
