import { messageId, providerCase } from "../../case.ts";

const target = {
  kind: "webhook" as const,
  webhookUrl: "https://chat.example.com/",
  channel: "64a1f373376181965ab77f54",
};
const message = { id: messageId, channel: "chat" as const, target, text: "Hi" };
const request = {
  method: "POST",
  url: "https://chat.example.com/api/v1/chat.sendMessage",
  headers: { "x-auth-token": "rocket-s3cret-token", "x-user-id": "rbAXPnMktTFbNpwtJ" },
  json: { message: { rid: "64a1f373376181965ab77f54", msg: "Hi" } },
};
const error = (status: number, errorType: string) => ({
  status,
  body: { success: false, error: `Said [${errorType}]`, errorType },
});

const sent = { content: message, providerMessageId: "jC9chsFddTvsbFQG7" };
const said = (text: string) => ({ status: 400, body: { success: false, error: text } });
const missing = said('No message found with the id of "jC9chsFddTvsbFQG7".');
const failures = [
  {
    reply: said("The room id provided does not match where the message is from."),
    outcome: { kind: "impossible" as const, reason: /no longer in the room/ },
  },
  { reply: error(400, "error-action-not-allowed"), outcome: { kind: "impossible" as const, reason: /not allow/ } },
  { reply: error(400, "error-too-many-requests"), outcome: { kind: "failed" as const, canRetry: true } },
  { reply: { status: 401, body: { status: "error" } }, outcome: { kind: "failed" as const, canRetry: false } },
];

export default providerCase({
  id: "rocket-chat",
  docs: "https://developer.rocket.chat/apidocs/send-message",
  credentials: { token: "rocket-s3cret-token", user: "rbAXPnMktTFbNpwtJ" },
  minimal: { message, request },
  rich: {
    message: { ...message, text: "Grüße *Ada* 🎉", extra: { alias: "Tidings", emoji: ":bell:" } },
    request: {
      ...request,
      json: {
        message: { rid: "64a1f373376181965ab77f54", msg: "Grüße *Ada* 🎉", alias: "Tidings", emoji: ":bell:" },
      },
    },
  },
  accepted: {
    reply: { status: 200, body: { message: { rid: "64a1", msg: "Hi", _id: "jC9chsFddTvsbFQG7" }, success: true } },
    providerMessageId: "jC9chsFddTvsbFQG7",
  },
  errors: [
    {
      name: "a wrong token",
      reply: { status: 401, body: { status: "error", message: "You must be logged in to do this." } },
      outcome: { kind: "rejected", class: "auth" },
    },
    {
      name: "an unknown room",
      reply: error(400, "error-invalid-room"),
      outcome: { kind: "rejected", class: "recipient" },
    },
    {
      name: "a room one may not write to",
      reply: error(400, "error-not-allowed"),
      outcome: { kind: "rejected", class: "recipient" },
    },
    {
      name: "a long text",
      reply: error(400, "error-message-size-exceeded"),
      outcome: { kind: "rejected", class: "content" },
    },
    { name: "the rate limit", reply: error(400, "error-too-many-requests"), outcome: { kind: "retry" } },
    {
      name: "an endpoint without a room",
      sending: {
        message: { ...message, target: { kind: "webhook", webhookUrl: "https://chat.example.com" } },
        request,
      },
      reply: { status: 200 },
      outcome: { kind: "rejected", class: "recipient" },
    },
  ],
  // https://developer.rocket.chat/apidocs/delete-chat-message and update-message
  unsends: [
    {
      name: "deletes a message",
      sent,
      unsending: { kind: "delete" },
      calls: [
        {
          ...request,
          url: "https://chat.example.com/api/v1/chat.delete",
          json: { roomId: "64a1f373376181965ab77f54", msgId: "jC9chsFddTvsbFQG7" },
        },
      ],
      outcomes: [
        { reply: { status: 200, body: { _id: "jC9chsFddTvsbFQG7", success: true } }, outcome: { kind: "deleted" } },
        { reply: missing, outcome: { kind: "deleted" } },
        { reply: error(400, "error-app-prevented-deleting"), outcome: { kind: "impossible", reason: /prevents/ } },
        ...failures,
      ],
    },
    {
      name: "changes a message",
      sent,
      unsending: {
        kind: "replace",
        content: { ...message, text: "Corrected", extra: { alias: "Tidings", customFields: { a: 1 } } },
      },
      calls: [
        {
          ...request,
          url: "https://chat.example.com/api/v1/chat.update",
          json: {
            roomId: "64a1f373376181965ab77f54",
            msgId: "jC9chsFddTvsbFQG7",
            text: "Corrected",
            customFields: { a: 1 },
          },
        },
      ],
      outcomes: [
        {
          reply: { status: 200, body: { message: { _id: "jC9chsFddTvsbFQG7" }, success: true } },
          outcome: { kind: "replaced", providerMessageId: "jC9chsFddTvsbFQG7" },
        },
        { reply: missing, outcome: { kind: "impossible", reason: /no longer exists/ } },
        { reply: error(400, "error-message-editing-blocked"), outcome: { kind: "impossible", reason: /too old/ } },
        { reply: error(400, "error-message-size-exceeded"), outcome: { kind: "failed", canRetry: false } },
        ...failures,
      ],
    },
    {
      name: "leaves what has no id",
      sent: { ...sent, providerMessageId: null },
      unsending: { kind: "delete" },
      calls: [],
      outcomes: [{ reply: { status: 200 }, outcome: { kind: "impossible", reason: /did not return an id/ } }],
    },
  ],
});
