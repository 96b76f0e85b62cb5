// The stage `wake` continues runs whose wait is over or whose message has been delivered: load the runs, collect the
// events of closing digests, advance, write.
import type { Ctx } from "../../context.ts";
import type { Db } from "../../store/db.ts";
import { findEventsOfBatch } from "../../store/events/events.batch.ts";
import type { EventRow } from "../../store/events/events.ts";
import { findJobsOfBatch } from "../../store/events/jobs.batch.ts";
import type { JobRow } from "../../store/events/jobs.ts";
import { lockNotifications } from "../../store/events/notifications.batch.ts";
import type { NotificationRow } from "../../store/events/notifications.ts";
import type { RowKey } from "../../store/keys.ts";
import type { Task } from "../../store/queue/queue.ts";
import { findSubscribersByIds, findSubscribersByKeys, type RecipientRow } from "../../store/subscribers/subscribers.ts";
import { findWorkflowStates } from "../../store/workflows/workflows.batch.ts";
import { rankOf } from "../attention/message-class.ts";
import { openBatch, transactWithRetry } from "../batch.ts";
import { type Clock, enqueueTimed, type Timed } from "../clock/clock.ts";
import { keysIn, type WakeTask } from "../tasks.ts";
import { isFinished, isSleeping } from "./advance.ts";
import { loadArrivals } from "./arrivals.ts";
import { loadDigests } from "./digests.ts";
import { advanceAll, writeProgress } from "./progress.ts";
import { type JobState, type Run, toRunEvent } from "./run.ts";
import { loadVersions, rulesOf } from "./versions.ts";

export async function runWake(ctx: Ctx, tasks: Task<WakeTask>[]): Promise<void> {
  // Closing one digest while claiming the next can, rarely, deadlock with a batch that locks them in the other order.
  await transactWithRetry(ctx, async (tx) => {
    await tx.queue.finish(tx.db, "wake", tasks);
    const keys = keysIn(tasks, ({ notificationIds }) => notificationIds);
    const runs = await loadRuns(tx, keys);
    const batch = await openBatch(tx, new Set(runs.map((run) => run.environmentId)));
    const early = earlyWakes(runs, batch.clock);
    const digests = await loadDigests(batch, runs);
    const arrivals = await loadArrivals(batch, runs);
    await writeProgress(batch, await advanceAll(batch, runs, { digests, arrivals }));
    await enqueueTimed(batch, "wake", early);
  });
}

/**
 * The queue uses the clock of the database, `advance()` the clock of this process. When this process is behind, a run
 * is not due yet and needs a new task for the difference: otherwise it would never wake.
 */
function earlyWakes(runs: Run[], clock: Clock): Timed[] {
  return runs.flatMap(({ jobs, environmentId, notificationId, event, rules }) => {
    const job = jobs.find((candidate) => !isFinished(candidate));
    if (!job?.wakeAt || !isSleeping(job) || job.wakeAt <= clock.now(environmentId)) return [];
    const data: WakeTask = { notificationIds: [notificationId], ...rankOf(event, rules) };
    return [{ environmentId, data, at: job.wakeAt }];
  });
}

/** The runs with these notifications, which are locked until the transaction ends. */
export async function loadRuns(ctx: Ctx, keys: RowKey[]): Promise<Run[]> {
  const notifications = await lockNotifications(ctx.db, keys);
  const jobs = Map.groupBy(
    await findJobsOfBatch(
      ctx.db,
      notifications.map(({ environment_id, id }) => ({ environment_id, notification_id: id })),
    ),
    (job) => job.notification_id,
  );
  const events = byId(
    await findEventsOfBatch(
      ctx.db,
      notifications.map(({ environment_id, event_id }) => ({ environment_id, id: event_id })),
    ),
  );
  const versions = await loadVersions(
    ctx,
    notifications.map((row) => row.workflow_version_id),
  );
  const runEvents = new Map([...events].map(([id, event]) => [id, toRunEvent(ctx.secrets, event)]));
  const runs: Run[] = [];
  for (const [environmentId, rows] of Map.groupBy(notifications, (row) => row.environment_id)) {
    const subscribers = await loadSubscribers(ctx.db, environmentId, rows, events);
    const states = await findWorkflowStates(ctx.db, [...new Set(rows.map((row) => row.workflow_id))]);
    for (const row of rows) {
      const event = events.get(row.event_id);
      const version = versions.get(row.workflow_version_id);
      if (!event || !version) continue;
      const steps = version.definition.steps.filter((step) => step.active);
      runs.push({
        notificationId: row.id,
        environmentId,
        isNew: false,
        event: runEvents.get(event.id)!,
        version,
        subscriber: subscribers.byId.get(row.subscriber_id) ?? null,
        actor: subscribers.byKey.get(event.actor?.subscriberId ?? "") ?? null,
        isWorkflowDeleted: states.get(row.workflow_id)?.isDeleted ?? false,
        rules: rulesOf(version, states.get(row.workflow_id)),
        contextKeys: row.context_keys,
        subscriptions: row.subscriptions,
        jobs: (jobs.get(row.id) ?? []).map((job) => toJobState(job, steps)),
      });
    }
  }
  return runs;
}

async function loadSubscribers(tx: Db, environmentId: string, rows: NotificationRow[], events: Map<string, EventRow>) {
  const ids = new Set(rows.map((row) => row.subscriber_id));
  const actorKeys = new Set(rows.flatMap((row) => events.get(row.event_id)?.actor?.subscriberId ?? []));
  const recipients = await findSubscribersByIds(tx, environmentId, [...ids]);
  const actors = await findSubscribersByKeys(tx, environmentId, [...actorKeys]);
  return {
    byId: byId(recipients),
    byKey: new Map(actors.map((row): [string, RecipientRow] => [row.subscriber_id, row])),
  };
}

const toJobState = (job: JobRow, steps: Run["version"]["definition"]["steps"]): JobState => ({
  id: job.id,
  stepIndex: job.step_index,
  step: steps[job.step_index]!,
  status: job.status,
  providerId: job.provider_id,
  details: job.details,
  newDetails: [],
  output: job.output,
  digest: job.digest,
  bridge: job.bridge,
  mergedInto: job.merged_into,
  wakeAt: job.wake_at,
});

const byId = <T extends { id: string }>(rows: T[]): Map<string, T> => new Map(rows.map((row) => [row.id, row]));
