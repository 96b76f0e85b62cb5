// What became of a step, and of a notification, in sentences: from the details that its job stored, or from those that a
// dry-run made. Every "no" names who said it. Pure.
import { type Channel, isChannel, type JobStatus, type StepOutcome, type StepType } from "@tidings/contract";
import type { StoredDetail } from "../../store/tables.ts";
import { details as catalogue, type DetailName } from "./details.ts";

/** `dry-run` says "would be" where the past says "was". */
export type Tense = "past" | "dry-run";

export type Told = {
  step: { stepId: string; name: string; type: StepType };
  status: JobStatus;
  details: readonly StoredDetail[];
  providerId: string | null;
  wakeAt: Date | null;
};

export type Setting = {
  tense: Tense;
  /** Identifier of the workflow. */
  workflow: string;
  /** Transaction whose digest took this notification in. */
  leader?: string;
};

export type StepStory = { outcome: StepOutcome; reason: string; at: Date | null; until: Date | null };

const channelWords: Record<Channel, { subject: string; word: string }> = {
  in_app: { subject: "In-app message", word: "in-app" },
  email: { subject: "Email", word: "email" },
  sms: { subject: "SMS", word: "SMS" },
  push: { subject: "Push message", word: "push" },
  chat: { subject: "Chat message", word: "chat" },
};

export const subjectOf = ({ type, stepId }: Told["step"]): string =>
  isChannel(type) ? channelWords[type].subject : `The ${type} step ${stepId}`;

export function tellStep(told: Told, setting: Setting): StepStory {
  const { step, status, details } = told;
  const outcome = outcomeOf(told);
  const last = decidingDetail(told);
  const untilText = told.wakeAt?.toISOString() ?? last?.r?.until ?? lastUntil(details);
  return {
    outcome,
    reason: `${subjectOf(step)} ${predicate(told, outcome, last, setting)}`,
    at: status === "pending" || !last ? null : new Date(last.t),
    until: typeof untilText === "string" ? new Date(untilText) : null,
  };
}

const lastUntil = (details: readonly StoredDetail[]): unknown =>
  details.findLast(({ d }) => waits.has(d as DetailName))?.r?.until;

const waits = new Set<DetailName>(["step_delayed", "step_digested", "step_held"]);

function outcomeOf({ step, status }: Told): StepOutcome {
  if (status === "completed") return isChannel(step.type) ? "sent" : "done";
  if (status === "delayed") return "waiting";
  if (status === "queued" || status === "running") return "sending";
  return status;
}

/** What is said about a message after it was sent, or beside a decision, decides nothing. */
const beside = new Set<DetailName>([
  "step_created",
  "condition_passed",
  "severity_overridden",
  "override_ignored",
  "tenant_selected",
  "layout_selected",
  "seen",
  "read",
  "snoozed",
  "unsnoozed",
  "some_chats_failed",
  "some_devices_failed",
]);

function decidingDetail({ status, details }: Told): StoredDetail | undefined {
  const isReport = ({ d }: StoredDetail) => catalogue[d as DetailName]?.source === "Webhook";
  if (status === "completed") {
    const sent = details.findLast(({ d }) => d === "message_sent");
    if (sent) return sent;
  }
  return details.findLast((entry) => !beside.has(entry.d as DetailName) && !isReport(entry));
}

function predicate(told: Told, outcome: StepOutcome, last: StoredDetail | undefined, setting: Setting): string {
  const { step, providerId, wakeAt } = told;
  const past = setting.tense === "past";
  const be = (verb: string) => (past ? `was ${verb}` : `would be ${verb}`);
  const because = last ? becauseOf(last, step.type, setting) : "no reason was stored";
  switch (outcome) {
    case "sent":
      return be("sent") + (providerId ? ` through ${providerId}` : "") + reported(told);
    case "done":
      return `${past ? "ended" : "would end"}: ${because}`;
    case "waiting": {
      const until = wakeAt ? ` until ${wakeAt.toISOString()}` : "";
      return `${past ? "waits" : "would wait"}${until}: ${because}`;
    }
    case "sending":
      return "is on its way to the provider";
    case "merged":
      return setting.leader === undefined
        ? `${be("merged")} into a digest that waits already`
        : `${be("merged")} into the digest of transaction ${setting.leader}`;
    case "pending":
      return past ? "has not begun: a step before it has not ended" : "would not begin";
    default:
      if (!isChannel(step.type)) return `${be(outcome)}: ${because}`;
      return `${past ? "was not sent" : "would not be sent"}: ${because}`;
  }
}

