// The service as a value: started from a configuration, stopped cleanly. main.ts wraps it for the command line, tests
// start several in one process.
import type { AddressInfo } from "node:net";
import { createIo, createLookup, type Message } from "@tidings/providers";
import { LRUCache } from "lru-cache";
import type { Logger } from "pino";
import { catchUpEnvironments } from "./app/environments/environment-catch-up.ts";
import { developmentKey, ensureInstallation, isSetUp } from "./app/environments/installation.ts";
import { askedAtOnce } from "./app/integrations/integration-checks.ts";
import { capturedContent } from "./app/messages/captured.ts";
import { type Config, ensureEncryptionKey } from "./config.ts";
import type { Ctx, OutsideCtx } from "./context.ts";
import { createServer } from "./http/server.ts";
import { createBudgets } from "./lib/budgets.ts";
import { newId } from "./lib/ids.ts";
import { createSecrets } from "./lib/secrets.ts";
import { createShares } from "./lib/shares.ts";
import { createTurnstile } from "./lib/turnstile.ts";
import { createUrlGuard } from "./lib/url-guard.ts";
import { createMetrics } from "./metrics.ts";
import { startWorkers } from "./pipeline/dispatch.ts";
import { sealOldRows } from "./pipeline/encrypt-old-rows.ts";
import { forgetWebhooks } from "./pipeline/webhooks/events.ts";
import { openDb } from "./store/db.ts";
import { startEmbedded } from "./store/embedded/embedded.ts";
import { insertCaptured } from "./store/messages/captured.ts";
import { migrate } from "./store/migrate.ts";
import { ensurePartitions } from "./store/partitions.ts";
import { forgetBudgets, spendBudgets } from "./store/queue/budgets.ts";
import { listen } from "./store/queue/listen.ts";
import { openQueue } from "./store/queue/queue.ts";
import { version } from "./version.ts";

export type Service = {
  url: string;
  database: string;
  isFirstStart: boolean;
  developmentKey: string | null;
  /** Stops taking requests, finishes what is under way, closes everything. Safe to call twice. */
  stop(): Promise<void>;
};

/** Receivers of webhooks are to take note and answer; work that takes longer is for later. */
const webhookTimeoutMs = 15_000;

/** Pages of older rows that are encrypted before the service takes requests: 10,000 rows, a second or two. */
const pagesSealedAtStart = 20;

export async function startService(given: Config, log: Logger): Promise<Service> {
  const closers: (() => Promise<unknown>)[] = [];
  const closeAll = async () => {
    for (const close of closers.splice(0).reverse()) {
      await close().catch((error: unknown) => log.error({ err: error }, "closing failed"));
    }
  };
  try {
    return await start(given, log, closers, closeAll);
  } catch (error) {
    await closeAll();
    throw error;
  }
}

