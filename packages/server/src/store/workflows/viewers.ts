// Who has a workflow open in the dashboard. Rows of tabs that have been silent for long are removed by the next sign.
import { sql } from "kysely";
import type { Db } from "../db.ts";

export type ViewerRow = { member_id: string; name: string; is_editing: boolean; seen_at: Date };

type Tab = { workflowId: string; tabId: string };

export async function putViewer(
  db: Db,
  environmentId: string,
  { workflowId, tabId, memberId, isEditing, now }: Tab & { memberId: string; isEditing: boolean; now: Date },
): Promise<void> {
  await sql`insert into workflow_viewers (environment_id, workflow_id, tab_id, member_id, is_editing, seen_at)
    values (${environmentId}, ${workflowId}, ${tabId}, ${memberId}, ${isEditing}, ${now})
    on conflict (environment_id, workflow_id, tab_id) do update
      set is_editing = excluded.is_editing, seen_at = excluded.seen_at
      where workflow_viewers.member_id = excluded.member_id`.execute(db);
}

export async function removeViewers(
  db: Db,
  environmentId: string,
  { workflowId, tabId, memberId, before }: Tab & { memberId: string; before: Date },
): Promise<void> {
  await sql`delete from workflow_viewers where environment_id = ${environmentId} and workflow_id = ${workflowId}
    and (seen_at < ${before} or (tab_id = ${tabId} and member_id = ${memberId}))`.execute(db);
}

/** One for each member, without the tab that asks. */
export async function listViewers(
  db: Db,
  environmentId: string,
  { workflowId, tabId, after, limit }: Tab & { after: Date; limit: number },
): Promise<ViewerRow[]> {
  const { rows } = await sql<ViewerRow>`
    select v.member_id, u.name, bool_or(v.is_editing) as is_editing, max(v.seen_at) as seen_at
    from workflow_viewers v join users u on u.id = v.member_id
    where v.environment_id = ${environmentId} and v.workflow_id = ${workflowId} and v.tab_id <> ${tabId}
      and v.seen_at >= ${after}
    group by v.member_id, u.name order by u.name, v.member_id limit ${limit}`.execute(db);
  return rows;
}
