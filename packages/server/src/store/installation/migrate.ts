// Numbered, forward-only migrations, applied under an advisory lock so that several processes may start at once. They
// run while processes of the release before work, so none of them waits long for a lock: a statement that waits for a
// table makes everyone wait behind it. What a database may be migrated from, and by whom, is in releases.ts.
import { setTimeout as delay } from "node:timers/promises";
import { sql } from "kysely";
import { type Db, withLongLockWaits } from "../db.ts";
import { listBackgroundMigrations } from "./background-migrations.ts";
import { applyWithRetries, type LockOptions, lockOptions } from "./migrate-locks.ts";
import { type Migration, readMigrations } from "./migration-files.ts";
import { compatibleFrom, findSkipped, type Release, releases } from "./releases.ts";
import { schemaChannel } from "./schema-state.ts";
import { fixSessionPath } from "./search-path.ts";

class SchemaTooNewError extends Error {}
class SchemaTooOldError extends Error {}
export class MigrationChangedError extends Error {}

/** Any number that no other advisory lock of this database uses. */
export const migrationLock = 7_465_001;

/** Also for a restore, which creates the schema of a backup. */
export const migrationTables = `
  create table if not exists schema_migrations (
    version integer primary key, name text not null, checksum text not null, applied_at timestamptz not null default now());
  create table if not exists schema_versions (
    version integer primary key, name text not null, checksum text not null, compatible_from integer not null,
    applied_at timestamptz not null default now())`;

/** How long another process may take for its migrations. An index of a large table takes minutes. */
const othersMs = 30 * 60_000;
const lookAgainMs = 250;

export type MigrateOptions = {
  migrations?: Migration[];
  releases?: readonly Release[];
  /** Called before and after waits, and for each migration that was applied. */
  say?: (text: string) => void;
  locks?: LockOptions;
};

type Plan = Required<MigrateOptions> & { db: Db };

/** Brings the schema up to date. Returns the names of the migrations it applied. */
export async function migrate(db: Db, options: MigrateOptions = {}): Promise<string[]> {
  const plan: Plan = { db, migrations: readMigrations(), releases, say: () => {}, locks: lockOptions, ...options };
  return withLongLockWaits(db, async (connection) => {
    // The statements of a migration may take longer than the statement timeout.
    await sql`set statement_timeout = 0`.execute(connection);
    try {
      await waitForTurn(connection, plan.say);
      try {
        await fixSessionPath(connection);
        return await applyMissing(connection, plan);
      } finally {
        await sql`select pg_advisory_unlock(${migrationLock})`.execute(connection).catch(() => {});
      }
    } finally {
      // A lost connection has no settings and locks: its own error says more.
      await sql`reset statement_timeout`.execute(connection).catch(() => {});
    }
  });
}

/**
 * Asked again and again: a session that waits for an advisory lock has a snapshot, and `create index concurrently`
 * waits until all older snapshots are gone.
 */
async function waitForTurn(connection: Db, say: Plan["say"]): Promise<void> {
  const endsAt = performance.now() + othersMs;
  for (let isFirst = true; ; isFirst = false) {
    const { rows } = await sql<{ isMine: boolean }>`
      select pg_try_advisory_lock(${migrationLock}) as "isMine"`.execute(connection);
    if (rows[0]!.isMine) return;
    if (isFirst) say("another process migrates the database: waiting for it");
    if (performance.now() > endsAt)
      throw new SchemaTooOldError(
        `Another process has been migrating the database for ${othersMs / 60_000} minutes. Wait for it, or end it; then start again.`,
      );
    await delay(lookAgainMs);
  }
}

/** Waits until another process, such as `tidings migrate`, has brought the schema up to date. */
export async function waitForSchema(db: Db, { limitMs, say }: { limitMs: number; say: (text: string) => void }) {
  const wanted = readMigrations().at(-1)!;
  const endsAt = performance.now() + limitMs;
  for (let isFirst = true; ; isFirst = false) {
    const applied = await findApplied(db);
    const last = applied.at(-1);
    if (last && last.version >= wanted.version) return refuseTooNew(last, applied, wanted.version);
    const text = `the database needs migration ${wanted.name}, and its last one is ${last?.name ?? "none"}`;
    if (isFirst) say(`waiting for \`tidings migrate\`: ${text}`);
    if (performance.now() > endsAt)
      throw new SchemaTooOldError(
        `TIDINGS_MIGRATE is off, and after ${limitMs / 1_000} seconds (TIDINGS_DATABASE_WAIT) ${text}: run \`tidings migrate\`.`,
      );
    await delay(lookAgainMs);
  }
}

