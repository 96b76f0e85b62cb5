// Mailjet. Credentials: app.mailjet.com/account/apikeys; the sender must be validated under Sender domains & addresses.
// API: https://dev.mailjet.com/email/reference/send-emails/; events: https://dev.mailjet.com/email/guides/webhooks/

import { secret, text } from "../kit/credentials.ts";
import { metadataOf, nonEmpty, splitInline } from "../kit/email.ts";
import { type Mailbox, toMail } from "../kit/mail.ts";
import type { Attachment } from "../kit/message.ts";
import { defineProvider } from "../kit/provider.ts";
import { dateOf, type Receipt, type ReceiptStatus, receipt } from "../kit/receipts.ts";
import {
  byStatus,
  checkByStatus,
  type ErrorClasses,
  eventsOf,
  failureByCode,
  textAt,
  unreadable,
} from "../kit/reply.ts";
import { base64, get, post } from "../kit/request.ts";

const classes: ErrorClasses = {
  To: "recipient",
  Cc: "recipient",
  Bcc: "recipient",
  From: "config",
  Sender: "config",
  "send-0008": "config",
};

// "sent" is Mailjet's word for: the receiving server took it. What a bounce is, it says with it.
const statuses: Record<string, ReceiptStatus> = {
  sent: "delivered",
  open: "opened",
  click: "clicked",
  bounce: "bounced",
  blocked: "blocked",
  spam: "spam",
  unsub: "unsubscribed",
};

function statusOf(event: unknown): ReceiptStatus | undefined {
  const status = statuses[textAt(event, "event") ?? ""];
  if (status !== "bounced" || Reflect.get(event as object, "hard_bounce") === true) return status;
  // The one error after which Mailjet says that it tries again.
  return textAt(event, "error") === "greylisted" ? "deferred" : "undelivered";
}

const person = ({ name, address }: Mailbox) => (name ? { Email: address, Name: name } : { Email: address });
const people = (mailboxes: Mailbox[]) => nonEmpty(mailboxes.map(person));

const fileOf = ({ name, mime, content }: Attachment) => ({
  ContentType: mime,
  Filename: name,
  Base64Content: base64(content),
});

// biome-ignore format: a list of names reads better in lines than in a column
const overrideNames = {
  members: [
    "Messages", "SandboxMode", "AdvanceErrorHandling", "Globals", "CustomCampaign", "DeduplicateCampaign", "EventPayload",
    "MonitoringCategory", "Priority", "TemplateID", "TemplateLanguage", "TemplateErrorDeliver", "TemplateErrorReporting",
    "TrackClicks", "TrackOpens", "URLTags", "Variables",
  ],
};

export default defineProvider({
  id: "mailjet",
  channel: "email",
  name: "Mailjet",
  docs: "https://dev.mailjet.com/email/reference/send-emails/",
  help: "API key and secret key are under Account settings, API key management; validate the sender's domain first.",
  credentials: {
    apiKey: secret("API Key"),
    secretKey: secret("API Secret"),
    from: text("From email address"),
    senderName: text("Sender name"),
  },
  limits: { recipients: 50, attachmentBytes: 15_000_000 },
  takes: ["inline", "customData"],
  overrideNames,
  request: (message, { apiKey, secretKey }) => {
    const mail = toMail(message);
    const { inline, attached } = splitInline(message.attachments);
    const content = {
      From: person(mail.from),
      To: people(mail.to),
      Cc: people(mail.cc),
      Bcc: people(mail.bcc),
      ReplyTo: mail.replyTo && person(mail.replyTo),
      Subject: mail.subject,
      TextPart: mail.text || undefined,
      HTMLPart: mail.html || undefined,
      Headers: nonEmpty(mail.headers),
      CustomID: message.id,
      EventPayload: JSON.stringify(metadataOf(message)),
      Attachments: nonEmpty(attached.map(fileOf)),
      InlinedAttachments: nonEmpty(inline.map((file) => ({ ...fileOf(file), ContentID: file.id }))),
    };
    return post("https://api.mailjet.com/v3.1/send", { basic: [apiKey, secretKey], json: { Messages: [content] } });
  },
  extraAt: ["Messages", 0],
  rootMembers: ["Messages", "SandboxMode", "AdvanceErrorHandling", "Globals"],
  mergedLists: { Messages: ["To"] },
  read: (reply) => {
    const error = ["Messages", 0, "Errors", 0] as const;
    // The field an error is about, as "To[0].Email", says more than its number.
    const about = /^\w+/.exec(textAt(reply.json, ...error, "ErrorRelatedTo", 0) ?? "")?.[0];
    const code = about && Object.hasOwn(classes, about) ? about : textAt(reply.json, ...error, "ErrorCode");
    if (reply.status !== 200) return byStatus(reply, undefined, { code, classes });
    const status = textAt(reply.json, "Messages", 0, "Status");
    if (!status) return unreadable(reply);
    // MessageID is an integer beyond what JSON numbers keep exactly.
    const id = textAt(reply.json, "Messages", 0, "To", 0, "MessageUUID");
    return status === "success" ? byStatus(reply, id) : failureByCode(reply, code, classes);
  },
  check: async ({ apiKey, secretKey }, io) =>
    checkByStatus(await io.http(get("https://api.mailjet.com/v3/REST/sender", { basic: [apiKey, secretKey] }))),
  receipts: {
    read: ({ body }) =>
      eventsOf(body).flatMap((event): Receipt[] => {
        const [status, recipient] = [statusOf(event), textAt(event, "email")];
        const [externalId, messageId] = [textAt(event, "Message_GUID"), textAt(event, "CustomID") || undefined];
        if (!status || !(externalId || messageId)) return [];
        const response = textAt(event, "smtp_reply") || textAt(event, "error") || undefined;
        const known = { externalId, messageId, recipient, date: dateOf(textAt(event, "time")) };
        return [receipt(status, { ...known, response, row: event })];
      }),
  },
});
