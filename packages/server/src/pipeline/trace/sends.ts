// Deliveries in traces and logs: a span for each call to a provider, and a line for each result.
import type { Outcome } from "@tidings/providers";
import type { Ctx } from "../../context.ts";
import { openTraceContext, traceIdOf } from "../../lib/trace-context.ts";
import { findTraceContexts } from "../../store/events/events.ts";
import type { IntegrationRow } from "../../store/integrations/integrations.ts";
import type { NewMessage } from "../../store/messages/messages.batch.ts";
import type { ReportedMessage } from "../../store/messages/receipts.ts";
import type { TraceSpan } from "../../tracing.ts";
import type { Effect } from "../deliver/effects.ts";
import type { FinishedSend, PlannedSend } from "../deliver/plan.ts";
import type { Progress } from "../run/run.ts";

/** `rejected:config`, `accepted` …: the code of an outcome, without what the provider wrote. */
export const outcomeCode = (outcome: Outcome): string =>
  outcome.kind === "rejected" ? `rejected:${outcome.class}` : outcome.kind;

/** The provider does not get the trace context: it is somebody else's service. */
export function beginSendSpan(
  { tracing }: Ctx,
  { message, integration, number, trace }: PlannedSend,
): TraceSpan | null {
  if (!tracing) return null;
  return tracing.continue(trace, {
    name: `send ${message.channel}`,
    kind: "client",
    attributes: {
      "messaging.system": integration.provider_id,
      "messaging.operation.type": "send",
      "messaging.message.id": message.id,
      "tidings.environment.id": message.environment_id,
      "tidings.workflow.id": message.workflow_id,
      "tidings.notification.id": message.notification_id,
      "tidings.job.id": message.job_id,
      "tidings.integration.id": integration.id,
      "tidings.attempt.number": number,
    },
  });
}

export function endSendSpan(span: TraceSpan | null, outcome: Outcome): void {
  const code = outcomeCode(outcome);
  span?.end({ attributes: { "tidings.outcome": code }, error: outcome.kind === "accepted" ? undefined : code });
}

/** `isWritten`: the message had not been deleted, canceled or confirmed during the call. */
type Settled = { finished: FinishedSend; effect: Effect; isWritten: boolean };

/** One line for each call and for each message that is given up, with all that is needed to find it again. */
export function logDeliveries({ log }: Ctx, settled: Settled[]): void {
  if (!log.isLevelEnabled("info")) return;
  for (const one of settled) {
    const { message, integration, number, stepId, transactionId, trace, outcome } = one.finished;
    const line = {
      env: message.environment_id,
      transactionId,
      workflow: message.workflow_id,
      notification: message.notification_id,
      message: message.id,
      step: stepId,
      channel: message.channel,
      provider: integration.provider_id,
      integration: integration.id,
      attempt: number,
      outcome: outcome ? outcomeCode(outcome) : null,
      result: resultOf(one),
      ms: one.finished.attemptId === null ? null : Math.round(one.finished.tookMs),
      ...traceFields(one.finished.attemptId === null ? null : one.finished.span, trace),
    };
    log.info(line, "delivery");
  }
}

function resultOf({ finished, effect, isWritten }: Settled): string {
  if (!isWritten) return "withdrawn";
  if (effect.message.status === "sent") return "sent";
  if (!effect.deliver) return effect.deadLetter ? "dead_letter" : "failed";
  return effect.message.integration_id === finished.integration.id ? "retry" : "failover";
}

/** In-app messages are many, and their delivery is a row: their lines are for those who look for one. */
export function logInApp({ log }: Ctx, messages: NewMessage[], progressed: Progress[]): void {
  if (!log.isLevelEnabled("debug")) return;
  const events = new Map(progressed.map(({ run: { event } }) => [event.id, event]));
  for (const { id, environment_id, event_id, workflow_id, notification_id, channel, status } of messages) {
    if (channel !== "in_app") continue;
    const { transactionId, trace } = events.get(event_id)!;
    const ids = {
      env: environment_id,
      transactionId,
      workflow: workflow_id,
      notification: notification_id,
      message: id,
    };
    log.debug({ ...ids, channel, result: status, ...traceFields(null, trace) }, "delivery");
  }
}

/** `span`: the context of the line's own span; without one, `trace` is what is known. */
export function traceFields(span: string | null, trace: string | null) {
  if (span !== null) {
    const { traceId, spanId } = openTraceContext(span);
    return { trace_id: traceId, span_id: spanId };
  }
  return trace === null ? {} : { trace_id: traceIdOf(trace) };
}

type TracedReport = { message: ReportedMessage; receipt: { status: string } };

/** A span for each receipt, in the trace of the event that its message is of. */
export async function traceReceipts(ctx: Ctx, integration: IntegrationRow, reports: TracedReport[]): Promise<void> {
  const { tracing } = ctx;
  if (!tracing || reports.length === 0) return;
  const eventIds = [...new Set(reports.map(({ message }) => message.event_id))];
  const found = await findTraceContexts(ctx.db, integration.environment_id, eventIds);
  const traces = new Map(found.map(({ id, trace_context }) => [id, trace_context]));
  for (const { message, receipt } of reports) {
    const span = tracing.continue(traces.get(message.event_id) ?? null, {
      name: `receipt ${message.channel}`,
      kind: "consumer",
      attributes: {
        "messaging.system": integration.provider_id,
        "messaging.operation.type": "receive",
        "messaging.message.id": message.id,
        "tidings.environment.id": message.environment_id,
        "tidings.notification.id": message.notification_id,
        "tidings.integration.id": integration.id,
        "tidings.receipt.status": receipt.status,
      },
    });
    span?.end();
  }
}
