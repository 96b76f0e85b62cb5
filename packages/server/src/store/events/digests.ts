// Open digest windows of an environment, and closing them early.
import { type Selectable, sql } from "kysely";
import type { Db } from "../db.ts";
import type { StoredDetail, Tables } from "../tables.ts";
import { groupKey, isSameGroup } from "./groups.ts";
export type WindowClaim = Selectable<Tables["digest_windows"]>;

export type WindowFilter = { stepIds: string[]; subscriberId: string | null } | { leaderJobId: string };

const isWanted = (filter: WindowFilter) =>
  "leaderJobId" in filter
    ? sql`leader_job_id = ${filter.leaderJobId}`
    : sql`step_id = any(${filter.stepIds}::uuid[])
        and (${filter.subscriberId}::uuid is null or subscriber_id = ${filter.subscriberId}::uuid)`;

/** Makes up to `limit` open windows due now. Returns the notifications that lead them. */
export async function makeWindowsDue(
  db: Db,
  environmentId: string,
  { filter, closed, now, limit }: { filter: WindowFilter; closed: StoredDetail; now: Date; limit: number },
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    with open as (
      select ${groupKey()} from digest_windows
      where environment_id = ${environmentId} and due_at > ${now} and ${isWanted(filter)}
      order by ${groupKey()} limit ${limit} for update),
    due as (
      update digest_windows w set due_at = ${now} from open where ${isSameGroup("w", "open")}
      returning w.leader_notification_id, w.leader_job_id)
    update jobs j set wake_at = ${now}, updated_at = ${now}, details = j.details || ${JSON.stringify([closed])}::jsonb
    from due where j.environment_id = ${environmentId} and j.notification_id = due.leader_notification_id
      and j.id = due.leader_job_id and j.status = 'delayed'
    returning j.notification_id as id`.execute(db);
  return rows.map((row) => row.id);
}
