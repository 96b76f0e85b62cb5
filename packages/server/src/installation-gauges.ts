// Gauges of the whole installation, read from the database (app/installation-metrics.ts). Every process shows the same
// figures, so rules take their maximum. Their own registry: worker threads do not have them, and nothing is added up.
import { Gauge, Registry } from "prom-client";

export type InstallationGauges = ReturnType<typeof createGauges>;

export function createInstallationGauges(): { registry: Registry; gauges: InstallationGauges } {
  const registry = new Registry();
  return { registry, gauges: createGauges(registry) };
}

function createGauges(registry: Registry) {
  const gauge = <Label extends string = never>(name: string, help: string, labelNames: Label[] = []) => {
    const created = new Gauge({ name, help, labelNames, registers: [registry] });
    // Without labels, a gauge begins with 0. One that was not read has no value.
    created.remove({});
    return created;
  };
  return {
    ready: gauge("tidings_ready", "1 when /ready returns 200, otherwise 0"),
    queueDepth: gauge("tidings_queue_depth", "Tasks waiting or being worked on", ["kind"]),
    queueOldest: gauge("tidings_queue_oldest_seconds", "How long the oldest task that is due has been waiting", [
      "kind",
    ]),
    queueLow: gauge("tidings_queue_low_tasks", "Tasks of low priority that wait, counted up to 100,000", ["kind"]),
    openAlerts: gauge("tidings_alerts_open", "Alerts that are open, by the kind of their rule", ["kind"]),
    openCircuits: gauge("tidings_open_circuits", "Integrations with an open circuit breaker", ["provider"]),
    deadLetters: gauge("tidings_dead_letters", "Dead letters that wait for a decision, counted up to 10,000"),
    setAsideTasks: gauge("tidings_set_aside_tasks", "Tasks set aside that wait for a decision, counted up to 10,000"),
    failingWebhooks: gauge("tidings_failing_webhooks", "Active webhooks whose last five calls or more have failed"),
    disabledWebhooks: gauge("tidings_disabled_webhooks", "Webhooks switched off because they kept failing"),
    sourceWaiting: gauge(
      "tidings_source_waiting",
      "Rows that wait in the outbox of a source, as last measured, counted up to 10,000",
      ["source"],
    ),
    sourceLag: gauge("tidings_source_lag_seconds", "Age of the oldest row in the outbox of a source; 0 without rows", [
      "source",
    ]),
    sourceFailing: gauge("tidings_source_failing", "1 when the database of a source cannot be read, otherwise 0", [
      "source",
    ]),
    databaseBytes: gauge("tidings_database_bytes", "Size of the database"),
    partitionsAhead: gauge("tidings_partitions_ahead_months", "Coming months for which every table has its partition"),
    choreSuccess: gauge(
      "tidings_housekeeping_last_success_timestamp_seconds",
      "When a chore was last completed, or first scheduled",
      ["chore"],
    ),
    retentionSuccess: gauge(
      "tidings_retention_last_success_timestamp_seconds",
      "When the last run of the retention began that had nothing left to do (Unix time); absent before the first",
    ),
    backgroundMigrations: gauge(
      "tidings_background_migration_progress_ratio",
      "How much of a background migration is done, estimated; 1 when it has finished",
      ["migration"],
    ),
    liveLimit: gauge("tidings_live_connections_limit", "Live connections that this process accepts"),
    diskFree: gauge("tidings_disk_free_bytes", "Free space on the disk of the embedded database"),
    diskSize: gauge("tidings_disk_size_bytes", "Size of the disk of the embedded database"),
  };
}
