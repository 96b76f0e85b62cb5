// Handing over a digest that has closed: the event that led it was canceled, and the oldest event that was merged into
// it continues with the others from where the canceled run was. Steps that the canceled run had finished are not run
// again.
import { isChannel } from "@tidings/contract";
import type { Ctx } from "../../context.ts";
import { jobIdOf } from "../../lib/ids.ts";
import type { JsonObject } from "../../lib/json.ts";
import {
  type CanceledRuns,
  type ClosedDigestHeir,
  findClosedDigestHeirs,
  type MovedDigest,
  moveFollowers,
} from "../../store/events/event-cancel.ts";
import { emptyJobUpdate, findJobsOfBatch, type JobUpdate, updateJobs } from "../../store/events/jobs.batch.ts";
import type { JobRow } from "../../store/events/jobs.ts";
import { markDigested } from "../../store/events/notifications.batch.ts";
import type { StoredStep } from "../../store/workflows/workflows.ts";
import { type Clock, enqueueTimed } from "../clock/clock.ts";
import { readStoredDigest } from "../rules/grouping.ts";
import { digestDetail } from "../steps/digest.ts";
import { isFinished } from "./advance.ts";
import { loadVersions } from "./versions.ts";

/**
 * A run of the canceled event whose digest has closed, in its state before the cancel, and the run that takes its
 * place.
 */
export type Handover = { heir: ClosedDigestHeir; jobs: JobRow[] };

/** To be called before the jobs of the event are canceled. */
export async function findHandovers({ db }: Ctx, environmentId: string, runs: CanceledRuns): Promise<Handover[]> {
  const heirs = await findClosedDigestHeirs(db, environmentId, runs);
  const keys = heirs.map((heir) => ({ environment_id: environmentId, notification_id: heir.old_notification_id }));
  const jobs = Map.groupBy(await findJobsOfBatch(db, keys), (job) => job.notification_id);
  return heirs.map((heir) => ({ heir, jobs: jobs.get(heir.old_notification_id) ?? [] }));
}

/** The jobs behind these digests: their messages are also about events that are not canceled. */
export const findSharedJobs = (handovers: Handover[]): Set<string> =>
  new Set(
    handovers.flatMap(({ heir, jobs }) => jobs.flatMap((job) => (job.step_index > heir.old_step_index ? job.id : []))),
  );

/** `mergedInto`: the run that the canceled one had been merged into by a later digest. */
type Plan = { updates: JobUpdate[]; moved: MovedDigest[]; wakeAt: Date | null; mergedInto: string | null };

/** The active steps of the version of the canceled run, and of that of its heir. */
type StepsOfRuns = { old: StoredStep[]; heir: StoredStep[] };

/** To be called after the jobs of the event were canceled. Returns the digest windows that have a new leader. */
export async function handOver(
  ctx: Ctx & { clock: Clock },
  environmentId: string,
  handovers: Handover[],
): Promise<Set<string>> {
  if (handovers.length === 0) return new Set();
  const now = ctx.clock.now(environmentId);
  const versionIds = handovers.flatMap(({ heir }) => [heir.old_version_id, heir.version_id]);
  const versions = await loadVersions(ctx, versionIds);
  const stepsOf = (id: string) => versions.get(id)!.definition.steps.filter((step) => step.active);
  const plans = handovers.map((handover) => {
    const { heir } = handover;
    const steps: StepsOfRuns = { old: stepsOf(heir.old_version_id), heir: stepsOf(heir.version_id) };
    return { heir, ...planHandover(handover, steps, { environmentId, now }) };
  });
  const moved = plans.flatMap((plan) => plan.moved);
  await moveFollowers(ctx.db, environmentId, moved, now);
  await updateJobs(
    ctx.db,
    plans.flatMap(({ updates }) => updates),
  );
  const merged = plans.flatMap(({ heir, mergedInto: into }) =>
    into ? { environment_id: environmentId, id: heir.notification_id, into, at: now } : [],
  );
  await markDigested(ctx.db, merged);
  const wakes = plans.flatMap(({ heir, wakeAt }) =>
    wakeAt ? [{ environmentId, data: { notificationIds: [heir.notification_id] }, at: wakeAt }] : [],
  );
  await enqueueTimed(ctx, "wake", wakes);
  return new Set(moved.map(({ old_job_id }) => old_job_id));
}

type Canceled = { environmentId: string; now: Date };

/**
 * The jobs of the heir from its digest on: first those that the canceled run had finished, then the one that it was at.
 */
function planHandover({ heir, jobs }: Handover, steps: StepsOfRuns, canceled: Canceled): Plan {
  const { environmentId, now } = canceled;
  const byStep = new Map(jobs.map((job) => [steps.old[job.step_index]?.id, job]));
  const plan: Plan = { updates: [], moved: [], wakeAt: null, mergedInto: null };
  let isBehind = false;
  for (const [index, step] of steps.heir.entries()) {
    if (index < heir.step_index) continue;
    const jobId = jobIdOf(heir.notification_id, index);
    const key = { environment_id: environmentId, notification_id: heir.notification_id, job_id: jobId };
    const update: JobUpdate = { ...emptyJobUpdate(key, now), status: plan.mergedInto ? "merged" : "pending" };
    const before = isBehind ? undefined : byStep.get(step.id);
    if (before?.type === "digest") {
      plan.moved.push({ old_job_id: before.id, job_id: jobId, notification_id: heir.notification_id });
    }
    if (before && before.status !== "merged" && isFinished(before)) {
      const gone = new Set([heir.old_event_id, ...heir.canceled_event_ids]);
      plan.updates.push({ ...update, ...finishedAs(before, gone) });
      continue;
    }
    if (before?.status === "merged") {
      plan.mergedInto = heir.old_digested_into;
      const { status, digest, merged_into, details } = before;
      plan.updates.push({ ...update, status, digest, merged_into, details });
    } else if (before && isWaiting(before)) {
      plan.wakeAt = before.wake_at;
      const { status, digest, wake_at, details } = before;
      plan.updates.push({ ...update, status, digest, wake_at, details });
    } else {
      if (!isBehind) plan.wakeAt = now;
      plan.updates.push(update);
    }
    isBehind = true;
  }
  const raw = { reason: "the event that led this digest was canceled" };
  plan.updates[0]?.details.push(digestDetail("digest_sent_on", now, { raw }));
  return plan;
}

/** A step that waits for its retry begins anew: its message was withdrawn. */
const isWaiting = ({ status, type, provider_id }: JobRow): boolean =>
  status === "delayed" && (!isChannel(type) || provider_id === null);

/** `merged_into` of an in-app step: the job whose message was seen and read. */
function finishedAs(job: JobRow, gone: ReadonlySet<string>): Partial<JobUpdate> & Pick<JobUpdate, "status"> {
  const { status, provider_id, digest, bridge, output } = job;
  const details = [...job.details];
  if (job.type === "digest" && output) {
    return { status, details, digest, output: withoutEvents(output, gone) };
  }
  return { status, provider_id, details, digest, bridge, output, merged_into: job.type === "in_app" ? job.id : null };
}

/** The canceled leader is one of them, even where the digest lists only its first events. */
function withoutEvents(output: JsonObject, gone: ReadonlySet<string>): JsonObject {
  const { refs, eventCount } = readStoredDigest(output);
  const events = refs.filter(({ id }) => !gone.has(id));
  return { ...output, events, eventCount: Math.max(0, eventCount - Math.max(1, refs.length - events.length)) };
}
