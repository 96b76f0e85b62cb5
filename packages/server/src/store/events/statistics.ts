// Statistics of an hour, counted from the rows themselves. Ids are in the order of time and the keys of both tables
// begin with the environment, so an hour of an environment is a range of the key.
import { type Channel, channels, rollUpWorkflowId } from "@tidings/contract";
import { type RawBuilder, sql } from "kysely";
import { firstIdAt, isUuid, timeOfId } from "../../lib/ids.ts";
import { rowsOf } from "../bulk.ts";
import type { Db } from "../db.ts";
import { skippedJobs } from "./finished-jobs.ts";

export const hourMs = 3_600_000;

/** Upper bounds in ms of the classes of latency; the last class has none. */
export const latencyBounds = [100, 250, 500, 1_000, 2_500, 5_000, 10_000, 30_000, 60_000, 300_000] as const;

const has = (name: string) => sql`j.details @> ${JSON.stringify([{ d: name }])}::jsonb`;
const isOpened = sql`case when m.channel = 'in_app' then coalesce(m.read_at, m.last_read_at) is not null else ${has("opened")} or ${has("clicked")} end`;
export const isDelivered = sql`m.channel = 'in_app' or ${has("delivered")} or ${has("opened")} or ${has("clicked")}`;

/**
 * Nothing could be addressed, so its step was skipped, and counts as that. A job without a row has not failed
 * (finished-jobs.ts).
 */
export const isUnaddressed = sql`coalesce(m.error_id like 'subscriber\\_missing\\_%' and j.status is distinct from 'failed', false)`;

/** A failure that a provider had a part in. All others happened before one was called. */
const isRefused = sql`m.status in ('error', 'warning') and j.details @? '$[*] ? (@.d == "provider_error" || @.d == "recipient_refused" || @.d == "dead_letter"
  || @.d == "all_chats_failed" || @.d == "all_devices_failed" || @.d == "bounced" || @.d == "dropped" || @.d == "rejected"
  || @.d == "blocked")'`;

/** The message failed after its provider had accepted it: a report said so (pipeline/deliver/receipt-rules.ts). */
export const isAccepted = sql`coalesce(m.error_id in ('provider_bounced', 'provider_rejected') and ${has("message_sent")}, false)`;

/** From the message to the response of its provider. In-app messages arrive immediately. */
export const latencyMs = sql`(case when (m.status = 'sent' or ${isAccepted}) and m.channel <> 'in_app' then
  (jsonb_path_query_first(j.details, '$[*] ? (@.d == "message_sent").t') #>> '{}')::float8
    - extract(epoch from m.created_at) * 1000 end)`;

export const latencyClasses = sql.join(
  [...latencyBounds, null].map((bound, index) => {
    const lower = latencyBounds[index - 1];
    const above = lower === undefined ? sql`f.ms < ${sql.lit(bound)}` : sql`f.ms >= ${sql.lit(lower)}`;
    const below = bound === null ? sql`true` : sql`f.ms < ${sql.lit(bound)}`;
    return sql`count(*) filter (where ${above} and ${below})`;
  }),
);

const figures = sql`
  (count(*) filter (where f.status = 'sent'))::int as sent,
  (count(*) filter (where f.status = 'sent' and f.is_delivered))::int as delivered,
  (count(*) filter (where f.status = 'sent' and f.is_opened))::int as opened,
  (count(*) filter (where f.status in ('error', 'warning') and not f.is_unaddressed))::int as failed,
  (count(*) filter (where f.is_refused))::int as refused,
  (count(*) filter (where f.status in ('error', 'warning') and not f.is_unaddressed and not f.is_accepted))::int
    as unaccepted`;

/**
 * A message that waited for a place in the attention budget. Its step was not skipped, and counts as such a row with
 * this reason. A roll-up that waits does not count.
 */
export const delayedReason = "attention_delayed";
const isDelayed = sql`s.details @> ${JSON.stringify([{ d: delayedReason }])}::jsonb and not exists (
  select from workflows w where w.id = n.workflow_id and w.workflow_id = ${rollUpWorkflowId})`;

