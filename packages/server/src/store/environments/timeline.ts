// What waits in an environment, and the messages made last, grouped by moment and step. The tasks that wait are those
// of the test clock and those of the queue in real time; when an environment gets or loses a test clock they change
// places.
import { type Channel, type TimelineWaitKind, waitingSteps } from "@tidings/contract";
import { type RawBuilder, sql } from "kysely";
import type { Db } from "../db.ts";
import { stepOfFinishedJob } from "../events/finished-jobs.ts";
import { rowsByKey } from "../keys.ts";
import { schema } from "../queue/boss.ts";
import type { StoredMessageStatus, WorkflowDefinition } from "../tables.ts";

type Group = {
  at: Date;
  until: Date;
  version_id: string;
  step_index: number;
  count: number;
  /** The first three events. */
  notification_ids: string[];
};

export type WaitGroup = Group & { moment: Date; kind: TimelineWaitKind; events: number | null };
export type ResultGroup = Group & { channel: Channel; status: StoredMessageStatus; title: string | null };

/** `isByMinute`: what belongs to one minute is one group, instead of what belongs to one moment. */
type Grouping = { isByMinute: boolean; limit: number; looked: number };

const momentOf = (time: RawBuilder<unknown>, isByMinute: boolean): RawBuilder<unknown> =>
  isByMinute ? sql`date_trunc('minute', ${time})` : time;

/**
 * Look-ups by key for each row: `offset 0` keeps the planner from reading a whole environment to join it
 * (store/keys.ts).
 */
const versionOf = (environmentId: string, row: RawBuilder<unknown>) => sql`
  select f.workflow_version_id from notifications f
  where f.environment_id = ${environmentId} and f.id = ${row}.notification_id offset 0`;

const jobOf = (message: RawBuilder<unknown>) => sql`
  select coalesce((
    select g.step_index from jobs g where g.environment_id = ${message}.environment_id
      and g.notification_id = ${message}.notification_id and g.id = ${message}.job_id),
    ${stepOfFinishedJob(message)}) as step_index`;

const queued = sql.table(`${schema}.job_common`);

/** The tasks of each source in the order of their times, from its index. `queueGroup`: tasks that wait in real time. */
const waitingTasks = (environmentId: string, queueGroup: string, from: Date, limit: number): RawBuilder<unknown> => sql`
  (select due_at as at, kind, data from clock_tasks
   where environment_id = ${environmentId} and due_at >= ${from} order by due_at, id limit ${limit})
  union all
  (select start_after, name, data from ${queued}
   where group_id = ${queueGroup} and state < 'active' and start_after >= greatest(clock_timestamp(), ${from}::timestamptz)
   order by start_after limit ${limit})`;

/** What distinguishes the groups of waits, in their order. */
export type WaitKey = { moment: Date; kind: TimelineWaitKind; versionId: string; stepIndex: number };

/**
 * One row more than `limit` when there are more. A task may be older than what its run waits for, such as that of a
 * digest which was closed early: the job or the message says whether it waits, and until when. `looked`: how many runs
 * and messages were examined; `until`: the time of the last of them.
 */
