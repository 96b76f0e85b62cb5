// Retractions: their rows, their progress, and which runs they go over.
import type { RetractionResults } from "@tidings/contract";
import { type RawBuilder, type Selectable, sql } from "kysely";
import { firstIdAt, isUuid, timeOfId } from "../../lib/ids.ts";
import type { Db } from "../db.ts";
import { clockSkewMs } from "../messages/message-marks.ts";
import type { RunRef } from "../messages/messages-of-runs.ts";
import type { Tables } from "../tables.ts";

export type RetractionRow = Selectable<Tables["retractions"]>;
export type NewRetraction = Omit<RetractionRow, "handled" | "results" | "after_id" | "finished_at">;

/** False when the same runs are being retracted already, or were. */
export async function insertRetraction(db: Db, environmentId: string, row: NewRetraction): Promise<boolean> {
  const { rows } = await sql`
    insert into retractions (environment_id, id, event_id, notification_id, transaction_id, supersede_key, recipient,
      reason, correction, status, people, created_by, created_at)
    values (${environmentId}, ${row.id}, ${row.event_id}, ${row.notification_id}, ${row.transaction_id},
      ${row.supersede_key}, ${row.recipient}, ${row.reason}, ${row.correction && JSON.stringify(row.correction)}::jsonb,
      ${row.status}, ${row.people}, ${row.created_by}, ${row.created_at})
    on conflict do nothing returning 1`.execute(db);
  return rows.length > 0;
}

export async function findRetraction(db: Db, environmentId: string, id: string): Promise<RetractionRow | undefined> {
  if (!isUuid(id)) return undefined;
  const { rows } = await sql<RetractionRow>`
    select * from retractions where environment_id = ${environmentId} and id = ${id}`.execute(db);
  return rows[0];
}

/** The retraction of these runs: of the whole event, or of one of its notifications. */
export async function findRetractionOf(
  db: Db,
  environmentId: string,
  { event_id, notification_id }: Pick<RetractionRow, "event_id" | "notification_id">,
): Promise<RetractionRow | undefined> {
  const { rows } = await sql<RetractionRow>`
    select * from retractions where environment_id = ${environmentId} and event_id = ${event_id}
      and notification_id is not distinct from ${notification_id}`.execute(db);
  return rows[0];
}

/** Newest first; one row more than asked, so that the caller knows whether there are more. */
export async function listRetractions(
  db: Db,
  environmentId: string,
  { transactionId, offset, limit }: { transactionId?: string; offset: number; limit: number },
): Promise<RetractionRow[]> {
  const ofEvent = transactionId === undefined ? sql`` : sql`and transaction_id = ${transactionId}`;
  const { rows } = await sql<RetractionRow>`
    select * from retractions where environment_id = ${environmentId} ${ofEvent}
    order by id desc limit ${limit + 1} offset ${offset}`.execute(db);
  return rows;
}

/** Locked until the transaction ends: the pages of a retraction follow each other. */
export async function lockRetraction(db: Db, environmentId: string, id: string): Promise<RetractionRow | undefined> {
  const { rows } = await sql<RetractionRow>`
    select * from retractions where environment_id = ${environmentId} and id = ${id} for update`.execute(db);
  return rows[0];
}

type Progress = Pick<RetractionRow, "id" | "people" | "handled" | "results" | "after_id">;

export async function saveRetractionProgress(db: Db, environmentId: string, row: Progress): Promise<void> {
  await sql`
    update retractions set people = ${row.people}, handled = ${row.handled}, after_id = ${row.after_id},
      results = ${JSON.stringify(row.results)}::jsonb
    where environment_id = ${environmentId} and id = ${row.id}`.execute(db);
}

/** Ends a locked retraction, unless recipients are left or a provider is still being called for one of its messages. */
export async function finishIfDone(db: Db, environmentId: string, id: string, now: Date): Promise<void> {
  await sql`
    update retractions r set status = 'completed', finished_at = ${now}
    where r.environment_id = ${environmentId} and r.id = ${id} and r.status = 'running' and r.handled >= r.people
      and not exists (select 1 from retracted_messages m where m.environment_id = r.environment_id
        and m.retraction_id = r.id and m.state in ('in_flight', 'taking_back'))`.execute(db);
}

export const addResults = (
  results: RetractionResults,
  rows: { channel: string; state: string }[],
): RetractionResults => {
  const sum = structuredClone(results);
  for (const { channel, state } of rows) {
    sum[channel] ??= {};
    sum[channel][state] = (sum[channel][state] ?? 0) + 1;
  }
  return sum;
};

export async function countRuns(db: Db, environmentId: string, eventId: string, limit: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from (
      select 1 from notifications where environment_id = ${environmentId} and event_id = ${eventId} limit ${limit}) as n`.execute(
    db,
  );
  return rows[0]!.count;
}

export type RetractedRun = RunRef & { event_id: string; workflow_version_id: string };

/** Runs that are read by the index on their event and sorted; more would be sorted again for every page. */
const sortedRuns = 5_000;

/** The next runs of a retraction, by id. */
export async function findRunsToRetract(
  db: Db,
  environmentId: string,
  { event_id, notification_id, after_id, people, handled }: RetractionRow,
  limit: number,
): Promise<RetractedRun[]> {
  const columns = sql`id, event_id, subscriber_id, workflow_version_id`;
  // The first notification is created after its event, by a process whose clock may be behind.
  const after = after_id ?? firstIdAt(new Date(timeOfId(event_id) - clockSkewMs));
  const own = sql`environment_id = ${environmentId} and event_id = ${event_id} and id > ${after}`;
  let from: RawBuilder<unknown>;
  if (notification_id !== null) {
    from = sql`notifications where environment_id = ${environmentId} and id = ${notification_id} and ${after_id}::uuid is null`;
  } else if (people - handled <= sortedRuns) {
    from = sql`notifications where ${own}`;
  } else {
    // In the order of the key: the runs of a large event are close to each other there.
    from = sql`(select environment_id, ${columns} from notifications
      where environment_id = ${environmentId} and id > ${after} order by id offset 0) as n where event_id = ${event_id}`;
  }
  const { rows } = await sql<RetractedRun>`select ${columns} from ${from} order by id limit ${limit}`.execute(db);
  return rows;
}