/** All attempts are read, up to a limit, so that one request reads no more of them than it may. */
const isFailedAttempt = sql`and p.outcome <> 'accepted'`;

/** Hours are counted for the last time within two days. */
export const deletedMessagesMs = 3 * 24 * hourMs;

export type DeletedMessage = {
  id: string;
  environment_id: string;
  notification_id: string;
  job_id: string;
  workflow_id: string;
  channel: string;
  provider_id: string | null;
  status: string;
  error_id: string | null;
  read_at: Date | null;
  last_read_at: Date | null;
};

const deletedColumns = {
  environment_id: "uuid",
  notification_id: "uuid",
  job_id: "uuid",
  workflow_id: "uuid",
  channel: "text",
  provider_id: "text",
  status: "text",
  error_id: "text",
  read_at: "timestamptz",
  last_read_at: "timestamptz",
  hour: "timestamptz",
};

/** Keeps the figures of messages that are deleted: what was sent counts in the hour in which it was sent. */
export async function countDeletedMessages(db: Db, messages: DeletedMessage[], now: Date): Promise<void> {
  const recent = messages.flatMap((message) => {
    const time = timeOfId(message.id);
    if (time < now.getTime() - deletedMessagesMs || message.status === "pending") return [];
    return [{ ...message, hour: new Date(Math.floor(time / hourMs) * hourMs) }];
  });
  if (recent.length === 0) return;
  await sql`
    insert into deleted_messages as t
      (environment_id, hour, workflow_id, channel, provider_id, sent, delivered, opened, failed, refused,
        unaccepted)
    select f.environment_id, f.hour, f.workflow_id, f.channel, f.provider_id, ${figures}
    from (
      select m.environment_id, m.hour, m.workflow_id, m.channel, coalesce(m.provider_id, '') as provider_id, m.status,
        ${isDelivered} as is_delivered, ${isOpened} as is_opened, ${isRefused} as is_refused,
        ${isUnaddressed} as is_unaddressed, ${isAccepted} as is_accepted
      from ${rowsOf("m", deletedColumns, recent)} left join lateral (
        select b.details, b.status from jobs b where b.environment_id = m.environment_id
          and b.notification_id = m.notification_id and b.id = m.job_id offset 0) as j on true offset 0) as f
    group by f.environment_id, f.hour, f.workflow_id, f.channel, f.provider_id
    order by f.environment_id, f.hour, f.workflow_id, f.channel, f.provider_id
    on conflict (environment_id, hour, workflow_id, channel, provider_id) do update set
      sent = t.sent + excluded.sent, delivered = t.delivered + excluded.delivered, opened = t.opened + excluded.opened,
      failed = t.failed + excluded.failed, refused = t.refused + excluded.refused,
      unaccepted = t.unaccepted + excluded.unaccepted`.execute(db);
}

/**
 * Jobs are looked up by key: `offset 0` keeps the planner from joining, which reads all jobs of all months
 * (store/keys.ts). Behind the figures of a message it keeps them from being computed once for each class of latency.
 * Attempts that failed are their own rows, with the provider that was called, which may be another than that of the
 * message. The figures of one environment (a value or a column) and hour. `limit`: messages and jobs that are read at
 * the most; null for all of them.
 */
