// Traces by the SDK of OpenTelemetry. There is no global provider and no context that follows the control flow: tests
// run several services in one process, and a span names its parent.
import {
  type Attributes,
  type Context,
  createTraceState,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
} from "@opentelemetry/api";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from "@opentelemetry/sdk-trace";
import type { Telemetry } from "../lib/settings/otel-settings.ts";
import { formatTraceContext, isSampled, openTraceContext } from "../lib/trace-context.ts";
import type { SpanOptions, TraceSpan, Tracing } from "../tracing.ts";
import { version } from "../version.ts";
import { closeInTime, createExportWatch, exportOptions, type TelemetryLog, toResource } from "./resource.ts";

type TraceSettings = NonNullable<Telemetry["traces"]>;

const kinds = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  consumer: SpanKind.CONSUMER,
  internal: SpanKind.INTERNAL,
};

export function createTracing(telemetry: Telemetry, settings: TraceSettings, log: TelemetryLog) {
  const { exporter, disconnect } = createExporter(telemetry, settings, log);
  const processor = new BatchSpanProcessor({
    exporter,
    maxQueueSize: settings.maxQueue,
    maxExportBatchSize: settings.maxBatch,
    scheduledDelayMillis: settings.delayMs,
    exportTimeoutMillis: telemetry.timeoutMs,
  });
  const provider = new TracerProvider({
    resource: toResource(telemetry),
    sampler: toSampler(settings),
    spanProcessors: [processor],
    spanLimits: { attributeValueLengthLimit: 256 },
  });
  const tracer = provider.getTracer("tidings", version);
  const begin: Tracing["begin"] = (parent, { name, kind, attributes, links, startedAt }) => {
    const span = tracer.startSpan(
      name,
      {
        kind: kinds[kind],
        attributes: attributes as Attributes,
        links: links?.map((one) => ({ context: toSpanContext(one) })),
        startTime: startedAt,
      },
      parent === null ? ROOT_CONTEXT : toContext(parent),
    );
    const { traceId, spanId, traceFlags, traceState } = span.spanContext();
    return {
      context: formatTraceContext({ traceId, spanId, isSampled: (traceFlags & 1) === 1 }, traceState?.serialize()),
      end(result = {}) {
        if (result.attributes) span.setAttributes(result.attributes as Attributes);
        if (result.error !== undefined) {
          span.setAttribute("error.type", result.error);
          span.setStatus({ code: SpanStatusCode.ERROR, message: result.error });
        }
        span.end(result.endedAt);
      },
    } satisfies TraceSpan;
  };
  const tracing: Tracing = {
    begin,
    continue: (parent: string | null, options: SpanOptions) =>
      parent !== null && isSampled(parent) ? begin(parent, options) : null,
  };
  const close = async () => {
    await closeInTime(provider.shutdown());
    disconnect();
  };
  return { tracing, close };
}

/** A failed export is noted here: the processor would report each of them as an error. */
function createExporter(telemetry: Telemetry, { url }: TraceSettings, log: TelemetryLog) {
  const { options, disconnect } = exportOptions(telemetry, url);
  const inner = new OTLPTraceExporter(options);
  const note = createExportWatch(log, "traces");
  const exporter: SpanExporter = {
    export: (spans, done) =>
      inner.export(spans, (result) => {
        note(result);
        done({ code: 0 });
      }),
    shutdown: () => inner.shutdown(),
    forceFlush: () => inner.forceFlush(),
  };
  return { exporter, disconnect };
}

function toSampler({ sampler, ratio }: TraceSettings): Sampler {
  const [, isParentBased, name] = /^(parentbased_)?(.+)$/.exec(sampler)!;
  const root =
    name === "always_on"
      ? new AlwaysOnSampler()
      : name === "always_off"
        ? new AlwaysOffSampler()
        : new TraceIdRatioBasedSampler(ratio);
  return isParentBased ? new ParentBasedSampler({ root }) : root;
}

function toSpanContext(context: string) {
  const { traceId, spanId, isSampled: isRecorded, state } = openTraceContext(context);
  const traceState = state === "" ? undefined : createTraceState(state);
  return { traceId, spanId, traceFlags: isRecorded ? 1 : 0, isRemote: true, traceState };
}

const toContext = (context: string): Context => trace.setSpanContext(ROOT_CONTEXT, toSpanContext(context));
