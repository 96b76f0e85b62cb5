import { messageId, providerCase } from "../../case.ts";

const url = "https://slack.com/api/chat.postMessage";
const headers = {
  authorization: "Bearer xoxb-s3cret-access-token",
  "content-type": "application/json; charset=utf-8",
};
const accessToken = "xoxb-s3cret-access-token";
const target = { kind: "channel" as const, channel: "C123ABC456", accessToken };
const message = { id: messageId, channel: "chat" as const, target, text: "Hi" };
const refused = (error: string) => ({ status: 200, body: { ok: false, error } });

const webhookUrl = "https://hooks.slack.com/services/T00000000/B00000000/s3cret-webhook-XXXXXXXX";
const throughWebhook = {
  message: { ...message, target: { kind: "webhook" as const, webhookUrl } },
  request: { method: "POST", url: webhookUrl, json: { text: "Hi" } },
};
const accepted = {
  reply: { status: 200, body: { ok: true, channel: "C123ABC456", ts: "1503435956.000247", message: { text: "Hi" } } },
  providerMessageId: "1503435956.000247",
};

export default providerCase({
  id: "slack",
  docs: "https://docs.slack.dev/reference/methods/chat.postMessage",
  credentials: {
    applicationId: "A012ABCD0A0",
    clientId: "123456789012.123456789012",
    secretKey: "slack-s3cret-client",
    signingSecret: "slack-s3cret-signing",
  },
  minimal: { message, request: { method: "POST", url, headers, json: { channel: "C123ABC456", text: "Hi" } } },
  rich: {
    message: {
      ...message,
      text: "Grüße *Ada* 🎉 <https://example.com|more>",
      extra: { unfurl_links: false, blocks: [{ type: "section", text: { type: "mrkdwn", text: "*More*" } }] },
    },
    request: {
      method: "POST",
      url,
      headers,
      json: {
        channel: "C123ABC456",
        text: "Grüße *Ada* 🎉 <https://example.com|more>",
        unfurl_links: false,
        blocks: [{ type: "section", text: { type: "mrkdwn", text: "*More*" } }],
      },
    },
  },
  accepted,
  more: [
    {
      message: { ...message, target: { kind: "user", user: "U0G9QF9C6", accessToken } },
      request: { method: "POST", url, headers, json: { channel: "U0G9QF9C6", text: "Hi" } },
      accepted,
    },
    { ...throughWebhook, accepted: { reply: { status: 200, body: "ok" } } },
  ],
  errors: [
    { name: "a revoked token", reply: refused("token_revoked"), outcome: { kind: "rejected", class: "auth" } },
    { name: "a missing scope", reply: refused("missing_scope"), outcome: { kind: "rejected", class: "config" } },
    {
      name: "an unknown channel",
      reply: refused("channel_not_found"),
      outcome: { kind: "rejected", class: "recipient" },
    },
    {
      name: "a channel the app is not in",
      reply: refused("not_in_channel"),
      outcome: { kind: "rejected", class: "recipient" },
    },
    { name: "an archived channel", reply: refused("is_archived"), outcome: { kind: "rejected", class: "recipient" } },
    { name: "a long text", reply: refused("msg_too_long"), outcome: { kind: "rejected", class: "content" } },
    { name: "bad blocks", reply: refused("invalid_blocks"), outcome: { kind: "rejected", class: "content" } },
    {
      name: "a team that writes too much",
      reply: refused("message_limit_exceeded"),
      outcome: { kind: "rejected", class: "quota" },
    },
    {
      name: "the rate limit",
      reply: { status: 429, headers: { "retry-after": "30" }, body: { ok: false, error: "ratelimited" } },
      outcome: { kind: "retry", afterMs: 30_000 },
    },
    { name: "a fault that may have sent", reply: refused("internal_error"), outcome: { kind: "unknown" } },
    {
      name: "a removed webhook",
      sending: throughWebhook,
      reply: { status: 404, body: "no_service" },
      outcome: { kind: "rejected", class: "recipient" },
    },
    {
      name: "the webhook of an archived channel",
      sending: throughWebhook,
      reply: { status: 410, body: "channel_is_archived" },
      outcome: { kind: "rejected", class: "recipient" },
    },
    {
      name: "a webhook that may not post",
      sending: throughWebhook,
      reply: { status: 403, body: "action_prohibited" },
      outcome: { kind: "rejected", class: "recipient" },
    },
    {
      name: "a body the webhook cannot read",
      sending: throughWebhook,
      reply: { status: 400, body: "invalid_payload" },
      outcome: { kind: "rejected", class: "content" },
    },
    {
      name: "an endpoint without a connection",
      sending: { message: { ...message, target: { kind: "channel", channel: "C1" } }, request: throughWebhook.request },
      reply: { status: 200, body: "ok" },
      outcome: { kind: "rejected", class: "config" },
    },
    {
      name: "an endpoint of another kind",
      sending: {
        message: { ...message, target: { kind: "phone", phone: "+14155552671" } },
        request: throughWebhook.request,
      },
      reply: { status: 200, body: "ok" },
      outcome: { kind: "rejected", class: "recipient" },
    },
  ],
  quirks: { invalidJson: "unknown", because: "errors are answered with 200, so only the body can confirm" },
});
