import { messageId, providerCase } from "../../case.ts";

const to = "ExponentPushToken[xxxxxxxxxxxxxxxxxxxxxx]";
const target = {
  method: "POST",
  url: "https://exp.host/--/api/v2/push/send",
  headers: { authorization: "Bearer expo-s3cret-token" },
};
const ticket = (error: string) => ({
  status: 200,
  body: { data: { status: "error", message: `"${to}": ${error}`, details: { error } } },
});
const failed = (status: number, code: string, message: string) => ({ status, body: { errors: [{ code, message }] } });

export default providerCase({
  id: "expo",
  docs: "https://docs.expo.dev/push-notifications/sending-notifications/#http2-api",
  credentials: { apiKey: "expo-s3cret-token" },
  minimal: {
    message: { id: messageId, channel: "push", token: to, title: "Hi", body: "There" },
    request: { ...target, json: { to, title: "Hi", body: "There", data: { tidingsMessageId: messageId } } },
  },
  rich: {
    message: {
      id: messageId,
      channel: "push",
      token: to,
      title: "Grüße 🎉",
      body: "Ada & Bob",
      data: { url: "https://example.com/?a=1", nested: { a: [1] } },
      extra: { sound: "default", channelId: "orders", ttl: 600 },
    },
    request: {
      ...target,
      json: {
        to,
        title: "Grüße 🎉",
        body: "Ada & Bob",
        data: { url: "https://example.com/?a=1", nested: { a: [1] }, tidingsMessageId: messageId },
        sound: "default",
        channelId: "orders",
        ttl: 600,
      },
    },
  },
  accepted: {
    reply: { status: 200, body: { data: { status: "ok", id: "XXXXXXXX-XXXX-XXXX-XXXX-XXXXXXXXXXXX" } } },
    providerMessageId: "XXXXXXXX-XXXX-XXXX-XXXX-XXXXXXXXXXXX",
  },
  errors: [
    { name: "a device that is gone", reply: ticket("DeviceNotRegistered"), outcome: { kind: "dead-token" } },
    {
      name: "a device that is gone, in a list",
      reply: { status: 200, body: { data: [{ status: "error", details: { error: "DeviceNotRegistered" } }] } },
      outcome: { kind: "dead-token" },
    },
    {
      name: "a message that is too big",
      reply: ticket("MessageTooBig"),
      outcome: { kind: "rejected", class: "content" },
    },
    { name: "too many for one device", reply: ticket("MessageRateExceeded"), outcome: { kind: "retry" } },
    {
      name: "missing push keys of the app",
      reply: ticket("InvalidCredentials"),
      outcome: { kind: "rejected", class: "config" },
    },
    {
      name: "the keys of another FCM project",
      reply: ticket("MismatchSenderId"),
      outcome: { kind: "rejected", class: "config" },
    },
    {
      name: "a text that is no token",
      reply: failed(400, "VALIDATION_ERROR", '"to" must be a valid Expo push token'),
      outcome: { kind: "rejected", class: "recipient" },
    },
    {
      name: "a bad field",
      reply: failed(400, "VALIDATION_ERROR", '"ttl" must be a number'),
      outcome: { kind: "rejected", class: "content" },
    },
    {
      name: "a wrong access token",
      reply: failed(401, "UNAUTHORIZED", "The bearer token is invalid"),
      outcome: { kind: "rejected", class: "auth" },
    },
    { name: "the rate limit", reply: failed(429, "TOO_MANY_REQUESTS", "600 per second"), outcome: { kind: "retry" } },
  ],
  unsends: [
    {
      name: "asks the app to remove the notification",
      sent: {
        content: { id: messageId, channel: "push", token: to, title: "Hi", body: "There" },
        providerMessageId: "XXXXXXXX-XXXX-XXXX-XXXX-XXXXXXXXXXXX",
      },
      unsending: { kind: "delete" },
      calls: [{ ...target, json: { to, data: { tidings: { remove: messageId } }, _contentAvailable: true } }],
      outcomes: [
        { reply: { status: 200, body: { data: { status: "ok", id: "Y" } } }, outcome: { kind: "removal_sent" } },
        { reply: ticket("DeviceNotRegistered"), outcome: { kind: "impossible" } },
        { reply: ticket("MessageRateExceeded"), outcome: { kind: "failed", canRetry: true } },
        { reply: { status: 200, body: "{oops" }, outcome: { kind: "failed", canRetry: true } },
      ],
    },
  ],
  receipts: [
    {
      name: "an app that reports",
      json: { tidingsMessageId: messageId, status: "clicked" },
      expected: [{ messageId, status: "clicked" }],
    },
  ],
  quirks: { invalidJson: "unknown", because: "errors are answered with 200, so only the ticket can confirm" },
});