/** What the provider reported after it had taken the message. */
function reported({ details }: Told): string {
  const report = details.findLast(({ d }) => catalogue[d as DetailName]?.source === "Webhook");
  return report ? `, and then: ${lowerFirst(textOf(report))}` : "";
}

type Because = (raw: Record<string, unknown>, type: StepType, setting: Setting) => string | undefined;

const wordOf = (type: StepType): string => (isChannel(type) ? channelWords[type].word : type);
const inContexts = ({ contextKeys }: Record<string, unknown>): string =>
  Array.isArray(contextKeys) && contextKeys.length > 0 ? ` in the context ${contextKeys.join(", ")}` : "";

const because: Partial<Record<DetailName, Because>> = {
  filtered_by_workflow: (_raw, type, { workflow }) => `workflow ${workflow} turns ${wordOf(type)} off by default`,
  filtered_by_dashboard: (_raw, type, { workflow }) =>
    `${wordOf(type)} was turned off for workflow ${workflow} in its preferences`,
  filtered_by_subscriber_global: (raw, type) =>
    `subscriber turned ${wordOf(type)} off for all workflows${inContexts(raw)}`,
  filtered_by_subscriber_workflow: (raw, type, { workflow }) =>
    `subscriber turned ${wordOf(type)} off for workflow ${workflow}${inContexts(raw)}`,
  skipped_by_condition: ({ rule, filters, values }) =>
    filters === undefined
      ? `its skip condition is met: ${shown(rule)}${withValues(values)}`
      : `its filters do not match: ${shown(filters)}${withValues(values)}`,
  outside_schedule: ({ opensAt, reason }, _type, { workflow }) =>
    opensAt === undefined
      ? `it is outside the subscriber's schedule: ${reason}`
      : `it is outside the subscriber's schedule, which opens at ${opensAt}, and workflow ${workflow} does not wait`,
  step_held: () => "it is outside the subscriber's schedule",
  throttled: ({ threshold, throttledUntil }) =>
    `the throttle let ${threshold} through in the window that ends at ${throttledUntil}`,
  digest_sent_on: ({ eventCount }) => `it sent ${eventCount === 1 ? "1 event" : `${eventCount} events`} on`,
  digest_alone: () => "it is the first event in the look-back window, and goes on alone",
  step_digested: ({ reason }) =>
    reason === undefined ? "it collects events of its group" : `it collects events of its group, ${reason}`,
  step_canceled: ({ reason }) => (typeof reason === "string" ? reason : undefined),
};

function becauseOf(stored: StoredDetail, type: StepType, setting: Setting): string {
  const words = because[stored.d as DetailName]?.(stored.r ?? {}, type, setting);
  return words ?? withReason(lowerFirst(textOf(stored)), stored.r?.reason);
}

const withReason = (text: string, reason: unknown): string =>
  typeof reason === "string" && reason !== "" ? `${text}: ${reason}` : text;

const textOf = ({ d }: StoredDetail): string => catalogue[d as DetailName]?.text ?? d;

/** "SMS" stays as it is. */
const lowerFirst = (text: string): string =>
  /^\p{Lu}{2}/u.test(text) ? text : text.charAt(0).toLowerCase() + text.slice(1);

const longestShown = 300;

function shown(value: unknown): string {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.length <= longestShown ? text : `${text.slice(0, longestShown).toWellFormed()}…`;
}

function withValues(values: unknown): string {
  const pairs = Object.entries((values ?? {}) as Record<string, unknown>);
  return pairs.length === 0 ? "" : `, with ${pairs.map(([path, value]) => `${path} = ${shown(value)}`).join(", ")}`;
}

/** The whole notification in one sentence: what its channels did, or what it waits for before they can. */
export function verdictOf(stories: readonly { step: Told["step"]; story: StepStory }[]): string {
  const merged = stories.find(({ story }) => story.outcome === "merged");
  const waiting = stories.find(({ step, story }) => story.outcome === "waiting" && !isChannel(step.type));
  const told = stories.filter(({ step, story }) => isChannel(step.type) && story.outcome !== "pending");
  const parts = [
    ...told.filter(({ story }) => story.outcome !== "merged").map(({ story }) => story.reason),
    ...(merged ? [merged.story.reason] : []),
    ...(waiting ? [waiting.story.reason] : []),
  ];
  // A workflow whose steps send nothing still ends somehow.
  if (parts.length === 0) parts.push(...stories.slice(-1).map(({ story }) => story.reason));
  const sentence = [...new Set(parts)].map((part, index) => (index === 0 ? part : lowerFirst(part))).join("; ");
  return `${sentence || "The workflow has no active steps"}.`;
}
