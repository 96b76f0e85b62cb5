// Backtests: their rows, and the differences that they found. Only the stage that replays changes them while they run.
import type { BacktestEffect, BacktestReport } from "@tidings/contract";
import { type Selectable, sql } from "kysely";
import { isUuid } from "../../lib/ids.ts";
import type { JsonObject } from "../../lib/json.ts";
import { rowsOf } from "../bulk.ts";
import type { Db } from "../db.ts";
import type { Tables } from "../tables.ts";

export type BacktestRow = Selectable<Tables["backtests"]>;
/** What is shown of it, without the change and what was counted so far. */
export type BacktestHead = Omit<BacktestRow, "change" | "tally" | "report"> & {
  workflow_ids: string[];
  is_plain: boolean;
  /** Notifications and people that were replayed. */
  done: number;
  people: number;
};

const emptyChange = { budgets: null, preferences: {}, order: {}, layouts: {}, workflows: [] };

const headColumns = sql`
  environment_id, id, name, status, failure, period_from, period_to, permyriad, notifications, page, after_id,
  differences, created_by, created_at, started_at, finished_at,
  jsonb_path_query_array(change, '$.workflows[*].workflowId') as workflow_ids,
  change - 'ignored' = ${JSON.stringify(emptyChange)}::jsonb as is_plain,
  coalesce((tally->>'done')::int, 0) as done, coalesce((tally->>'people')::int, 0) as people`;

type NewBacktest = Pick<
  BacktestRow,
  "id" | "name" | "period_from" | "period_to" | "permyriad" | "notifications" | "change" | "created_by" | "created_at"
>;

/** Undefined when another one of the environment runs. */
export async function insertBacktest(
  db: Db,
  environmentId: string,
  row: NewBacktest,
): Promise<BacktestRow | undefined> {
  const { rows } = await sql<BacktestRow>`
    insert into backtests (environment_id, id, name, status, period_from, period_to, permyriad, notifications, change,
      created_by, created_at)
    values (${environmentId}, ${row.id}, ${row.name}, 'queued', ${row.period_from}, ${row.period_to}, ${row.permyriad},
      ${row.notifications}, ${JSON.stringify(row.change)}::jsonb, ${row.created_by}, ${row.created_at})
    on conflict (environment_id) where status in ('queued', 'running') do nothing
    returning *`.execute(db);
  return rows[0];
}

export async function findRunningBacktest(db: Db, environmentId: string): Promise<string | undefined> {
  const { rows } = await sql<{ id: string }>`
    select id from backtests where environment_id = ${environmentId} and status in ('queued', 'running')`.execute(db);
  return rows[0]?.id;
}

export async function findBacktest(db: Db, environmentId: string, id: string): Promise<BacktestRow | undefined> {
  if (!isUuid(id)) return undefined;
  const { rows } = await sql<BacktestRow>`
    select * from backtests where environment_id = ${environmentId} and id = ${id}`.execute(db);
  return rows[0];
}

/** Newest first, one more than asked. */
export async function listBacktests(
  db: Db,
  environmentId: string,
  { offset, limit }: { offset: number; limit: number },
): Promise<BacktestHead[]> {
  const { rows } = await sql<BacktestHead>`
    select ${headColumns} from backtests where environment_id = ${environmentId}
    order by id desc limit ${limit + 1} offset ${offset}`.execute(db);
  return rows;
}

/** `lock`: until the transaction ends. */
export async function findBacktestHead(
  db: Db,
  environmentId: string,
  id: string,
  { lock = false } = {},
): Promise<(BacktestHead & Pick<BacktestRow, "report">) | undefined> {
  if (!isUuid(id)) return undefined;
  const { rows } = await sql<BacktestHead & Pick<BacktestRow, "report">>`
    select ${headColumns}, report from backtests where environment_id = ${environmentId} and id = ${id}
    ${lock ? sql`for update` : sql``}`.execute(db);
  return rows[0];
}

export async function deleteBacktest(db: Db, environmentId: string, id: string): Promise<void> {
  await sql`delete from backtests where environment_id = ${environmentId} and id = ${id}`.execute(db);
}

/** A message that would be different. */
export type Difference = {
  subscriber_id: string;
  notification_id: string;
  step_id: string;
  workflow_id: string;
  effect: BacktestEffect;
  was_sent: boolean;
  is_sent: boolean;
};

