// The shell around `advance()` for a whole batch: loads the facts, settles digest claims in rounds, and writes every
// table once.
import type { Ctx } from "../context.ts";
import { findContextsOfMany } from "../store/contexts.ts";
import type { Db } from "../store/db.ts";
import { openOrJoinWindows, type WindowClaim } from "../store/digests.ts";
import { findActiveIntegrations } from "../store/integrations.ts";
import { insertJobs, type JobRow, type JobUpdate, updateJobs } from "../store/jobs.ts";
import { insertMessages, type NewMessage } from "../store/messages.ts";
import { insertNotifications, markDigested, type NotificationRow } from "../store/notifications.ts";
import { findPreferencesOfMany } from "../store/preferences.ts";
import type { NewTask } from "../store/queue.ts";
import { advance } from "./advance.ts";
import { isCritical } from "./rules/preferences.ts";
import type { ContextData, DigestResult, DigestVerdict, Facts, Progress, Run } from "./run.ts";

/** Runs that share a wake-up time share a task, up to this many. */
const runsPerWakeTask = 500;

type Known = { digests?: ReadonlyMap<string, DigestResult> };

/**
 * Advances every run. A digest step first claims its window; the claims of a round are settled in one statement and the
 * runs that made them go on in the next. A run has at most one claim a round and at most 20 steps, so rounds are bounded.
 */
export async function advanceAll(ctx: Ctx, tx: Db, runs: Run[], now: Date, known: Known = {}): Promise<Progress[]> {
  const verdicts = new Map<string, DigestVerdict>();
  const facts: Facts = {
    integrations: await findActiveIntegrations(tx, [...new Set(runs.map((run) => run.environmentId))]),
    preferences: await loadPreferences(tx, runs),
    contexts: await loadContexts(tx, runs),
    verdicts,
    digests: known.digests ?? new Map(),
    maxWaitDays: ctx.config.maxWaitDays,
    newId: ctx.newId,
  };
  const results = new Map<string, Progress>();
  let active = runs;
  while (active.length > 0) {
    const claiming: Progress[] = [];
    for (const run of active) {
      const progress = advance(run, facts, now);
      results.set(run.notificationId, merge(results.get(run.notificationId), progress));
      if (progress.claim) claiming.push(progress);
    }
    for (const [jobId, verdict] of await settleClaims(tx, claiming)) verdicts.set(jobId, verdict);
    active = claiming.map((progress) => progress.run);
  }
  return [...results.values()];
}

/** One query for the batch; subscribers have no say in critical workflows. */
async function loadPreferences(tx: Db, runs: Run[]): Promise<Facts["preferences"]> {
  const open = runs.filter((run) => run.subscriber && !isCritical(run.version.definition.preferences));
  const each = (pick: (run: Run) => string) => [...new Set(open.map(pick))];
  const rows = await findPreferencesOfMany(
    tx,
    each((run) => run.environmentId),
    each((run) => run.subscriber!.id),
    each((run) => run.version.workflowId),
  );
  return Map.groupBy(rows, (row) => row.subscriber_id);
}

/** One query for the batch, and none when no run has a context. */
async function loadContexts(tx: Db, runs: Run[]): Promise<ContextData> {
  const concerned = runs.filter((run) => run.contextKeys.length > 0);
  const environmentIds = [...new Set(concerned.map((run) => run.environmentId))];
  const named = [...new Set(concerned.flatMap((run) => run.contextKeys))].map((key) => {
    const [type = "", id = ""] = key.split(":");
    return { type, id };
  });
  const rows = await findContextsOfMany(tx, environmentIds, named);
  const found = Map.groupBy(rows, (row) => row.environment_id);
  return new Map(
    [...found].map(([environmentId, rows]) => [
      environmentId,
      new Map(rows.map(({ type, id, data }) => [`${type}:${id}`, data])),
    ]),
  );
}

const merge = (before: Progress | undefined, next: Progress): Progress =>
  before
    ? { ...next, messages: [...before.messages, ...next.messages], sending: [...before.sending, ...next.sending] }
    : next;

