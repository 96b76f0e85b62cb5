// Suppressed addresses: after a hard bounce or a complaint nothing is sent there any more, until the suppression is lifted.
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
    description: "Email addresses in lower case and without a name, phone numbers without signs",
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
    description: "201; 200 with the record that is there when the address is suppressed already.",
    category: "global",
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
    description: "By its id or by the address itself.",
    category: "global",
    params: Type.Object({ suppressionId: Type.String() }),
    success: { status: 204 },
    errors: ["SUPPRESSION_NOT_FOUND"],
  }),
};
