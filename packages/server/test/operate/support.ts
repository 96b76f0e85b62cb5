// Services on databases that outlive them, and what a database holds, as one value for each table.
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { atEnd } from "@tidings/testkit/at-end";
import { createClient } from "@tidings/testkit/client";
import { createTestDatabase } from "@tidings/testkit/database";
import { sql } from "kysely";
import { pino } from "pino";
import { readConfig } from "../../src/config.ts";
import { newApiKey } from "../../src/lib/secrets.ts";
import type { Operation } from "../../src/operate/words.ts";
import { startService } from "../../src/service.ts";
import { openSession } from "../../src/store/backup/session.ts";
import { openDb } from "../../src/store/db.ts";
import { tablesOf } from "../support/dump.ts";

export const encryptionKey = randomBytes(32).toString("base64");
export const apiKey = newApiKey();

// A module is loaded once for all files of a lane, so each file asks for what it needs.
let closers: (() => unknown)[] = [];

/** Runs at the end of the file, the last one first: services are stopped before their databases are dropped. */
function closeAtEnd(close: () => unknown): void {
  if (closers.push(close) > 1) return;
  atEnd(async () => {
    const closing = closers.reverse();
    closers = [];
    for (const work of closing) await work();
  });
}

/** A folder that is removed at the end of the file. */
export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "tidings-backup-"));
  closeAtEnd(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export async function newDatabase(options?: { isEmpty: boolean }): Promise<string> {
  const { url, drop } = await createTestDatabase(options);
  closeAtEnd(drop);
  return url;
}

export const settingsFor = (url: string): Record<string, string> => ({
  DATABASE_URL: url,
  TIDINGS_ENCRYPTION_KEY: encryptionKey,
});

/** Stopped by the test, or when the file ends. */
export async function startOn(url: string, more: Record<string, string> = {}) {
  const settings = {
    TIDINGS_API_KEY: apiKey,
    TIDINGS_HOST: "127.0.0.1",
    TIDINGS_PORT: "0",
    TIDINGS_ALLOW_NETWORKS: "127.0.0.0/8",
    TIDINGS_THREADS: "1",
  };
  const config = readConfig({ ...settingsFor(url), ...settings, ...more });
  const service = await startService(config, pino({ level: "silent" }));
  closeAtEnd(service.stop);
  return { stop: service.stop, client: createClient({ baseUrl: service.url, apiKey }) };
}

/** What an operation is handed, and what it said. */
export function operation(env: Record<string, string>): Operation & { said: string[] } {
  const said: string[] = [];
  return { env, say: (text) => void said.push(text), signal: new AbortController().signal, said };
}

export async function withDb<T>(url: string, work: (db: ReturnType<typeof openDb>) => Promise<T>): Promise<T> {
  const db = openDb({ url, poolSize: 1, onError: () => {} });
  return work(db).finally(() => db.destroy());
}

/** The tables that have rows, from the catalogue: those that are divided into partitions have none. */
export const tableNames = (url: string): Promise<string[]> =>
  withDb(url, async (db) => {
    const { rows } = await sql<{ name: string }>`select relname as name from pg_class where relkind = 'p'`.execute(db);
    const divided = new Set(rows.map(({ name }) => name));
    const tables = (await tablesOf(db)).filter(({ table }) => !divided.has(table));
    return tables.map(({ schema, table }) => (schema === "queue" ? `queue.${table}` : table));
  });

/**
 * The count of rows of each table, with a hash that does not depend on their order. `snapshot`: of another transaction,
 * whose moment is seen.
 */
export async function hashesOf(url: string, tables: string[], snapshot?: string): Promise<Record<string, string>> {
  const client = await openSession(url, "test");
  const hashes: Record<string, string> = {};
  try {
    await client.query("begin transaction isolation level repeatable read, read only");
    if (snapshot) await client.query(`set transaction snapshot '${snapshot}'`);
    for (const table of tables) {
      const text = `select count(*) || ' ' || coalesce(sum(hashtextextended(t::text, 0)), 0) as hash from ${table} t`;
      hashes[table] = (await client.query(text)).rows[0].hash;
    }
  } finally {
    await client.end();
  }
  return hashes;
}
