// Words of a workflow's objectives.
import type { ObjectiveKind, ObjectiveState } from "@tidings/contract";

const percentText = (value: number): string => `${Number(value.toFixed(2))} %`;
const plural = (count: number, one: string, many: string): string =>
  `${count.toLocaleString("en")} ${count === 1 ? one : many}`;

const reasons: Record<ObjectiveState["leftOut"][number]["reason"], string> = {
  no_provider: "not handed to a provider",
  captured: "kept in the mailbox",
  no_delivery_reports: "no delivery reports",
};

export const words = {
  form: "Objectives",
  formText: "What this workflow should achieve over 30 days. An alert rule can tell you when it does not.",
  names: { handedOver: "Handed to the provider in time", delivered: "Delivered" } satisfies Record<
    ObjectiveKind,
    string
  >,
  percent: { handedOver: "Messages in time, in percent", delivered: "Messages delivered, in percent" },
  percentFault: "A number from 50 to 99.99, with at most two decimals",
  within: "Within",
  seconds: {
    1: "1 second",
    5: "5 seconds",
    10: "10 seconds",
    30: "30 seconds",
    60: "1 minute",
    300: "5 minutes",
  },
  handedOverHint: "Counted from the creation of the message: delays, digests and quiet hours do not count.",
  deliveredHint: "In-app messages are delivered at once. Providers that report no deliveries do not count.",
  none: "No objectives yet",
  noneText: "Choose one and save. Its error budget is shown here.",
  titleOf: ({ kind, percent, withinSeconds }: ObjectiveState): string =>
    kind === "handedOver"
      ? `${percentText(percent)} handed over within ${withinSeconds} s`
      : `${percentText(percent)} delivered`,
  measured: "Last 30 days",
  noMessages: "No messages in the last 30 days",
  measuredText: ({ good, bad, measuredPercent }: ObjectiveState): string =>
    `${percentText(measuredPercent ?? 100)} – ${plural(bad, "message", "messages")} of ${(good + bad).toLocaleString("en")} missed it`,
  budget: "Error budget left",
  budgetText: (left: number): string => (left > 0 ? percentText(left * 100) : "Used up"),
  windowName: (hours: number): string => (hours === 1 ? "Last hour" : `Last ${hours} hours`),
  burnText: (rate: number | null): string => (rate === null ? "no messages" : `${rate} × the allowed rate`),
  leftOut: "Not measured",
  leftOutText: (messages: number, reason: keyof typeof reasons): string =>
    `${plural(messages, "message", "messages")}: ${reasons[reason]}`,
  paceOf: ({ budgetLeft, usedUpInDays, windows }: ObjectiveState): string => {
    if (budgetLeft === null) return "Nothing to measure yet.";
    if (budgetLeft <= 0) return "The budget of 30 days is used up: the objective is missed.";
    const rate = windows.find(({ hours }) => hours === 24)?.burnRate ?? null;
    if (rate === null) return "No messages in the last 24 hours.";
    if (usedUpInDays === null) return "Nothing went wrong in the last 24 hours.";
    if (rate <= 1) return "At this pace the objective is met.";
    return usedUpInDays < 1
      ? "At this pace the budget of 30 days is used up within a day."
      : `At this pace the budget of 30 days is used up in ${plural(Math.round(usedUpInDays), "day", "days")}.`;
  },
} as const;
