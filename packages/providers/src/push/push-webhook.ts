// A custom webhook that sends the push. It gets one POST with JSON for each device: {id, token, title, body,
// data}, signed with the secret as https://www.standardwebhooks.com prescribes; `webhook-id` is the same on a repeat.
// Any 2xx means that the push was taken, and may name it: {id}. Receivers written for Novu get its body, {target:
// [token], title, content, payload: {…, subscriber, step}}. 410 means that the token is gone and is to be forgotten.
// Reports come back as {messageId or externalId, status, date?, response?}.

import { destination, secret, text } from "../kit/credentials.ts";
import { defineProvider } from "../kit/provider.ts";
import { dataOf, deliveryId } from "../kit/push.ts";
import { genericReceipts } from "../kit/receipts.ts";
import { byStatus, textAt } from "../kit/reply.ts";
import { post } from "../kit/request.ts";
import { signWebhook } from "../kit/webhook.ts";

export default defineProvider({
  id: "push-webhook",
  channel: "push",
  name: "Push webhook",
  docs: "https://www.standardwebhooks.com",
  help: "The address of your own endpoint, and a secret you share with it to check the signature.",
  credentials: { webhookUrl: destination(text("Webhook URL")), secretKey: secret("HMAC secret") },
  request: (message, { webhookUrl }) => {
    const { id, token, title, body } = message;
    const headers = { "webhook-id": deliveryId(message) };
    if (message.peer) {
      const { payload, subscriber, step } = message.peer;
      const json = {
        target: [token],
        title,
        content: body,
        payload: { ...payload, ...dataOf(message), subscriber, step },
      };
      return post(webhookUrl, { headers, json });
    }
    return post(webhookUrl, { headers, json: { id, token, title, body, data: dataOf(message) } });
  },
  sign: (request, { secretKey }, now) => signWebhook(request, secretKey, now),
  read: (reply) =>
    byStatus(reply, textAt(reply.json, "id"), { code: String(reply.status), classes: { 410: "dead-token" } }),
  receipts: genericReceipts("push"),
});
