// MailerSend. Credentials: app.mailersend.com/api-tokens, a token with Email: full access; the sender's domain must be
// verified. Headers of one's own need a plan that has them.
// API: https://developers.mailersend.com/api/v1/email.html; events: https://developers.mailersend.com/api/v1/webhooks.html

import { secret, text } from "../credentials.ts";
import { filled, people, person } from "../email.ts";
import { toMail } from "../mail.ts";
import { byStatus, checkByStatus, type ErrorClasses, refused } from "../outcome.ts";
import { defineProvider } from "../provider.ts";
import { dateOf, type ReceiptStatus, receipt } from "../receipts.ts";
import { base64, get, type HttpReply, post, textAt } from "../request.ts";

const api = "https://api.mailersend.com/v1";

const classes: ErrorClasses = {
  ALL_SUPPRESSED: "recipient",
  to: "recipient",
  cc: "recipient",
  bcc: "recipient",
  from: "config",
  headers: "config",
  quota: "quota",
};

const statuses: Record<string, ReceiptStatus> = {
  sent: "sent",
  delivered: "delivered",
  soft_bounced: "bounced",
  hard_bounced: "bounced",
  deferred: "deferred",
  opened: "opened",
  opened_unique: "opened",
  clicked: "clicked",
  clicked_unique: "clicked",
  unsubscribed: "unsubscribed",
  spam_complaint: "spam",
  spam_complaints: "spam",
  suppressed: "dropped",
};

// The first field an error is about, as "to.0.email".
const codeOf = ({ json }: HttpReply): string | undefined => {
  if (/quota|limit of your plan/i.test(textAt(json, "message") ?? "")) return "quota";
  const errors = typeof json === "object" && json !== null && "errors" in json ? json.errors : undefined;
  return Object.keys(errors ?? {})[0]?.split(".")[0];
};

export default defineProvider({
  id: "mailersend",
  channel: "email",
  name: "MailerSend",
  docs: "https://developers.mailersend.com/api/v1/email.html",
  help: "Create a token under Integrations, API tokens, and verify the sender's domain under Domains.",
  credentials: { apiKey: secret("API Key"), from: text("From email address"), senderName: text("Sender name") },
  // 50 recipients, 10 in cc, 10 in bcc.
  limits: { recipients: 70, attachmentBytes: 25_000_000 },
  request: (message, { apiKey }) => {
    const mail = toMail(message);
    const json = {
      from: person(mail.from),
      to: people(mail.to),
      cc: people(mail.cc),
      bcc: people(mail.bcc),
      reply_to: mail.replyTo && person(mail.replyTo),
      subject: mail.subject,
      text: mail.text || undefined,
      html: mail.html || undefined,
      headers: filled(Object.entries(mail.headers).map(([name, value]) => ({ name, value }))),
      attachments: message.attachments?.map(({ name, content }) => ({
        content: base64(content),
        filename: name,
        disposition: "attachment",
      })),
    };
    return post(`${api}/email`, { bearer: apiKey, json });
  },
  read: (reply) => {
    const warning = textAt(reply.json, "warnings", 0, "type");
    if (reply.status === 202 && warning === "ALL_SUPPRESSED") return refused(reply, warning, classes);
    return byStatus(reply, reply.headers["x-message-id"], { code: codeOf(reply), classes });
  },
  check: async ({ apiKey }, io) => {
    const reply = await io.http(get(`${api}/api-quota`, { bearer: apiKey }));
    // A token for sending alone may not ask; a wrong one is not let in at all.
    return reply.status === 403 ? { ok: true } : checkByStatus(reply);
  },
  receipts: {
    read: ({ body }) => {
      const status = statuses[textAt(body, "data", "type") ?? ""];
      // The second form is that of older webhooks.
      const externalId = textAt(body, "data", "message_id") ?? textAt(body, "data", "email", "message", "id");
      if (!status || !externalId) return [];
      const date = dateOf(textAt(body, "created_at"));
      const response = textAt(body, "data", "meta", "bounce_reason") ?? textAt(body, "data", "morph", "reason");
      return [receipt(status, { externalId, date, response, row: body })];
    },
  },
});
