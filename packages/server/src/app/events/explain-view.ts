// Steps and messages as explanations and dry runs show them: bounded in size, and without secrets.
import { type DecidedBy, type ExplainedMessage, type ExplainedStep, isChannel } from "@tidings/contract";
import { type DecisionPlace, decisionOf, waitsFor } from "../../pipeline/rules/deciders.ts";
import { namesOf } from "../../pipeline/rules/delivery-text.ts";
import {
  type DescribedJob,
  describeStep,
  type StepSummary,
  summarizeSteps,
  type TextSettings,
} from "../../pipeline/rules/step-outcome-text.ts";
import { channelResult, type Marks } from "../../pipeline/rules/step-results.ts";
import { isFinished } from "../../pipeline/run/advance.ts";
import type { MessageDraft } from "../../pipeline/run/run.ts";

/** Characters of a message that are shown; longer ones are truncated. */
const contentLimit = 20_000;
const subjectLimit = 1_000;

type ShownMessage = Pick<
  MessageDraft,
  "channel" | "providerId" | "integrationId" | "address" | "subject" | "content" | "cta" | "errorId" | "errorText"
> & { status: string };

/** `identifiers`: of integrations, by id. */
export function toExplainedMessage(message: ShownMessage, identifiers: ReadonlyMap<string, string>): ExplainedMessage {
  const { content } = message;
  const isLong = content !== null && content.length > contentLimit;
  return {
    channel: message.channel,
    status: message.status,
    providerId: message.providerId ?? undefined,
    integrationIdentifier: identifiers.get(message.integrationId ?? ""),
    address: message.address === null ? undefined : shownAddress(message.channel, message.address),
    subject: message.subject?.slice(0, subjectLimit).toWellFormed(),
    content: (isLong ? content.slice(0, contentLimit).toWellFormed() : content) ?? undefined,
    cta: message.cta ?? undefined,
    isTruncated: isLong || undefined,
    errorId: message.errorId ?? undefined,
    errorText: message.errorText ?? undefined,
  };
}

const shownTokenLength = 12;

/** A webhook URL or a device token is enough to send to it, so only a part is shown, by which to recognise it. */
function shownAddress(channel: ShownMessage["channel"], address: string): string {
  if (channel === "push")
    return address.length <= shownTokenLength ? address : `${address.slice(0, shownTokenLength)}…`;
  if (channel !== "chat" || !URL.canParse(address)) return address;
  const { origin } = new URL(address);
  return `${origin === "null" ? "" : origin}/…`;
}

/** A job with its messages. */
type ExplainedJob = DescribedJob & { messages: ExplainedMessage[]; marks?: Marks };

type ExplainedSteps = { steps: ExplainedStep[]; verdict: string };

/** `place`: names for `decidedBy`. */
export function explainSteps(
  jobs: readonly ExplainedJob[],
  settings: TextSettings,
  place: Omit<DecisionPlace, "steps" | "index" | "names">,
): ExplainedSteps {
  const steps = jobs.map(({ step }) => step);
  const names = namesOf(settings.integrations ?? new Map());
  const summaries = jobs.map((job, index) => {
    const blocking = blockingJob(jobs, index);
    const next = steps.slice(index + 1).flatMap(({ type }) => (isChannel(type) ? type : []));
    const summary = describeStep(job, settings, { blockedBy: blocking?.step, next });
    const decision = blocking ? waitsFor(blocking.step) : decisionOf(job, { ...place, steps, index, names });
    return { job, step: job.step, summary, decision };
  });
  return {
    steps: summaries.map(({ job, summary, decision }) => toExplainedStep(job, summary, decision)),
    verdict: summarizeSteps(summaries),
  };
}

/** The step before this one that has not ended, while this one has not begun. */
const blockingJob = (jobs: readonly ExplainedJob[], index: number): ExplainedJob | undefined =>
  jobs[index]!.status === "pending"
    ? jobs.slice(0, index).find(({ status }) => status !== "pending" && !isFinished({ status }))
    : undefined;

function resultOf(job: ExplainedJob): ExplainedStep["result"] {
  const result = isChannel(job.step.type) ? channelResult(job, job.marks) : null;
  if (!result) return undefined;
  const { sentAt, lastSeenDate, lastReadDate, ...rest } = result;
  return {
    ...rest,
    sentAt: sentAt ?? undefined,
    lastSeenDate: lastSeenDate ?? undefined,
    lastReadDate: lastReadDate ?? undefined,
  };
}

const toExplainedStep = (
  job: ExplainedJob,
  { outcome, reason, code, at, until }: StepSummary,
  decision: DecidedBy | undefined,
): ExplainedStep => ({
  stepId: job.step.stepId,
  name: job.step.name,
  type: job.step.type,
  outcome,
  reason,
  code: code ?? undefined,
  decidedBy: decision,
  at: at?.toISOString(),
  until: until?.toISOString(),
  messages: job.messages,
  result: resultOf(job),
});
