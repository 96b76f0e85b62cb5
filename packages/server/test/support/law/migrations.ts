// What a migration does to a database that a program of the release before is using. PostgreSQL itself is asked: the
// catalogue before and after the migration, and the locks that it holds at its end.
import { sql } from "kysely";
import { type Db, inTransaction } from "../../../src/store/db.ts";
import type { Migration } from "../../../src/store/installation/migration-files.ts";

/** `subject` is what a contract names: `column messages.address`. */
type Breach = { subject: string; text: string };

type Column = { name: string; table: string; type: string; isRequired: boolean; hasDefault: boolean };
type Named = { name: string; table: string };
type Catalogue = {
  tables: Named[];
  columns: Column[];
  indexes: (Named & { isUnique: boolean })[];
  constraints: Named[];
  types: { name: string; definition: string }[];
  functions: { name: string }[];
  /** Tables, their partitions, and the indexes of both: another file is a rewrite. */
  files: (Named & { file: string })[];
};

/** Tables whose rows are few in every installation: a migration may change them itself. */
const smallTables = new Set([
  ...["installation", "organizations", "environments", "users", "api_keys", "integrations", "webhooks"],
  ...["alert_rules", "layouts", "statistics_progress", "background_migrations", "schema_versions", "schema_migrations"],
]);

const isOurs = sql`n.nspname = 'public'`;
const isTable = sql`(${isOurs} and c.relkind in ('r', 'p') and not c.relispartition)`;

async function readCatalogue(db: Db): Promise<Catalogue> {
  const { rows } = await sql<Catalogue>`select
    (select json_agg(json_build_object('name', c.relname, 'table', c.relname)) from pg_class c
      join pg_namespace n on n.oid = c.relnamespace where ${isTable}) as tables,
    (select json_agg(json_build_object('name', c.relname || '.' || a.attname, 'table', c.relname,
        'type', format_type(a.atttypid, a.atttypmod), 'isRequired', a.attnotnull, 'hasDefault', a.atthasdef))
      from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_namespace n on n.oid = c.relnamespace
      where ${isTable} and a.attnum > 0 and not a.attisdropped) as columns,
    (select json_agg(json_build_object('name', i.relname, 'table', c.relname, 'isUnique', x.indisunique))
      from pg_index x join pg_class i on i.oid = x.indexrelid join pg_class c on c.oid = x.indrelid
      join pg_namespace n on n.oid = c.relnamespace where ${isTable}) as indexes,
    (select json_agg(json_build_object('name', k.conname, 'table', c.relname)) from pg_constraint k
      join pg_class c on c.oid = k.conrelid join pg_namespace n on n.oid = c.relnamespace
      where ${isTable} and k.contype in ('c', 'f', 'x')) as constraints,
    (select json_agg(json_build_object('name', c.relname, 'file', c.relfilenode, 'table', coalesce(t.relname, c.relname)))
      from pg_class c join pg_namespace n on n.oid = c.relnamespace left join pg_index x on x.indexrelid = c.oid
      left join pg_class t on t.oid = x.indrelid where ${isOurs} and c.relkind in ('r', 'i')) as files,
    (select coalesce(json_agg(json_build_object('name', y.typname, 'definition', coalesce(
        (select string_agg(e.enumlabel, ',' order by e.enumsortorder) from pg_enum e where e.enumtypid = y.oid),
        format_type(y.typbasetype, y.typtypmod)))), '[]')
      from pg_type y join pg_namespace n on n.oid = y.typnamespace where ${isOurs} and y.typtype in ('e', 'd')) as types,
    (select coalesce(json_agg(json_build_object('name', p.oid::regprocedure::text || ' returns ' || p.prorettype::regtype)), '[]')
      from pg_proc p join pg_namespace n on n.oid = p.pronamespace where ${isOurs}
        and not exists (select 1 from pg_depend d where d.objid = p.oid and d.deptype = 'e')) as functions`.execute(db);
  return rows[0]!;
}

