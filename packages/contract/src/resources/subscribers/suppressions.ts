// Suppressed addresses: after a hard bounce or a complaint nothing is sent there, until the suppression is
// lifted.
import { cursorList, cursorQuery } from "../../common.ts";
import { operation } from "../../operation.ts";
import { isoTime, named, oneOf, type Static, Type } from "../../schema.ts";

export const suppressedChannels = ["email", "sms"] as const;
export type SuppressedChannel = (typeof suppressedChannels)[number];
export const suppressionReasons = ["bounce", "complaint", "manual"] as const;
export type SuppressionReason = (typeof suppressionReasons)[number];

const ChannelOfAddress = oneOf(suppressedChannels, { title: "SuppressedChannel" });

export const Suppression = named("Suppression", {
  id: Type.String(),
  channel: ChannelOfAddress,
  address: Type.String({
    description:
      "Email addresses in lower case and without a name, phone numbers without punctuation. `erased:…`: the keyed hash " +
      "of the address of an erased person; the filter `address` and `suppressions.delete` find it by the address",
  }),
  reason: oneOf(suppressionReasons, { title: "SuppressionReason" }),
  messageId: Type.Optional(Type.String({ description: "The message that was reported" })),
  createdAt: isoTime("Since when nothing is sent there"),
});
export type Suppression = Static<typeof Suppression>;

export const suppressionOperations = {
  "suppressions.list": operation({
    id: "suppressions.list",
    method: "GET",
    path: "/v2/suppressions",
    isFromReplica: true,
    summary: "List suppressed addresses",
    category: "global",
    query: Type.Object({
      ...cursorQuery,
      channel: Type.Optional(ChannelOfAddress),
      address: Type.Optional(Type.String({ description: "In any spelling" })),
      reason: Type.Optional(oneOf(suppressionReasons)),
    }),
    success: { status: 200, schema: cursorList("SuppressionList", Suppression) },
    errors: [],
  }),
  "suppressions.create": operation({
    id: "suppressions.create",
    method: "POST",
    path: "/v2/suppressions",
    summary: "Suppress an address",
    description: "Returns 201, or 200 with the existing record if the address is already suppressed.",
    category: "global",
    role: "support",
    body: named("SuppressionIn", {
      channel: ChannelOfAddress,
      address: Type.String({ minLength: 1, maxLength: 320, description: "An email address or a phone number" }),
    }),
    success: { status: 201, also: 200, schema: Suppression },
    errors: [],
  }),
  "suppressions.delete": operation({
    id: "suppressions.delete",
    method: "DELETE",
    path: "/v2/suppressions/{suppressionId}",
    summary: "Lift a suppression",
    description: "Identified by its id or by the address.",
    category: "global",
    role: "support",
    params: Type.Object({ suppressionId: Type.String() }),
    success: { status: 204 },
    errors: ["SUPPRESSION_NOT_FOUND"],
  }),
};
