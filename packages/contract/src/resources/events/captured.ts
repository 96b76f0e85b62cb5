// What the built-in capture providers took in: development without a mail server, and assertions in a team's own tests.
import { ChannelWord, cursorList, cursorQuery } from "../../common.ts";
import { operation } from "../../operation.ts";
import { isoTime, named, openObject, type Static, Type } from "../../schema.ts";

export const CapturedMessage = named("CapturedMessage", {
  id: Type.String(),
  messageId: Type.String({ description: "The message as `messages.list` shows it" }),
  channel: ChannelWord,
  providerId: Type.String(),
  integrationIdentifier: Type.String(),
  transactionId: Type.String(),
  subscriberId: Type.String(),
  to: Type.Array(Type.String(), {
    description: "Email addresses, phone number, or the webhook, channel or person of a chat",
  }),
  cc: Type.Optional(Type.Array(Type.String())),
  bcc: Type.Optional(Type.Array(Type.String())),
  subject: Type.Optional(Type.String()),
  html: Type.Optional(Type.String()),
  text: Type.Optional(Type.String()),
  from: Type.Optional(Type.String()),
  senderName: Type.Optional(Type.String()),
  replyTo: Type.Optional(Type.String()),
  headers: Type.Optional(openObject()),
  attachments: Type.Optional(
    Type.Array(
      named("CapturedAttachment", {
        name: Type.String(),
        mime: Type.String(),
        size: Type.Integer({ description: "In bytes" }),
      }),
    ),
  ),
  links: Type.Array(Type.String(), {
    description: "Every http(s) link of the html, then of the text, in order and each once; at most 200",
  }),
  codes: Type.Array(Type.String(), {
    description: "One-time codes, found by the words around them (docs/testing.md), without spaces; at most 20",
  }),
  createdAt: isoTime("When it was captured"),
});
export type CapturedMessage = Static<typeof CapturedMessage>;

const filters = {
  channel: Type.Optional(ChannelWord),
  transactionId: Type.Optional(Type.String()),
  subscriberId: Type.Optional(Type.String()),
};

export const capturedOperations = {
  "captured.list": operation({
    id: "captured.list",
    method: "GET",
    path: "/v2/captured",
    summary: "List what the capture providers took in",
    description:
      "Newest first by default. Captured messages never left the service. Kept for 30 days, the newest 10,000 of an " +
      "environment.",
    category: "global",
    query: Type.Object({ ...cursorQuery, ...filters }),
    success: { status: 200, schema: cursorList("CapturedList", CapturedMessage) },
    errors: [],
  }),
  "captured.delete": operation({
    id: "captured.delete",
    method: "DELETE",
    path: "/v2/captured",
    summary: "Empty the mailbox of the capture providers",
    description:
      "Everything, or what the filters name: at most 10,000 a call, oldest first; repeat while `hasMore` is true. The " +
      "messages themselves stay.",
    category: "global",
    query: Type.Object(filters),
    success: {
      status: 200,
      schema: named("CapturedDeleted", { deleted: Type.Integer(), hasMore: Type.Boolean() }),
    },
    errors: [],
  }),
};
