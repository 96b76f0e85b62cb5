// Requests that providers sent to the addresses for delivery reports: what each report changed, and what was refused
// and why. An addition of Tidings.
import { pageEnvelope, pageQuery } from "../../common.ts";
import { operation } from "../../operation.ts";
import { isoTime, named, oneOf, type Static, Type } from "../../schema.ts";

export const inboundResults = ["applied", "duplicate", "waiting", "ignored", "refused"] as const;
export type InboundResult = (typeof inboundResults)[number];

export const inboundReasons = [
  "bad_signature",
  "unknown_integration",
  "unknown_message",
  "unreadable",
  "no_report",
] as const;
export type InboundReason = (typeof inboundReasons)[number];

export const inboundChanges = ["delivered", "failed", "confirmed", "resolved", "suppressed", "detail"] as const;
export type InboundChange = (typeof inboundChanges)[number];

const InboundResultWord = oneOf(inboundResults, {
  title: "InboundResult",
  description:
    "applied: it took effect; duplicate: the same report arrived before; waiting: its message is not known yet or is " +
    "being sent; ignored: the request contains no report; refused: see `reason`",
});

export const StoredReceipt = named("StoredReceipt", {
  id: Type.String(),
  integrationId: Type.Optional(Type.String({ description: "Absent for an unknown integration" })),
  integrationIdentifier: Type.Optional(Type.String()),
  providerId: Type.Optional(Type.String()),
  result: InboundResultWord,
  reason: Type.Optional(
    oneOf(inboundReasons, { title: "InboundReason", description: "Why it was refused or ignored" }),
  ),
  status: Type.Optional(Type.String({ description: "What was reported: `delivered`, `bounced`, `opened`, …" })),
  changes: Type.Array(oneOf(inboundChanges), {
    description:
      "delivered: the message has a delivery time; failed: the message failed; confirmed: an unknown outcome became " +
      "sent; resolved: its dead letter was closed; suppressed: its address receives no more mail; detail: an " +
      "execution detail was added",
  }),
  messageId: Type.Optional(Type.String()),
  transactionId: Type.Optional(Type.String({ description: "The event the message belongs to" })),
  externalId: Type.Optional(Type.String({ description: "The provider's id of the message" })),
  recipient: Type.Optional(Type.String({ description: "The address in the report" })),
  excerpt: Type.Optional(
    Type.String({
      description: "Excerpt of the refused or ignored request, up to 2,000 characters, without secrets",
    }),
  ),
  createdAt: isoTime("When it arrived"),
});
export type StoredReceipt = Static<typeof StoredReceipt>;

export const inboundReceiptOperations = {
  "inboundReceipts.list": operation({
    id: "inboundReceipts.list",
    method: "GET",
    path: "/v1/receipts",
    isFromReplica: true,
    summary: "List what providers reported",
    description:
      "Newest first. Kept for 7 days, up to the newest 50,000 per environment and the newest 1,000 refused ones. If " +
      "many requests are refused at once, only some of them are kept.",
    category: "global",
    query: Type.Object({
      ...pageQuery({ default: 10, maximum: 100 }),
      integrationIdentifier: Type.Optional(Type.String({ description: "Identifier or id of an integration" })),
      result: Type.Optional(InboundResultWord),
    }),
    success: {
      status: 200,
      schema: Type.Object(
        {
          ...pageEnvelope(StoredReceipt),
          totalCount: Type.Integer({ description: "Receipts that match the filters, counted up to 50,000" }),
        },
        { title: "StoredReceiptList" },
      ),
    },
    errors: [],
  }),
};
