// The end state of each message that was retracted or replaced.
import type { Channel } from "@tidings/contract";
import { type RawBuilder, type Selectable, sql } from "kysely";
import { rowsOf } from "../bulk.ts";
import type { Db } from "../db.ts";
import { retractedErrorId } from "../events/event-cancel.ts";
import { noteOnJobs } from "../events/finished-jobs.ts";
import { rowsByKey } from "../keys.ts";
import type { StoredMessage } from "../messages/messages.ts";
import { findMessageKeys, type RunRef } from "../messages/messages-of-runs.ts";
import type { StoredDetail, Tables } from "../tables.ts";

export type RetractedRow = Selectable<Tables["retracted_messages"]>;

/** `detail`: what its job says about it; null where the job says it already. */
export type NewRetracted = Omit<RetractedRow, "environment_id"> & { detail: StoredDetail | null };

const columns = {
  id: "uuid",
  notification_id: "uuid",
  job_id: "uuid",
  retraction_id: "uuid",
  channel: "text",
  state: "text",
  reason: "text",
  at: "timestamptz",
  detail: "jsonb",
};

/**
 * The jobs to note details on, each once: a chat step has several messages. A single detail is not in a list, because
 * jobs without rows take one at a time (store/events/finished-jobs.ts).
 */
const detailsByJob = (rows: string): RawBuilder<unknown> => sql`changed as (
  select environment_id, notification_id, job_id, max(at) as at,
    case when count(distinct detail) = 1 then min(detail::text)::jsonb else jsonb_agg(distinct detail) end as detail
  from ${sql.table(rows)} where detail is not null group by 1, 2, 3)`;

/** Stores the states of messages that have none yet, and notes them on their jobs. Returns the ids that were stored. */
export async function insertRetracted(db: Db, environmentId: string, rows: NewRetracted[]): Promise<Set<string>> {
  if (rows.length === 0) return new Set();
  const given = rowsOf("r", columns, rows);
  const { rows: stored } = await sql<{ id: string }>`
    with given as (select * from ${given}),
    stored as (
      insert into retracted_messages (environment_id, id, notification_id, job_id, retraction_id, channel, state, reason, at)
      select ${environmentId}::uuid, id, notification_id, job_id, retraction_id, channel, state, reason, at from given
      order by id
      on conflict do nothing returning environment_id, id, notification_id, job_id, at),
    noting as (select s.*, g.detail from stored s join given g on g.id = s.id),
    ${detailsByJob("noting")},
    ${noteOnJobs({ detail: sql`c.detail`, at: sql`c.at` })}
    select id from stored`.execute(db);
  return new Set(stored.map(({ id }) => id));
}

/** The new state of a message whose provider was called. */
export type SettledRetracted = Pick<NewRetracted, "id" | "state" | "reason" | "at" | "detail">;

/** Writes the end states of messages that have none yet; returns the rows that changed. */
export async function settleRetracted(
  db: Db,
  environmentId: string,
  rows: SettledRetracted[],
): Promise<RetractedRow[]> {
  if (rows.length === 0) return [];
  const { id, state, reason, at, detail } = columns;
  const { rows: settled } = await sql<RetractedRow>`
    with settled as (
      update retracted_messages m set state = r.state, reason = r.reason, at = r.at
      from ${rowsOf("r", { id, state, reason, at, detail }, rows)}
      where m.environment_id = ${environmentId} and m.id = r.id and m.state in ('in_flight', 'taking_back')
      returning m.*, r.detail),
    ${detailsByJob("settled")},
    ${noteOnJobs({ detail: sql`c.detail`, at: sql`c.at` })}
    select * from settled`.execute(db);
  return settled;
}

/** The messages among these whose provider is being called for a retraction. */
export async function findOpenRetracted(db: Db, environmentId: string, ids: string[]): Promise<RetractedRow[]> {
  if (ids.length === 0) return [];
  const { rows } = await sql<RetractedRow>`
    select * from retracted_messages where environment_id = ${environmentId} and id = any(${ids}::uuid[])
      and state in ('in_flight', 'taking_back')`.execute(db);
  return rows;
}

