// The outcome of a notification, from the states of its jobs. There is no index on the state of a job: its column
// changes several times in the life of a job, and an index on it would make each of these updates write the row's other
// index entries too (no HOT update). So outcomes are computed for a bounded number of notifications at a time.
import { channels, type NotificationOutcome } from "@tidings/contract";
import { type RawBuilder, sql } from "kysely";
import type { Db } from "../db.ts";
import { finishedOutcome } from "./finished-jobs.ts";

const isSent = sql`j.status = 'completed' and j.type = any(${[...channels]}::text[])`;

/** The word for the notification `n`: the first that applies. */
export const outcomeOf: RawBuilder<NotificationOutcome> = sql`(case when n.finished_jobs is not null then ${finishedOutcome}
  else (select case
    when bool_or(j.status = 'failed') then
      case when bool_or(${isSent}) then 'partly' else 'failed' end
    when bool_or(j.status in ('pending', 'queued', 'running', 'delayed')) then 'pending'
    when bool_or(${isSent}) then 'delivered'
    when bool_or(j.status = 'merged') then 'merged'
    when bool_or(j.status = 'canceled') then 'canceled'
    else 'skipped' end
  from jobs j where j.environment_id = n.environment_id and j.notification_id = n.id) end)`;

export type OutcomeCount = { event_id: string; outcome: NotificationOutcome; count: number };

/**
 * How many notifications of each event have each outcome; of each event the first `limit` notifications are counted.
 */
export async function countOutcomes(
  db: Db,
  environmentId: string,
  eventIds: string[],
  limit: number,
): Promise<OutcomeCount[]> {
  if (eventIds.length === 0) return [];
  const { rows } = await sql<OutcomeCount>`
    select event_id, outcome, count(*) as count from (
      select k.id as event_id, ${outcomeOf} as outcome
      from unnest(${eventIds}::uuid[]) as k(id) cross join lateral (
        select environment_id, id, finished_jobs from notifications f
        where f.event_id = k.id and f.environment_id = ${environmentId} limit ${limit}) as n) as counted
    group by 1, 2`.execute(db);
  return rows;
}
