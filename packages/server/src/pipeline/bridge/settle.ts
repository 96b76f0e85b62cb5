// What follows from the replies of bridges, written in one transaction: a response wakes the run, a failed call is
// repeated later, and a step without a response fails, with a failed task that can be replayed.
import type { Ctx } from "../../context.ts";
import { sealValue } from "../../lib/sealed.ts";
import { insertFailedTask } from "../../store/events/failed-tasks.ts";
import { emptyJobUpdate, type JobUpdate, lockJobs, updateJobs } from "../../store/events/jobs.batch.ts";
import type { JobBridge } from "../../store/tables.ts";
import { type BridgeRow, lockBridges, updateBridges } from "../../store/workflows/bridges.batch.ts";
import { type Batch, openBatch } from "../batch.ts";
import { enqueueTimed, randomFor, type Timed } from "../clock/clock.ts";
import { wakeTasks } from "../clock/wakes.ts";
import { afterCall, type Health } from "../deliver/breaker.ts";
import { detail } from "../rules/details.ts";
import type { FinishedAsk } from "./ask.ts";
import type { BridgeReply } from "./call.ts";
import { readAnswer, shownOutputs } from "./response.ts";
import { decideAfterCall } from "./retry.ts";

type Effect = { update: JobUpdate; wakes: boolean; again?: Timed; failure?: { ask: FinishedAsk; error: string } };

export async function settle(tx: Ctx, group: FinishedAsk[]): Promise<undefined> {
  const batch = await openBatch(tx, new Set(group.map(({ run }) => run.environmentId)));
  await batch.queue.finish(
    batch.db,
    "bridge",
    group.map(({ task }) => task),
  );
  const jobs = await lockJobs(batch.db, group.map(keyOf));
  const waiting = new Set(jobs.flatMap(({ id, status }) => (status === "queued" ? id : [])));
  // A job that was canceled during the call stays so.
  const effects = group.filter(({ job }) => waiting.has(job.id)).map((ask) => effectOf(batch, ask));
  await updateJobs(
    batch.db,
    effects.map(({ update }) => update),
  );
  for (const { failure, update } of effects) if (failure) await setAside(batch, failure.ask, failure.error, update);
  await enqueueTimed(
    batch,
    "bridge",
    effects.flatMap(({ again }) => again ?? []),
  );
  const woken = effects.filter(({ wakes }) => wakes).map(({ update }) => update);
  for (const [environmentId, own] of Map.groupBy(woken, (update) => update.environment_id)) {
    const ids = own.map((update) => update.notification_id);
    await enqueueTimed(batch, "wake", wakeTasks({ environmentId, ids }));
  }
  await recordBridgeHealth(batch, group);
}

const keyOf = ({ run, job }: FinishedAsk) => ({
  environment_id: run.environmentId,
  notification_id: run.notificationId,
  job_id: job.id,
});