/**
 * Locks the in-app messages of the runs. Before their notifications: marking a message as read locks both in this
 * order.
 */
export async function lockInAppMessages(db: Db, environmentId: string, runs: RunRef[]): Promise<void> {
  const keys = await findMessageKeys(db, environmentId, runs);
  if (keys.length === 0) return;
  const where = sql`t.channel = 'in_app'`;
  const held = rowsByKey("messages", "m", "id", keys, { where, lock: "for no key update" });
  await sql`select count(*) from ${held}`.execute(db);
}

/**
 * Whether the message `m` is behind a digest that also has other events. They were merged into the digest of its run,
 * or, where that run was canceled, another run leads it now (pipeline/run/hand-over.ts).
 */
const isShared = sql<boolean>`(
  exists (select 1 from jobs j
    join jobs d on d.environment_id = j.environment_id and d.notification_id = j.notification_id
      and d.type = 'digest' and d.status = 'completed' and d.step_index < j.step_index
    join jobs f on f.environment_id = d.environment_id and f.merged_into = d.id and f.status = 'merged'
    where j.environment_id = m.environment_id and j.notification_id = m.notification_id and j.id = m.job_id)
  or exists (select 1 from jobs h
    where h.environment_id = m.environment_id and h.merged_into = m.job_id and h.status = 'completed'))`;

/** Messages of the runs that were not retracted before. */
export async function findMessagesToRetract(
  db: Db,
  environmentId: string,
  runs: RunRef[],
): Promise<(StoredMessage & { is_shared: boolean })[]> {
  const keys = await findMessageKeys(db, environmentId, runs);
  if (keys.length === 0) return [];
  const { rows } = await sql<StoredMessage & { is_shared: boolean }>`
    select m.*, ${isShared} as is_shared from ${rowsByKey("messages", "m", "id", keys)}
    where not exists (select 1 from retracted_messages r where r.environment_id = ${environmentId} and r.id = m.id)
    order by m.id`.execute(db);
  return rows;
}

/** Channel steps of the runs that were merged into a digest of another run, which continued without them. */
export async function findDigestedJobs(
  db: Db,
  environmentId: string,
  runs: RunRef[],
): Promise<{ id: string; notification_id: string; type: Channel }[]> {
  const { rows } = await sql<{ id: string; notification_id: string; type: Channel }>`
    select j.id, j.notification_id, j.type from jobs j
    where j.environment_id = ${environmentId} and j.notification_id = any(${runs.map(({ id }) => id)}::uuid[])
      and j.status = 'merged' and j.type in ('in_app', 'email', 'sms', 'push', 'chat')`.execute(db);
  return rows;
}

export type Replacement = { id: string; subject: string | null; content: string };

/** In-app messages with new content: nothing of the old one is left but its marks. */
export async function replaceInApp(
  db: Db,
  environmentId: string,
  replacements: Replacement[],
  now: Date,
): Promise<void> {
  if (replacements.length === 0) return;
  await sql`
    update messages m set subject = r.subject, content = r.content, cta = null, data = null, actor = null,
      updated_at = ${now}
    from ${rowsOf("r", { id: "uuid", subject: "text", content: "text" }, replacements)}
    where m.environment_id = ${environmentId} and m.id = r.id`.execute(db);
}

/** Messages by id, as they are stored. */
export async function findMessagesByIds(db: Db, environmentId: string, ids: string[]): Promise<StoredMessage[]> {
  if (ids.length === 0) return [];
  const { rows } = await sql<StoredMessage>`
    select * from messages where environment_id = ${environmentId} and id = any(${ids}::uuid[]) order by id`.execute(
    db,
  );
  return rows;
}

