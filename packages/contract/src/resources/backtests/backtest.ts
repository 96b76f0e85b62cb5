// What a backtest is: a change, the period that it is tried on, and the report of what it would have done.
import { ChannelWord, channels } from "../../common.ts";
import { isoTime, named, nullableString, oneOf, openObject, type Static, Type } from "../../schema.ts";
import { AttentionBudget, maxBudgets } from "../operate/attention.ts";
import { FileResources } from "../workflows/files.ts";
import { nullablePreference, WorkflowDraft } from "../workflows/workflows.ts";

export const backtestLimits = {
  days: 31,
  notifications: 200_000,
  /** How far notifications of a period are counted, for the share of the sample. */
  countedNotifications: 2_000_000,
  workflows: 50,
  /** Messages whose difference is kept for the list of people. */
  differences: 20_000,
  keptDays: 14,
} as const;

export const backtestStatuses = ["queued", "running", "completed", "failed", "canceled"] as const;
export type BacktestStatus = (typeof backtestStatuses)[number];

/** What the change does to a message. `same` is counted, and not listed. */
export const backtestEffects = [
  "removed",
  "added",
  "render_failed",
  "digested",
  "channel",
  "provider",
  "earlier",
  "later",
  "content",
] as const;
export type BacktestEffect = (typeof backtestEffects)[number];
export const BacktestEffectWord = oneOf(backtestEffects, {
  title: "BacktestEffect",
  description:
    "`removed`: no longer sent. `added`: sent, and was not. `render_failed`: its template fails now. `digested`: with " +
    "other events than before. `channel`: through another channel. `provider`: through another integration. " +
    "`earlier`, `later`: by a minute or more. `content`: with different content",
});

/** Why the replay of what is unchanged differs from what happened. */
export const backtestCauses = [
  "person_changed",
  "preferences_changed",
  "payload_erased",
  "answer_assumed",
  "provider_failed",
  "canceled",
  "integration_changed",
  "workflow_changed",
  "configuration_changed",
  "open_before",
  "unknown",
] as const;
export type BacktestCause = (typeof backtestCauses)[number];

const draft = Type.Object({
  ...WorkflowDraft.properties,
  workflowId: Type.String({ minLength: 1, description: "The workflow that it would replace" }),
});

export const BacktestChange = named(
  "BacktestChange",
  {
    workflows: Type.Optional(
      Type.Array(draft, {
        maxItems: backtestLimits.workflows,
        description: "Unsaved workflows, as `explain.dryRun` takes them. Each replaces the version that events had",
      }),
    ),
    files: Type.Optional(FileResources),
    attention: Type.Optional(
      Type.Object(
        { budgets: Type.Array(AttentionBudget, { maxItems: maxBudgets }) },
        { description: "Attention budgets instead of those of the environment; an empty list removes them" },
      ),
    ),
    preferenceDefaults: Type.Optional(
      Type.Array(
        named("BacktestPreferenceDefault", {
          workflowId: Type.String({ minLength: 1 }),
          preference: nullablePreference,
        }),
        {
          maxItems: backtestLimits.workflows,
          description: "What subscribers get who have not chosen; replaces `preferences.user` of the workflow",
        },
      ),
    ),
    integrationOrder: Type.Optional(
      Type.Array(
        named("BacktestIntegrationOrder", {
          channel: oneOf(channels),
          identifiers: Type.Array(Type.String({ minLength: 1 }), { minItems: 1, maxItems: 50 }),
        }),
        {
          maxItems: channels.length,
          description: "Integrations in the order in which they are tried; those not named follow in their own order",
        },
      ),
    ),
  },
  { description: "Without any member, a backtest has only its calibration" },
);
export type BacktestChange = Static<typeof BacktestChange>;

export const BacktestIn = named("BacktestIn", {
  from: Type.Optional(isoTime("Events from this time on; with `to`")),
  to: Type.Optional(isoTime("Events before this time; default: now")),
  lastDays: Type.Optional(
    Type.Integer({ minimum: 1, maximum: backtestLimits.days, description: "Instead of `from` and `to`; default: 7" }),
  ),
  maxNotifications: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: backtestLimits.notifications,
      default: backtestLimits.notifications,
      description: "Where the period has more, a sample of its people is replayed, with everything they got",
    }),
  ),
  name: Type.Optional(Type.String({ minLength: 1, maxLength: 128, description: "Shown in the list" })),
  change: Type.Optional(BacktestChange),
});

