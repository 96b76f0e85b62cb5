// Runs `advance()` for a whole batch: loads the facts, settles claims in rounds, and writes every table once.
import type { Severity } from "@tidings/contract";
import { jsonBytes } from "../../lib/json.ts";
import { isPauseDue, pauseIfDue } from "../../lib/load/pauses.ts";
import { spanTime } from "../../lib/trace-context.ts";
import { runInserts } from "../../store/bulk.ts";
import { eventInsert, type NewEvent } from "../../store/events/events.ts";
import { packJobs } from "../../store/events/finished-jobs.ts";
import { type JobUpdate, jobInsert, updateJobs } from "../../store/events/jobs.batch.ts";
import type { JobRow } from "../../store/events/jobs.ts";
import { type DigestedNotification, markDigested, notificationInsert } from "../../store/events/notifications.batch.ts";
import type { NotificationRow } from "../../store/events/notifications.ts";
import { type ExposureRow, exposureInsert } from "../../store/experiments/exposures.ts";
import type { NotificationKey } from "../../store/keys.ts";
import { expiryInsert, messageInsert, type NewMessage } from "../../store/messages/messages.batch.ts";
import type { FinishedJob } from "../../store/tables.ts";
import { rankOf } from "../attention/message-class.ts";
import type { Batch } from "../batch.ts";
import { enqueueTimed, type Timed } from "../clock/clock.ts";
import { type Wake, wakeTasks } from "../clock/wakes.ts";
import { sealMessage } from "../encrypted-parts.ts";
import { findReplaced, replaceEarlier } from "../retract/supersede.ts";
import { severityOverride } from "../rules/overrides.ts";
import { isCritical } from "../rules/preferences.ts";
import type { AskTask } from "../tasks.ts";
import { chooseTraced, traceRuns } from "../trace/runs.ts";
import { logInApp } from "../trace/sends.ts";
import { emitMessages, type MessageChange } from "../webhooks/events.ts";
import { advance, emptyProgress } from "./advance.ts";
import { settleClaims } from "./claims.ts";
import { type Delivery, groupDeliveries } from "./deliveries.ts";
import { exposuresOf } from "./exposures.ts";
import { loadFacts } from "./facts.ts";
import type { ClaimResult, Facts, JobState, MessageDraft, Progress, Run } from "./run.ts";

/**
 * Limits of one batch: evaluation time and characters of content and payloads, each exceeded by at most one step. The
 * remaining runs continue in new tasks. So a batch of slow templates cannot hit the transaction timeout again and
 * again, and what it writes fits into memory.
 */
const maxBatchMs = 5_000;
const maxBatchContent = 20_000_000;

type AdvanceOptions = Partial<Pick<Facts, "digests" | "arrivals">> & { maxMs?: number };

/**
 * Advances every run. A step that needs a decision of the database returns a claim; the claims of a round are settled
 * in a few statements, and their runs continue in the next round. A round settles the claims of one step position, the
 * earliest first: every batch takes its locks in the same order, so batches cannot deadlock, and there are at most as
 * many rounds as steps.
 */
export async function advanceAll(batch: Batch, runs: Run[], options: AdvanceOptions = {}): Promise<Progress[]> {
  const { maxMs = maxBatchMs, ...loaded } = options;
  if (batch.tracing) chooseTraced(runs);
  const claimResults = new Map<string, ClaimResult>();
  const facts = await loadFacts(batch, runs, claimResults, loaded);
  const results = new Map<string, Progress>();
  const end = performance.now() + maxMs;
  let room = maxBatchContent;
  const isOver = () => performance.now() > end || room < 0;
  const shouldPause = () => isPauseDue() || isOver();
  const advanceOnce = (run: Run): Progress => {
    if (run.trace?.steps.length === 0) run.trace.startedAt = spanTime();
    const progress = advance(run, facts, batch.clock.now(run.environmentId), shouldPause);
    for (const { content } of progress.messages) room -= content?.length ?? 0;
    // Each run that starts a workflow stores its own payload.
    if (progress.claim?.kind === "start") room -= jsonBytes(progress.claim.start.payload);
    return progress;
  };
  const notAdvanced = (run: Run): Progress => ({
    ...emptyProgress(run, batch.clock.now(run.environmentId)),
    isPaused: true,
  });
  let active = runs;
  let claiming: Progress[] = [];
  while (active.length > 0) {
    for (const run of active) {
      if (isPauseDue()) await pauseIfDue();
      // A claim result is used at once, even when the batch is over its limits: a second claim could get another
      // result.
      let progress = isOver() && active === runs ? notAdvanced(run) : advanceOnce(run);
      while (progress.isPaused && !isOver()) {
        await pauseIfDue();
        progress = mergeProgress(progress, advanceOnce(run));
      }
      results.set(run.notificationId, mergeProgress(results.get(run.notificationId), progress));
      if (progress.claim) claiming.push(progress);
    }
    const earliest = claiming.reduce((least, progress) => Math.min(least, positionOf(progress)), Infinity);
    const { settling = [], waiting = [] } = Object.groupBy(claiming, (progress) =>
      positionOf(progress) === earliest ? "settling" : "waiting",
    );
    // In the order of the batch, which is that of the events: a run that came to this step in an earlier round waited
    // here.
    if (claiming.length > 1) sortByRuns(settling, runs);
    const settled = await settleClaims(batch, settling, { runs, facts });
    for (const [jobId, result] of settled) claimResults.set(jobId, result);
    active = settling.map((progress) => progress.run);
    claiming = waiting;
  }
  return [...results.values()];
}

