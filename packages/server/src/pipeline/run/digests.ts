// What the digests of a batch hold: windows that are due are closed here and everything that was merged into them is
// gathered; digests that closed before are read again, because the steps behind them may still ask.

import type { Db } from "../../store/db.ts";
import { closeWindows, findMergedEvents } from "../../store/events/digests.batch.ts";
import { findEventsOfBatch } from "../../store/events/events.batch.ts";
import type { Batch } from "../batch.ts";
import { broughtBy, type EventRef, type Gathered, storedDigest } from "../rules/digests.ts";
import type { DigestedEvent, DigestResult, JobState, Run } from "./run.ts";

/** By job id. */
export async function loadDigests(batch: Batch, runs: Run[]): Promise<Map<string, DigestResult>> {
  const gathered = new Map<string, Gathered>();
  const closing: { run: Run; job: JobState }[] = [];
  const abandoned: string[] = [];
  for (const run of runs) {
    const now = batch.clock.now(run.environmentId);
    for (const job of run.jobs) {
      if (job.step.type !== "digest") continue;
      if (job.status === "delayed" && job.wakeAt && job.wakeAt <= now) closing.push({ run, job });
      else if (job.status === "canceled") abandoned.push(job.id);
      else if (job.output) gathered.set(job.id, storedDigest(job.output));
    }
  }
  // A window whose leader was canceled has nobody left to close it.
  await closeWindows(batch.db, [...closing.map(({ job }) => job.id), ...abandoned]);
  for (const [jobId, part] of await gather(batch.db, closing, batch.config.digestEvents)) gathered.set(jobId, part);
  return withPayloads(batch.db, gathered);
}

/** What each leader and the notifications merged into it bring along, in order of arrival. */
async function gather(tx: Db, closing: { run: Run; job: JobState }[], limit: number): Promise<Map<string, Gathered>> {
  const merged = await findMergedEvents(
    tx,
    closing.map(({ job }) => job.id),
    limit,
  );
  const byLeader = Map.groupBy(merged, (row) => row.leader_job_id);
  return new Map(
    closing.map(({ run, job }) => {
      const own = broughtBy(run, job.stepIndex);
      const members = byLeader.get(job.id) ?? [];
      const refs = [
        ...own.refs,
        ...members.flatMap(({ event_id, created_at, earlier }) =>
          earlier ? storedDigest(earlier).refs : [{ id: event_id, time: created_at.toISOString() }],
        ),
      ];
      const eventCount = own.eventCount + (members[0]?.event_count ?? 0);
      return [job.id, { refs: refs.slice(0, limit), eventCount }];
    }),
  );
}

async function withPayloads(tx: Db, gathered: Map<string, Gathered>): Promise<Map<string, DigestResult>> {
  const ids = new Set([...gathered.values()].flatMap((part) => part.refs.map((ref) => ref.id)));
  const events = new Map((await findEventsOfBatch(tx, [...ids])).map((event) => [event.id, event.payload]));
  const withPayload = (ref: EventRef): DigestedEvent => ({ ...ref, payload: events.get(ref.id) ?? {} });
  return new Map(
    [...gathered].map(([jobId, part]) => [jobId, { events: part.refs.map(withPayload), eventCount: part.eventCount }]),
  );
}
