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
  return {
    registry,
    contentType: registry.contentType,
    /** All metrics as a text; `others`: those of the other threads of the process. */
    async write(others: MetricObject[][]): Promise<string> {
      const own = await registry.getMetricsAsJSON();
      return Registry.merge([addMetrics([own, ...others]), measureProcess()]).metrics();
    },
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
    openCircuits: new Gauge({
      name: "tidings_open_circuits",
      help: "Integrations with an open circuit breaker",
      labelNames: ["provider"] as const,
      registers,
    }),
    openAlerts: new Gauge({
      name: "tidings_alerts_open",
      help: "Alerts that are open, by the kind of their rule",
      labelNames: ["kind"] as const,
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
    taskSeconds: new Histogram({
      name: "tidings_task_batch_seconds",
      help: "Time to work one batch of tasks",
      labelNames: ["kind"] as const,
      buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 30],
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
    queueDepth: new Gauge({
      name: "tidings_queue_depth",
      help: "Tasks waiting or being worked on",
      labelNames: ["kind"] as const,
      registers,
    }),
  };
}

/** Adds up the counters of several threads. */
export const addMetrics = (ofThreads: MetricObject[][]): Registry => AggregatorRegistry.aggregate(ofThreads);