const count = (description: string) => Type.Integer({ description });

const Effects = Type.Record(Type.String(), Type.Integer(), {
  description: "Messages by effect, such as `{ removed: 12, content: 3 }`",
});

export const BacktestChannelTotals = named("BacktestChannelTotals", {
  channel: ChannelWord,
  before: count("Messages of the unchanged replay"),
  after: count("Messages of the changed replay"),
  effects: Effects,
});

export const BacktestStep = named("BacktestStep", {
  stepId: Type.String(),
  type: Type.String(),
  name: Type.String(),
  before: count("Messages of the unchanged replay"),
  after: count("Messages of the changed replay"),
  effects: Effects,
  reasons: Type.Array(
    named("BacktestReason", {
      text: Type.String({ description: "Why the step sent nothing" }),
      before: count("Runs of the unchanged replay"),
      after: count("Runs of the changed replay"),
    }),
    { maxItems: 10 },
  ),
});

export const BacktestWorkflow = named("BacktestWorkflow", {
  workflowId: Type.String(),
  name: Type.String(),
  isChanged: Type.Boolean({ description: "The change has another definition of it" }),
  runs: count("Notifications of the period"),
  before: count("Messages of the unchanged replay"),
  after: count("Messages of the changed replay"),
  people: count("People of whom at least one message differs"),
  effects: Effects,
  steps: Type.Array(BacktestStep),
});

export const BacktestCalibration = named("BacktestCalibration", {
  percent: Type.Union([Type.Number(), Type.Null()], {
    description: "Steps of the period that the unchanged replay reproduces; null: there were none",
  }),
  isTrusted: Type.Boolean({
    description: "false: below 95 %, or nothing to compare, so the report does not show what would have happened",
  }),
  compared: count("Steps that were compared"),
  equal: count("Those with the same outcome"),
  deviations: Type.Array(
    named("BacktestDeviation", {
      cause: oneOf(backtestCauses, { title: "BacktestCause" }),
      steps: Type.Integer(),
      sentence: Type.String(),
      examples: Type.Array(
        named("BacktestExample", {
          transactionId: Type.String(),
          subscriberId: Type.String(),
          workflowId: Type.String(),
          stepId: Type.String(),
          was: Type.String({ description: "What happened" }),
          replayed: Type.String({ description: "What the replay returned" }),
        }),
        { maxItems: 5 },
      ),
    }),
  ),
});

export const BacktestReport = named("BacktestReport", {
  sentences: Type.Array(Type.String(), {
    description: "What would have been different; the calibration where it is low",
  }),
  totals: named("BacktestTotals", {
    runs: count("Notifications that were replayed"),
    people: count("People that were replayed"),
    before: count("Messages of the unchanged replay"),
    after: count("Messages of the changed replay"),
    same: count("Messages without a difference"),
    effects: Effects,
    differing: count("People of whom at least one message differs"),
    silenced: count("People who got something and would get nothing"),
    reached: count("People who got nothing and would get something"),
    addedPercent: Type.Number({ description: "Messages added, in percent of `before`" }),
    removedPercent: Type.Number({ description: "Messages removed, in percent of `before`" }),
    differingPercent: Type.Number({ description: "Messages with any effect, in percent of `before`" }),
  }),
  channels: Type.Array(BacktestChannelTotals),
  workflows: Type.Array(BacktestWorkflow, { description: "Those with the most differences first" }),
  renderFaults: Type.Array(
    named("BacktestRenderFault", {
      workflowId: Type.String(),
      stepId: Type.String(),
      reason: Type.String(),
      messages: Type.Integer(),
    }),
    { maxItems: 20 },
  ),
  calibration: BacktestCalibration,
  skipped: named("BacktestSkipped", {
    deletedWorkflows: Type.Array(
      named("BacktestDeletedWorkflow", { workflowId: Type.String(), notifications: Type.Integer() }),
      { description: "Their events are not replayed" },
    ),
    erasedPayloads: count("Notifications whose payload was erased; they are not replayed"),
    deletedPeople: count("People who were deleted since; their notifications are not replayed"),
    storedAnswers: count("Stored responses of bridges and HTTP requests that were used again"),
    assumedAnswers: count("Steps without a stored response: a sample response was used"),
  }),
  limits: Type.Array(Type.String(), { description: "What this replay could not take into account, in sentences" }),
});
export type BacktestReport = Static<typeof BacktestReport>;

