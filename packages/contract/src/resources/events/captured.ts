// What the built-in capture providers stored: for development without a mail server, and for assertions in a team's own
// tests.
import { ChannelWord, cursorList, cursorQuery } from "../../common.ts";
import { operation } from "../../operation.ts";
import { isoTime, named, oneOf, openObject, type Static, Type } from "../../schema.ts";
import { secret } from "../../secrets.ts";

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
    ...secret("editor", "addresses"),
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
    description: "Every http(s) link in the HTML, then in the text, in order and without duplicates; at most 200",
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

/** Messages that a search examines, newest first. */
export const maxSearchedCaptured = 2_000;

/** Characters of the text of a message in a list of summaries. */
export const capturedSummaryLength = 300;

const capturedPath = Type.Object({ id: Type.String() });

export const capturedOperations = {
  "captured.list": operation({
    id: "captured.list",
    method: "GET",
    path: "/v2/captured",
    isFromReplica: true,
    summary: "List captured messages",
    description:
      "Newest first by default. Captured messages never left the service. Kept for 30 days, up to the newest 10,000 " +
      "per environment.",
    category: "global",
    query: Type.Object({
      ...cursorQuery,
      ...filters,
      search: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 255,
          description:
            "Part of the subject, the text, the subscriberId, the transaction id, an email address or a phone number, in " +
            `any letter case; among the newest ${maxSearchedCaptured.toLocaleString("en-US")} of the other filters`,
        }),
      ),
      content: Type.Optional(
        oneOf(["full", "summary"], {
          default: "full",
          description:
            "`summary`, for lists that are read often: without `html` and headers, `links` is empty, and `text` is " +
            "its first " +
            `${capturedSummaryLength} characters`,
        }),
      ),
    }),
    success: { status: 200, schema: cursorList("CapturedList", CapturedMessage) },
    errors: [],
  }),
  "captured.delete": operation({
    id: "captured.delete",
    method: "DELETE",
    path: "/v2/captured",
    summary: "Empty the mailbox of the capture providers",
    description:
      "Deletes everything, or what the filters match: at most 10,000 per call, oldest first; repeat while `hasMore` " +
      "is true. The messages themselves are kept.",
    category: "global",
    query: Type.Object(filters),
    success: {
      status: 200,
      schema: named("CapturedDeleted", { deleted: Type.Integer(), hasMore: Type.Boolean() }),
    },
    errors: [],
  }),
  "captured.retrieve": operation({
    id: "captured.retrieve",
    method: "GET",
    path: "/v2/captured/{id}",
    summary: "Retrieve a captured message",
    category: "global",
    params: capturedPath,
    success: { status: 200, schema: CapturedMessage },
    errors: ["CAPTURED_NOT_FOUND"],
  }),
  "captured.deleteOne": operation({
    id: "captured.deleteOne",
    method: "DELETE",
    path: "/v2/captured/{id}",
    summary: "Delete a captured message",
    description: "Deletes it from the mailbox; the message itself is kept.",
    category: "global",
    params: capturedPath,
    success: { status: 204 },
    errors: ["CAPTURED_NOT_FOUND"],
  }),
  "captured.retrieveAttachment": operation({
    id: "captured.retrieveAttachment",
    method: "GET",
    path: "/v2/captured/{id}/attachments/{index}",
    summary: "Retrieve an attachment of a captured mail",
    description: "Attachments are stored with the event: they are available for as long as the event is kept.",
    category: "global",
    params: Type.Object({
      id: Type.String(),
      index: Type.String({ description: "Index in the captured mail's `attachments`, from 0" }),
    }),
    success: {
      status: 200,
      schema: named("CapturedFile", {
        name: Type.String(),
        mime: Type.String(),
        size: Type.Integer({ description: "In bytes" }),
        content: Type.String({ description: "As base64" }),
      }),
    },
    errors: ["CAPTURED_NOT_FOUND", "CAPTURED_ATTACHMENT_NOT_FOUND"],
  }),
};
