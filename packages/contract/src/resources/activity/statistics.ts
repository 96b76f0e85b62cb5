// Statistics: what was sent, and what was not, by hour or by day.
import { channels } from "../../common.ts";
import { operation } from "../../operation.ts";
import { isoTime, named, nullableString, oneOf, type Static, Type } from "../../schema.ts";

const Latency = named("StatisticsLatency", {
  p50: Type.Number({ description: "In ms, estimated from classes" }),
  p95: Type.Number(),
});

const Held = named(
  "StatisticsHeld",
  {
    rolledUp: Type.Integer({ description: "Became items of roll-ups. Roll-ups are among the sent messages" }),
    dropped: Type.Integer(),
    delayed: Type.Integer({
      description:
        "Waited for a place, counted when they began to wait. They are among the sent messages once they are",
    }),
    share: Type.Number({ description: "The share of all messages that were due, from 0 to 1" }),
  },
  { description: "Messages that the attention budget held; absent if there are none" },
);

const figures = {
  sent: Type.Integer({
    description: "Messages that a provider accepted or that are in the feed, without captured ones",
  }),
  captured: Type.Integer({
    description: "Messages kept in a capture provider's mailbox; nobody receives them",
  }),
  delivered: Type.Integer({
    description: "Sent messages that are in the feed or that the provider reported as delivered",
  }),
  opened: Type.Integer({ description: "Sent messages that were read in the inbox, or reported as opened or clicked" }),
  failed: Type.Integer(),
  refused: Type.Integer({
    description:
      "Failed messages that a provider refused, bounced or did not respond to. The others failed before a provider " +
      "was called, for example because an address was missing",
  }),
  failedAttempts: Type.Integer({
    description:
      "Calls to a provider that failed, by the provider that was called. Their messages may wait for another attempt or have " +
      "been sent since",
  }),
  skipped: Type.Record(Type.String(), Type.Integer(), {
    description:
      "Steps that sent nothing, by reason, such as `skipped_by_condition` or `filtered_by_subscriber_global`. With " +
      "those that the attention budget rolled up (`attention_rolled_up`) or dropped (`attention_dropped`)",
  }),
  held: Type.Optional(Held),
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
  oldestAt: Type.Optional(isoTime("When the oldest of them was created")),
};

const Waiting = named(
  "StatisticsWaiting",
  {
    ...waitingFigures,
    providers: Type.Array(
      named("ProviderWaiting", { channel: oneOf(channels), providerId: Type.String(), ...waitingFigures }),
      { description: "Most frequent first" },
    ),
  },
  {
    description:
      "Messages waiting now, regardless of the range: for an integration that does not respond, or for their next " +
      "attempt. Absent with `workflowId`",
  },
);
export type StatisticsWaiting = Static<typeof Waiting>;

/** Entries of one list of a breakdown: those with the most messages. */
export const maxStatisticsGroups = 50;

export const granularities = ["hour", "day"] as const;
export const maxStatisticsDays = { hour: 31, day: 400 };

export const statisticsOperations = {
  "statistics.list": operation({
    id: "statistics.list",
    method: "GET",
    path: "/v1/statistics",
    isFromReplica: true,
    summary: "Retrieve statistics by hour or by day",
    description:
      "Messages are counted in the hour in which they were created, in real time (UTC). Every hour is counted when " +
      "it has ended and again a day later, to include what providers and readers have reported since. The current " +
      "hour is counted on request, from its newest 50,000 messages.",
    category: "configuration",
    query: Type.Object({
      from: Type.Optional(Type.String({ format: "iso-time", description: "Default: 24 hours ago" })),
      to: Type.Optional(Type.String({ format: "iso-time", description: "Default: now" })),
      workflowId: Type.Optional(Type.String({ minLength: 1, description: "Internal id or identifier" })),
      channel: Type.Optional(oneOf(channels)),
      providerId: Type.Optional(Type.String({ minLength: 1, description: "Skipped steps have no provider" })),
      granularity: Type.Optional(oneOf(granularities, { default: "hour" })),
      breakdown: Type.Optional(
        Type.Boolean({ default: false, description: "Include the totals by workflow, by channel and by provider" }),
      ),
    }),
    success: {
      status: 200,
      schema: named("Statistics", {
        granularity: oneOf(granularities),
        data: Type.Array(StatisticsBucket, {
          description: "Oldest first, including empty ones; at most 31 days by hour or 400 days by day",
        }),
        totals: named("StatisticsTotals", figures),
        breakdown: Type.Optional(Breakdown),
        waiting: Type.Optional(Waiting),
      }),
    },
    errors: [],
  }),
};
