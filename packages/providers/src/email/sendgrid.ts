// Twilio SendGrid. Credentials: app.sendgrid.com/settings/api_keys, a key with Mail Send; accounts in the EU choose the
// region eu. Receipts: switch on Signed Event Webhook Requests; the signing key is the public key shown there.
// API: https://www.twilio.com/docs/sendgrid/api-reference/mail-send/mail-send
// Events: https://www.twilio.com/docs/sendgrid/for-developers/tracking-events/event
// Registering them needs a key with access to Event Notification:
// https://www.twilio.com/docs/sendgrid/api-reference/webhooks/create-a-new-event-webhook

import { createPublicKey, createVerify } from "node:crypto";
import { choice, destination, secret, text } from "../kit/credentials.ts";
import { inlineContentId, metadataOf, nonEmpty, toPeople, toPerson, workflowTag } from "../kit/email.ts";
import { toMail } from "../kit/mail.ts";
import { defineProvider } from "../kit/provider.ts";
import { dateOf, isRecent, type Receipt, type ReceiptStatus, receipt } from "../kit/receipts.ts";
import { registeredName, requireList, requireSuccess, requireText } from "../kit/registration.ts";
import { byStatus, checkByStatus, type ErrorClasses, eventsOf, textAt } from "../kit/reply.ts";
import { base64, get, patch, post } from "../kit/request.ts";

const api = (region: string | undefined): string => `https://api.${region === "eu" ? "eu." : ""}sendgrid.com/v3`;

const classes: ErrorClasses = {
  credits: "quota",
  from: "config",
  ip_pool_name: "config",
  template_id: "config",
  to: "recipient",
};

// The field an error is about, as "personalizations.0.to.0.email" or "from.email".
const fieldOf = (path: string): string | undefined =>
  /^personalizations(\.\d+)?(\.(to|cc|bcc)\b|$)/.test(path) ? "to" : path.split(".")[0];

// biome-ignore format: members of one object are grouped
const overrideNames = {
  members: [
    "template_id", "send_at", "batch_id", "ip_pool_name", "reply_to_list", "custom_args", "categories",
    "asm.group_id", "asm.groups_to_display",
    "mail_settings.bypass_list_management", "mail_settings.bypass_spam_management",
    "mail_settings.bypass_bounce_management", "mail_settings.bypass_unsubscribe_management",
    "mail_settings.footer", "mail_settings.sandbox_mode", "mail_settings.spam_check.post_to_url",
    "tracking_settings.click_tracking.enable_text", "tracking_settings.open_tracking.substitution_tag",
    "tracking_settings.subscription_tracking.substitution_tag",
    "tracking_settings.ganalytics.utm_source", "tracking_settings.ganalytics.utm_medium",
    "tracking_settings.ganalytics.utm_term", "tracking_settings.ganalytics.utm_content",
    "tracking_settings.ganalytics.utm_campaign",
    "personalizations.dynamic_template_data", "personalizations.custom_args", "personalizations.send_at",
  ],
  moved: {
    category: (value: unknown) => ({ categories: [value].flat() }),
    dynamicTemplateData: (value: unknown) => ({ personalizations: [{ dynamic_template_data: value }] }),
    substitutions: (value: unknown) => ({ personalizations: [{ substitutions: value }] }),
  },
};

const statuses: Record<string, ReceiptStatus> = {
  processed: "sent",
  delivered: "delivered",
  deferred: "deferred",
  bounce: "bounced",
  dropped: "dropped",
  open: "opened",
  click: "clicked",
  spamreport: "spam",
  unsubscribe: "unsubscribed",
  group_unsubscribe: "unsubscribed",
};

const wanted = {
  ...{ enabled: true, processed: true, delivered: true, deferred: true, bounce: true, dropped: true, open: true },
  ...{ click: true, spam_report: true, unsubscribe: true, group_unsubscribe: true },
};

const isAsWanted = (webhook: object): boolean =>
  Object.keys(wanted).every((name) => Reflect.get(webhook, name) === true);

