// How steps and messages are told, whether they happened or would: bounded in size, and without secrets.
import { type ExplainedMessage, type ExplainedStep, isChannel } from "@tidings/contract";
import {
  type DescribedJob,
  describeStep,
  type StepSummary,
  summarizeSteps,
  type TextSettings,
} from "../../pipeline/rules/step-outcome-text.ts";
import { channelResult, type Marks } from "../../pipeline/rules/step-results.ts";
import type { MessageDraft } from "../../pipeline/run/run.ts";

/** Characters of a message that are shown. */
const contentLimit = 20_000;
const subjectLimit = 1_000;

export type ShownMessage = Pick<
  MessageDraft,
  "channel" | "providerId" | "integrationId" | "address" | "subject" | "content" | "cta" | "errorId" | "errorText"
> & { status: string };

/** `identifiers`: of integrations, by id. */
export const toExplainedMessage = (
  message: ShownMessage,
  identifiers: ReadonlyMap<string, string>,
): ExplainedMessage => {
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
};

const shownToken = 12;

/** Who knows a webhook or a device token can use it, so both are shown in part: enough to tell one from another. */
function shownAddress(channel: ShownMessage["channel"], address: string): string {
  if (channel === "push") return address.length <= shownToken ? address : `${address.slice(0, shownToken)}…`;
  if (channel !== "chat" || !URL.canParse(address)) return address;
  const { origin } = new URL(address);
  return `${origin === "null" ? "" : origin}/…`;
}

/** A job with the messages it made. */
export type ToldJob = DescribedJob & { messages: ExplainedMessage[]; marks?: Marks };

export type ToldSteps = { steps: ExplainedStep[]; verdict: string };

export function tellSteps(jobs: readonly ToldJob[], settings: TextSettings): ToldSteps {
  const told = jobs.map((job) => ({ job, step: job.step, summary: describeStep(job, settings) }));
  return {
    steps: told.map(({ job, summary }) => toExplainedStep(job, summary)),
    verdict: summarizeSteps(told),
  };
}

function resultOf(job: ToldJob): ExplainedStep["result"] {
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

const toExplainedStep = (job: ToldJob, { outcome, reason, at, until }: StepSummary): ExplainedStep => ({
  stepId: job.step.stepId,
  name: job.step.name,
  type: job.step.type,
  outcome,
  reason,
  at: at?.toISOString(),
  until: until?.toISOString(),
  messages: job.messages,
  result: resultOf(job),
});