/** The first claim of a group in this batch stands for all of them; the database says whether it leads. */
async function settleClaims(tx: Db, claiming: Progress[]): Promise<[string, DigestVerdict][]> {
  const groups = new Map<string, { window: WindowClaim; jobIds: string[] }>();
  for (const { run, claim } of claiming) {
    const step = run.jobs.find((job) => job.id === claim!.jobId)!.step;
    const key = JSON.stringify([run.environmentId, step.id, run.subscriber!.id, claim!.groupKey]);
    const group = groups.get(key);
    if (group) {
      group.jobIds.push(claim!.jobId);
      continue;
    }
    const window: WindowClaim = {
      environment_id: run.environmentId,
      step_id: step.id,
      subscriber_id: run.subscriber!.id,
      group_key: claim!.groupKey,
      leader_job_id: claim!.jobId,
      leader_notification_id: run.notificationId,
      due_at: claim!.dueAt,
    };
    groups.set(key, { window, jobIds: [claim!.jobId] });
  }
  const windows = await openOrJoinWindows(
    tx,
    [...groups.values()].map((group) => group.window),
  );
  return windows.flatMap((window) => {
    const key = JSON.stringify([window.environment_id, window.step_id, window.subscriber_id, window.group_key]);
    return groups.get(key)!.jobIds.map((jobId): [string, DigestVerdict] =>
      jobId === window.leader_job_id
        ? [jobId, { kind: "leader", dueAt: window.due_at }]
        : [
            jobId,
            {
              kind: "merged",
              leaderJobId: window.leader_job_id,
              leaderNotificationId: window.leader_notification_id,
            },
          ],
    );
  });
}

/** Writes what the runs need, each table once, and the tasks that follow from it. */
export async function writeProgress(ctx: Ctx, tx: Db, batch: Progress[], now: Date): Promise<void> {
  const notifications: NotificationRow[] = [];
  const newJobs: JobRow[] = [];
  const jobUpdates: JobUpdate[] = [];
  const messages: NewMessage[] = [];
  const digested: { notificationId: string; intoNotificationId: string }[] = [];
  const deliveries: NewTask[] = [];
  const wakes = new Map<number, string[]>();

  for (const progress of batch) {
    const { run } = progress;
    if (run.isNew) notifications.push(toNotification(progress, now));
    else if (progress.digestedInto) {
      digested.push({ notificationId: run.notificationId, intoNotificationId: progress.digestedInto });
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
      };
      if (run.isNew) {
        newJobs.push({
          ...row,
          environment_id: run.environmentId,
          notification_id: run.notificationId,
          step_index: job.stepIndex,
          type: job.step.type,
          updated_at: now,
        });
      } else if (job.newDetails.length > 0) {
        jobUpdates.push(row);
      }
    }
    for (const draft of progress.messages) messages.push(toMessage(progress, draft, now));
    for (const messageId of progress.sending) deliveries.push({ data: { messageId } });
    if (progress.wakeAt) {
      const at = progress.wakeAt.getTime();
      wakes.set(at, [...(wakes.get(at) ?? []), run.notificationId]);
    }
  }
  await insertNotifications(tx, notifications);
  await insertJobs(tx, newJobs);
  await updateJobs(tx, jobUpdates, now);
  await insertMessages(tx, messages);
  await markDigested(tx, digested, now);
  await ctx.queue.enqueue(tx, "deliver", deliveries);
  await ctx.queue.enqueue(tx, "wake", wakeTasks(wakes));
  ctx.metrics.notifications.inc(notifications.length);
  for (const message of messages) {
    if (message.status !== "pending") ctx.metrics.messages.inc({ channel: message.channel, status: message.status });
  }
}

const wakeTasks = (wakes: Map<number, string[]>): NewTask[] =>
  [...wakes].flatMap(([at, ids]) => {
    const tasks: NewTask[] = [];
    for (let from = 0; from < ids.length; from += runsPerWakeTask) {
      tasks.push({ data: { notificationIds: ids.slice(from, from + runsPerWakeTask) }, startAfter: new Date(at) });
    }
    return tasks;
  });

function toNotification({ run, digestedInto }: Progress, now: Date): NotificationRow {
  const { definition } = run.version;
  const severity = run.event.overrides?.severity;
  return {
    id: run.notificationId,
    environment_id: run.environmentId,
    event_id: run.event.id,
    workflow_id: run.version.workflowId,
    workflow_version_id: run.version.id,
    subscriber_id: run.subscriber!.id,
    severity: typeof severity === "string" ? severity : definition.severity,
    critical: isCritical(definition.preferences),
    context_keys: run.contextKeys,
    subscriptions: run.subscriptions,
    digested_into: digestedInto,
    created_at: now,
    updated_at: now,
  };
}

function toMessage({ run }: Progress, draft: Progress["messages"][number], now: Date): NewMessage {
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
    email: draft.email,
    outgoing: draft.outgoing,
    context_keys: run.contextKeys,
    delivered_at: draft.channel === "in_app" && draft.status === "sent" ? [now] : null,
    created_at: now,
    updated_at: now,
  };
}
