// Starts and stops the service. main.ts is its command line; tests start several services in one process.
import { existsSync, readFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import type { InjectOptions, LightMyRequestResponse } from "fastify";
import type { Logger } from "pino";
import { explainListenError, urlForPeople } from "./address.ts";
import { catchUpAlertRules, catchUpEnvironments } from "./app/environments/environment-catch-up.ts";
import { developmentKey, ensureInstallation, isSetUp } from "./app/environments/installation.ts";
import { createMetricsReader } from "./app/installation-metrics.ts";
import { makeFirstLink } from "./app/members/links.ts";
import { createReadiness } from "./app/readiness.ts";
import type { Config } from "./config.ts";
import type { NetworkCtx } from "./context.ts";
import { explainStartError, type OpenDatabase, openDatabase } from "./database.ts";
import { ensureEncryptionKey } from "./encryption-key.ts";
import { type Announce, type OnChange, openEngine, openPools, type Start, watchChannel } from "./engine.ts";
import { findSessionEnd } from "./http/auth/inbox-sessions.ts";
import { createServer } from "./http/server.ts";
import { newId } from "./lib/ids.ts";
import { findFileShortage } from "./lib/open-files.ts";
import { createSecrets } from "./lib/secrets.ts";
import type { InboxSession } from "./lib/tokens/inbox-token.ts";
import { runBackgroundMigrations } from "./pipeline/background/run.ts";
import { startWorkers } from "./pipeline/dispatch.ts";
import { createHub, type Hub } from "./pipeline/live/hub.ts";
import { startRelays } from "./pipeline/sources/relays.ts";
import type { Db } from "./store/db.ts";
import { migrate, waitForSchema } from "./store/installation/migrate.ts";
import { ensurePartitions } from "./store/installation/partitions.ts";
import { fixSearchPath } from "./store/installation/search-path.ts";
import { openMetricExport } from "./telemetry/open.ts";
import { createWorkerPool } from "./threads/pool.ts";
import { version } from "./version.ts";

export type Service = {
  url: string;
  /** The same as people are shown it. */
  shownUrl: string;
  database: string;
  isFirstStart: boolean;
  developmentKey: string | null;
  /** The link that signs the first member in as owner; null once there is one, and where the dashboard is off. */
  firstLink: string | null;
  /** Takes a request of this process, which needs no socket. */
  inject(request: InjectOptions): Promise<LightMyRequestResponse>;
  /**
   * Is not ready from now on; after TIDINGS_SHUTDOWN_DELAY, accepts no new connections, finishes requests and tasks in
   * progress, and closes all connections. Can be called twice.
   */
  stop(): Promise<void>;
};

/** Batches of older rows that are rewritten before the service takes requests: 10,000 rows, a second or two. */
const batchesAtStart = 20;

/** `opening`: the database, if its start began before. */
export async function startService(
  given: Config,
  log: Logger,
  opening: Promise<OpenDatabase> = openDatabase(given, log),
): Promise<Service> {
  const starting: Start = { log, closers: [], state: { isDraining: false } };
  const closeAll = async () => {
    for (const close of starting.closers.splice(0).reverse()) {
      await close().catch((error: unknown) => log.error({ err: error }, "closing failed"));
    }
  };
  let name = `the embedded PostgreSQL in ${given.dataDir}`;
  try {
    const database = await opening;
    ({ name } = database);
    starting.closers.push(() => database.stop());
    return await start(given, database, starting, closeAll);
  } catch (error) {
    await closeAll();
    throw explainStartError(error, name);
  }
}

async function start(
  given: Config,
  database: OpenDatabase,
  starting: Start,
  closeAll: () => Promise<void>,
): Promise<Service> {
  const { log, closers, state } = starting;
  await fixSearchPath(database.url);
  const pools = openPools(given, database.url, starting);
  const { db } = pools;
  const { config, secrets, isFirstStart } = await prepareDatabase(given, db, log);
  const options = { config, secrets, url: database.url, isWorkerThread: false };
  const { ctx, rates, announce, onChange, findNewerSchema } = await openEngine(options, pools, starting);
  const workers = createWorkerPool({ config, databaseUrl: database.url, log });
  closers.push(() => workers.stop());

  if (config.inbox.requireHash === "never")
    log.warn("TIDINGS_INBOX_REQUIRE_HASH is never: anyone who knows the id of a subscriber can read its inbox");
  const hub = config.roles.has("api") && config.live.connections > 0 ? openHub(ctx, announce, onChange) : null;
  if (hub) warnOfFileLimit(log, config.live.connections);
  if (config.roles.has("worker")) {
    await startWorkers(ctx, { isFirst: true, onBatch: workers.noteWork, countThreads: workers.count });
  }
  if (config.roles.has("worker")) {
    const relays = startRelays(ctx, config.directDatabaseUrl || database.url);
    onChange.sources = relays.look;
    closers.push(relays.stop);
  }
  const watchCallers = (recheck: () => void) => {
    const ofInboxes = onChange.keys;
    onChange.members = recheck;
    onChange.keys = () => {
      ofInboxes();
      recheck();
    };
  };
  const isStopping = () => state.isDraining;
  const readiness = createReadiness(ctx, { isStopping, findNewerSchema });
  const readMetrics = createMetricsReader(ctx, workers, readiness);
  await openMetricExport(config, starting, readMetrics);
  const doors = { rates, hub, workers, watchCallers };
  const server = createServer(ctx, { version, readiness, readMetrics, isStopping, findNewerSchema, ...doors });
  closers.push(() => server.close());
  await workers.start();
  await server.listen({ host: config.host, port: config.port }).catch((error) => {
    throw explainListenError(error, config);
  });

  const bound = server.server.address() as AddressInfo;
  const url = urlOf(bound);
  const shownUrl = urlForPeople({ host: bound.address, port: bound.port });
  const isServed = config.dashboard && config.roles.has("api");
  let stopping: Promise<void> | null = null;
  return {
    url,
    shownUrl,
    firstLink: isServed ? await makeFirstLink(ctx, shownUrl) : null,
    database: database.name,
    isFirstStart,
    developmentKey: await developmentKey({ db, secrets }),
    inject: (request) => server.inject(request),
    stop: () => {
      state.isDraining = true;
      stopping ??= delay(config.shutdownDelaySeconds * 1_000).then(closeAll);
      return stopping;
    },
  };
}

const now = () => new Date();

/** Migrations, partitions, the encryption key, and the first environments. */
async function prepareDatabase(given: Config, db: Db, log: Logger) {
  await (given.migrates
    ? migrate(db, { say: (text) => log.info(text) })
    : waitForSchema(db, { limitMs: given.databaseWaitSeconds * 1_000, say: (text) => log.info(text) }));
  await ensurePartitions(db, now());
  const config = ensureEncryptionKey(given, { isSetUp: await isSetUp(db) });
  const secrets = createSecrets(config.encryptionKeys);
  const { isFirstStart } = await ensureInstallation({ config, db, secrets, now, newId });
  const integrations = await catchUpEnvironments({ config, db, secrets, now, newId });
  if (integrations > 0) log.info({ integrations }, "built-in integrations added to older environments");
  await catchUpAlertRules({ db, secrets, now, newId });
  // In a small installation this rewrites all older rows before the first request; housekeeping does the rest of a
  // large one.
  await runBackgroundMigrations({ db, secrets, log, now }, batchesAtStart);
  return { config, secrets, isFirstStart };
}

/** The hub of live inboxes. Its connections are closed by the HTTP server, before it closes. */
function openHub(ctx: NetworkCtx, announce: Announce, onChange: OnChange): Hub {
  const hub = createHub(ctx, () => announce(watchChannel, ""));
  onChange.hints = hub.hint;
  onChange.keys = () => {
    const findEnd = (session: InboxSession) => findSessionEnd(ctx, session);
    hub.recheck(findEnd).catch((error) => ctx.log.warn({ reason: error.message }, "sessions could not be checked"));
  };
  return hub;
}

function warnOfFileLimit(log: Logger, connections: number): void {
  // Only Linux has the file.
  const limits = existsSync(limitsFile) ? readFileSync(limitsFile, "utf8") : "";
  const shortage = findFileShortage(limits, connections);
  if (!shortage) return;
  const message =
    "the limit of open files is below TIDINGS_LIVE_CONNECTIONS: raise it (ulimit -n), or lower the setting";
  log.warn({ ...shortage, liveConnections: connections }, message);
}

const limitsFile = "/proc/self/limits";

function urlOf({ address, family, port }: AddressInfo): string {
  const isEverywhere = address === "0.0.0.0" || address === "::";
  const host = family === "IPv6" ? `[${address}]` : address;
  return `http://${isEverywhere ? "localhost" : host}:${port}`;
}
