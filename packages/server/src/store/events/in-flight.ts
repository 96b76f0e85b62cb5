// Runs that are in progress in a workflow: of each the first job that has not ended. There is no index on the state of
// jobs (outcomes.ts says why), so a bounded number of notifications is examined, newest first.
import type { StepType } from "@tidings/contract";
import { sql } from "kysely";
import type { Db } from "../db.ts";
import type { StoredStep } from "../tables.ts";
import { isTestVersion } from "../workflows/versions.ts";

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

/** `looked`: how many notifications were examined, at most `limit`. */
export async function countInFlight(
  db: Db,
  environmentId: string,
  workflowId: string,
  limit: number,
): Promise<InFlight> {
  const found = await countInFlightOf(db, environmentId, [workflowId], limit);
  return found.get(workflowId) ?? { rows: [], looked: 0 };
}

type InFlight = { rows: InFlightRow[]; looked: number };

/** The same for many workflows, by internal id; at most `limit` notifications of each are examined. */
export async function countInFlightOf(
  db: Db,
  environmentId: string,
  workflowIds: string[],
  limit: number,
): Promise<Map<string, InFlight>> {
  if (workflowIds.length === 0) return new Map();
  const { rows } = await sql<InFlightRow & { looked: number; workflow_id: string }>`
    with recent as materialized (
      select n.* from unnest(${workflowIds}::uuid[]) as w(id) cross join lateral (
        select environment_id, id, workflow_id, workflow_version_id, created_at from notifications
        where workflow_id = w.id and environment_id = ${environmentId} order by id desc limit ${limit}) as n),
    waiting as (
      select r.workflow_id, r.workflow_version_id, j.step_index, j.type, j.status, count(*) as count, min(r.created_at) as oldest,
        min(j.wake_at) as next_at
      from recent r cross join lateral (
        select f.step_index, f.type, f.status, f.wake_at from jobs f
        where f.environment_id = r.environment_id and f.notification_id = r.id
          and f.status in ('pending', 'queued', 'running', 'delayed')
        order by f.step_index limit 1) as j
      group by 1, 2, 3, 4, 5)
    select looked.workflow_id, looked.count as looked, w.workflow_version_id as version_id, v.number, v.definition->'steps' as steps,
      w.step_index, w.type, w.status, w.count, w.oldest, w.next_at
    from (select workflow_id, count(*) as count from recent group by 1) as looked
    left join (waiting w join workflow_versions v on v.id = w.workflow_version_id and not ${isTestVersion})
      on w.workflow_id = looked.workflow_id
    order by v.number desc, w.step_index, w.status`.execute(db);
  return new Map(
    [...Map.groupBy(rows, (row) => row.workflow_id)].map(([workflowId, own]) => [
      workflowId,
      { rows: own.filter((row) => row.version_id !== null), looked: own[0]!.looked },
    ]),
  );
}

/** The given workflows with a run in progress among their newest `limit` notifications. */
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
