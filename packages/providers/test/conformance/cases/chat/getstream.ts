import { messageId, providerCase } from "../../case.ts";

const webhookUrl = "https://chat.example.com/hooks/stream/s3cret-room";
const headers = { "x-api-key": "stream-s3cret-key" };
const message = {
  id: messageId,
  channel: "chat" as const,
  target: { kind: "webhook" as const, webhookUrl },
  text: "Hi",
};

export default providerCase({
  id: "getstream",
  docs: "https://getstream.io/chat/docs/node/webhooks_overview/",
  credentials: { apiKey: "stream-s3cret-key" },
  minimal: { message, request: { method: "POST", url: webhookUrl, headers, json: { text: "Hi" } } },
  rich: {
    message: { ...message, text: "Grüße **Ada** 🎉", extra: { silent: true } },
    request: { method: "POST", url: webhookUrl, headers, json: { text: "Grüße **Ada** 🎉", silent: true } },
  },
  accepted: {
    reply: { status: 200, headers: { "x-webhook-id": "8e0d0a8b" }, body: {} },
    providerMessageId: "8e0d0a8b",
  },
  errors: [
    { name: "a wrong key", reply: { status: 401 }, outcome: { kind: "rejected", class: "auth" } },
    { name: "a removed hook", reply: { status: 404 }, outcome: { kind: "rejected", class: "recipient" } },
    { name: "a bad body", reply: { status: 400 }, outcome: { kind: "rejected", class: "content" } },
    { name: "a fault of theirs", reply: { status: 502 }, outcome: { kind: "retry" } },
  ],
});
