// Starts and stops the service. main.ts is its command line; tests start several services in one process.
import type { AddressInfo } from "node:net";
import { createIo, createLookup, type Message } from "@tidings/providers";
import { LRUCache } from "lru-cache";
import type { Logger } from "pino";
import { catchUpEnvironments } from "./app/environments/environment-catch-up.ts";
import { developmentKey, ensureInstallation, isSetUp } from "./app/environments/installation.ts";
import { maxProviderCalls } from "./app/integrations/integration-checks.ts";
import { capturedContent } from "./app/messages/captured.ts";
import { makeFirstLink } from "./app/people/links.ts";
import type { Config } from "./config.ts";
import type { Ctx, NetworkCtx } from "./context.ts";
import { type OpenDatabase, openDatabase } from "./database.ts";
import { ensureEncryptionKey } from "./encryption-key.ts";
import { keyUseMs } from "./http/auth.ts";
import { findSessionOwner } from "./http/inbox-auth.ts";
import { createServer } from "./http/server.ts";
import { createBudgets } from "./lib/budgets.ts";
import { newId } from "./lib/ids.ts";
import { createHintCollector } from "./lib/inbox-hints.ts";
import { createSecrets, type Secrets } from "./lib/secrets.ts";
import { createFairSemaphore, createOwnerLimit } from "./lib/semaphores.ts";
import type { InboxSession } from "./lib/tokens/inbox-token.ts";
import { createUrlGuard } from "./lib/url-guard.ts";
import { createMetrics } from "./metrics.ts";
import { startWorkers } from "./pipeline/dispatch.ts";
import { encryptOldRows } from "./pipeline/encrypt-old-rows.ts";
import { createHub, type Hub } from "./pipeline/live/hub.ts";
import { expireWebhookCache } from "./pipeline/webhooks/events.ts";
import { type Db, openDb } from "./store/db.ts";
import { deleteBudgets, spendBudgets } from "./store/installation/budgets.ts";
import { migrate } from "./store/installation/migrate.ts";
import { ensurePartitions } from "./store/installation/partitions.ts";
import { insertCaptured } from "./store/messages/messages.batch.ts";
import { openQueue, type QueueOptions } from "./store/queue/queue.ts";
import { version } from "./version.ts";

export type Service = {
  url: string;
  database: string;
  isFirstStart: boolean;
  developmentKey: string | null;
  /** The link that signs the first person in as owner; null once there is one, and where the dashboard is off. */
  firstLink: string | null;
  /** Refuses new requests, finishes requests and tasks in progress, closes all connections. Can be called twice. */
  stop(): Promise<void>;
};

/** Shorter than that of providers: receivers of webhooks should store the event and answer at once. */
const webhookTimeoutMs = 15_000;

/** Pages of older rows that are encrypted before the service takes requests: 10,000 rows, a second or two. */
const pagesEncryptedAtStart = 20;

/** What every part of the start needs. Closers run in reverse order, also when the start fails. */
type Start = { log: Logger; closers: (() => Promise<unknown>)[]; state: { isDraining: boolean } };

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
  try {
    const database = await opening;
    starting.closers.push(() => database.stop());
    return await start(given, database, starting, closeAll);
  } catch (error) {
    await closeAll();
    throw error;
  }
}

async function start(
  given: Config,
  database: OpenDatabase,
  starting: Start,
  closeAll: () => Promise<void>,
): Promise<Service> {
  const { log, closers, state } = starting;
  const { db, readDb, onError } = openPools(given, database.url, starting);
  const { config, secrets, isFirstStart } = await prepareDatabase(given, db, log);
  // Opened before the queue and closed after it, so that calls in flight finish first.
  const network = openNetwork(config, db, secrets, closers);
  const announce = (channel: string, text: string): Promise<void> => queue.notify(channel, text);
  const { caches, onNotify, onChange } = createCaches(announce);
  const { queue, rates } = await openSharedQueue(db, { url: database.url, onError, onNotify }, closers);
  closers.push(async () => caches.hints.close());
  const reads = { db: readDb, slots: createReadSlots(config) };
  const metrics = createMetrics();
  const ctx: NetworkCtx = { config, db, queue, log, metrics, secrets, now, newId, reads, ...network, ...caches };

  if (config.inbox.requireHash === "never")
    log.warn("TIDINGS_INBOX_REQUIRE_HASH is never: anyone who knows the id of a subscriber can read its inbox");
  const hub = config.roles.has("api") && config.live.connections > 0 ? openHub(ctx, announce, onChange) : null;
  if (config.roles.has("worker")) await startWorkers(ctx);
  const isReady = async () =>
    !state.isDraining &&
    (await Promise.all([queue.ping(), pingDatabase(ctx)]).then(
      () => true,
      () => false,
    ));
  const server = createServer(ctx, { version, rates, hub, isReady, isDraining: () => state.isDraining });
  closers.push(() => server.close());
  await server.listen({ host: config.host, port: config.port });

  const url = urlOf(server.server.address() as AddressInfo);
  const isServed = config.dashboard && config.roles.has("api");
  let stopping: Promise<void> | null = null;
  return {
    url,
    firstLink: isServed ? await makeFirstLink(ctx, url) : null,
    database: database.name,
    isFirstStart,
    developmentKey: await developmentKey({ db, secrets }),
    stop: () => {
      state.isDraining = true;
      stopping ??= closeAll();
      return stopping;
    },
  };
}

const now = () => new Date();

