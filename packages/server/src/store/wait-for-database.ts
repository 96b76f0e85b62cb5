// The external database at the start. Where a platform starts service and database together, the database responds
// later, so the service waits for it, for a bounded time.
import { setTimeout as sleep } from "node:timers/promises";
import { parseDatabaseUrl } from "../lib/settings/database-url.ts";
import { DatabaseClient } from "./client.ts";
import { findDatabaseFault } from "./faults.ts";

/** Shown to the operator without a stack. */
export class DatabaseUnreachableError extends Error {}

type WaitOptions = {
  url: string;
  limitMs: number;
  /** Called once, when the database does not return at once. */
  onWait(reason: string): void;
};

const pauseMs = 500;

/**
 * Resolves when the database accepts connections. A refusal that a wait does not change (a wrong password, say) is not
 * waited for.
 */
export async function waitForDatabase({ url, limitMs, onWait }: WaitOptions): Promise<void> {
  const deadline = performance.now() + limitMs;
  for (let isFirst = true; ; isFirst = false) {
    const error = await tryToConnect(url);
    if (!error) return;
    const isLater = findDatabaseFault(error) !== null;
    if (!isLater || performance.now() >= deadline)
      throw new DatabaseUnreachableError(textOf(url, error, isLater && limitMs));
    if (isFirst) onWait(reasonOf(error));
    await sleep(Math.min(pauseMs, Math.max(0, deadline - performance.now())));
  }
}

async function tryToConnect(url: string): Promise<Error | null> {
  const client = new DatabaseClient({ connectionString: url, connectionTimeoutMillis: 5_000, query_timeout: 5_000 });
  // A connection that breaks later is found by the pool.
  client.on("error", () => {});
  try {
    await client.connect();
    return null;
  } catch (error) {
    return error as Error;
  } finally {
    await client.end().catch(() => {});
  }
}

/** An address with several IP addresses fails with an error for each. */
const reasonOf = (error: Error): string =>
  error instanceof AggregateError && error.message === ""
    ? error.errors.map(({ message }) => message).join("; ")
    : error.message;

function textOf(url: string, error: Error, waitedMs: number | false): string {
  const waited = waitedMs ? ` within ${waitedMs / 1000} seconds (TIDINGS_DATABASE_WAIT)` : "";
  return `PostgreSQL at ${parseDatabaseUrl(url).name} does not accept connections${waited}: ${reasonOf(error)}. Check DATABASE_URL, and that the server is running.`;
}
