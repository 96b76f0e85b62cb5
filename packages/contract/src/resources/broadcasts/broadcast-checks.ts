// What people examine before a broadcast is sent: a checklist from a dry run of the whole audience, previews of sampled
// people, and tests to named people.
import { operation } from "../../operation.ts";
import { isoTime, named, nullableString, oneOf, openObject, type Static, Type } from "../../schema.ts";
import { broadcastLimits } from "./broadcast.ts";
import { broadcastPath } from "./broadcasts.ts";

export const checkStatuses = ["running", "completed", "failed"] as const;
export const checkLevels = ["ok", "warning", "problem"] as const;

const Item = named("BroadcastCheckItem", {
  code: Type.String({ description: "Such as `people`, `no_address`, `suppressed`, `over_budget`, `links`" }),
  level: oneOf(checkLevels, { title: "BroadcastCheckLevel", description: "problem: it cannot be sent like this" }),
  sentence: Type.String({ description: 'Such as "412 people have no email address"' }),
  people: Type.Optional(Type.Integer()),
  field: Type.Optional(Type.String({ description: "The field of the draft that it is about" })),
});
export type BroadcastCheckItem = Static<typeof Item>;

/** People by the outcome that the dry run expects for them, for one step. */
const StepForecast = named("BroadcastStepForecast", {
  stepId: Type.String(),
  type: Type.String(),
  outcomes: Type.Record(Type.String(), Type.Integer(), {
    description: "People by outcome: `sends`, or the reason why not",
  }),
});
export type BroadcastStepForecast = Static<typeof StepForecast>;

export const BroadcastCheck = named("BroadcastCheck", {
  status: oneOf(checkStatuses, { title: "BroadcastCheckStatus" }),
  isCurrent: Type.Boolean({ description: "false: the draft has changed since" }),
  people: Type.Integer({ description: "People in the audience when the check began" }),
  checked: Type.Integer({ description: "People checked so far" }),
  items: Type.Array(Item),
  steps: Type.Array(StepForecast),
  startedAt: isoTime("When it began"),
  finishedAt: Type.Union([isoTime("When it ended"), Type.Null()]),
});
export type BroadcastCheck = Static<typeof BroadcastCheck>;

const Preview = named("BroadcastPreview", {
  subscriberId: Type.String(),
  name: nullableString({ description: "First and last name" }),
  messages: Type.Array(
    named("BroadcastPreviewMessage", {
      stepId: Type.String(),
      type: Type.String(),
      outcome: Type.String({ description: "`sends`, or the reason why not" }),
      sentence: Type.String({ description: "The outcome in words" }),
      content: Type.Union([openObject({ description: "The rendered message" }), Type.Null()]),
    }),
  ),
});
export type BroadcastPreview = Static<typeof Preview>;

export const broadcastCheckOperations = {
  "broadcasts.check": operation({
    id: "broadcasts.check",
    method: "POST",
    path: "/v2/broadcasts/{broadcastId}/check",
    summary: "Check a draft by a dry run for its whole audience",
    description: "Works in the background; `broadcasts.retrieveCheck` returns the progress. Nothing is sent.",
    category: "configuration",
    audit: "never",
    params: broadcastPath,
    success: { status: 202, schema: BroadcastCheck },
    errors: ["BROADCAST_NOT_FOUND", "BROADCAST_STATE"],
  }),
  "broadcasts.retrieveCheck": operation({
    id: "broadcasts.retrieveCheck",
    method: "GET",
    path: "/v2/broadcasts/{broadcastId}/check",
    summary: "Retrieve the checklist of a broadcast",
    category: "configuration",
    params: broadcastPath,
    success: { status: 200, schema: BroadcastCheck },
    errors: ["BROADCAST_NOT_FOUND", "BROADCAST_NOT_CHECKED"],
  }),
  "broadcasts.preview": operation({
    id: "broadcasts.preview",
    method: "POST",
    path: "/v2/broadcasts/{broadcastId}/preview",
    summary: "Preview a broadcast for sampled or named people",
    category: "configuration",
    isReadOnly: true,
    params: broadcastPath,
    isBodyOptional: true,
    body: named("BroadcastPreviewIn", {
      subscriberIds: Type.Optional(
        Type.Array(Type.String(), {
          maxItems: broadcastLimits.testPeople,
          description: "Up to 10 people; without it, 5 people of the audience are sampled",
        }),
      ),
    }),
    success: { status: 200, schema: Type.Object({ data: Type.Array(Preview) }, { title: "BroadcastPreviews" }) },
    errors: ["BROADCAST_NOT_FOUND", "BROADCAST_INCOMPLETE", "SUBSCRIBER_NOT_FOUND"],
  }),
  "broadcasts.test": operation({
    id: "broadcasts.test",
    method: "POST",
    path: "/v2/broadcasts/{broadcastId}/test",
    summary: "Send a draft to named people",
    description: "Messages are really sent. Delays and quiet hours end at once. The events are marked with `isTest`.",
    category: "trigger",
    audit: "everyone",
    params: broadcastPath,
    body: named("BroadcastTestIn", {
      subscriberIds: Type.Array(Type.String({ minLength: 1, maxLength: 255 }), {
        minItems: 1,
        maxItems: broadcastLimits.testPeople,
      }),
    }),
    success: {
      status: 201,
      schema: Type.Object(
        { data: Type.Array(named("BroadcastTest", { transactionId: Type.String(), subscriberId: Type.String() })) },
        { title: "BroadcastTests" },
      ),
    },
    errors: ["BROADCAST_NOT_FOUND", "BROADCAST_INCOMPLETE", "SUBSCRIBER_NOT_FOUND"],
  }),
};