async function start(
  given: Config,
  log: Logger,
  closers: (() => Promise<unknown>)[],
  closeAll: () => Promise<void>,
): Promise<Service> {
  const database = await openDatabase(given, log, closers);
  let isDraining = false;
  // While stopping, connections are meant to end.
  const onError = (error: Error) =>
    log[isDraining ? "debug" : "warn"]({ reason: error.message }, "database connection lost; reconnecting");
  const db = openDb({ url: database.url, poolSize: given.databasePool, onError });
  closers.push(() => db.destroy());
  const { pool, seconds } = given.reads;
  const readDb = openDb({ url: database.url, poolSize: pool, statementMs: seconds * 1_000, onError });
  closers.push(() => readDb.destroy());

  const applied = await migrate(db);
  if (applied.length > 0) log.info({ applied }, "schema migrated");
  await ensurePartitions(db, new Date());
  const config = ensureEncryptionKey(given, { isSetUp: await isSetUp(db) });
  const secrets = createSecrets(config.encryptionKeys);
  const now = () => new Date();
  const { isFirstStart } = await ensureInstallation({ config, db, secrets, now, newId });
  const integrations = await catchUpEnvironments({ config, db, secrets, now, newId });
  if (integrations > 0) log.info({ integrations }, "built-in integrations added to older environments");
  // A small installation is through with this before it serves; the rest of a large one is left to housekeeping.
  await sealOldRows({ db, secrets }, pagesSealedAtStart);
  // Closed after the queue: calls that are under way finish first.
  const { resolveHost } = createUrlGuard({ allowNetworks: config.allowNetworks, lookup: createLookup() });
  const capture = (message: Message) =>
    insertCaptured(db, { id: newId(), messageId: message.id, content: capturedContent(secrets, message), now: now() });
  const io = createIo({ resolveHost, capture, timeoutMs: config.delivery.timeoutMs });
  closers.push(() => io.close());
  const webhookIo = createIo({ resolveHost, capture, timeoutMs: webhookTimeoutMs });
  closers.push(() => webhookIo.close());
  const settle = (spent: Map<string, number>) => spendBudgets(db, spent);
  const turns = createBudgets({ now: Date.now, settle, max: 10_000 });
  const rates = createBudgets({ now: () => performance.now(), settle, max: 100_000 });
  closers.push(async () => {
    turns.close();
    rates.close();
  });
  const forgetShared = (beginning: string) => forgetBudgets(db, beginning);
  const queue = await openQueue({ url: database.url, onError, budgets: turns, forgetShared });
  closers.push(() => queue.stop());
  const metrics = createMetrics();
  const versions: Ctx["versions"] = new LRUCache({ max: 5_000 });
  // The time to live is a backstop for announcements missed while the listener was away.
  const keyOwners: Ctx["keyOwners"] = new LRUCache({ max: 10_000, ttl: 30_000 });
  const webhookTargets: Ctx["webhookTargets"] = { changedAt: 0, byEnvironment: new LRUCache({ max: 10_000 }) };
  const announced = {
    tidings_api_keys: () => keyOwners.clear(),
    tidings_webhooks: () => forgetWebhooks(webhookTargets),
  };
  const listener = await listen({ url: database.url, announced, onError });
  closers.push(() => listener.close());
  const outside = {
    io,
    webhookHttp: webhookIo.http,
    resolveHost,
    asked: createShares(askedAtOnce),
    reads: { db: readDb, places: readPlaces(config) },
  };
  const known = { versions, keyOwners, webhookTargets };
  const ctx: OutsideCtx = { config, db, queue, log, metrics, secrets, now, newId, ...outside, ...known };

  if (config.roles.has("worker")) await startWorkers(ctx);
  const isReady = async () =>
    !isDraining &&
    (await Promise.all([queue.ping(), migrationsAreKnown(ctx)]).then(
      () => true,
      () => false,
    ));
  const server = createServer(ctx, { version, rates, isReady, isDraining: () => isDraining });
  closers.push(() => server.close());
  await server.listen({ host: config.host, port: config.port });
  const address = server.server.address() as AddressInfo;
  const isEverywhere = address.address === "0.0.0.0" || address.address === "::";
  const host = address.family === "IPv6" ? `[${address.address}]` : address.address;

  let stopping: Promise<void> | null = null;
  return {
    url: `http://${isEverywhere ? "localhost" : host}:${address.port}`,
    database: database.name,
    isFirstStart,
    developmentKey: await developmentKey({ db, secrets }),
    stop: () => {
      isDraining = true;
      stopping ??= closeAll();
      return stopping;
    },
  };
}

/** One environment leaves a connection to the others. What has no connection waits, and not for long. */
const readPlaces = ({ reads: { pool } }: Config) =>
  createTurnstile({ total: pool, perOwner: Math.max(1, pool - 1), waitingPerOwner: 100, waitMs: 5_000 });

async function openDatabase(config: Config, log: Logger, closers: (() => Promise<unknown>)[]) {
  if (config.databaseUrl) {
    const { host, pathname } = new URL(config.databaseUrl);
    return { url: config.databaseUrl, name: `PostgreSQL at ${host}${pathname}` };
  }
  const embedded = await startEmbedded({ dataDir: config.dataDir, progress: (message) => log.info(message) });
  closers.push(() => embedded.stop());
  return { url: embedded.url, name: `embedded PostgreSQL ${embedded.version} in ${config.dataDir}` };
}

/** Reachable and set up: one cheap read. */
const migrationsAreKnown = (ctx: Ctx) => ctx.db.selectFrom("installation").select("name").limit(1).execute();
