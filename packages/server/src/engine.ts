// What each thread works with: connections to the database, the queue, network access and caches. The main thread of a
// process has one (service.ts), and so has each worker thread (threads/worker.ts).
import { createIo, createLookup, type Message } from "@tidings/providers";
import { LRUCache } from "lru-cache";
import type { Logger } from "pino";
import { maxProviderCalls } from "./app/integrations/integration-checks.ts";
import { capturedContent } from "./app/messages/captured.ts";
import type { Config } from "./config.ts";
import type { BroadcastCounts, Ctx, NetworkCtx } from "./context.ts";
import { keyUseMs } from "./http/auth/api-keys.ts";
import { createBoundedCache } from "./lib/bounded-cache.ts";
import { newId } from "./lib/ids.ts";
import { createHintCollector } from "./lib/inbox-hints.ts";
import { createBudgets } from "./lib/load/budgets.ts";
import { createFairSemaphore, createOwnerLimit } from "./lib/load/semaphores.ts";
import type { Secrets } from "./lib/secrets.ts";
import { createUrlGuard } from "./lib/url-guard.ts";
import { createMetrics, type Metrics } from "./metrics.ts";
import { expireWebhookCache } from "./pipeline/webhooks/events.ts";
import { type Db, openDb } from "./store/db.ts";
import type { DatabaseFault } from "./store/faults.ts";
import { deleteBudgets, spendBudgets } from "./store/installation/budgets.ts";
import { createFaultLog } from "./store/installation/fault-log.ts";
import { readSchemaState, schemaChannel } from "./store/installation/schema-state.ts";
import { insertCaptured } from "./store/messages/messages.batch.ts";
import { openQueue, type QueueOptions } from "./store/queue/queue.ts";
import { openReplica, type ReplicaRead } from "./store/replica.ts";
import { sourcesChannel } from "./store/sources/sources.ts";
import { openTracing } from "./telemetry/open.ts";

/** What the parts of a start need. Closers run in reverse order, even when the start fails. */
export type Start = { log: Logger; closers: (() => Promise<unknown>)[]; state: { isDraining: boolean } };

/** Shorter than that of providers: receivers of webhooks should store the event and respond immediately. */
const webhookTimeoutMs = 15_000;

type Pools = ReturnType<typeof openPools>;

export function openPools(config: Config, url: string, { log, closers, state }: Start) {
  const metrics = createMetrics();
  const onFault = (fault: DatabaseFault) => metrics.databaseFaults.inc({ fault });
  const faults = createFaultLog({ log, isDraining: () => state.isDraining, findDb: () => db, onFault });
  const addresses = { url, directUrl: config.directDatabaseUrl };
  const shared = { ...addresses, lockMs: config.lockSeconds * 1_000, onError: faults.noteInBackground };
  const db = openDb({ ...shared, poolSize: config.databasePool, keep: 1, watchPool: metrics.watchPool("main") });
  closers.push(() => db.destroy());
  const { pool, seconds } = config.reads;
  const readDb = openDb({
    ...shared,
    poolSize: pool,
    statementMs: seconds * 1_000,
    watchPool: metrics.watchPool("reads"),
  });
  closers.push(() => readDb.destroy());
  closers.push(async () => faults.close());
  return { db, readDb, faults, metrics };
}

/**
 * `url`: of the database that `pools` are connected to. `isWorkerThread`: the engine is not that of the main thread.
 */
type EngineOptions = { config: Config; secrets: Secrets; url: string; isWorkerThread: boolean };

export async function openEngine(
  { config, secrets, url, isWorkerThread }: EngineOptions,
  { db, readDb, faults, metrics }: Pools,
  starting: Start,
) {
  const { log, closers } = starting;
  const tracing = await openTracing(config, starting);
  // Opened before the queue and closed after it, so that calls in flight finish first.
  const network = openNetwork(config, db, secrets, closers);
  const announce = (channel: string, text: string): Promise<void> => queue.notify(channel, text);
  const { caches, onNotify, onChange } = createCaches(announce);
  const schema = watchSchema(db, log, () => queue.pause());
  onNotify[schemaChannel] = schema.check;
  closers.push(async () => schema.stop());
  const { queue, rates } = await openSharedQueue(
    db,
    {
      ...{ url, directUrl: config.directDatabaseUrl, onNotify, isWorkerThread },
      firstRetryMs: config.taskFirstWaitMs,
      onError: faults.noteInBackground,
    },
    closers,
  );
  closers.push(async () => caches.hints.close());
  const reads = openReads(config, readDb, metrics, { log, closers });
  const base = { config, db, queue, log, metrics, tracing, faults, secrets, now, newId };
  const ctx: NetworkCtx = { ...base, audienceReads: createAudienceSlots(), reads, ...network, ...caches };
  return { ctx, rates, announce, onChange, findNewerSchema: schema.findTooNew };
}

function openReads(config: Config, db: Db, metrics: Metrics, { log, closers }: Pick<Start, "log" | "closers">) {
  const slots = createReadSlots(config);
  const { replicaUrl: url } = config;
  const readPrimary: NetworkCtx["reads"]["fromReplica"] = (work) => work(db);
  if (url === "") return { db, slots, fromReplica: readPrimary };
  const { pool: poolSize, seconds } = config.reads;
  const onRead = (read: ReplicaRead) => metrics.replicaReads.inc(read);
  const replica = openReplica({ url, primary: db, poolSize, statementMs: seconds * 1_000, log, onRead });
  closers.push(replica.close);
  return { db, slots, fromReplica: replica.read };
}

