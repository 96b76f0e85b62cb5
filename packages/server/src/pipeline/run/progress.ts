// The shell around `advance()` for a whole batch: loads the facts, settles claims in rounds, and writes every table once.
import { createPauses } from "../../lib/pauses.ts";
import { insertJobs, type JobUpdate, updateJobs } from "../../store/events/jobs.batch.ts";
import type { JobRow } from "../../store/events/jobs.ts";
import { insertNotifications, markDigested } from "../../store/events/notifications.batch.ts";
import type { NotificationRow } from "../../store/events/notifications.ts";
import { insertMessages, type NewMessage } from "../../store/messages/messages.batch.ts";
import type { Batch } from "../batch.ts";
import { enqueueTimed, type Timed } from "../clock/clock.ts";
import { sealMessage } from "../encrypted-parts.ts";
import { severityOverride } from "../rules/overrides.ts";
import { isCritical } from "../rules/preferences.ts";
import { emitMessages, type MessageChange } from "../webhooks/events.ts";
import { advance, noProgress } from "./advance.ts";
import { settleClaims } from "./claims.ts";
import { type Known, loadFacts } from "./facts.ts";
import type { Progress, Run, Verdict } from "./run.ts";

/** Runs that share a wake-up time share a task, up to this many; so do those that the batch had no time for. */
const runsPerWakeTask = 100;

/**
 * One batch evaluates for this long and makes this many characters of content, plus what one step takes; the rest of its
 * runs goes on in tasks of its own. So a batch of slow templates is not repeated for ever because its transaction was too
 * long, and what it writes at once fits into memory.
 */
const longestBatchMs = 5_000;
const contentPerBatch = 20_000_000;

/**
 * Advances every run. A step that needs a decision of the database first claims it; the claims of a round are settled in
 * a few statements and the runs that made them go on in the next. A round settles the claims of one step position, the
 * earliest first: so every batch takes its locks in the same order, none waits for another in a circle, and there are as
 * many rounds as steps at the most.
 */
export async function advanceAll(batch: Batch, runs: Run[], known: Known = {}): Promise<Progress[]> {
  const verdicts = new Map<string, Verdict>();
  const facts = await loadFacts(batch, runs, verdicts, known);
  const results = new Map<string, Progress>();
  const pauses = createPauses();
  const end = performance.now() + longestBatchMs;
  let room = contentPerBatch;
  const isOver = () => performance.now() > end || room < 0;
  const advanceOne = async (run: Run, hasVerdict: boolean): Promise<Progress> => {
    const now = batch.clock.now(run.environmentId);
    let progress: Progress = { ...noProgress(run, now), isPaused: true };
    // What the database has decided for a run is used at once: asking again could be answered differently.
    let isDue = hasVerdict;
    while (progress.isPaused && (isDue || !isOver())) {
      if (pauses.isDue()) await pauses.take();
      const next = advance(run, facts, now, () => pauses.isDue() || isOver());
      room -= next.messages.reduce((sum, { content }) => sum + (content?.length ?? 0), 0);
      progress = merge(progress, next);
      isDue = false;
    }
    return progress;
  };
  let active = runs;
  let claiming: Progress[] = [];
  while (active.length > 0) {
    for (const run of active) {
      const progress = await advanceOne(run, active !== runs);
      results.set(run.notificationId, merge(results.get(run.notificationId), progress));
      if (progress.claim) claiming.push(progress);
    }
    const earliest = claiming.reduce((least, progress) => Math.min(least, positionOf(progress)), Infinity);
    const { settling = [], waiting = [] } = Object.groupBy(claiming, (progress) =>
      positionOf(progress) === earliest ? "settling" : "waiting",
    );
    for (const [jobId, verdict] of await settleClaims(batch.db, settling)) verdicts.set(jobId, verdict);
    active = settling.map((progress) => progress.run);
    claiming = waiting;
  }
  return [...results.values()];
}

const positionOf = ({ run, claim }: Progress): number => run.jobs.find((job) => job.id === claim!.jobId)!.stepIndex;

const merge = (before: Progress | undefined, next: Progress): Progress =>
  before
    ? { ...next, messages: [...before.messages, ...next.messages], sending: [...before.sending, ...next.sending] }
    : next;

