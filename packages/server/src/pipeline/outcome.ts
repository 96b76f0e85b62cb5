// Settling: what one attempt to send means for its message, its job and what happens next. The only place that turns an
// outcome into state.
import type { Outcome } from "@tidings/providers";
import type { Ctx } from "../context.ts";
import { finishAttempts, type Stopped } from "../store/attempts.ts";
import type { Db } from "../store/db.ts";
import type { IntegrationRow } from "../store/integrations.ts";
import { type JobUpdate, updateJobs } from "../store/jobs.ts";
import { type MessageOutcome, type MessageRow, recordOutcomes } from "../store/messages.ts";
import type { NewTask, Task } from "../store/queue.ts";
import type { StoredDetail } from "../store/tables.ts";
import { detail } from "./rules/details.ts";
import type { NextStep } from "./rules/retry.ts";
import type { DeliverTask } from "./tasks.ts";

export type Settled = {
  attemptId: string;
  task: Task<DeliverTask>;
  message: MessageRow;
  integration: IntegrationRow;
  number: number;
  outcome: Outcome;
  decision: NextStep;
  nextIntegration: IntegrationRow | null;
  at: Date;
};

type Effect = { message: MessageOutcome; job: JobUpdate; deliver?: NewTask; wake?: string };

export async function settle(ctx: Ctx, tx: Db, group: Settled[]): Promise<void> {
  const now = ctx.now();
  const intended = group.map((settled) => effectOf(settled));
  await ctx.queue.finish(
    tx,
    "deliver",
    group.map((settled) => settled.task),
  );
  await finishAttempts(
    tx,
    group.map((settled) => ({
      id: settled.attemptId,
      finished_at: settled.at,
      outcome: settled.outcome.kind === "rejected" ? `rejected:${settled.outcome.class}` : settled.outcome.kind,
      reason: settled.outcome.kind === "accepted" ? null : settled.outcome.reason,
      provider_message_id: settled.outcome.kind === "accepted" ? (settled.outcome.providerMessageId ?? null) : null,
    })),
  );
  const written = await recordOutcomes(
    tx,
    intended.map((effect) => effect.message),
    now,
  );
  const effects = intended.map((effect, index) => {
    const isWithdrawn = effect.message.status === "pending" && !written.has(effect.message.id);
    return isWithdrawn ? withdrawn(effect, group[index]!) : effect;
  });
  await updateJobs(
    tx,
    effects.map((effect) => effect.job),
    now,
  );
  await ctx.queue.enqueue(
    tx,
    "deliver",
    effects.flatMap((effect) => effect.deliver ?? []),
  );
  const finished = [...new Set(effects.flatMap((effect) => effect.wake ?? []))];
  if (finished.length > 0) await ctx.queue.enqueue(tx, "wake", [{ data: { notificationIds: finished } }]);
  for (const { message } of effects) {
    if (message.status !== "pending") ctx.metrics.messages.inc({ channel: "email", status: message.status });
  }
}

/** The message was deleted or its event canceled during the call: it is not tried again, and the run goes on. */
function withdrawn({ message, job }: Effect, settled: Settled): Effect {
  const canceled = detail("step_canceled", settled.at, { raw: { reason: "the message was withdrawn" } });
  return {
    message,
    job: { ...job, status: "canceled", wake_at: null, details: [...job.details, canceled] },
    wake: settled.message.notification_id,
  };
}

/** Messages that nobody wants any more are not sent. The runs are woken: what stands behind the step ends with it. */
export async function withdraw(ctx: Ctx, tx: Db, messages: MessageRow[], stopped: Stopped[]): Promise<void> {
  if (stopped.length === 0) return;
  const now = ctx.now();
  const byId = new Map(messages.map((message) => [message.id, message]));
  const unwanted = stopped.map((row) => ({ ...row, message: byId.get(row.message_id)! }));
  await recordOutcomes(
    tx,
    unwanted.map(({ message, reason }) => ({
      id: message.id,
      status: "warning",
      error_id: null,
      error_text: `Canceled: ${reason}`,
      integration_id: message.integration_id!,
      provider_id: message.provider_id!,
      provider_message_id: null,
    })),
    now,
  );
  const open = unwanted.filter((row) => row.job_status !== "canceled");
  await updateJobs(
    tx,
    open.map(({ message, reason }) => ({
      id: message.job_id,
      status: "canceled",
      provider_id: null,
      details: [detail("step_canceled", now, { raw: { reason } })],
      output: null,
      digest: null,
      merged_into: null,
      wake_at: null,
    })),
    now,
  );
  const runs = [...new Set(open.map(({ message }) => message.notification_id))];
  if (runs.length > 0) await ctx.queue.enqueue(tx, "wake", [{ data: { notificationIds: runs } }]);
}

function effectOf(settled: Settled): Effect {
  const { message, integration, decision, number, at } = settled;
  const providerId = integration.provider_id;
  const isRetry = number > 1;
  const outcome = (status: string, changes: Partial<MessageOutcome> = {}): MessageOutcome => ({
    id: message.id,
    status,
    error_id: null,
    error_text: null,
    integration_id: integration.id,
    provider_id: providerId,
    provider_message_id: null,
    ...changes,
  });
  const job = (
    status: string,
    details: StoredDetail[],
    wakeAt: Date | null = null,
    provider = providerId,
  ): JobUpdate => ({
    id: message.job_id,
    status,
    provider_id: provider,
    details,
    output: null,
    digest: null,
    merged_into: null,
    wake_at: wakeAt,
  });

  if (decision.kind === "sent") {
    const raw = { providerMessageId: decision.providerMessageId ?? null, attempt: number };
    return {
      message: outcome("sent", { provider_message_id: decision.providerMessageId ?? null }),
      job: job("completed", [detail("message_sent", at, { providerId, isRetry, raw })]),
      wake: message.notification_id,
    };
  }
  const { reason } = decision;
  if (decision.kind === "repeat") {
    const until = new Date(at.getTime() + decision.afterMs);
    const raw = { reason, attempt: number, next: until.toISOString() };
    return {
      message: outcome("pending", { error_text: `Will be repeated: ${reason}` }),
      job: job("delayed", [detail("provider_retry", at, { providerId, isRetry: true, raw })], until),
      deliver: { data: { messageId: message.id }, startAfter: until },
    };
  }
  const failed = detail("provider_error", at, { providerId, isRetry, raw: { reason, attempt: number } });
  const next = decision.kind === "next_integration" ? settled.nextIntegration : null;
  if (next) {
    const raw = { integration: next.identifier, after: integration.identifier };
    return {
      message: outcome("pending", {
        integration_id: next.id,
        provider_id: next.provider_id,
        error_text: `Tried with another integration: ${reason}`,
      }),
      job: job(
        "queued",
        [failed, detail("next_integration", at, { providerId: next.provider_id, isRetry: true, raw })],
        null,
        next.provider_id,
      ),
      deliver: { data: { messageId: message.id } },
    };
  }
  const errorId = decision.kind === "give_up" ? decision.errorId : "unexpected_error";
  return {
    message: outcome("error", {
      error_id: errorId === "provider_rejected" ? errorId : "mail_unexpected_error",
      error_text: `The provider did not take the message: ${reason}`,
    }),
    job: job("failed", [failed]),
    wake: message.notification_id,
  };
}
