// Mattermost, through an incoming webhook. No credentials: the address of the webhook, which the subscriber's endpoint
// holds, is all (Integrations, Incoming Webhooks). The endpoint may name another channel than the webhook's own.
// API: https://developers.mattermost.com/integrate/webhooks/incoming/

import { readWebhook, targetOf } from "../kit/chat.ts";
import { defineProvider } from "../kit/provider.ts";
import { type ErrorClasses, textAt } from "../kit/reply.ts";
import { post } from "../kit/request.ts";

const classes: ErrorClasses = {
  "web.incoming_webhook.channel.app_error": "recipient",
  "web.incoming_webhook.channel_locked.app_error": "recipient",
  "web.incoming_webhook.disabled.app_error": "config",
  "web.incoming_webhook.invalid.app_error": "recipient",
  "web.incoming_webhook.permissions.app_error": "recipient",
  "web.incoming_webhook.user.app_error": "recipient",
};

export default defineProvider({
  id: "mattermost",
  channel: "chat",
  name: "Mattermost",
  docs: "https://developers.mattermost.com/integrate/webhooks/incoming/",
  help: "Create an incoming webhook under Integrations, and store its address with the subscriber.",
  credentials: {},
  request: (message) => {
    const { webhookUrl, channel } = targetOf(message, "webhook");
    return post(webhookUrl, { json: { text: message.text, channel } });
  },
  overrideNames: { members: ["username", "icon_url", "icon_emoji", "attachments", "type", "props", "priority"] },
  unsend: "An incoming webhook of Mattermost returns no id, so a message cannot be changed or deleted",
  read: (reply) => readWebhook(reply, { code: textAt(reply.json, "id"), classes }),
});