export async function findWaits(
  db: Db,
  environmentId: string,
  given: Grouping & { queueGroup: string; from: Date; after?: WaitKey; maxEvents: number },
): Promise<{ rows: WaitGroup[]; looked: number; until: Date | null }> {
  const { queueGroup, from, after, limit, looked, maxEvents, isByMinute } = given;
  const behind = after
    ? sql`(moment, kind, version_id, step_index) >
        (${after.moment}::timestamptz, ${after.kind}, ${after.versionId}::uuid, ${after.stepIndex}::int)`
    : sql`true`;
  const { rows } = await sql<WaitGroup & { looked: number; last: Date | null }>`
    with tasks as materialized (
      select * from (${waitingTasks(environmentId, queueGroup, from, looked)}) as t
      where kind in ('wake', 'deliver', 'unsnooze') order by at limit ${looked}),
    things as materialized (
      select t.at, t.kind, i.id::uuid as id from tasks t cross join lateral jsonb_array_elements_text(
        case t.kind when 'wake' then t.data->'notificationIds' when 'deliver' then t.data->'messageIds'
          else jsonb_build_array(t.data->'messageId') end) as i(id)
      order by t.at limit ${looked}),
    waits as (
      select distinct w.at, w.kind, w.id, w.notification_id, w.step_index, w.events, n.workflow_version_id
      from things t cross join lateral (
        (select coalesce(j.wake_at, t.at) as at, case when j.type in (${sql.join(waitingSteps)})
            then j.type when j.details->-1->>'d' in ('attention_delayed', 'roll_up_waits') then 'budget'
            else 'schedule' end as kind,
          j.id, j.notification_id, j.step_index, case when j.type = 'digest' then 1 + (select count(*) from (
            select 1 from jobs c where c.merged_into = j.id and c.environment_id = ${environmentId} limit ${maxEvents}) as m)
          end as events
         from jobs j where t.kind = 'wake' and j.environment_id = ${environmentId} and j.notification_id = t.id
           and j.status = 'delayed' order by j.step_index limit 1)
        union all
        (select coalesce(m.snoozed_until, t.at), case t.kind when 'deliver' then 'retry' else 'snooze' end,
          m.id, m.notification_id, j.step_index, null
         from messages m cross join lateral (${jobOf(sql`m`)}) as j
         where t.kind <> 'wake' and m.environment_id = ${environmentId} and m.id = t.id
           and case t.kind when 'deliver' then m.status = 'pending' else m.snoozed_until is not null end)) as w
      cross join lateral (${versionOf(environmentId, sql`w`)}) as n),
    grouped as (
      select ${momentOf(sql`at`, isByMinute)} as moment, kind, workflow_version_id as version_id, step_index, min(at) as at,
        max(at) as until, count(*) as count, sum(events)::int as events,
        (array_agg(notification_id order by at, notification_id))[1:3] as notification_ids
      from waits group by 1, 2, 3, 4),
    page as (
      select * from grouped where ${behind} order by moment, kind, version_id, step_index limit ${limit + 1})
    select l.looked, l.last, g.* from (select count(*) as looked, max(at) as last from things) as l
    left join page g on true order by g.moment, g.kind, g.version_id, g.step_index`.execute(db);
  const { looked: count, last } = rows[0]!;
  return { rows: rows.filter((row) => row.moment !== null), looked: count, until: last };
}

/** Groups of the newest messages, newest first. Ids are generated in real time, and a test clock goes forward only. */
export async function findResults(
  db: Db,
  environmentId: string,
  { isByMinute, limit, looked }: Grouping,
): Promise<ResultGroup[]> {
  const { rows } = await sql<ResultGroup>`
    with recent as materialized (
      select environment_id, id, notification_id, job_id, channel, status, subject, content, created_at from messages
      where environment_id = ${environmentId} order by id desc limit ${looked})
    select n.workflow_version_id as version_id, j.step_index, r.channel, r.status, min(r.created_at) as at,
      max(r.created_at) as until, count(*) as count,
      (array_agg(coalesce(nullif(r.subject, ''), left(r.content, 160)) order by r.id))[1] as title,
      (array_agg(r.notification_id order by r.id))[1:3] as notification_ids
    from recent r
    cross join lateral (${versionOf(environmentId, sql`r`)}) as n
    cross join lateral (${jobOf(sql`r`)}) as j
    group by ${momentOf(sql`r.created_at`, isByMinute)}, 1, 2, 3, 4
    order by max(r.created_at) desc, max(r.id::text) desc limit ${limit}`.execute(db);
  return rows;
}

export type TimelineSubscriberRow = { id: string; subscriber_id: string | null; transaction_id: string };

export async function findTimelineSubscribers(
  db: Db,
  environmentId: string,
  notificationIds: string[],
): Promise<TimelineSubscriberRow[]> {
  if (notificationIds.length === 0) return [];
  const keys = notificationIds.map((id) => ({ environment_id: environmentId, id }));
  const { rows } = await sql<TimelineSubscriberRow>`
    select n.id, s.subscriber_id, e.transaction_id from ${rowsByKey("notifications", "n", "id", keys)}
    join events e on e.environment_id = n.environment_id and e.id = n.event_id
    left join subscribers s on s.id = n.subscriber_id`.execute(db);
  return rows;
}

export type TimelineVersionRow = { id: string; workflow_id: string; definition: WorkflowDefinition };

export async function findTimelineVersions(
  db: Db,
  environmentId: string,
  ids: string[],
): Promise<TimelineVersionRow[]> {
  if (ids.length === 0) return [];
  const { rows } = await sql<TimelineVersionRow>`
    select id, workflow_id, definition from workflow_versions
    where environment_id = ${environmentId} and id = any(${ids}::uuid[])`.execute(db);
  return rows;
}