export function hourOf(environment: RawBuilder<unknown>, hour: Date, limit: number | null): RawBuilder<unknown> {
  const from = firstIdAt(hour);
  const to = firstIdAt(new Date(hour.getTime() + hourMs));
  return sql`
    select workflow_id, channel, provider_id, '' as reason,
      coalesce(k.sent, 0) + coalesce(d.sent, 0) as sent, coalesce(k.delivered, 0) + coalesce(d.delivered, 0) as delivered,
      coalesce(k.opened, 0) + coalesce(d.opened, 0) as opened, coalesce(k.failed, 0) + coalesce(d.failed, 0) as failed,
      coalesce(k.refused, 0) + coalesce(d.refused, 0) as refused,
      coalesce(k.unaccepted, 0) + coalesce(d.unaccepted, 0) as unaccepted,
      0 as skipped, coalesce(k.latency, '{}') as latency, 0 as failed_attempts
    from (
      select f.workflow_id, f.channel, f.provider_id, ${figures}, array[${latencyClasses}]::int[] as latency
      from (
      select m.workflow_id, m.channel, coalesce(m.provider_id, '') as provider_id, m.status,
        ${isDelivered} as is_delivered, ${isOpened} as is_opened, ${isRefused} as is_refused,
        ${isUnaddressed} as is_unaddressed, ${isAccepted} as is_accepted, ${latencyMs} as ms
      from (
        select * from messages a where a.environment_id = ${environment} and a.id >= ${from} and a.id < ${to}
        order by a.id desc limit ${limit}) as m
      left join lateral (
        select b.details, b.status from jobs b where b.environment_id = m.environment_id and b.notification_id = m.notification_id
          and b.id = m.job_id and m.channel <> 'in_app' offset 0) as j on true offset 0) as f
      group by 1, 2, 3) as k
    full join (
      select * from deleted_messages where environment_id = ${environment} and hour = ${hour}) as d
      using (workflow_id, channel, provider_id)
    union all
    select m.workflow_id, m.channel, i.provider_id, '', 0, 0, 0, 0, 0, 0, 0, '{}'::int[], count(*)::int
    from (
      select p.message_id, p.integration_id, p.outcome from attempts p
      where p.environment_id = ${environment} and p.message_id >= ${from} and p.message_id < ${to} and p.id >= ${from}
        ${limit === null ? isFailedAttempt : sql``}
      order by p.message_id desc limit ${limit}) as a
    cross join lateral (
      select b.workflow_id, b.channel from messages b where b.environment_id = ${environment} and b.id = a.message_id
      offset 0) as m
    join integrations i on i.id = a.integration_id
    where a.outcome <> 'accepted'
    group by 1, 2, 3
    union all
    select k.workflow_id, k.type, '', k.reason, 0, 0, 0, 0, 0, 0, count(*)::int, '{}'::int[], 0
    from (
      select n.workflow_id, s.type, case when s.status <> 'skipped' then ${delayedReason}
        else coalesce(s.details->-1->>'d', 'unknown') end as reason
      from (
        select c.environment_id, c.notification_id, c.type, c.details, c.status from jobs c
        where c.environment_id = ${environment} and c.notification_id >= ${from} and c.notification_id < ${to}
        order by c.notification_id desc limit ${limit}) as s
      join notifications n on n.environment_id = s.environment_id and n.id = s.notification_id
      where s.status = 'skipped' or (${isDelayed})
      union all
      select n.workflow_id, s.type, s.reason
      from (
        select f.workflow_id, f.finished_jobs from notifications f
        where f.environment_id = ${environment} and f.id >= ${from} and f.id < ${to} and f.finished_jobs is not null
        order by f.id desc limit ${limit}) as n
      cross join lateral ${skippedJobs} as s) as k
    where k.type = any(${[...channels]}::text[])
    group by 1, 2, 3, 4`;
}

export type StatisticsRow = {
  bucket: Date;
  reason: string;
  sent: number;
  delivered: number;
  opened: number;
  failed: number;
  refused: number;
  /** Messages that a capture provider accepted, which nobody gets: `sent` does not count them. */
  captured: number;
  skipped: number;
  latency: number[];
  failed_attempts: number;
};

export type StatisticsFilters = { workflowId?: string; channel?: string; providerId?: string };

/** What is summed. `captures` as in `sumsOf`. */
type Range = { from: Date; to: Date; captures: readonly string[] };

function matches(environmentId: string, { workflowId, channel, providerId }: StatisticsFilters): RawBuilder<unknown> {
  const conditions = [sql`true`];
  if (workflowId !== undefined) {
    const isInternal = isUuid(workflowId) ? sql`or w.id = ${workflowId}` : sql``;
    conditions.push(sql`h.workflow_id in (select w.id from workflows w
      where w.environment_id = ${environmentId} and (w.workflow_id = ${workflowId} ${isInternal}))`);
  }
  if (channel !== undefined) conditions.push(sql`h.channel = ${channel}`);
  // A step that was skipped has not chosen a provider.
  if (providerId !== undefined) conditions.push(sql`h.provider_id = ${providerId}`);
  return sql.join(conditions, sql` and `);
}

