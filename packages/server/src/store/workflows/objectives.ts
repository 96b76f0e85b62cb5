// The outcomes of messages of workflows, for their objectives: from counted hours, and the latest from their rows.
import type { Channel } from "@tidings/contract";
import { sql } from "kysely";
import { firstIdAt } from "../../lib/ids.ts";
import { rowsOf } from "../bulk.ts";
import type { Db } from "../db.ts";
import {
  isAccepted,
  isDelivered,
  isUnaddressed,
  latencyBounds,
  latencyClasses,
  latencyMs,
} from "../events/statistics.ts";

export type Target = { environment_id: string; workflow_id: string };

export type OutcomeRow = Target & {
  /** The begin of the span that the row sums up. */
  at: Date;
  channel: Channel;
  provider_id: string;
  sent: number;
  delivered: number;
  failed: number;
  /** Failed messages that no provider accepted. */
  unaccepted: number;
  /** Accepted messages by their latency, in the classes of `latencyBounds`. */
  latency: number[];
  /** Messages that no provider has accepted yet, by the time they have been waiting. */
  waiting: number[];
};

const targetColumns = { environment_id: "uuid", workflow_id: "uuid" };

/** Counted hours, summed by day (UTC) before `hourlyFrom` and by hour from then on. */
export async function sumOutcomeHours(
  db: Db,
  targets: Target[],
  { from, to, hourlyFrom }: { from: Date; to: Date; hourlyFrom: Date },
): Promise<OutcomeRow[]> {
  const classes = [...latencyBounds, null].map((_, index) => sql`coalesce(sum(h.latency[${sql.lit(index + 1)}]), 0)`);
  const { rows } = await sql<OutcomeRow>`
    select h.environment_id, h.workflow_id,
      case when h.hour >= ${hourlyFrom} then h.hour else date_trunc('day', h.hour, 'UTC') end as at,
      h.channel, h.provider_id, sum(h.sent)::int as sent, sum(h.delivered)::int as delivered, sum(h.failed)::int as failed,
      sum(coalesce(h.unaccepted, h.failed))::int as unaccepted, array[${sql.join(classes)}]::int[] as latency,
      '{}'::int[] as waiting
    from ${rowsOf("t", targetColumns, targets)} join statistics_hours h
      on h.environment_id = t.environment_id and h.workflow_id = t.workflow_id and h.reason = ''
    where h.hour >= ${from} and h.hour < ${to}
    group by 1, 2, 3, 4, 5`.execute(db);
  return rows;
}

/**
 * The latest messages, at most `limit` for each environment, the newest. `spans`: the times at which the spans of the
 * rows begin, the latest first; the last one is where reading begins.
 */
export async function sumLatestOutcomes(
  db: Db,
  targets: Target[],
  { spans, now, limit }: { spans: Date[]; now: Date; limit: number },
): Promise<OutcomeRow[]> {
  const span = sql.join(
    spans.map((start) => sql`when a.id >= ${firstIdAt(start)} then ${start}::timestamptz`),
    sql` `,
  );
  // The id has the time in it: what waits was created before the bound of its class.
  const waiting = [...latencyBounds, null].map((bound, index) => {
    const lower = latencyBounds[index - 1];
    const isOlder = lower === undefined ? sql`true` : sql`f.id < ${firstIdAt(new Date(now.getTime() - lower))}`;
    const isYounger = bound === null ? sql`true` : sql`f.id >= ${firstIdAt(new Date(now.getTime() - bound))}`;
    return sql`count(*) filter (where f.status = 'pending' and ${isOlder} and ${isYounger})`;
  });
  const { rows } = await sql<OutcomeRow>`
    select f.environment_id, f.workflow_id, f.at, f.channel, f.provider_id,
      (count(*) filter (where f.status = 'sent'))::int as sent,
      (count(*) filter (where f.status = 'sent' and f.is_delivered))::int as delivered,
      (count(*) filter (where f.is_failed))::int as failed,
      (count(*) filter (where f.is_failed and not f.is_accepted))::int as unaccepted,
      array[${latencyClasses}]::int[] as latency, array[${sql.join(waiting)}]::int[] as waiting
    from (
      select m.environment_id, m.workflow_id, m.at, m.id, m.channel, coalesce(m.provider_id, '') as provider_id, m.status,
        ${isDelivered} as is_delivered, m.status in ('error', 'warning') and not ${isUnaddressed} as is_failed,
        ${isAccepted} as is_accepted, ${latencyMs} as ms
      from (select distinct t.environment_id from ${rowsOf("t", targetColumns, targets)}) as e
      cross join lateral (
        select a.*, case ${span} end as at from messages a
        where a.environment_id = e.environment_id and a.id >= ${firstIdAt(spans.at(-1)!)}
        order by a.id desc limit ${limit}) as m
      join ${rowsOf("w", targetColumns, targets)} on w.environment_id = m.environment_id and w.workflow_id = m.workflow_id
      left join lateral (
        select b.details, b.status from jobs b where b.environment_id = m.environment_id
          and b.notification_id = m.notification_id and b.id = m.job_id and m.channel <> 'in_app' offset 0) as j on true
      offset 0) as f
    group by 1, 2, 3, 4, 5`.execute(db);
  return rows;
}
