// Fills the tables for the benchmarks of lists and of the dashboard: messages with their events and notifications, and
// subscribers with their memberships, straight into the tables, 40 messages a subscriber.
import type { Db } from "@tidings/server/source/store/db";
import { progress } from "@tidings/testkit/load/progress";
import { sql } from "kysely";
import { formatNumber } from "./table.ts";

export const messagesPerSubscriber = 40;
/** More than fit on one page. */
export const topicsPerSubscriber = 12;
/** Connections that fill the tables at the same time. */
export const loaders = 2;
const rowsPerStatement = 50_000;
const peoplePerStatement = 25_000;

/** So many messages with their subscribers and memberships, then statistics and the visibility map. */
export async function load(db: Db, workflowId: string, messages: number): Promise<void> {
  progress(`loading ${formatNumber(messages)} messages …`);
  await withoutIndexes(db, async () => {
    await loadPeople(db, workflowId, Math.ceil(messages / messagesPerSubscriber));
    await inSteps(messages, rowsPerStatement, async (start, end) => {
      await loadMessages(db, workflowId, { start, end, messages });
      if (start % 500_000 === 0 && start > 0) progress(`${formatNumber(start)} messages loaded`);
    });
  });
  progress("vacuum and analyze …");
  await sql`vacuum analyze`.execute(db);
}

/** Building an index of all rows takes a fraction of the time of adding them one by one. Primary keys stay. */
async function withoutIndexes(db: Db, work: () => Promise<void>): Promise<void> {
  const { rows } = await sql<{ name: string; definition: string }>`
    select c.relname as name, replace(pg_get_indexdef(c.oid), ' ON ONLY ', ' ON ') as definition
    from pg_index i join pg_class c on c.oid = i.indexrelid join pg_class t on t.oid = i.indrelid
    where t.relname in ('events', 'notifications', 'jobs', 'messages', 'topic_subscriptions')
      and not exists (select from pg_constraint k where k.conindid = i.indexrelid)`.execute(db);
  for (const { name } of rows) await sql`drop index ${sql.table(name)}`.execute(db);
  await work();
  for (const { name, definition } of rows) {
    progress(`building ${name} …`);
    await sql.raw(definition).execute(db);
  }
}

const subscriberIdOf = (number: string) => sql.raw(`md5('growth-' || ${number})::uuid`);

async function loadPeople(db: Db, workflowId: string, people: number): Promise<void> {
  const environment = sql`(select environment_id from workflows where id = ${workflowId})`;
  await sql`
    insert into subscribers (id, environment_id, subscriber_id, email, created_at, updated_at)
    select ${subscriberIdOf("s")}, ${environment}, 'growth-' || s, 'growth-' || s || '@example.com', now(), now()
    from generate_series(0, ${people}::int - 1) s`.execute(db);
  await sql`
    insert into topics (id, environment_id, key, name, created_at, updated_at)
    select gen_random_uuid(), ${environment}, 'growth-' || t, 'Growth', now(), now()
    from generate_series(1, ${topicsPerSubscriber}::int) t on conflict do nothing`.execute(db);
  await inSteps(people, peoplePerStatement, async (from, to) => {
    await sql`
      insert into topic_subscriptions (id, environment_id, topic_id, subscriber_id, identifier, created_at, updated_at)
      select uuidv7(), t.environment_id, t.id, ${subscriberIdOf("s")}, 'tk_' || t.key || ':si_growth-' || s, now(), now()
      from topics t, generate_series(${from}::int, ${to - 1}::int) s where t.key like 'growth-%'`.execute(db);
    progress(`memberships of ${formatNumber(to)} subscribers loaded`);
  });
}

/** Does `work` for 0..`count` (not included) in steps, several at once. */
async function inSteps(count: number, size: number, work: (from: number, to: number) => Promise<void>) {
  let next = 0;
  const one = async () => {
    while (next < count) {
      const start = next;
      next += size;
      await work(start, Math.min(count, start + size));
    }
  };
  await Promise.all(Array.from({ length: loaders }, one));
}

/**
 * Messages `start`..`end` (not included) of all, each with its event and notification. They are spread evenly over the
 * last 20 days and in turn over the subscribers; ids are UUIDv7 of their time.
 */
async function loadMessages(
  db: Db,
  workflowId: string,
  { start, end, messages }: { start: number; end: number; messages: number },
): Promise<void> {
  const id = (salt: number) =>
    sql.raw(`(hex || '7' || substr(tail, 1, 3) || '8' || substr(tail, 4, 14) || '${salt}')::uuid`);
  const subscribers = Math.ceil(messages / messagesPerSubscriber);
  await sql`
    with numbered as (
      select i, md5(i::text) as tail, w.environment_id, w.id as workflow_id, w.version_id,
             now() - interval '20 days' * (${messages} - i) / ${messages} as at, i % ${subscribers}::int as s
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
        finished_jobs, created_at, updated_at)
      select notification_id, environment_id, event_id, workflow_id, version_id, subscriber_id, 'none', false, '["in_app"]', at, at
      from made)
    insert into messages (id, environment_id, notification_id, event_id, job_id, subscriber_id, workflow_id, channel, provider_id,
      status, subject, content, created_at, updated_at)
    select notification_id, environment_id, notification_id, event_id, job_id, subscriber_id, workflow_id, 'in_app', 'svc', 'sent',
      'Order ' || i, 'Order ' || i || ' is on its way.', at, at from made`.execute(db);
}
