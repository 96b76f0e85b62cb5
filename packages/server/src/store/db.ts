// The connection to PostgreSQL: a pool behind Kysely, and transactions. Only store/ contains SQL; the rest of the
// service calls its functions.
import { Kysely, PostgresDialect, sql, type Transaction } from "kysely";
import pg from "pg";
import type { ClientOptions } from "./client.ts";
import { CopyClient } from "./copy.ts";
import { findDatabaseFault } from "./faults.ts";
import type { Tables } from "./tables.ts";

/** The pool, or a transaction of the caller. */
export type Db = Kysely<Tables>;
export type Tx = Transaction<Tables>;

// bigint (counts) as number: no count of ours comes near 2^53.
pg.types.setTypeParser(pg.types.builtins.INT8, Number);

const parseTime = pg.types.getTypeParser(pg.types.builtins.TIMESTAMPTZ);
const digits = (text: string, at: number): number => (text.charCodeAt(at) - 48) * 10 + text.charCodeAt(at + 1) - 48;

/**
 * `2026-11-15 19:37:32.123456+00`, as sessions in UTC write it, is read directly; all else by the slower parser of the
 * driver.
 */
pg.types.setTypeParser(pg.types.builtins.TIMESTAMPTZ, (text: string) => {
  const isUtc = text.length >= 22 && text.length <= 29 && text[0] === "2" && text.endsWith("+00");
  if (!isUtc) return parseTime(text);
  const milliseconds = text[19] === "." ? Math.trunc(Number(text.slice(19, -3)) * 1000 + 1e-6) : 0;
  const year = digits(text, 0) * 100 + digits(text, 2);
  const day = Date.UTC(
    year,
    digits(text, 5) - 1,
    digits(text, 8),
    digits(text, 11),
    digits(text, 14),
    digits(text, 17),
  );
  return new Date(day + milliseconds);
});

export type DbOptions = {
  url: string;
  /** A second address of the same database, past the pooler of `url`, for work that needs a session. */
  directUrl?: string;
  poolSize: number;
  /** How many connections stay open without use. */
  keep?: number;
  /** Statement timeout; 60 s unless given. */
  statementMs?: number;
  /** Connection timeout; 5 s unless given. */
  connectMs?: number;
  /** Lock timeout; 5 s unless given. */
  lockMs?: number;
  onError: (error: Error) => void;
  /** Gets the function that says how busy the pool is, for the metrics. */
  watchPool?: (readUse: () => PoolUse) => void;
};

/** For work that needs a session: past the pooler of the other connections, and with statements of any length. */
const sessionDbs = new WeakMap<Db, Db>();

/** `waiting`: requests and tasks that wait for a connection. */
export type PoolUse = { used: number; idle: number; waiting: number; size: number };

/**
 * Every wait has a timeout: connecting 5 s, a lock 5 s (a table that is locked by hand must not hold all connections),
 * a statement 60 s (reads of the API 10 s, on their own connections), an idle transaction 5 minutes (which also
 * releases the locks of a request whose process hangs), a server that is silent 15 s longer than a statement may take.
 */
export function openDb(options: DbOptions): Db {
  const { url, directUrl = "", statementMs = 60_000 } = options;
  const inSession = sessionTimeouts(options);
  // A connection to a pooler serves another session after each transaction, so timeouts are set in each.
  const timeouts = directUrl ? { beginWith: setLocal(inSession) } : inSession;
  const db = openPool(options, { ...timeouts, silenceMs: statementMs + spareMs });
  const sessionOptions = { ...options, url: directUrl || url, poolSize: 2, keep: 0, watchPool: undefined };
  const sessionDb = openPool(sessionOptions, { ...inSession, keepAlive: true, keepAliveInitialDelayMillis: 30_000 });
  sessionDbs.set(db, sessionDb);
  const destroy = db.destroy.bind(db);
  return Object.assign(db, { destroy: () => Promise.all([destroy(), sessionDb.destroy()]).then(() => {}) });
}

const sessionTimeouts = ({ statementMs = 60_000, lockMs = 5_000 }: DbOptions) => ({
  statement_timeout: statementMs,
  lock_timeout: lockMs,
  idle_in_transaction_session_timeout: idleMs,
});

const setLocal = (timeouts: Record<string, number>): string =>
  Object.entries(timeouts)
    .map(([name, ms]) => `set local ${name} = ${ms}`)
    .join("; ");

const idleMs = 300_000;
const spareMs = 15_000;