function sortByRuns(progressed: Progress[], runs: Run[]): void {
  const positions = new Map(runs.map((run, position) => [run, position]));
  progressed.sort((a, b) => positions.get(a.run)! - positions.get(b.run)!);
}

const positionOf = ({ run, claim }: Progress): number => run.jobs.find((job) => job.id === claim!.jobId)!.stepIndex;

const mergeProgress = (before: Progress | undefined, next: Progress): Progress =>
  before && before.messages.length > 0
    ? { ...next, messages: [...before.messages, ...next.messages], sending: [...before.sending, ...next.sending] }
    : next;

/**
 * Writes the changes of the runs, each table once, and enqueues the tasks that follow. `events`: those of the runs,
 * where they are stored with them.
 */
export async function writeProgress(batch: Batch, progressed: Progress[], events: NewEvent[] = []): Promise<void> {
  const hasKeys = progressed.some(({ run }) => run.event.supersedeKey !== null);
  const replacing = hasKeys ? await findReplaced(batch, progressed) : [];
  const rows = collectRows(batch, progressed);
  const { notifications, messages } = rows;
  await runInserts(batch.db, [
    eventInsert(events),
    notificationInsert(notifications),
    jobInsert(rows.newJobs),
    messageInsert(messages),
    expiryInsert(messages),
    exposureInsert(rows.exposures),
  ]);
  if (replacing.length > 0) await replaceEarlier(batch, replacing);
  await updateJobs(batch.db, rows.jobUpdates);
  await emitMessages(batch, messages.flatMap(webhookEvents));
  await markDigested(batch.db, rows.digested);
  if (rows.questions.length > 0) await enqueueTimed(batch, "bridge", rows.questions);
  if (rows.requests.length > 0) await enqueueTimed(batch, "request", rows.requests);
  await enqueueTimed(batch, "deliver", groupDeliveries(rows.deliveries));
  await enqueueTimed(batch, "wake", groupWakes(progressed).flatMap(wakeTasks));
  batch.metrics.notifications.inc(notifications.length);
  countMessages(batch, messages);
  for (const { status, channel, subscriber_id } of messages) {
    if (channel === "in_app" && status === "sent") batch.hints.add(subscriber_id);
  }
  logInApp(batch, messages, progressed);
  if (batch.tracing) traceRuns(batch.tracing, progressed);
}

/** Counted first, since each call of a counter looks its labels up. */
function countMessages({ metrics }: Batch, messages: NewMessage[]): void {
  const groups = Map.groupBy(messages, ({ channel, status }) => `${channel} ${status}`);
  for (const group of groups.values()) {
    const { channel, status } = group[0]!;
    if (status !== "pending") metrics.messages.inc({ channel, status }, group.length);
  }
}

type Rows = {
  notifications: NotificationRow[];
  newJobs: JobRow[];
  jobUpdates: JobUpdate[];
  messages: NewMessage[];
  exposures: ExposureRow[];
  digested: DigestedNotification[];
  deliveries: Delivery[];
  /** Tasks of the runs that ask a bridge. */
  questions: Timed[];
  /** Tasks of the runs that make an HTTP request. */
  requests: Timed[];
};

