// What runs of a replay wait for: signals, and what happens to messages. Both come at the times of then.
import type { StoredDetail } from "../../store/tables.ts";
import { eventsProvenBy } from "../rules/step-results.ts";
import type { Arrival } from "../run/run.ts";
import { isAwaited, type PastSignal } from "./claims.ts";
import type { PastRun } from "./history.ts";
import { continuedAt } from "./pace.ts";
import { type Action, pastStepOf, type Replaying } from "./state.ts";
import { wasMissed } from "./turns.ts";

/** What a receipt or a reader adds to the job of a message. */
const marking: ReadonlySet<string> = new Set([
  ...["seen", "read", "delivered", "opened", "clicked", "bounced", "dropped", "rejected", "blocked"],
  ...["reported_as_spam", "dismissed", "unsubscribed"],
]);

/** What happened to the messages of a run, where later steps may depend on it. */
export function marksOf({ notification, steps }: PastRun): Extract<Action, { kind: "mark" }>[] {
  if (steps.size < 2) return [];
  return [...steps].flatMap(([stepId, { job }]) =>
    job.details.flatMap((happened) =>
      marking.has(happened.d) ? { kind: "mark", notificationId: notification.id, stepId, happened } : [],
    ),
  );
}

export function arrive(replaying: Replaying, signal: PastSignal): void {
  replaying.sent.push(signal);
  for (const [jobId, { claim }] of [...replaying.waiting]) {
    if (!claim.signal || !isAwaited(signal, claim.signal)) continue;
    endWait(replaying, jobId, { reason: "signal", data: signal.data, at: signal.at });
  }
}

/** Nothing happens to a message that this replay has not sent by then. */
export function mark(replaying: Replaying, { notificationId, stepId, happened }: Extract<Action, { kind: "mark" }>) {
  const { runs, variant, waiting } = replaying;
  const { marks } = variant.moving;
  const job = runs.get(notificationId)?.run.jobs.find(({ step }) => step.stepId === stepId);
  if (job?.status !== "completed") return;
  job.newDetails.push(happened);
  const now = new Date(happened.t);
  if (job.step.type === "in_app" && isReading(happened)) {
    const before = marks.get(job.id);
    const isRead = happened.d === "read";
    marks.set(job.id, {
      seen: true,
      read: isRead || (before?.read ?? false),
      lastSeenAt: before?.lastSeenAt ?? now,
      lastReadAt: isRead ? now : (before?.lastReadAt ?? null),
    });
  }
  const proven = eventsProvenBy(happened.d);
  for (const [jobId, { claim }] of [...waiting]) {
    if (claim.message?.jobId !== job.id || !proven.includes(claim.message.event)) continue;
    endWait(replaying, jobId, { reason: "message", data: null, at: now });
  }
}

const isReading = ({ d }: StoredDetail): boolean => d === "seen" || d === "read";

/** The run continues when it did then. */
function endWait({ variant, waiting, timeline }: Replaying, jobId: string, arrival: Arrival): void {
  const { run } = waiting.get(jobId)!;
  const job = run.run.jobs.find(({ id }) => id === jobId)!;
  const past = pastStepOf(run, job);
  if (past && wasMissed(past, job.wakeAt, arrival.at)) return;
  waiting.delete(jobId);
  variant.moving.arrivals.set(jobId, arrival);
  const at = continuedAt(past, arrival.at);
  timeline.add(at, { kind: "continue", run, now: new Date(at) }, "due");
}
