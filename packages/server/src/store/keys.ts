// Keys of the high-volume tables. Each begins with the environment, so that the index of the key is also the one that lists an
// environment's rows, and every statement that looks for rows by key names their environments
// (docs/decisions/0013-lean-keys.md).
import { type RawBuilder, sql } from "kysely";

/** The key of an event, a notification or a message. */
export type RowKey = { environment_id: string; id: string };

/** A job is found by its notification; `job_id` tells the jobs of a notification apart. */
export type JobKey = { environment_id: string; notification_id: string; job_id: string };

export type NotificationKey = Omit<JobKey, "job_id">;

type KeyedBy<Column extends string> = { environment_id: string } & Record<Column, string>;

/**
 * The condition that a row of `alias` belongs to one of the given keys. Ids are unique across environments, so two lists name
 * the same rows as pairs would. Unlike pairs, which are joined, the planner sees the ids: it leaves out the other months, and
 * reads the index of the key whether or not the table has statistics.
 */
export function hasKey<Column extends string>(
  alias: string,
  column: Column,
  keys: readonly KeyedBy<Column>[],
): RawBuilder<boolean> {
  const listOf = (name: "environment_id" | Column) => [...new Set(keys.map((key) => key[name]))];
  return sql`(${sql.ref(`${alias}.environment_id`)} = any(${listOf("environment_id")}::uuid[])
    and ${sql.ref(`${alias}.${column}`)} = any(${listOf(column)}::uuid[]))`;
}

export const isJob = (alias: string, jobs: readonly JobKey[]): RawBuilder<boolean> => sql`
  (${hasKey(alias, "notification_id", jobs)}
    and ${sql.ref(`${alias}.id`)} = any(${[...new Set(jobs.map((job) => job.job_id))]}::uuid[]))`;

export const inEnvironment = <Row extends object>(environmentId: string, rows: readonly Row[]) =>
  rows.map((row) => ({ ...row, environment_id: environmentId }));
