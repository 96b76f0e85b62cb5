import { createHmac } from "node:crypto";
import { messageId, providerCase } from "../../case.ts";

const now = "2026-01-02T03:04:05Z";
const stamp = String(Date.parse(now) / 1000);
const webhookUrl = "https://hooks.example.com/chat/s3cret-room";
const message = {
  id: messageId,
  channel: "chat" as const,
  target: { kind: "webhook" as const, webhookUrl },
  text: "Hi",
};

function signed(json: object) {
  const mac = createHmac("sha256", "chat-s3cret-key").update(`${messageId}.${stamp}.${JSON.stringify(json)}`);
  const headers = {
    "webhook-id": messageId,
    "webhook-timestamp": stamp,
    "webhook-signature": `v1,${mac.digest("base64")}`,
    "x-novu-signature": createHmac("sha256", "chat-s3cret-key").update(JSON.stringify(json)).digest("hex"),
  };
  return { method: "POST", url: webhookUrl, headers, json };
}

const accepted = { reply: { status: 200, body: { id: "c-1" } }, providerMessageId: "c-1" };

export default providerCase({
  id: "chat-webhook",
  docs: "https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md",
  credentials: { secretKey: "chat-s3cret-key" },
  now,
  minimal: { message, request: signed({ id: messageId, text: "Hi" }) },
  rich: {
    message: {
      ...message,
      target: { kind: "webhook", webhookUrl, channel: "orders" },
      text: "Grüße **Ada** 🎉",
      extra: { priority: { level: 2 } },
    },
    request: signed({ id: messageId, text: "Grüße **Ada** 🎉", channel: "orders", priority: { level: 2 } }),
  },
  accepted,
  more: [
    {
      message: { ...message, peer: { payload: {}, step: { digest: false } } },
      request: signed({ content: "Hi", webhookUrl }),
      accepted,
    },
    {
      message,
      credentials: {},
      request: {
        method: "POST",
        url: webhookUrl,
        headers: { "webhook-id": messageId, "webhook-signature": /^$/ },
        json: { id: messageId, text: "Hi" },
      },
      accepted,
    },
  ],
  errors: [
    { name: "a wrong secret", reply: { status: 401 }, outcome: { kind: "rejected", class: "auth" } },
    { name: "a removed webhook", reply: { status: 410 }, outcome: { kind: "rejected", class: "recipient" } },
    { name: "a message it does not take", reply: { status: 422 }, outcome: { kind: "rejected", class: "content" } },
    { name: "a fault of theirs", reply: { status: 503 }, outcome: { kind: "retry" } },
  ],
  receipts: [
    { name: "opened", json: { messageId, status: "opened" }, expected: [{ messageId, status: "opened" }] },
    { name: "a status of another channel", json: { messageId, status: "bounced" }, expected: [] },
  ],
});
