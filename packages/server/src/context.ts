// The first argument of every function above the store: the database, the queue, time, ids, secrets, logs. There are no
// globals and no container. A request that writes gets a `Ctx` whose `db` is its transaction. It has no network access:
// a transaction that waits for another server would hold a database connection all that time.
import type { Role } from "@tidings/contract";
import type { Io } from "@tidings/providers";
import type { LRUCache } from "lru-cache";
import type { Logger } from "pino";
import type { Config } from "./config.ts";
import type { InboxHints } from "./lib/inbox-hints.ts";
import type { FairSemaphore, OwnerLimit } from "./lib/load/semaphores.ts";
import type { Secrets } from "./lib/secrets.ts";
import type { UrlGuard } from "./lib/url-guard.ts";
import type { Metrics } from "./metrics.ts";
import type { AllCounts } from "./store/broadcasts/results.ts";
import type { Db } from "./store/db.ts";
import type { KeyRights } from "./store/environments/api-keys.ts";
import type { CachedVariables } from "./store/environments/variables.ts";
import type { FaultLog } from "./store/installation/fault-log.ts";
import type { Queue } from "./store/queue/queue.ts";
import type { RecipientRow } from "./store/subscribers/subscribers.ts";
import type { WebhookTargets } from "./store/webhooks/webhooks.ts";
import type { WorkflowVersion } from "./store/workflows/workflows.ts";
import type { Tracing } from "./tracing.ts";

/**
 * `until`: of the clock of the process, from when on they are counted again. `unfinished`: the sum that the next
 * request continues, and the milliseconds that it took.
 */
export type BroadcastCounts = {
  counts: Promise<AllCounts>;
  until: number;
  unfinished?: { sum: AllCounts; tookMs: number };
};

export type Ctx = {
  config: Config;
  db: Db;
  queue: Queue;
  log: Logger;
  metrics: Metrics;
  /** Null where traces are not exported. */
  tracing: Tracing | null;
  /** Errors of the database that this thread has met. */
  faults: FaultLog;
  secrets: Secrets;
  now(): Date;
  newId(): string;
  /** Workflow versions are immutable, so a cached one is never wrong. */
  versions: LRUCache<string, WorkflowVersion>;
  /** The variables of environments, with the version by which a batch sees that they are current. */
  variables: LRUCache<string, CachedVariables>;
  /** The owner of an API key, by the hash of the key; emptied whenever a key changes. */
  keyOwners: LRUCache<string, Caller>;
  /** What broadcasts did, where counting it took long (app/broadcasts/result-counts.ts). */
  broadcastCounts: LRUCache<string, BroadcastCounts>;
  /** The ids of API keys whose use this process has recorded within a minute (http/auth/api-keys.ts). */
  keyUses: LRUCache<string, true>;
  /** Takes the ids of subscribers whose inbox changes. In a transaction they are passed on after its commit. */
  hints: InboxHints;
  /** Which environments have webhooks; see pipeline/webhooks/events.ts. */
  webhookTargets: WebhookTargets;
  /** Limits the queries over the people of audiences, which may read all subscribers of an environment. */
  audienceReads: FairSemaphore;
};

/** A context with network access: for workers between transactions, and for the checks of a request before its own. */
export type NetworkCtx = Ctx & {
  /** Calls to providers. */
  io: Io;
  /** Calls to webhooks: as guarded as those to providers, with a shorter time limit. */
  webhookHttp: Io["http"];
  /** For HTTP requests of steps. */
  requestHttp: Io["http"];
  /** Resolves a host to an address that may be connected to, or rejects. */
  resolveHost: UrlGuard["resolveHost"];
  /** Limits the calls to providers that the requests of one environment may have in flight. */
  providerCalls: OwnerLimit;
  /** A connection pool for requests that only read, so that lists never make a trigger wait for a connection. */
  reads: {
    db: Db;
    slots: FairSemaphore;
    /** Reads lists and statistics: from a replica that has all that is committed, or from the primary. */
    fromReplica<T>(work: (db: Db) => Promise<T>): Promise<T>;
  };
};

/** The authenticated caller: an API key belongs to one environment. */
export type Caller = {
  environmentId: string;
  organizationId: string;
  environmentType: "dev" | "prod";
  environmentIdentifier: string;
  userId: string;
  /** For a member: a key of the environment, used for tokens that end with a key. */
  apiKeyId: string;
  /** Whether events of the API key may have a higher priority than their workflow. */
  mayRaisePriority?: boolean;
  /** What the API key may do; absent: the caller is not one. */
  key?: KeyRights;
  /** Absent: the caller is an API key. */
  member?: SignedInMember;
};

/** Members who may trigger events may also say which go first. */
export const mayRaisePriority = ({ member, mayRaisePriority }: Caller): boolean =>
  member !== undefined || mayRaisePriority === true;

export type SignedInMember = { id: string; name: string; email: string; role: Role; hasPassword: boolean };

/** The caller of an operation on the account of a member, or on the members of the installation. */
export type MemberCaller = {
  organizationId: string;
  member: SignedInMember;
  sessionId: string;
  /** When the session began. */
  signedInAt: Date;
  csrfToken: string;
  source: Source;
};

/** Where a request of a member came from. */
export type Source = {
  address: string;
  userAgent: string | undefined;
  /** The address of this service that the request came to, for links where TIDINGS_PUBLIC_URL is not set. */
  baseUrl: string;
  /** The browser uses https. */
  isSecure: boolean;
  /** The cookie of a session, unread. */
  cookie: string | undefined;
};

/** The caller of an operation of the inbox: one subscriber, which reaches no rows of another one. */
export type InboxCaller = Caller & {
  subscriber: RecipientRow;
  /** The session sees only messages with exactly these contexts; absent: all messages. */
  contextKeys?: string[];
};

/** An unauthenticated caller. */
export type Visitor = {
  /** Origin of the web page that sends the request. */
  origin: string | undefined;
  source: Source;
};
