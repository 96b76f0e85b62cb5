// Runs that are under way in a workflow: of each the first job that has not ended. There is no index on the state of jobs
// (outcomes.ts says why), so a bounded number of notifications is looked at, newest first.
import type { StepType } from "@tidings/contract";
import { sql } from "kysely";
import type { Db } from "../db.ts";
import type { StoredStep } from "../tables.ts";

export type InFlightRow = {
  version_id: string;
  number: number;
  steps: StoredStep[];
  step_index: number;
  type: StepType;
  status: "pending" | "queued" | "running" | "delayed";
  count: number;
  oldest: Date;
  next_at: Date | null;
};

/** `looked`: how many notifications were looked at, at most `limit`. */
export async function countInFlight(
  db: Db,
  environmentId: string,
  workflowId: string,
  limit: number,
): Promise<{ rows: InFlightRow[]; looked: number }> {
  const { rows } = await sql<InFlightRow & { looked: number }>`
    with recent as materialized (
      select environment_id, id, workflow_version_id, created_at from notifications
      where workflow_id = ${workflowId} and environment_id = ${environmentId} order by id desc limit ${limit}),
    waiting as (
      select r.workflow_version_id, j.step_index, j.type, j.status, count(*) as count, min(r.created_at) as oldest,
        min(j.wake_at) as next_at
      from recent r cross join lateral (
        select f.step_index, f.type, f.status, f.wake_at from jobs f
        where f.environment_id = r.environment_id and f.notification_id = r.id
          and f.status in ('pending', 'queued', 'running', 'delayed')
        order by f.step_index limit 1) as j
      group by 1, 2, 3, 4)
    select looked.count as looked, w.workflow_version_id as version_id, v.number, v.definition->'steps' as steps,
      w.step_index, w.type, w.status, w.count, w.oldest, w.next_at
    from (select count(*) as count from recent) as looked
    left join waiting w on true left join workflow_versions v on v.id = w.workflow_version_id
    order by v.number desc, w.step_index, w.status`.execute(db);
  return { rows: rows.filter((row) => row.version_id !== null), looked: rows[0]?.looked ?? 0 };
}

/** Of these workflows those with a run under way among their newest `limit` notifications. */
export async function findWorkflowsInFlight(
  db: Db,
  environmentId: string,
  workflowIds: string[],
  limit: number,
): Promise<Set<string>> {
  if (workflowIds.length === 0) return new Set();
  const { rows } = await sql<{ id: string }>`
    select w.id from unnest(${workflowIds}::uuid[]) as w(id) where exists (
      select 1 from (
        select n.id from notifications n where n.workflow_id = w.id and n.environment_id = ${environmentId}
        order by n.id desc limit ${limit}) as r
      where exists (
        select 1 from jobs f where f.environment_id = ${environmentId} and f.notification_id = r.id
          and f.status in ('pending', 'queued', 'running', 'delayed')))`.execute(db);
  return new Set(rows.map(({ id }) => id));
}
