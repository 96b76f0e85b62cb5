// Takes one run of a replay as far as it goes: claims are settled in the order of then, waits end and responses come as
// late as they did.
import { isDeepStrictEqual } from "node:util";
import { isPauseDue, pauseIfDue } from "../../lib/load/pauses.ts";
import type { RecipientRow } from "../../store/subscribers/subscribers.ts";
import type { Batch } from "../batch.ts";
import { advance } from "../run/advance.ts";
import { settleClaims } from "../run/claims.ts";
import type { JobState, Progress } from "../run/run.ts";
import { gotNone, latenessOf, restOf, tookOf, waitNumber } from "./pace.ts";
import { type AnswerCounts, type Asked, answerStep, goesSameWay, settleSends } from "./responses.ts";
import { type Action, pastStepOf, type ReplayedRun, type Replaying } from "./state.ts";
import { maxSkewMs } from "./turns.ts";
import { joinDigest } from "./windows.ts";

/** A step takes at most three rounds (a claim, a wait, a send), and a workflow has at most 20 steps. */
const maxRounds = 100;

/** `person.now`: with the changes that steps made. */
export function createProgress(batch: Batch, replaying: Replaying, person: { now: RecipientRow }) {
  const { variant, timeline, turns, claims, waiting } = replaying;
  const { facts, moving } = variant;
  const answers: AnswerCounts = { stored: 0, assumed: 0 };
  /** Runs whose claim comes after that of another job, by that job. */
  const behind = new Map<string, { one: ReplayedRun; now: Date }[]>();
  const settled = new Set<string>();
  const overdue = new Set<string>();

  return { answers, goOn, reply, release };

  /** Advances the run until it waits or ends. */
  async function goOn(one: ReplayedRun, now: Date): Promise<void> {
    const { run } = one;
    for (let round = 0; round < maxRounds; round++) {
      run.subscriber = person.now;
      if (isPauseDue()) await pauseIfDue();
      const progress = advance(run, facts, now, isPauseDue);
      one.messages.push(...progress.messages);
      if (progress.isPaused) {
        round--;
      } else if (progress.claim) {
        if (isTooSoon(one, progress.claim.jobId, now)) return;
        await settle(one, progress);
      } else if (progress.asking !== null || progress.sending.length > 0) {
        const isSending = progress.asking === null;
        const job = run.jobs.find(({ id, status }) => (isSending ? status === "queued" : id === progress.asking))!;
        if (!respond(one, job, isSending ? "send" : "ask", now)) return;
      } else {
        if (progress.digestedInto) joinDigest(replaying, one);
        if (progress.wakeAt) sleep(one, progress.wakeAt);
        return;
      }
    }
  }

  /** Whether another job claims first: it did so then, though its time is not earlier. */
  function isTooSoon(one: ReplayedRun, jobId: string, now: Date): boolean {
    const turn = turns.turns.get(jobId);
    if (!turn || turn.at < now.getTime() || settled.has(turn.behind) || overdue.has(jobId)) return false;
    behind.set(turn.behind, [...(behind.get(turn.behind) ?? []), { one, now }]);
    timeline.add(turn.at + maxSkewMs, { kind: "overdue", run: one, jobId, now });
    return true;
  }

  /** In the changed replay, the other job may never come. */
  async function release({ run, jobId, now }: Extract<Action, { kind: "overdue" }>): Promise<void> {
    if (settled.has(jobId)) return;
    overdue.add(jobId);
    await goOn(run, now);
  }

  async function settle(one: ReplayedRun, progress: Progress): Promise<void> {
    const claim = progress.claim!;
    const results = await settleClaims(batch, [progress], { runs: [], facts: { ...facts } }, claims);
    for (const [jobId, result] of results) moving.claimResults.set(jobId, result);
    person.now = one.run.subscriber ?? person.now;
    if (claim.kind === "wait" && results.get(claim.jobId)?.kind === "begun") {
      waiting.set(claim.jobId, { run: one, claim });
    }
    settled.add(claim.jobId);
    const next = behind.get(claim.jobId) ?? [];
    behind.delete(claim.jobId);
    for (const { one: run, now } of next) timeline.add(now.getTime(), { kind: "continue", run, now });
  }

  /** False while the run waits for the response, which never came where the run was canceled first. */
  function respond(one: ReplayedRun, job: JobState, asked: Asked, now: Date): boolean {
    const past = pastStepOf(one, job);
    const isAsThen = past !== undefined && (asked === "ask" || goesSameWay(job, one.messages, past));
    if (isAsThen && gotNone(past, asked)) return false;
    const took = isAsThen ? tookOf(past, asked) : 0;
    if (took === 0) end(one, job, asked, now);
    else timeline.add(now.getTime() + took, { kind: "reply", run: one, job, asked });
    return took === 0;
  }

  function reply({ run: one, job, asked }: Extract<Action, { kind: "reply" }>, now: Date): void {
    // It may have been canceled meanwhile.
    if (job.status !== "queued") return;
    end(one, job, asked, now);
    const rest = one.past ? restOf(one.past, job.step.stepId, asked) : 0;
    const at = now.getTime() + rest;
    timeline.add(at, { kind: "continue", run: one, now: new Date(at) }, "due");
  }

  function end(one: ReplayedRun, job: JobState, asked: Asked, now: Date): void {
    const past = pastStepOf(one, job);
    if (asked === "send") settleSends(job, one.messages, past, now);
    else answerStep({ run: one.run, job, facts, now }, past, answers);
  }

  /** It ends after the last event that its digest got then, or the signal that came while it ended. */
  function sleep(one: ReplayedRun, wakeAt: Date): void {
    const job = one.run.jobs.find(({ status }) => status === "delayed");
    const past = job && pastStepOf(one, job);
    const late = past && isSameStep(one, job) ? latenessOf(past, waitNumber(job.newDetails)) : 0;
    const now = wakeAt.getTime() + late;
    const last = (job && turns.lastCame.get(job.id)) ?? 0;
    const at = last >= now && last - now <= maxSkewMs ? last + 1 : now;
    timeline.add(at, { kind: "wake", run: one, now: new Date(now) }, "due");
  }
}

/** The step has not been changed since then. */
function isSameStep(one: ReplayedRun, job: JobState): boolean {
  const past = pastStepOf(one, job)?.step;
  return past === job.step || isDeepStrictEqual(past?.controlValues, job.step.controlValues);
}
