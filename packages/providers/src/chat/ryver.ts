// Ryver, through an incoming webhook of the format "Ryver". No credentials: the address of the webhook, which the
// subscriber's endpoint holds, is all (Integrations, Incoming Webhooks). API:
// https://api.ryver.com/ryvhooks_simple_incoming.html. Documentation seen: the body and how to create webhooks;
// responses are not described, so the status alone decides.

import { readWebhook, targetOf } from "../kit/chat.ts";
import { defineProvider } from "../kit/provider.ts";
import { post } from "../kit/request.ts";

export default defineProvider({
  id: "ryver",
  channel: "chat",
  name: "Ryver",
  docs: "https://api.ryver.com/ryvhooks_simple_incoming.html",
  help: "Create an incoming webhook of the format Ryver under Integrations, and store its address with the subscriber.",
  credentials: {},
  request: (message) => post(targetOf(message, "webhook").webhookUrl, { json: { body: message.text } }),
  read: (reply) => readWebhook(reply),
});
