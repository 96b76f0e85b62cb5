// How much workflows send, over all environments at once: the latest messages, and counted hours.
import { sql } from "kysely";
import { firstIdAt } from "../../lib/ids.ts";
import { rowsOf } from "../bulk.ts";
import type { Db } from "../db.ts";
import type { Target } from "./objectives.ts";

/** Workflows that one pass compares with their history: those with the most messages. */
const maxWorkflows = 1_000;

/** A stretch of time until now, in an environment. */
export type Window = { environment_id: string; since: Date; at_least: number };
export type Volume = Target & { since: Date; identifier: string; name: string; active: boolean; count: number };

/**
 * Workflows with at least so many messages since the begin of a window. A window reads at most `limit` messages, the
 * newest, by the key of the table.
 */
export async function countLatestMessages(db: Db, windows: Window[], limit: number): Promise<Volume[]> {
  const rows = windows.map((one) => ({ ...one, first_id: firstIdAt(one.since) }));
  const columns = { environment_id: "uuid", since: "timestamptz", at_least: "int", first_id: "uuid" };
  const { rows: found } = await sql<Volume>`
    select c.environment_id, c.workflow_id, c.since, w.workflow_id as identifier, w.name, w.active, c.count
    from (
      select r.environment_id, r.since, r.at_least, m.workflow_id, count(*)::int as count
      from ${rowsOf("r", columns, rows)}
      cross join lateral (
        select a.workflow_id from messages a where a.environment_id = r.environment_id and a.id >= r.first_id
        order by a.id desc limit ${limit}) as m
      group by 1, 2, 3, 4) as c
    join workflows w on w.id = c.workflow_id and w.deleted_at is null
    where c.count >= c.at_least
    order by c.count desc limit ${maxWorkflows}`.execute(db);
  return found;
}

export type CountedVolume = Target & { hour: Date; count: number };

const targetColumns = { environment_id: "uuid", workflow_id: "uuid" };

/** Messages by hour, of these hours. */
export async function countMessagesOfHours(db: Db, targets: Target[], hours: Date[]): Promise<CountedVolume[]> {
  const { rows } = await sql<CountedVolume>`
    select h.environment_id, h.workflow_id, h.hour, sum(h.sent + h.failed)::int as count
    from ${rowsOf("t", targetColumns, targets)}
    cross join unnest(${hours}::timestamptz[]) as u(hour)
    join statistics_hours h on h.environment_id = t.environment_id and h.hour = u.hour and h.workflow_id = t.workflow_id
    where h.reason = '' group by 1, 2, 3`.execute(db);
  return rows;
}

/** Messages by hour, of all hours of a stretch of time. */
export async function countMessagesBetween(
  db: Db,
  targets: Target[],
  { from, to }: { from: Date; to: Date },
): Promise<CountedVolume[]> {
  const { rows } = await sql<CountedVolume>`
    select h.environment_id, h.workflow_id, h.hour, sum(h.sent + h.failed)::int as count
    from ${rowsOf("t", targetColumns, targets)}
    join statistics_hours h on h.environment_id = t.environment_id and h.workflow_id = t.workflow_id
    where h.reason = '' and h.hour >= ${from} and h.hour < ${to} group by 1, 2, 3`.execute(db);
  return rows;
}
