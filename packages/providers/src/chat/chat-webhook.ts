// A webhook that takes chat messages, one for each subscriber: the endpoint holds its address. It gets one POST with
// JSON: {id, text, channel?}. With a secret the request is signed as https://www.standardwebhooks.com prescribes;
// `webhook-id` is the id of the message, the same on a repeat. Any 2xx means that the message was taken, and may name
// it: {id}. Receivers written for Novu get its body, {content, webhookUrl, channel?}.

import { readWebhook, targetOf } from "../kit/chat.ts";
import { secret } from "../kit/credentials.ts";
import { defineProvider } from "../kit/provider.ts";
import { genericReceipts } from "../kit/receipts.ts";
import { textAt } from "../kit/reply.ts";
import { post } from "../kit/request.ts";
import { signWebhook } from "../kit/webhook.ts";

export default defineProvider({
  id: "chat-webhook",
  channel: "chat",
  name: "Chat webhook",
  docs: "https://www.standardwebhooks.com",
  help: "A secret you share with the receivers to check the signature; the subscriber's endpoint holds the address.",
  credentials: { secretKey: secret("HMAC secret", { optional: true }) },
  request: (message) => {
    const { webhookUrl, channel } = targetOf(message, "webhook");
    const headers = { "webhook-id": message.id };
    const { id, text } = message;
    return post(webhookUrl, {
      headers,
      json: message.peer ? { content: text, webhookUrl, channel } : { id, text, channel },
    });
  },
  sign: (request, { secretKey }, now) => (secretKey ? signWebhook(request, secretKey, now) : request),
  read: (reply) => readWebhook(reply, { id: textAt(reply.json, "id") }),
  receipts: genericReceipts("chat"),
});