function openPools(config: Config, url: string, { log, closers, state }: Start) {
  // While draining, lost connections are expected.
  const onError = (error: Error) =>
    log[state.isDraining ? "debug" : "warn"]({ reason: error.message }, "database connection lost; reconnecting");
  const db = openDb({ url, poolSize: config.databasePool, keep: 1, onError });
  closers.push(() => db.destroy());
  const { pool, seconds } = config.reads;
  const readDb = openDb({ url, poolSize: pool, statementMs: seconds * 1_000, onError });
  closers.push(() => readDb.destroy());
  return { db, readDb, onError };
}

/** Migrations, partitions, the encryption key, and the first environments. */
async function prepareDatabase(given: Config, db: Db, log: Logger) {
  const applied = await migrate(db);
  if (applied.length > 0) log.info({ applied }, "schema migrated");
  await ensurePartitions(db, now());
  const config = ensureEncryptionKey(given, { isSetUp: await isSetUp(db) });
  const secrets = createSecrets(config.encryptionKeys);
  const { isFirstStart } = await ensureInstallation({ config, db, secrets, now, newId });
  const integrations = await catchUpEnvironments({ config, db, secrets, now, newId });
  if (integrations > 0) log.info({ integrations }, "built-in integrations added to older environments");
  // In a small installation this encrypts all older rows before the first request; housekeeping does the rest of a large one.
  await encryptOldRows({ db, secrets }, pagesEncryptedAtStart);
  return { config, secrets, isFirstStart };
}

function openNetwork(config: Config, db: Db, secrets: Secrets, closers: Start["closers"]) {
  const { resolveHost } = createUrlGuard({ allowNetworks: config.allowNetworks, lookup: createLookup() });
  const capture = (message: Message) =>
    insertCaptured(db, { id: newId(), messageId: message.id, content: capturedContent(secrets, message), now: now() });
  const io = createIo({ resolveHost, capture, timeoutMs: config.delivery.timeoutMs });
  closers.push(() => io.close());
  const webhookIo = createIo({ resolveHost, capture, timeoutMs: webhookTimeoutMs });
  closers.push(() => webhookIo.close());
  return { io, webhookHttp: webhookIo.http, resolveHost, providerCalls: createOwnerLimit(maxProviderCalls) };
}

/** The queue, and the rates that processes share: the clocks of its fair order, and the rate limits of requests. */
async function openSharedQueue(db: Db, options: QueueOptions, closers: Start["closers"]) {
  const settle = (spent: Map<string, number>) => spendBudgets(db, spent);
  const turns = createBudgets({ now: Date.now, settle, max: 10_000 });
  const rates = createBudgets({ now: () => performance.now(), settle, max: 100_000 });
  closers.push(async () => {
    turns.close();
    rates.close();
  });
  const forgetShared = (prefix: string) => deleteBudgets(db, prefix);
  const queue = await openQueue({ ...options, budgets: turns, forgetShared });
  closers.push(() => queue.stop());
  return { queue, rates };
}

/** What this process does on announcements of the database, beside emptying its caches. */
type OnChange = { keys(): void; hints(text?: string): void };

const hintChannel = "tidings_inbox_hints";
const watchChannel = "tidings_inbox_watch";

type Announce = (channel: string, text: string) => Promise<void>;

/** The caches of a context. The database announces changes, which empty them: `onNotify`, by channel. */
function createCaches(announce: Announce) {
  const versions: Ctx["versions"] = new LRUCache({ max: 5_000 });
  // The time to live covers announcements that were missed while the listener was disconnected.
  const keyOwners: Ctx["keyOwners"] = new LRUCache({ max: 10_000, ttl: 30_000 });
  const keyUses: Ctx["keyUses"] = new LRUCache({ max: 10_000, ttl: keyUseMs });
  const webhookTargets: Ctx["webhookTargets"] = { changedAt: 0, byEnvironment: new LRUCache({ max: 10_000 }) };
  const onChange: OnChange = { keys: () => {}, hints: () => {} };
  const hints = createHintCollector({
    now: () => performance.now(),
    send: (text) => announce(hintChannel, text),
  });
  const onNotify = {
    tidings_api_keys: () => {
      keyOwners.clear();
      onChange.keys();
    },
    tidings_webhooks: () => expireWebhookCache(webhookTargets),
    [hintChannel]: (text?: string) => onChange.hints(text),
    // Without a text, announcements may have been missed.
    [watchChannel]: (text?: string) => (text === undefined ? hints.watchForAnnouncement() : hints.watch()),
  };
  return { caches: { versions, keyOwners, keyUses, webhookTargets, hints }, onNotify, onChange };
}

/** The hub of live inboxes. Its connections are closed by the HTTP server, before it closes. */
function openHub(ctx: NetworkCtx, announce: Announce, onChange: OnChange): Hub {
  const hub = createHub(ctx, () => announce(watchChannel, ""));
  onChange.hints = hub.hint;
  onChange.keys = () => {
    const isValid = async (session: InboxSession) => (await findSessionOwner(ctx, session)) !== null;
    hub.recheck(isValid).catch((error) => ctx.log.warn({ reason: error.message }, "sessions could not be checked"));
  };
  return hub;
}

function urlOf({ address, family, port }: AddressInfo): string {
  const isEverywhere = address === "0.0.0.0" || address === "::";
  const host = family === "IPv6" ? `[${address}]` : address;
  return `http://${isEverywhere ? "localhost" : host}:${port}`;
}

/** One environment uses at most all read connections but one. A read without a connection waits, five seconds at most. */
const createReadSlots = ({ reads: { pool } }: Config) =>
  createFairSemaphore({ total: pool, perOwner: Math.max(1, pool - 1), waitingPerOwner: 100, waitMs: 5_000 });

/** One cheap read: fails when the database is away or has no tables. */
const pingDatabase = (ctx: Ctx) => ctx.db.selectFrom("installation").select("name").limit(1).execute();
