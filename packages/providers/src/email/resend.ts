// Resend. Credentials: resend.com/api-keys, "Sending access" is enough; the sender's domain must be verified there.
// API: https://resend.com/docs/api-reference/emails/send-email; errors: https://resend.com/docs/api-reference/errors
// Registering receipts needs a key with "Full access": https://resend.com/docs/api-reference/webhooks/create-webhook

import { secret, text } from "../kit/credentials.ts";
import { inlineContentId, tagsOf } from "../kit/email.ts";
import { formatMailbox, type Mailbox, toMail } from "../kit/mail.ts";
import { unknown } from "../kit/outcome.ts";
import { defineProvider } from "../kit/provider.ts";
import { dateOf, type ReceiptStatus, receipt, verifyStandardWebhook } from "../kit/receipts.ts";
import { readTexts, requireList, requireSuccess, requireText } from "../kit/registration.ts";
import { byStatus, checkByStatus, describeReply, type ErrorClasses, textAt } from "../kit/reply.ts";
import { base64, get, patch, post } from "../kit/request.ts";
import { bounceStatus } from "./ses-receipts.ts";

const api = "https://api.resend.com";

const classes: ErrorClasses = {
  concurrent_idempotent_requests: "retry",
  daily_quota_exceeded: "quota",
  monthly_quota_exceeded: "quota",
  rate_limit_exceeded: "retry",
  invalid_from_address: "config",
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

// Bounces have the types of Amazon SES, through which Resend sends.
function statusOf(body: unknown): ReceiptStatus | undefined {
  const status = statuses[textAt(body, "type") ?? ""];
  const [type, subType] = ["type", "subType"].map((name) => textAt(body, "data", "bounce", name));
  return status === "bounced" ? bounceStatus(type, subType) : status;
}

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
  takes: ["inline", "customData"],
  overrideNames: { members: ["scheduled_at", "topic_id", "tags", "template"] },
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
      tags: tagsOf(message).map(([name, value]) => ({ name, value })),
      attachments: message.attachments?.map((file) => ({
        filename: file.name,
        content: base64(file.content),
        content_type: file.mime,
        content_id: inlineContentId(file),
      })),
    };
    return post(`${api}/emails`, { bearer: apiKey, headers: { "idempotency-key": message.id }, json });
  },
  read: (reply) => {
    const code = textAt(reply.json, "name");
    // The key was used before, with another content: that mail was taken, this one is not needed.
    if (code === "invalid_idempotent_request") return unknown(describeReply(reply));
    return byStatus(reply, textAt(reply.json, "id"), { code, classes });
  },
  check: async ({ apiKey }, io) => {
    const reply = await io.http(get(`${api}/domains`, { bearer: apiKey }));
    // A key that may only send is refused here, and by this name it is a good key.
    return textAt(reply.json, "name") === "restricted_api_key" ? { ok: true } : checkByStatus(reply);
  },
  receipts: {
    verify: verifyStandardWebhook,
    // Which of several recipients an event is about, it does not say.
    read: ({ body }) => {
      const status = statusOf(body);
      const externalId = textAt(body, "data", "email_id");
      if (!status || !externalId) return [];
      const messageId = textAt(body, "data", "tags", "tidingsMessageId");
      const response = textAt(body, "data", "bounce", "message") ?? textAt(body, "data", "failed", "reason");
      return [
        receipt(status, { externalId, messageId, date: dateOf(textAt(body, "created_at")), response, row: body }),
      ];
    },
  },
  registerReceipts: async ({ url }, { apiKey }, io) => {
    const [webhooks, events] = [`${api}/webhooks`, Object.keys(statuses)];
    // No plan allows as many webhooks as fit on this page.
    const all = await requireSuccess(io.http(get(webhooks, { bearer: apiKey, query: { limit: 100 } })));
    const existing = requireList(all, "data").find((webhook) => textAt(webhook, "endpoint") === url);
    if (!existing) {
      const made = await requireSuccess(io.http(post(webhooks, { bearer: apiKey, json: { endpoint: url, events } })));
      return requireText(made, textAt(made.json, "signing_secret"));
    }
    const id = encodeURIComponent(requireText(all, textAt(existing, "id")));
    const known = await requireSuccess(io.http(get(`${webhooks}/${id}`, { bearer: apiKey })));
    const heard = readTexts(known.json, "events");
    if (textAt(known.json, "status") !== "enabled" || events.some((event) => !heard.includes(event))) {
      const json = { endpoint: url, events, status: "enabled" };
      await requireSuccess(io.http(patch(`${webhooks}/${id}`, { bearer: apiKey, json })));
    }
    return requireText(known, textAt(known.json, "signing_secret"));
  },
});
