import { messageId, providerCase } from "../../case.ts";

const webhookUrl =
  "https://example.zulipchat.com/api/v1/external/slack_incoming?api_key=s3cret-bot-key&stream=general&topic=orders";
const message = {
  id: messageId,
  channel: "chat" as const,
  target: { kind: "webhook" as const, webhookUrl },
  text: "Hi",
};
const error = (status: number, code: string, msg: string) => ({ status, body: { result: "error", code, msg } });

export default providerCase({
  id: "zulip",
  docs: "https://zulip.com/integrations/doc/slack_incoming",
  credentials: {},
  minimal: { message, request: { method: "POST", url: webhookUrl, json: { text: "Hi" } } },
  rich: {
    message: { ...message, text: "Grüße *Ada* 🎉", extra: { attachments: [{ title: "More" }] } },
    request: { method: "POST", url: webhookUrl, json: { text: "Grüße *Ada* 🎉", attachments: [{ title: "More" }] } },
  },
  accepted: { reply: { status: 200, body: { result: "success", msg: "" } } },
  errors: [
    {
      name: "a key that was changed",
      reply: error(401, "INVALID_API_KEY", "Invalid API key"),
      outcome: { kind: "rejected", class: "recipient" },
    },
    {
      name: "a removed channel",
      reply: error(400, "STREAM_DOES_NOT_EXIST", "Channel 'general' does not exist"),
      outcome: { kind: "rejected", class: "recipient" },
    },
    {
      name: "a bot that was switched off",
      reply: error(401, "USER_DEACTIVATED", "Account is deactivated"),
      outcome: { kind: "rejected", class: "recipient" },
    },
    {
      name: "a bad body",
      reply: error(400, "BAD_REQUEST", "Malformed payload"),
      outcome: { kind: "rejected", class: "content" },
    },
    {
      name: "the rate limit",
      reply: {
        ...error(429, "RATE_LIMIT_HIT", "API usage exceeded rate limit"),
        headers: { "retry-after": "28.706807374954224" },
      },
      outcome: { kind: "retry", afterMs: 28_707 },
    },
  ],
});
