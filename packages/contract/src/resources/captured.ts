// What the built-in capture providers took in: development without a mail server, and assertions in a team's own tests.
import { ChannelWord, cursorList, cursorQuery } from "../common.ts";
import { operation } from "../operation.ts";
import { isoTime, named, openObject, type Static, Type } from "../schema.ts";

export const CapturedMessage = named("CapturedMessage", {
  id: Type.String(),
  messageId: Type.String({ description: "The message as `messages.list` shows it" }),
  channel: ChannelWord,
  providerId: Type.String(),
  integrationIdentifier: Type.String(),
  transactionId: Type.String(),
  subscriberId: Type.String(),
  to: Type.Array(Type.String()),
  subject: Type.Optional(Type.String()),
  html: Type.Optional(Type.String()),
  text: Type.Optional(Type.String()),
  from: Type.Optional(Type.String()),
  headers: Type.Optional(openObject()),
  createdAt: isoTime("When it was captured"),
});
export type CapturedMessage = Static<typeof CapturedMessage>;

export const capturedOperations = {
  "captured.list": operation({
    id: "captured.list",
    method: "GET",
    path: "/v2/captured",
    summary: "List what the capture providers took in",
    description: "Newest first by default. Captured messages never left the service.",
    category: "global",
    query: Type.Object({
      ...cursorQuery,
      channel: Type.Optional(ChannelWord),
      transactionId: Type.Optional(Type.String()),
      subscriberId: Type.Optional(Type.String()),
    }),
    success: { status: 200, schema: cursorList("CapturedList", CapturedMessage) },
    errors: [],
  }),
};
