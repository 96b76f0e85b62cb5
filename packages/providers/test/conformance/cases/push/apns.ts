import { generateKeyPairSync } from "node:crypto";
import { messageId, providerCase } from "../../case.ts";

const secretKey = generateKeyPairSync("ec", { namedCurve: "P-256" })
  .privateKey.export({ type: "pkcs8", format: "pem" })
  .toString();

const now = "2026-01-02T03:04:05Z";
const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
const claims = { iss: "DEF123GHIJ", iat: Date.parse(now) / 1000 };
const signed = `${part({ alg: "ES256", kid: "ABC123DEFG-k3y" })}\\.${part(claims)}`;

const token = "00fc13adff785122b4ad28809a3420982341241421348097878e577c991de8f0";
const headers = {
  authorization: new RegExp(`^bearer ${signed}\\.[\\w-]{86}$`),
  "apns-id": messageId,
  "apns-topic": "com.example.app",
  "apns-push-type": "alert",
  "apns-priority": "10",
  "apns-collapse-id": messageId,
};
const credentials = {
  secretKey,
  apiKey: "ABC123DEFG-k3y",
  projectName: "DEF123GHIJ",
  applicationId: "com.example.app",
  secure: true,
};
const minimal = {
  message: { id: messageId, channel: "push" as const, token, title: "Hi", body: "There" },
  request: {
    method: "POST",
    url: `https://api.push.apple.com/3/device/${token}`,
    headers,
    json: { aps: { alert: { title: "Hi", body: "There" } }, tidingsMessageId: messageId },
  },
};
const accepted = { reply: { status: 200, headers: { "apns-id": messageId }, body: "" }, providerMessageId: messageId };
const error = (status: number, reason: string) => ({ status, body: { reason } });

const sent = { content: minimal.message, providerMessageId: messageId };
/** Not the id of the message: Apple takes each once. */
const uuid = new RegExp(`^(?!${messageId})[\\da-f]{8}(-[\\da-f]{4}){3}-[\\da-f]{12}$`);
const failures = [
  { reply: error(410, "Unregistered"), outcome: { kind: "impossible" as const, reason: /Unregistered/ } },
  { reply: error(403, "InvalidProviderToken"), outcome: { kind: "failed" as const, canRetry: false } },
];

export default providerCase({
  id: "apns",
  transport: "http2",
  docs: "https://developer.apple.com/documentation/usernotifications/sending-notification-requests-to-apns",
  credentials,
  now,
  minimal,
  rich: {
    message: {
      ...minimal.message,
      title: "Grüße 🎉",
      body: "Ada & Bob",
      data: { url: "https://example.com/?a=1", count: 3, aps: "not yours" },
      extra: { aps: { sound: "default", badge: 3, "thread-id": "orders" } },
      passthrough: { headers: { "apns-collapse-id": "orders", "apns-priority": 5 } },
    },
    request: {
      ...minimal.request,
      headers: { ...headers, "apns-collapse-id": "orders", "apns-priority": "5" },
      json: {
        aps: {
          alert: { title: "Grüße 🎉", body: "Ada & Bob" },
          sound: "default",
          badge: 3,
          "thread-id": "orders",
        },
        url: "https://example.com/?a=1",
        count: 3,
        tidingsMessageId: messageId,
      },
    },
  },
  accepted,
  more: [
    {
      message: minimal.message,
      // The line breaks written out, as an environment variable holds them.
      credentials: { ...credentials, secretKey: secretKey.replaceAll("\n", "\\n"), secure: false },
      request: { ...minimal.request, url: `https://api.sandbox.push.apple.com/3/device/${token}` },
      accepted,
    },
  ],
  errors: [
    {
      name: "a bad token, or a good one of the other environment",
      reply: error(400, "BadDeviceToken"),
      outcome: { kind: "rejected", class: "recipient" },
    },
    { name: "an expired token", reply: error(410, "ExpiredToken"), outcome: { kind: "dead-token" } },
    {
      name: "a device that is gone",
      reply: { status: 410, body: { reason: "Unregistered", timestamp: 1767323045000 } },
      outcome: { kind: "dead-token" },
    },
    { name: "410 without a reason", reply: { status: 410, body: "" }, outcome: { kind: "dead-token" } },
    {
      name: "the token of another app",
      reply: error(400, "DeviceTokenNotForTopic"),
      outcome: { kind: "rejected", class: "recipient" },
    },
    { name: "a foreign topic", reply: error(400, "TopicDisallowed"), outcome: { kind: "rejected", class: "config" } },
    {
      name: "a key of the other environment",
      reply: error(403, "BadEnvironmentKeyIdInToken"),
      outcome: { kind: "rejected", class: "config" },
    },
    { name: "a wrong key", reply: error(403, "InvalidProviderToken"), outcome: { kind: "rejected", class: "auth" } },
    { name: "an aged token", reply: error(403, "ExpiredProviderToken"), outcome: { kind: "retry" } },
    {
      name: "a payload that is too large",
      reply: error(413, "PayloadTooLarge"),
      outcome: { kind: "rejected", class: "content" },
    },
    { name: "too many for one device", reply: error(429, "TooManyRequests"), outcome: { kind: "retry" } },
    { name: "a server that shuts down", reply: error(503, "Shutdown"), outcome: { kind: "retry" } },
  ],
  // https://developer.apple.com/documentation/usernotifications/pushing-background-updates-to-your-app
  unsends: [
    {
      name: "asks the app to remove the notification",
      sent,
      unsending: { kind: "delete" },
      calls: [
        {
          ...minimal.request,
          headers: { ...headers, "apns-id": uuid, "apns-push-type": "background", "apns-priority": "5" },
          json: { aps: { "content-available": 1 }, tidings: { remove: messageId } },
        },
      ],
      outcomes: [{ reply: accepted.reply, outcome: { kind: "removal_sent" } }, ...failures],
    },
    {
      name: "replaces the notification",
      sent,
      unsending: { kind: "replace", content: { ...minimal.message, title: "Corrected", extra: { sound: "bell" } } },
      calls: [
        {
          ...minimal.request,
          headers: { ...headers, "apns-id": uuid },
          json: {
            aps: { alert: { title: "Corrected", body: "There" }, sound: "bell" },
            tidingsMessageId: messageId,
          },
        },
      ],
      outcomes: [
        { reply: accepted.reply, outcome: { kind: "replaced", providerMessageId: messageId } },
        { reply: error(413, "PayloadTooLarge"), outcome: { kind: "failed", canRetry: false } },
        ...failures,
      ],
    },
    {
      name: "replaces under the id that the event named",
      sent: { ...sent, content: { ...minimal.message, extra: { tag: "orders" } } },
      unsending: { kind: "replace", content: minimal.message },
      calls: [{ ...minimal.request, headers: { ...headers, "apns-id": uuid, "apns-collapse-id": "orders" } }],
      outcomes: [{ reply: accepted.reply, outcome: { kind: "replaced", providerMessageId: messageId } }],
    },
  ],
  receipts: [
    {
      name: "an app that reports",
      json: [{ tidingsMessageId: messageId, status: "dismissed" }],
      expected: [{ messageId, status: "dismissed" }],
    },
  ],
  quirks: {
    volatile: ["authorization"],
    gone: { 410: { kind: "dead-token" } },
    because: "ES256 signs with a random number; 410 is what Apple says of a device",
  },
});
