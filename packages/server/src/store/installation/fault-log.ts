// Errors of the database, as this thread has met them: in the log once when they begin and once when they are over, and
// in /ready (app/readiness.ts) in between.
import type { Logger } from "pino";
import { createEpisodes } from "../../lib/load/episodes.ts";
import type { Db } from "../db.ts";
import { type DatabaseFault, findDatabaseFault } from "../faults.ts";
import { findTableLock, pingDatabase } from "./health.ts";

export type FaultLog = {
  /** Records an error if it is one of the database; returns which. */
  note(error: unknown): DatabaseFault | null;
  /** As `note`, for errors of background work, which no one else logs. */
  noteInBackground(error: unknown): void;
  /** Errors that are not over. */
  current(): DatabaseFault[];
};

/** A connection is asked for after a second; the other errors are over when they have not been met for a while. */
const quietMs: Record<DatabaseFault, number> = {
  unreachable: 1_000,
  disk_full: 15_000,
  exhausted: 15_000,
  locked: 15_000,
  slow: 15_000,
  conflict: 15_000,
};

const beginnings: Record<DatabaseFault, string> = {
  unreachable: "database connection lost; reconnecting",
  disk_full: "the database has no disk space left: requests that write are answered with 503; free or add disk space",
  exhausted: "the database is out of memory or another resource: requests are answered with 503",
  locked: "a lock in the database makes requests wait: they are answered with 503",
  slow: "the database takes too long: requests are answered with 503",
  conflict: "transactions conflict with each other, also after repeats: requests are answered with 503",
};

type FaultOptions = {
  log: Logger;
  isDraining(): boolean;
  findDb(): Db;
  /** For the metrics. */
  onFault(fault: DatabaseFault): void;
};

export function createFaultLog({ log, isDraining, findDb, onFault }: FaultOptions): FaultLog & { close(): void } {
  const begin = async (fault: DatabaseFault, error: unknown): Promise<void> => {
    const reason = error instanceof Error ? error.message : String(error);
    const lock = fault === "locked" ? await findTableLock(findDb()).catch(() => null) : null;
    // While draining, lost connections are expected.
    log[isDraining() ? "debug" : "warn"]({ reason, fault, ...(lock && { lock }) }, beginnings[fault]);
  };
  const episodes = createEpisodes<DatabaseFault>({
    now: () => performance.now(),
    quietMs,
    isOver: async (fault) => fault !== "unreachable" || pingDatabase(findDb()).then(() => true),
    onBegin: (fault, error) => void begin(fault, error),
    onEnd: (fault, { count, ms }) => {
      const facts = { fault, count, seconds: Math.round(ms / 1000) };
      log.info(facts, fault === "unreachable" ? "database connection restored" : "a fault of the database is over");
    },
  });
  const note = (error: unknown): DatabaseFault | null => {
    const fault = findDatabaseFault(error);
    if (fault) {
      onFault(fault);
      episodes.note(fault, error);
    }
    return fault;
  };
  return {
    note,
    noteInBackground(error) {
      if (!note(error)) log.warn({ err: error }, "a background query failed");
    },
    current: episodes.current,
    close: episodes.close,
  };
}
