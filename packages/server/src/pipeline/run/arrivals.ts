// What runs wait for: whether it has happened when the wait begins, and what ended it. A wait is a row
// (store/signals/waits.batch.ts); signals and events of messages find it there, and wake the run.
import type { Ctx } from "../../context.ts";
import type { Db } from "../../store/db.ts";
import { findJobsOfBatch } from "../../store/events/jobs.batch.ts";
import { holdMessagesOfJobs } from "../../store/messages/watched-messages.ts";
import { recordMessageEvents } from "../../store/signals/signals.ts";
import { endWaits, findSignals, insertWaits, type LookBack, lockSignals } from "../../store/signals/waits.batch.ts";
import { type Batch, openBatch } from "../batch.ts";
import { enqueueTimed } from "../clock/clock.ts";
import { wakeTasks } from "../clock/wakes.ts";
import { eventsProvenBy, happenedAt, toMarks } from "../rules/step-results.ts";
import type { Arrival, Claim, Run } from "./run.ts";

export type WaitClaim = { run: Run; claim: Extract<Claim, { kind: "wait" }>; now: Date };

/** Begins the waits, each unless what it waits for has happened already. By job id. */
export async function beginOrSkipWaits(db: Db, waits: WaitClaim[]): Promise<Map<string, Arrival>> {
  const lookingBack = waits.flatMap(toLookBack);
  await lockSignals(db, lookingBack);
  const arrivals = await findArrivals(db, waits, lookingBack);
  await insertWaits(db, waits.filter(({ claim }) => !arrivals.has(claim.jobId)).map(toWait));
  return arrivals;
}

/** For the dry-run: without a row and without locks. */
export const peekWaits = (db: Db, waits: WaitClaim[]): Promise<Map<string, Arrival>> =>
  findArrivals(db, waits, waits.flatMap(toLookBack));

async function findArrivals(db: Db, waits: WaitClaim[], lookingBack: LookBack[]): Promise<Map<string, Arrival>> {
  const found = new Map<string, Arrival>();
  for (const { job_id, data, created_at } of await findSignals(db, lookingBack)) {
    found.set(job_id, { reason: "signal", data, at: created_at });
  }
  for (const [jobId, at] of await findMessageEvents(db, waits)) {
    if (!found.has(jobId)) found.set(jobId, { reason: "message", data: null, at });
  }
  return found;
}

const toLookBack = ({ run, claim }: WaitClaim): LookBack[] => {
  const { signal, jobId } = claim;
  if (!signal?.since) return [];
  return [
    {
      environment_id: run.environmentId,
      job_id: jobId,
      subscriber_id: run.subscriber!.id,
      signal: signal.name,
      signal_key: signal.key,
      since: signal.since,
    },
  ];
};

const toWait = ({ run, claim }: WaitClaim) => ({
  environment_id: run.environmentId,
  job_id: claim.jobId,
  notification_id: run.notificationId,
  subscriber_id: run.subscriber!.id,
  signal: claim.signal?.name ?? null,
  signal_key: claim.signal?.key ?? null,
  watched_job_id: claim.message?.jobId ?? null,
  watched_event: claim.message?.event ?? null,
});

/**
 * The messages of runs that begin now are not stored yet, so nothing can have happened to them. Those of earlier
 * batches are locked: a mark or a receipt that is written at the same moment is either seen here, or finds the wait.
 */
async function findMessageEvents(db: Db, waits: WaitClaim[]): Promise<Map<string, Date>> {
  const watching = waits.filter(({ run, claim }) => claim.message && !run.isNew);
  if (watching.length === 0) return new Map();
  const messages = await holdMessagesOfJobs(
    db,
    watching.map(({ run, claim }) => ({
      environment_id: run.environmentId,
      subscriber_id: run.subscriber!.id,
      job_id: claim.message!.jobId,
    })),
  );
  const marks = new Map(messages.map((row) => [row.job_id, toMarks(row)]));
  const keys = watching.map(({ run }) => ({ environment_id: run.environmentId, notification_id: run.notificationId }));
  const jobs = new Map((await findJobsOfBatch(db, keys)).map((job) => [job.id, job]));
  return new Map(
    watching.flatMap(({ claim }) => {
      const { jobId, event } = claim.message!;
      const at = happenedAt(event, jobs.get(jobId)?.details ?? [], marks.get(jobId));
      return at ? [[claim.jobId, at] as const] : [];
    }),
  );
}

/** Ends the waits of these runs that are due, or whose signal or event has come. By job id. */
export async function loadArrivals(batch: Batch, runs: Run[]): Promise<Map<string, Arrival>> {
  const ending = runs.flatMap(({ environmentId, jobs }) =>
    jobs
      .filter(({ step, status }) => step.type === "wait" && status === "delayed")
      .map(({ id, wakeAt }) => ({
        environment_id: environmentId,
        job_id: id,
        is_due: wakeAt !== null && wakeAt <= batch.clock.now(environmentId),
      })),
  );
  const ended = await endWaits(batch.db, ending);
  return new Map(
    ended.flatMap(({ job_id, arrived_at, arrived_by, data }) =>
      arrived_at && arrived_by ? [[job_id, { reason: arrived_by, data, at: arrived_at }] as const] : [],
    ),
  );
}

/** Wakes the runs that waited for it. `name`: of the execution detail that it adds to the jobs of the messages. */
export async function wakeWatchers(
  ctx: Ctx,
  environmentId: string,
  { messageIds, name, at }: { messageIds: string[]; name: string; at: Date },
): Promise<void> {
  const ids = await recordMessageEvents(ctx.db, environmentId, { messageIds, events: eventsProvenBy(name), at });
  if (ids.length === 0) return;
  const batch = await openBatch(ctx, [environmentId]);
  await enqueueTimed(batch, "wake", wakeTasks({ environmentId, ids: [...new Set(ids)] }));
}
