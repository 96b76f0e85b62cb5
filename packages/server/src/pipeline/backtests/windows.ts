// The digests of a replay: which events are merged into the one that leads, what they have when they close, and who
// leads them after a cancel.
import { digestInput } from "../rules/grouping.ts";
import type { JobState } from "../run/run.ts";
import { closedAt } from "./pace.ts";
import { pastStepOf, type ReplayedRun, type Replaying } from "./state.ts";

/** The run has just been merged into the digest of another one. */
export function joinDigest({ members }: Replaying, one: ReplayedRun): void {
  const job = one.run.jobs.find(({ mergedInto, status }) => status === "merged" && mergedInto !== null)!;
  members.set(job.mergedInto!, [...(members.get(job.mergedInto!) ?? []), { one, job }]);
}

/** The events of the leader and of those merged into it, in order of arrival. */
export function closeDigest(replaying: Replaying, { run }: ReplayedRun, job: JobState, limit: number): void {
  const { members, variant } = replaying;
  const { facts, moving } = variant;
  closeWindow(replaying, job.id);
  const inputs = [
    digestInput(run, job.stepIndex, facts),
    ...(members.get(job.id) ?? []).map((member) => digestInput(member.one.run, member.job.stepIndex, facts)),
  ];
  const events = inputs.flatMap((input) => input.events).sort((a, b) => (a.id < b.id ? -1 : 1));
  const eventCount = inputs.reduce((sum, input) => sum + input.eventCount, 0);
  moving.digests.set(job.id, { events: events.slice(0, limit), eventCount });
}

function closeWindow({ claims }: Replaying, leaderJobId: string): void {
  for (const [name, window] of claims.open) if (window.leader_job_id === leaderJobId) claims.open.delete(name);
  claims.collecting.delete(leaderJobId);
}

/** A digest whose leader was canceled continues with the oldest event that was merged into it. */
export function handOverDigest(replaying: Replaying, old: JobState, dueAt: Date): void {
  const { members, claims, timeline } = replaying;
  const [heir, ...others] = members.get(old.id) ?? [];
  members.delete(old.id);
  if (!heir) {
    closeWindow(replaying, old.id);
    return;
  }
  const { one, job } = heir;
  job.status = "delayed";
  job.mergedInto = null;
  job.wakeAt = dueAt;
  for (const later of one.run.jobs.slice(one.run.jobs.indexOf(job) + 1)) {
    later.status = "pending";
    later.newDetails = [];
  }
  members.set(job.id, others);
  const window = claims.collecting.get(old.id);
  if (window) {
    claims.collecting.delete(old.id);
    claims.collecting.set(job.id, window);
    window.leader_job_id = job.id;
    window.leader_notification_id = one.run.notificationId;
  }
  const now = new Date(closedAt(pastStepOf(one, job), dueAt));
  timeline.add(now.getTime(), { kind: "wake", run: one, now }, "due");
}
