// The outcome of a step and of a notification as text, from the details that its jobs stored or that a dry run
// produced. The text of a step that did not run names the condition, preference or schedule that decided. Pure.
import { type Channel, isChannel, type JobStatus, type StepOutcome, type StepType } from "@tidings/contract";
import { findProvider } from "@tidings/providers";
import type { JsonObject } from "../../lib/json.ts";
import type { StoredDetail } from "../../store/tables.ts";
import { catalogue, findEntry } from "../steps/catalogue.ts";
import {
  deadLetterText,
  doubtText,
  type KnownIntegrations,
  pausedText,
  refusedText,
  retryText,
  suppressedText,
} from "./delivery-text.ts";
import type { DetailName } from "./details.ts";
import { conditionReason } from "./text/condition-text.ts";

/** `dry-run` says "would be" where the past says "was". */
type Tense = "past" | "dry-run";

export type DescribedJob = {
  step: { stepId: string; name: string; type: StepType };
  status: JobStatus;
  details: readonly StoredDetail[];
  providerId: string | null;
  wakeAt: Date | null;
};

export type TextSettings = {
  tense: Tense;
  /** Identifier of the workflow. */
  workflow: string;
  /** Transaction whose digest this notification was merged into. */
  leader?: string;
  /** The integrations that the details name, by id. */
  integrations?: KnownIntegrations;
  /** What the subscriber is called; default: "the subscriber". */
  person?: string;
};

export type StepSummary = {
  outcome: StepOutcome;
  reason: string;
  /** The name of the detail that decided. */
  code: string | null;
  at: Date | null;
  until: Date | null;
};

/** The steps around one: the step before it that has not ended, and the channels that are sent after it. */
export type StepPlace = { blockedBy?: DescribedJob["step"]; next: readonly Channel[] };

const channelWords: Record<Channel, { subject: string; word: string }> = {
  in_app: { subject: "In-app message", word: "in-app" },
  email: { subject: "Email", word: "email" },
  sms: { subject: "SMS", word: "SMS" },
  push: { subject: "Push message", word: "push" },
  chat: { subject: "Chat message", word: "chat" },
};

const subjectOf = ({ type, stepId }: DescribedJob["step"]): string =>
  isChannel(type) ? channelWords[type].subject : `The ${type} step ${stepId}`;

export function describeStep(job: DescribedJob, settings: TextSettings, place: StepPlace): StepSummary {
  const { status, details } = job;
  const outcome = outcomeOf(job);
  const last = decidingDetail(job);
  const untilText =
    nextTryOf(last, outcome, settings) ?? job.wakeAt?.toISOString() ?? last?.r?.until ?? lastUntil(details);
  return {
    outcome,
    reason: reasonText(job, outcome, last, settings, place),
    code: status === "pending" ? null : (last?.d ?? null),
    at: status === "pending" || !last ? null : new Date(last.t),
    until: typeof untilText === "string" ? new Date(untilText) : null,
  };
}

/** As in `describeStep`, without the text. */
export function outcomeCode(job: Omit<DescribedJob, "providerId" | "wakeAt">): Pick<StepSummary, "outcome" | "code"> {
  return { outcome: outcomeOf(job), code: job.status === "pending" ? null : (decidingDetail(job)?.d ?? null) };
}

/** A message that waits for its provider is tried again when the circuit breaker lets one through. */
function nextTryOf(
  last: StoredDetail | undefined,
  outcome: StepOutcome,
  { integrations }: TextSettings,
): string | undefined {
  if (outcome !== "waiting" || last?.d !== "waiting_for_provider") return undefined;
  return integrations?.get(String(last.r?.integrationId))?.nextTryAt;
}

