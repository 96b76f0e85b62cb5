// The messages of the last days, for forecasts.
import type { Channel } from "@tidings/contract";
import { sql } from "kysely";
import type { Db } from "../db.ts";
import type { OwnLimits } from "../tables.ts";

export type PastMessageRow = {
  subscriber_id: string;
  timezone: string | null;
  attention: OwnLimits | null;
  channel: Channel;
  workflow_id: string;
  at: Date;
};

type PastMessages = {
  channels: Channel[];
  from: Date;
  /** The first id of that time; null where ids do not follow the clock of the environment. */
  fromId: string | null;
  /** The workflow of roll-ups, whose messages do not count: their items do. */
  without: string | null;
  limit: number;
};

/**
 * Person by person, oldest first. Several messages of one step, to several devices, are one. Items of roll-ups are
 * among them, at the time at which they were held.
 */
export async function listPastMessages(
  db: Db,
  environmentId: string,
  { channels, from, fromId, without, limit }: PastMessages,
): Promise<PastMessageRow[]> {
  const since = (id: string) => (fromId === null ? sql`true` : sql`${sql.ref(id)} >= ${fromId}`);
  const { rows } = await sql<PastMessageRow>`
    select found.*, s.timezone, l.limits as attention from (
      select subscriber_id, channel, workflow_id, min(created_at) as at from messages
      where environment_id = ${environmentId} and ${since("id")} and created_at >= ${from}
        and channel = any(${channels}::text[]) and status <> 'warning' and workflow_id is distinct from ${without}
      group by subscriber_id, channel, workflow_id, notification_id, job_id
      union all
      select n.subscriber_id, j.type as channel, n.workflow_id, j.updated_at as at
      from jobs j join notifications n on n.environment_id = j.environment_id and n.id = j.notification_id
      where j.environment_id = ${environmentId} and ${since("j.notification_id")} and j.merged_into is not null
        and j.status = 'skipped' and j.type = any(${channels}::text[]) and j.updated_at >= ${from}
    ) as found join subscribers s on s.environment_id = ${environmentId} and s.id = found.subscriber_id
    left join attention_ledgers l on l.environment_id = ${environmentId} and l.subscriber_id = found.subscriber_id
    order by found.subscriber_id, found.at limit ${limit}`.execute(db);
  return rows;
}