function effectOf(batch: Batch, ask: FinishedAsk): Effect {
  const { run, job, reply, call, bridge, task } = ask;
  const now = batch.clock.now(run.environmentId);
  const { error: _, ...before } = job.bridge!;
  const attempt = before.tries + (call ? 1 : 0);
  const update = (status: JobUpdate["status"], stored: JobBridge, details: JobUpdate["details"]): JobUpdate => ({
    ...emptyJobUpdate(keyOf(ask), now),
    status,
    bridge: stored,
    details,
  });

  const failed = reply.kind === "answered" ? null : reply;
  const answer = reply.kind === "answered" ? readAnswer(reply.body) : null;
  if (answer && reply.kind === "answered" && !("fault" in answer)) {
    const { outputs, providers, skip } = answer;
    const sealed = Object.keys(providers).length > 0 ? { providers: sealValue(batch.secrets, providers) } : {};
    const raw = { outputs: shownOutputs(outputs), skip, duration: reply.tookMs, attempt };
    const details = [detail("bridge_answered", now, { isRetry: attempt > 1, raw })];
    return {
      wakes: true,
      update: update("pending", { ...before, tries: attempt, answer: { outputs, ...sealed, skip } }, details),
    };
  }
  const fault = failed ?? { kind: "failing" as const, reason: (answer as { fault: string }).fault };
  const asked = { attempt, askedAt: before.askedAt, now: now.getTime() };
  const next = decideAfterCall(fault, asked, batch.config.delivery.retry, randomFor(batch.clock, run.environmentId));
  const stored = { ...before, tries: attempt, error: fault.reason };
  if (next.kind === "retry") {
    const raw = { reason: fault.reason, attempt, next: next.at.toISOString() };
    const details = [detail("bridge_retry", now, { isRetry: attempt > 1, raw })];
    const { environmentId } = run;
    return {
      wakes: false,
      update: { ...update("queued", stored, details), wake_at: next.at },
      again: { environmentId, data: task.data, at: next.at, lane: bridge.url ?? undefined },
    };
  }
  const details = [detail("bridge_failed", now, { isRetry: attempt > 1, raw: { reason: fault.reason, attempt } })];
  return { wakes: true, update: update("failed", stored, details), failure: { ask, error: fault.reason } };
}

const setAside = (batch: Batch, { task, run, job }: FinishedAsk, error: string, { updated_at, bridge }: JobUpdate) =>
  insertFailedTask(batch.db, run.environmentId, {
    id: batch.newId(),
    environment_id: run.environmentId,
    kind: "bridge",
    data: task.data,
    error: `The bridge gave no content for step ${job.step.stepId}: ${error}`,
    attempts: bridge?.tries ?? 0,
    created_at: updated_at,
  });

/** A bridge that refuses, or whose code fails, is up. */
const toOutcome = (reply: BridgeReply) =>
  reply.kind === "unavailable"
    ? ({ kind: "retry", reason: reply.reason } as const)
    : reply.kind === "refused" || reply.kind === "failing"
      ? ({ kind: "rejected", class: "config", reason: reply.reason } as const)
      : ({ kind: "accepted" } as const);

/** Most calls change nothing: the breaker of a bridge without failures, before and now, is not even locked. */
async function recordBridgeHealth(batch: Batch, group: FinishedAsk[]): Promise<void> {
  const now = batch.now();
  const called = group.filter(({ call, run }) => call !== null && !batch.clock.isStopped(run.environmentId));
  const changing = called.filter(
    ({ reply, bridge, isProbe }) =>
      isProbe || reply.kind === "unavailable" || (bridge.failures ?? 0) > 0 || (bridge.state ?? "closed") !== "closed",
  );
  const nameOf = (environmentId: string, url: string | null) => `${environmentId} ${url}`;
  const byBridge = Map.groupBy(changing, ({ run, bridge }) => nameOf(run.environmentId, bridge.url));
  const keys = [...byBridge.values()].map(([one]) => ({
    environment_id: one!.run.environmentId,
    url: one!.bridge.url!,
  }));
  const rows = await lockBridges(batch.db, keys);
  const updated = rows.map((row): BridgeRow => {
    const before: Health = {
      state: row.state,
      failures: row.failures,
      probes: row.probes,
      openedAt: row.opened_at,
      nextProbeAt: row.next_probe_at,
    };
    const after = byBridge
      .get(nameOf(row.environment_id, row.url))!
      .reduce(
        (health, { reply, isProbe }) =>
          afterCall(health, { outcome: toOutcome(reply), isProbe }, now, batch.config.delivery.breaker),
        before,
      );
    if (before.state === "closed" && after.state === "open") {
      const facts = { environmentId: row.environment_id, failures: after.failures };
      batch.log.warn(facts, "circuit breaker opened: the bridge is only probed");
    }
    return {
      ...row,
      state: after.state,
      failures: after.failures,
      probes: after.probes,
      opened_at: after.openedAt,
      next_probe_at: after.nextProbeAt,
      updated_at: now,
    };
  });
  await updateBridges(batch.db, updated);
}
