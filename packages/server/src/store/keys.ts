// Keys of the high-volume tables. Each begins with the environment, so that the index of the key is also the one that
// lists an environment's rows, and every statement that searches for rows by key names their environments
// (docs/decisions/0013-lean-keys.md).
import { type RawBuilder, sql } from "kysely";

/** The key of an event, a notification or a message. */
export type RowKey = { environment_id: string; id: string };

/** A job is found by its notification; `job_id` distinguishes the jobs of a notification. */
export type JobKey = { environment_id: string; notification_id: string; job_id: string };

/** The columns of a job's key in a list of given rows. */
export const jobKeyColumns = { environment_id: "uuid", notification_id: "uuid", job_id: "uuid" };

export type NotificationKey = Omit<JobKey, "job_id">;

type KeyedBy<Column extends string> = { environment_id: string } & Record<Column, string>;

type Options = {
  /** An additional condition on the row. */
  where?: RawBuilder<unknown>;
  lock?: "for update" | "for no key update" | "for share";
};

/**
 * The rows of the table with these keys, to select from. Each key is one look-up in the index of the key, and rows are
 * locked in the order of their keys. `offset 0` keeps the planner from joining instead: as long as a table has no
 * statistics, a join or a condition `id = any(…)` may read the whole environment (test/store/plans.rest.test.ts). From
 * the first and the last id the planner sees which months it can leave out.
 */
export function rowsByKey<Column extends string>(
  table: string,
  alias: string,
  column: Column,
  keys: readonly KeyedBy<Column>[],
  { where = sql`true`, lock }: Options = {},
): RawBuilder<unknown> {
  const byId = new Map(keys.map((key) => [key[column] as string, key.environment_id]));
  const sorted = [...byId].sort(([a], [b]) => (a < b ? -1 : 1));
  const environmentIds = sorted.map(([, environmentId]) => environmentId);
  const ids = sorted.map(([id]) => id);
  return sql`unnest(${environmentIds}::uuid[], ${ids}::uuid[]) as k(environment_id, id) cross join lateral (
    select * from ${sql.table(table)} t where t.environment_id = k.environment_id and ${sql.ref(`t.${column}`)} = k.id
      and ${sql.ref(`t.${column}`)} between ${ids[0] ?? null}::uuid and ${ids.at(-1) ?? null}::uuid
      and ${where} offset 0 ${sql.raw(lock ?? "")}) as ${sql.ref(alias)}`;
}

/** The jobs with these keys, to select from; locked in the order of their notifications. */
export const jobsByKey = (jobs: readonly JobKey[], lock?: Options["lock"]): RawBuilder<unknown> =>
  rowsByKey("jobs", "j", "notification_id", jobs, { where: isOneOf("t.id", jobs, "job_id"), lock });

/** Whether the column has one of the values of these rows. */
const isOneOf = <Column extends string>(
  reference: string,
  rows: readonly Record<Column, string>[],
  column: Column,
): RawBuilder<boolean> => sql`${sql.ref(reference)} = any(${[...new Set(rows.map((row) => row[column]))]}::uuid[])`;

/**
 * The condition that a row (`alias`) of a table that is updated has the key of a given row (`r`). Environments and ids
 * appear in the statement once more, for the planner: it leaves out the partitions of other months, and can use the
 * index of the key whichever way it joins.
 */
export const hasKeyOf = <Column extends string>(
  alias: string,
  column: Column,
  rows: readonly KeyedBy<Column>[],
): RawBuilder<boolean> => sql`(${isOneOf(`${alias}.environment_id`, rows, "environment_id")}
  and ${isOneOf(`${alias}.${column}`, rows, column)}
  and ${sql.ref(`${alias}.environment_id`)} = r.environment_id and ${sql.ref(`${alias}.${column}`)} = ${sql.ref(`r.${column}`)})`;
