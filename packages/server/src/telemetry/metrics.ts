// Metrics over OTLP: the same that `/metrics` shows, read from the registries of prom-client when they are due. So
// there is one definition of each metric.
import { type HrTime, ValueType } from "@opentelemetry/api";
import { OTLPMetricExporter } from "@opentelemetry/exporter-metrics-otlp-http";
import {
  AggregationTemporality,
  type DataPoint,
  DataPointType,
  type Histogram,
  MeterProvider,
  type MetricData,
  type MetricProducer,
  PeriodicExportingMetricReader,
  type PushMetricExporter,
} from "@opentelemetry/sdk-metrics";
import type { MetricObjectWithValues, MetricValue, Registry } from "prom-client";
import type { Telemetry } from "../lib/settings/otel-settings.ts";
import { version } from "../version.ts";
import { closeInTime, createExportWatch, exportOptions, type TelemetryLog, toResource } from "./resource.ts";

/** `metricName`: of the parts of a histogram. */
type NamedValue = MetricValue<string> & { metricName?: string };
type MetricSettings = NonNullable<Telemetry["metrics"]>;
type Source = { log: TelemetryLog; read: () => Promise<Registry> };

export function createMetricExport(telemetry: Telemetry, { url, intervalMs }: MetricSettings, { log, read }: Source) {
  const { options, disconnect } = exportOptions(telemetry, url);
  const resource = toResource(telemetry);
  const startedAt = toTime(performance.timeOrigin);
  const producer: MetricProducer = {
    async collect() {
      const found = (await (await read()).getMetricsAsJSON()) as MetricObjectWithValues<NamedValue>[];
      const span = { startTime: startedAt, endTime: toTime(Date.now()) };
      const metrics = found.flatMap((metric) => toMetricData(metric, span));
      return {
        resourceMetrics: { resource, scopeMetrics: [{ scope: { name: "tidings", version }, metrics }] },
        errors: [],
      };
    },
  };
  const reader = new PeriodicExportingMetricReader({
    exporter: watched(new OTLPMetricExporter(options), log),
    exportIntervalMillis: intervalMs,
    exportTimeoutMillis: Math.min(telemetry.timeoutMs, intervalMs),
    metricProducers: [producer],
  });
  const provider = new MeterProvider({ resource, readers: [reader] });
  const close = async () => {
    await closeInTime(provider.shutdown());
    disconnect();
  };
  return { close };
}

/** A failed export is noted here: the reader would report each of them as an error. */
function watched(inner: OTLPMetricExporter, log: TelemetryLog): PushMetricExporter {
  const note = createExportWatch(log, "metrics");
  return {
    export: (metrics, done) =>
      inner.export(metrics, (result) => {
        note(result);
        done({ code: 0 });
      }),
    forceFlush: () => inner.forceFlush(),
    shutdown: () => inner.shutdown(),
  };
}

const toTime = (ms: number): HrTime => [Math.floor(ms / 1_000), Math.round((ms % 1_000) * 1e6)];

type Span = Pick<DataPoint<number>, "startTime" | "endTime">;

/** Summaries are left out: the service has none. */
function toMetricData(metric: MetricObjectWithValues<NamedValue>, span: Span): MetricData[] {
  const { name, help } = metric;
  const descriptor = {
    name,
    description: help,
    unit: name.includes("_seconds") ? "s" : "",
    valueType: ValueType.DOUBLE,
  };
  const common = { descriptor, aggregationTemporality: AggregationTemporality.CUMULATIVE };
  const dataPoints = metric.values.map(({ value, labels }) => ({ ...span, attributes: { ...labels }, value }));
  switch (String(metric.type)) {
    case "counter":
      return [{ ...common, dataPointType: DataPointType.SUM, isMonotonic: true, dataPoints }];
    case "gauge":
      return [{ ...common, dataPointType: DataPointType.GAUGE, dataPoints }];
    case "histogram":
      return [{ ...common, dataPointType: DataPointType.HISTOGRAM, dataPoints: toHistograms(metric.values, span) }];
    default:
      return [];
  }
}

/** Prometheus counts the values below each boundary, OpenTelemetry those between two boundaries. */
function toHistograms(values: NamedValue[], span: Span): DataPoint<Histogram>[] {
  const groups = Map.groupBy(values, ({ labels: { le: _, ...labels } }) =>
    JSON.stringify(Object.entries(labels).sort()),
  );
  return [...groups.values()].map((own) => {
    const partOf = (suffix: string) => own.find(({ metricName }) => metricName?.endsWith(suffix))?.value ?? 0;
    const buckets = own
      .filter(({ metricName }) => metricName?.endsWith("_bucket"))
      .map(({ labels, value }) => ({ boundary: labels.le === "+Inf" ? Infinity : Number(labels.le), value }))
      .sort((a, b) => a.boundary - b.boundary);
    const counts = buckets.map(({ value }, index) => value - (buckets[index - 1]?.value ?? 0));
    const { le: _, ...attributes } = own[0]!.labels;
    const boundaries = buckets.map(({ boundary }) => boundary).filter(Number.isFinite);
    const value = { buckets: { boundaries, counts }, sum: partOf("_sum"), count: partOf("_count") };
    return { ...span, attributes: { ...attributes }, value };
  });
}
