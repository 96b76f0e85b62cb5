// What follows from the reply of a bridge: a response wakes the run, which continues with it; a failed call is repeated
// later; and a step without content fails.
import { sealValue } from "../../lib/sealed.ts";
import { emptyJobUpdate, type JobUpdate } from "../../store/events/jobs.batch.ts";
import type { JobBridge } from "../../store/tables.ts";
import { type Effect, type Finished, jobKeyOf } from "../asks/ask.ts";
import type { Batch } from "../batch.ts";
import { randomFor } from "../clock/clock.ts";
import { detail } from "../rules/details.ts";
import type { BridgeReply } from "./call.ts";
import { readAnswer, shownOutputs } from "./response.ts";
import { decideAfterCall } from "./retry.ts";

export function effectOf(batch: Batch, ask: Finished<object, BridgeReply>): Effect {
  const { run, job, reply, call } = ask;
  const now = batch.clock.now(run.environmentId);
  const { error: _, ...before } = job.bridge!;
  const attempt = before.tries + (call ? 1 : 0);
  const update = (status: JobUpdate["status"], stored: JobBridge, details: JobUpdate["details"]): JobUpdate => ({
    ...emptyJobUpdate(jobKeyOf(ask), now),
    status,
    bridge: stored,
    details,
  });

  const failed = reply.kind === "answered" ? null : reply;
  const answer = reply.kind === "answered" ? readAnswer(reply.body) : null;
  if (answer && reply.kind === "answered" && !("fault" in answer)) {
    const { outputs, providers, skip } = answer;
    const sealed = Object.keys(providers).length > 0 ? { providers: sealValue(batch.secrets, providers) } : {};
    const raw = { outputs: shownOutputs(outputs), skip, duration: reply.tookMs, attempt };
    const details = [detail("bridge_answered", now, { isRetry: attempt > 1, raw })];
    return {
      wakes: true,
      update: update("pending", { ...before, tries: attempt, answer: { outputs, ...sealed, skip } }, details),
    };
  }
  const fault = failed ?? { kind: "failing" as const, reason: (answer as { fault: string }).fault };
  const asked = { attempt, askedAt: before.askedAt, now: now.getTime() };
  const next = decideAfterCall(fault, asked, batch.config.delivery.retry, randomFor(batch.clock, run.environmentId));
  const stored = { ...before, tries: attempt, error: fault.reason };
  if (next.kind === "retry") {
    const raw = { reason: fault.reason, attempt, next: next.at.toISOString() };
    const details = [detail("bridge_retry", now, { isRetry: attempt > 1, raw })];
    return { wakes: false, update: { ...update("queued", stored, details), wake_at: next.at }, again: next.at };
  }
  const details = [detail("bridge_failed", now, { isRetry: attempt > 1, raw: { reason: fault.reason, attempt } })];
  return {
    wakes: true,
    update: update("failed", stored, details),
    failure: `The bridge gave no content for step ${job.step.stepId}: ${fault.reason}`,
  };
}
