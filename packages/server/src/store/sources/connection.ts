// The connection to the database of a source: two connections at most, and a timeout for every wait.
import { Socket } from "node:net";
import { Kysely, PostgresDialect, sql } from "kysely";
import pg from "pg";
import { type ClientOptions, DatabaseClient } from "../client.ts";
import type { Db } from "../db.ts";

/** The parts of an address that people may see. */
export type SourceAddress = { host: string; port: number; database: string; user: string };

/** Null when the text is not the address of a PostgreSQL. */
export function readAddress(text: string): SourceAddress | null {
  const url = URL.parse(text);
  if (!url || !/^postgres(?:ql)?:$/.test(url.protocol) || url.hostname === "") return null;
  const [database, user, password] = [url.pathname.slice(1), url.username, url.password].map(decodePart);
  // In the first message of a connection, texts end with a zero byte.
  if (!database || !user || password === null || (database + user + password).includes("\0")) return null;
  return { host: url.hostname.replace(/^\[(.*)\]$/, "$1"), port: Number(url.port) || 5_432, database, user };
}

/** Null when its percent signs encode nothing. */
function decodePart(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

/** How the database of a source is reached: `connectionOf`. */
export type SourceConnection = { url: string; stream: () => Socket };

/** The driver would take another host, a socket or files of this machine from other parameters. */
const usedParameters = new Set(["sslmode", "uselibpqcompat", "options"]);

/**
 * A connection to an address of the host that was checked, whatever the driver asks for: a second lookup could return
 * another one. Certificates are still compared with the name.
 */
export function connectionOf(text: string, address: string): SourceConnection {
  const url = new URL(text);
  for (const name of [...url.searchParams.keys()]) if (!usedParameters.has(name)) url.searchParams.delete(name);
  const stream = () => {
    const socket = new Socket();
    const connect = socket.connect.bind(socket) as (port: number, host: string) => Socket;
    // A number: a text would be the path of a socket.
    return Object.assign(socket, { connect: (port: unknown) => connect(Number(port), address) });
  };
  return { url: url.href, stream };
}

const connectMs = 10_000;
/** A batch is accepted while its rows are locked. */
const statementMs = 60_000;

export function openSource({ url, stream }: SourceConnection, onError: (error: Error) => void): Db {
  const options: pg.PoolConfig & ClientOptions = {
    connectionString: url,
    stream,
    Client: DatabaseClient as typeof pg.Client,
    max: 2,
    idleTimeoutMillis: 30_000,
    connectionTimeoutMillis: connectMs,
    query_timeout: statementMs + connectMs,
    silenceMs: statementMs + connectMs,
    keepAlive: true,
    application_name: "tidings-relay",
  };
  const pool = new pg.Pool(options);
  pool.on("error", onError);
  // A connection that ends between two statements of a transaction would otherwise end the process.
  pool.on("connect", (client) => client.on("error", onError));
  return new Kysely({ dialect: new PostgresDialect({ pool }) });
}

/** Timeouts of a transaction; a session may be that of a pooler, which others share. */
export const limitTransaction = (db: Db) =>
  sql`select set_config('statement_timeout', ${`${statementMs}`}, true), set_config('lock_timeout', '5000', true),
    set_config('idle_in_transaction_session_timeout', ${`${statementMs}`}, true)`.execute(db);

/** What a source's database says about its outbox. `missing`: columns that it should have. */
export type OutboxFindings = {
  version: string;
  versionNumber: number;
  isReadOnly: boolean;
  hasTable: boolean;
  missing: string[];
  lacks: string[];
};

const outboxColumns = ["id", "transaction_id", "kind", "key", "body", "created_at"];

export async function inspectOutbox(db: Db, schema: string): Promise<OutboxFindings> {
  const { rows } = await sql<{ version: string; number: number; read_only: string; table: string | null }>`
    select current_setting('server_version') as version, current_setting('server_version_num')::int as number,
      current_setting('transaction_read_only') as read_only,
      (select c.oid::text from pg_class c join pg_namespace n on n.oid = c.relnamespace
       where n.nspname = ${schema} and c.relname = 'outbox' and c.relkind in ('r', 'p')) as table`.execute(db);
  const { version, number, read_only, table } = rows[0]!;
  const found = { version, versionNumber: number, isReadOnly: read_only === "on", hasTable: table !== null };
  if (table === null) return { ...found, missing: [], lacks: [] };
  const { rows: columns } = await sql<{ name: string }>`
    select attname as name from pg_attribute where attrelid = ${table}::oid and attnum > 0 and not attisdropped`.execute(
    db,
  );
  const { rows: privileges } = await sql<{ name: string }>`
    select p.name from unnest(array['select', 'update', 'delete']) as p(name)
    where not has_table_privilege(${table}::oid, p.name)
    union all select 'usage of the schema' where not has_schema_privilege(${schema}, 'usage')`.execute(db);
  const names = new Set(columns.map(({ name }) => name));
  return {
    ...found,
    missing: outboxColumns.filter((column) => !names.has(column)),
    lacks: privileges.map(({ name }) => name),
  };
}
