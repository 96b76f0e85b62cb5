// Whether a pooler such as PgBouncer is between the service and the database, and what that changes. Found at the start
// by what the connections do, since a pooler does not say so.
import { randomInt } from "node:crypto";
import { DatabaseClient } from "./client.ts";

/**
 * `session`: a client keeps its connection. `transaction`: after each transaction it may get another one, so LISTEN,
 * session locks and `set` are lost without an error.
 */
type Pooling = "none" | "session" | "transaction";

/** What a start that cannot work says, and what a start that can should know. */
export type PoolerFinding = { kind: "fault" | "warning"; text: string };

const waitMs = 5_000;
/** Other clients of a pooler may take a connection between two queries, so one test proves little. */
const maxTries = 3;

async function withClient<T>(url: string, work: (client: DatabaseClient) => Promise<T>, startup = {}): Promise<T> {
  const client = new DatabaseClient({
    connectionString: url,
    application_name: "tidings-probe",
    connectionTimeoutMillis: waitMs,
    query_timeout: waitMs,
    ...startup,
  });
  client.on("error", () => {});
  try {
    await client.connect();
    return await work(client);
  } finally {
    await client.end().catch(() => {});
  }
}

const findServerPid = async (client: DatabaseClient): Promise<number> =>
  (await client.query<{ pid: number }>("select pg_backend_pid() as pid")).rows[0]!.pid;

/** Without a pooler, the process id of the first message of the server is that of the process that runs queries. */
async function findPooling(url: string): Promise<Pooling> {
  return withClient(url, async (client) => {
    const pid = await findServerPid(client);
    if ((client as unknown as { processID: number }).processID === pid) return "none";
    for (let tries = 0; tries < maxTries; tries++) {
      if (await isShared(url, client, pid)) return "transaction";
    }
    return "session";
  });
}

/** Whether another client gets the server connection of `client`, which is still open and idle. */
async function isShared(url: string, client: DatabaseClient, pid: number): Promise<boolean> {
  try {
    return await withClient(url, async (other) => {
      await other.query("begin");
      return (await findServerPid(other)) === pid || (await findServerPid(client)) !== pid;
    });
  } catch (error) {
    // A pooler in session mode has no connection left for the other client.
    if (/timeout/i.test((error as Error).message)) return false;
    throw error;
  }
}

/** A session lock of one address is seen by the other. */
const isSameDatabase = (url: string, directUrl: string): Promise<boolean> =>
  withClient(directUrl, async (direct) => {
    const key = randomInt(2 ** 47);
    await direct.query("select pg_advisory_lock($1)", [key]);
    return withClient(url, async (pooled) => {
      const { rows } = await pooled.query("select pg_try_advisory_xact_lock($1) as locked", [key]);
      return !rows[0].locked;
    });
  });

const timeouts = { statement_timeout: 60_000, lock_timeout: 5_000, idle_in_transaction_session_timeout: 300_000 };
const roleSettings = Object.entries(timeouts).map(
  ([name, ms]) => `alter role current_user set ${name} = '${ms / 1000}s';`,
);

/** Which timeouts are not in force on a connection. */
const findMissingTimeouts = (url: string, startup = {}): Promise<string[]> =>
  withClient(
    url,
    async (client) => {
      const text = "select name from pg_settings where name = any($1) and setting = '0' order by name";
      const { rows } = await client.query<{ name: string }>(text, [Object.keys(timeouts)]);
      return rows.map((row) => row.name);
    },
    startup,
  );

const fault = (text: string): PoolerFinding[] => [{ kind: "fault", text }];

function warnOfTimeouts(missing: string[], where: string): PoolerFinding[] {
  if (missing.length === 0) return [];
  const text =
    `behind the pooler of DATABASE_URL, ${missing.join(", ")} is not in force${where}: PostgreSQL may work on a ` +
    `statement after the service gave it up; run: ${roleSettings.join(" ")} and let the pooler reconnect`;
  return [{ kind: "warning", text }];
}

/** `directUrl` is empty where there is none. */
export async function inspectPooler(url: string, directUrl: string): Promise<PoolerFinding[]> {
  if (directUrl !== "") return inspectDirect(url, directUrl);
  const pooling = await findPooling(url);
  if (pooling === "none") return [];
  if (pooling === "transaction") {
    return fault(
      "DATABASE_URL leads to a pooler in transaction mode, which loses LISTEN and session locks: set " +
        "TIDINGS_DIRECT_DATABASE_URL to the address of PostgreSQL itself, or use session mode",
    );
  }
  try {
    return warnOfTimeouts(await findMissingTimeouts(url, timeouts), "");
  } catch (error) {
    if (!/unsupported startup parameter/i.test((error as Error).message)) throw error;
    return fault(
      "the pooler of DATABASE_URL refuses timeouts at the start of a connection: set TIDINGS_DIRECT_DATABASE_URL to " +
        "the address of PostgreSQL itself, or set ignore_startup_parameters = " +
        `${Object.keys(timeouts).join(", ")} in the pooler and the timeouts for the role`,
    );
  }
}

async function inspectDirect(url: string, directUrl: string): Promise<PoolerFinding[]> {
  if ((await findPooling(directUrl)) === "transaction") {
    return fault(
      "TIDINGS_DIRECT_DATABASE_URL leads to a pooler in transaction mode: it must lead to PostgreSQL itself",
    );
  }
  if (!(await isSameDatabase(url, directUrl))) {
    return fault("DATABASE_URL and TIDINGS_DIRECT_DATABASE_URL lead to different databases");
  }
  return warnOfTimeouts(await findMissingTimeouts(url), " outside of transactions");
}
