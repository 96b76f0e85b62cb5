// The recipient of events that have one.
import { sql } from "kysely";
import type { Db } from "../db.ts";
import type { WorkflowDefinition } from "../tables.ts";
import type { JobSource } from "./finished-jobs.ts";

export type SoleRecipientRow = {
  event_id: string;
  notification: JobSource;
  subscriber_id: string | null;
  first_name: string | null;
  last_name: string | null;
  definition: WorkflowDefinition;
};

/** A notification of each of these events, with its subscriber; `subscriber_id` is null when that one was deleted. */
export async function findSoleRecipients(
  db: Db,
  environmentId: string,
  eventIds: string[],
): Promise<SoleRecipientRow[]> {
  if (eventIds.length === 0) return [];
  const { rows } = await sql<Omit<SoleRecipientRow, "notification"> & JobSource>`
    select k.id as event_id, n.id, ${environmentId}::uuid as environment_id, n.created_at, n.finished_jobs, n.later_details,
      s.subscriber_id, s.first_name, s.last_name, v.definition
    from unnest(${eventIds}::uuid[]) as k(id)
    cross join lateral (
      select * from notifications f
      where f.event_id = k.id and f.environment_id = ${environmentId} limit 1) as n
    join workflow_versions v on v.id = n.workflow_version_id
    left join subscribers s on s.id = n.subscriber_id and s.environment_id = ${environmentId}`.execute(db);
  return rows.map((row) => ({ ...row, notification: row }));
}
