import { messageId, providerCase } from "../../case.ts";

const webhookUrl = "https://mattermost.example.com/hooks/s3cret-generatedkey-xxx";
const message = {
  id: messageId,
  channel: "chat" as const,
  target: { kind: "webhook" as const, webhookUrl },
  text: "Hi",
};
const error = (status_code: number, id: string) => ({
  status: status_code,
  body: { id: `web.incoming_webhook.${id}.app_error`, message: "Said", detailed_error: "", status_code },
});

export default providerCase({
  id: "mattermost",
  docs: "https://developers.mattermost.com/integrate/webhooks/incoming/#parameters",
  credentials: {},
  minimal: { message, request: { method: "POST", url: webhookUrl, json: { text: "Hi" } } },
  rich: {
    message: {
      ...message,
      target: { kind: "webhook", webhookUrl, channel: "town-square" },
      text: "Grüße **Ada** 🎉",
      extra: { username: "Tidings", icon_emoji: "bell" },
    },
    request: {
      method: "POST",
      url: webhookUrl,
      json: { text: "Grüße **Ada** 🎉", channel: "town-square", username: "Tidings", icon_emoji: "bell" },
    },
  },
  accepted: { reply: { status: 200, headers: { "content-type": "text/plain" }, body: "ok" } },
  errors: [
    { name: "a removed webhook", reply: error(400, "invalid"), outcome: { kind: "rejected", class: "recipient" } },
    { name: "an unknown address", reply: { status: 404, body: "" }, outcome: { kind: "rejected", class: "recipient" } },
    { name: "an unknown channel", reply: error(404, "channel"), outcome: { kind: "rejected", class: "recipient" } },
    {
      name: "a channel the webhook may not use",
      reply: error(403, "permissions"),
      outcome: { kind: "rejected", class: "recipient" },
    },
    { name: "a message without text", reply: error(400, "text"), outcome: { kind: "rejected", class: "content" } },
    {
      name: "a server without webhooks",
      reply: error(501, "disabled"),
      outcome: { kind: "rejected", class: "config" },
    },
    { name: "the rate limit", reply: { status: 429, body: "limit exceeded" }, outcome: { kind: "retry" } },
  ],
});