/** The tables that the transaction has written to, without the rows that the database has. */
async function readWritten(db: Db): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select distinct c.relname as name from pg_locks l join pg_class c on c.oid = l.relation
    join pg_namespace n on n.oid = c.relnamespace
    where l.pid = pg_backend_pid() and l.mode = 'RowExclusiveLock' and ${isTable}`.execute(db);
  return rows.map(({ name }) => name);
}

/** Rolled back unless `isKept`. Returns a sentence for each breach that no contract of the migration covers. */
export async function findBreaches(
  db: Db,
  migration: Migration,
  { releases, isKept = false }: { releases: readonly { version: string }[]; isKept?: boolean },
): Promise<string[]> {
  const before = await readCatalogue(db);
  let [after, written]: [Catalogue, string[]] = [before, []];
  const run = async (on: Db) => {
    await sql.raw(migration.text).execute(on);
    after = await readCatalogue(on);
    written = await readWritten(on);
  };
  if (migration.isAlone) await run(db);
  else
    await inTransaction(db, async (tx) => {
      await run(tx);
      if (!isKept) await sql`rollback and chain`.execute(tx);
    });
  return judge(migration, [...compare(before, after, migration.isAlone), ...compareRows(before, written)], releases);
}

function judge({ text, contracts }: Migration, breaches: Breach[], releases: readonly { version: string }[]): string[] {
  const released = new Set(releases.map(({ version }) => version));
  const isCovered = ({ subject }: Breach) => contracts.some(({ what }) => what === subject);
  return [
    ...breaches.filter((breach) => !isCovered(breach)).map((breach) => breach.text),
    ...contracts.flatMap(({ what, since }) =>
      released.has(since) ? [] : [`${what} is said to be unused since ${since}, which is not a release yet`],
    ),
    ...contracts.flatMap(({ what }) =>
      breaches.some(({ subject }) => subject === what) ? [] : [`the contract names ${what}, which it does not change`],
    ),
    ...(/\b(?:lock|statement)_timeout\b/.test(text) ? ["timeouts are set by migrate-locks.ts"] : []),
  ];
}

const byName = <T extends { name: string }>(list: T[]) => new Map(list.map((one) => [one.name, one]));

function compare(before: Catalogue, after: Catalogue, isAlone: boolean): Breach[] {
  const old = new Set(before.tables.map(({ name }) => name));
  const isOld = ({ table }: Named) => old.has(table);
  return [
    ...lost("table", before.tables, after.tables),
    ...lost(
      "column",
      before.columns.filter((column) => byName(after.tables).has(column.table)),
      after.columns,
    ),
    ...lost(
      "index",
      before.indexes.filter((index) => byName(after.tables).has(index.table)),
      after.indexes,
    ),
    ...lost("type", before.types, after.types),
    ...lost("function", before.functions, after.functions),
    ...changedColumns(before, after),
    ...gained(before.columns, after.columns)
      .filter((column) => isOld(column) && column.isRequired && !column.hasDefault)
      .map(({ name }) =>
        breach(`column ${name}`, "is new, not null and without a default: older programs do not fill it"),
      ),
    ...gained(before.constraints, after.constraints)
      .filter(isOld)
      .map(({ name }) =>
        breach(
          `constraint ${name}`,
          "is new on a table in use: the whole table is read under a lock, and older programs may break it",
        ),
      ),
    ...gained(before.indexes, after.indexes)
      .filter(isOld)
      .flatMap((index) => newIndex(index, isAlone)),
    ...before.files.flatMap(({ name, file }) => rewritten(name, file, after)),
    ...before.types
      .filter(({ name, definition }) => (byName(after.types).get(name)?.definition ?? definition) !== definition)
      .map(({ name }) => breach(`type ${name}`, "was changed")),
  ];
}

const breach = (subject: string, what: string): Breach => ({ subject, text: `${subject} ${what}` });

const lost = (kind: string, before: { name: string }[], after: { name: string }[]): Breach[] =>
  before
    .filter(({ name }) => !byName(after).has(name))
    .map(({ name }) => breach(`${kind} ${name}`, "was dropped or renamed: older programs use it"));

const gained = <T extends { name: string }>(before: T[], after: T[]): T[] =>
  after.filter(({ name }) => !byName(before).has(name));

function changedColumns(before: Catalogue, after: Catalogue): Breach[] {
  const now = byName(after.columns);
  return before.columns.flatMap((column) => {
    const changed = now.get(column.name);
    const subject = `column ${column.name}`;
    if (!changed) return [];
    return [
      ...(changed.type === column.type
        ? []
        : [breach(subject, `has the type ${changed.type} instead of ${column.type}`)]),
      ...(changed.isRequired && !column.isRequired ? [breach(subject, "became not null")] : []),
      ...(column.isRequired && column.hasDefault && !changed.hasDefault ? [breach(subject, "lost its default")] : []),
    ];
  });
}

function newIndex({ name, table, isUnique }: Catalogue["indexes"][number], isAlone: boolean): Breach[] {
  const subject = `index ${name}`;
  return [
    ...(isAlone || smallTables.has(table)
      ? []
      : [breach(subject, `is built under a lock on ${table}: use create index concurrently, without a transaction`)]),
    ...(isUnique ? [breach(subject, "is unique: older programs may break it")] : []),
  ];
}

function rewritten(name: string, file: string, after: Catalogue): Breach[] {
  const now = byName(after.files).get(name);
  if (!now || now.file === file || smallTables.has(now.table)) return [];
  return [breach(`rows of ${name}`, "were written anew under a lock: use a background migration")];
}

const compareRows = (before: Catalogue, written: string[]): Breach[] =>
  written
    .filter((name) => byName(before.tables).has(name) && !smallTables.has(name))
    .map((name) => breach(`rows of ${name}`, "were changed by the migration: use a background migration"));
