// The real service on a real database, started in the process of the test and called over HTTP. When the test file ends,
// all connections, sockets and servers have to be closed.
import { randomBytes } from "node:crypto";
import { type Client, createClient } from "@tidings/contract";
import { sql } from "kysely";
import { pino } from "pino";
import { readConfig } from "../../src/config.ts";
import { createSecrets, newApiKey, type Secrets, sha256 } from "../../src/lib/secrets.ts";
import { startService } from "../../src/service.ts";
import { type Db, openDb } from "../../src/store/db.ts";
import { atEnd } from "./at-end.ts";
import { createTestDatabase, type TestDatabase } from "./database.ts";

export type TestService = {
  url: string;
  apiKey: string;
  /** Calls operations with the Development key. */
  client: Client;
  /** The same with the Production key: another environment of the same organisation. */
  production: Client;
  database: TestDatabase;
  /** Direct access to rows that the API does not show. */
  db: Db;
  /** The link that signs the first person in; null where the dashboard is off. */
  firstLink: string | null;
  logs: Record<string, unknown>[];
  stop(): Promise<void>;
};

export type TestSettings = Record<string, string>;

/** Starts a service for the calling test file; it is stopped and checked for leaks when the file ends. */
export async function startTestService(settings: TestSettings = {}): Promise<TestService> {
  const database = await createTestDatabase();
  const apiKey = newApiKey();
  const config = readConfig({
    DATABASE_URL: database.url,
    TIDINGS_HOST: "127.0.0.1",
    TIDINGS_PORT: "0",
    TIDINGS_API_KEY: apiKey,
    TIDINGS_ENCRYPTION_KEY: randomBytes(32).toString("base64"),
    TIDINGS_ALLOW_NETWORKS: "127.0.0.0/8",
    TIDINGS_DATABASE_POOL: "8",
    // Threads that begin under load would make a busy machine slower.
    TIDINGS_THREADS: "1",
    // Many tests try many wrong keys.
    TIDINGS_RATE_WRONG_KEYS: "0",
    // Tests call an inbox more often than a person does.
    TIDINGS_RATE_INBOX: "0",
    ...settings,
  });
  const logs: Record<string, unknown>[] = [];
  const log = pino({ level: "debug" }, { write: (line: string) => void logs.push(JSON.parse(line)) });
  const service = await startService(config, log);
  const db = openDb({ url: database.url, poolSize: 2, onError: () => {} });
  const productionKey = await addProductionKey(db, createSecrets(config.encryptionKeys));

  let stopping: Promise<void> | null = null;
  const stop = () => {
    stopping ??= (async () => {
      await service.stop();
      await db.destroy();
      await database.drop();
    })();
    return stopping;
  };
  atEnd(stop);
  return {
    url: service.url,
    apiKey,
    client: createClient({ baseUrl: service.url, apiKey }),
    production: createClient({ baseUrl: service.url, apiKey: productionKey }),
    database,
    db,
    firstLink: service.firstLink,
    logs,
    stop,
  };
}

/** A process that only works on tasks, beside a service that takes requests only. */
export const startWorker = ({ database }: TestService, encryptionKey: string, settings: TestSettings = {}) =>
  startService(
    readConfig({
      DATABASE_URL: database.url,
      TIDINGS_ROLE: "worker",
      TIDINGS_HOST: "127.0.0.1",
      TIDINGS_PORT: "0",
      TIDINGS_ENCRYPTION_KEY: encryptionKey,
      ...settings,
    }),
    pino({ level: "silent" }),
  );

/** The generated Production key is not shown in Development, so tests add another key to that environment. */
async function addProductionKey(db: Db, secrets: Secrets): Promise<string> {
  const key = newApiKey();
  const secret = secrets.encrypt(key);
  await sql`insert into api_keys (id, environment_id, user_id, hash, secret, created_at)
    select gen_random_uuid(), e.id, u.id, ${sha256(key)}, ${secret}, now()
    from environments e, users u where e.type = 'prod'`.execute(db);
  return key;
}
