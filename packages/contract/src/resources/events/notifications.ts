// Notifications: one per recipient of an event, with the jobs that its workflow's steps became and the reason for
// everything that was done or not done.
import {
  ChannelWord,
  contextKeysQuery,
  JobTypeWord,
  jobTypes,
  pageEnvelope,
  pageQuery,
  SeverityWord,
  severities,
} from "../../common.ts";
import { operation } from "../../operation.ts";
import { isoTime, named, nullableString, oneOf, openObject, repeated, type Static, Type } from "../../schema.ts";
import { outcomeQuery, SearchKeyValue } from "../activity/activity.ts";
import { StepFilter } from "../workflows/filters.ts";

export const executionStatuses = ["Success", "Warning", "Failed", "Pending", "Queued", "ReadConfirmation"] as const;
export const executionSources = ["Credentials", "Internal", "Payload", "Webhook"] as const;

export const jobStatuses = [
  "pending",
  "queued",
  "running",
  "delayed",
  "merged",
  "completed",
  "failed",
  "skipped",
  "canceled",
] as const;
export type JobStatus = (typeof jobStatuses)[number];

/**
 * What decided: `workflow` its preferences, `step` its content or settings, `preference` the subscriber's own choice,
 * `event` its overrides.
 */
export const deciderKinds = [
  "workflow",
  "step",
  "condition",
  "preference",
  "schedule",
  "subscriber",
  "suppression",
  "integration",
  "provider",
  "tenant",
  "bridge",
  "digest",
  "throttle",
  "budget",
  "delay",
  "branch",
  "experiment",
  "wait",
  "event",
  "topic",
] as const;
export type Decider = (typeof deciderKinds)[number];

export const DecidedBy = named(
  "DecidedBy",
  {
    kind: oneOf(deciderKinds, {
      description:
        "`workflow`: its preferences; `step`: its content or settings; `preference`: the subscriber's own choice; " +
        "`subscriber`: a missing or refused address; `event`: its overrides",
    }),
    id: Type.Optional(
      Type.String({
        description:
          "workflowId, stepId, subscriberId, transactionId or topicKey, the internal id of an integration or a suppression, or the id of a provider",
      }),
    ),
    name: Type.Optional(Type.String({ description: "For a topic: the identifier of the subscription" })),
  },
  { description: "What decided, and therefore where to change it" },
);
export type DecidedBy = Static<typeof DecidedBy>;

export const ExecutionDetail = named("ExecutionDetail", {
  _id: Type.String(),
  createdAt: Type.Optional(Type.String()),
  status: oneOf(executionStatuses),
  detail: Type.String({ description: "What happened, in words" }),
  isRetry: Type.Boolean(),
  isTest: Type.Boolean(),
  providerId: Type.Optional(Type.String()),
  raw: Type.Optional(nullableString({ description: "The details, as JSON" })),
  source: oneOf(executionSources),
  code: Type.Optional(
    Type.String({
      description: "The name of the detail, for programs, such as `no_device_tokens`. Texts may change, codes do not",
    }),
  ),
  decidedBy: Type.Optional(DecidedBy),
});
export type ExecutionDetail = Static<typeof ExecutionDetail>;

const JobDigest = named("JobDigest", {
  type: oneOf(["regular", "backoff", "timed"]),
  digestKey: Type.Optional(Type.String()),
  amount: Type.Optional(Type.Number()),
  unit: Type.Optional(Type.String()),
  events: Type.Optional(Type.Array(openObject())),
  backoff: Type.Optional(Type.Boolean()),
  backoffAmount: Type.Optional(Type.Number()),
  backoffUnit: Type.Optional(Type.String()),
  updateMode: Type.Optional(Type.Boolean()),
  timed: Type.Optional(openObject()),
});

const JobStep = named("JobStep", {
  _id: Type.String(),
  active: Type.Boolean(),
  filters: Type.Array(StepFilter),
  _templateId: Type.String(),
  name: Type.Optional(Type.String()),
  controlVariables: Type.Optional(openObject()),
  _parentId: Type.Optional(nullableString({ description: "The previous step; null for the first" })),
});

export const Job = named("Job", {
  _id: Type.String(),
  type: JobTypeWord,
  digest: Type.Optional(JobDigest),
  executionDetails: Type.Array(ExecutionDetail),
  step: JobStep,
  overrides: Type.Optional(openObject()),
  payload: Type.Optional(openObject()),
  providerId: Type.String({ description: "The provider used or chosen; `svc` where none was needed or reached" }),
  status: oneOf(jobStatuses),
  updatedAt: Type.Optional(Type.String()),
  scheduleExtensionsCount: Type.Optional(Type.Number()),
});
export type Job = Static<typeof Job>;

export const NotificationTrigger = named("NotificationTrigger", {
  type: oneOf(["event"]),
  identifier: Type.String(),
  variables: Type.Array(Type.Object({ name: Type.String() })),
  subscriberVariables: Type.Optional(Type.Array(Type.Object({ name: Type.String() }))),
});

