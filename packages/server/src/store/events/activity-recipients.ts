// The recipient of events that have one.
import { sql } from "kysely";
import type { Db } from "../db.ts";
import type { WorkflowDefinition } from "../tables.ts";

export type SoleRecipientRow = {
  event_id: string;
  notification_id: string;
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
  const { rows } = await sql<SoleRecipientRow>`
    select k.id as event_id, n.id as notification_id, s.subscriber_id, s.first_name, s.last_name, v.definition
    from unnest(${eventIds}::uuid[]) as k(id)
    cross join lateral (
      select f.id, f.subscriber_id, f.workflow_version_id from notifications f
      where f.event_id = k.id and f.environment_id = ${environmentId} limit 1) as n
    join workflow_versions v on v.id = n.workflow_version_id
    left join subscribers s on s.id = n.subscriber_id and s.environment_id = ${environmentId}`.execute(db);
  return rows;
}
