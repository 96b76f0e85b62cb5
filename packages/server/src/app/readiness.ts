// Whether this process can do its work, for load balancers and for the people who operate it.
import { type ErrorCode, errorMessage } from "@tidings/contract";
import type { Ctx } from "../context.ts";
import type { DatabaseFault } from "../store/faults.ts";
import { findTableLock, pingDatabase, type TableLock } from "../store/installation/health.ts";

type Problem = { code: ErrorCode; message: string };

/** `isReady` with problems: some requests fail. */
export type Readiness = { isReady: boolean; problems: Problem[] };

/** How long the database may take to respond. */
const pingMs = 2_000;

type Options = {
  isStopping(): boolean;
  /** The name of a migration with which this version cannot run. */
  findNewerSchema(): string | null;
};

export function createReadiness(ctx: Ctx, { isStopping, findNewerSchema }: Options): () => Promise<Readiness> {
  return async () => {
    if (isStopping())
      return { isReady: false, problems: [{ code: "UNAVAILABLE", message: "The process is stopping" }] };
    const newer = findNewerSchema();
    const answer = await askDatabase(ctx);
    const problems = [
      ...(newer === null ? [] : [problemOfSchema(newer)]),
      ...(answer ? [answer] : []),
      ...(await Promise.all(ctx.faults.current().map((fault) => problemOf(ctx, fault)))).flat(),
    ];
    const isFull = problems.some(({ code }) => code === "DATABASE_FULL");
    return { isReady: newer === null && !answer && !isFull, problems: answer ? problems.slice(0, 1) : problems };
  };
}

const problemOfSchema = (name: string): Problem => ({
  code: "UNAVAILABLE",
  message: tooNewText(name),
});

/** For callers too, because an old program could damage what it does not know. */
export const tooNewText = (migration: string): string =>
  `The database has migration ${migration}, with which this version of Tidings cannot run: the process takes no tasks and no requests. Replace it by the newer version`;

async function askDatabase(ctx: Ctx): Promise<Problem | null> {
  const { promise: late, resolve } = Promise.withResolvers<Problem>();
  const message = `The database did not respond within ${pingMs / 1000} seconds`;
  const timer = setTimeout(() => resolve({ code: "DATABASE_SLOW", message }), pingMs);
  const asked = Promise.all([ctx.queue.ping(), pingDatabase(ctx.db)]).then(
    () => null,
    (): Problem => ({ code: "UNAVAILABLE", message: "The database cannot be reached" }),
  );
  return Promise.race([asked, late]).finally(() => clearTimeout(timer));
}

/** Errors that requests have met within the last seconds. Whether the database can be reached has just been asked. */
async function problemOf(ctx: Ctx, fault: DatabaseFault): Promise<Problem[]> {
  switch (fault) {
    case "disk_full":
      return [{ code: "DATABASE_FULL", message: errorMessage("DATABASE_FULL", {}) }];
    case "exhausted":
      return [{ code: "DATABASE_EXHAUSTED", message: errorMessage("DATABASE_EXHAUSTED", {}) }];
    case "locked":
      return [{ code: "DATABASE_LOCKED", message: lockText(await findTableLock(ctx.db).catch(() => null)) }];
    case "slow":
      return [{ code: "DATABASE_SLOW", message: errorMessage("DATABASE_SLOW", {}) }];
    case "unreachable":
    case "conflict":
      return [];
  }
}

function lockText(lock: TableLock | null): string {
  if (!lock) return "Requests have waited for a lock in the database";
  const { table, mode, pid, application } = lock;
  const holder = application === "" ? `process ${pid}` : `process ${pid} (${application})`;
  return `Table ${table} is locked (${mode}) by ${holder} of the database. Requests that need the table are answered with 503 until the lock is released: select pg_terminate_backend(${pid}) ends it`;
}
