import { messageId, providerCase } from "../../case.ts";

const webhookUrl = "https://discord.com/api/webhooks/223704706495545344/s3cret-webhook-token-3d89bb";
const error = (status: number, code: number, message: string) => ({ status, body: { code, message } });

export default providerCase({
  id: "discord",
  docs: "https://discord.com/developers/docs/resources/webhook#execute-webhook",
  credentials: {},
  minimal: {
    message: { id: messageId, channel: "chat", target: { kind: "webhook", webhookUrl }, text: "Hi" },
    request: {
      method: "POST",
      url: `${webhookUrl}?wait=true`,
      json: { content: "Hi", allowed_mentions: { parse: ["users", "roles"] } },
    },
  },
  rich: {
    message: {
      id: messageId,
      channel: "chat",
      target: { kind: "webhook", webhookUrl: `${webhookUrl}?thread_id=42` },
      text: "Grüße **Ada** 🎉",
      extra: { username: "Tidings", allowed_mentions: { parse: [] }, embeds: [{ title: "More" }] },
      passthrough: { query: { with_components: true } },
    },
    request: {
      method: "POST",
      url: `${webhookUrl}?thread_id=42&wait=true&with_components=true`,
      json: {
        content: "Grüße **Ada** 🎉",
        allowed_mentions: { parse: [] },
        username: "Tidings",
        embeds: [{ title: "More" }],
      },
    },
  },
  accepted: {
    reply: { status: 200, body: { id: "1199999999999999999", type: 0, content: "Hi" } },
    providerMessageId: "1199999999999999999",
  },
  errors: [
    {
      name: "a deleted webhook",
      reply: error(404, 10015, "Unknown Webhook"),
      outcome: { kind: "rejected", class: "recipient" },
    },
    {
      name: "a wrong webhook token",
      reply: error(401, 50027, "Invalid Webhook Token"),
      outcome: { kind: "rejected", class: "recipient" },
    },
    {
      name: "an empty message",
      reply: error(400, 50006, "Cannot send an empty message"),
      outcome: { kind: "rejected", class: "content" },
    },
    {
      name: "an invalid body",
      reply: error(400, 50035, "Invalid Form Body"),
      outcome: { kind: "rejected", class: "content" },
    },
    {
      name: "the rate limit",
      reply: {
        status: 429,
        headers: { "retry-after": "0.65" },
        body: { message: "You are being rate limited.", retry_after: 0.65, global: false },
      },
      outcome: { kind: "retry", afterMs: 650 },
    },
  ],
});
