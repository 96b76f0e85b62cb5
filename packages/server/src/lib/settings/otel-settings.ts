// The settings of OpenTelemetry: variables that its specification names, with their meaning and defaults of there. A
// row is as in settings.ts.
import { fail, integer, shortText, word } from "./setting-parsers.ts";

const samplers = [
  "always_on",
  "always_off",
  "traceidratio",
  "parentbased_always_on",
  "parentbased_always_off",
  "parentbased_traceidratio",
] as const;

const millis = integer(1, 3_600_000);
const spans = integer(1, 1_000_000);

export const otelSettings = {
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    about:
      "OpenTelemetry collector that gets traces and metrics (docs/observability.md), such as `http://localhost:4318`: " +
      "`/v1/traces` and `/v1/metrics` are appended. Without it, none are sent and nothing of OpenTelemetry is loaded.",
    fallback: "",
    parse: otlpUrl,
  },
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: {
    about: "Address for traces, used unchanged instead of that of `OTEL_EXPORTER_OTLP_ENDPOINT`.",
    fallback: "",
    parse: otlpUrl,
  },
  OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: {
    about: "Address for metrics, used unchanged instead of that of `OTEL_EXPORTER_OTLP_ENDPOINT`.",
    fallback: "",
    parse: otlpUrl,
  },
  OTEL_EXPORTER_OTLP_HEADERS: {
    about: "Headers of every export, such as `api-key=secret,tenant=a`; values are percent-encoded.",
    fallback: "",
    isSecret: true,
    parse: keyValues,
  },
  OTEL_EXPORTER_OTLP_PROTOCOL: {
    about: "`http/json` is the only protocol; collectors accept it on the port of `http/protobuf`.",
    fallback: "http/json",
    parse: word(["http/json"]),
  },
  OTEL_EXPORTER_OTLP_COMPRESSION: {
    about: "`gzip` or `none`.",
    fallback: "none",
    parse: word(["gzip", "none"]),
  },
  OTEL_EXPORTER_OTLP_TIMEOUT: {
    about: "Timeout of one export including its retries, in milliseconds.",
    fallback: "10000",
    parse: millis,
  },
  OTEL_TRACES_EXPORTER: { about: "`otlp`, or `none`: no traces.", fallback: "otlp", parse: word(["otlp", "none"]) },
  OTEL_METRICS_EXPORTER: {
    about: "`otlp`, or `none`: metrics are served at `/metrics` only.",
    fallback: "otlp",
    parse: word(["otlp", "none"]),
  },
  OTEL_SDK_DISABLED: {
    about: "`true`: neither traces nor metrics are sent, whatever else is set.",
    fallback: "false",
    parse: (text: string) => word(["true", "false"])(text.toLowerCase()) === "true",
  },
  OTEL_SERVICE_NAME: { about: "Name of this service in traces and metrics.", fallback: "tidings", parse: shortText },
  OTEL_RESOURCE_ATTRIBUTES: {
    about: "More attributes of this service, such as `deployment.environment.name=production`.",
    fallback: "",
    parse: keyValues,
  },
  OTEL_TRACES_SAMPLER: {
    about: `Which traces are recorded: ${samplers.map((name) => `\`${name}\``).join(", ")}.`,
    fallback: "parentbased_always_on",
    parse: word(samplers),
  },
  OTEL_TRACES_SAMPLER_ARG: {
    about: "The part of the traces that the two samplers with `traceidratio` record, from 0 to 1.",
    fallback: "1",
    parse: ratio,
  },
  OTEL_BSP_MAX_QUEUE_SIZE: {
    about: "Spans that wait for their export in each thread; more are dropped.",
    fallback: "8192",
    parse: spans,
  },
  OTEL_BSP_MAX_EXPORT_BATCH_SIZE: { about: "Spans in one export.", fallback: "512", parse: spans },
  OTEL_BSP_SCHEDULE_DELAY: {
    about: "How long a span waits for others, in milliseconds.",
    fallback: "5000",
    parse: millis,
  },
  OTEL_METRIC_EXPORT_INTERVAL: {
    about: "How often metrics are sent, in milliseconds.",
    fallback: "60000",
    parse: millis,
  },
} as const;

function otlpUrl(text: string): string {
  if (text === "") return "";
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url && /^https?:$/.test(url.protocol) && url.hash === ""
    ? text
    : fail("must be an http:// or https:// address such as http://localhost:4318");
}

/** `a=b,c=d`, with percent-encoded values. */
function keyValues(text: string): Record<string, string> {
  const parts = text.split(",").map((part) => part.trim());
  const entries = parts
    .filter((part) => part !== "")
    .map((part) => {
      const [name, value] = [part.split("=", 1)[0]!.trim(), part.slice(part.indexOf("=") + 1).trim()];
      const isPair = part.includes("=") && /^[\w.\-/]{1,255}$/.test(name) && !/\p{Cc}/u.test(value);
      if (!isPair || /%(?![\da-f]{2})/i.test(value)) return fail("must be a list such as name=value,other=value");
      return [name, decodeURIComponent(value)] as const;
    });
  return Object.fromEntries(entries);
}

function ratio(text: string): number {
  const value = Number(text);
  return /^[\d.]+$/.test(text) && value >= 0 && value <= 1 ? value : fail("must be a number from 0 to 1");
}

type OtelSettings = { [Name in keyof typeof otelSettings]: ReturnType<(typeof otelSettings)[Name]["parse"]> };

/** Null where neither traces nor metrics are sent. */
export function toTelemetry(parsed: OtelSettings) {
  const endpointOf = (path: string, given: string): string | null => {
    const base = parsed.OTEL_EXPORTER_OTLP_ENDPOINT;
    return given || (base === "" ? null : `${base.replace(/(?<!\/)\/+$/, "")}/${path}`);
  };
  const tracesUrl = endpointOf("v1/traces", parsed.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT);
  const metricsUrl = endpointOf("v1/metrics", parsed.OTEL_EXPORTER_OTLP_METRICS_ENDPOINT);
  const hasTraces = tracesUrl !== null && parsed.OTEL_TRACES_EXPORTER === "otlp";
  const hasMetrics = metricsUrl !== null && parsed.OTEL_METRICS_EXPORTER === "otlp";
  if (parsed.OTEL_SDK_DISABLED || (!hasTraces && !hasMetrics)) return null;
  return {
    serviceName: parsed.OTEL_SERVICE_NAME,
    attributes: parsed.OTEL_RESOURCE_ATTRIBUTES,
    headers: parsed.OTEL_EXPORTER_OTLP_HEADERS,
    compression: parsed.OTEL_EXPORTER_OTLP_COMPRESSION,
    timeoutMs: parsed.OTEL_EXPORTER_OTLP_TIMEOUT,
    traces: hasTraces
      ? {
          url: tracesUrl,
          sampler: parsed.OTEL_TRACES_SAMPLER,
          ratio: parsed.OTEL_TRACES_SAMPLER_ARG,
          maxQueue: parsed.OTEL_BSP_MAX_QUEUE_SIZE,
          maxBatch: Math.min(parsed.OTEL_BSP_MAX_EXPORT_BATCH_SIZE, parsed.OTEL_BSP_MAX_QUEUE_SIZE),
          delayMs: parsed.OTEL_BSP_SCHEDULE_DELAY,
        }
      : null,
    metrics: hasMetrics ? { url: metricsUrl, intervalMs: parsed.OTEL_METRIC_EXPORT_INTERVAL } : null,
  };
}

export type Telemetry = NonNullable<ReturnType<typeof toTelemetry>>;
