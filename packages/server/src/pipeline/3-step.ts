// Stage 3: runs go on. A wait is over, or what the run waited for has been delivered: load the runs, collect what closing
// digests gathered, advance, write.
import type { Ctx } from "../context.ts";
import { type Db, inTransaction } from "../store/db.ts";
import { closeWindows, findMerged } from "../store/digests.ts";
import { type EventRow, findEvents } from "../store/events.ts";
import { findJobs, type JobRow } from "../store/jobs.ts";
import { lockNotifications, type NotificationRow } from "../store/notifications.ts";
import type { NewTask, Task } from "../store/queue.ts";
import { findSubscribersByIds, findSubscribersByKeys, type SubscriberRow } from "../store/subscribers.ts";
import { findDeletedWorkflows } from "../store/workflows.ts";
import { isFinished } from "./advance.ts";
import { advanceAll, writeProgress } from "./batch.ts";
import { type DigestedEvent, type DigestResult, type JobState, type Run, toRunEvent } from "./run.ts";
import type { WakeTask } from "./tasks.ts";
import { loadVersions } from "./versions.ts";

export async function runWake(ctx: Ctx, tasks: Task<WakeTask>[]): Promise<void> {
  await inTransaction(ctx.db, async (tx) => {
    await ctx.queue.finish(tx, "wake", tasks);
    const ids = [...new Set(tasks.flatMap((task) => task.data.notificationIds))];
    const runs = await loadRuns(ctx, tx, ids);
    const now = ctx.now();
    const early = earlyWakes(runs, now);
    const digests = await loadDigests(ctx, tx, runs, now);
    await writeProgress(ctx, tx, await advanceAll(ctx, tx, runs, now, { digests }), now);
    await ctx.queue.enqueue(tx, "wake", early);
  });
}

/** A delayed email waits for the repeat of its delivery, which brings its own task. */
const sleepers: ReadonlySet<string> = new Set(["delay", "digest"]);

/**
 * The queue wakes by the clock of the database, a run is due by ours. When ours is behind, the run sleeps on for the
 * difference: without a new task it would never wake.
 */
function earlyWakes(runs: Run[], now: Date): NewTask[] {
  return runs.flatMap((run) => {
    const job = run.jobs.find((candidate) => !isFinished(candidate));
    if (job?.status !== "delayed" || !job.wakeAt || job.wakeAt <= now || !sleepers.has(job.step.type)) return [];
    const seconds = Math.ceil((job.wakeAt.getTime() - now.getTime()) / 1000);
    return [{ data: { notificationIds: [run.notificationId] }, startAfter: seconds }];
  });
}

async function loadRuns(ctx: Ctx, tx: Db, ids: string[]): Promise<Run[]> {
  const notifications = await lockNotifications(tx, ids);
  const jobs = Map.groupBy(await findJobs(tx, ids), (job) => job.notification_id);
  const events = byId(await findEvents(tx, [...new Set(notifications.map((row) => row.event_id))]));
  const versions = await loadVersions(
    ctx,
    tx,
    notifications.map((row) => row.workflow_version_id),
  );
  const runs: Run[] = [];
  for (const [environmentId, rows] of Map.groupBy(notifications, (row) => row.environment_id)) {
    const people = await loadPeople(tx, environmentId, rows, events);
    const deleted = await findDeletedWorkflows(tx, [...new Set(rows.map((row) => row.workflow_id))]);
    for (const row of rows) {
      const event = events.get(row.event_id);
      const version = versions.get(row.workflow_version_id);
      if (!event || !version) continue;
      const steps = version.definition.steps.filter((step) => step.active);
      runs.push({
        notificationId: row.id,
        environmentId,
        isNew: false,
        event: toRunEvent(event),
        version,
        subscriber: people.byId.get(row.subscriber_id) ?? null,
        actor: people.byKey.get(event.actor?.subscriberId ?? "") ?? null,
        isWorkflowDeleted: deleted.has(row.workflow_id),
        contextKeys: row.context_keys,
        subscriptions: row.subscriptions,
        jobs: (jobs.get(row.id) ?? []).map((job) => toJobState(job, steps)),
      });
    }
  }
  return runs;
}

async function loadPeople(tx: Db, environmentId: string, rows: NotificationRow[], events: Map<string, EventRow>) {
  const actors = rows.flatMap((row) => events.get(row.event_id)?.actor?.subscriberId ?? []);
  const subscribers = await findSubscribersByIds(tx, environmentId, [...new Set(rows.map((row) => row.subscriber_id))]);
  const acting = await findSubscribersByKeys(tx, environmentId, [...new Set(actors)]);
  return {
    byId: byId(subscribers),
    byKey: new Map(acting.map((row): [string, SubscriberRow] => [row.subscriber_id, row])),
  };
}

