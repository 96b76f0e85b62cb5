// Prometheus metrics, with one registry per service, because tests run several services in one process.
import {
  AggregatorRegistry,
  Counter,
  collectDefaultMetrics,
  Gauge,
  Histogram,
  type MetricObject,
  Registry,
} from "prom-client";
import { createInstallationGauges } from "./installation-gauges.ts";
import type { PoolUse } from "./store/db.ts";
import { databaseFaults } from "./store/faults.ts";

export type Metrics = ReturnType<typeof createMetrics>;

export function createMetrics() {
  const registry = new Registry();
  const registers = [registry];
  let processRegistry: Registry | undefined;
  /** Made by the first reading: measuring the delay of the event loop wakes the process a hundred times a second. */
  const measureProcess = (): Registry => {
    if (!processRegistry) {
      processRegistry = new Registry();
      collectDefaultMetrics({ register: processRegistry });
    }
    return processRegistry;
  };
  const { gauges: installation, registry: installationRegistry } = createInstallationGauges();
  return {
    registry,
    /** Set by each reading of /metrics, in the main thread only. */
    installation,
    watchPool: watchPools(registry),
    contentType: registry.contentType,
    /** All metrics of the process; `ofThreads`: those of its threads. */
    merge: (ofThreads: MetricObject[][]): Registry =>
      Registry.merge([addMetrics(ofThreads), installationRegistry, measureProcess()]),
    threads: new Gauge({
      name: "tidings_threads",
      help: "Threads of this process that work on requests and tasks",
      registers,
    }),
    requests: new Counter({
      name: "tidings_http_requests_total",
      help: "Requests served",
      labelNames: ["operation", "status"] as const,
      registers,
    }),
    dispatchedRequests: new Counter({
      name: "tidings_requests_handed_over_total",
      help: "Requests that another thread of this process worked on",
      registers,
    }),
    requestSeconds: new Histogram({
      name: "tidings_http_request_seconds",
      help: "Time to serve a request",
      labelNames: ["operation"] as const,
      buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
      registers,
    }),
    replicaReads: new Counter({
      name: "tidings_replica_reads_total",
      help: "Reads that a replica may serve, by the server that did, and why",
      labelNames: ["target", "reason"] as const,
      registers,
    }),
    events: new Counter({
      name: "tidings_events_total",
      help: "Events by the status returned",
      labelNames: ["status"] as const,
      registers,
    }),
    notifications: new Counter({
      name: "tidings_notifications_total",
      help: "Notifications created (one per recipient of an event)",
      registers,
    }),
    messages: new Counter({
      name: "tidings_messages_total",
      help: "Messages by channel and status",
      labelNames: ["channel", "status"] as const,
      registers,
    }),
    attempts: new Counter({
      name: "tidings_delivery_attempts_total",
      help: "Calls to providers by outcome",
      labelNames: ["provider", "outcome"] as const,
      registers,
    }),
    deliverySeconds: new Histogram({
      name: "tidings_delivery_seconds",
      help: "Time from the creation of a message to its hand-over to the provider, with retries and replays",
      labelNames: ["channel"] as const,
      buckets: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800, 7200],
      registers,
    }),
    webhooks: new Counter({
      name: "tidings_webhook_attempts_total",
      help: "Attempts to call a webhook, by the resulting status of the delivery",
      labelNames: ["status"] as const,
      registers,
    }),
    circuitsOpened: new Counter({
      name: "tidings_circuits_opened_total",
      help: "Circuit breakers opened because an integration kept failing",
      labelNames: ["provider"] as const,
      registers,
    }),
    taskFailures: new Counter({
      name: "tidings_task_failures_total",
      help: "Tasks that failed and will be retried",
      labelNames: ["kind"] as const,
      registers,
    }),
    failedTasks: new Counter({
      name: "tidings_failed_tasks_total",
      help: "Tasks that failed on every attempt and were set aside",
      labelNames: ["kind"] as const,
      registers,
    }),
    sourceRows: new Counter({
      name: "tidings_source_rows_total",
      help: "Calls by SQL that were taken from outboxes",
      labelNames: ["result"] as const,
      registers,
    }),
    taskSeconds: new Histogram({
      name: "tidings_task_batch_seconds",
      help: "Time to work one batch of tasks",
      labelNames: ["kind"] as const,
      buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 30],
      registers,
    }),
    databaseFaults: countFaults(registry),
    retentionDeletedRows: new Counter({
      name: "tidings_retention_deleted_rows_total",
      help: "Rows that the retention deleted, by class; those of dropped partitions are included",
      labelNames: ["class"] as const,
      registers,
    }),
    retentionDroppedPartitions: new Counter({
      name: "tidings_retention_dropped_partitions_total",
      help: "Partitions that the retention dropped",
      registers,
    }),
    liveConnections: new Gauge({
      name: "tidings_live_connections",
      help: "Live connections of inboxes",
      labelNames: ["door"] as const,
      registers,
    }),
    liveClosed: new Counter({
      name: "tidings_live_closed_total",
      help: "Live connections that this process closed, by reason",
      labelNames: ["reason"] as const,
      registers,
    }),
  };
}

/** Each kind begins with 0: Prometheus sees no increase in a counter that begins with its first error. */
function countFaults(registry: Registry): Counter<"fault"> {
  const counter = new Counter({
    name: "tidings_database_faults_total",
    help: "Errors of the database that requests, tasks and connections have met",
    labelNames: ["fault"] as const,
    registers: [registry],
  });
  for (const fault of databaseFaults) counter.inc({ fault }, 0);
  return counter;
}

/** Pools are read when the metrics are. */
function watchPools(registry: Registry) {
  const pools = new Map<string, () => PoolUse>();
  const registers = [registry];
  const each = (set: (pool: string, use: PoolUse) => void) => {
    for (const [pool, readUse] of pools) set(pool, readUse());
  };
  new Gauge({
    name: "tidings_database_pool_connections",
    help: "Open connections to the database",
    labelNames: ["pool", "state"] as const,
    registers,
    collect() {
      each((pool, { used, idle }) => {
        this.set({ pool, state: "used" }, used);
        this.set({ pool, state: "idle" }, idle);
      });
    },
  });
  new Gauge({
    name: "tidings_database_pool_size",
    help: "Connections that a pool may open",
    labelNames: ["pool"] as const,
    registers,
    collect() {
      each((pool, { size }) => this.set({ pool }, size));
    },
  });
  new Gauge({
    name: "tidings_database_pool_waiting",
    help: "Requests and tasks that wait for a connection of the pool",
    labelNames: ["pool"] as const,
    registers,
    collect() {
      each((pool, { waiting }) => this.set({ pool }, waiting));
    },
  });
  return (pool: string) => (readUse: () => PoolUse) => void pools.set(pool, readUse);
}

/** Adds up the counters of several threads. */
export const addMetrics = (ofThreads: MetricObject[][]): Registry => AggregatorRegistry.aggregate(ofThreads);
