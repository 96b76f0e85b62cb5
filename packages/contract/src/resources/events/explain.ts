// Explaining: why a subscriber got a message or did not, and who would get what if an event were triggered now. Both
// use the same words, because both come from the same decisions.
import { priorities } from "../../attention.ts";
import { ChannelWord, countCap, identifiers, StepTypeWord } from "../../common.ts";
import { operation } from "../../operation.ts";
import { isoTime, named, oneOf, openObject, type Static, Type } from "../../schema.ts";
import { resultStatuses } from "../../steps/kit.ts";
import { messageEvents } from "../../steps/wait.ts";
import { WorkflowDraft } from "../workflows/workflows.ts";
import { TriggerEvent, triggerStatuses } from "./events.ts";
import { DecidedBy, ExecutionDetail } from "./notifications.ts";

/** First how a subscriber was reached, then why not. */
export const reachWords = [
  "direct",
  "topic",
  "everyone",
  "audience",
  "excluded",
  "actor",
  "topic_rule",
  "other_context",
  "not_member",
  "not_addressed",
  "unknown_subscriber",
  "pending",
  "canceled",
  "workflow_off",
  "changed_since",
] as const;

export const stepOutcomes = [
  "sent",
  "done",
  "skipped",
  "waiting",
  "sending",
  "merged",
  "failed",
  "canceled",
  "pending",
] as const;
export type StepOutcome = (typeof stepOutcomes)[number];

const ReachTopic = named("ReachTopic", {
  topicKey: Type.String(),
  subscription: Type.String({ description: "Identifier of the subscription" }),
  rule: Type.Optional(openObject({ description: "The subscription's rule that blocked the event" })),
});

export const Reach = named("Reach", {
  kind: oneOf(reachWords),
  text: Type.String({ description: "The same in a sentence" }),
  topics: Type.Optional(Type.Array(ReachTopic, { description: "The subscriptions that decided" })),
  decidedBy: Type.Optional(DecidedBy),
});
export type Reach = Static<typeof Reach>;

const ExplainedAttempt = named("ExplainedAttempt", {
  number: Type.Integer({ description: "Counted per integration" }),
  integrationIdentifier: Type.Optional(Type.String()),
  providerId: Type.Optional(Type.String()),
  outcome: Type.String({ description: "`running`, `accepted`, `rejected:<class>`, `unknown`" }),
  reason: Type.Optional(Type.String()),
  startedAt: isoTime("When the provider was called"),
  finishedAt: Type.Optional(isoTime("When the response arrived")),
});

export const ExplainedMessage = named("ExplainedMessage", {
  _id: Type.Optional(Type.String({ description: "Not in a dry-run" })),
  channel: ChannelWord,
  status: Type.String({ description: "`sent`, `pending`, `warning` or `error`" }),
  providerId: Type.Optional(Type.String()),
  integrationIdentifier: Type.Optional(Type.String()),
  address: Type.Optional(
    Type.String({ description: "Email address or phone number; webhooks and device tokens are shown in part" }),
  ),
  subject: Type.Optional(Type.String()),
  content: Type.Optional(Type.String()),
  cta: Type.Optional(openObject()),
  isTruncated: Type.Optional(Type.Boolean({ description: "The content is longer than what is shown" })),
  errorId: Type.Optional(Type.String()),
  errorText: Type.Optional(Type.String()),
  attempts: Type.Optional(Type.Array(ExplainedAttempt, { description: "Not in a dry-run" })),
});
export type ExplainedMessage = Static<typeof ExplainedMessage>;

const ChannelStepResult = named("ChannelStepResult", {
  status: oneOf(resultStatuses),
  sentAt: Type.Optional(isoTime("When the provider took the message; of an in-app message, when it was stored")),
  seen: Type.Optional(Type.Boolean({ description: "In-app only, as are the next three" })),
  read: Type.Optional(Type.Boolean()),
  lastSeenDate: Type.Optional(isoTime("Kept when the message is marked as unseen")),
  lastReadDate: Type.Optional(isoTime("Kept when the message is marked as unread")),
});

