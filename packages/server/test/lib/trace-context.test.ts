import assert from "node:assert/strict";
import { test } from "node:test";
import { openTraceContext, readTraceContext, traceHeaders } from "../../src/lib/trace-context.ts";

const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
const spanId = "00f067aa0ba902b7";
const sampled = `00-${traceId}-${spanId}-01`;

const read: [name: string, headers: Record<string, string | string[]>, stored: string | null][] = [
  ["a sampled context", { traceparent: sampled }, sampled],
  ["one that is not sampled", { traceparent: `00-${traceId}-${spanId}-00` }, `00-${traceId}-${spanId}-00`],
  ["other flags", { traceparent: `00-${traceId}-${spanId}-03` }, sampled],
  ["a later version with more parts", { traceparent: `cc-${traceId}-${spanId}-01-what-ever` }, sampled],
  ["spaces around it", { traceparent: ` ${sampled} ` }, sampled],
  ["with a state", { traceparent: sampled, tracestate: "a=1, b@c=2" }, `${sampled} a=1,b@c=2`],
  ["with states in two headers", { traceparent: sampled, tracestate: ["a=1", "b=2"] }, `${sampled} a=1,b=2`],
  ["with a malformed state", { traceparent: sampled, tracestate: "a=1,B" }, sampled],
  ["with a state that is too long", { traceparent: sampled, tracestate: `a=${"x".repeat(511)}` }, sampled],
  ["none", {}, null],
  ["a state alone", { tracestate: "a=1" }, null],
  ["more parts than its version has", { traceparent: `${sampled}-x` }, null],
  ["an invalid version", { traceparent: `ff-${traceId}-${spanId}-01` }, null],
  ["a trace id of zeros", { traceparent: `00-${"0".repeat(32)}-${spanId}-01` }, null],
  ["a span id of zeros", { traceparent: `00-${traceId}-${"0".repeat(16)}-01` }, null],
  ["capital letters", { traceparent: sampled.toUpperCase() }, null],
  ["two headers in one", { traceparent: `${sampled}, ${sampled}` }, null],
  ["a short one", { traceparent: sampled.slice(0, -1) }, null],
  ["a very long one", { traceparent: "0".repeat(15_000) }, null],
];

for (const [name, headers, stored] of read) {
  test(`traceparent: ${name}`, () => assert.equal(readTraceContext(headers), stored));
}

test("a stored context is opened and passed on as it came", () => {
  const headers = { traceparent: sampled, tracestate: "a=1" };
  const stored = readTraceContext(headers)!;
  assert.deepEqual(openTraceContext(stored), { traceId, spanId, isSampled: true, state: "a=1" });
  assert.deepEqual(traceHeaders(stored), headers);
  assert.deepEqual(traceHeaders(sampled), { traceparent: sampled });
  assert.deepEqual(traceHeaders(null), {});
});
