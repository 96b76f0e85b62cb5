// Replays one person: the runs start when they did, waits end when the service noticed it, and signals, marks and
// cancels come at their times. Every step is decided by the `advance()` of the pipeline.
//
//   state.ts       what a replay has at a moment
//   pace.ts        how late the service was then
//   turns.ts       which claims came first then
//   responses.ts   what other programs returned then
//   windows.ts     digests
//   arrivals.ts    signals and marks
//   claims.ts      claims, settled in memory
import type { RecipientRow } from "../../store/subscribers/subscribers.ts";
import type { StoredDetail } from "../../store/tables.ts";
import { readItem } from "../attention/roll-up-items.ts";
import type { Batch } from "../batch.ts";
import { supersedeReason } from "../retract/words.ts";
import { detail } from "../rules/details.ts";
import { isFinished, isSleeping } from "../run/advance.ts";
import type { Run } from "../run/run.ts";
import { arrive, mark, marksOf } from "./arrivals.ts";
import { createMemoryClaims, type PastSignal } from "./claims.ts";
import type { PastRun, PersonHistory } from "./history.ts";
import { runOfPast, runOfRollUp } from "./new-runs.ts";
import { startOf } from "./pace.ts";
import { cancelOf, closedEarlyIn, supersederOf } from "./past-jobs.ts";
import { type BegunRollUp, createMemoryPlaces } from "./places.ts";
import { createProgress } from "./progress.ts";
import type { Action, Replayed, ReplayedRun, Replaying, RunVersion, Variant } from "./state.ts";
import { createTimeline } from "./timeline.ts";
import { turnsOf } from "./turns.ts";
import { closeDigest, handOverDigest } from "./windows.ts";

/** `until`: waits that end later are not followed (ms). */
export async function replayPerson(
  batch: Batch,
  history: PersonHistory,
  { variant, until }: { variant: Variant; until: number },
): Promise<Replayed> {
  const { facts, moving } = variant;
  for (const map of [moving.claimResults, moving.digests, moving.arrivals, moving.marks]) map.clear();
  facts.drafted.clear();
  const replaying = newReplaying(history, variant);
  const { runs, timeline, waiting } = replaying;
  const person = { now: history.person as RecipientRow };
  const progress = createProgress(batch, replaying, person);
  const lastOfKey = new Map<string, ReplayedRun>();
  addHistory(replaying);
  for (let next = timeline.next(); next && next.at <= until; next = timeline.next()) {
    await act(next.action, new Date(next.at));
  }
  return { runs, answers: progress.answers };

  async function act(action: Action, now: Date): Promise<void> {
    switch (action.kind) {
      case "start":
        return start(action.past, now);
      case "roll-up":
        return startRollUp(action.begun, now);
      case "wake":
        return wake(action.run, action.now);
      case "reply":
        return progress.reply(action, now);
      case "continue":
        return progress.goOn(action.run, action.now);
      case "overdue":
        return progress.release(action);
      case "signal":
        return arrive(replaying, action.signal);
      case "mark":
        return mark(replaying, action);
      case "close":
        return close(action);
      case "cancel":
        return cancelAsThen(action, now);
    }
  }

  async function start(past: PastRun, now: Date): Promise<void> {
    const chosen = versionOf(past);
    if (!chosen) return;
    const one = add(runOfPast(past, chosen, person.now), past, past.isLead);
    const key = past.event.supersedeKey;
    const earlier = key === null ? undefined : lastOfKey.get(key);
    if (earlier) cancel(earlier, detail("step_canceled", now, { raw: { reason: supersedeReason } }), now);
    if (key !== null) lastOfKey.set(key, one);
    await progress.goOn(one, now);
  }

  /** Null for a run that does not start. */
  function versionOf(past: PastRun): RunVersion | null {
    return variant.followsStarts && !isStarted(past) ? null : variant.versionOf(past);
  }

  function add(run: Run, past: PastRun | null, isLead: boolean): ReplayedRun {
    const one: ReplayedRun = { run, past, isLead, messages: [] };
    runs.set(run.notificationId, one);
    return one;
  }

  /** What was started by a step of this person is started by that step only. */
  function isStarted({ event }: PastRun): boolean {
    const by = event.startedBy;
    const starter = by && history.runs.find(({ notification }) => notification.id === by.notificationId);
    if (!by || !starter) return true;
    const job = runs.get(by.notificationId)?.run.jobs.find(({ step }) => step.stepId === by.stepId);
    return job?.status === "completed";
  }

  async function startRollUp(begun: BegunRollUp, now: Date): Promise<void> {
    if (!variant.rollUp) return;
    const { notificationId: by } = begun.ask.run;
    const run = runOfRollUp(begun, variant.rollUp, person.now);
    await progress.goOn(add(run, pastRollUp(history, begun.id), runs.get(by)?.isLead ?? false), now);
  }

  async function wake(one: ReplayedRun, now: Date): Promise<void> {
    const job = one.run.jobs.find((candidate) => !isFinished(candidate));
    if (!job?.wakeAt || job.wakeAt > now || !isSleeping(job)) return;
    waiting.delete(job.id);
    if (job.step.type === "digest") closeDigest(replaying, one, job, batch.config.digestEvents);
    await progress.goOn(one, now);
  }

  /** Closes a digest before its time, as someone did then. */
  async function close({ notificationId, stepId, happened }: Extract<Action, { kind: "close" }>): Promise<void> {
    const one = runs.get(notificationId);
    const job = one?.run.jobs.find(({ step }) => step.stepId === stepId);
    if (!one || job?.step.type !== "digest" || job.status !== "delayed") return;
    const now = new Date(happened.t);
    job.wakeAt = now;
    job.newDetails.push(happened);
    await wake(one, now);
  }

  /** At the same moment, the run may have come to a later step before it was canceled. */
  function cancelAsThen(action: Extract<Action, { kind: "cancel" }>, now: Date): void {
    const { canceled, notificationId, isLast } = action;
    const one = runs.get(notificationId);
    const by = one?.past && supersederOf(history, one.past, canceled.happened);
    if (by && !versionOf(by)) return;
    const reached = one?.run.jobs.findIndex(({ step }) => step.stepId === canceled.stepId) ?? 0;
    const isBefore = one?.run.jobs.slice(0, Math.max(0, reached)).some((job) => !isFinished(job));
    if (isBefore && !isLast) timeline.add(now.getTime(), { ...action, isLast: true }, "last");
    else if (one) cancel(one, canceled.happened, now);
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
      if (leads) handOverDigest(replaying, job, leads);
    }
  }
}

