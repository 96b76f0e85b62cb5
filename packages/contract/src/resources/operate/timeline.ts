// The timeline of an environment: what is waiting for a point in time, and the newest messages.
import { ChannelWord, StepTypeWord } from "../../common.ts";
import { operation } from "../../operation.ts";
import { isoTime, named, nullableString, oneOf, type Static, Type } from "../../schema.ts";
import { waitingSteps } from "../../steps/registry.gen.ts";
import { EnvironmentClock } from "./environments.ts";

/** Runs and messages that wait, of which one request examines the first. */
export const maxWaitingChecked = 2_000;

/** Messages of which one request examines the newest. */
export const maxResultsChecked = 500;

/** Events of one digest that are counted. */
export const maxDigestEventsCounted = 1_000;

export const timelineWaits = [...waitingSteps.toSorted(), "schedule", "budget", "roll_up", "retry", "snooze"] as const;
export type TimelineWaitKind = (typeof timelineWaits)[number];

const place = {
  at: isoTime("The moment, or the first of the entry"),
  until: isoTime("The last moment of the entry: in real time, all entries of a minute are combined"),
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
    { description: "Recipients of the first three events" },
  ),
};

export const TimelineWait = named("TimelineWait", {
  ...place,
  kind: oneOf(timelineWaits, {
    description:
      "`delay`, `digest`: a step of that type is waiting. `schedule`: a channel step waits until the subscriber's " +
      "schedule opens. `budget`: it waits for a place in the attention budget. `roll_up`: a roll-up waits for its time " +
      "or a place. `retry`: a message waits for its next attempt. `snooze`: a message returns to the inbox",
  }),
  events: Type.Optional(
    Type.Integer({
      description: `Events that the digests have collected; of each counted up to ${maxDigestEventsCounted.toLocaleString("en-US")}`,
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
    isFromReplica: true,
    summary: "Retrieve what is waiting in an environment, and what was sent last",
    description:
      "On a test clock, runs that wait for the same moment in the same step are one entry; in real time, those for " +
      `the same minute. One request reads the first ${maxWaitingChecked.toLocaleString("en-US")} waiting runs and messages, ` +
      `and the newest ${maxResultsChecked} messages. See docs/testing.md.`,
    category: "global",
    params: Type.Object({ environmentId: Type.String({ description: "Id or identifier" }) }),
    query: Type.Object({
      after: Type.Optional(Type.String({ description: "`next` of the previous page: what is waiting after it" })),
      limit: Type.Optional(
        Type.Integer({ minimum: 1, maximum: 100, default: 50, description: "Entries in each of the two lists" }),
      ),
    }),
    success: {
      status: 200,
      schema: named("EnvironmentTimeline", {
        clock: EnvironmentClock,
        waiting: Type.Array(TimelineWait, { description: "Soonest first" }),
        next: nullableString({ description: "Cursor of the next page of `waiting`; null when there is none" }),
        isCapped: Type.Boolean({
          description: "More is waiting than was read: follow `next`. A count that reaches the limit is too low",
        }),
        results: Type.Array(TimelineResult, { description: "Oldest first, the newest entry last" }),
      }),
    },
    errors: ["ENVIRONMENT_NOT_FOUND", "FORBIDDEN"],
  }),
};