export const ExplainedStep = named("ExplainedStep", {
  stepId: Type.String(),
  name: Type.String(),
  type: StepTypeWord,
  outcome: oneOf(stepOutcomes, { description: "`done`: a step that sends nothing has ended" }),
  reason: Type.String({ description: "What happened, and who decided it" }),
  code: Type.Optional(
    Type.String({
      description: "The `code` of the execution detail that decided; absent until the step starts",
    }),
  ),
  decidedBy: Type.Optional(DecidedBy),
  at: Type.Optional(isoTime("When that was decided; absent until the step starts")),
  until: Type.Optional(isoTime("What it waits for, or waited for")),
  messages: Type.Array(ExplainedMessage),
  result: Type.Optional(ChannelStepResult),
  details: Type.Optional(Type.Array(ExecutionDetail, { description: "Not in a dry-run" })),
});
export type ExplainedStep = Static<typeof ExplainedStep>;

const DigestLeader = named("DigestLeader", {
  transactionId: Type.String(),
  notificationId: Type.String(),
  verdict: Type.String({ description: "Its outcome" }),
});

const RollUpItem = named("RollUpItem", {
  transactionId: Type.String(),
  workflowId: Type.String(),
  workflowName: Type.String(),
  title: Type.String(),
  heldAt: isoTime("When the message was held"),
  isTakenBack: Type.Boolean({ description: "true: it was canceled or taken back before the roll-up was sent" }),
});

export const Explanation = named("Explanation", {
  transactionId: Type.String(),
  subscriberId: Type.String(),
  timezone: Type.Optional(Type.String({ description: "The subscriber's current one" })),
  event: named("ExplainedEvent", {
    workflowId: Type.String(),
    workflowName: Type.String(),
    time: isoTime("When the event was accepted"),
    status: oneOf(["expanded", "expanding", "canceled", "refused"], {
      description:
        "`expanding`: its notifications are still being created; `refused`: its workflow was not active when it arrived",
    }),
    contextKeys: Type.Array(Type.String()),
    priority: oneOf(priorities, {
      description: "The lane of its messages: what the event asked for, or its workflow has",
    }),
    isTest: Type.Optional(Type.Boolean({ description: "A test of a draft (`workflows.test`); absent otherwise" })),
    startedBy: Type.Optional(
      named(
        "EventStarter",
        {
          workflowId: Type.String(),
          stepId: Type.String(),
          notificationId: Type.String(),
          transactionId: Type.Optional(Type.String({ description: "Absent when that event was deleted by its age" })),
          text: Type.String({ description: "The same in a sentence" }),
        },
        { description: "The step `start_workflow` of another run that started it; absent for an event of a request" },
      ),
    ),
  }),
  reached: Type.Boolean({ description: "The event created a notification for this subscriber" }),
  evaluatedNow: Type.Boolean({
    description:
      "Nothing is stored about subscribers an event did not reach: the reason is determined anew, from current data",
  }),
  via: Reach,
  verdict: Type.String({ description: "Everything in one sentence" }),
  notificationId: Type.Optional(Type.String()),
  digestedInto: Type.Optional(DigestLeader),
  rollUp: Type.Optional(
    Type.Array(RollUpItem, { description: "For a roll-up: the messages that are its items, at most 200" }),
  ),
  steps: Type.Array(ExplainedStep),
});
export type Explanation = Static<typeof Explanation>;

const { name: eventName, ...eventMembers } = TriggerEvent.properties;

const DryRunAssumptions = named(
  "DryRunAssumptions",
  {
    digestedEvents: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 100,
        default: 1,
        description: "Events in a digest that closes, all like this one",
      }),
    ),
    isRead: Type.Optional(
      Type.Boolean({ default: false, description: "In-app messages are seen and read before later steps start" }),
    ),
    messages: Type.Optional(
      Type.Array(Type.Object({ stepId: Type.String({ minLength: 1 }), event: oneOf(messageEvents) }), {
        maxItems: 20,
        description: "What happens to messages of earlier steps while a run waits for it",
      }),
    ),
    signals: Type.Optional(
      Type.Array(Type.Object({ name: Type.String(identifiers.signal), data: Type.Optional(openObject()) }), {
        maxItems: 20,
        description: "Signals that arrive while a run waits for them; the others time out",
      }),
    ),
  },
  { description: "What happens meanwhile" },
);

export const DryRunEvent = named("DryRunEvent", {
  name: Type.Optional(eventName),
  workflow: Type.Optional(WorkflowDraft),
  ...eventMembers,
  assume: Type.Optional(DryRunAssumptions),
});
export type DryRunEvent = Static<typeof DryRunEvent>;
export type DryRunAssumptions = Static<typeof DryRunAssumptions>;