/** `captures`: the providers that keep messages instead of sending them. Rows count those as sent. */
function sumsOf(captures: readonly string[]): RawBuilder<unknown> {
  const isSent = sql`h.provider_id <> all(${captures}::text[])`;
  const classes = [...latencyBounds, null].map(
    (_, index) => sql`coalesce(sum(h.latency[${sql.lit(index + 1)}]) filter (where ${isSent}), 0)`,
  );
  return sql`coalesce(sum(h.sent) filter (where ${isSent}), 0)::int as sent,
    coalesce(sum(h.sent) filter (where not (${isSent})), 0)::int as captured,
    sum(h.delivered)::int as delivered, sum(h.opened)::int as opened, sum(h.failed)::int as failed,
    sum(coalesce(h.refused, h.failed))::int as refused, sum(h.skipped)::int as skipped,
    sum(h.failed_attempts)::int as failed_attempts, array[${sql.join(classes)}]::int[] as latency`;
}

/** The identifier and name of these workflows, deleted ones left out. */
export async function findWorkflowNames(
  db: Db,
  environmentId: string,
  ids: string[],
): Promise<Map<string, { workflow_id: string; name: string }>> {
  const { rows } = await sql<{ id: string; workflow_id: string; name: string }>`
    select id, workflow_id, name from workflows
    where environment_id = ${environmentId} and deleted_at is null and id = any(${ids}::uuid[])`.execute(db);
  return new Map(rows.map((row) => [row.id, row]));
}

/** Hours that have been counted, summed by hour or by day (UTC). */
export async function sumHours(
  db: Db,
  environmentId: string,
  filters: StatisticsFilters,
  { from, to, captures, granularity }: Range & { granularity: "hour" | "day" },
): Promise<StatisticsRow[]> {
  const { rows } = await sql<StatisticsRow>`
    select date_trunc(${granularity}, h.hour, 'UTC') as bucket, h.reason, ${sumsOf(captures)} from statistics_hours h
    where h.environment_id = ${environmentId} and h.hour >= ${from} and h.hour < ${to}
      and ${matches(environmentId, filters)}
    group by 1, 2`.execute(db);
  return rows;
}

/** Figures of one workflow, channel, provider and reason; without a reason those of messages. */
export type DimensionRow = StatisticsRow & { workflow_id: string; channel: Channel; provider_id: string };

const dimensions = sql`h.workflow_id, h.channel, h.provider_id, h.reason`;

/** Hours that have been counted, summed over the whole range, at most `limit` rows: those with the most messages. */
export async function sumDimensions(
  db: Db,
  environmentId: string,
  filters: StatisticsFilters,
  { from, to, captures, limit }: Range & { limit: number },
): Promise<DimensionRow[]> {
  const { rows } = await sql<DimensionRow>`
    select ${from}::timestamptz as bucket, ${dimensions}, ${sumsOf(captures)} from statistics_hours h
    where h.environment_id = ${environmentId} and h.hour >= ${from} and h.hour < ${to}
      and ${matches(environmentId, filters)}
    group by ${dimensions} order by sum(h.sent + h.failed + h.skipped + h.failed_attempts) desc limit ${limit}`.execute(
    db,
  );
  return rows;
}

/** An hour that has not been counted, from at most `limit` messages and jobs of it, the newest. */
export async function sumLiveHour(
  db: Db,
  environmentId: string,
  filters: StatisticsFilters,
  { hour, captures, limit }: { hour: Date; captures: readonly string[]; limit: number },
): Promise<DimensionRow[]> {
  const { rows } = await sql<DimensionRow>`
    select ${hour}::timestamptz as bucket, ${dimensions}, ${sumsOf(captures)}
    from (${hourOf(sql`${environmentId}::uuid`, hour, limit)}) as h
    where ${matches(environmentId, filters)} group by ${dimensions}`.execute(db);
  return rows;
}