/** None where no program of this release has migrated yet. */
async function findApplied(db: Db): Promise<Applied[]> {
  const { rows } = await sql<{ exists: boolean }>`
    select to_regclass('schema_versions') is not null as exists`.execute(db);
  return rows[0]!.exists ? listApplied(db) : [];
}

type Applied = { version: number; name: string; checksum: string; compatible_from: number };

async function applyMissing(connection: Db, plan: Plan): Promise<string[]> {
  const { migrations, say } = plan;
  const applied = await readApplied(connection, plan.releases);
  const done = new Map(applied.map((row) => [row.version, row]));
  const newest = migrations.at(-1)?.version ?? 0;
  for (const migration of migrations) refuseChanged(migration, done.get(migration.version));
  const [ahead] = applied.filter(({ version }) => version > newest).slice(-1);
  if (ahead) {
    refuseTooNew(ahead, applied, newest);
    return [];
  }
  refuseSkipped(applied.at(-1), newest, plan.releases);
  const names: string[] = [];
  for (const migration of migrations) {
    if (done.has(migration.version)) continue;
    if (migration.contracts.length > 0) await refuseUnfinished(connection, migration);
    await applyWithRetries(plan, connection, migration, (tx) => record(tx, migration, plan.releases));
    say(`applied ${migration.name}`);
    names.push(migration.name);
  }
  return names;
}

function refuseChanged({ name, checksum }: Migration, before: Applied | undefined): void {
  if (!before || before.checksum === checksum) return;
  throw new MigrationChangedError(`Migration ${name} was changed after it was applied; add a new one instead.`);
}

/** A newer release has migrated the database. The release before it may run on it, those before that may not. */
function refuseTooNew(ahead: Applied, applied: Applied[], newest: number): void {
  const oldest = Math.max(...applied.map((row) => row.compatible_from));
  if (oldest <= newest) return;
  throw new SchemaTooNewError(
    `The database has migration ${ahead.name}, which this version of Tidings does not know, and which needs a program that knows migration ${oldest}; this one ends with ${newest}. Start the newer version.`,
  );
}

/** What a release rewrites in the background must be finished before a later one drops the old form. */
function refuseSkipped(last: Applied | undefined, newest: number, known: readonly Release[]): void {
  const skipped = last ? findSkipped(last.version, newest, known) : [];
  if (skipped.length === 0) return;
  throw new SchemaTooOldError(
    `The database has the schema of a release that is too old for this version of Tidings (its last migration is ${last!.name}). Start these releases first, one after the other: ${skipped.join(", ")}. Nothing was changed.`,
  );
}

async function refuseUnfinished(connection: Db, { name }: Migration): Promise<void> {
  const left = (await listBackgroundMigrations(connection)).filter(({ finished_at }) => finished_at === null);
  if (left.length === 0) return;
  const names = left.map((one) => one.name).join(", ");
  throw new SchemaTooOldError(
    `Migration ${name} needs rows that are still being rewritten in the background (${names}). Run the release before until its log says that they are finished (docs/rolling-upgrades.md). Nothing was changed.`,
  );
}

/**
 * Programs of 0.1 refuse to run on a database with a migration in `schema_migrations` that they do not know, so that
 * table has only what they must know.
 */
const endOfOldTable = 44;

async function readApplied(connection: Db, known: readonly Release[]): Promise<Applied[]> {
  await sql.raw(migrationTables).execute(connection);
  await sql`
    insert into schema_versions (version, name, checksum, compatible_from, applied_at)
      select version, name, checksum, greatest(version, ${sql.lit(compatibleFrom(1, known))}), applied_at
      from schema_migrations on conflict (version) do nothing`.execute(connection);
  return listApplied(connection);
}

async function listApplied(db: Db): Promise<Applied[]> {
  const { rows } = await sql<Applied>`
    select version, name, checksum, compatible_from from schema_versions order by version`.execute(db);
  return rows;
}

async function record(tx: Db, migration: Migration, known: readonly Release[]): Promise<void> {
  const { version, name, checksum } = migration;
  const oldest = compatibleFrom(version, known);
  // Running processes read what the migration means for them.
  await sql`select pg_notify(${schemaChannel}, ${name})`.execute(tx);
  await sql`insert into schema_versions (version, name, checksum, compatible_from)
    values (${version}, ${name}, ${checksum}, ${oldest})`.execute(tx);
  if (version > endOfOldTable && oldest <= endOfOldTable) return;
  await sql`insert into schema_migrations (version, name, checksum)
    values (${version}, ${name}, ${checksum})`.execute(tx);
}
