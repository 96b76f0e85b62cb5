// What a backup has, read from PostgreSQL's catalogue, so that a new table is part of it without another line of code.
// A table of the service has its plain name, one of the queue begins with `queue.`.
import pg from "pg";
import { schema as queueSchema } from "../queue/boss.ts";
import { type BackupSession, findRows } from "./session.ts";

/** `bound`: the values of a partition, as `create table` names them. `options`: storage parameters. */
export type BackupTable = {
  name: string;
  columns: string[];
  partition?: { of: string; bound: string; options: string[] };
};

/** `value`: null for a sequence that was never used. */
export type BackupSequence = { name: string; value: string | null };

export type AppliedMigration = { version: number; name: string; checksum: string };

/** For `from pg_class c join pg_namespace n`: what is in our schemas and not part of an extension. */
const isOurs = `n.nspname in (current_schema(), '${queueSchema}') and not exists (
  select 1 from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')`;

const nameOf = (schema: string, table: string) =>
  `case when ${schema} = '${queueSchema}' then '${queueSchema}.' else '' end || ${table}`;

/**
 * Every table with rows that survive a crash: unlogged ones hold what the service measures anew. Partitions are
 * tables, the tables that they are part of have no rows.
 */
export async function listTables(client: BackupSession): Promise<BackupTable[]> {
  const rows = await findRows<{
    name: string;
    columns: string[];
    parent: string | null;
    bound: string | null;
    options: string[] | null;
  }>(
    client,
    `select ${nameOf("n.nspname", "c.relname")} as name, ${nameOf("n.nspname", "p.relname")} as parent,
       pg_get_expr(c.relpartbound, c.oid) as bound, c.reloptions as options, (
         select json_agg(a.attname order by a.attnum) from pg_attribute a
         where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '') as columns
     from pg_class c join pg_namespace n on n.oid = c.relnamespace
     left join pg_inherits i on i.inhrelid = c.oid left join pg_class p on p.oid = i.inhparent
     where c.relkind = 'r' and c.relpersistence = 'p' and ${isOurs} order by 1`,
  );
  return rows.map(({ name, columns, parent, bound, options }) => ({
    name,
    columns: columns ?? [],
    ...(parent !== null && bound !== null && { partition: { of: parent, bound, options: options ?? [] } }),
  }));
}

export function listSequences(client: BackupSession): Promise<BackupSequence[]> {
  return findRows<BackupSequence>(
    client,
    `select ${nameOf("schemaname", "sequencename")} as name, last_value::text as value from pg_sequences
     where schemaname in (current_schema(), '${queueSchema}') order by 1`,
  );
}

/** An installation that no program after 0.1 has migrated lacks the second table. */
export async function listMigrations(client: BackupSession): Promise<AppliedMigration[]> {
  const [found] = await findRows<{ has_versions: boolean }>(
    client,
    "select to_regclass('schema_versions') is not null as has_versions",
  );
  const tables = ["schema_migrations", ...(found!.has_versions ? ["schema_versions"] : [])];
  const all = tables.map((table) => `select version, name, checksum from ${table}`).join(" union ");
  return findRows<AppliedMigration>(client, `${all} order by version`);
}

export async function findQueueVersion(client: BackupSession): Promise<number> {
  const [row] = await findRows<{ version: number }>(client, `select version from ${queueSchema}.version`);
  return row!.version;
}

/** Whether the database has the tables that every installation has. */
export async function isInstallation(client: BackupSession): Promise<boolean> {
  const [row] = await findRows<{ is_one: boolean }>(
    client,
    `select to_regclass('schema_migrations') is not null and to_regclass('${queueSchema}.version') is not null as is_one`,
  );
  return row!.is_one;
}

/** A name of a backup as SQL. The file is input: its names are quoted. */
export function quoteName(name: string): string {
  const prefix = `${queueSchema}.`;
  return name.startsWith(prefix)
    ? `${queueSchema}.${pg.escapeIdentifier(name.slice(prefix.length))}`
    : pg.escapeIdentifier(name);
}

export const quoteColumns = (columns: string[]): string => columns.map((name) => pg.escapeIdentifier(name)).join(", ");
