// The stage `webhook`: calls the webhooks of an environment with its events. Requests are signed as Standard Webhooks
// and made at least once, with the same id on every retry. As in delivery (deliver/calls.ts) a worker does not wait for
// the calls it started, so a slow receiver delays only its own environment. Retries and signatures use real time, even
// in an environment on a test clock.
import type { Ctx, NetworkCtx } from "../../context.ts";
import type { NewTask, Task } from "../../store/queue/queue.ts";
import { switchedOffText } from "../../store/webhooks/webhook-deliveries.ts";
import {
  type DeliveryResult,
  type DueDelivery,
  findDueDeliveries,
  recordDeliveries,
  recordWebhookHealth,
  type WebhookHealth,
} from "../../store/webhooks/webhooks.batch.ts";
import { transactWithRetry } from "../batch.ts";
import { createCallStage } from "../deliver/calls.ts";
import type { Admission, Slot } from "../deliver/pacing.ts";
import type { WebhookTask } from "../tasks.ts";
import { traceFields } from "../trace/sends.ts";
import { callWebhook, isSuccess, type Reply } from "./call.ts";
import { webhookTask } from "./events.ts";
import { failingLimitMs, retryAfter } from "./retry.ts";

/** Tasks taken at once. */
export const webhookBatch = 50;
/** Calls in flight at once in this process; one environment has at most half of them, one webhook a quarter. */
const window = 200;
/** How long a result may wait for others, to share a transaction with them. */
const gatherMs = 20;
type PreparedDelivery = { task: Task<WebhookTask>; delivery: DueDelivery };
type CalledDelivery = PreparedDelivery & { reply: Reply };

export function createWebhookStage(ctx: NetworkCtx) {
  return createCallStage<WebhookTask, PreparedDelivery, CalledDelivery>(ctx, {
    kind: "webhook",
    window,
    batch: webhookBatch,
    gatherMs,
    // A result that cannot be written repeats the call: receivers recognize a duplicate by its id.
    settleTries: 1,
    settlePauseMs: 0,
    prepare,
    slotOf: ({ delivery }) => slotOf(delivery),
    call: (one) => callWebhook(ctx, one.delivery).then((reply) => ({ ...one, reply })),
    settle,
    transact: transactWithRetry,
  });
}

const slotOf = ({ environment_id, webhook_id }: DueDelivery): Slot => ({
  environmentId: environment_id,
  lane: webhook_id,
});

const taskOf = ({ id, environment_id, webhook_id }: DueDelivery) => webhookTask(environment_id, webhook_id, id);

/**
 * Returns the deliveries to call now. Deliveries of a webhook without a free slot are enqueued for later, those of a
 * disabled webhook fail, and tasks without a delivery that is due are finished.
 */
async function prepare(ctx: Ctx, tasks: Task<WebhookTask>[], admission: Admission): Promise<PreparedDelivery[]> {
  const now = ctx.now();
  const claimed = await ctx.queue.keep(ctx.db, "webhook", tasks);
  const found = await findDueDeliveries(
    ctx.db,
    claimed.map((task) => task.data.deliveryId),
  );
  const byId = new Map(found.map((delivery) => [delivery.id, delivery]));
  const due: PreparedDelivery[] = [];
  const done: Task<WebhookTask>[] = [];
  const later: NewTask[] = [];
  for (const task of claimed) {
    const delivery = byId.get(task.data.deliveryId);
    if (!delivery?.active) {
      done.push(task);
      continue;
    }
    const admitted = admission.admit(slotOf(delivery), { isProbe: false, now: now.getTime() });
    if (admitted.kind === "go") due.push({ task, delivery });
    else {
      done.push(task);
      later.push({ ...taskOf(delivery), startAfter: new Date(admitted.until) });
    }
  }
  if (done.length > 0) await ctx.queue.finish(ctx.db, "webhook", done);
  await ctx.queue.enqueue(ctx.db, "webhook", later);
  const unsent = { status: "failed", tries: 0, next_at: null, response_status: null } as const;
  await recordDeliveries(
    ctx.db,
    found.filter((delivery) => !delivery.active).map(({ id }) => ({ id, ...unsent, response: switchedOffText })),
    now,
  );
  return due;
}

async function settle(ctx: Ctx, group: CalledDelivery[]): Promise<() => void> {
  const now = ctx.now();
  await ctx.queue.finish(
    ctx.db,
    "webhook",
    group.map(({ task }) => task),
  );
  const results = group.map((called) => resultOf(called, now));
  await recordDeliveries(ctx.db, results, now);
  await ctx.queue.enqueue(
    ctx.db,
    "webhook",
    results.flatMap(({ next_at }, index) =>
      next_at ? [{ ...taskOf(group[index]!.delivery), startAfter: next_at }] : [],
    ),
  );
  const limit = {
    since: new Date(now.getTime() - failingLimitMs),
    reason: "No delivery has succeeded for 5 days",
  };
  for (const { id, disabled_reason } of await recordWebhookHealth(ctx.db, healthOf(group), limit, now)) {
    ctx.log.warn({ webhook: id, reason: disabled_reason }, "webhook disabled");
  }
  for (const { status } of results) ctx.metrics.webhooks.inc({ status });
  return () => {
    for (const [index, one] of group.entries()) logDelivery(ctx, one, results[index]!);
  };
}

function logDelivery({ log }: Ctx, { delivery, reply }: CalledDelivery, { status }: DeliveryResult): void {
  const { id, environment_id: env, webhook_id: webhook, event_id, failures, trace_context } = delivery;
  const trace = traceFields(null, trace_context);
  const line = {
    env,
    webhook,
    delivery: id,
    event: event_id,
    failures,
    response: reply.status,
    result: status,
    ...trace,
  };
  log[isSuccess(reply) ? "debug" : "info"](line, "webhook delivery");
}

function resultOf({ delivery, reply }: CalledDelivery, now: Date): DeliveryResult {
  const result = { id: delivery.id, tries: 1, response_status: reply.status, response: reply.text } as const;
  if (isSuccess(reply)) return { ...result, status: "delivered", next_at: null };
  const waitMs = isGone(reply) ? null : retryAfter(delivery.failures + 1);
  if (waitMs === null) return { ...result, status: "failed", next_at: null };
  return { ...result, status: "pending", next_at: new Date(now.getTime() + waitMs) };
}

const isGone = ({ status }: Reply): boolean => status === 410;

const maxErrorLength = 200;

/** The response in short: the status, or why there was none. */
const errorOf = ({ status, text }: Reply): string =>
  status === null ? text.slice(0, maxErrorLength).toWellFormed() : `HTTP ${status}`;

/** One entry for each webhook. One success is enough to be healthy; one 410 Gone disables the webhook. */
const healthOf = (group: CalledDelivery[]): WebhookHealth[] =>
  [...Map.groupBy(group, ({ delivery }) => delivery.webhook_id)].map(([id, calls]) => {
    const failed = calls.filter(({ reply }) => !isSuccess(reply));
    const last = failed.at(-1);
    return {
      id,
      is_well: failed.length < calls.length,
      refusal: calls.some(({ reply }) => isGone(reply)) ? "The receiver returned 410 Gone" : null,
      failed: failed.length,
      error: last ? errorOf(last.reply) : null,
    };
  });
