// A collector of OpenTelemetry: it takes OTLP over HTTP as JSON, refuses what is not in the form of the protocol's
// definition (trace/v1/trace.proto, metrics/v1/metrics.proto, as JSON), and keeps the rest.
import assert from "node:assert/strict";
import { type Answer, type Received, startReceiver } from "./receiver.ts";

type Value = { stringValue?: string; intValue?: number | string; doubleValue?: number; boolValue?: boolean };
type KeyValue = { key: string; value: Value };
type RawSpan = {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: KeyValue[];
  links?: { traceId: string; spanId: string }[];
  status: { code?: number; message?: string };
};
type RawPoint = { attributes: KeyValue[]; asDouble?: number; asInt?: number; count?: number; bucketCounts?: number[] };
type RawMetric = {
  name: string;
  sum?: { aggregationTemporality: number; isMonotonic: boolean; dataPoints: RawPoint[] };
  gauge?: { dataPoints: RawPoint[] };
  histogram?: { dataPoints: (RawPoint & { explicitBounds: number[] })[] };
};

export type Span = Pick<RawSpan, "traceId" | "spanId" | "parentSpanId" | "name" | "kind" | "links" | "status"> & {
  attributes: Record<string, string | number | boolean | undefined>;
  ms: number;
};

const attributesOf = (list: KeyValue[]): Span["attributes"] =>
  Object.fromEntries(
    list.map(({ key, value }) => [key, value.stringValue ?? value.intValue ?? value.doubleValue ?? value.boolValue]),
  );

function toSpan(raw: RawSpan): Span {
  assert.match(raw.traceId, /^[\da-f]{32}$/);
  assert.match(raw.spanId, /^[\da-f]{16}$/);
  if (raw.parentSpanId) assert.match(raw.parentSpanId, /^[\da-f]{16}$/);
  assert.ok(raw.kind >= 1 && raw.kind <= 5);
  assert.match(`${raw.startTimeUnixNano} ${raw.endTimeUnixNano}`, /^\d{19} \d{19}$/);
  const ms = Number(BigInt(raw.endTimeUnixNano) - BigInt(raw.startTimeUnixNano)) / 1e6;
  assert.ok(ms >= 0 && ms < 60_000, `${raw.name} took ${ms} ms`);
  return { ...raw, attributes: attributesOf(raw.attributes), ms };
}

/** Stopped when the file ends. Start it before the service. */
export async function startCollector() {
  const spans: Span[] = [];
  const metrics = new Map<string, RawMetric>();
  const resources: Span["attributes"][] = [];
  const faults: string[] = [];
  const take = ({ path, headers, body }: Received) => {
    assert.equal(headers["content-type"], "application/json");
    const parsed = JSON.parse(body);
    for (const { resource, scopeSpans } of path === "/v1/traces" ? parsed.resourceSpans : []) {
      resources.push(attributesOf(resource.attributes));
      for (const scope of scopeSpans) spans.push(...scope.spans.map(toSpan));
    }
    for (const { scopeMetrics } of path === "/v1/metrics" ? parsed.resourceMetrics : []) {
      for (const scope of scopeMetrics) {
        for (const metric of scope.metrics as RawMetric[]) {
          assert.equal([metric.sum, metric.gauge, metric.histogram].filter(Boolean).length, 1, metric.name);
          for (const { bucketCounts, explicitBounds, count } of metric.histogram?.dataPoints ?? []) {
            assert.equal(bucketCounts!.length, explicitBounds.length + 1);
            assert.equal(
              bucketCounts!.reduce((sum, one) => sum + one, 0),
              count,
            );
          }
          metrics.set(metric.name, metric);
        }
      }
    }
  };
  const answer = (received: Received): Answer => {
    try {
      take(received);
      return { status: 200, text: "{}", headers: { "content-type": "application/json" } };
    } catch (error) {
      faults.push((error as Error).message);
      return { status: 400 };
    }
  };
  const { url, received } = await startReceiver(answer);
  return { url, received, spans, metrics, resources, faults };
}
