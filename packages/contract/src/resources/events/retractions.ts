// Retractions: an event that was sent by mistake is retracted as far as each channel allows.
import { identifiers, pageEnvelope, pageQuery } from "../../common.ts";
import { operation } from "../../operation.ts";
import { isoTime, named, nullableString, oneOf, type Static, Type } from "../../schema.ts";

/** Rules for the key by which a later event replaces an earlier one. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this pattern refuses
export const supersedeKeyRule = { pattern: /^[^\u0000-\u001f\u007f]+$/.source, minLength: 1, maxLength: 255 };

export const retractionStatuses = ["running", "completed"] as const;

/**
 * What happens to a message. `in_flight` and `taking_back` are passed through: the provider is being called. All others
 * are final.
 */
export const retractedStates = [
  "canceled",
  "removed",
  "replaced",
  "deleted",
  "edited",
  "removal_sent",
  "corrected",
  "cannot_unsend",
  "not_sent",
  "failed",
  "superseded",
  "in_flight",
  "taking_back",
] as const;
export type RetractedState = (typeof retractedStates)[number];

/** Notifications that a preview counts. */
export const previewedPeople = 200_000;

const Results = Type.Record(Type.String(), Type.Record(Type.String(), Type.Integer()), {
  description: "Messages by channel and end state, such as `{ email: { cannot_unsend: 12 } }` (docs/retract.md)",
});
export type RetractionResults = Static<typeof Results>;

export const Retraction = named("Retraction", {
  _id: Type.String(),
  transactionId: Type.String({ description: "The event that is retracted" }),
  supersedeKey: nullableString({ description: "The key it was found by; null if the transaction id was given" }),
  to: nullableString({ description: "The only subscriber it is about; null: everyone whom the event reached" }),
  reason: Type.String(),
  status: oneOf(retractionStatuses, { title: "RetractionStatus" }),
  people: Type.Integer({ description: "Recipients of the event" }),
  handled: Type.Integer({ description: "Recipients whose messages were handled so far" }),
  results: Results,
  createdAt: isoTime("When it was requested"),
  finishedAt: Type.Union([isoTime("When the last message had its end state"), Type.Null()]),
  createdBy: Type.String({ description: "The address of a member, or the environment of an API key" }),
});
export type Retraction = Static<typeof Retraction>;

const Correction = named("RetractionCorrection", {
  subject: Type.Optional(
    Type.String({ maxLength: 1_000, description: "For email, push and in-app messages; text with Liquid" }),
  ),
  body: Type.String({
    minLength: 1,
    maxLength: 20_000,
    description: "Plain text with Liquid, which can use `payload`, `subscriber` and `workflow`",
  }),
});
export type Correction = Static<typeof Correction>;

const selection = {
  transactionId: Type.Optional(
    Type.String({ ...identifiers.transactionId, description: "The event; or `supersedeKey` and `to`" }),
  ),
  supersedeKey: Type.Optional(
    Type.String({ ...supersedeKeyRule, description: "The newest event with this key for the subscriber `to`" }),
  ),
  to: Type.Optional(Type.String({ ...identifiers.subscriberId, description: "With `supersedeKey`: a subscriber id" })),
};

const correction = Type.Optional(
  Type.Unsafe<Correction>({
    ...Correction,
    description:
      "Replaces in-app, chat and push messages where that is possible, and is sent as a separate message through " +
      "channels that cannot unsend",
  }),
);

export const RetractionPreview = named("RetractionPreview", {
  people: Type.Integer({ description: "Recipients of the event, counted up to 200,000" }),
  isCapped: Type.Boolean({ description: "true: the event has more recipients, which are not counted" }),
  results: Results,
});
export type RetractionPreview = Static<typeof RetractionPreview>;

const notFound = ["TRANSACTION_NOT_FOUND", "SUPERSEDE_KEY_NOT_FOUND"] as const;

export const retractionOperations = {
  "retractions.create": operation({
    id: "retractions.create",
    method: "POST",
    path: "/v2/retractions",
    summary: "Retract an event",
    description:
      "Cancels what waits, removes in-app messages, and edits or deletes what providers can edit or delete; " +
      "docs/retract.md has the end state for every channel. Works in the background: `retractions.retrieve` returns " +
      "the progress. Returns 201, or 200 with the retraction of the same event that exists already.",
    category: "trigger",
    role: "support",
    body: named("RetractionIn", {
      ...selection,
      reason: Type.String({
        minLength: 1,
        maxLength: 500,
        description: "For your colleagues; recipients do not see it",
      }),
      correction,
    }),
    success: { status: 201, also: 200, schema: Retraction },
    errors: [...notFound],
  }),
  "retractions.preview": operation({
    id: "retractions.preview",
    method: "POST",
    path: "/v2/retractions/preview",
    summary: "Count what a retraction would do",
    category: "configuration",
    isReadOnly: true,
    isFromReplica: true,
    role: "support",
    body: named("RetractionPreviewIn", { ...selection, correction }),
    success: { status: 200, schema: RetractionPreview },
    errors: [...notFound],
  }),
  "retractions.list": operation({
    id: "retractions.list",
    method: "GET",
    path: "/v2/retractions",
    summary: "List retractions, newest first",
    category: "configuration",
    query: Type.Object({
      ...pageQuery({ default: 20, maximum: 100 }),
      transactionId: Type.Optional(Type.String({ description: "Only those of this event" })),
    }),
    success: { status: 200, schema: Type.Object(pageEnvelope(Retraction), { title: "RetractionList" }) },
    errors: [],
  }),
  "retractions.retrieve": operation({
    id: "retractions.retrieve",
    method: "GET",
    path: "/v2/retractions/{retractionId}",
    summary: "Retrieve a retraction with its progress",
    category: "configuration",
    params: Type.Object({ retractionId: Type.String() }),
    success: { status: 200, schema: Retraction },
    errors: ["RETRACTION_NOT_FOUND"],
  }),
};
