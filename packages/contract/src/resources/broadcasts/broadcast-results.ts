// What a broadcast did: by step and variant, the people of each outcome, and a draft for those who did not open it.
import { operation } from "../../operation.ts";
import { isoTime, named, nullableString, oneOf, type Static, Type } from "../../schema.ts";
import { AudiencePerson } from "../audiences/audiences.ts";
import { Broadcast } from "./broadcast.ts";
import { broadcastPath } from "./broadcasts.ts";

/** The outcomes of a person, who is counted in every outcome that is true. */
export const broadcastOutcomes = [
  "sent",
  "delivered",
  "opened",
  "clicked",
  "not_opened",
  "failed",
  "skipped",
  "unsubscribed",
  "complained",
] as const;
export type BroadcastOutcome = (typeof broadcastOutcomes)[number];

const Cause = named("BroadcastCause", {
  kind: oneOf(["failed", "skipped"]),
  reason: Type.String({ description: "Code of the reason" }),
  sentence: Type.String(),
  stepId: nullableString(),
  people: Type.Integer(),
});

const Variant = named("BroadcastVariant", {
  stepId: Type.String({ description: "The experiment" }),
  variant: Type.String(),
  name: nullableString(),
  people: Type.Integer(),
  outcomes: Type.Record(Type.String(), Type.Integer()),
});

export const BroadcastResults = named("BroadcastResults", {
  counted: Type.Integer({ description: "People that were counted" }),
  isCapped: Type.Boolean({
    description: "true: there are more people. Send the request again within a minute: counting continues",
  }),
  outcomes: Type.Record(Type.String(), Type.Integer(), { description: "People by outcome" }),
  causes: Type.Array(Cause, { description: "Failures and skipped steps by cause, the most frequent first" }),
  variants: Type.Array(Variant, { description: "By variant of each experiment" }),
  countedAt: isoTime("When counting began"),
});
export type BroadcastResults = Static<typeof BroadcastResults>;

const OutcomeWord = oneOf(broadcastOutcomes, { title: "BroadcastOutcome" });

export const broadcastResultOperations = {
  "broadcasts.retrieveResults": operation({
    id: "broadcasts.retrieveResults",
    method: "GET",
    path: "/v2/broadcasts/{broadcastId}/results",
    summary: "Retrieve the results of a broadcast",
    category: "configuration",
    isFromReplica: true,
    params: broadcastPath,
    success: { status: 200, schema: BroadcastResults },
    errors: ["BROADCAST_NOT_FOUND", "BROADCAST_STATE"],
  }),
  "broadcasts.listPeople": operation({
    id: "broadcasts.listPeople",
    method: "GET",
    path: "/v2/broadcasts/{broadcastId}/people",
    summary: "List the people of one outcome",
    category: "configuration",
    isFromReplica: true,
    params: broadcastPath,
    query: Type.Object({
      outcome: Type.Optional(OutcomeWord),
      after: Type.Optional(Type.String({ description: "`next` of the page before" })),
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 20 })),
    }),
    success: {
      status: 200,
      schema: Type.Object(
        {
          data: Type.Array(AudiencePerson),
          next: nullableString({ description: "`after` of the next page; null on the last one" }),
        },
        { title: "BroadcastPeople" },
      ),
    },
    errors: ["BROADCAST_NOT_FOUND", "BROADCAST_STATE"],
  }),
  "broadcasts.resend": operation({
    id: "broadcasts.resend",
    method: "POST",
    path: "/v2/broadcasts/{broadcastId}/resend",
    summary: "Create a draft for the people of one outcome",
    description:
      "The draft has the same content, and a fixed audience with the people who have this outcome now; " +
      "`not_opened` by default.",
    category: "configuration",
    audit: "everyone",
    params: broadcastPath,
    isBodyOptional: true,
    body: named("BroadcastResendIn", { outcome: Type.Optional(OutcomeWord) }),
    success: { status: 201, schema: Broadcast },
    errors: ["BROADCAST_NOT_FOUND", "BROADCAST_STATE", "AUDIENCE_LIMIT", "AUDIENCE_TOO_SLOW", "BROADCAST_LIMIT"],
  }),
};
