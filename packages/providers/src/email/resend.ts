// Resend. Credentials: resend.com/api-keys, "Sending access" is enough; the sender's domain must be verified there.
// API: https://resend.com/docs/api-reference/emails/send-email; errors: https://resend.com/docs/api-reference/errors

import { secret, text } from "../credentials.ts";
import { formatMailbox, toMail } from "../mail.ts";
import { byStatus, checkByStatus, type ErrorClasses } from "../outcome.ts";
import { defineProvider, type Mailbox } from "../provider.ts";
import { dateOf, type ReceiptStatus, receipt, verifyStandardWebhook } from "../receipts.ts";
import { base64, get, post, textAt } from "../request.ts";

const api = "https://api.resend.com";

const classes: ErrorClasses = {
  concurrent_idempotent_requests: "retry",
  daily_quota_exceeded: "quota",
  monthly_quota_exceeded: "quota",
  rate_limit_exceeded: "retry",
  invalid_from_address: "config",
  not_found: "config",
  method_not_allowed: "config",
};

const statuses: Record<string, ReceiptStatus> = {
  "email.sent": "sent",
  "email.delivered": "delivered",
  "email.delivery_delayed": "delayed",
  "email.opened": "opened",
  "email.clicked": "clicked",
  "email.bounced": "bounced",
  "email.complained": "complaint",
  "email.failed": "rejected",
  "email.suppressed": "dropped",
};

const listed = (mailboxes: Mailbox[]) => (mailboxes.length > 0 ? mailboxes.map(formatMailbox) : undefined);

export default defineProvider({
  id: "resend",
  channel: "email",
  name: "Resend",
  docs: "https://resend.com/docs/api-reference/emails/send-email",
  help: "Create an API key under API Keys, and verify the domain of the sender under Domains.",
  credentials: { apiKey: secret("API Key"), from: text("From email address"), senderName: text("Sender name") },
  // 40 MB after base64.
  limits: { recipients: 50, attachmentBytes: 30_000_000 },
  request: (message, { apiKey }) => {
    const mail = toMail(message);
    const json = {
      from: formatMailbox(mail.from),
      to: listed(mail.to),
      cc: listed(mail.cc),
      bcc: listed(mail.bcc),
      reply_to: mail.replyTo && formatMailbox(mail.replyTo),
      subject: mail.subject,
      html: mail.html,
      text: mail.text,
      headers: Object.keys(mail.headers).length > 0 ? mail.headers : undefined,
      tags: [{ name: "tidingsMessageId", value: message.id }],
      attachments: message.attachments?.map(({ name, mime, content }) => ({
        filename: name,
        content: base64(content),
        content_type: mime,
      })),
    };
    return post(`${api}/emails`, { bearer: apiKey, headers: { "idempotency-key": message.id }, json });
  },
  read: (reply) => byStatus(reply, textAt(reply.json, "id"), { code: textAt(reply.json, "name"), classes }),
  check: async ({ apiKey }, io) => {
    const reply = await io.http(get(`${api}/domains`, { bearer: apiKey }));
    // A key that may only send is refused here, and by this name it is a good key.
    return textAt(reply.json, "name") === "restricted_api_key" ? { ok: true } : checkByStatus(reply);
  },
  receipts: {
    verify: verifyStandardWebhook,
    read: ({ body }) => {
      const status = statuses[textAt(body, "type") ?? ""];
      const externalId = textAt(body, "data", "email_id");
      if (!status || !externalId) return [];
      const messageId = textAt(body, "data", "tags", "tidingsMessageId");
      const response = textAt(body, "data", "bounce", "message") ?? textAt(body, "data", "failed", "reason");
      return [
        receipt(status, { externalId, messageId, date: dateOf(textAt(body, "created_at")), response, row: body }),
      ];
    },
  },
});
