// What programs outside returned to the steps of the past, used again in a replay: responses of bridges and to HTTP
// requests, and what providers did with messages. Nothing is called. Where nothing is stored, a sample response is
// assumed, or that the provider accepts.

import { refused } from "../requests/call.ts";
import { endRequest } from "../requests/effect.ts";
import { requestOf } from "../requests/prepare.ts";
import { assumedReply } from "../requests/response.ts";
import { detail } from "../rules/details.ts";
import type { Facts, JobState, MessageDraft, Run } from "../run/run.ts";
import type { PastStep } from "./history.ts";

/** What a step waits for: the response of a bridge or to an HTTP request, or that a provider has its message. */
export type Asked = "ask" | "send";

export type AnswerCounts = { stored: number; assumed: number };

const noAnswer = "no response of the bridge is stored, and a backtest asks none";

/** Ends the step, or has it run again with the response. */
export function answerStep(
  { run, job, facts, now }: { run: Run; job: JobState; facts: Facts; now: Date },
  past: PastStep | undefined,
  counts: AnswerCounts,
): void {
  if (run.version.definition.isBridged) answerBridge(job, past, now, counts);
  else answerRequest(run, job, { facts, now, past, counts });
}

function answerBridge(job: JobState, past: PastStep | undefined, now: Date, counts: AnswerCounts): void {
  const answer = past?.job.bridge?.answer;
  if (answer) {
    counts.stored++;
    job.status = "pending";
    job.bridge = { ...job.bridge!, tries: 1, answer };
    job.newDetails.push(detail("bridge_answered", now));
    return;
  }
  const failed =
    past?.job.status === "failed" ? past.job.details.findLast(({ d }) => d === "bridge_failed") : undefined;
  if (failed) counts.stored++;
  else counts.assumed++;
  job.status = "failed";
  job.newDetails.push(detail("bridge_failed", now, { raw: failed?.r ?? { reason: noAnswer, isAssumed: true } }));
}

type Request = { facts: Facts; now: Date; past: PastStep | undefined; counts: AnswerCounts };

function answerRequest(run: Run, job: JobState, { facts, now, past, counts }: Request): void {
  const ended = past?.step.type === job.step.type ? past.job : undefined;
  const last = ended?.details.findLast(({ d }) => d === "request_succeeded" || d === "request_failed");
  if (ended && last && (ended.status === "completed" || ended.status === "failed")) {
    counts.stored++;
    job.status = ended.status;
    job.output = ended.output;
    job.newDetails.push({ ...last, t: now.getTime() });
    return;
  }
  counts.assumed++;
  const { controlValues } = job.step;
  const request = requestOf(run, job, facts, now);
  const reply = "fault" in request ? refused(request.fault) : assumedReply(controlValues);
  const { status, output, detail: end } = endRequest(controlValues, reply, now);
  job.status = status;
  job.output = output;
  job.newDetails.push(end);
}

const pendingOf = (job: JobState, messages: MessageDraft[]): MessageDraft[] =>
  messages.filter((message) => message.jobId === job.id && message.status === "pending");

/** Whether the integration that is tried first now had the messages of the step then. */
export function goesSameWay(job: JobState, messages: MessageDraft[], past: PastStep): boolean {
  const tried = past.messages.map(({ integration_id }) => integration_id);
  return tried.length === 0 || pendingOf(job, messages).some(({ integrationId }) => tried.includes(integrationId));
}

/** What the provider did with the messages of the step then, where they go the same way; otherwise it accepts them. */
export function settleSends(job: JobState, messages: MessageDraft[], past: PastStep | undefined, now: Date): void {
  const pending = pendingOf(job, messages);
  const failed = past && isSendFailure(past) ? past.job.details.at(-1) : undefined;
  if (failed && goesSameWay(job, messages, past!)) {
    job.status = "failed";
    for (const message of pending) message.status = "error";
    job.newDetails.push({ ...failed, t: now.getTime() });
    return;
  }
  job.status = "completed";
  for (const message of pending) message.status = "sent";
  job.newDetails.push(detail("message_sent", now, { providerId: job.providerId ?? undefined }));
}

/** The step had made its message, and the provider or its address failed. */
const isSendFailure = ({ job }: PastStep): boolean => job.status === "failed" && job.provider_id !== null;

export const wasFailedByProvider = (past: PastStep | undefined): boolean => past !== undefined && isSendFailure(past);