function collectRows({ secrets }: Batch, progressed: Progress[]): Rows {
  const rows: Rows = {
    notifications: [],
    newJobs: [],
    jobUpdates: [],
    messages: [],
    exposures: [],
    digested: [],
    deliveries: [],
    questions: [],
    requests: [],
  };
  for (const progress of progressed) {
    const { run, now, digestedInto } = progress;
    const { environmentId, notificationId } = run;
    if (!run.isNew && digestedInto) {
      rows.digested.push({ environment_id: environmentId, id: notificationId, into: digestedInto, at: now });
    }
    const key = { environment_id: environmentId, notification_id: notificationId };
    if (run.isNew) {
      const jobs = run.jobs.map((job) => toJob(job, key, now));
      const finished = packJobs(jobs, now);
      rows.notifications.push(toNotification(progress, finished));
      if (!finished) rows.newJobs.push(...jobs);
    } else {
      const changed = run.jobs.filter((job) => job.newDetails.length > 0);
      rows.jobUpdates.push(...changed.map((job) => ({ ...key, job_id: job.id, ...toJobChanges(job, now) })));
    }
    rows.exposures.push(...exposuresOf(progress));
    const rank = rankOf(run.event, run.rules);
    if (progress.asking) {
      const asks = run.version.definition.isBridged ? rows.questions : rows.requests;
      const data: AskTask = { notificationId, jobId: progress.asking, ...rank };
      asks.push({ environmentId, data });
    }
    for (const draft of progress.messages) {
      rows.messages.push(sealMessage(secrets, toMessage(progress, draft)));
      if (!progress.sending.includes(draft.id)) continue;
      rows.deliveries.push({ environmentId, lane: draft.integrationId ?? undefined, messageId: draft.id, rank });
    }
  }
  return rows;
}

/** Runs that wait or paused, grouped by environment, wake-up time and priority. */
function groupWakes(progressed: Progress[]): Wake[] {
  const wakes = new Map<string, Wake>();
  for (const { run, wakeAt, isPaused } of progressed) {
    if (!wakeAt && !isPaused) continue;
    const { environmentId } = run;
    const rank = rankOf(run.event, run.rules);
    const key = `${environmentId} ${wakeAt?.getTime()} ${rank.priority}`;
    const wake = wakes.get(key) ?? { environmentId, at: wakeAt ?? undefined, ids: [], rank };
    wake.ids.push(run.notificationId);
    wakes.set(key, wake);
  }
  return [...wakes.values()];
}

/** Webhook events of new messages; a pending message has none yet. */
function webhookEvents({ id, environment_id, status, error_text, created_at }: NewMessage): MessageChange[] {
  const event = { environmentId: environment_id, messageId: id, at: created_at };
  if (status === "sent") return [{ ...event, type: "message.sent" }];
  if (status === "pending") return [];
  return [{ ...event, type: "message.failed", error: { message: error_text ?? "The message was not sent" } }];
}

const severityOf = ({ event, version }: Progress["run"]): Severity =>
  severityOverride(event.overrides) ?? version.definition.severity;

function toNotification({ run, now, digestedInto }: Progress, finished: FinishedJob[] | null): NotificationRow {
  const { definition } = run.version;
  return {
    id: run.notificationId,
    environment_id: run.environmentId,
    event_id: run.event.id,
    workflow_id: run.version.workflowId,
    workflow_version_id: run.version.id,
    subscriber_id: run.subscriber!.id,
    severity: severityOf(run),
    critical: isCritical(definition.preferences),
    context_keys: run.contextKeys,
    subscriptions: run.subscriptions,
    digested_into: digestedInto,
    finished_jobs: finished,
    later_details: null,
    created_at: now,
    updated_at: now,
  };
}

const toJob = (job: JobState, key: NotificationKey, now: Date): JobRow => ({
  id: job.id,
  ...key,
  step_index: job.stepIndex,
  type: job.step.type,
  ...toJobChanges(job, now),
});

const toJobChanges = (job: JobState, now: Date) => ({
  status: job.status,
  provider_id: job.providerId,
  details: job.newDetails,
  output: job.output,
  digest: job.digest,
  bridge: job.bridge,
  merged_into: job.mergedInto,
  wake_at: job.wakeAt,
  updated_at: now,
});

function toMessage({ run, now }: Progress, draft: MessageDraft): NewMessage {
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
    expires_at: draft.expiresAt,
    severity: draft.channel === "in_app" ? severityOf(run) : null,
    created_at: now,
    updated_at: now,
  };
}
