// What follows from the replies, written in one transaction: a response wakes the run, a failed call is repeated later,
// and a step without a response fails, with a failed task that can be replayed.
import type { Ctx } from "../../context.ts";
import { insertFailedTask } from "../../store/events/failed-tasks.ts";
import { type JobUpdate, lockJobs, updateJobs } from "../../store/events/jobs.batch.ts";
import type { CallBreaker } from "../../store/tables.ts";
import { lockBreakers, updateBreakers } from "../../store/workflows/call-breakers.batch.ts";
import { type Batch, openBatch } from "../batch.ts";
import { enqueueTimed } from "../clock/clock.ts";
import { wakeTasks } from "../clock/wakes.ts";
import { afterCall, isProviderFailure } from "../deliver/breaker.ts";
import { type Ranked, rankIn } from "../tasks.ts";
import { type AskSource, type Finished, jobKeyOf } from "./ask.ts";
import { healthOf } from "./health.ts";

export async function settleAsks<Call, Reply>(
  tx: Ctx,
  source: AskSource<Call, Reply>,
  group: Finished<Call, Reply>[],
): Promise<undefined> {
  const batch = await openBatch(tx, new Set(group.map(({ run }) => run.environmentId)));
  await batch.queue.finish(
    batch.db,
    source.kind,
    group.map(({ task }) => task),
  );
  const jobs = await lockJobs(batch.db, group.map(jobKeyOf));
  const waiting = new Set(jobs.flatMap(({ id, status }) => (status === "queued" ? id : [])));
  // A job that was canceled during the call stays so.
  const effects = group
    .filter(({ job }) => waiting.has(job.id))
    .map((ask) => ({ ask, ...source.effectOf(batch, ask) }));
  await updateJobs(
    batch.db,
    effects.map(({ update }) => update),
  );
  for (const { failure, ask, update } of effects) {
    if (failure !== undefined) await setAside(batch, source.kind, ask, { error: failure, update });
  }
  await enqueueTimed(
    batch,
    source.kind,
    effects.flatMap(({ again: at, ask: { run, task, target } }) =>
      at ? { environmentId: run.environmentId, data: task.data, at, lane: target?.url } : [],
    ),
  );
  await wakeRuns(
    batch,
    effects.filter(({ wakes }) => wakes).map(({ update, ask }) => ({ ...update, rank: rankIn(ask.task.data) })),
  );
  await recordHealth(batch, source, group);
}

type Waking = Pick<JobUpdate, "environment_id" | "notification_id"> & { rank?: Ranked };

export async function wakeRuns(batch: Batch, runs: Waking[]): Promise<void> {
  for (const own of Map.groupBy(runs, ({ environment_id, rank }) => `${environment_id} ${rank?.priority}`).values()) {
    const { environment_id: environmentId, rank } = own[0]!;
    const ids = own.map((run) => run.notification_id);
    await enqueueTimed(batch, "wake", wakeTasks({ environmentId, ids, rank }));
  }
}

const setAside = (
  batch: Batch,
  kind: AskSource<unknown, unknown>["kind"],
  { task, run }: Pick<Finished<unknown, unknown>, "task" | "run">,
  { error, update }: { error: string; update: JobUpdate },
) =>
  insertFailedTask(batch.db, run.environmentId, {
    id: batch.newId(),
    environment_id: run.environmentId,
    kind,
    data: task.data,
    error,
    attempts: update.bridge?.tries ?? 0,
    created_at: update.updated_at,
  });

/** Most calls change nothing: the breaker of a target without failures, before and now, is not even locked. */
async function recordHealth<Call, Reply>(
  batch: Batch,
  source: AskSource<Call, Reply>,
  group: Finished<Call, Reply>[],
): Promise<void> {
  const now = batch.now();
  const changing = group.flatMap(({ run, target, reply, isProbe }) => {
    if (target === null || batch.clock.isStopped(run.environmentId)) return [];
    const outcome = source.outcomeOf(reply);
    const isChange = isProbe || isProviderFailure(outcome) || target.health.failures > 0;
    return isChange || target.health.state !== "closed"
      ? [{ environment_id: run.environmentId, url: target.url, outcome, isProbe }]
      : [];
  });
  const nameOf = (key: { environment_id: string; url: string }) => `${key.environment_id} ${key.url}`;
  const byTarget = Map.groupBy(changing, nameOf);
  const keys = [...byTarget.values()].map(([one]) => ({ environment_id: one!.environment_id, url: one!.url }));
  await source.addBreakers?.(batch, keys);
  const rows = await lockBreakers(batch.db, source.breakers, keys);
  const updated = rows.map((row): CallBreaker => {
    const before = healthOf(row);
    const after = byTarget
      .get(nameOf(row))!
      .reduce((health, call) => afterCall(health, call, now, batch.config.delivery.breaker), before);
    if (before.state === "closed" && after.state === "open") {
      const facts = { environmentId: row.environment_id, failures: after.failures };
      batch.log.warn(facts, `circuit breaker opened: ${source.pausedReason}`);
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
  await updateBreakers(batch.db, source.breakers, updated);
}
