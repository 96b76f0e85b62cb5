// Discord, through the webhook of a channel. No credentials: the address of the webhook, which the subscriber's
// endpoint holds, is all (channel settings, Integrations, Webhooks). API:
// https://discord.com/developers/docs/resources/webhook#execute-webhook

import { readWebhook, targetOf } from "../kit/chat.ts";
import { defineProvider } from "../kit/provider.ts";
import { type ErrorClasses, textAt } from "../kit/reply.ts";
import { post } from "../kit/request.ts";

const classes: ErrorClasses = {
  10003: "recipient",
  10015: "recipient",
  20028: "retry",
  20029: "retry",
  50006: "content",
  50027: "recipient",
  50035: "content",
};

export default defineProvider({
  id: "discord",
  channel: "chat",
  name: "Discord",
  docs: "https://discord.com/developers/docs/resources/webhook#execute-webhook",
  help: "Create a webhook in the settings of the channel, under Integrations, and store its address with the subscriber.",
  credentials: {},
  limits: { text: 2000 },
  // Without `wait` Discord responds before it has read the message. Who wants @everyone to work overrides
  // allowed_mentions: a text made from a subscriber's input must not notify a whole server.
  request: (message) =>
    post(targetOf(message, "webhook").webhookUrl, {
      query: { wait: true },
      json: { content: message.text, allowed_mentions: { parse: ["users", "roles"] } },
    }),
  overrideNames: {
    // biome-ignore format: the names are grouped
    members: [
      "content", "username", "avatar_url", "tts", "embeds", "allowed_mentions", "components", "flags",
      "thread_name", "applied_tags", "poll",
    ],
  },
  read: (reply) => readWebhook(reply, { id: textAt(reply.json, "id"), code: textAt(reply.json, "code"), classes }),
});