const now = () => new Date();

function openNetwork(config: Config, db: Db, secrets: Secrets, closers: Start["closers"]) {
  const { resolveHost } = createUrlGuard({ allowNetworks: config.allowNetworks, lookup: createLookup() });
  const capture = (message: Message) =>
    insertCaptured(db, { id: newId(), messageId: message.id, content: capturedContent(secrets, message), now: now() });
  const io = createIo({ resolveHost, capture, timeoutMs: config.delivery.timeoutMs });
  closers.push(() => io.close());
  const webhookIo = createIo({ resolveHost, capture, timeoutMs: webhookTimeoutMs });
  closers.push(() => webhookIo.close());
  const requestIo = createIo({ resolveHost, capture, timeoutMs: config.delivery.requestTimeoutMs });
  closers.push(() => requestIo.close());
  const https = { webhookHttp: webhookIo.http, requestHttp: requestIo.http };
  return { io, ...https, resolveHost, providerCalls: createOwnerLimit(maxProviderCalls) };
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

/** How often the schema is checked, in addition to announcements of migrations. */
const schemaMs = 30_000;

/**
 * Finds that a newer version has migrated the database while this one runs. The next release leaves it as this one
 * needs it; the one after that does not, and then this process takes no more tasks.
 */
function watchSchema(db: Db, log: Logger, pauseQueue: () => void) {
  let [newer, tooNew]: [string | null, string | null] = [null, null];
  const look = async () => {
    if (tooNew !== null) return;
    const found = await readSchemaState(db);
    if (found.newer === null || tooNew !== null) return;
    if (!found.isTooNew && found.newer !== newer)
      log.info(
        { migration: found.newer },
        "the next version has migrated the database: this process continues until it is replaced",
      );
    newer = found.newer;
    if (!found.isTooNew) return;
    tooNew = found.newer;
    pauseQueue();
    log.error(
      { migration: tooNew },
      "the database was migrated by a newer version: this process takes no more tasks and requests; replace it",
    );
  };
  // Without a database there is nothing to find; the next look comes with the connection.
  const check = () => void look().catch(() => {});
  const timer = setInterval(check, schemaMs).unref();
  return { check, findTooNew: () => tooNew, stop: () => clearInterval(timer) };
}

/** What this process does on announcements of the database, in addition to emptying its caches. */
export type OnChange = { keys(): void; members(): void; sources(): void; hints(text?: string): void };

const hintChannel = "tidings_inbox_hints";
export const watchChannel = "tidings_inbox_watch";

export type Announce = (channel: string, text: string) => Promise<void>;

/** The caches of a context. The database announces changes, which empty them: `onNotify`, by channel. */
function createCaches(announce: Announce) {
  const versions: Ctx["versions"] = new LRUCache({ max: 5_000 });
  const variables: Ctx["variables"] = new LRUCache({
    max: 1_000,
    maxSize: 32 * 1_024 * 1_024,
    sizeCalculation: ({ bytes }) => bytes,
  });
  // The time to live covers announcements that were missed while the listener was disconnected.
  const keyOwners: Ctx["keyOwners"] = new LRUCache({ max: 10_000, ttl: 30_000 });
  const keyUses: Ctx["keyUses"] = new LRUCache({ max: 10_000, ttl: keyUseMs });
  const webhookTargets: Ctx["webhookTargets"] = { changedAt: 0, byEnvironment: new LRUCache({ max: 10_000 }) };
  const onChange: OnChange = { keys: () => {}, members: () => {}, sources: () => {}, hints: () => {} };
  const hints = createHintCollector({
    now: () => performance.now(),
    send: (text) => announce(hintChannel, text),
  });
  const onNotify: NonNullable<QueueOptions["onNotify"]> = {
    tidings_api_keys: () => {
      keyOwners.clear();
      onChange.keys();
    },
    tidings_people: () => onChange.members(),
    [sourcesChannel]: () => onChange.sources(),
    tidings_webhooks: () => expireWebhookCache(webhookTargets),
    [hintChannel]: (text?: string) => onChange.hints(text),
    // Without a text, announcements may have been missed.
    [watchChannel]: (text?: string) => (text === undefined ? hints.watchForAnnouncement() : hints.watch()),
  };
  const caches = { versions, variables, keyOwners, keyUses, webhookTargets, hints };
  return { caches: { ...caches, broadcastCounts: createBoundedCache<BroadcastCounts>(1_000) }, onNotify, onChange };
}

/**
 * One environment uses at most all read connections but one. A read without a connection waits, five seconds at most.
 */
const createReadSlots = ({ reads: { pool } }: Config) =>
  createFairSemaphore({ total: pool, perOwner: Math.max(1, pool - 1), waitingPerOwner: 100, waitMs: 5_000 });

const audienceQueue = { length: 20, ms: 15_000 };

/** Queries over the people of audiences: two at a time, one of an environment. The others wait. */
const createAudienceSlots = () =>
  createFairSemaphore({ total: 2, perOwner: 1, waitingPerOwner: audienceQueue.length, waitMs: audienceQueue.ms });
