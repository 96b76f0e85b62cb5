// Stage 5: telling others. Signed by Standard Webhooks, at least once, with the same id on every repeat. As in stage 4 a
// worker does not wait for the calls it started, so a slow receiver holds up nobody else. Receivers live in real time:
// repeats and signatures follow the real clock, also in an environment on a test clock.
import type { Ctx, NetworkCtx } from "../../context.ts";
import { openText } from "../../lib/sealed.ts";
import { webhookHeaders } from "../../lib/standard-webhooks.ts";
import { isDatabaseUnavailable } from "../../store/db.ts";
import { ClaimLost, type NewTask, type Task } from "../../store/queue/queue.ts";
import { switchedOffText } from "../../store/webhooks/webhook-deliveries.ts";
import {
  type DeliveryResult,
  type DueDelivery,
  findDueDeliveries,
  recordDeliveries,
  recordWebhookHealth,
  type WebhookHealth,
} from "../../store/webhooks/webhooks.batch.ts";
import { transactAgain } from "../batch.ts";
import { createCalls } from "../deliver/calls.ts";
import type { Boarding } from "../deliver/lanes.ts";
import type { WebhookTask } from "../tasks.ts";
import { publicEventId, webhookTask } from "./events.ts";
import { failingLimitMs, repeatAfter } from "./retry.ts";

/** Tasks taken at once. */
export const webhookBatch = 50;
/** Calls under way at once in this process; one environment has at most half of them, one webhook a quarter. */
const window = 200;
/** How long a result may wait for others, to share a transaction with them. */
const gatherMs = 20;
/** What is kept of an answer, for whoever has to find out what is wrong. */
const answerLength = 1_024;

type Call = { status: number | null; answer: string };
type Due = { task: Task<WebhookTask>; delivery: DueDelivery };
type Told = Due & { call: Call };

export const createWebhooks = (ctx: NetworkCtx) =>
  createCalls<WebhookTask, Due, Told>(ctx, {
    kind: "webhook",
    window,
    batch: webhookBatch,
    gatherMs,
    prepare,
    placeOf: ({ delivery }) => placeOf(delivery),
    call: (one) => tell(ctx, one.delivery).then((call) => ({ ...one, call })),
    write: (group) => write(ctx, group),
  });

const placeOf = ({ environment_id, webhook_id }: DueDelivery) => ({ environmentId: environment_id, lane: webhook_id });

const taskOf = ({ id, environment_id, webhook_id }: DueDelivery) => webhookTask(environment_id, webhook_id, id);

/** What cannot be written is told again, once the claim on its task has lapsed: receivers know it by its id. */
async function write(ctx: Ctx, group: Told[]): Promise<void> {
  try {
    await transactAgain(ctx, (tx) => settle(tx, group));
  } catch (error) {
    // One result that the database does not take must not keep back the others.
    if (group.length > 1 && !isDatabaseUnavailable(error)) {
      for (const one of group) await write(ctx, [one]);
    } else if (!(error instanceof ClaimLost)) {
      ctx.metrics.taskFailures.inc({ kind: "webhook" }, group.length);
      ctx.log.error({ err: error, tasks: group.map(({ task }) => task.id) }, "the result of a webhook was not written");
    }
  }
}

/**
 * Answers what is to be told now. Deliveries that need nothing any more are finished here, those of a webhook that has
 * all its places taken come back later, and what a webhook that is off would have got has failed.
 */
async function prepare(ctx: Ctx, tasks: Task<WebhookTask>[], boarding: Boarding): Promise<Due[]> {
  const now = ctx.now();
  const kept = await ctx.queue.keep(ctx.db, "webhook", tasks);
  const found = await findDueDeliveries(
    ctx.db,
    kept.map((task) => task.data.deliveryId),
  );
  const byId = new Map(found.map((delivery) => [delivery.id, delivery]));
  const due: Due[] = [];
  const done: Task<WebhookTask>[] = [];
  const later: NewTask[] = [];
  for (const task of kept) {
    const delivery = byId.get(task.data.deliveryId);
    if (!delivery?.active) {
      done.push(task);
      continue;
    }
    const request = { isProbe: false, now: now.getTime() };
    const admission = boarding.enter(placeOf(delivery), request);
    if (admission.kind === "go") due.push({ task, delivery });
    else {
      done.push(task);
      later.push({ ...taskOf(delivery), startAfter: new Date(admission.until) });
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

/** Never rejects: one receiver must not take the results of others with it. */
async function tell(ctx: NetworkCtx, delivery: DueDelivery): Promise<Call> {
  const { url } = delivery;
  try {
    const body = openText(ctx.secrets, delivery.body);
    const now = ctx.now();
    const headers = {
      "content-type": "application/json",
      ...webhookHeaders(secretsOf(ctx, delivery, now), publicEventId(delivery.event_id), body, now),
    };
    const reply = await ctx.webhookHttp({ method: "POST", url, headers, body });
    return { status: reply.status, answer: storable(reply.text) };
  } catch (error) {
    return { status: null, answer: storable(error instanceof Error ? error.message : String(error)) };
  }
}

function secretsOf(ctx: Ctx, delivery: DueDelivery, now: Date): string[] {
  const { secret, previous_secret, previous_secret_until } = delivery;
  const isDouble = previous_secret !== null && previous_secret_until !== null && previous_secret_until > now;
  return [secret, ...(isDouble ? [previous_secret] : [])].map((stored) => ctx.secrets.decrypt(stored));
}

/** Receivers answer with any bytes they like; the database does not take all of them in a text. */
const storable = (text: string): string => text.replaceAll("\0", " ").slice(0, answerLength).toWellFormed();

const isSuccess = ({ status }: Call): boolean => status !== null && status >= 200 && status < 300;

async function settle(ctx: Ctx, group: Told[]): Promise<void> {
  const now = ctx.now();
  await ctx.queue.finish(
    ctx.db,
    "webhook",
    group.map(({ task }) => task),
  );
  const results = group.map((told) => resultOf(told, now));
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
    ctx.log.warn({ webhook: id, reason: disabled_reason }, "webhook switched off");
  }
  for (const { status } of results) ctx.metrics.webhooks.inc({ status });
}

function resultOf({ delivery, call }: Told, now: Date): DeliveryResult {
  const result = { id: delivery.id, tries: 1, response_status: call.status, response: call.answer } as const;
  if (isSuccess(call)) return { ...result, status: "delivered", next_at: null };
  const waitMs = isGone(call) ? null : repeatAfter(delivery.failures + 1);
  if (waitMs === null) return { ...result, status: "failed", next_at: null };
  return { ...result, status: "pending", next_at: new Date(now.getTime() + waitMs) };
}

const isGone = ({ status }: Call): boolean => status === 410;

/** One line per webhook. A success outweighs a failure: somebody is there. Gone is gone. */
const healthOf = (group: Told[]): WebhookHealth[] =>
  [...Map.groupBy(group, ({ delivery }) => delivery.webhook_id)].map(([id, told]) => ({
    id,
    is_well: told.some(({ call }) => isSuccess(call)),
    refusal: told.some(({ call }) => isGone(call)) ? "The receiver answered 410 Gone" : null,
  }));