const toJobState = (job: JobRow, steps: Run["version"]["definition"]["steps"]): JobState => ({
  id: job.id,
  stepIndex: job.step_index,
  step: steps[job.step_index]!,
  status: job.status as JobState["status"],
  providerId: job.provider_id,
  newDetails: [],
  output: job.output,
  digest: job.digest,
  mergedInto: job.merged_into,
  wakeAt: job.wake_at,
});

const byId = <T extends { id: string }>(rows: T[]): Map<string, T> => new Map(rows.map((row) => [row.id, row]));

type EventRef = { id: string; time: string };
type Gathered = { refs: EventRef[]; eventCount: number };

/** What each digest of these runs holds: windows that close now, and digests that closed before. */
async function loadDigests(ctx: Ctx, tx: Db, runs: Run[], now: Date): Promise<Map<string, DigestResult>> {
  const gathered = new Map<string, Gathered>();
  const closing: { run: Run; job: JobState }[] = [];
  const abandoned: string[] = [];
  for (const run of runs) {
    for (const job of run.jobs) {
      if (job.step.type !== "digest") continue;
      if (job.status === "completed") gathered.set(job.id, storedDigest(job.output));
      else if (job.status === "delayed" && job.wakeAt && job.wakeAt <= now) closing.push({ run, job });
      else if (job.status === "canceled") abandoned.push(job.id);
    }
  }
  // A window whose leader was canceled has nobody left to close it.
  await closeWindows(tx, [...closing.map(({ job }) => job.id), ...abandoned]);
  const merged = await findMerged(
    tx,
    closing.map(({ job }) => job.id),
  );
  const mergedByLeader = Map.groupBy(merged, (row) => row.leader_job_id);
  const earlier = Map.groupBy(
    await findJobs(
      tx,
      merged.map((row) => row.notification_id),
    ),
    (job) => job.notification_id,
  );

  for (const { run, job } of closing) {
    const members = (mergedByLeader.get(job.id) ?? []).map((row) => {
      const jobs = (earlier.get(row.notification_id) ?? []).map((other) => ({ ...other, stepIndex: other.step_index }));
      const own = { id: row.event_id, time: row.created_at.toISOString() };
      // Its own position, not the leader's: the two may run different versions of the workflow.
      return contribution(jobs, jobs.find((other) => other.id === row.job_id)!.stepIndex, own);
    });
    const own = { id: run.event.id, time: run.event.createdAt.toISOString() };
    const all = [
      contribution(
        run.jobs.map((other) => ({ ...other, type: other.step.type })),
        job.stepIndex,
        own,
      ),
      ...members,
    ];
    gathered.set(job.id, {
      refs: all.flatMap((part) => part.refs).slice(0, ctx.config.digestEvents),
      eventCount: all.reduce((sum, part) => sum + part.eventCount, 0),
    });
  }
  return withPayloads(tx, gathered);
}

/** A second digest groups the results of the first: a notification brings what its latest digest held, else itself. */
function contribution(
  jobs: { type: string; stepIndex: number; status: string; output: Record<string, unknown> | null }[],
  before: number,
  own: EventRef,
): Gathered {
  const latest = jobs
    .filter((job) => job.type === "digest" && job.stepIndex < before && job.status === "completed")
    .sort((a, b) => b.stepIndex - a.stepIndex)[0];
  return latest ? storedDigest(latest.output) : { refs: [own], eventCount: 1 };
}

const storedDigest = (output: Record<string, unknown> | null): Gathered => ({
  refs: (output?.events as EventRef[] | undefined) ?? [],
  eventCount: Number(output?.eventCount ?? 0),
});

async function withPayloads(tx: Db, gathered: Map<string, Gathered>): Promise<Map<string, DigestResult>> {
  const ids = new Set([...gathered.values()].flatMap((part) => part.refs.map((ref) => ref.id)));
  const events = byId(await findEvents(tx, [...ids]));
  const withPayload = (ref: EventRef): DigestedEvent => ({ ...ref, payload: events.get(ref.id)?.payload ?? {} });
  return new Map(
    [...gathered].map(([jobId, part]) => [jobId, { events: part.refs.map(withPayload), eventCount: part.eventCount }]),
  );
}
