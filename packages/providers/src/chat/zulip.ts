// Zulip, through a webhook in the format of Slack. No credentials: the address with its api_key, stream and topic,
// which the subscriber's endpoint holds, is all:
// https://<organisation>/api/v1/external/slack_incoming?api_key=…&stream=…&topic=… API:
// https://zulip.com/integrations/doc/slack_incoming; errors: https://zulip.com/api/rest-error-handling

import { readWebhook, targetOf } from "../kit/chat.ts";
import { defineProvider } from "../kit/provider.ts";
import { type ErrorClasses, textAt } from "../kit/reply.ts";
import { post } from "../kit/request.ts";

// The key is a part of the address, so one that is refused is an error of the endpoint.
const classes: ErrorClasses = {
  INVALID_API_KEY: "recipient",
  REALM_DEACTIVATED: "recipient",
  STREAM_DOES_NOT_EXIST: "recipient",
  UNAUTHORIZED: "recipient",
  USER_DEACTIVATED: "recipient",
};

export default defineProvider({
  id: "zulip",
  channel: "chat",
  name: "Zulip",
  docs: "https://zulip.com/integrations/doc/slack_incoming",
  help: "Add an incoming webhook bot, take its Slack-compatible webhook URL, and store that with the subscriber.",
  credentials: {},
  limits: { text: 10_000 },
  request: (message) => post(targetOf(message, "webhook").webhookUrl, { json: { text: message.text } }),
  unsend: "A webhook of Zulip returns no id, so a message cannot be changed or deleted",
  read: (reply) => readWebhook(reply, { code: textAt(reply.json, "code"), classes }),
});
