// The events that the digests of a batch hold. Windows that are due are closed, and the events of all notifications
// merged into them are collected; digests that closed earlier are read again, because later steps may use their events.
import type { Db } from "../../store/db.ts";
import { closeWindows, findMergedEvents } from "../../store/events/digests.batch.ts";
import { findEventsOfBatch } from "../../store/events/events.batch.ts";
import type { JobKey } from "../../store/keys.ts";
import type { Batch } from "../batch.ts";
import { type DigestRefs, digestInputRefs, type EventRef, readStoredDigest } from "../rules/grouping.ts";
import type { DigestedEvent, DigestResult, JobState, Run } from "./run.ts";

/** By job id. */
export async function loadDigests(batch: Batch, runs: Run[]): Promise<Map<string, DigestResult>> {
  const refs = new Map<string, DigestRefs>();
  const closing: { run: Run; job: JobState }[] = [];
  const abandoned: { run: Run; job: JobState }[] = [];
  for (const run of runs) {
    const now = batch.clock.now(run.environmentId);
    for (const job of run.jobs) {
      if (job.step.type !== "digest") continue;
      if (job.status === "delayed" && job.wakeAt && job.wakeAt <= now) closing.push({ run, job });
      else if (job.status === "canceled") abandoned.push({ run, job });
      else if (job.output) refs.set(job.id, readStoredDigest(job.output));
    }
  }
  // A window whose leader was canceled would never be closed.
  await closeWindows(batch.db, [...closing, ...abandoned].map(toJobKey));
  for (const [jobId, found] of await collectRefs(batch.db, closing, batch.config.digestEvents)) refs.set(jobId, found);
  return withPayloads(batch.db, runs, refs);
}

const toJobKey = ({ run, job }: { run: Run; job: JobState }): JobKey => ({
  environment_id: run.environmentId,
  notification_id: run.notificationId,
  job_id: job.id,
});

/** The events of each leader and of the notifications merged into it, in order of arrival. */
async function collectRefs(
  tx: Db,
  closing: { run: Run; job: JobState }[],
  limit: number,
): Promise<Map<string, DigestRefs>> {
  const merged = await findMergedEvents(
    tx,
    closing.map(({ job }) => job.id),
    limit,
  );
  const byLeader = Map.groupBy(merged, (row) => row.leader_job_id);
  return new Map(
    closing.map(({ run, job }) => {
      const own = digestInputRefs(run, job.stepIndex);
      const members = byLeader.get(job.id) ?? [];
      const refs = [
        ...own.refs,
        ...members.flatMap(({ event_id, created_at, earlier }) =>
          earlier ? readStoredDigest(earlier).refs : [{ id: event_id, time: created_at.toISOString() }],
        ),
      ];
      const eventCount = own.eventCount + (members[0]?.event_count ?? 0);
      // The leader is not always the oldest: workers may start events of different requests in another order.
      refs.sort((a, b) => (a.id < b.id ? -1 : 1));
      return [job.id, { refs: refs.slice(0, limit), eventCount }];
    }),
  );
}

async function withPayloads(tx: Db, runs: Run[], digests: Map<string, DigestRefs>): Promise<Map<string, DigestResult>> {
  const keys = runs.flatMap(({ environmentId, jobs }) =>
    jobs.flatMap((job) => (digests.get(job.id)?.refs ?? []).map(({ id }) => ({ environment_id: environmentId, id }))),
  );
  const events = new Map((await findEventsOfBatch(tx, keys)).map((event) => [event.id, event.payload]));
  const withPayload = (ref: EventRef): DigestedEvent => ({ ...ref, payload: events.get(ref.id) ?? {} });
  return new Map(
    [...digests].map(([jobId, { refs, eventCount }]) => [jobId, { events: refs.map(withPayload), eventCount }]),
  );
}
