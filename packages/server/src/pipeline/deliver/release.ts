// What an integration held is sent as soon as its circuit breaker closes: its messages become due in turns of a second,
// as many as the integration may be sent in that time. Each turn is a transaction that enqueues the next, so a release
// continues where it stopped when a process dies, and ends when the circuit opens again. A message that is not woken is
// due at its own time anyway.
import type { Ctx } from "../../context.ts";
import {
  findHealth,
  findIntegrationsByIds,
  type IntegrationRow,
  listIntegrations,
} from "../../store/integrations/integrations.ts";
import type { Task } from "../../store/queue/queue.ts";
import { transactWithRetry } from "../batch.ts";
import { callCost, environmentOf, type ReleaseTask } from "../tasks.ts";
import { createSecretsReader, rateOf } from "./message.ts";

/** Between two turns. */
const turnMs = 1_000;
/**
 * Messages of one turn without a rate limit. How many calls are made at once is decided when they are sent
 * (concurrency.ts).
 */
const maxPerTurn = 1_000;
/**
 * Workers that saw the circuit open may still hold messages for so long after it has closed, and clocks differ.
 * Messages that are held again later, because another integration is away, are left alone.
 */
const lateMs = 4_000;

/**
 * The circuit of the integration has closed, or it is new or changed: what waits for it, or might go through it, tries
 * again.
 */
export function enqueueReleases(ctx: Ctx, integrations: { environmentId: string; id: string }[]): Promise<void> {
  const tasks = integrations.map(({ environmentId, id }) => ({
    environmentId,
    data: { integrationId: id } satisfies ReleaseTask,
  }));
  return ctx.queue.enqueue(ctx.db, "release", tasks);
}

export async function runRelease(ctx: Ctx, tasks: Task<ReleaseTask>[]): Promise<void> {
  for (const task of tasks) await transactWithRetry(ctx, (tx) => releaseNext(tx, task));
}

async function releaseNext(tx: Ctx, task: Task<ReleaseTask>): Promise<void> {
  await tx.queue.finish(tx.db, "release", [task]);
  const environmentId = environmentOf(task);
  const { integrationId } = task.data;
  const [integration] = await findIntegrationsByIds(tx.db, environmentId, [integrationId]);
  const health = await findHealth(tx.db, environmentId, integrationId);
  if (!integration || (health && health.state !== "closed")) return;
  const now = Date.now();
  const until = task.data.until ?? now + lateMs;
  const limit = perTurn(tx, integration);
  const integrationIds = await findHolders(tx, integration);
  const held = { integrationIds, until, limit, spreadMs: turnMs, cost: callCost };
  const woken = await tx.queue.wakeHeld(tx.db, environmentId, held);
  if (woken < limit && now > until) return;
  const data: ReleaseTask = { integrationId, until };
  await tx.queue.enqueue(tx.db, "release", [{ environmentId, data, startAfter: new Date(now + turnMs) }]);
}

/** Mails and SMS may wait for an integration that is tried before this one. Chat and push belong to one integration. */
async function findHolders(tx: Ctx, { id, environment_id, channel }: IntegrationRow): Promise<string[]> {
  if (channel !== "email" && channel !== "sms") return [id];
  const others = await listIntegrations(tx.db, environment_id);
  return [id, ...others.filter((one) => one.channel === channel && one.id !== id).map((one) => one.id)];
}

function perTurn(tx: Ctx, integration: IntegrationRow): number {
  const perSecond = rateOf(integration, createSecretsReader(tx)(integration));
  return perSecond === undefined ? maxPerTurn : Math.min(maxPerTurn, Math.max(1, Math.ceil(perSecond)));
}
