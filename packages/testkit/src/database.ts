// A database per test file, cloned from a migrated template: a real PostgreSQL, empty, in about 40 ms.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { newId } from "@tidings/server/source/lib/ids";
import { openDb } from "@tidings/server/source/store/db";
import { migrate } from "@tidings/server/source/store/installation/migrate";
import { ensurePartitions } from "@tidings/server/source/store/installation/partitions";
import { openQueue } from "@tidings/server/source/store/queue/queue";
import { sql } from "kysely";
import pg from "pg";

const template = "tidings_template";

/**
 * The superuser of an embedded server, who may create databases and end connections; the service's own role may not.
 */
export function adminUrlOf(dataDir: string, serviceUrl: string): string {
  const { password } = JSON.parse(readFileSync(join(dataDir, "postgres.json"), "utf8")) as { password: string };
  const url = new URL(serviceUrl);
  url.username = "tidings";
  url.password = password;
  return url.href;
}

/**
 * A service opens several connections, and SCRAM costs both ends 4 ms of a core each time, of which its 4,096 hashes
 * are only a half. The password of this server guards nothing: it is hashed once, and sent in plain text.
 */
export const shortenSignIn = (adminUrl: string): Promise<unknown> =>
  asAdmin(adminUrl, async (client) => {
    const { password } = new URL(adminUrl);
    await client.query(`set scram_iterations = 1; alter role current_user password '${password}'`);
    await client.query(plainPasswords);
  });

/** COPY writes one line for each row, and the name of its file has to be a literal. */
const plainPasswords = `
  do $$ declare path text := current_setting('hba_file'); begin
    create temporary table lines as select pg_read_file(path) as text;
    execute format('copy (select %L union all select regexp_split_to_table(text, E''\n'') from lines) to %L',
      format('host all %I 127.0.0.1/32 password', current_user), path);
    perform pg_reload_conf();
  end $$`;

function withDatabase(url: string, name: string): string {
  const parsed = new URL(url);
  parsed.pathname = `/${name}`;
  return parsed.href;
}

async function asAdmin<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** Called once per run, before any test file. */
export async function prepareTemplate(adminUrl: string): Promise<void> {
  await asAdmin(adminUrl, (client) => client.query(`drop database if exists ${template}`));
  await asAdmin(adminUrl, (client) => client.query(`create database ${template}`));
  const url = withDatabase(adminUrl, template);
  const fail = (error: Error) => {
    throw error;
  };
  const db = openDb({ url, poolSize: 4, onError: fail });
  await migrate(db);
  await ensurePartitions(db, new Date());
  // There are no older rows to rewrite, which every service would find out again.
  await sql`update background_migrations set finished_at = now()`.execute(db);
  await db.destroy();
  const queue = await openQueue({ url, onError: fail });
  await queue.stop();
}

export type TestDatabase = {
  url: string;
  /** Ends every connection to the database: what a test does to see the service recover. */
  disconnectAll(): Promise<void>;
  /** Refuses new connections and ends the present ones, until it is allowed again. */
  allowConnections(isAllowed: boolean): Promise<void>;
  /** Another database with the same content. Ends every connection to this one. */
  copy(): Promise<TestDatabase>;
  /** Fails when someone is still connected, then drops the database. */
  drop(): Promise<void>;
};

export async function createTestDatabase(options: { isEmpty?: boolean } = {}): Promise<TestDatabase> {
  const adminUrl = process.env.TEST_DATABASE_URL;
  assert.ok(adminUrl, "run tests with `npm test`: it starts the PostgreSQL they need");
  return cloneDatabase(adminUrl, options.isEmpty ? "template1" : template);
}

async function cloneDatabase(adminUrl: string, source: string): Promise<TestDatabase> {
  const name = `test_${newId().replaceAll("-", "")}`;
  // Copying the files takes half the time of copying them through the log, the default.
  const statement = `create database ${name} template ${source} strategy file_copy`;
  await asAdmin(adminUrl, (client) => client.query(statement));
  const disconnectAll = () =>
    asAdmin(adminUrl, async (client) => {
      await client.query("select pg_terminate_backend(pid) from pg_stat_activity where datname = $1", [name]);
    });
  const allowConnections = async (isAllowed: boolean) => {
    await asAdmin(adminUrl, (client) => client.query(`alter database ${name} allow_connections ${isAllowed}`));
    if (!isAllowed) await disconnectAll();
  };
  return {
    url: withDatabase(adminUrl, name),
    disconnectAll,
    allowConnections,
    async copy() {
      await allowConnections(false);
      try {
        // PostgreSQL waits five seconds for connections to end.
        return await cloneDatabase(adminUrl, name);
      } finally {
        await allowConnections(true);
      }
    },
    async drop() {
      await asAdmin(adminUrl, async (client) => {
        // PostgreSQL's own workers come and go.
        const text = `select application_name, query from pg_stat_activity
          where datname = $1 and backend_type = 'client backend'`;
        const left = async () => (await client.query(text, [name])).rows;
        const deadline = Date.now() + 5_000;
        while ((await left()).length > 0 && Date.now() < deadline)
          await new Promise((resolve) => setTimeout(resolve, 20));
        const connections = await left();
        await client.query(`drop database ${name} with (force)`);
        assert.deepEqual(connections, [], "connections were left behind");
      });
    },
  };
}
