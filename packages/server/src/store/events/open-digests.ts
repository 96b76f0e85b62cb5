// Open digests as they are listed: the window, its leader and its first members.
import { type RawBuilder, sql } from "kysely";
import { isUuid } from "../../lib/ids.ts";
import type { JsonObject } from "../../lib/json.ts";
import type { Db } from "../db.ts";
import { type CursorPage, type CursorRequest, cursorPage } from "../paging.ts";
import type { WorkflowDefinition } from "../tables.ts";

export type OpenDigestRow = {
  id: string;
  step_id: string;
  leader_notification_id: string;
  due_at: Date;
  opened_at: Date;
  workflow_id: string;
  definition: WorkflowDefinition;
  subscriber_id: string | null;
  payload: JsonObject;
};

const windows = (environmentId: string, condition: RawBuilder<unknown>): RawBuilder<unknown> => sql`
  from digest_windows w
  join notifications n on n.environment_id = w.environment_id and n.id = w.leader_notification_id
  join events e on e.environment_id = n.environment_id and e.id = n.event_id
  join workflow_versions v on v.id = n.workflow_version_id
  join workflows live on live.id = n.workflow_id and live.deleted_at is null
  left join subscribers s on s.id = w.subscriber_id
  where w.environment_id = ${environmentId} and ${condition}`;

const columns = sql`w.leader_job_id as id, w.step_id, w.leader_notification_id, w.due_at, n.created_at as opened_at,
  n.workflow_id, v.definition, s.subscriber_id, e.payload`;

/** In the order in which they close. An environment has as many windows as subscribers with a digest at most. */
export function listOpenDigests(
  db: Db,
  environmentId: string,
  { workflowId, subscriberId }: { workflowId?: string; subscriberId?: string },
  request: CursorRequest,
): Promise<CursorPage<OpenDigestRow>> {
  const conditions = [sql`true`];
  if (workflowId !== undefined) {
    const isInternal = isUuid(workflowId) ? sql`or f.id = ${workflowId}` : sql``;
    conditions.push(sql`n.workflow_id in (select f.id from workflows f
      where f.environment_id = ${environmentId} and (f.workflow_id = ${workflowId} ${isInternal}))`);
  }
  if (subscriberId !== undefined) {
    conditions.push(sql`w.subscriber_id = (select p.id from subscribers p
      where p.environment_id = ${environmentId} and p.subscriber_id = ${subscriberId})`);
  }
  const from = windows(environmentId, sql.join(conditions, sql` and `));
  return cursorPage(db, { columns, from, sort: sql`w.due_at`, id: sql`w.leader_job_id` }, request);
}

export async function findOpenDigest(db: Db, environmentId: string, id: string): Promise<OpenDigestRow | undefined> {
  if (!isUuid(id)) return undefined;
  const { rows } = await sql<OpenDigestRow>`
    select ${columns} ${windows(environmentId, sql`w.leader_job_id = ${id}`)}`.execute(db);
  return rows[0];
}

export type MemberRow = { transaction_id: string; notification_id: string; created_at: Date; payload: string };

/** The notifications in the digest: its leader and those merged into it. */
const members = (environmentId: string, leader: RawBuilder<unknown>, leaderJob: RawBuilder<unknown>) => sql`
  (select ${leader} as id union all
   select j.notification_id from jobs j
   where j.merged_into = ${leaderJob} and j.environment_id = ${environmentId} and j.status = 'merged')`;

/** Characters of a payload that are shown. */
const shownMember = sql`e.transaction_id, n.id as notification_id, e.created_at, left(e.payload::text, 300) as payload`;

const joined = (environmentId: string) => sql`
  join notifications n on n.environment_id = ${environmentId} and n.id = m.id
  join events e on e.environment_id = n.environment_id and e.id = n.event_id`;

export function listMembers(
  db: Db,
  environmentId: string,
  digest: Pick<OpenDigestRow, "id" | "leader_notification_id">,
  request: CursorRequest,
): Promise<CursorPage<MemberRow>> {
  const source = members(environmentId, sql`${digest.leader_notification_id}::uuid`, sql`${digest.id}::uuid`);
  const from = sql`from ${source} as m ${joined(environmentId)} where true`;
  return cursorPage(db, { columns: shownMember, from, sort: sql`e.created_at`, id: sql`n.id` }, request);
}

export type DigestSize = MemberRow & { id: string; count: number };

/** The first `shown` members of each digest, with the number of all of them, counted up to `limit`. */
export async function findFirstMembers(
  db: Db,
  environmentId: string,
  digests: Pick<OpenDigestRow, "id" | "leader_notification_id">[],
  { shown, limit }: { shown: number; limit: number },
): Promise<DigestSize[]> {
  if (digests.length === 0) return [];
  const ids = digests.map((digest) => digest.id);
  const leaders = digests.map((digest) => digest.leader_notification_id);
  const { rows } = await sql<DigestSize>`
    select d.id, f.* from unnest(${ids}::uuid[], ${leaders}::uuid[]) as d(id, leader) cross join lateral (
      select ${shownMember}, m.count from (
        select id, count(*) over () as count from (
          select id from ${members(environmentId, sql`d.leader`, sql`d.id`)} as a limit ${limit}) as counted
        order by id limit ${shown}) as m ${joined(environmentId)}) as f
    order by d.id, f.notification_id`.execute(db);
  return rows;
}
