// The real service on a real database, started in the process of the test and called over HTTP: one that the files of a
// lane share (`shareService`), or the file's own (`startTestService`). When the file ends, all connections and sockets
// that it opened have to be closed.
import { randomBytes } from "node:crypto";
import { createOrganization } from "@tidings/server/source/app/environments/installation";
import { type Config, readConfig } from "@tidings/server/source/config";
import { newId } from "@tidings/server/source/lib/ids";
import { createSecrets, newApiKey, type Secrets, sha256 } from "@tidings/server/source/lib/secrets";
import { startService } from "@tidings/server/source/service";
import { type Db, openDb } from "@tidings/server/source/store/db";
import { sql } from "kysely";
import { pino } from "pino";
import { atEnd, atEndOfLane } from "./at-end.ts";
import { type Client, createClient } from "./client.ts";
import { createTestDatabase, type TestDatabase } from "./database.ts";
import { createDirectFetch } from "./direct-fetch.ts";

export type TestService = {
  url: string;
  apiKey: string;
  /** `fetch` without a socket, for files with thousands of requests. Streams need the real one. */
  directFetch: typeof globalThis.fetch;
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

/**
 * What a file has in a service that it shares: its own organisation. `db` has the rows of other files as well: queries
 * name an environment or an id that nobody else has, change nothing of the schema, and lock no table.
 */
export type SharedService = Pick<TestService, "url" | "apiKey" | "client" | "production" | "db"> & {
  /** The Development environment. */
  environmentId: string;
  /** The Production environment. */
  productionId: string;
};

/** Starts a service for the calling test file; it is stopped and checked for leaks when the file ends. */
export async function startTestService(settings: TestSettings = {}): Promise<TestService> {
  const { service } = await openService(settings);
  atEnd(service.stop);
  return service;
}

type OpenService = { service: TestService; config: Config; secrets: Secrets };

/** The services of this process that files share, by their settings. */
const shared = new Map<string, Promise<OpenService>>();

/**
 * A new organisation, with the environments Development and Production, in a service that the files of a lane share: a
 * start takes 0.3 s of a core. For files that use the API, and rows of their environments. Those that read logs, count
 * all of something, sign people in or stop the service start their own.
 */
export async function shareService(settings: TestSettings = {}): Promise<SharedService> {
  const key = JSON.stringify(Object.entries(settings).toSorted());
  if (!shared.has(key)) shared.set(key, openSharedService(settings));
  const { service, config, secrets } = await shared.get(key)!;
  const apiKey = newApiKey();
  await createOrganization({ config: { ...config, apiKey }, db: service.db, secrets, now: () => new Date(), newId });
  const { url, db } = service;
  return { url, apiKey, db, ...(await clientsOf(service, apiKey, secrets)), ...(await environmentsOf(db, apiKey)) };
}

async function openSharedService(settings: TestSettings): Promise<OpenService> {
  const opened = await openService(settings);
  atEndOfLane({ close: opened.service.stop, port: Number(new URL(opened.service.url).port) });
  return opened;
}

async function openService(settings: TestSettings): Promise<OpenService> {
  const database = await createTestDatabase();
  const apiKey = settings.TIDINGS_API_KEY ?? newApiKey();
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
    // What fails in a test is repaired by the test.
    TIDINGS_TASK_FIRST_WAIT: "100",
    // Many tests sign people in, and lib/passwords.test.ts is the one about hashes.
    TIDINGS_PASSWORD_COST: "10",
    // Many tests try many wrong keys.
    TIDINGS_RATE_WRONG_KEYS: "0",
    // Tests call an inbox more often than a person does.
    TIDINGS_RATE_INBOX: "0",
    ...settings,
  });
  const logs: Record<string, unknown>[] = [];
  const log = pino({ level: "debug" }, { write: (line: string) => void logs.push(JSON.parse(line)) });
  const { url, firstLink, inject, ...running } = await startService(config, log);
  const directFetch = createDirectFetch(inject);
  const db = openDb({ url: database.url, poolSize: 2, onError: () => {} });
  const secrets = createSecrets(config.encryptionKeys);

  let stopping: Promise<void> | null = null;
  const stop = () => {
    stopping ??= (async () => {
      await running.stop();
      await db.destroy();
      await database.drop();
    })();
    return stopping;
  };
  const clients = await clientsOf({ url, db }, apiKey, secrets);
  const service = { url, apiKey, directFetch, ...clients, database, db, firstLink, logs, stop };
  return { service, config, secrets };
}

/** Clients of the Development environment with this key, and of the Production environment of its organisation. */
async function clientsOf({ url, db }: Pick<TestService, "url" | "db">, apiKey: string, secrets: Secrets) {
  const productionKey = await addProductionKey(db, secrets, apiKey);
  return {
    client: createClient({ baseUrl: url, apiKey }),
    production: createClient({ baseUrl: url, apiKey: productionKey }),
  };
}

/** The environment of this key, and the Production environment of its organisation. */
async function environmentsOf(db: Db, developmentKey: string) {
  const { rows } = await sql<{ environmentId: string; productionId: string }>`
    select d.id as "environmentId", e.id as "productionId"
    from api_keys k join environments d on d.id = k.environment_id
      join environments e on e.organization_id = d.organization_id and e.type = 'prod'
    where k.hash = ${sha256(developmentKey)}`.execute(db);
  return rows[0]!;
}

/** A process that only works on tasks, next to a service that only handles requests. */
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
async function addProductionKey(db: Db, secrets: Secrets, developmentKey: string): Promise<string> {
  const key = newApiKey();
  const secret = secrets.encrypt(key);
  await sql`insert into api_keys (id, environment_id, user_id, hash, secret, created_at)
    select gen_random_uuid(), e.id, k.user_id, ${sha256(key)}, ${secret}, now()
    from api_keys k join environments d on d.id = k.environment_id
      join environments e on e.organization_id = d.organization_id and e.type = 'prod'
    where k.hash = ${sha256(developmentKey)}`.execute(db);
  return key;
}
