// Numbered, forward-only migrations, applied under an advisory lock so that several processes may start at once. A
// database that is newer than this code is refused: old code could destroy data that it does not know.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { sql } from "kysely";
import { type Db, withLongLockWaits } from "../db.ts";
export class SchemaTooNewError extends Error {}
export class MigrationChangedError extends Error {}

type Migration = { version: number; name: string; text: string; checksum: string };

const folder = new URL("../migrations/", import.meta.url);

/** The NOTIFY channel on which migrations are announced. */
export const schemaChannel = "tidings_schema";

let newestKnown: number | undefined;

/**
 * The name of the newest migration of the database, if this version does not know it: it must not work on tasks of the
 * newer one.
 */
export async function findNewerMigration(db: Db): Promise<string | null> {
  newestKnown ??= readMigrations().at(-1)?.version ?? 0;
  const { rows } = await sql<{ name: string }>`
    select name from schema_migrations where version > ${newestKnown} order by version desc limit 1`.execute(db);
  return rows[0]?.name ?? null;
}

/** Any number that no other advisory lock of this database uses. */
export const migrationLock = 7_465_001;

export const migrationTables = `create table if not exists schema_migrations (
  version integer primary key, name text not null, checksum text not null, applied_at timestamptz not null default now()
)`;

export function readMigrations(): Migration[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith(".sql"))
    .sort()
    .map((file) => {
      const text = readFileSync(new URL(file, folder), "utf8");
      const checksum = createHash("sha256").update(text).digest("hex");
      return { version: Number.parseInt(file, 10), name: file.replace(/\.sql$/, ""), text, checksum };
    });
}

/** Brings the schema up to date. Returns the names of the migrations it applied. */
export async function migrate(db: Db): Promise<string[]> {
  const migrations = readMigrations();
  return withLongLockWaits(db, async (connection) => {
    // A migration of a large table, or waiting for one in another process, may take longer than the statement timeout.
    await sql`set statement_timeout = 0`.execute(connection);
    try {
      await sql`select pg_advisory_lock(${migrationLock})`.execute(connection);
      try {
        return await applyMissing(connection, migrations);
      } finally {
        await sql`select pg_advisory_unlock(${migrationLock})`.execute(connection);
      }
    } finally {
      await sql`reset statement_timeout`.execute(connection);
    }
  });
}

async function applyMissing(db: Db, migrations: Migration[]): Promise<string[]> {
  await sql.raw(migrationTables).execute(db);
  const { rows: applied } = await sql<{ version: number; name: string; checksum: string }>`
    select version, name, checksum from schema_migrations order by version`.execute(db);

  const newest = migrations.at(-1)?.version ?? 0;
  const ahead = applied.find((row) => row.version > newest);
  if (ahead) {
    throw new SchemaTooNewError(
      `The database has migration ${ahead.name}, which this version of Tidings does not know. Start the newer version.`,
    );
  }
  const done = new Map(applied.map((row) => [row.version, row]));
  const names: string[] = [];
  for (const migration of migrations) {
    const before = done.get(migration.version);
    if (before && before.checksum !== migration.checksum) {
      throw new MigrationChangedError(
        `Migration ${migration.name} was changed after it was applied; add a new one instead.`,
      );
    }
    if (before) continue;
    await db.transaction().execute(async (tx) => {
      await sql.raw(migration.text).execute(tx);
      // Processes of earlier versions take no more tasks (findNewerMigration).
      await sql`select pg_notify(${schemaChannel}, ${migration.name})`.execute(tx);
      await sql`insert into schema_migrations (version, name, checksum)
        values (${migration.version}, ${migration.name}, ${migration.checksum})`.execute(tx);
    });
    names.push(migration.name);
  }
  return names;
}