/** The mark of a message that was retracted during its call has been read. */
export async function clearRetractedMarks(db: Db, environmentId: string, ids: string[]): Promise<void> {
  if (ids.length === 0) return;
  await sql`
    update messages set error_id = null where environment_id = ${environmentId} and id = any(${ids}::uuid[])
      and error_id = ${retractedErrorId}`.execute(db);
}

export type PreviewCount = {
  channel: Channel;
  status: string;
  provider_id: string | null;
  is_out: boolean;
  is_uncertain: boolean;
  is_shared: boolean;
  count: number;
};

/** The messages of an event, or of one of its runs, that were not retracted before, by channel, status and provider. */
export async function countMessagesToRetract(
  db: Db,
  environmentId: string,
  { eventId, run }: { eventId: string; run: RunRef | null },
  limit: number,
): Promise<PreviewCount[]> {
  const keys = run ? await findMessageKeys(db, environmentId, [run]) : [];
  const isOwn = run ? sql`m.id = any(${keys.map(({ id }) => id)}::uuid[])` : sql`m.event_id = ${eventId}`;
  const { rows } = await sql<PreviewCount>`
    select channel, status, provider_id, is_out, is_uncertain, is_shared, count(*)::int as count from (
      select m.channel, m.status, m.provider_id, m.status = 'pending' and exists (
          select 1 from attempts a where a.environment_id = m.environment_id and a.message_id = m.id
            and a.finished_at is null) as is_out,
        m.status = 'pending' and exists (
          select 1 from attempts a where a.environment_id = m.environment_id and a.message_id = m.id
            and a.outcome = 'unknown') as is_uncertain, ${isShared} as is_shared
      from messages m where m.environment_id = ${environmentId} and ${isOwn}
        and not exists (select 1 from retracted_messages r where r.environment_id = ${environmentId} and r.id = m.id)
      limit ${limit}) as counted
    group by 1, 2, 3, 4, 5, 6`.execute(db);
  return rows;
}

/** Channel steps of an event that wait, and those whose digest continued without them; both have no message. */
export async function countJobsToRetract(
  db: Db,
  environmentId: string,
  { eventId, run }: { eventId: string; run: RunRef | null },
  limit: number,
): Promise<{ type: Channel; is_waiting: boolean; count: number }[]> {
  const isOwn = run ? sql`id = ${run.id}` : sql`event_id = ${eventId}`;
  const { rows } = await sql<{ type: Channel; is_waiting: boolean; count: number }>`
    select j.type, j.status <> 'merged' or w.leader_job_id is not null as is_waiting, count(*)::int as count
    from (select id from notifications where environment_id = ${environmentId} and ${isOwn} limit ${limit}) as n
    join jobs j on j.environment_id = ${environmentId} and j.notification_id = n.id
    left join lateral (
      select w.leader_job_id from jobs d join digest_windows w on w.environment_id = ${environmentId}
        and w.leader_job_id = d.merged_into
      where j.status = 'merged' and d.environment_id = ${environmentId} and d.notification_id = j.notification_id
        and d.merged_into is not null limit 1) as w on true
    where j.type in ('in_app', 'email', 'sms', 'push', 'chat') and (j.status in ('pending', 'merged')
      or (j.status = 'delayed' and j.provider_id is null))
    group by 1, 2`.execute(db);
  return rows;
}

/** The marks of one message, for another one. */
export type MarkTransfer = { from_id: string; to_id: string };

/** Whether a message was seen and read goes over to the message that replaces it. */
export async function takeOverMarks(db: Db, environmentId: string, transfers: MarkTransfer[]): Promise<void> {
  if (transfers.length === 0) return;
  await sql`
    update messages n set seen_at = o.seen_at, read_at = o.read_at, last_seen_at = o.last_seen_at,
      last_read_at = o.last_read_at
    from ${rowsOf("r", { from_id: "uuid", to_id: "uuid" }, transfers)}
    join messages o on o.environment_id = ${environmentId} and o.id = r.from_id
    where n.environment_id = ${environmentId} and n.id = r.to_id`.execute(db);
}
