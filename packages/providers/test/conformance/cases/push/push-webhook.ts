import { createHmac } from "node:crypto";
import { messageId, providerCase } from "../../case.ts";

const now = "2026-01-02T03:04:05Z";
const stamp = String(Date.parse(now) / 1000);
const key = "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
// The first 16 bytes of the SHA-256 of "<message id>\n<token>", marked as a UUID of version 4.
const webhookId = "388f2a0f-e1ee-498d-8b14-00a32f64eaed";

function expected(json: object) {
  const mac = createHmac("sha256", Buffer.from(key, "base64"));
  const signature = mac.update(`${webhookId}.${stamp}.${JSON.stringify(json)}`).digest("base64");
  const headers = {
    "webhook-id": webhookId,
    "webhook-timestamp": stamp,
    "webhook-signature": `v1,${signature}`,
    "x-novu-signature": createHmac("sha256", `whsec_${key}`).update(JSON.stringify(json)).digest("hex"),
  };
  return { method: "POST", url: "https://hooks.example.com/push?tenant=1", headers, json };
}

export default providerCase({
  id: "push-webhook",
  docs: "https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md",
  credentials: { webhookUrl: "https://hooks.example.com/push?tenant=1", secretKey: `whsec_${key}` },
  now,
  minimal: {
    message: { id: messageId, channel: "push", token: "device-1", title: "Hi", body: "There" },
    request: expected({
      id: messageId,
      token: "device-1",
      title: "Hi",
      body: "There",
      data: { tidingsMessageId: messageId },
    }),
  },
  rich: {
    message: {
      id: messageId,
      channel: "push",
      token: "device-1",
      title: "Grüße 🎉",
      body: "Ada & Bob",
      data: { nested: { a: [1] } },
      extra: { sound: "bell" },
    },
    request: expected({
      id: messageId,
      token: "device-1",
      title: "Grüße 🎉",
      body: "Ada & Bob",
      data: { nested: { a: [1] }, tidingsMessageId: messageId },
      sound: "bell",
    }),
  },
  accepted: { reply: { status: 202, body: { id: "p-1" } }, providerMessageId: "p-1" },
  more: [
    {
      message: {
        id: messageId,
        channel: "push",
        token: "device-1",
        title: "Hi",
        body: "There",
        data: { url: "/o/7" },
        peer: { payload: { order: 7 }, subscriber: { subscriberId: "ada" }, step: { digest: false } },
      },
      request: expected({
        target: ["device-1"],
        title: "Hi",
        content: "There",
        payload: {
          order: 7,
          url: "/o/7",
          tidingsMessageId: messageId,
          subscriber: { subscriberId: "ada" },
          step: { digest: false },
        },
      }),
      accepted: { reply: { status: 202, body: { id: "p-1" } }, providerMessageId: "p-1" },
    },
  ],
  errors: [
    { name: "a token that is gone", reply: { status: 410 }, outcome: { kind: "dead-token" } },
    { name: "a wrong secret", reply: { status: 401 }, outcome: { kind: "rejected", class: "auth" } },
    { name: "a push it does not take", reply: { status: 422 }, outcome: { kind: "rejected", class: "content" } },
    { name: "a fault of theirs", reply: { status: 502 }, outcome: { kind: "retry" } },
  ],
  receipts: [
    {
      name: "delivered",
      json: { externalId: "p-1", status: "delivered", date: 1767323045 },
      expected: [{ externalId: "p-1", status: "delivered", date: new Date(1767323045000) }],
    },
    { name: "a status of another channel", json: { messageId, status: "bounced" }, expected: [] },
  ],
  quirks: { gone: { 410: { kind: "dead-token" } }, because: "410 is agreed upon for a token that is gone" },
});
