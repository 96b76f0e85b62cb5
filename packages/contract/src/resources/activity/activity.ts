// Activity: one row per accepted event, with what happened to its recipients.
import { ChannelWord, channels } from "../../common.ts";
import { operation } from "../../operation.ts";
import { isoTime, named, nullableString, oneOf, repeated, type Static, Type } from "../../schema.ts";

/**
 * What happened to a notification, the first that applies: a step failed and nothing was sent, a step failed and
 * another one sent, a step waits, sent, joined a digest, was canceled, sent nothing.
 */
export const notificationOutcomes = [
  "failed",
  "partly",
  "pending",
  "delivered",
  "merged",
  "canceled",
  "skipped",
] as const;
export type NotificationOutcome = (typeof notificationOutcomes)[number];

export const outcomeQuery = (description: string) =>
  Type.Optional(repeated(oneOf(notificationOutcomes), { description }));

/** Recipients of one event that are counted. */
export const maxCountedRecipients = 500;

export const SearchKeyValue = named(
  "SearchKeyValue",
  { key: Type.String({ description: "Path of the payload" }), value: Type.String() },
  { description: "The payload's value at the first of the workflow's `searchKeys`" },
);

export const ActivityEvent = named("ActivityEvent", {
  id: Type.String(),
  transactionId: Type.String(),
  workflow: named("ActivityWorkflow", {
    _id: Type.String(),
    workflowId: Type.String(),
    name: Type.String(),
    channels: Type.Array(ChannelWord, { description: "Channels of its active steps" }),
  }),
  createdAt: isoTime("When the event was accepted"),
  isTest: Type.Optional(Type.Boolean({ description: "A test of a draft (`workflows.test`); absent otherwise" })),
  startedBy: Type.Optional(
    named(
      "ActivityStarter",
      { workflowId: Type.String(), stepId: Type.String(), notificationId: Type.String() },
      { description: "The step `start_workflow` of another run that started it; absent for an event of a request" },
    ),
  ),
  payload: Type.String({ description: "The first 300 characters of its JSON" }),
  searchKey: Type.Optional(SearchKeyValue),
  recipients: Type.Integer({ description: `Notifications it became, counted up to ${maxCountedRecipients}` }),
  isCapped: Type.Boolean({ description: "It has more recipients than were counted" }),
  outcomes: named("ActivityOutcomes", {
    delivered: Type.Integer({
      description: "At least one message was accepted by a provider or is in the feed; none failed",
    }),
    failed: Type.Integer({ description: "A step failed, and the subscriber got nothing" }),
    partly: Type.Integer({ description: "A step failed, and at least one message was sent" }),
    pending: Type.Integer({ description: "Steps are waiting or being sent" }),
    merged: Type.Integer({ description: "Joined the digest of another event" }),
    canceled: Type.Integer(),
    skipped: Type.Integer({
      description:
        "Nothing was sent, because of conditions or preferences, or because an address or a channel step was missing",
    }),
  }),
  status: oneOf(["accepted", "expanding", "expanded", "canceled", "refused"], {
    description:
      "`accepted`: has no notifications yet; `expanding`: more are being created; `refused`: the workflow was not " +
      "active (`trigger_not_active`), and nothing was sent",
  }),
  verdict: Type.String({
    description: "The outcomes in a sentence; for an event with one recipient, what its steps did",
  }),
  recipient: Type.Optional(
    named(
      "ActivityRecipient",
      {
        subscriberId: Type.String(),
        firstName: Type.Optional(Type.String()),
        lastName: Type.Optional(Type.String()),
      },
      { description: "For an event with one recipient" },
    ),
  ),
});
export type ActivityEvent = Static<typeof ActivityEvent>;

const activityFilters = {
  workflowIds: Type.Optional(repeated(Type.String(), { description: "Internal ids or identifiers" })),
  outcome: outcomeQuery("Events with a recipient of any of these outcomes"),
  channels: Type.Optional(
    repeated(oneOf(channels), { description: "Events of workflows with a step of any of these" }),
  ),
  subscriberIds: Type.Optional(repeated(Type.String(), { description: "The newest 500 events of each" })),
  emails: Type.Optional(repeated(Type.String(), { description: "Complete addresses; the newest 500 events of each" })),
  transactionId: Type.Optional(Type.String()),
  searchValue: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 255,
      description: "Events whose value at one of their workflow's `searchKeys` equals this one, ignoring case",
    }),
  ),
  search: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 255,
      description:
        "A value at one of a workflow's `searchKeys`, or part of the payload or of a transaction id, ignoring case, " +
        "or part of a recipient's subscriberId or email address. At most 200 subscribers may match (422 otherwise)",
    }),
  ),
};

export const activityOperations = {
  "activity.listEvents": operation({
    id: "activity.listEvents",
    method: "GET",
    path: "/v1/activity/events",
    isFromReplica: true,
    summary: "List events with their outcomes",
    description:
      "Newest first. One request scans a limited number of events (20,000; 2,000 when filtering by outcome or text) " +
      "for about a second, so a page may have fewer items than `limit`, or none, even though `next` is not null. " +
      "Continue with `next`; `scannedTo` shows how far back events have been scanned. Events that have the text of " +
      "`search` at one of their workflow's `searchKeys` come first, however old they are.",
    category: "global",
    query: Type.Object({
      ...activityFilters,
      after: Type.Optional(Type.String({ format: "iso-time", description: "Events later than this time" })),
      before: Type.Optional(Type.String({ format: "iso-time", description: "Events earlier than this time" })),
      cursor: Type.Optional(Type.String({ description: "`next` of the previous page" })),
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 20 })),
    }),
    success: {
      status: 200,
      schema: named("ActivityEventList", {
        data: Type.Array(ActivityEvent),
        next: nullableString({ description: "Cursor of the next page; null when there is none" }),
        scannedTo: Type.Optional(isoTime("All events later than this have been scanned")),
        scannedFrom: Type.Optional(isoTime("The newest event that this request has scanned, while `next` is not null")),
      }),
    },
    errors: [],
  }),
};
