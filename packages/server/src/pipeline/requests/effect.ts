// What follows from the reply to an HTTP request: the result of the step, another attempt, or the end of the step with
// its reason. A dry run ends a step in the same way, with an assumed response.
import type { JsonObject } from "../../lib/json.ts";
import { emptyJobUpdate, type JobUpdate } from "../../store/events/jobs.batch.ts";
import type { StoredDetail } from "../../store/tables.ts";
import { type Effect, type Finished, jobKeyOf } from "../asks/ask.ts";
import type { Batch } from "../batch.ts";
import { randomFor } from "../clock/clock.ts";
import { decideAfterAttempt } from "../deliver/retry.ts";
import { continuesOnFailure, requestDetail } from "../steps/http-request.ts";
import type { RequestReply } from "./call.ts";
import type { PreparedCall } from "./prepare.ts";
import { failedOutput, readResponse } from "./response.ts";

/** A request that got no response is repeated within this time. */
const giveUpAfterMs = 24 * 3_600_000;

/** How a step ends after its last attempt. */
export type RequestEnd = {
  status: "completed" | "failed";
  output: JsonObject | null;
  detail: StoredDetail;
  /** Why it failed. */
  reason?: string;
};

/** `raw`: what the detail says about the attempt. */
export function endRequest(values: JsonObject, reply: RequestReply, now: Date, raw: JsonObject = {}): RequestEnd {
  const { outcome, response, isAssumed } = reply;
  const shown = { ...raw, ...(response && { status: response.status }) };
  const isRetry = typeof raw.attempt === "number" && raw.attempt > 1;
  const isBare = isAssumed && !response?.isJson;
  const result =
    outcome.kind !== "accepted"
      ? { fault: outcome.reason }
      : readResponse(isBare ? { ...values, enforceSchemaValidation: false } : values, response!);
  if ("output" in result) {
    const name = isAssumed ? "request_assumed" : "request_succeeded";
    return { status: "completed", output: result.output, detail: requestDetail(name, now, { isRetry, raw: shown }) };
  }
  const reason = result.fault;
  const detail = requestDetail("request_failed", now, {
    isRetry,
    raw: { ...shown, reason, ...(isAssumed && { isAssumed }) },
  });
  const output = continuesOnFailure(values) ? failedOutput(values, response) : null;
  return { status: "failed", output, detail, reason };
}

export function effectOf(batch: Batch, ask: Finished<PreparedCall, RequestReply>): Effect {
  const { run, job, reply, call } = ask;
  const { outcome, response, tookMs } = reply;
  const values = job.step.controlValues;
  const now = batch.clock.now(run.environmentId);
  const { error: _, ...before } = job.bridge!;
  const attempt = before.tries + (call ? 1 : 0);
  const update: JobUpdate = {
    ...emptyJobUpdate(jobKeyOf(ask), now),
    status: "queued",
    bridge: { ...before, tries: attempt },
  };
  const raw = { ...call?.shown, ...(call && { attempt, duration: tookMs }) };

  const tried = {
    attempt,
    onUnknown: "may_duplicate",
    hadUnknown: false,
    now,
    deadline: new Date(before.askedAt + giveUpAfterMs),
  } as const;
  const next =
    call && decideAfterAttempt(outcome, tried, batch.config.delivery.retry, randomFor(batch.clock, run.environmentId));
  if (next?.kind === "retry") {
    const at = new Date(now.getTime() + next.afterMs);
    const status = response ? { status: response.status } : {};
    const detail = requestDetail("request_retry", now, {
      isRetry: attempt > 1,
      raw: { ...raw, ...status, reason: next.reason, next: at.toISOString() },
    });
    const stored = { ...before, tries: attempt, error: next.reason };
    return { wakes: false, update: { ...update, bridge: stored, details: [detail], wake_at: at }, again: at };
  }
  const { status, output, detail, reason } = endRequest(values, reply, now, raw);
  const ended = { ...update, status, output, details: [detail] };
  if (reason === undefined) return { wakes: true, update: ended };
  const failed = { ...ended, bridge: { ...before, tries: attempt, error: reason } };
  if (continuesOnFailure(values)) return { wakes: true, update: failed };
  return { wakes: true, update: failed, failure: `The HTTP request of step ${job.step.stepId} failed: ${reason}` };
}
