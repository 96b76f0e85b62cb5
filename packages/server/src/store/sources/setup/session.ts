// One transaction in a customer's database, for the commands `tidings outbox …`: on an error, nothing was changed.
import { parseDatabaseUrl } from "../../../lib/settings/database-url.ts";
import { DatabaseClient } from "../../client.ts";
import { findDatabaseFault } from "../../faults.ts";
import { DatabaseUnreachableError, waitForDatabase } from "../../wait-for-database.ts";

/** A sentence for the operator. */
class OutboxSetupError extends Error {}

/** `setting`: where the address was given, for people. */
export type OutboxTarget = { url: string; setting: string; schema: string; signal: AbortSignal };

export type Session = {
  client: DatabaseClient;
  /** Host and database, for people. */
  place: string;
  /** The role of the connection. */
  user: string;
  database: string;
  version: string;
};

export const refuse = (text: string): OutboxSetupError => new OutboxSetupError(`${text} Nothing was changed.`);

const minVersion = 130_000;

/** Also behind a pooler, which may serve each transaction on another connection: settings are those of this one. */
const beginWith = `
  set local lock_timeout = '5s'; set local statement_timeout = '60s'; set local search_path = pg_catalog;
  set local idle_in_transaction_session_timeout = '60s'`;

/** Commits what `work` did, unless it fails or `isDryRun`. */
export async function inCustomersDatabase<T>(
  target: OutboxTarget & { isDryRun?: boolean },
  work: (session: Session) => Promise<T>,
): Promise<T> {
  const { url, setting, signal } = target;
  const place = readPlace(url, setting);
  await waitForDatabase({ setting, url, limitMs: 0, onWait: () => {} });
  const client = new DatabaseClient({
    connectionString: url,
    application_name: "tidings outbox",
    connectionTimeoutMillis: 10_000,
    query_timeout: 70_000,
    beginWith,
  });
  // The query that a lost connection fails reports it.
  client.on("error", () => {});
  const close = () => client.end().catch(() => {});
  signal.addEventListener("abort", close, { once: true });
  try {
    await client.connect();
    await client.query("begin");
    const result = await work({ client, place: `PostgreSQL at ${place}`, ...(await readServer(client)) });
    await client.query(target.isDryRun ? "rollback" : "commit");
    return result;
  } catch (error) {
    throw explain(error as DatabaseError, target.schema);
  } finally {
    signal.removeEventListener("abort", close);
    await close();
  }
}

function readPlace(url: string, setting: string): string {
  try {
    return parseDatabaseUrl(url).name;
  } catch (error) {
    throw new OutboxSetupError(`${setting} ${(error as Error).message}.`);
  }
}

async function readServer(client: DatabaseClient): Promise<Pick<Session, "user" | "database" | "version">> {
  const { rows } = await client.query<{
    user: string;
    database: string;
    version: string;
    number: number;
    isClosed: boolean;
  }>(
    `select current_user as user, current_database() as database, current_setting('server_version') as version,
      current_setting('server_version_num')::int as number,
      pg_is_in_recovery() or current_setting('transaction_read_only') = 'on' as "isClosed"`,
  );
  const { user, database, version, number, isClosed } = rows[0]!;
  if (number < minVersion) throw refuse(`PostgreSQL ${version} is too old for the outbox: it needs 13 or later.`);
  if (isClosed) throw refuse("The database is read-only, such as a standby: give the address of the primary.");
  return { user, database, version: version.split(" ")[0]! };
}

type DatabaseError = Error & { code?: string; detail?: string; hint?: string };

function explain(error: DatabaseError, schema: string): Error {
  if (error instanceof OutboxSetupError || error instanceof DatabaseUnreachableError) return error;
  const { code = "", message, detail, hint } = error;
  const told = [sentence(message), detail, hint].filter(Boolean).join(" ");
  if (code === "42501")
    return refuse(
      `${sentence(message)} Connect as the role that owns the outbox or, for a new one, as a role that may create the ` +
        `schema ${schema}, such as the owner of the database.`,
    );
  if (findDatabaseFault(error) === "locked")
    return refuse("Another session has locked the outbox: run the command again when it has ended.");
  return code === "" ? error : refuse(told);
}

const sentence = (text: string): string => {
  const plain = text.replace(/\.?$/, ".");
  return `${plain[0]!.toUpperCase()}${plain.slice(1)}`;
};