function openPool(options: DbOptions, limits: ClientOptions): Db {
  const pool = new pg.Pool({
    Client: CopyClient as unknown as pg.PoolConfig["Client"],
    connectionString: options.url,
    max: options.poolSize,
    min: options.keep ?? 0,
    connectionTimeoutMillis: options.connectMs ?? 5_000,
    idleTimeoutMillis: 30_000,
    application_name: "tidings",
    ...limits,
  });
  // The pool drops a broken connection (database restart), and a query on it fails. Without a listener the error event
  // of the connection would end the process.
  pool.on("error", options.onError);
  pool.on("connect", (client) => client.on("error", options.onError));
  options.watchPool?.(() => ({
    used: pool.totalCount - pool.idleCount,
    idle: pool.idleCount,
    waiting: pool.waitingCount,
    // A thread that has ended has no connections.
    size: pool.ending ? 0 : options.poolSize,
  }));
  return new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
}

/**
 * Runs `work` on one connection, in a session that no one else uses, on which it may wait for locks for as long as a
 * statement may take.
 */
export const withLongLockWaits = <T>(db: Db, work: (connection: Db) => Promise<T>): Promise<T> =>
  sessionDbs
    .get(db)!
    .connection()
    .execute(async (connection) => {
      await sql`set lock_timeout = 0`.execute(connection);
      try {
        return await work(connection);
      } finally {
        // A lost connection has no settings: its own error says more.
        await sql`reset lock_timeout`.execute(connection).catch(() => {});
      }
    });

/** By transaction: what happens once it has been committed. */
const afterCommits = new WeakMap<Db, (() => void)[]>();

export async function inTransaction<T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> {
  const callbacks: (() => void)[] = [];
  const result = await db.transaction().execute((tx) => {
    afterCommits.set(tx, callbacks);
    return work(tx);
  });
  for (const callback of callbacks) callback();
  return result;
}

/** Calls `callback` when the transaction has been committed; without a transaction, at once. */
export function afterCommit(db: Db, callback: () => void): void {
  const callbacks = afterCommits.get(db);
  if (callbacks) callbacks.push(callback);
  else callback();
}

/**
 * Runs `work` inside the transaction, behind a savepoint: an error undoes what `work` wrote and leaves the transaction
 * usable. A lock that another transaction holds is waited for `lockMs` at most.
 */
export async function inSavepoint<T>(tx: Db, lockMs: number, work: () => Promise<T>): Promise<T> {
  await sql.raw(`savepoint work; set local lock_timeout = ${lockMs}`).execute(tx);
  try {
    // The savepoint ends with the transaction: releasing it would be one more round trip.
    return await work();
  } catch (error) {
    // Also ends the lock timeout.
    await sql.raw("rollback to savepoint work; release savepoint work").execute(tx);
    throw error;
  }
}

/** One snapshot of the data for the whole work; PostgreSQL refuses every write. */
export const inReadOnlyTransaction = <T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> =>
  db.transaction().setIsolationLevel("repeatable read").setAccessMode("read only").execute(work);

/** Each statement of the work may take this long. PostgreSQL refuses every write. */
export const inTimedTransaction = <T>(db: Db, ms: number, work: (tx: Tx) => Promise<T>): Promise<T> =>
  db
    .transaction()
    .setAccessMode("read only")
    .execute(async (tx) => {
      // Compiling a long condition takes longer than most of these queries.
      const limits = sql`select set_config('statement_timeout', ${String(ms)}, true), set_config('jit', 'off', true)`;
      await limits.execute(tx);
      return work(tx);
    });

/** Each statement of the work may take this long; those of the transaction after it have the limit of before. */
export async function withTimeLimit<T>(tx: Db, ms: number, work: () => Promise<T>): Promise<T> {
  const { rows } = await sql<{ before: string }>`select current_setting('statement_timeout') as before`.execute(tx);
  await sql`select set_config('statement_timeout', ${String(ms)}, true)`.execute(tx);
  const result = await work();
  await sql`select set_config('statement_timeout', ${rows[0]!.before}, true)`.execute(tx);
  return result;
}

/** Deadlock and serialisation failures: the transaction was rolled back and may be retried. */
const isTransient = (error: unknown): boolean => ["40P01", "40001"].includes((error as { code?: string })?.code ?? "");

const maxTries = 3;

/** A lock that was waited for so short a time (inSavepoint) is waited for again; one that lasts longer is not. */
const shortLockMs = 500;

/** As inTransaction, with up to two retries after a deadlock: the work must be repeatable. */
export async function inRepeatableTransaction<T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    const startedAt = performance.now();
    try {
      return await inTransaction(db, work);
    } catch (error) {
      const isShortLock = findDatabaseFault(error) === "locked" && performance.now() - startedAt < shortLockMs;
      if ((!isTransient(error) && !isShortLock) || tries === maxTries) throw error;
    }
  }
}

/** The statement exceeded the timeout of its connection. */
export const isStatementTimeout = (error: unknown): boolean => (error as { code?: string } | null)?.code === "57014";

export const isUniqueViolation = (error: unknown, constraint?: string): boolean => {
  const fault = error as { code?: string; constraint?: string } | null;
  return fault?.code === "23505" && (constraint === undefined || fault.constraint === constraint);
};