function newReplaying(history: PersonHistory, variant: Variant): Replaying {
  const timeline = createTimeline<Action>();
  const runs: Replaying["runs"] = new Map();
  const turns = turnsOf(history);
  const sent: PastSignal[] = [];
  const itemsOf = (rollUp: string) =>
    [...runs.values()].flatMap(({ run }) =>
      run.jobs.flatMap((job) =>
        job.mergedInto === rollUp && job.status === "skipped" ? (readItem(job.output) ?? []) : [],
      ),
    );
  const rollUpSteps = variant.rollUp?.version.definition.steps ?? [];
  const places = createMemoryPlaces({
    limits: history.limits,
    rollUpChannels: new Set<string>(rollUpSteps.flatMap(({ active, type }) => (active ? type : []))),
    itemsOf,
    begin: (begun) => {
      const past = pastRollUp(history, begun.id);
      timeline.add(Math.max(begun.ask.now.getTime(), past ? startOf(past) : 0), { kind: "roll-up", begun });
    },
  });
  const claims = createMemoryClaims({ signals: sent, marks: variant.moving.marks, turns, places });
  return { history, variant, turns, timeline, runs, claims, members: new Map(), waiting: new Map(), sent };
}

const pastRollUp = ({ runs }: PersonHistory, id: string): PastRun | null =>
  runs.find(({ event }) => event.startedBy?.rollUp?.id === id) ?? null;

/** Ids are in the order in which runs began and signals came, also within a millisecond. */
function addHistory({ history, timeline, turns }: Replaying): void {
  const starts = history.runs.map((past) => ({ id: past.notification.id, add: () => addPast(past) }));
  const signals = history.signals.map(({ id, created_at: at, name, key, data }) => ({
    id,
    add: () => timeline.add(at.getTime(), { kind: "signal", signal: { name, key, data, at } }),
  }));
  for (const { add } of [...starts, ...signals].sort((a, b) => (a.id < b.id ? -1 : 1))) add();

  function addPast(past: PastRun): void {
    if (past.event.startedBy?.rollUp) return;
    const { id: notificationId } = past.notification;
    const startAt = startOf(past);
    timeline.add(startAt, { kind: "start", past });
    const canceled = cancelOf(past);
    if (canceled) timeline.add(Math.max(canceled.happened.t, startAt), { kind: "cancel", notificationId, canceled });
    for (const one of marksOf(past)) timeline.add(one.happened.t, one);
    for (const { jobId, at, ...closed } of closedEarlyIn(past)) {
      const last = turns.lastCame.get(jobId) ?? 0;
      timeline.add(Math.max(at, last + 1), { kind: "close", notificationId, ...closed });
    }
  }
}
