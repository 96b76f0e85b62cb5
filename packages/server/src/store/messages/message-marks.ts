// Marks on messages: seen, read, archived, and which button was pressed. Setting a mark again changes neither the
// message nor its time, so that the number of changed messages is exact.
import type { MessageMark } from "@tidings/contract";
import { type RawBuilder, sql } from "kysely";
import { firstIdAt, timeOfId } from "../../lib/ids.ts";
import type { JsonObject } from "../../lib/json.ts";
import { rowsOf } from "../bulk.ts";
import type { Db } from "../db.ts";
import { noteOnJobs } from "../events/finished-jobs.ts";
import type { StoredDetail } from "../tables.ts";
import type { MessageRow } from "./messages.ts";

/** The removed time is kept in last_read_at and last_seen_at. What is unread is not archived. */
const unread = sql`read_at = null, last_read_at = coalesce(read_at, last_read_at), archived_at = null`;
export const unseen = sql`${unread}, seen_at = null, last_seen_at = coalesce(seen_at, last_seen_at)`;

export type StoredMark = MessageMark | "archived" | "unarchived";

/** `read` implies seen, `unseen` implies unread. `differs` holds for messages that the mark changes. */
const marks: Record<StoredMark, { differs: RawBuilder<unknown>; set: (now: Date) => RawBuilder<unknown> }> = {
  seen: { differs: sql`seen_at is null`, set: (now) => sql`seen_at = ${now}` },
  read: {
    differs: sql`read_at is null`,
    set: (now) => sql`read_at = ${now}, seen_at = coalesce(seen_at, ${now}::timestamptz)`,
  },
  unread: { differs: sql`read_at is not null`, set: () => unread },
  unseen: { differs: sql`(seen_at is not null or read_at is not null)`, set: () => unseen },
  archived: { differs: sql`archived_at is null`, set: (now) => sql`archived_at = ${now}` },
  unarchived: { differs: sql`archived_at is not null`, set: () => sql`archived_at = null` },
};

/** `detail`: the execution detail added to the jobs of the messages. */
export type Marking = { mark: StoredMark; detail: StoredDetail | null; now: Date };

/** Which messages (m) of an environment a mark is for, as a condition. */
export type MessageSelection = RawBuilder<unknown>;

/** A message that a mark changed, with the internal id of its subscriber. */
export type MarkedMessage = Pick<MessageRow, "id" | "subscriber_id" | "channel">;

/**
 * Marks the selected messages and returns those that changed. The detail is added once per job, however often the mark
 * changes, and only to in-app jobs: jobs of other channels may be locked by a delivery.
 */
export async function writeMark(
  db: Db,
  environmentId: string,
  selection: MessageSelection,
  { mark, detail, now }: Marking,
): Promise<MarkedMessage[]> {
  const { differs, set } = marks[mark];
  const changed = sql`update messages m set ${set(now)}, updated_at = ${now}
    where environment_id = ${environmentId} and ${selection} and ${differs}
    returning m.id, m.environment_id, m.subscriber_id, m.notification_id, m.job_id, m.channel`;
  const note = noteOnJobs({ detail: sql`${JSON.stringify(detail)}::jsonb`, at: sql`${now}`, isOnce: true });
  const { rows } = await sql<MarkedMessage>`
    with marked as (${changed}), changed as (select * from marked where channel = 'in_app')
      ${detail ? sql`, ${note}` : sql``} select id, subscriber_id, channel from marked`.execute(db);
  return rows;
}

export const selectMessages = (subscriberId: string, ids: string[]): MessageSelection =>
  sql`subscriber_id = ${subscriberId} and id = any(${ids}::uuid[])`;

/** The messages of a subscriber's feed: sent in-app messages that are neither snoozed nor expired. */
export const selectFeed = (environmentId: string, subscriberId: string, now: Date): MessageSelection => sql`
  environment_id = ${environmentId} and subscriber_id = ${subscriberId} and channel = 'in_app' and status = 'sent'
    and (snoozed_until is null or snoozed_until <= ${now}) and (expires_at is null or expires_at > ${now})`;

/** Counting stops at the limit. */
export async function countFeed(
  db: Db,
  environmentId: string,
  subscriberId: string,
  filter: { seen: boolean; limit: number },
  now: Date,
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from (
      select 1 from messages where ${selectFeed(environmentId, subscriberId, now)}
        and seen_at is ${filter.seen ? sql`not null` : sql`null`}
      limit ${filter.limit}) as counted`.execute(db);
  return rows[0]!.count;
}

type InAppJob = { jobId: string; subscriberId: string };
type JobMarks = Pick<MessageRow, "job_id" | "seen_at" | "read_at" | "last_seen_at" | "last_read_at">;

/** Ids contain the time of the process that created them; the clocks of two processes differ by less than this. */
export const clockSkewMs = 180_000;

/** Marks on the in-app messages of these jobs; deleted messages are missing. */
export async function findInAppMarks(db: Db, environmentId: string, jobs: InAppJob[]): Promise<JobMarks[]> {
  if (jobs.length === 0) return [];
  // A message is newer than its notification, whose time is in the id of the job, so the index on a subscriber's
  // messages is read from there.
  const given = jobs.map(({ jobId, subscriberId }) => ({
    job_id: jobId,
    subscriber_id: subscriberId,
    from_id: firstIdAt(new Date(timeOfId(jobId) - clockSkewMs)),
  }));
  const { rows } = await sql<JobMarks>`
    select m.* from ${rowsOf("r", { job_id: "uuid", subscriber_id: "uuid", from_id: "uuid" }, given)} cross join lateral (
      select f.job_id, f.seen_at, f.read_at, f.last_seen_at, f.last_read_at from messages f
      where f.subscriber_id = r.subscriber_id and f.id >= r.from_id and f.job_id = r.job_id
        and f.environment_id = ${environmentId} and f.channel = 'in_app'
      order by f.id limit 1) as m`.execute(db);
  return rows;
}

export type ActionMark = { type: string; status: string; payload?: JsonObject };

/** Stores the pressed button in the cta of the message. */
export async function markAction(
  db: Db,
  environmentId: string,
  id: string,
  action: ActionMark,
  now: Date,
): Promise<void> {
  await sql`
    update messages set cta = jsonb_set(cta, '{pressed}', ${JSON.stringify(action)}::jsonb), updated_at = ${now}
    where environment_id = ${environmentId} and id = ${id}`.execute(db);
}
