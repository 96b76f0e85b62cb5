// Statistics: what was sent, and what was not, by hour or by day.
import { channels } from "../../common.ts";
import { operation } from "../../operation.ts";
import { isoTime, named, nullableString, oneOf, type Static, Type } from "../../schema.ts";

const Latency = named("StatisticsLatency", {
  p50: Type.Number({ description: "In ms, estimated from classes" }),
  p95: Type.Number(),
});

const figures = {
  sent: Type.Integer({
    description: "Messages that a provider accepted, or that are in the feed. Captured ones are not among them",
  }),
  captured: Type.Integer({
    description: "Messages that the mailbox of a capture provider keeps; nobody gets them",
  }),
  delivered: Type.Integer({ description: "Of these, in the feed or reported as delivered by the provider" }),
  opened: Type.Integer({ description: "Of these, read in the inbox, or reported as opened or clicked" }),
  failed: Type.Integer(),
  refused: Type.Integer({
    description:
      "Of the failed ones, those that a provider refused, bounced or did not answer. The others failed before a provider was " +
      "called, such as for want of an address",
  }),
  failedAttempts: Type.Integer({
    description:
      "Calls to a provider that failed, by the provider that was called. Their messages may wait for another attempt or have " +
      "been sent since",
  }),
  skipped: Type.Record(Type.String(), Type.Integer(), {
    description:
      "Steps that sent nothing, by reason, such as `skipped_by_condition` or `filtered_by_subscriber_global`",
  }),
  latency: Type.Optional(Latency),
};

export const StatisticsBucket = named("StatisticsBucket", { start: isoTime("Begin of the hour or day"), ...figures });
export type StatisticsBucket = Static<typeof StatisticsBucket>;

const Breakdown = named("StatisticsBreakdown", {
  workflows: Type.Array(
    named("WorkflowStatistics", {
      _id: Type.String(),
      workflowId: nullableString({ description: "Identifier; null when the workflow was deleted" }),
      name: nullableString(),
      ...figures,
    }),
  ),
  channels: Type.Array(named("ChannelStatistics", { channel: oneOf(channels), ...figures })),
  providers: Type.Array(
    named("ProviderStatistics", {
      providerId: nullableString({ description: "null: no provider was called" }),
      channel: oneOf(channels),
      ...figures,
    }),
  ),
});
export type StatisticsBreakdown = Static<typeof Breakdown>;

const waitingFigures = {
  count: Type.Integer({ description: "Counted up to 100,000" }),
  oldestAt: Type.Optional(isoTime("When the oldest of them was made")),
};

const Waiting = named(
  "StatisticsWaiting",
  {
    ...waitingFigures,
    providers: Type.Array(
      named("ProviderWaiting", { channel: oneOf(channels), providerId: Type.String(), ...waitingFigures }),
      { description: "The most first" },
    ),
  },
  {
    description:
      "Messages that wait now, whatever the range: for an integration that does not answer, or for their next attempt. Missing " +
      "with `workflowId`",
  },
);
export type StatisticsWaiting = Static<typeof Waiting>;

/** Entries of one list of a breakdown: those with the most messages. */
export const mostStatisticsGroups = 50;

export const granularities = ["hour", "day"] as const;
export const mostStatisticsDays = { hour: 31, day: 400 };

export const statisticsOperations = {
  "statistics.list": operation({
    id: "statistics.list",
    method: "GET",
    path: "/v1/statistics",
    summary: "Retrieve statistics by hour or by day",
    description:
      "Messages are counted in the hour in which they were made, in real time (UTC). Every hour is counted when it has ended " +
      "and once more a day later, with what providers and readers reported since. The current hour is counted with the " +
      "request, from its newest 50,000 messages.",
    category: "configuration",
    query: Type.Object({
      from: Type.Optional(Type.String({ format: "iso-time", description: "Default: 24 hours ago" })),
      to: Type.Optional(Type.String({ format: "iso-time", description: "Default: now" })),
      workflowId: Type.Optional(Type.String({ minLength: 1, description: "Internal id or identifier" })),
      channel: Type.Optional(oneOf(channels)),
      providerId: Type.Optional(Type.String({ minLength: 1, description: "Skipped steps have no provider" })),
      granularity: Type.Optional(oneOf(granularities, { default: "hour" })),
      breakdown: Type.Optional(
        Type.Boolean({ default: false, description: "Also the totals by workflow, by channel and by provider" }),
      ),
    }),
    success: {
      status: 200,
      schema: named("Statistics", {
        granularity: oneOf(granularities),
        data: Type.Array(StatisticsBucket, {
          description: "Oldest first, with empty ones: at most 31 days of hours, or 400 days",
        }),
        totals: named("StatisticsTotals", figures),
        breakdown: Type.Optional(Breakdown),
        waiting: Type.Optional(Waiting),
      }),
    },
    errors: [],
  }),
};