function reasonText(
  job: DescribedJob,
  outcome: StepOutcome,
  last: StoredDetail | undefined,
  settings: TextSettings,
  { blockedBy, next }: StepPlace,
): string {
  const { step, wakeAt } = job;
  const isPast = settings.tense === "past";
  if (isPast && outcome === "pending" && blockedBy) return `${subjectOf(step)}: waiting for "${blockedBy.name}"`;
  const waiting = isPast && outcome === "waiting" && last && findEntry(last)?.waiting;
  if (waiting && wakeAt) return waiting(wakeAt.toISOString(), nextText(next), last.r ?? {}, personOf(settings));
  return `${subjectOf(step)} ${predicate(job, outcome, last, settings)}`;
}

const personOf = ({ person }: TextSettings): string => person ?? "the subscriber";

const wordsOf = (settings: TextSettings) => ({
  person: personOf(settings),
  be: settings.tense === "past" ? ("was" as const) : ("is" as const),
});

/** What a digest leads to: "one email", "one email and one SMS". */
function nextText(next: readonly Channel[]): string {
  const words = [...new Set(next)].map((channel) => `one ${lowerFirst(channelWords[channel].subject)}`);
  if (words.length === 0) return "it goes on";
  return words.length === 1 ? words[0]! : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
}

const lastUntil = (details: readonly StoredDetail[]): unknown =>
  details.findLast((one) => findEntry(one)?.isWait)?.r?.until;

const askingDetails: ReadonlySet<string> = new Set(["bridge_asked", "bridge_retry", "request_queued", "request_retry"]);

/** The step waits for a response of its bridge, or to its HTTP request. */
const isAsking = ({ status, details }: Pick<DescribedJob, "status" | "details">): boolean =>
  status === "queued" && askingDetails.has(details.at(-1)?.d ?? "");

function outcomeOf({ step, status, details }: Pick<DescribedJob, "step" | "status" | "details">): StepOutcome {
  if (isAsking({ status, details })) return "waiting";
  if (status === "completed") return isChannel(step.type) ? "sent" : "done";
  if (status === "delayed") return "waiting";
  if (status === "queued" || status === "running") return "sending";
  return status;
}

/** Details that do not explain the outcome: notes on a decision, and marks after the message was sent. */
const nonDecidingDetails: ReadonlySet<string> = new Set<DetailName>([
  "step_created",
  "condition_passed",
  "severity_overridden",
  "override_ignored",
  "tenant_selected",
  "layout_selected",
  "words_missing",
  "seen",
  "read",
  "snoozed",
  "unsnoozed",
  "expired",
  "some_chats_failed",
  "some_devices_failed",
  "taken_back_in_flight",
  "taken_back_removed",
  "taken_back_replaced",
  "taken_back_deleted",
  "taken_back_edited",
  "taken_back_removal_sent",
  "taken_back_corrected",
  "taken_back_cannot_unsend",
  "taken_back_failed",
  "superseded",
]);

const isReport = (detail: StoredDetail): boolean => findEntry(detail)?.source === "Webhook";

/** Names of details that do not explain an outcome, for queries. */
export const ignoredDetails = (): string[] => [
  ...nonDecidingDetails,
  ...Object.entries(catalogue).flatMap(([name, { source }]) => (source === "Webhook" ? name : [])),
];

/** A merged step is only canceled after its digest has closed. */
const isCancel = ({ d }: StoredDetail): boolean => d === "step_canceled";

function decidingDetail({ status, details }: Pick<DescribedJob, "status" | "details">): StoredDetail | undefined {
  if (status === "completed") {
    const sent = details.findLast(({ d }) => d === "message_sent");
    if (sent) return sent;
  }
  // What the provider said to a call in flight is stored after it, and changes nothing.
  if (status === "canceled") {
    const canceled = details.findLast(isCancel);
    if (canceled) return canceled;
  }
  const isAfterwards = (entry: StoredDetail) => status === "merged" && isCancel(entry);
  return details.findLast((entry) => !nonDecidingDetails.has(entry.d) && !isReport(entry) && !isAfterwards(entry));
}