export const ArmSampleIn = named("ArmSampleIn", {
  workflow: WorkflowDraft,
  payload: Type.Optional(openObject()),
  assume: Type.Optional(DryRunAssumptions),
});

export const ArmSample = named("ArmSample", {
  data: Type.Object({
    sampled: Type.Integer({ description: "Subscribers that were simulated: the newest ones, at most 200" }),
    steps: Type.Array(
      named("SampledStep", {
        stepId: Type.String({ description: "The step id of a branch or an experiment" }),
        taken: Type.Array(
          named("SampledArm", {
            id: Type.String({ description: "The id of the arm or the variant, or `held-out`" }),
            count: Type.Integer({ description: "People who take it. Those who do not come so far take none" }),
          }),
        ),
      }),
    ),
  }),
});
export type ArmSample = Static<typeof ArmSample>;

export const DryRun = named("DryRun", {
  workflow: named("DryRunWorkflow", { workflowId: Type.String(), name: Type.String() }),
  status: oneOf(triggerStatuses, { description: "What `events.trigger` would return" }),
  error: Type.Optional(Type.Array(Type.String())),
  note: Type.Optional(Type.String()),
  time: isoTime("For when it was calculated"),
  recipients: Type.Array(
    named("DryRunRecipient", {
      subscriberId: Type.String(),
      isNew: Type.Boolean({ description: "The event would create this subscriber" }),
      reached: Type.Boolean(),
      via: Reach,
      verdict: Type.String(),
      steps: Type.Array(ExplainedStep),
    }),
  ),
  notReached: Type.Array(named("DryRunLeftOut", { subscriberId: Type.String(), reached: Type.Boolean(), via: Reach }), {
    description: "Members of the event's topics whom it would skip",
  }),
  audienceCount: Type.Integer({
    description: `Members of the event's topics, counted up to ${countCap.toLocaleString("en")}`,
  }),
  truncated: Type.Boolean({ description: "There are more recipients than are shown" }),
});
export type DryRun = Static<typeof DryRun>;

export const explainOperations = {
  "explain.retrieve": operation({
    id: "explain.retrieve",
    method: "GET",
    path: "/v2/explain",
    isFromReplica: true,
    summary: "Explain what an event did for one subscriber",
    description:
      "Every decision from the event to the provider, even for a subscriber whom it did not reach. See docs/explain.md.",
    category: "global",
    query: Type.Object({
      transactionId: Type.String({ minLength: 1 }),
      subscriberId: Type.String({ minLength: 1 }),
    }),
    success: { status: 200, schema: Explanation },
    errors: ["TRANSACTION_NOT_FOUND", "SUBSCRIBER_NOT_FOUND"],
  }),
  "explain.dryRun": operation({
    id: "explain.dryRun",
    method: "POST",
    path: "/v2/explain",
    summary: "Show what an event would do",
    description:
      "Accepts what `events.trigger` accepts, or an unsaved definition as `workflow` instead of `name`, and returns " +
      "who would get what, when and through which provider, and who would not and why. Nothing is sent or written: " +
      "it runs in a read-only transaction, so idempotency keys have no effect. Providers are assumed to accept every " +
      "message. See docs/explain.md.",
    category: "trigger",
    fieldRoles: { bridgeUrl: "editor" },
    isReadOnly: true,
    query: Type.Object({
      limit: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: 1_000,
          default: 100,
          description: "How many of the named subscribers, and how many subscribers of topics, to include",
        }),
      ),
    }),
    body: DryRunEvent,
    success: { status: 200, schema: DryRun },
    errors: ["PAYLOAD_VALIDATION_ERROR", "WORKFLOW_NOT_FOUND"],
  }),
  "explain.sampleArms": operation({
    id: "explain.sampleArms",
    method: "POST",
    path: "/v2/explain/arms",
    summary: "Count who would take which arm",
    description:
      "Simulates an unsaved workflow for the newest 200 subscribers, as a dry run does, and counts how many take each " +
      "arm of its branches and are in each variant of its experiments. Nothing is sent or written.",
    category: "trigger",
    isReadOnly: true,
    body: ArmSampleIn,
    success: { status: 200, schema: ArmSample },
    errors: ["PAYLOAD_VALIDATION_ERROR"],
  }),
};