const differenceColumns = {
  subscriber_id: "uuid",
  notification_id: "uuid",
  step_id: "text",
  workflow_id: "text",
  effect: "text",
  was_sent: "boolean",
  is_sent: "boolean",
};

export type PageDone = { tally: JsonObject; afterId: string | null; differences: Difference[]; now: Date };

/** False when it was canceled, or another worker has replayed this page. People who were deleted are left out. */
export async function savePage(
  db: Db,
  environmentId: string,
  { id, page }: Pick<BacktestRow, "id" | "page">,
  { tally, afterId, differences, now }: PageDone,
): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    update backtests set status = 'running', page = ${page + 1}, after_id = ${afterId},
      tally = ${JSON.stringify(tally)}::jsonb, differences = differences + ${differences.length},
      started_at = coalesce(started_at, ${now})
    where environment_id = ${environmentId} and id = ${id} and page = ${page} and status in ('queued', 'running')`.execute(
    db,
  );
  if (numAffectedRows === 0n) return false;
  if (differences.length > 0) {
    const names = sql.raw(Object.keys(differenceColumns).join(", "));
    await sql`
      insert into backtest_differences (environment_id, backtest_id, ${names})
      select ${environmentId}::uuid, ${id}::uuid, ${names} from ${rowsOf("r", differenceColumns, differences)}
      where exists (select 1 from subscribers s where s.environment_id = ${environmentId} and s.id = r.subscriber_id)
      on conflict do nothing`.execute(db);
  }
  return true;
}

/** The report replaces the tally. */
export async function completeBacktest(
  db: Db,
  environmentId: string,
  id: string,
  { report, now }: { report: BacktestReport; now: Date },
): Promise<void> {
  await sql`
    update backtests set status = 'completed', report = ${JSON.stringify(report)}::jsonb, finished_at = ${now}
    where environment_id = ${environmentId} and id = ${id} and status = 'running'`.execute(db);
}

export async function failBacktest(
  db: Db,
  environmentId: string,
  id: string,
  { reason, now }: { reason: string; now: Date },
): Promise<void> {
  await sql`
    update backtests set status = 'failed', failure = ${reason}, finished_at = ${now},
      started_at = coalesce(started_at, ${now})
    where environment_id = ${environmentId} and id = ${id} and status in ('queued', 'running')`.execute(db);
}

export type ListedPerson = {
  id: string;
  subscriber_id: string;
  first_name: string | null;
  last_name: string | null;
  effects: Record<string, number>;
  workflow_ids: string[];
  before: number;
  after: number;
};

type PeopleFilter = { effect?: string; workflowId?: string; after: string | null; limit: number };

/** In the order of their internal ids. A filter selects people; what is counted is all of theirs. */
export async function listDifferingPeople(
  db: Db,
  environmentId: string,
  backtestId: string,
  { effect, workflowId, after, limit }: PeopleFilter,
): Promise<ListedPerson[]> {
  const isOwn = sql`d.environment_id = ${environmentId} and d.backtest_id = ${backtestId}`;
  const conditions = [
    isOwn,
    ...(effect === undefined ? [] : [sql`d.effect = ${effect}`]),
    ...(workflowId === undefined ? [] : [sql`d.workflow_id = ${workflowId}`]),
    ...(after === null ? [] : [sql`d.subscriber_id > ${after}::uuid`]),
  ];
  const { rows } = await sql<ListedPerson>`
    with chosen as (
      select distinct d.subscriber_id as id from backtest_differences d where ${sql.join(conditions, sql` and `)}
      order by 1 limit ${limit}),
    effects as (
      select d.subscriber_id as id, d.effect, count(*)::int as count,
        count(*) filter (where d.was_sent)::int as before, count(*) filter (where d.is_sent)::int as after,
        array_agg(distinct d.workflow_id) as workflow_ids
      from backtest_differences d join chosen on chosen.id = d.subscriber_id where ${isOwn} group by 1, 2)
    select s.id, s.subscriber_id, s.first_name, s.last_name, jsonb_object_agg(e.effect, e.count) as effects,
      array(select distinct unnest(f.workflow_ids) from effects f where f.id = s.id order by 1) as workflow_ids,
      sum(e.before)::int as before, sum(e.after)::int as after
    from effects e join subscribers s on s.environment_id = ${environmentId} and s.id = e.id
    group by s.id, s.subscriber_id, s.first_name, s.last_name order by s.id`.execute(db);
  return rows;
}