/** Writes what the runs need, each table once, and the tasks that follow from it. */
export async function writeProgress(batch: Batch, progressed: Progress[]): Promise<void> {
  const notifications: NotificationRow[] = [];
  const newJobs: JobRow[] = [];
  const jobUpdates: JobUpdate[] = [];
  const messages: NewMessage[] = [];
  const digested: { notificationId: string; intoNotificationId: string; at: Date }[] = [];
  const deliveries: Timed[] = [];
  const wakes = new Map<string, { environmentId: string; at?: Date; ids: string[] }>();

  for (const progress of progressed) {
    const { run, now } = progress;
    const { environmentId } = run;
    if (run.isNew) notifications.push(toNotification(progress));
    else if (progress.digestedInto) {
      digested.push({ notificationId: run.notificationId, intoNotificationId: progress.digestedInto, at: now });
    }
    for (const job of run.jobs) {
      const row = {
        id: job.id,
        status: job.status,
        provider_id: job.providerId,
        details: job.newDetails,
        output: job.output,
        digest: job.digest,
        merged_into: job.mergedInto,
        wake_at: job.wakeAt,
        updated_at: now,
      };
      if (run.isNew) {
        newJobs.push({
          ...row,
          environment_id: environmentId,
          notification_id: run.notificationId,
          step_index: job.stepIndex,
          type: job.step.type,
        });
      } else if (job.newDetails.length > 0) {
        jobUpdates.push(row);
      }
    }
    for (const draft of progress.messages) {
      messages.push(sealMessage(batch.secrets, toMessage(progress, draft)));
      if (!progress.sending.includes(draft.id)) continue;
      deliveries.push({ environmentId, data: { messageId: draft.id }, lane: draft.integrationId ?? undefined });
    }
    if (progress.wakeAt || progress.isPaused) {
      const key = `${environmentId} ${progress.wakeAt?.getTime()}`;
      const wake = wakes.get(key) ?? { environmentId, at: progress.wakeAt ?? undefined, ids: [] };
      wake.ids.push(run.notificationId);
      wakes.set(key, wake);
    }
  }
  await insertNotifications(batch.db, notifications);
  await insertJobs(batch.db, newJobs);
  await updateJobs(batch.db, jobUpdates);
  await insertMessages(batch.db, messages);
  await emitMessages(batch, messages.flatMap(eventsOf));
  await markDigested(batch.db, digested);
  await enqueueTimed(batch, "deliver", deliveries);
  await enqueueTimed(batch, "wake", [...wakes.values()].flatMap(wakeTasks));
  batch.metrics.notifications.inc(notifications.length);
  for (const message of messages) {
    if (message.status !== "pending") batch.metrics.messages.inc({ channel: message.channel, status: message.status });
  }
}

/** A message that waits for its provider has not happened yet. */
const eventsOf = ({ id, environment_id, status, error_text, created_at }: NewMessage): MessageChange[] => {
  const event = { environmentId: environment_id, messageId: id, at: created_at };
  if (status === "sent") return [{ ...event, type: "message.sent" }];
  if (status === "pending") return [];
  return [{ ...event, type: "message.failed", error: { message: error_text ?? "The message was not sent" } }];
};

/** Without `at`, the runs are woken at once. */
export function wakeTasks({ environmentId, at, ids }: { environmentId: string; at?: Date; ids: string[] }): Timed[] {
  const tasks: Timed[] = [];
  for (let from = 0; from < ids.length; from += runsPerWakeTask) {
    tasks.push({ environmentId, at, data: { notificationIds: ids.slice(from, from + runsPerWakeTask) } });
  }
  return tasks;
}

function toNotification({ run, now, digestedInto }: Progress): NotificationRow {
  const { definition } = run.version;
  return {
    id: run.notificationId,
    environment_id: run.environmentId,
    event_id: run.event.id,
    workflow_id: run.version.workflowId,
    workflow_version_id: run.version.id,
    subscriber_id: run.subscriber!.id,
    severity: severityOverride(run.event.overrides) ?? definition.severity,
    critical: isCritical(definition.preferences),
    context_keys: run.contextKeys,
    subscriptions: run.subscriptions,
    digested_into: digestedInto,
    created_at: now,
    updated_at: now,
  };
}

function toMessage({ run, now }: Progress, draft: Progress["messages"][number]): NewMessage {
  return {
    id: draft.id,
    environment_id: run.environmentId,
    notification_id: run.notificationId,
    event_id: run.event.id,
    job_id: draft.jobId,
    subscriber_id: run.subscriber!.id,
    workflow_id: run.version.workflowId,
    channel: draft.channel,
    provider_id: draft.providerId,
    integration_id: draft.integrationId,
    status: draft.status,
    error_id: draft.errorId,
    error_text: draft.errorText,
    subject: draft.subject,
    content: draft.content,
    cta: draft.cta,
    data: draft.data,
    actor: draft.actor,
    address: draft.address,
    outgoing: draft.outgoing,
    context_keys: run.contextKeys,
    delivered_at: draft.channel === "in_app" && draft.status === "sent" ? [now] : null,
    created_at: now,
    updated_at: now,
  };
}
