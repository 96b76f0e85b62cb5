// Signals: something happened to a subscriber that runs may wait for.
import type { MessageEvent } from "@tidings/contract";
import { sql } from "kysely";
import type { JsonObject } from "../../lib/json.ts";
import { rowsOf } from "../bulk.ts";
import type { Db } from "../db.ts";
import { takeSignalLocks } from "./signal-locks.ts";

export type NewSignal = {
  id: string;
  subscriber_id: string;
  name: string;
  key: string | null;
  data: JsonObject | null;
  created_at: Date;
};

const columns = {
  id: "uuid",
  subscriber_id: "uuid",
  name: "text",
  key: "text",
  data: "jsonb",
  created_at: "timestamptz",
};

/** A run that one of the signals reached. */
export type ReachedRun = { signal_id: string; notification_id: string };

/**
 * Stores the signals and marks the waits that they end. When several could end a wait, the first in the list does. A
 * wait without a key takes any signal of its name.
 */
export async function recordSignals(db: Db, environmentId: string, signals: NewSignal[]): Promise<ReachedRun[]> {
  if (signals.length === 0) return [];
  const names = signals.map(({ subscriber_id, name }) => ({
    environment_id: environmentId,
    subscriber_id,
    signal: name,
  }));
  await takeSignalLocks(names).execute(db);
  const given = signals.map((signal, position) => ({ ...signal, position }));
  const shape = rowsOf("r", { ...columns, position: "integer" }, given);
  await sql`insert into signals (environment_id, id, subscriber_id, name, key, data, created_at)
    select ${environmentId}::uuid, id, subscriber_id, name, key, data, created_at from ${shape}`.execute(db);
  const { rows } = await sql<ReachedRun>`
    with met as (
      select w.job_id, r.id as signal_id, r.data, r.created_at, r.position
      from ${shape} join run_waits w on w.environment_id = ${environmentId}
        and w.subscriber_id = r.subscriber_id and w.signal = r.name
        and (w.signal_key is null or w.signal_key = r.key)),
    held as (
      select w.job_id from run_waits w
      where w.environment_id = ${environmentId} and w.job_id in (select job_id from met) and w.arrived_at is null
      order by w.job_id for update),
    chosen as (select distinct on (job_id) * from met order by job_id, position)
    update run_waits w set arrived_at = chosen.created_at, arrived_by = 'signal', data = chosen.data
    from held join chosen using (job_id)
    where w.environment_id = ${environmentId} and w.job_id = held.job_id and w.arrived_at is null
    returning chosen.signal_id, w.notification_id`.execute(db);
  return rows;
}

export type SentSignal = Omit<NewSignal, "id">;

/** The signals of these names to these subscribers since a time, the oldest first, at most `limit`. */
export async function listSignalsSince(
  db: Db,
  environmentId: string,
  { subscriberIds, names, since }: { subscriberIds: string[]; names: string[]; since: Date },
  limit: number,
): Promise<SentSignal[]> {
  if (subscriberIds.length === 0 || names.length === 0) return [];
  const { rows } = await sql<SentSignal>`
    select subscriber_id, name, key, data, created_at from signals
    where environment_id = ${environmentId} and subscriber_id = any(${subscriberIds}::uuid[])
      and name = any(${names}) and created_at >= ${since}
    order by created_at, id limit ${limit}`.execute(db);
  return rows;
}

/** Something that happened to messages: seen, read, or what a receipt of a provider says. */
export type MessageHappening = { messageIds: string[]; events: MessageEvent[]; at: Date };

/** Marks the waits that it ends, and returns their notifications. */
export async function recordMessageEvents(
  db: Db,
  environmentId: string,
  { messageIds, events, at }: MessageHappening,
): Promise<string[]> {
  if (messageIds.length === 0 || events.length === 0) return [];
  const { rows } = await sql<{ notification_id: string }>`
    with held as (
      select w.job_id, m.id as message_id from messages m
      join run_waits w on w.environment_id = m.environment_id and w.watched_job_id = m.job_id
      where m.environment_id = ${environmentId} and m.id = any(${messageIds}::uuid[])
        and w.watched_event = any(${events}) and w.arrived_at is null
      order by w.job_id for update of w)
    update run_waits w set arrived_at = ${at}, arrived_by = 'message', data = jsonb_build_object('messageId', held.message_id)
    from held where w.environment_id = ${environmentId} and w.job_id = held.job_id and w.arrived_at is null
    returning w.notification_id`.execute(db);
  return rows.map((row) => row.notification_id);
}

/** Deletes the waits of canceled jobs. */
export async function deleteWaits(db: Db, environmentId: string, jobIds: string[]): Promise<void> {
  if (jobIds.length === 0) return;
  await sql`
    delete from run_waits where environment_id = ${environmentId} and job_id = any(${jobIds}::uuid[])`.execute(db);
}