function predicate(
  job: DescribedJob,
  outcome: StepOutcome,
  last: StoredDetail | undefined,
  settings: TextSettings,
): string {
  const { step, providerId, wakeAt } = job;
  const past = settings.tense === "past";
  const be = (verb: string) => (past ? `was ${verb}` : `would be ${verb}`);
  const reason = last ? reasonOf(last, step.type, settings) : "no reason was stored";
  const delivery = past && last ? deliveryText(last, job, settings) : undefined;
  switch (outcome) {
    case "sent":
      if (providerId && findProvider(providerId)?.capture) return be("captured in the mailbox");
      return be("sent") + (providerId ? ` through ${providerId}` : "") + receiptText(job);
    case "done":
      return `${past ? "ended" : "would end"}: ${reason}`;
    case "waiting": {
      if (delivery) return `waits: ${delivery}`;
      const until = wakeAt ? ` until ${wakeAt.toISOString()}` : "";
      return `${past ? "waits" : "would wait"}${until}: ${reason}`;
    }
    case "sending":
      return "is on its way to the provider";
    case "merged": {
      if (settings.leader === undefined) return `${be("merged")} into a digest that waits already`;
      const late = job.details.some(isCancel) ? ", which had closed when this event was canceled" : "";
      return `${be("merged")} into the digest of transaction ${settings.leader}${late}`;
    }
    case "pending":
      return past ? "has not begun: a step before it has not ended" : "would not begin";
    default:
      if (!isChannel(step.type) && outcome === "failed") return `${past ? "failed" : "would fail"}: ${reason}`;
      if (!isChannel(step.type)) return `${be(outcome)}: ${reason}`;
      if (delivery) return `was not delivered: ${delivery}`;
      if (outcome === "canceled") {
        const doubt = doubtText(job.details, settings.integrations ?? new Map());
        if (doubt) return `may have been sent: ${doubt}, and then ${reason}`;
      }
      return `${past ? "was not sent" : "would not be sent"}: ${reason}`;
  }
}

/** What the delivery waits for, or failed with; undefined where the provider has no part in it. */
function deliveryText(
  last: StoredDetail,
  { details }: DescribedJob,
  { integrations = new Map() }: TextSettings,
): string | undefined {
  if (last.d === "waiting_for_provider") return pausedText(last, details, integrations);
  if (last.d === "provider_retry") return retryText(last, integrations);
  // If several devices or chats all failed, the last one explains why.
  const isSummary = last.d === "all_devices_failed" || last.d === "all_chats_failed";
  const letter = isSummary ? details.findLast(({ d }) => d === "dead_letter") : last;
  return letter?.d === "dead_letter" ? deadLetterText(letter, details, integrations) : undefined;
}

/** The last receipt of the provider, or the end of an in-app message. */
function receiptText({ details }: DescribedJob): string {
  const report = details.findLast((entry) => isReport(entry) || entry.d === "expired" || isTakenBack(entry));
  if (!report) return "";
  const reason = isTakenBack(report) && typeof report.r?.reason === "string" ? ` (${report.r.reason})` : "";
  return `, and then: ${lowerFirst(textOf(report))}${reason}`;
}

/** What a retraction or a later event did with the message. */
const isTakenBack = ({ d }: StoredDetail): boolean => d.startsWith("taken_back_") || d === "superseded";

type ReasonText = (raw: JsonObject, type: StepType, settings: TextSettings) => string | undefined;

const wordOf = (type: StepType): string => (isChannel(type) ? channelWords[type].word : type);
const contextText = ({ contextKeys }: JsonObject): string =>
  Array.isArray(contextKeys) && contextKeys.length > 0 ? ` in the context ${contextKeys.join(", ")}` : "";

const sinceText = ({ since }: JsonObject): string => (typeof since === "string" ? ` since ${since}` : "");

