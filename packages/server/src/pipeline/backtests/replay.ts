// Replays one person: the runs start when they did, waits end when they are due, and signals, marks and cancels come at
// their times. Every step is decided by the `advance()` of the pipeline; what other programs returned: responses.ts.
import { isPauseDue, pauseIfDue } from "../../lib/load/pauses.ts";
import type { RecipientRow } from "../../store/subscribers/subscribers.ts";
import type { StoredDetail } from "../../store/tables.ts";
import type { WorkflowRules, WorkflowVersion } from "../../store/workflows/workflows.ts";
import { readItem, rollUpTransactionId } from "../attention/roll-up-items.ts";
import type { Batch } from "../batch.ts";
import { supersedeReason } from "../retract/words.ts";
import { detail } from "../rules/details.ts";
import { digestInput } from "../rules/grouping.ts";
import { eventsProvenBy, type Marks } from "../rules/step-results.ts";
import { advance, isFinished, isSleeping } from "../run/advance.ts";
import { settleClaims } from "../run/claims.ts";
import type { Arrival, Claim, ClaimResult, DigestResult, Facts, JobState, MessageDraft, Run } from "../run/run.ts";
import { createMemoryClaims, isAwaited, type MemoryClaims, type PastSignal } from "./claims.ts";
import type { PastRun, PersonHistory } from "./history.ts";
import { cancelOf, lastMembersOf, latenessOf, leadersOf, newJob } from "./past-jobs.ts";
import { type BegunRollUp, createMemoryPlaces, rollUpNotificationId } from "./places.ts";
import { type AnswerCounts, answerStep, settleSends } from "./responses.ts";
import { createTimeline } from "./timeline.ts";

/** The maps of the facts that a replay fills, emptied before each person. */
export type Moving = {
  claimResults: Map<string, ClaimResult>;
  digests: Map<string, DigestResult>;
  arrivals: Map<string, Arrival>;
  marks: Map<string, Marks>;
};

/** What a run starts with; null: it does not start. */
export type RunVersion = { version: WorkflowVersion; rules: WorkflowRules };

/** The engine without the change, or with it. */
export type Variant = {
  facts: Facts;
  moving: Moving;
  versionOf(past: PastRun): RunVersion | null;
  /** The workflow that sends roll-ups; null where there is none. */
  rollUp: RunVersion | null;
  /** False in the unchanged replay: what a step started then is started again, whatever the replay says. */
  followsStarts: boolean;
};

/** `past`: null for a roll-up that only the replay has. */
export type ReplayedRun = { run: Run; past: PastRun | null; isLead: boolean; messages: MessageDraft[] };

export type Replayed = { runs: Map<string, ReplayedRun>; answers: AnswerCounts };

type Action =
  | { kind: "start"; past: PastRun }
  | { kind: "roll-up"; begun: BegunRollUp }
  | { kind: "wake"; run: ReplayedRun }
  | { kind: "signal"; signal: PastSignal }
  | { kind: "mark"; notificationId: string; stepId: string; happened: StoredDetail }
  | { kind: "cancel"; notificationId: string; canceled: StoredDetail };

/** What a receipt or a reader adds to the job of a message. */
const marking: ReadonlySet<string> = new Set([
  ...["seen", "read", "delivered", "opened", "clicked", "bounced", "dropped", "rejected", "blocked"],
  ...["reported_as_spam", "dismissed", "unsubscribed"],
]);

/** A step takes at most three rounds (a claim, a wait, a send), and a workflow has at most 20 steps. */
const maxRounds = 100;

type Waiting = { run: ReplayedRun; claim: Extract<Claim, { kind: "wait" }> };

