// Reads from a replica, without losing read-your-writes (docs/decisions/0028-read-replica.md). A read asks the primary
// for its position in the write-ahead log, then a connection to the replica whether it has replayed the log up to
// there. Whatever was committed before the request arrived, by any process, is then visible on that connection. A
// replica that is behind, cannot be reached or cancels the query never fails a read: the primary serves it.
import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "kysely";
import type { Logger } from "pino";
import { createEpisodes } from "../lib/load/episodes.ts";
import { type Db, openDb } from "./db.ts";
import { findDatabaseFault } from "./faults.ts";

/** Why the primary served a read. `mismatch`: the server is not a replica of this primary. */
const reasons = ["behind", "conflict", "mismatch", "unavailable"] as const;
type Reason = (typeof reasons)[number];

export type ReplicaRead = { target: "replica"; reason: "current" } | { target: "primary"; reason: Reason };

export type Replica = {
  /** Runs `work` on the replica, or on the primary; possibly on both, so `work` may only read. */
  read<T>(work: (db: Db) => Promise<T>): Promise<T>;
  close(): Promise<void>;
};

type ReplicaOptions = {
  url: string;
  primary: Db;
  poolSize: number;
  statementMs: number;
  log: Logger;
  onRead(read: ReplicaRead): void;
};

/** How long a read waits for the replica to catch up. */
const maxWaitMs = 100;
/** Connecting, and the first response on a connection: a replica that is cut off must not hold up lists. */
const connectMs = 1_000;
/** After a failure the primary serves all reads for this time: not each of them has to wait to find out. */
const pauseMs: Record<Reason, number> = { behind: 1_000, conflict: 0, mismatch: 10_000, unavailable: 5_000 };
/** How long after the last failure the log says that the replica is in use again. */
const quietMs = 30_000;

class NotCurrentError extends Error {
  readonly reason: Reason;
  constructor(reason: Reason) {
    super(`The replica is not used: ${reason}`);
    this.reason = reason;
  }
}

export function openReplica({ url, primary, poolSize, statementMs, log, onRead }: ReplicaOptions): Replica {
  // The read that uses a connection gets its error, and the pool opens another one.
  const db = openDb({ url, poolSize, statementMs, connectMs, onError: () => {} });
  const findPosition = sharePosition(primary);
  let pause: { until: number; reason: Reason } | null = null;
  const failures = createFailureLog(log, () => pause === null);

  async function readReplica<T>(work: (db: Db) => Promise<T>): Promise<T> {
    const position = await findPosition();
    return db.connection().execute(async (connection) => {
      const reason = await Promise.race([catchUp(connection, position), expire(connectMs)]);
      if (reason) throw new NotCurrentError(reason);
      return work(connection);
    });
  }
  const readPrimary = <T>(work: (db: Db) => Promise<T>, reason: Reason): Promise<T> => {
    onRead({ target: "primary", reason });
    return work(primary);
  };
  return {
    async read(work) {
      if (pause && performance.now() < pause.until) return readPrimary(work, pause.reason);
      try {
        const result = await readReplica(work);
        pause = null;
        onRead({ target: "replica", reason: "current" });
        return result;
      } catch (error) {
        const reason = findReason(error);
        if (!reason) throw error;
        failures.note(reason, error);
        pause = { until: performance.now() + pauseMs[reason], reason };
        return readPrimary(work, reason);
      }
    },
    async close() {
      failures.close();
      await db.destroy();
    },
  };
}

/** Null for an error that the primary would return as well: a request that is refused, a query that takes too long. */
function findReason(error: unknown): Reason | null {
  if (error instanceof NotCurrentError) return error.reason;
  const fault = findDatabaseFault(error);
  if (fault === "conflict") return "conflict";
  return (fault !== null && fault !== "slow") || isRefusedCheck(error) ? "unavailable" : null;
}

/** Wrong credentials, or a role that may not read the positions. */
const isRefusedCheck = (error: unknown): boolean => /^(28|3D|42501)/.test((error as { code?: string })?.code ?? "");

async function expire(ms: number): Promise<Reason> {
  await sleep(ms, undefined, { ref: false });
  return "unavailable";
}

/** Positions of different clusters, or of a cluster before and after a failover, cannot be compared. */
type Position = { lsn: string; timeline: number; cluster: string };

/**
 * The end of what is committed. A commit is flushed before its transaction responds, except with `synchronous_commit`
 * off. Reads that wait share the next query, which begins after all of them have arrived.
 */
function sharePosition(primary: Db): () => Promise<Position> {
  let running: Promise<unknown> = Promise.resolve();
  let next: Promise<Position> | null = null;
  const query = async (): Promise<Position> => {
    next = null;
    const { rows } = await sql<Position>`
      select (case when current_setting('synchronous_commit') = 'off' then pg_current_wal_insert_lsn()
          else pg_current_wal_flush_lsn() end)::text as lsn,
        ('x' || left(pg_walfile_name(pg_current_wal_flush_lsn()), 8))::bit(32)::int as timeline,
        (select system_identifier::text from pg_control_system()) as cluster`.execute(primary);
    return rows[0]!;
  };
  return () => {
    if (!next) {
      next = running.then(query, query);
      running = next;
    }
    return next;
  };
}

/** Waits until the server of the connection has replayed the position; null, or the reason why it has not. */
async function catchUp(connection: Db, { lsn, timeline, cluster }: Position): Promise<Reason | null> {
  const deadline = performance.now() + maxWaitMs;
  for (let pollMs = 2; ; pollMs *= 2) {
    const { rows } = await sql<{ is_replica: boolean; is_current: boolean }>`
      select pg_is_in_recovery() and r.min_recovery_end_timeline = ${timeline}
          and s.system_identifier::text = ${cluster} as is_replica,
        coalesce(pg_last_wal_replay_lsn() >= ${lsn}::pg_lsn, false) as is_current
      from pg_control_recovery() r, pg_control_system() s`.execute(connection);
    const { is_replica, is_current } = rows[0]!;
    if (!is_replica) return "mismatch";
    if (is_current) return null;
    if (performance.now() + pollMs > deadline) return "behind";
    await sleep(pollMs);
  }
}

const texts: Record<Reason, string> = {
  behind: "the replica is behind: the primary serves reads until it has caught up",
  conflict: "the replica cancelled a query because of a conflict with recovery: the primary serves it",
  mismatch: "the server of TIDINGS_REPLICA_DATABASE_URL is not a replica of the primary: the primary serves all reads",
  unavailable: "the replica cannot be used: the primary serves reads until it can",
};

/** Each kind of failure is logged when it begins, and with a count when it is over. */
function createFailureLog(log: Logger, isInUse: () => boolean) {
  return createEpisodes<Reason>({
    now: () => performance.now(),
    quietMs: Object.fromEntries(reasons.map((reason) => [reason, quietMs])) as Record<Reason, number>,
    isOver: async () => isInUse(),
    onBegin: (reason, error) => log.warn({ reason: (error as Error).message }, texts[reason]),
    onEnd: (reason, { count, ms }) =>
      log.info({ failure: reason, count, seconds: Math.round(ms / 1_000) }, "the replica serves reads again"),
  });
}
