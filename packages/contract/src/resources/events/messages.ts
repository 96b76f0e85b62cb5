// Messages: what was created for one subscriber on one channel.
import { ChannelWord, contextKeysQuery, messageStatuses, pageEnvelope, pageQuery } from "../../common.ts";
import { operation } from "../../operation.ts";
import { isoTime, named, nullableString, oneOf, openObject, repeated, type Static, Type } from "../../schema.ts";
import { secret } from "../../secrets.ts";
import { Subscriber } from "../subscribers/subscribers.ts";

const buttonTypes = ["primary", "secondary"] as const;

export const MessageCta = named("MessageCta", {
  type: Type.Optional(oneOf(["redirect"])),
  data: Type.Optional(Type.Object({ url: Type.Optional(Type.String()) })),
  action: Type.Optional(
    Type.Object({
      status: Type.Optional(oneOf(["pending", "done"])),
      buttons: Type.Optional(
        Type.Array(
          Type.Object({
            type: oneOf(buttonTypes),
            content: Type.String(),
            resultContent: Type.Optional(Type.String()),
            url: Type.Optional(Type.String({ description: "Where the button leads; absent if it has no link" })),
            target: Type.Optional(Type.String({ description: "`_self`, `_blank` and the like, for `url`" })),
          }),
        ),
      ),
      result: Type.Optional(
        Type.Object({ payload: Type.Optional(openObject()), type: Type.Optional(oneOf(buttonTypes)) }),
      ),
    }),
  ),
});
export type MessageCta = Static<typeof MessageCta>;

export const MessageStatusWord = oneOf(messageStatuses, { title: "MessageStatus" });

const EmailBlock = named("EmailBlock", {
  type: oneOf(["button", "text"]),
  content: Type.String(),
  url: Type.Optional(Type.String()),
  styles: Type.Optional(Type.Object({ textAlign: oneOf(["center", "left", "right"]) })),
});

export const Message = named("Message", {
  _id: Type.Optional(Type.String()),
  _templateId: Type.Optional(nullableString()),
  _environmentId: Type.String(),
  _messageTemplateId: Type.Optional(nullableString()),
  _organizationId: Type.String(),
  _notificationId: Type.String(),
  _subscriberId: Type.String(),
  _feedId: Type.Optional(nullableString()),
  subscriber: Type.Optional(Subscriber),
  templateIdentifier: Type.Optional(Type.String()),
  createdAt: isoTime("When the message was created"),
  deliveredAt: Type.Optional(Type.Array(Type.String())),
  lastSeenDate: Type.Optional(Type.String({ description: "Kept when the message is marked unseen" })),
  lastReadDate: Type.Optional(Type.String({ description: "Kept when the message is marked unread" })),
  content: Type.Optional(
    Type.Unsafe<string | Static<typeof EmailBlock>[]>({ anyOf: [{ type: "string" }, Type.Array(EmailBlock)] }),
  ),
  transactionId: Type.String(),
  subject: Type.Optional(Type.String()),
  channel: ChannelWord,
  read: Type.Boolean(),
  seen: Type.Boolean(),
  snoozedUntil: Type.Optional(Type.String()),
  expiresAt: Type.Optional(
    Type.String({ description: "When an in-app message is deleted; absent when it does not expire" }),
  ),
  email: Type.Optional(Type.String({ description: "The address actually used" })),
  phone: Type.Optional(Type.String()),
  directWebhookUrl: Type.Optional(Type.String(secret("editor"))),
  providerId: Type.Optional(Type.String()),
  deviceTokens: Type.Optional(Type.Array(Type.String(), secret("editor"))),
  title: Type.Optional(Type.String()),
  cta: MessageCta,
  status: MessageStatusWord,
  errorId: Type.Optional(Type.String()),
  errorText: Type.Optional(
    Type.String({ description: "What went wrong; absent while the message is in flight and nothing has failed" }),
  ),
  payload: Type.Optional(openObject()),
  overrides: Type.Optional(openObject()),
  contextKeys: Type.Optional(Type.Array(Type.String())),
});
export type Message = Static<typeof Message>;

const totalCount = Type.Optional(Type.Integer({ description: "Total available, counted up to 50,000" }));

export const messageOperations = {
  "messages.list": operation({
    id: "messages.list",
    method: "GET",
    path: "/v1/messages",
    isFromReplica: true,
    summary: "List all messages",
    category: "global",
    query: Type.Object({
      ...pageQuery({ default: 10, maximum: 1000 }),
      channel: Type.Optional(ChannelWord),
      subscriberId: Type.Optional(Type.String()),
      transactionId: Type.Optional(repeated(Type.String())),
      contextKeys: contextKeysQuery,
    }),
    success: { status: 200, schema: named("MessagePage", { totalCount, ...pageEnvelope(Message) }) },
    errors: [],
  }),
  "messages.delete": operation({
    id: "messages.delete",
    method: "DELETE",
    path: "/v1/messages/{messageId}",
    summary: "Delete a message",
    description: "A message that is still waiting for its provider is not sent.",
    category: "global",
    params: Type.Object({ messageId: Type.String() }),
    success: {
      status: 200,
      schema: named("MessageDeleted", { acknowledged: Type.Boolean(), status: oneOf(["deleted"]) }),
    },
    errors: ["MESSAGE_NOT_FOUND"],
  }),
  "messages.deleteByTransaction": operation({
    id: "messages.deleteByTransaction",
    method: "DELETE",
    path: "/v1/messages/transaction/{transactionId}",
    summary: "Delete the messages of a transaction",
    category: "global",
    params: Type.Object({ transactionId: Type.String() }),
    query: Type.Object({ channel: Type.Optional(ChannelWord) }),
    success: { status: 204 },
    errors: ["MESSAGE_NOT_FOUND"],
  }),
};
