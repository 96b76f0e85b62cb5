// Mailchimp Transactional, formerly Mandrill. Credentials: mandrillapp.com/settings; the sender's domain must be
// verified. Receipts: the address of the webhook holds the signing key as its password, https://tidings:<key>@…. API:
// https://mailchimp.com/developer/transactional/api/messages/send-new-message/ Events:
// https://mailchimp.com/developer/transactional/docs/webhooks/

import { secret, text } from "../kit/credentials.ts";
import { metadataOf, nonEmpty, splitInline, workflowTag } from "../kit/email.ts";
import { formatMailbox, type Mailbox, toMail } from "../kit/mail.ts";
import type { Attachment } from "../kit/message.ts";
import { accepted } from "../kit/outcome.ts";
import { defineProvider } from "../kit/provider.ts";
import { dateOf, type Receipt, type ReceiptStatus, receipt } from "../kit/receipts.ts";
import {
  checkByStatus,
  type ErrorClasses,
  eventsOf,
  failureByCode,
  parseJson,
  textAt,
  unreadable,
} from "../kit/reply.ts";
import { base64, post } from "../kit/request.ts";

const api = "https://mandrillapp.com/api/1.0";

// Names of errors, which come with status 500, and reasons for which a recipient is rejected, which come with 200.
const classes: ErrorClasses = {
  Invalid_Key: "auth",
  PaymentRequired: "quota",
  Unknown_Subaccount: "config",
  ValidationError: "content",
  GeneralError: "retry",
  ServiceUnavailable: "retry",
  "hard-bounce": "recipient",
  "soft-bounce": "recipient",
  spam: "recipient",
  unsub: "recipient",
  custom: "recipient",
  invalid: "recipient",
  "recipient-limit-exceeded": "quota",
  "test-mode-limit": "quota",
  "invalid-sender": "config",
  unsigned: "config",
};

const statuses: Record<string, ReceiptStatus> = {
  send: "sent",
  delivered: "delivered",
  deferral: "deferred",
  hard_bounce: "bounced",
  soft_bounce: "undelivered",
  open: "opened",
  click: "clicked",
  spam: "spam",
  unsub: "unsubscribed",
  reject: "rejected",
};

// biome-ignore format: a list of names reads better in lines than in a column
const inMessage = [
  "auto_html", "auto_text", "bcc_address", "global_merge_vars", "google_analytics_campaign", "google_analytics_domains",
  "important", "inline_css", "merge", "merge_language", "merge_vars", "metadata", "preserve_recipients",
  "recipient_metadata", "return_path_domain", "signing_domain", "subaccount", "tags", "track_clicks", "track_opens",
  "tracking_domain", "url_strip_qs", "view_content_link",
];

/** Nothing but an image may be inline. */
const asTaken = (file: Attachment): Attachment =>
  file.mime.startsWith("image/") ? file : { ...file, disposition: "attachment" };

export default defineProvider({
  id: "mandrill",
  channel: "email",
  name: "Mandrill",
  docs: "https://mailchimp.com/developer/transactional/api/messages/send-new-message/",
  help: "Create an API key under Settings, SMTP & API info, and verify the sender's domain under Sending Domains.",
  credentials: { apiKey: secret("API Key"), from: text("From email address"), senderName: text("Sender name") },
  limits: { recipients: 1000, attachmentBytes: 18_000_000 },
  takes: ["inline", "customData"],
  overrideNames: {
    members: ["async", "ip_pool", "send_at", ...inMessage, ...inMessage.map((name) => `message.${name}`)],
  },
  request: (message, { apiKey }) => {
    const mail = toMail(message);
    const { inline, attached } = splitInline(message.attachments?.map(asTaken));
    const of = (type: string) => (box: Mailbox) => ({ email: box.address, name: box.name || undefined, type });
    const replyTo = mail.replyTo && { "Reply-To": formatMailbox(mail.replyTo) };
    const content = {
      from_email: mail.from.address,
      from_name: mail.from.name || undefined,
      to: [...mail.to.map(of("to")), ...mail.cc.map(of("cc")), ...mail.bcc.map(of("bcc"))],
      subject: mail.subject,
      html: mail.html,
      text: mail.text,
      headers: nonEmpty({ ...replyTo, ...mail.headers }),
      // Otherwise each recipient sees only their own address.
      preserve_recipients: true,
      // Tags that begin with an underscore are Mandrill's own.
      tags: workflowTag(message, 50)?.map((tag) => tag.replace(/^_/, "-")),
      metadata: metadataOf(message),
      attachments: nonEmpty(
        attached.map(({ name, mime, content }) => ({ type: mime, name, content: base64(content) })),
      ),
      images: nonEmpty(inline.map(({ id, mime, content }) => ({ type: mime, name: id, content: base64(content) }))),
    };
    return post(`${api}/messages/send`, { json: { key: apiKey, message: content } });
  },
  extraAt: ["message"],
  rootMembers: ["message", "async", "ip_pool", "send_at"],
  read: (reply) => {
    if (reply.status !== 200) return failureByCode(reply, textAt(reply.json, "name"), classes);
    if (!Array.isArray(reply.json)) return unreadable(reply);
    const taken = reply.json.find((one) => /^(sent|queued|scheduled)$/.test(textAt(one, "status") ?? ""));
    if (taken) return accepted(textAt(taken, "_id"));
    return failureByCode(reply, textAt(reply.json, 0, "reject_reason") ?? textAt(reply.json, 0, "status"), classes);
  },
  check: async ({ apiKey }, io) => checkByStatus(await io.http(post(`${api}/users/ping2`, { json: { key: apiKey } }))),
  receipts: {
    read: ({ body }) =>
      eventsOf(parseJson(textAt(body, "mandrill_events"))).flatMap((event): Receipt[] => {
        const status = statuses[textAt(event, "event") ?? ""];
        const externalId = textAt(event, "_id");
        if (!status || !externalId) return [];
        const messageId = textAt(event, "msg", "metadata", "tidingsMessageId");
        const response = textAt(event, "msg", "diag") ?? textAt(event, "msg", "bounce_description");
        const known = { externalId, messageId, recipient: textAt(event, "msg", "email") };
        return [receipt(status, { ...known, date: dateOf(textAt(event, "ts")), response, row: event })];
      }),
  },
});
