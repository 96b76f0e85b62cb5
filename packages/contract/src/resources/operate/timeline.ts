// The timeline of an environment: what waits for a time, and the messages that were made last.
import { ChannelWord, StepTypeWord } from "../../common.ts";
import { operation } from "../../operation.ts";
import { isoTime, named, nullableString, oneOf, type Static, Type } from "../../schema.ts";
import { EnvironmentClock } from "./environments.ts";

/** Runs and messages that wait, of which one request looks at the first. */
export const mostWaitingLooked = 2_000;

/** Messages of which one request looks at the newest. */
export const mostResultsLooked = 500;

/** Events of one digest that are counted. */
export const mostDigestEventsCounted = 1_000;

export const timelineWaits = ["delay", "digest", "schedule", "retry", "snooze"] as const;
export type TimelineWaitKind = (typeof timelineWaits)[number];

const place = {
  at: isoTime("The moment, or the first of the entry"),
  until: isoTime("The last moment of the entry: entries of a minute are one in real time"),
  workflow: named("TimelineWorkflow", { _id: Type.String(), workflowId: Type.String(), name: Type.String() }),
  step: named("TimelineStep", {
    _id: Type.String(),
    stepId: Type.String(),
    name: Type.String(),
    type: StepTypeWord,
  }),
  count: Type.Integer({ description: "How many runs or messages" }),
  people: Type.Array(
    named("TimelinePerson", {
      subscriberId: nullableString({ description: "null: the subscriber was deleted" }),
      transactionId: Type.String(),
    }),
    { description: "Of the first three" },
  ),
};

export const TimelineWait = named("TimelineWait", {
  ...place,
  kind: oneOf(timelineWaits, {
    description:
      "`delay` and `digest`: of these steps. `schedule`: a channel step waits until the subscriber's schedule opens. " +
      "`retry`: a message waits for its next attempt. `snooze`: a message returns to the inbox",
  }),
  events: Type.Optional(
    Type.Integer({
      description: `Events that the digests have collected; of each counted up to ${mostDigestEventsCounted.toLocaleString("en-US")}`,
    }),
  ),
});
export type TimelineWait = Static<typeof TimelineWait>;

export const TimelineResult = named("TimelineResult", {
  ...place,
  channel: ChannelWord,
  outcome: oneOf(["sent", "sending", "failed"]),
  title: Type.String({ description: "Subject of the first message, or the beginning of its content" }),
});
export type TimelineResult = Static<typeof TimelineResult>;

export const timelineOperations = {
  "environments.retrieveTimeline": operation({
    id: "environments.retrieveTimeline",
    method: "GET",
    path: "/v2/environments/{environmentId}/timeline",
    summary: "Retrieve what waits in an environment, and what was sent last",
    description:
      "On a test clock, what waits for the same moment in the same step is one entry; in real time, what waits for the same " +
      `minute. One request looks at the first ${mostWaitingLooked.toLocaleString("en-US")} runs and messages that wait, and at the ` +
      `newest ${mostResultsLooked} messages. See docs/testing.md.`,
    category: "global",
    params: Type.Object({ environmentId: Type.String({ description: "Id or identifier" }) }),
    query: Type.Object({
      after: Type.Optional(Type.String({ description: "`next` of the page before: what waits behind it" })),
      limit: Type.Optional(
        Type.Integer({ minimum: 1, maximum: 100, default: 50, description: "Entries of each of the two lists" }),
      ),
    }),
    success: {
      status: 200,
      schema: named("EnvironmentTimeline", {
        clock: EnvironmentClock,
        waiting: Type.Array(TimelineWait, { description: "Soonest first" }),
        next: nullableString({ description: "Cursor of the next page of `waiting`; null when there is none" }),
        isCapped: Type.Boolean({
          description: "More waits than was looked at: `next` leads on, and a number that reaches the limit is too low",
        }),
        results: Type.Array(TimelineResult, { description: "Oldest first, the newest entry last" }),
      }),
    },
    errors: ["ENVIRONMENT_NOT_FOUND", "FORBIDDEN"],
  }),
};
