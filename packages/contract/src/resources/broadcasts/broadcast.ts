// A broadcast as the API shows it: what is sent, to whom, when and how fast, and how far it is.
import { identifiers } from "../../common.ts";
import { isoTime, named, nullableString, oneOf, openObject, type Static, Type } from "../../schema.ts";
import { audienceIdRule } from "../audiences/audiences.ts";
import { StepIn } from "../workflows/workflows.ts";

/**
 * `draft` can be changed. `scheduled` waits for its first person. `completed`, `stopped` and `failed` are final.
 */
export const broadcastStatuses = [
  "draft",
  "awaiting_approval",
  "scheduled",
  "running",
  "paused",
  "completed",
  "stopped",
  "failed",
] as const;
export type BroadcastStatus = (typeof broadcastStatuses)[number];

/** The workflow whose preferences hold for broadcasts with steps written in place; created with the first of them. */
export const broadcastWorkflowId = "broadcast";

export const broadcastLimits = {
  audiences: 10,
  steps: 20,
  spreadHours: 168,
  days: 365,
  testPeople: 10,
  perMinute: 1_000_000,
};

export const BroadcastStatusWord = oneOf(broadcastStatuses, { title: "BroadcastStatus" });

export const BroadcastContent = named("BroadcastContent", {
  workflowId: Type.Optional(
    Type.String({
      ...identifiers.workflowId,
      description: "A saved workflow; or `steps`. Its version is fixed when the broadcast is sent",
    }),
  ),
  steps: Type.Optional(
    Type.Array(StepIn, {
      maxItems: broadcastLimits.steps,
      description: "Steps written in place, as in a workflow. Preferences for the workflow `broadcast` hold for them",
    }),
  ),
  payload: Type.Optional(openObject({ description: "`payload` of the templates; at most 512 KB of JSON" })),
});
export type BroadcastContent = Static<typeof BroadcastContent>;

const audienceIds = (description: string) =>
  Type.Array(Type.String(audienceIdRule), { maxItems: broadcastLimits.audiences, description });

export const BroadcastAudience = named("BroadcastAudience", {
  include: audienceIds("People in at least one of these audiences"),
  exclude: Type.Optional(audienceIds("Minus the people in at least one of these")),
  everyone: Type.Optional(Type.Boolean({ description: "Every subscriber, instead of `include`" })),
});
export type BroadcastAudience = Static<typeof BroadcastAudience>;

export const broadcastTimes = ["now", "at", "local"] as const;

const timeOfDay = "^([01][0-9]|2[0-3]):[0-5][0-9]$";
const date = "^[0-9]{4}-[0-9]{2}-[0-9]{2}$";

export const BroadcastTime = named("BroadcastTime", {
  kind: oneOf(broadcastTimes, {
    title: "BroadcastTimeKind",
    description: "now: when it is sent; at: at the moment `at`; local: at `localTime` in each person's time zone",
  }),
  at: Type.Optional(Type.String({ format: "iso-time", description: "With the kind `at`" })),
  date: Type.Optional(Type.String({ pattern: date, description: "With the kind `local`: the day, YYYY-MM-DD" })),
  localTime: Type.Optional(Type.String({ pattern: timeOfDay, description: "With the kind `local`: HH:MM" })),
  timezone: Type.Optional(
    Type.String({ maxLength: 64, description: "For people without a time zone (IANA name); UTC by default" }),
  ),
  spreadHours: Type.Optional(
    Type.Number({
      minimum: 0,
      maximum: broadcastLimits.spreadHours,
      description: "Spreads the people evenly over these hours",
    }),
  ),
});
export type BroadcastTime = Static<typeof BroadcastTime>;

const perMinute = Type.Integer({ minimum: 1, maximum: broadcastLimits.perMinute });

export const BroadcastPace = named("BroadcastPace", {
  perMinute: Type.Optional(Type.Integer({ ...perMinute, description: "People per minute at most" })),
  integrations: Type.Optional(
    Type.Record(Type.String(), perMinute, {
      description:
        "People per minute while the integration with this identifier is active; the lowest of all limits holds",
    }),
  ),
});
export type BroadcastPace = Static<typeof BroadcastPace>;

/** `people`: null until they are fixed, which is when the broadcast starts. */
export const BroadcastProgress = named("BroadcastProgress", {
  people: Type.Unsafe<number | null>({ type: ["integer", "null"], description: "Fixed when the broadcast starts" }),
  started: Type.Integer({ description: "People whose run has started" }),
  gone: Type.Integer({ description: "People who were deleted before their turn" }),
  expired: Type.Integer({ description: "People whose turn would have been after `expiresAt`" }),
  failed: Type.Integer({ description: "People whose start failed; `failedTasks.replay` starts them" }),
  perMinute: Type.Integer({ description: "People started in the last minute" }),
  nextAt: Type.Union([isoTime("When the next people start"), Type.Null()]),
  lastAt: Type.Union([isoTime("When the last people start"), Type.Null()]),
});
export type BroadcastProgress = Static<typeof BroadcastProgress>;

const Decision = named("BroadcastApproval", {
  requestedBy: Type.String(),
  requestedAt: isoTime("When it was sent for approval"),
  decidedBy: nullableString(),
  decidedAt: Type.Union([isoTime("When it was approved or rejected"), Type.Null()]),
  isApproved: Type.Union([Type.Boolean(), Type.Null()]),
  note: nullableString({ description: "Why it was rejected" }),
});

export const Broadcast = named("Broadcast", {
  _id: Type.String(),
  name: Type.String(),
  status: BroadcastStatusWord,
  content: BroadcastContent,
  audience: BroadcastAudience,
  time: BroadcastTime,
  pace: BroadcastPace,
  expiresAt: Type.Union([isoTime("Nobody is started after it"), Type.Null()]),
  revision: Type.Integer({ description: "Counts changes of the draft, and requests for approval" }),
  approval: Type.Union([Decision, Type.Null()]),
  progress: BroadcastProgress,
  transactionId: nullableString({ description: "Its event; null until it is sent" }),
  failure: nullableString({ description: "Why it failed, or why it was paused by the service" }),
  checkedAt: Type.Union([isoTime("When its newest check began; null: it was never checked"), Type.Null()]),
  resendOf: nullableString({ description: "The broadcast whose people it reaches again" }),
  createdBy: Type.String(),
  createdAt: isoTime("When it was created"),
  updatedAt: isoTime("Last change"),
  startedAt: Type.Union([isoTime("When its people were fixed"), Type.Null()]),
  finishedAt: Type.Union([isoTime("When the last person was started, or it was stopped"), Type.Null()]),
});
export type Broadcast = Static<typeof Broadcast>;
