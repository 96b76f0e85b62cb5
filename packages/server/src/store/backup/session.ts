// The connection of a backup or a restore: one session, past a pooler, with settings under which PostgreSQL writes and
// reads values in the same form on every server.
import { DatabaseClient } from "../client.ts";

export type BackupSession = DatabaseClient;

/** A copy of a large table takes hours; a lost connection is found by keep-alive probes. */
const noLimits = `
  select set_config(name, '0', false) from pg_settings
  where name in ('statement_timeout', 'idle_in_transaction_session_timeout', 'idle_session_timeout', 'transaction_timeout')`;

const form = `
  set client_encoding = 'UTF8'; set timezone = 'UTC'; set datestyle = 'ISO, YMD'; set intervalstyle = 'postgres';
  set extra_float_digits = 1; set bytea_output = 'hex'; set lock_timeout = '10s'`;

export async function openSession(url: string, name: string): Promise<BackupSession> {
  const client = new DatabaseClient({
    connectionString: url,
    application_name: name,
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: 30_000,
  });
  // The query that a lost connection fails reports it; without a listener the error would end the process.
  client.on("error", () => {});
  try {
    await client.connect();
    await client.query(form);
    await client.query(noLimits);
    return client;
  } catch (error) {
    await client.end().catch(() => {});
    throw error;
  }
}

export async function findRows<Row extends object>(client: BackupSession, text: string, values: unknown[] = []) {
  return (await client.query<Row>(text, values)).rows;
}
