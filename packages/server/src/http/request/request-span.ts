// The span of a request. Where traces are not exported, a request to trigger events passes its trace context on as it
// came: the webhooks and bridges that its events call see the same trace.
import { type Operation, type OperationId, operations } from "@tidings/contract";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Ctx } from "../../context.ts";
import { openTraceContext, readTraceContext } from "../../lib/trace-context.ts";

/** `isTrigger`: the operation triggers events. */
export function beginRequestSpan(ctx: Ctx, id: OperationId, request: FastifyRequest, isTrigger: boolean): void {
  const { method, path, access }: Operation = operations[id];
  // Only programs of the environment's owner may name a trace: a provider or a browser would choose what is recorded.
  const given = access || request.headers.traceparent === undefined ? null : readTraceContext(request.headers);
  if (isTrigger) request.trace = given;
  if (!ctx.tracing) return;
  const span = ctx.tracing.begin(given, {
    name: `${method} ${path}`,
    kind: "server",
    attributes: {
      "http.request.method": method,
      "http.route": path,
      "tidings.operation": id,
      "tidings.request.id": request.id,
    },
  });
  const { traceId, spanId, isSampled } = openTraceContext(span.context);
  request.span = span;
  if (isTrigger && (isSampled || given !== null)) request.trace = span.context;
  if (isSampled) request.log = request.log.child({ trace_id: traceId, span_id: spanId });
}

export function endRequestSpan({ span, caller }: FastifyRequest, { statusCode }: FastifyReply): void {
  span?.end({
    attributes: { "http.response.status_code": statusCode, "tidings.environment.id": caller?.environmentId },
    // When the service refuses the caller's input, it has not failed.
    error: statusCode >= 500 ? String(statusCode) : undefined,
  });
}
