// Traces and metrics over OTLP. OpenTelemetry is loaded here, and only where it is configured.
import type { Logger } from "pino";
import type { Registry } from "prom-client";
import type { Config } from "../config.ts";
import type { Tracing } from "../tracing.ts";

/** What is closed when the service stops: spans and metrics that wait are sent then. */
type Opening = { log: Logger; closers: (() => Promise<unknown>)[] };

/** Null where traces are off. */
export async function openTracing({ telemetry }: Config, { log, closers }: Opening): Promise<Tracing | null> {
  if (!telemetry?.traces) return null;
  const { createTracing } = await import("./traces.ts");
  const { tracing, close } = createTracing(telemetry, telemetry.traces, log);
  closers.push(close);
  return tracing;
}

/** `read`: the metrics that `/metrics` shows. */
export async function openMetricExport(
  { telemetry }: Config,
  { log, closers }: Opening,
  read: () => Promise<Registry>,
): Promise<void> {
  if (!telemetry?.metrics) return;
  const { createMetricExport } = await import("./metrics.ts");
  const { close } = createMetricExport(telemetry, telemetry.metrics, { log, read });
  closers.push(close);
}
