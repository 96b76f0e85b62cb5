import { messageId, providerCase } from "../../case.ts";

const webhookUrl = "https://example.ryver.com/application/webhook/s3cret-4z-_G76nj7Fic-M";
const message = {
  id: messageId,
  channel: "chat" as const,
  target: { kind: "webhook" as const, webhookUrl },
  text: "Hi",
};

export default providerCase({
  id: "ryver",
  docs: "https://api.ryver.com/ryvhooks_simple_incoming.html",
  credentials: {},
  minimal: { message, request: { method: "POST", url: webhookUrl, json: { body: "Hi" } } },
  rich: {
    message: { ...message, text: "Grüße **Ada** 🎉", extra: { createSource: { displayName: "Tidings" } } },
    request: {
      method: "POST",
      url: webhookUrl,
      json: { body: "Grüße **Ada** 🎉", createSource: { displayName: "Tidings" } },
    },
  },
  accepted: { reply: { status: 200, body: "" } },
  errors: [
    { name: "a removed webhook", reply: { status: 404 }, outcome: { kind: "rejected", class: "recipient" } },
    { name: "a bad body", reply: { status: 400 }, outcome: { kind: "rejected", class: "content" } },
    { name: "a fault of theirs", reply: { status: 500 }, outcome: { kind: "retry" } },
  ],
});
