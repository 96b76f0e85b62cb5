// The in-app feed of one subscriber: a view of its in-app messages.
import { ChannelWord, pageEnvelope, pageQuery } from "../../common.ts";
import { operation } from "../../operation.ts";
import { named, nullableOpenObject, nullableString, oneOf, openObject, type Static, Type } from "../../schema.ts";
import { secret } from "../../secrets.ts";
import { MessageCta, MessageStatusWord } from "../events/messages.ts";
import { subscriberPath } from "./subscribers.ts";

export const FeedItem = named("FeedItem", {
  _id: Type.String(),
  _templateId: Type.String(),
  _environmentId: Type.String(),
  _messageTemplateId: Type.Optional(Type.String()),
  _organizationId: Type.String(),
  _notificationId: Type.String(),
  _subscriberId: Type.String(),
  _feedId: Type.Optional(nullableString()),
  _jobId: Type.String(),
  createdAt: Type.Optional(nullableString()),
  updatedAt: Type.Optional(nullableString()),
  actor: Type.Optional(
    Type.Object({ data: nullableString(), type: oneOf(["none", "user", "system_icon", "system_custom"]) }),
  ),
  subscriber: Type.Optional(
    named("FeedSubscriber", {
      _id: Type.Optional(Type.String()),
      firstName: Type.Optional(Type.String()),
      lastName: Type.Optional(Type.String()),
      avatar: Type.Optional(Type.String()),
      subscriberId: Type.String(),
    }),
  ),
  transactionId: Type.String(),
  templateIdentifier: Type.Optional(Type.String()),
  providerId: Type.Optional(Type.String()),
  content: Type.String(),
  subject: Type.Optional(nullableString()),
  channel: ChannelWord,
  read: Type.Boolean(),
  seen: Type.Boolean(),
  archived: Type.Boolean(),
  deviceTokens: Type.Optional(
    Type.Unsafe<string[] | null>({ type: ["array", "null"], items: { type: "string" }, ...secret("editor") }),
  ),
  cta: MessageCta,
  status: MessageStatusWord,
  payload: Type.Optional(openObject()),
  data: Type.Optional(nullableOpenObject()),
  overrides: Type.Optional(openObject()),
  tags: Type.Optional(
    Type.Unsafe<string[] | null>({ type: ["array", "null"], items: { type: "string" }, ...secret("editor") }),
  ),
});
export type FeedItem = Static<typeof FeedItem>;

export const FeedPage = named("FeedPage", {
  totalCount: Type.Optional(Type.Integer({ description: "Total available, counted up to 50,000" })),
  ...pageEnvelope(FeedItem),
});

const feedQuery = Type.Object({
  ...pageQuery({ default: 10, maximum: 100 }),
  read: Type.Optional(Type.Boolean()),
  seen: Type.Optional(Type.Boolean()),
  payload: Type.Optional(Type.String({ description: "Base64 of a JSON object that the payload must contain" })),
});

export const feedOperations = {
  "subscribers.listFeed": operation({
    id: "subscribers.listFeed",
    method: "GET",
    path: "/v1/subscribers/{subscriberId}/notifications/feed",
    summary: "Retrieve a subscriber's in-app feed",
    description: "Newest first. Reading the feed marks nothing as seen.",
    category: "configuration",
    params: subscriberPath,
    query: feedQuery,
    success: { status: 200, schema: FeedPage },
    errors: ["SUBSCRIBER_NOT_FOUND"],
  }),
};
