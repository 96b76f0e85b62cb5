// Mailtrap Email Sending. Credentials: mailtrap.io/api-tokens, a token with access to the sending domain.
// API: https://docs.mailtrap.io/developers/email-sending/transactional
// Events: https://docs.mailtrap.io/email-api-smtp/advanced/webhooks

import { secret, text } from "../kit/credentials.ts";
import { inlineContentId, metadataOf, nonEmpty, toJsonMail, workflowTag } from "../kit/email.ts";
import { toMail } from "../kit/mail.ts";
import { defineProvider } from "../kit/provider.ts";
import { dateOf, type Receipt, type ReceiptStatus, receipt } from "../kit/receipts.ts";
import { byStatus, checkByStatus, type ErrorClasses, type HttpReply, listAt, textAt } from "../kit/reply.ts";
import { base64, get, post } from "../kit/request.ts";

const classes: ErrorClasses = { recipient: "recipient", sender: "config", quota: "quota" };

const statuses: Record<string, ReceiptStatus> = {
  delivery: "delivered",
  open: "opened",
  click: "clicked",
  bounce: "bounced",
  "soft bounce": "deferred",
  suspension: "deferred",
  spam: "spam",
  unsubscribe: "unsubscribed",
  reject: "rejected",
};

// Errors are sentences that begin with the field.
function codeOf({ json }: HttpReply): string | undefined {
  const said = textAt(json, "errors", 0) ?? textAt(json, "error") ?? "";
  if (/^'?(to|cc|bcc)\b/i.test(said)) return "recipient";
  if (/^'?from\b|sending domain|domain .*(not|un)\s?verified/i.test(said)) return "sender";
  return /\b(quota|billing|limit reached)\b/i.test(said) ? "quota" : undefined;
}

export default defineProvider({
  id: "mailtrap",
  channel: "email",
  name: "Mailtrap",
  docs: "https://docs.mailtrap.io/developers/email-sending/transactional",
  help: "Create a token under Settings, API Tokens, with access to the sending domain, which must be verified.",
  credentials: { apiKey: secret("API Key"), from: text("From email address"), senderName: text("Sender name") },
  limits: { recipients: 1000, attachmentBytes: 7_500_000 },
  takes: ["inline", "customData"],
  overrideNames: { members: ["template_uuid", "template_variables", "custom_variables", "category"] },
  request: (message, { apiKey }) => {
    const mail = toMail(message);
    const json = {
      ...toJsonMail(mail),
      headers: nonEmpty(mail.headers),
      category: workflowTag(message, 255)?.[0],
      // 1000 bytes in all.
      custom_variables: metadataOf(message, 200),
      attachments: message.attachments?.map((file) => ({
        content: base64(file.content),
        filename: file.name,
        type: file.mime,
        ...(inlineContentId(file) ? { disposition: "inline", content_id: inlineContentId(file) } : {}),
      })),
    };
    return post("https://send.api.mailtrap.io/api/send", { bearer: apiKey, json });
  },
  read: (reply) => byStatus(reply, textAt(reply.json, "message_ids", 0), { code: codeOf(reply), classes }),
  check: async ({ apiKey }, io) =>
    checkByStatus(await io.http(get("https://mailtrap.io/api/accounts", { bearer: apiKey }))),
  receipts: {
    read: ({ body }) => {
      return listAt(body, "events").flatMap((event): Receipt[] => {
        const [status, externalId] = [statuses[textAt(event, "event") ?? ""], textAt(event, "message_id")];
        if (!status || !externalId) return [];
        const messageId = textAt(event, "custom_variables", "tidingsMessageId");
        const date = dateOf(textAt(event, "timestamp"));
        const [recipient, response] = [textAt(event, "email"), textAt(event, "response") ?? textAt(event, "reason")];
        return [receipt(status, { externalId, messageId, recipient, date, response, row: event })];
      });
    },
  },
});
