import assert from "node:assert/strict";
import { createECDH, randomBytes } from "node:crypto";
import { makeVapidKeys } from "../../../../src/index.ts";
import { messageId, providerCase } from "../../case.ts";

// What is inside the body is tested in packages/server/test/app/subscribers/web-push.test.ts, which has the keys of a
// browser.
const p256dh = createECDH("prime256v1").generateKeys("base64url");
const endpoint = "https://updates.push.services.mozilla.com/wpush/v2/gAAAAABsubscription";
const token = JSON.stringify({
  endpoint,
  expirationTime: null,
  keys: { p256dh, auth: randomBytes(16).toString("base64url") },
});
const { publicKey, privateKey } = makeVapidKeys();
const message = { id: messageId, channel: "push" as const, token, title: "Hi", body: "There" };

const request = {
  method: "POST",
  url: endpoint,
  headers: {
    authorization: new RegExp(`^vapid t=[\\w-]+\\.[\\w-]+\\.[\\w-]+, k=${publicKey}$`),
    "content-type": "application/octet-stream",
    "content-encoding": "aes128gcm",
    ttl: "2419200",
    urgency: "normal",
    topic: messageId.replaceAll("-", ""),
  },
  body: (text: string) => assert.ok(text.length > 100 && !text.includes("There")),
};
const answer = (status: number) => ({ status, body: "" });

const sent = { content: message, providerMessageId: null };
const encrypted = (text: string) => assert.ok(text.length > 100 && !text.includes("tidings"));
const failures = [
  { reply: answer(410), outcome: { kind: "impossible" as const } },
  { reply: answer(403), outcome: { kind: "failed" as const, canRetry: false } },
];

export default providerCase({
  id: "web-push",
  docs: "https://www.rfc-editor.org/rfc/rfc8030#section-5",
  credentials: { publicKey, privateKey, subject: "mailto:ops@example.com" },
  minimal: { message, request },
  rich: {
    message: {
      ...message,
      title: "Grüße 🎉",
      data: { url: "https://example.com/?a=1" },
      extra: { icon: "https://example.com/i.png" },
      passthrough: { headers: { urgency: "high", ttl: 600, topic: null } },
    },
    request: { ...request, headers: { ...request.headers, urgency: "high", ttl: "600", topic: /^$/ } },
  },
  accepted: {
    reply: { status: 201, headers: { location: "https://updates.push.services.mozilla.com/m/1" }, body: "" },
    providerMessageId: "https://updates.push.services.mozilla.com/m/1",
  },
  errors: [
    { name: "an expired subscription", reply: answer(410), outcome: { kind: "dead-token" } },
    { name: "an unknown subscription", reply: answer(404), outcome: { kind: "dead-token" } },
    { name: "the keys of another site", reply: answer(403), outcome: { kind: "rejected", class: "auth" } },
    { name: "a push that is too large", reply: answer(413), outcome: { kind: "rejected", class: "content" } },
    {
      name: "a browser that gets too many",
      reply: { ...answer(429), headers: { "retry-after": "120" } },
      outcome: { kind: "retry", afterMs: 120_000 },
    },
    {
      name: "a token that is no subscription",
      sending: { message: { ...message, token: "device-1" }, request },
      reply: answer(201),
      outcome: { kind: "rejected", class: "recipient" },
    },
    {
      name: "a subscription without keys",
      sending: { message: { ...message, token: JSON.stringify({ endpoint, keys: {} }) }, request },
      reply: answer(201),
      outcome: { kind: "rejected", class: "recipient" },
    },
  ],
  // What is inside is tested in test/push/push.test.ts.
  unsends: [
    {
      name: "asks the browser to close the notification",
      sent,
      unsending: { kind: "delete" },
      calls: [{ ...request, body: encrypted }],
      outcomes: [{ reply: answer(201), outcome: { kind: "removal_sent" } }, ...failures],
    },
    {
      name: "replaces the notification",
      sent,
      unsending: { kind: "replace", content: { ...message, id: "0199a1b2-0000-7000-8000-000000000002" } },
      calls: [{ ...request, body: encrypted }],
      outcomes: [
        { reply: answer(201), outcome: { kind: "replaced" } },
        { reply: answer(413), outcome: { kind: "failed", canRetry: false } },
        ...failures,
      ],
    },
  ],
  receipts: [
    {
      name: "a service worker that reports",
      json: { tidingsMessageId: messageId, status: "clicked" },
      expected: [{ messageId, status: "clicked" }],
    },
  ],
  quirks: {
    volatile: ["authorization", "body"],
    noBodyOverrides: true,
    gone: { 404: { kind: "dead-token" }, 410: { kind: "dead-token" } },
    because: "every push is encrypted with a key and a salt of its own, and goes to the browser's address",
  },
});
