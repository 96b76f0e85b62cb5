// What every layer above the store is handed: the database, the queue, time, ids, secrets, logs. Passed as the first
// argument; there are no globals and no container. A request that writes gets a context whose `db` is its transaction, and
// without a way outside: whoever waits for others inside a transaction keeps a connection to the database from everybody.
import type { Io } from "@tidings/providers";
import type { LRUCache } from "lru-cache";
import type { Logger } from "pino";
import type { Config } from "./config.ts";
import type { Secrets } from "./lib/secrets.ts";
import type { Shares } from "./lib/shares.ts";
import type { Turnstile } from "./lib/turnstile.ts";
import type { UrlGuard } from "./lib/url-guard.ts";
import type { Metrics } from "./metrics.ts";
import type { Db } from "./store/db.ts";
import type { Queue } from "./store/queue/queue.ts";
import type { WebhookTargets } from "./store/webhooks/webhooks.ts";
import type { WorkflowVersion } from "./store/workflows/workflows.ts";

export type Ctx = {
  config: Config;
  db: Db;
  queue: Queue;
  log: Logger;
  metrics: Metrics;
  secrets: Secrets;
  now(): Date;
  newId(): string;
  /** Workflow versions are immutable, so a cached one is never wrong. */
  versions: LRUCache<string, WorkflowVersion>;
  /** Who owns an API key, by its hash; emptied whenever a key changes. */
  keyOwners: LRUCache<string, Caller>;
  /** Which environments have webhooks; see pipeline/webhooks/events.ts. */
  webhookTargets: WebhookTargets;
};

/** For workers between their transactions, and for what a request has to know before its own begins. */
export type OutsideCtx = Ctx & {
  /** Calls to providers. */
  io: Io;
  /** Calls to webhooks: as guarded as those to providers, with a shorter time limit. */
  webhookHttp: Io["http"];
  /** Gives an address of the host that may be connected to, or rejects. */
  resolveHost: UrlGuard["resolveHost"];
  /** The calls to providers that requests have under way, by environment. */
  asked: Shares;
  /** For requests that only read: connections of their own, so that lists never keep a trigger waiting for one. */
  reads: { db: Db; places: Turnstile };
};

/** Who calls: an API key belongs to one environment. */
export type Caller = {
  environmentId: string;
  organizationId: string;
  environmentType: "dev" | "prod";
  userId: string;
  apiKeyId: string;
};