const reasonTexts: Readonly<Record<string, ReasonText | undefined>> = {
  filtered_by_workflow: (_raw, type, { workflow }) => `workflow ${workflow} turns ${wordOf(type)} off by default`,
  filtered_by_dashboard: (_raw, type, { workflow }) =>
    `${wordOf(type)} was turned off for workflow ${workflow} in its preferences`,
  filtered_by_category: ({ category }, type) => `the category ${category} turns ${wordOf(type)} off by default`,
  filtered_by_subscriber_category: (raw, type) =>
    `the category ${raw.category} is off for ${wordOf(type)}: the subscriber's choice${contextText(raw)}${sinceText(raw)}`,
  filtered_by_subscriber_global: (raw, type) =>
    `subscriber turned ${wordOf(type)} off for all workflows${contextText(raw)}`,
  filtered_by_subscriber_workflow: (raw, type, { workflow }) =>
    `subscriber turned ${wordOf(type)} off for workflow ${workflow}${contextText(raw)}`,
  skipped_by_condition: (raw, _type, { tense }) => conditionReason(raw, tense === "past" ? "was" : "is"),
  arm_not_taken: ({ branch, arm, taken, reason }) =>
    `it belongs to the arm ${arm} of ${branch}, and ${taken === undefined ? reason : `the run took the arm ${taken}`}`,
  outside_schedule: ({ opensAt, reason }, _type, { workflow }) =>
    opensAt === undefined
      ? `it is outside the subscriber's schedule: ${reason}`
      : `it is outside the subscriber's schedule, which opens at ${opensAt}, and workflow ${workflow} does not wait`,
  step_held: () => "it is outside the subscriber's schedule",
  step_canceled: ({ reason }) => (typeof reason === "string" ? reason : undefined),
} satisfies Partial<Record<DetailName, ReasonText>>;

function reasonOf(stored: StoredDetail, type: StepType, settings: TextSettings): string {
  if (stored.d === "recipient_refused") return refusedText(stored, type);
  const text =
    stored.d === "recipient_suppressed"
      ? suppressedText(stored, type)
      : (findEntry(stored)?.reason?.(stored.r ?? {}, wordsOf(settings)) ??
        reasonTexts[stored.d]?.(stored.r ?? {}, type, settings));
  return text ?? withReason(lowerFirst(textOf(stored)), stored.r?.reason);
}

const withReason = (text: string, reason: unknown): string =>
  typeof reason === "string" && reason !== "" ? `${text}: ${reason}` : text;

const textOf = (stored: StoredDetail): string => findEntry(stored)?.text ?? stored.d;

/** "SMS" stays unchanged. */
const lowerFirst = (text: string): string =>
  /^\p{Lu}{2}/u.test(text) ? text : text.charAt(0).toLowerCase() + text.slice(1);

/** The whole notification in one sentence: the outcome of its channel steps, or the wait before them. */
export function summarizeSteps(steps: readonly { step: DescribedJob["step"]; summary: StepSummary }[]): string {
  const merged = steps.find(({ summary }) => summary.outcome === "merged");
  const waiting = steps.find(({ step, summary }) => summary.outcome === "waiting" && !isChannel(step.type));
  const channelSteps = steps.filter(
    // Steps of other arms say nothing that the branch does not say.
    ({ step, summary }) => isChannel(step.type) && summary.outcome !== "pending" && summary.code !== "arm_not_taken",
  );
  const parts = [
    ...channelSteps.filter(({ summary }) => summary.outcome !== "merged").map(({ summary }) => summary.reason),
    ...(merged ? [merged.summary.reason] : []),
    ...(waiting ? [waiting.summary.reason] : []),
  ];
  // Without channel steps, the last step describes the notification.
  if (parts.length === 0) parts.push(...steps.slice(-1).map(({ summary }) => summary.reason));
  const sentence = [...new Set(parts)].map((part, index) => (index === 0 ? part : lowerFirst(part))).join("; ");
  return `${sentence || "The workflow has no active steps"}.`;
}
