// How a migration waits for locks: not long, because everyone who needs the table waits behind it, and then again after
// a pause. Meanwhile a second connection finds out which table it waits for, and who holds it. Other errors of the
// database end it, with a sentence.
import { setTimeout as delay } from "node:timers/promises";
import { sql } from "kysely";
import type { Db } from "../db.ts";
import { type DatabaseFault, findDatabaseFault } from "../faults.ts";
import type { Migration } from "./migration-files.ts";

class MigrationStoppedError extends Error {}

/** `waitMs`: for one lock. `pausesMs`: between tries; after the last one it gives up. */
export type LockOptions = { waitMs: number; pausesMs: readonly number[] };

export const lockOptions: LockOptions = {
  waitMs: 3_000,
  pausesMs: [1, 2, 4, 8, 15, 15, 15, 15, 15, 15].map((seconds) => seconds * 1_000),
};

/** A statement that runs alone does not keep others waiting while it waits. */
const aloneMs = 10 * 60_000;

type Tools = { db: Db; say: (text: string) => void; locks: LockOptions };

export async function applyWithRetries(
  { db, say, locks }: Tools,
  connection: Db,
  migration: Migration,
  record: (tx: Db) => Promise<void>,
): Promise<void> {
  const begun = performance.now();
  for (let tries = 0; ; tries++) {
    const watch = await watchBlockers(db, connection, locks.waitMs / 3);
    try {
      return await apply(connection, migration, locks, record);
    } catch (error) {
      const fault = findDatabaseFault(error);
      if (fault !== "locked") throw fault === null ? error : stopped(migration, error as Error, fault);
      const pauseMs = locks.pausesMs[tries];
      const reason = watch.describe();
      if (pauseMs === undefined) throw givingUp(migration, reason, performance.now() - begun);
      say(`migration ${migration.name} waits: ${reason}; next try in ${pauseMs / 1_000} s`);
      await delay(pauseMs);
    } finally {
      watch.stop();
    }
  }
}

const fixes: Partial<Record<DatabaseFault, string>> = {
  disk_full: "The disk of the database is full: make room",
  unreachable: "The connection to the database was lost: check the server",
};

const stopped = ({ name }: Migration, { message }: Error, fault: DatabaseFault) =>
  new MigrationStoppedError(
    `Migration ${name} could not be applied: ${message}. ${fixes[fault] ?? "The database is too busy: wait"}, and start again. Nothing was changed.`,
  );

const givingUp = ({ name }: Migration, reason: string, ms: number) =>
  new MigrationStoppedError(
    `Migration ${name} could not be applied within ${Math.ceil(ms / 1_000)} s: ${reason}. End that work, or wait for it, and start again. Nothing was changed.`,
  );

async function apply(
  connection: Db,
  { text, isAlone }: Migration,
  { waitMs }: LockOptions,
  record: (tx: Db) => Promise<void>,
): Promise<void> {
  if (isAlone) {
    await sql.raw(`set lock_timeout = ${aloneMs}`).execute(connection);
    await dropInvalidIndexes(connection);
    await sql.raw(text).execute(connection);
  }
  await connection.transaction().execute(async (tx) => {
    await sql.raw(`set local lock_timeout = ${waitMs}`).execute(tx);
    if (!isAlone) await sql.raw(text).execute(tx);
    await record(tx);
  });
}

/** What an interrupted `create index concurrently` has left: an index of that name which is of no use. */
async function dropInvalidIndexes(connection: Db): Promise<void> {
  const { rows } = await sql<{ name: string }>`
    select format('%I.%I', n.nspname, c.relname) as name from pg_index x
    join pg_class c on c.oid = x.indexrelid join pg_namespace n on n.oid = c.relnamespace
    where not x.indisvalid and c.relkind = 'i' and n.nspname = current_schema()`.execute(connection);
  for (const { name } of rows) await sql.raw(`drop index concurrently if exists ${name}`).execute(connection);
}

type Blocker = { table: string | null; pid: number; application: string; state: string | null; seconds: number | null };

/** Looks every `everyMs` who keeps the session of `connection` waiting. */
async function watchBlockers(db: Db, connection: Db, everyMs: number) {
  const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(connection);
  const { pid } = rows[0]!;
  let found: Blocker | undefined;
  const look = async () => {
    const blockers = await sql<Blocker>`
      select l.relation::regclass::text as "table", b.pid, coalesce(a.application_name, '') as application, a.state,
        extract(epoch from clock_timestamp() - a.xact_start)::int as seconds
      from pg_locks l cross join lateral unnest(pg_blocking_pids(l.pid)) as b(pid)
      left join pg_stat_activity a on a.pid = b.pid
      where l.pid = ${pid} and not l.granted limit 1`.execute(db);
    found = blockers.rows[0] ?? found;
  };
  const timer = setInterval(() => void look().catch(() => {}), everyMs).unref();
  return { describe: () => describe(found), stop: () => clearInterval(timer) };
}

function describe(blocker: Blocker | undefined): string {
  if (!blocker) return "a table that it changes is locked";
  const { table, pid, application, state, seconds } = blocker;
  const about = [application, state, seconds === null ? "" : `for ${seconds} s`].filter(Boolean).join(", ");
  return `${table ? `table ${table}` : "what it changes"} is locked by session ${pid} of the database${about && ` (${about})`}`;
}
