// The external database at the start. Where a platform starts service and database together, the database responds
// later, so the service waits for it, for a bounded time.
import { setTimeout as sleep } from "node:timers/promises";
import { parseDatabaseUrl } from "../lib/settings/database-url.ts";
import { DatabaseClient } from "./client.ts";
import { findDatabaseFault } from "./faults.ts";

/** Shown to the operator without a stack. */
export class DatabaseUnreachableError extends Error {}

type WaitOptions = {
  /** The setting that has the address, for the operator. */
  setting: string;
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
export async function waitForDatabase({ setting, url, limitMs, onWait }: WaitOptions): Promise<void> {
  const deadline = performance.now() + limitMs;
  for (let isFirst = true; ; isFirst = false) {
    const failed = await tryToConnect(url);
    if (!failed) return;
    const { error } = failed;
    const refusal = describeRefusal(failed, setting);
    if (refusal) throw new DatabaseUnreachableError(`PostgreSQL at ${parseDatabaseUrl(url).name} ${refusal}`);
    const isLater = findDatabaseFault(error) !== null;
    if (!isLater || performance.now() >= deadline)
      throw new DatabaseUnreachableError(textOf({ setting, url, error, waitedMs: isLater && limitMs }));
    if (isFirst) onWait(reasonOf(error));
    await sleep(Math.min(pauseMs, Math.max(0, deadline - performance.now())));
  }
}

/** `user` and `database`: as the driver reads them from the address, or from its defaults. */
type Failed = { error: Error; user: string; database: string };

async function tryToConnect(url: string): Promise<Failed | null> {
  const client = new DatabaseClient({ connectionString: url, connectionTimeoutMillis: 5_000, query_timeout: 5_000 });
  const { user = "", database = "" } = client;
  // A connection that breaks later is found by the pool.
  client.on("error", () => {});
  try {
    await client.connect();
    return null;
  } catch (error) {
    return { error: error as Error, user, database };
  } finally {
    await client.end().catch(() => {});
  }
}

/**
 * What the server has against the user, without the password. Null for other errors. With several hosts, it is enough
 * that one of them refuses: they have the same users.
 */
function describeRefusal({ error, user, database }: Failed, setting: string): string | null {
  const errors: Error[] = error instanceof AggregateError ? error.errors : [error];
  for (const one of errors) {
    const { code } = one as Error & { code?: string };
    // PostgreSQL does not say which of the two it is. PgBouncer has the code of a broken connection for it.
    if (code === "28P01" || one.message.includes("authentication failed"))
      return `refused the password of user "${user}" for database "${database}": the password is wrong, or the user does not exist. Correct ${setting}.`;
    // The driver refuses to sign in without a password, or the server got an empty one.
    if (one.message.includes("client password must be a"))
      return `asks user "${user}" for a password for database "${database}", and ${setting} has none. Add it: postgres://${user}:<password>@…`;
  }
  return null;
}

/** An address with several IP addresses fails with an error for each. */
const reasonOf = (error: Error): string =>
  error instanceof AggregateError && error.message === ""
    ? error.errors.map(({ message }) => message).join("; ")
    : error.message;

type Unreachable = { setting: string; url: string; error: Error; waitedMs: number | false };

function textOf({ setting, url, error, waitedMs }: Unreachable): string {
  const waited = waitedMs ? ` within ${waitedMs / 1000} seconds (TIDINGS_DATABASE_WAIT)` : "";
  return `PostgreSQL at ${parseDatabaseUrl(url).name} does not accept connections${waited}: ${reasonOf(error)}. Check ${setting}, and that the server is running.`;
}