export const Notification = named("Notification", {
  _id: Type.Optional(Type.String()),
  _environmentId: Type.String(),
  _organizationId: Type.String(),
  _subscriberId: Type.String(),
  transactionId: Type.String(),
  _templateId: Type.Optional(Type.String()),
  _digestedNotificationId: Type.Optional(Type.String()),
  createdAt: Type.Optional(isoTime("When the event reached this recipient")),
  updatedAt: Type.Optional(Type.String()),
  channels: Type.Optional(Type.Array(JobTypeWord)),
  subscriber: Type.Optional(
    named("NotificationSubscriber", {
      _id: Type.String(),
      subscriberId: Type.String(),
      firstName: Type.Optional(Type.String()),
      lastName: Type.Optional(Type.String()),
      email: Type.Optional(Type.String()),
      phone: Type.Optional(Type.String()),
    }),
  ),
  template: Type.Optional(
    named("NotificationTemplate", {
      _id: Type.Optional(Type.String()),
      name: Type.String(),
      origin: Type.Optional(Type.String()),
      triggers: Type.Array(NotificationTrigger),
    }),
  ),
  jobs: Type.Optional(Type.Array(Job)),
  payload: Type.Optional(openObject()),
  searchKey: Type.Optional(SearchKeyValue),
  tags: Type.Optional(Type.Array(Type.String())),
  controls: Type.Optional(openObject()),
  to: Type.Optional(openObject()),
  topics: Type.Optional(
    Type.Array(Type.Object({ _topicId: Type.String(), topicKey: Type.String() }), {
      description: "The topics that led here; empty when the subscriber was named directly",
    }),
  ),
  severity: Type.Optional(SeverityWord),
  critical: Type.Optional(Type.Boolean()),
  contextKeys: Type.Optional(Type.Array(Type.String())),
});
export type Notification = Static<typeof Notification>;

/** The resend of one step, by hand. */
export const maxResends = 10;
export const resendPauseSeconds = 10;

export const ResentStep = named("ResentStep", {
  transactionId: Type.String(),
  notificationId: Type.String(),
  subscriberId: Type.String(),
  workflowId: Type.String(),
  stepId: Type.String(),
  channel: ChannelWord,
  status: oneOf(["sent", "queued"], {
    description:
      "`sent`: an in-app message is in the inbox. `queued`: the message is waiting to be sent to the provider",
  }),
  messageIds: Type.Array(Type.String(), { description: "The new messages; push and chat have one per address" }),
});
export type ResentStep = Static<typeof ResentStep>;

export const notificationOperations = {
  "notifications.list": operation({
    id: "notifications.list",
    method: "GET",
    path: "/v1/notifications",
    isFromReplica: true,
    summary: "List all events (triggered notifications)",
    category: "global",
    query: Type.Object({
      ...pageQuery({ default: 10, maximum: 50 }),
      channels: Type.Optional(
        repeated(oneOf(jobTypes), { description: "Events with any of these steps; `trigger` matches every event" }),
      ),
      templates: Type.Optional(repeated(Type.String(), { description: "Workflow ids or identifiers" })),
      emails: Type.Optional(repeated(Type.String())),
      search: Type.Optional(
        Type.String({
          maxLength: 255,
          deprecated: true,
          description:
            "Part of a subscriberId, an email address or a transaction id. At most 200 subscribers may match (422 " +
            "otherwise), and the newest 500 events of each are searched. Partial transaction ids are searched in the " +
            "newest 20,000 events of the window; a complete one is always found",
        }),
      ),
      subscriberIds: Type.Optional(repeated(Type.String())),
      severity: Type.Optional(repeated(oneOf(severities))),
      transactionId: Type.Optional(Type.String()),
      topicKey: Type.Optional(Type.String({ description: "Exact: one of the topics that led to the notification" })),
      subscriptionId: Type.Optional(
        Type.String({ description: "Identifier or id of a topic subscription that let the event through" }),
      ),
      outcome: outcomeQuery(
        "The event's outcome for the recipient, any of these; searched in the newest 20,000 of the window",
      ),
      contextKeys: contextKeysQuery,
      after: Type.Optional(
        Type.String({
          format: "iso-time",
          description:
            "Events later than this time (exclusive). `createdAt` has milliseconds: a window that follows another " +
            "starts one millisecond before the other's `before`",
        }),
      ),
      before: Type.Optional(
        Type.String({
          format: "iso-time",
          description: "Events earlier than this time (exclusive); default: now",
        }),
      ),
    }),
    success: { status: 200, schema: named("NotificationPage", pageEnvelope(Notification)) },
    errors: [],
  }),
  "notifications.retrieve": operation({
    id: "notifications.retrieve",
    method: "GET",
    path: "/v1/notifications/{notificationId}",
    isFromReplica: true,
    summary: "Retrieve one notification",
    category: "global",
    params: Type.Object({ notificationId: Type.String() }),
    success: { status: 200, schema: Notification },
    errors: ["NOTIFICATION_NOT_FOUND"],
  }),
  "notifications.resendStep": operation({
    id: "notifications.resendStep",
    method: "POST",
    path: "/v1/notifications/{notificationId}/steps/{stepId}/resend",
    summary: "Send one step of a notification again",
    description:
      "Creates the message of one channel step again and sends it, with the same payload and workflow version and " +
      "the subscriber's current data (such as a corrected address). No other step is repeated. For a step that " +
      "failed, was skipped, was sent but never arrived, or is waiting: for a schedule, for a retry or for an " +
      "integration that is paused after failures, which is then tried immediately. Preferences, suppressed addresses " +
      "and the condition of a skipped step still apply: if they prevent sending, the error explains why. The " +
      "subscriber's schedule is ignored. A " +
      `step can be sent again ${maxResends} times, once in ${resendPauseSeconds} seconds.`,
    category: "global",
    role: "support",
    params: Type.Object({
      notificationId: Type.String(),
      stepId: Type.String({ description: "`stepId` of the workflow" }),
    }),
    success: { status: 201, schema: ResentStep },
    errors: [
      "NOTIFICATION_NOT_FOUND",
      "STEP_NOT_FOUND",
      "STEP_NOT_RESENDABLE",
      "RESEND_REFUSED",
      "RESEND_IN_PROGRESS",
      "RESEND_LIMIT",
    ],
  }),
};
