// The target of a restore: an empty database, in which one transaction creates the schema of the backup, copies its
// rows and checks its references. Until that transaction is committed the database stays empty.
import pg from "pg";
import { getConstructionPlans, getRollbackPlans } from "pg-boss";
import { migrationLock, migrationTables } from "../installation/migrate.ts";
import { readMigrations } from "../installation/migration-files.ts";
import { listenerName, schema as queueSchema } from "../queue/boss.ts";
import {
  type BackupSequence,
  type BackupTable,
  findQueueVersion,
  listSequences,
  listTables,
  quoteColumns,
  quoteName,
} from "./catalogue.ts";
import { copyIn } from "./copy-stream.ts";
import { type BackupSession, findRows } from "./session.ts";

/**
 * Whether no service uses the database. From then on, until the session ends, services that start are held up before
 * they migrate. Each process has one listening connection.
 */
export async function keepServicesOut(client: BackupSession): Promise<boolean> {
  const [found] = await findRows<{ is_free: boolean }>(
    client,
    `select not exists (select 1 from pg_stat_activity
         where datname = current_database() and application_name = $1)
       and pg_try_advisory_lock($2) as is_free`,
    [listenerName, migrationLock],
  );
  return found!.is_free;
}

/** `environments`: the identifiers, if it is an installation of Tidings. */
export type Contents = { tables: string[]; environments: string[] };

/** What is in the database; null when it is empty. */
export async function findContents(client: BackupSession): Promise<Contents | null> {
  const rows = await findRows<{ name: string }>(
    client,
    `select format('%I.%I', n.nspname, c.relname) as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where c.relkind in ('r', 'p', 'v', 'm', 'f') and n.nspname !~ '^pg_' and n.nspname <> 'information_schema'
       and not c.relispartition and not exists (
         select 1 from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')
     order by 1`,
  );
  if (rows.length === 0) return null;
  const tables = rows.map(({ name }) => name);
  const [found] = await findRows<{ is_ours: boolean }>(
    client,
    "select to_regclass('environments') is not null as is_ours",
  );
  const environments = found!.is_ours
    ? await findRows<{ identifier: string }>(client, "select identifier from environments order by created_at limit 10")
    : [];
  return { tables, environments: environments.map(({ identifier }) => identifier) };
}

/** The newest that this program knows. */
export const findNewestMigration = (): number => readMigrations().at(-1)?.version ?? 0;

/** A script of pg-boss without its own transaction. */
function insideTransaction(script: string): string {
  const [, body] = /^\s*BEGIN;([\s\S]*)COMMIT;\s*$/.exec(script) ?? [];
  const hasOther = body?.split("\n").some((line) => /^(BEGIN|COMMIT);/.test(line.trim()));
  if (body === undefined || hasOther) throw new Error("pg-boss has scripts of another form");
  return body;
}

/** The queue is too new for this program. */
export class QueueTooNewError extends Error {}

/** Nobody waits for an index of an empty table, and inside a transaction PostgreSQL builds none concurrently. */
const concurrently = /(\bindex)\s+concurrently\b/gi;

/** Creates the tables as they were when the backup was taken. The next start of the service migrates them. */
export async function createSchema(
  client: BackupSession,
  { migration, queue }: { migration: number; queue: number },
): Promise<void> {
  await client.query(migrationTables);
  for (const { version, text } of readMigrations())
    if (version <= migration) await client.query(text.replaceAll(concurrently, "$1"));
  await client.query(insideTransaction(getConstructionPlans(queueSchema)));
  const newest = await findQueueVersion(client);
  if (queue > newest) throw new QueueTooNewError();
  for (let version = newest; version > queue; version--) {
    await client.query(insideTransaction(getRollbackPlans(queueSchema, version)));
  }
  // The scripts of pg-boss have their own limits.
  await client.query("set local idle_in_transaction_session_timeout = 0; set local lock_timeout = '10s'");
}

const isOurNamespace = `n.nspname in (current_schema(), '${queueSchema}')`;

type ForeignKey = { table: string; name: string; definition: string };
export type LoadState = { tables: Set<string>; keys: ForeignKey[]; triggered: string[] };

/**
 * Prepares the new tables for rows in any order: partitions are created, references and triggers are set aside, and
 * what the migrations have inserted is removed.
 */
export async function beginLoad(client: BackupSession, tables: BackupTable[]): Promise<LoadState> {
  const existing = new Set((await listTables(client)).map(({ name }) => name));
  for (const { name, partition } of tables) {
    if (!partition || existing.has(name)) continue;
    await client.query(partitionStatement(name, partition));
    existing.add(name);
  }
  const keys = await findRows<ForeignKey>(
    client,
    `select c.conrelid::regclass::text as "table", c.conname as name, pg_get_constraintdef(c.oid) as definition
     from pg_constraint c join pg_namespace n on n.oid = c.connamespace
     where c.contype = 'f' and c.conparentid = 0 and ${isOurNamespace} order by 1, 2`,
  );
  for (const { table, name } of keys)
    await client.query(`alter table ${table} drop constraint ${pg.escapeIdentifier(name)}`);
  const triggered = await findRows<{ table: string }>(
    client,
    `select distinct t.tgrelid::regclass::text as "table" from pg_trigger t join pg_class c on c.oid = t.tgrelid
     join pg_namespace n on n.oid = c.relnamespace where not t.tgisinternal and ${isOurNamespace}`,
  );
  for (const { table } of triggered) await client.query(`alter table ${table} disable trigger user`);
  await client.query(`truncate ${[...existing].map(quoteName).join(", ")}`);
  return { tables: existing, keys, triggered: triggered.map(({ table }) => table) };
}

/** A bound of a partition as PostgreSQL prints it: the file is input. */
const boundForm = /^(DEFAULT|FOR VALUES (FROM \('[\w :.+-]*'\) TO \('[\w :.+-]*'\)|IN \('[\w -]*'(, '[\w -]*')*\)))$/;
const optionForm = /^[a-z_]+=[\w.]+$/;

function partitionStatement(name: string, { of, bound, options }: NonNullable<BackupTable["partition"]>): string {
  if (!boundForm.test(bound) || !options.every((option) => optionForm.test(option)))
    throw new Error(`The partition ${name} has bounds or options of an unknown form.`);
  const storage = options.length > 0 ? ` with (${options.join(", ")})` : "";
  return `create table ${quoteName(name)} partition of ${quoteName(of)} ${bound}${storage}`;
}

export const copyTableIn = (client: BackupSession, table: BackupTable, pieces: AsyncIterable<Buffer>) =>
  copyIn(client, `copy ${quoteName(table.name)} (${quoteColumns(table.columns)}) from stdin`, pieces);

/** Adds the references again, which checks them, and continues the sequences. */
export async function endLoad(client: BackupSession, state: LoadState, sequences: BackupSequence[]): Promise<void> {
  for (const { table, name, definition } of state.keys)
    await client.query(`alter table ${table} add constraint ${pg.escapeIdentifier(name)} ${definition}`);
  for (const table of state.triggered) await client.query(`alter table ${table} enable trigger user`);
  const known = new Set((await listSequences(client)).map(({ name }) => name));
  for (const { name, value } of sequences) {
    if (value === null || !known.has(name)) continue;
    await client.query("select setval($1::regclass, $2::bigint)", [quoteName(name), value]);
  }
  // Without statistics the first queries of the service would read whole tables.
  await client.query("analyze");
}