/** `until`: waits that end later are not followed (ms). */
export async function replayPerson(
  batch: Batch,
  history: PersonHistory,
  { variant, until }: { variant: Variant; until: number },
): Promise<Replayed> {
  const { facts, moving } = variant;
  for (const map of [moving.claimResults, moving.digests, moving.arrivals, moving.marks]) map.clear();
  facts.drafted.clear();
  const { person } = history;
  let subscriber: RecipientRow = person;
  const runs = new Map<string, ReplayedRun>();
  const answers: AnswerCounts = { stored: 0, assumed: 0 };
  const timeline = createTimeline<Action>();
  const members = new Map<string, { one: ReplayedRun; job: JobState }[]>();
  const waiting = new Map<string, Waiting>();
  const lastOfKey = new Map<string, ReplayedRun>();
  const sent: PastSignal[] = [];
  const lastMembers = lastMembersOf(history);

  const rollUpItems = (rollUp: string) =>
    [...runs.values()].flatMap(({ run }) =>
      run.jobs.flatMap((job) =>
        job.mergedInto === rollUp && job.status === "skipped" ? (readItem(job.output) ?? []) : [],
      ),
    );
  const rollUpChannels = new Set<string>(
    variant.rollUp?.version.definition.steps.flatMap(({ active, type }) => (active ? type : [])) ?? [],
  );
  const claims: MemoryClaims = createMemoryClaims({
    signals: sent,
    marks: moving.marks,
    leaders: leadersOf(history),
    places: createMemoryPlaces({
      limits: history.limits,
      rollUpChannels,
      itemsOf: rollUpItems,
      begin: (begun) => timeline.add(begun.ask.now.getTime(), { kind: "roll-up", begun }),
    }),
  });

  // Ids are in the order in which runs began and signals came, also within a millisecond.
  const starts = history.runs.map((past) => ({ id: past.notification.id, add: () => addPast(past) }));
  const signals = history.signals.map(({ id, created_at: at, name, key, data }) => ({
    id,
    add: () => timeline.add(at.getTime(), { kind: "signal", signal: { name, key, data, at } }),
  }));
  for (const { add } of [...starts, ...signals].sort((a, b) => (a.id < b.id ? -1 : 1))) add();
  for (let next = timeline.next(); next && next.at <= until; next = timeline.next()) {
    await act(next.action, new Date(next.at));
  }
  return { runs, answers };

  function addPast(past: PastRun): void {
    const { notification, event } = past;
    if (event.startedBy?.rollUp) return;
    const { id } = notification;
    timeline.add(notification.created_at.getTime(), { kind: "start", past });
    const canceled = cancelOf(past);
    if (canceled) timeline.add(canceled.t, { kind: "cancel", notificationId: id, canceled });
    if (past.steps.size < 2) return;
    for (const [stepId, { job }] of past.steps) {
      for (const happened of job.details) {
        if (marking.has(happened.d)) timeline.add(happened.t, { kind: "mark", notificationId: id, stepId, happened });
      }
    }
  }

  async function act(action: Action, now: Date): Promise<void> {
    switch (action.kind) {
      case "start":
        return start(action.past, now);
      case "roll-up":
        return startRollUp(action.begun, now);
      case "wake":
        return wake(action.run, now);
      case "signal":
        return arrive(action.signal, now);
      case "mark":
        return mark(action, now);
      case "cancel": {
        const one = runs.get(action.notificationId);
        if (one) cancel(one, action.canceled, now);
      }
    }
  }

  async function start(past: PastRun, now: Date): Promise<void> {
    const { event, notification } = past;
    if (variant.followsStarts && !isStarted(past)) return;
    const chosen = variant.versionOf(past);
    if (!chosen) return;
    const one: ReplayedRun = {
      run: newRun(past.notification.id, chosen, {
        event,
        actor: past.actor,
        contextKeys: notification.context_keys,
        subscriptions: notification.subscriptions,
      }),
      past,
      isLead: past.isLead,
      messages: [],
    };
    runs.set(notification.id, one);
    const key = event.supersedeKey;
    const earlier = key === null ? undefined : lastOfKey.get(key);
    if (earlier) cancel(earlier, detail("step_canceled", now, { raw: { reason: supersedeReason } }), now);
    if (key !== null) lastOfKey.set(key, one);
    await goOn(one, now);
  }

  /** What was started by a step of this person is started by that step only. */
  function isStarted({ event }: PastRun): boolean {
    const by = event.startedBy;
    const starter = by && history.runs.find(({ notification }) => notification.id === by.notificationId);
    if (!by || !starter) return true;
    const job = runs.get(by.notificationId)?.run.jobs.find(({ step }) => step.stepId === by.stepId);
    return job?.status === "completed";
  }

  async function startRollUp({ id, channel, at, ask }: BegunRollUp, now: Date): Promise<void> {
    if (!variant.rollUp) return;
    const notificationId = rollUpNotificationId(id);
    const { event, version, jobs, notificationId: by } = ask.run;
    const { workflowId } = version.definition;
    const stepId = jobs.find((job) => job.id === ask.claim.jobId)!.step.stepId;
    const path = [...(event.startedBy?.path ?? []), workflowId];
    const past =
      history.runs.find((one) => one.event.startedBy?.rollUp && one.event.startedBy.rollUp.id === id) ?? null;
    const run = newRun(notificationId, variant.rollUp, {
      event: {
        ...{ id: notificationId, transactionId: rollUpTransactionId(id), payload: { channel }, overrides: null },
        ...{ tenant: null, tenantFields: null, bridgeUrl: null, trace: null, supersedeKey: null, priority: null },
        startedBy: { eventId: event.id, notificationId: by, workflowId, stepId, path, rollUp: { id, channel, at } },
        createdAt: now,
      },
      actor: null,
      contextKeys: [],
      subscriptions: null,
    });
    const one: ReplayedRun = { run, past, isLead: runs.get(by)?.isLead ?? false, messages: [] };
    runs.set(notificationId, one);
    await goOn(one, now);
  }

  function newRun(
    notificationId: string,
    { version, rules }: RunVersion,
    given: Pick<Run, "event" | "actor" | "contextKeys" | "subscriptions">,
  ): Run {
    const steps = version.definition.steps.filter((step) => step.active);
    return {
      notificationId,
      environmentId: version.environmentId,
      isNew: true,
      version,
      rules,
      subscriber,
      isWorkflowDeleted: false,
      jobs: steps.map((step, index) => newJob(notificationId, step, index)),
      ...given,
    };
  }

  async function wake(one: ReplayedRun, now: Date): Promise<void> {
    const { run } = one;
    const job = run.jobs.find((candidate) => !isFinished(candidate));
    if (!job?.wakeAt || job.wakeAt > now || !isSleeping(job)) return;
    waiting.delete(job.id);
    if (job.step.type === "digest") closeDigest(one, job);
    await goOn(one, now);
  }

  /** The events of the leader and of those merged into it, in order of arrival. */
  function closeDigest({ run }: ReplayedRun, job: JobState): void {
    closeWindow(job.id);
    const inputs = [
      digestInput(run, job.stepIndex, facts),
      ...(members.get(job.id) ?? []).map((member) => digestInput(member.one.run, member.job.stepIndex, facts)),
    ];
    const events = inputs.flatMap((input) => input.events).sort((a, b) => (a.id < b.id ? -1 : 1));
    const eventCount = inputs.reduce((sum, input) => sum + input.eventCount, 0);
    moving.digests.set(job.id, { events: events.slice(0, batch.config.digestEvents), eventCount });
  }

  function closeWindow(leaderJobId: string): void {
    for (const [name, window] of claims.open) if (window.leader_job_id === leaderJobId) claims.open.delete(name);
  }

  async function arrive(signal: PastSignal, now: Date): Promise<void> {
    sent.push(signal);
    for (const [jobId, { run, claim }] of [...waiting]) {
      if (!claim.signal || !isAwaited(signal, claim.signal)) continue;
      await endWait(run, jobId, { reason: "signal", data: signal.data, at: signal.at }, now);
    }
  }

  async function endWait(one: ReplayedRun, jobId: string, arrival: Arrival, now: Date): Promise<void> {
    waiting.delete(jobId);
    moving.arrivals.set(jobId, arrival);
    await goOn(one, now);
  }

  /** Nothing happens to a message that this replay has not sent by then. */
  async function mark(
    { notificationId, stepId, happened }: Extract<Action, { kind: "mark" }>,
    now: Date,
  ): Promise<void> {
    const job = runs.get(notificationId)?.run.jobs.find(({ step }) => step.stepId === stepId);
    if (job?.status !== "completed") return;
    job.newDetails.push(happened);
    const before = moving.marks.get(job.id);
    if (job.step.type === "in_app" && (happened.d === "seen" || happened.d === "read")) {
      const isRead = happened.d === "read";
      moving.marks.set(job.id, {
        seen: true,
        read: isRead || (before?.read ?? false),
        lastSeenAt: before?.lastSeenAt ?? now,
        lastReadAt: isRead ? now : (before?.lastReadAt ?? null),
      });
    }
    const proven = eventsProvenBy(happened.d);
    for (const [jobId, { run, claim }] of [...waiting]) {
      if (claim.message?.jobId !== job.id || !proven.includes(claim.message.event)) continue;
      await endWait(run, jobId, { reason: "message", data: null, at: now }, now);
    }
  }

  /** A digest that the run leads continues with the oldest event that was merged into it. */
  function cancel(one: ReplayedRun, canceled: StoredDetail, now: Date): void {
    for (const job of one.run.jobs) {
      if (isFinished(job)) continue;
      const leads = job.step.type === "digest" && job.status === "delayed" ? job.wakeAt : null;
      job.status = "canceled";
      job.wakeAt = null;
      job.newDetails.push({ ...canceled, t: now.getTime() });
      waiting.delete(job.id);
      if (leads) handOver(job, leads);
    }
  }

  function handOver(old: JobState, dueAt: Date): void {
    const [heir, ...others] = members.get(old.id) ?? [];
    members.delete(old.id);
    if (!heir) {
      closeWindow(old.id);
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
    for (const window of claims.open.values()) {
      if (window.leader_job_id !== old.id) continue;
      window.leader_job_id = job.id;
      window.leader_notification_id = one.run.notificationId;
    }
    timeline.add(dueAt.getTime(), { kind: "wake", run: one }, { isDue: true });
  }

  /** Advances the run until it waits or ends. */
  async function goOn(one: ReplayedRun, now: Date): Promise<void> {
    const { run } = one;
    for (let round = 0; round < maxRounds; round++) {
      run.subscriber = subscriber;
      if (isPauseDue()) await pauseIfDue();
      const progress = advance(run, facts, now, isPauseDue);
      one.messages.push(...progress.messages);
      if (progress.isPaused) {
        round--;
        continue;
      }
      if (progress.claim) {
        const settled = await settleClaims(batch, [progress], { runs: [], facts: { ...facts } }, claims);
        for (const [jobId, result] of settled) moving.claimResults.set(jobId, result);
        subscriber = run.subscriber ?? subscriber;
        if (progress.claim.kind === "wait" && settled.get(progress.claim.jobId)?.kind === "begun") {
          waiting.set(progress.claim.jobId, { run: one, claim: progress.claim });
        }
        continue;
      }
      if (progress.asking !== null) {
        const job = run.jobs.find(({ id }) => id === progress.asking)!;
        answerStep({ run, job, facts, now }, one.past?.steps.get(job.step.stepId), answers);
        continue;
      }
      if (progress.sending.length > 0) {
        const job = run.jobs.find(({ status }) => status === "queued")!;
        if (settleSends(job, one.messages, one.past?.steps.get(job.step.stepId), now)) continue;
        return;
      }
      if (progress.digestedInto) {
        const job = run.jobs.find(({ mergedInto, status }) => status === "merged" && mergedInto !== null)!;
        members.set(job.mergedInto!, [...(members.get(job.mergedInto!) ?? []), { one, job }]);
      }
      if (progress.wakeAt) {
        const job = run.jobs.find(({ status }) => status === "delayed");
        const past = job && one.past?.steps.get(job.step.stepId);
        const late = past ? latenessOf(past, lastMembers.get(past.job.id)) : 0;
        timeline.add(progress.wakeAt.getTime() + late, { kind: "wake", run: one }, { isDue: true });
      }
      return;
    }
  }
}