export const Backtest = named("Backtest", {
  _id: Type.String(),
  name: nullableString(),
  status: oneOf(backtestStatuses, { title: "BacktestStatus" }),
  failure: nullableString({ description: "Why it failed, and what to do" }),
  from: isoTime("Beginning of the period"),
  to: isoTime("End of the period, exclusive"),
  workflowIds: Type.Array(Type.String(), { description: "Workflows of which the change has another definition" }),
  isCalibrationOnly: Type.Boolean({ description: "Nothing is changed" }),
  sample: Type.Union(
    [
      named("BacktestSample", {
        percent: Type.Number({ description: "Share of the people of the period" }),
        notifications: count("In the period; above 2,000,000 an estimate"),
        sentence: Type.String(),
      }),
      Type.Null(),
    ],
    { description: "null: everyone is replayed" },
  ),
  progress: named("BacktestProgress", {
    notifications: count("To replay, an estimate where people are sampled"),
    done: count("Replayed so far"),
    people: count("Replayed so far"),
    percent: Type.Number(),
    secondsLeft: Type.Union([Type.Integer(), Type.Null()], { description: "An estimate; null before the first page" }),
  }),
  report: Type.Union([BacktestReport, Type.Null()], { description: "null until it is completed" }),
  createdAt: isoTime("When it was requested"),
  startedAt: Type.Union([isoTime("When its first page began"), Type.Null()]),
  finishedAt: Type.Union([isoTime("When it ended"), Type.Null()]),
  createdBy: Type.String({ description: "The address of a member, or the environment of an API key" }),
});
export type Backtest = Static<typeof Backtest>;

export const BacktestPerson = named("BacktestPerson", {
  subscriberId: Type.String(),
  name: nullableString({ description: "First and last name; null: unknown, or the person was deleted since" }),
  effects: Effects,
  workflowIds: Type.Array(Type.String(), { description: "Workflows of the messages that differ" }),
  before: count("Messages among those that differ which the unchanged replay sent"),
  after: count("Messages among those that differ which the changed replay sends"),
});
export type BacktestPerson = Static<typeof BacktestPerson>;

export const BacktestVersion = named("BacktestVersion", {
  outcome: oneOf(["sent", "failed", "not_sent", "waiting", "merged"], {
    title: "BacktestOutcome",
    description: "`waiting`: when the period ended. `merged`: its event is in the digest of another event",
  }),
  reason: Type.String({ description: "The outcome in a sentence" }),
  at: Type.Union([isoTime("When it was sent, or when its step ended"), Type.Null()]),
  channel: Type.Union([ChannelWord, Type.Null()], { description: "null: nothing was sent" }),
  integrations: Type.Array(Type.String(), { description: "Identifiers of those it was sent through" }),
  events: count("Events in its digest; 1 without a digest"),
  content: Type.Union([openObject({ description: "`subject`, `body` and what its channel has" }), Type.Null()]),
});
export type BacktestVersion = Static<typeof BacktestVersion>;

export const BacktestMessage = named("BacktestMessage", {
  transactionId: Type.String(),
  notificationId: Type.String(),
  time: isoTime("When the event was accepted"),
  workflowId: Type.String(),
  stepId: Type.String(),
  stepName: Type.String(),
  stepType: Type.String(),
  effect: Type.Union([BacktestEffectWord, Type.Null()], { description: "null: no difference" }),
  sentence: Type.String({ description: "The difference in words" }),
  before: Type.Union([BacktestVersion, Type.Null()], { description: "null: the workflow had no such step" }),
  after: Type.Union([BacktestVersion, Type.Null()], { description: "null: the workflow has no such step" }),
});
export type BacktestMessage = Static<typeof BacktestMessage>;
