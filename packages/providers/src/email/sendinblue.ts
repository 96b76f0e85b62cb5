// Brevo, formerly Sendinblue. Credentials: app.brevo.com/settings/keys/api; the sender must be verified under Senders.
// API: https://developers.brevo.com/reference/sendtransacemail; events:
// https://developers.brevo.com/docs/transactional-webhooks Registering them:
// https://developers.brevo.com/reference/create-webhook, https://developers.brevo.com/docs/secured-webhooks
// Documentation seen: a repeated idempotency key is said to be ignored, but not what is returned. For registered
// webhooks it does not say whether the list shows the password inside an address.

import { secret, text } from "../kit/credentials.ts";
import { toPeople, toPerson, workflowTag } from "../kit/email.ts";
import { toMail } from "../kit/mail.ts";
import { unknown } from "../kit/outcome.ts";
import { defineProvider } from "../kit/provider.ts";
import { dateOf, type ReceiptStatus, receipt } from "../kit/receipts.ts";
import { registeredName, registeredUser, requireList, requireSuccess, requireText } from "../kit/registration.ts";
import { byStatus, checkByStatus, describeReply, type ErrorClasses, textAt } from "../kit/reply.ts";
import { base64, get, post, put } from "../kit/request.ts";

const api = "https://api.brevo.com/v3";

const classes: ErrorClasses = {
  sender: "config",
  recipient: "recipient",
  not_enough_credits: "quota",
  account_under_validation: "config",
};

const statuses: Record<string, ReceiptStatus> = {
  request: "sent",
  delivered: "delivered",
  deferred: "deferred",
  hard_bounce: "bounced",
  soft_bounce: "undelivered",
  invalid_email: "bounced",
  blocked: "blocked",
  error: "rejected",
  spam: "spam",
  opened: "opened",
  unique_opened: "opened",
  // Opened by the reader's mail service on its own, which hides whether the reader has.
  proxy_open: "opened",
  unique_proxy_open: "opened",
  click: "clicked",
  unsubscribed: "unsubscribed",
};

// Webhooks have names for events that differ from those in the reports.
const webhookEvents = [
  ...["request", "delivered", "deferred", "hardBounce", "softBounce", "invalid", "blocked", "spam"],
  ...["opened", "uniqueOpened", "click", "unsubscribed"],
];

/** An address without the user and password in it. */
function bare(address: string | undefined): string | undefined {
  const url = URL.parse(address ?? "");
  return url ? `${url.origin}${url.pathname}${url.search}` : address;
}

export default defineProvider({
  id: "sendinblue",
  channel: "email",
  name: "Brevo (formerly Sendinblue)",
  docs: "https://developers.brevo.com/reference/sendtransacemail",
  help: "Create an API key under SMTP & API, API Keys, and verify the sender's domain under Senders, Domains.",
  credentials: { apiKey: secret("API Key"), from: text("From email address"), senderName: text("Sender name") },
  limits: { recipients: 99, attachmentBytes: 15_000_000 },
  overrideNames: { members: ["templateId", "params", "scheduledAt", "batchId", "messageVersions", "tags"] },
  request: (message, { apiKey }) => {
    const mail = toMail(message);
    const json = {
      sender: toPerson(mail.from),
      to: toPeople(mail.to),
      cc: toPeople(mail.cc),
      bcc: toPeople(mail.bcc),
      replyTo: mail.replyTo && toPerson(mail.replyTo),
      subject: mail.subject,
      htmlContent: mail.html,
      textContent: mail.text || undefined,
      // Two of these are not for the mail: one keeps a repeat from being sent, one comes back with every event. The
      // reference has the former as Idempotency-Key, the guides have it as idempotencyKey.
      headers: {
        ...mail.headers,
        "Idempotency-Key": message.id,
        idempotencyKey: message.id,
        "X-Mailin-custom": message.id,
      },
      tags: workflowTag(message, 255),
      attachment: message.attachments?.map(({ name, content }) => ({ name, content: base64(content) })),
    };
    return post(`${api}/smtp/email`, { headers: { "api-key": apiKey }, json });
  },
  read: (reply) => {
    const said = textAt(reply.json, "message") ?? "";
    if (reply.status === 400 && /idempoten/i.test(said)) return unknown(describeReply(reply));
    const field = /\bsender\b/i.test(said) ? "sender" : /^(email|to|cc|bcc)\b/i.test(said) ? "recipient" : undefined;
    const code = textAt(reply.json, "code");
    const isField = code === "invalid_parameter" && field;
    return byStatus(reply, textAt(reply.json, "messageId"), { code: isField ? field : code, classes });
  },
  check: async ({ apiKey }, io) =>
    checkByStatus(await io.http(get(`${api}/account`, { headers: { "api-key": apiKey } }))),
  receipts: {
    read: ({ body }) => {
      const status = statuses[textAt(body, "event") ?? ""];
      const externalId = textAt(body, "message-id");
      if (!status || !externalId) return [];
      const messageId = textAt(body, "X-Mailin-custom") || undefined;
      // The other times follow the time zone of the account.
      const date = dateOf(textAt(body, "ts_epoch") ?? textAt(body, "ts_event"));
      const [recipient, response] = [textAt(body, "email"), textAt(body, "reason")];
      return [receipt(status, { externalId, messageId, recipient, date, response, row: body })];
    },
  },
  registerReceipts: async ({ url, key }, { apiKey }, io) => {
    const [webhooks, headers] = [`${api}/webhooks`, { "api-key": apiKey }];
    const reply = await io.http(get(webhooks, { headers, query: { type: "transactional" } }));
    // An account without webhooks has no list of them.
    const known =
      textAt(reply.json, "code") === "document_not_found" ? [] : requireList(await requireSuccess(reply), "webhooks");
    const existing = known.find((webhook) => bare(textAt(webhook, "url")) === bare(url));
    const secured = new URL(url);
    secured.username = registeredUser;
    secured.password = key;
    const json = { url: secured.href, description: registeredName, events: webhookEvents };
    if (existing) {
      const id = encodeURIComponent(requireText(reply, textAt(existing, "id")));
      await requireSuccess(io.http(put(`${webhooks}/${id}`, { headers, json })));
    } else await requireSuccess(io.http(post(webhooks, { headers, json: { ...json, type: "transactional" } })));
    return key;
  },
});