export default defineProvider({
  id: "sendgrid",
  channel: "email",
  name: "SendGrid",
  docs: "https://www.twilio.com/docs/sendgrid/api-reference/mail-send/mail-send",
  help: "Create a key with Mail Send under Settings, API Keys, and verify the sender under Sender Authentication.",
  credentials: {
    apiKey: secret("API Key"),
    region: destination(choice("Region", ["global", "eu"], { optional: true, default: "global" })),
    ipPoolName: text("IP Pool Name", { optional: true }),
    from: text("From email address"),
    senderName: text("Sender name"),
  },
  // 30 MB for the whole mail, after base64.
  limits: { recipients: 1000, attachmentBytes: 22_000_000 },
  takes: ["inline", "customData"],
  overrideNames,
  mergedLists: { personalizations: ["to"] },
  request: (message, { apiKey, region, ipPoolName }) => {
    const mail = toMail(message);
    // Two members of the caller's data choose a template; the others come back with every event.
    const { templateId, dynamicTemplateData, ...customData } = message.customData ?? {};
    const [to, cc, bcc] = [toPeople(mail.to), toPeople(mail.cc), toPeople(mail.bcc)];
    const bodies = Object.entries({ "text/plain": mail.text, "text/html": mail.html });
    const json = {
      personalizations: [{ to, cc, bcc, dynamic_template_data: dynamicTemplateData }],
      from: toPerson(mail.from),
      reply_to: mail.replyTo && toPerson(mail.replyTo),
      subject: mail.subject,
      content: bodies.flatMap(([type, value]) => (value ? [{ type, value }] : [])),
      headers: nonEmpty(mail.headers),
      template_id: templateId,
      categories: workflowTag(message, 255),
      custom_args: metadataOf({ ...message, customData }),
      ip_pool_name: ipPoolName,
      attachments: message.attachments?.map((file) => ({
        content: base64(file.content),
        filename: file.name,
        type: file.mime,
        ...(inlineContentId(file) ? { disposition: "inline", content_id: inlineContentId(file) } : {}),
      })),
    };
    return post(`${api(region)}/mail/send`, { bearer: apiKey, json });
  },
  read: (reply) => {
    const [said = "", field = ""] = ["message", "field"].map((name) => textAt(reply.json, "errors", 0, name));
    const code = /credits exceeded/i.test(said) ? "credits" : fieldOf(field);
    return byStatus(reply, reply.headers["x-message-id"], { code, classes });
  },
  check: async ({ apiKey, region }, io) =>
    checkByStatus(await io.http(get(`${api(region)}/scopes`, { bearer: apiKey }))),
  receipts: {
    verify: ({ headers, raw }, key, now) => {
      const header = (name: string) => headers[`x-twilio-email-event-webhook-${name}`] ?? "";
      if (!isRecent(header("timestamp"), now)) return false;
      const publicKey = createPublicKey({ key: Buffer.from(key, "base64"), format: "der", type: "spki" });
      const signed = createVerify("sha256").update(header("timestamp")).update(raw);
      return signed.verify(publicKey, header("signature"), "base64");
    },
    read: ({ body }) =>
      eventsOf(body).flatMap((event): Receipt[] => {
        // Bounces alone have a type.
        const status = textAt(event, "type") === "blocked" ? "blocked" : statuses[textAt(event, "event") ?? ""];
        // The id of the reply, followed by marks of the machines it went through.
        const externalId = textAt(event, "sg_message_id")?.split(".")[0];
        if (!status || !externalId) return [];
        const [messageId, date] = [textAt(event, "tidingsMessageId"), dateOf(textAt(event, "timestamp"))];
        const [recipient, response] = [textAt(event, "email"), textAt(event, "response") ?? textAt(event, "reason")];
        const attempts = Number(textAt(event, "attempt")) || undefined;
        return [receipt(status, { externalId, messageId, recipient, date, attempts, response, row: event })];
      }),
  },
  registerReceipts: async ({ url }, { apiKey, region }, io) => {
    const settings = `${api(region)}/user/webhooks/event/settings`;
    // A webhook cannot be created with signing turned on: that is a separate call, which returns the key.
    const sign = async (id: string): Promise<string> => {
      const request = patch(`${settings}/signed/${id}`, { bearer: apiKey, json: { enabled: true } });
      const reply = await requireSuccess(io.http(request));
      return requireText(reply, textAt(reply.json, "public_key"));
    };
    const all = await requireSuccess(io.http(get(`${settings}/all`, { bearer: apiKey })));
    const existing = requireList(all, "webhooks").find((webhook) => textAt(webhook, "url") === url);
    // Settings are replaced as a whole: an event that is not named is switched off.
    const json = { url, friendly_name: registeredName, ...wanted, group_resubscribe: false };
    if (!existing) {
      const made = await requireSuccess(io.http(post(settings, { bearer: apiKey, json })));
      return sign(encodeURIComponent(requireText(made, textAt(made.json, "id"))));
    }
    const id = encodeURIComponent(requireText(all, textAt(existing, "id")));
    if (!isAsWanted(existing as object))
      await requireSuccess(io.http(patch(`${settings}/${id}`, { bearer: apiKey, json })));
    // Signed already: switched on once more, it might be given another key.
    const signed = await requireSuccess(io.http(get(`${settings}/signed/${id}`, { bearer: apiKey })));
    return textAt(signed.json, "public_key") || sign(id);
  },
});
