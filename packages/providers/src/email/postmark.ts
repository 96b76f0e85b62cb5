// Postmark. Credentials: the API token of a server (Servers, API Tokens); the sender needs a confirmed signature or domain.
// API: https://postmarkapp.com/developer/api/email-api; codes: https://postmarkapp.com/developer/api/overview#error-codes
// Events: https://postmarkapp.com/developer/webhooks/webhooks-overview

import { secret, text } from "../credentials.ts";
import { filled } from "../email.ts";
import { formatMailbox, toMail } from "../mail.ts";
import { byStatus, checkByStatus, type ErrorClasses } from "../outcome.ts";
import { defineProvider, type Mailbox } from "../provider.ts";
import { dateOf, type ReceiptStatus, receipt } from "../receipts.ts";
import { base64, get, post, textAt } from "../request.ts";

const api = "https://api.postmarkapp.com";

const classes: ErrorClasses = {
  10: "auth",
  100: "retry",
  To: "recipient",
  Cc: "recipient",
  Bcc: "recipient",
  From: "config",
  400: "config",
  401: "config",
  405: "quota",
  406: "recipient",
  412: "config",
  413: "config",
  1235: "config",
};

// Kinds of event, with the member that holds their time.
const events: Record<string, [status: ReceiptStatus, date: string]> = {
  Delivery: ["delivered", "DeliveredAt"],
  Bounce: ["bounced", "BouncedAt"],
  Open: ["opened", "ReceivedAt"],
  Click: ["clicked", "ReceivedAt"],
  SpamComplaint: ["spam", "BouncedAt"],
};

const bounces: Record<string, ReceiptStatus> = { Transient: "deferred", Blocked: "blocked", SpamNotification: "spam" };

const listed = (mailboxes: Mailbox[]) => mailboxes.map(formatMailbox).join(", ") || undefined;

export default defineProvider({
  id: "postmark",
  channel: "email",
  name: "Postmark",
  docs: "https://postmarkapp.com/developer/api/email-api",
  help: "The server API token is on the API Tokens tab of a server; confirm the sender under Sender Signatures.",
  credentials: { apiKey: secret("API Key"), from: text("From email address"), senderName: text("Sender name") },
  // 10 MB for the whole mail, after base64.
  limits: { recipients: 50, attachmentBytes: 7_500_000 },
  request: (message, { apiKey }) => {
    const mail = toMail(message);
    const json = {
      From: formatMailbox(mail.from),
      To: listed(mail.to),
      Cc: listed(mail.cc),
      Bcc: listed(mail.bcc),
      ReplyTo: mail.replyTo && formatMailbox(mail.replyTo),
      Subject: mail.subject,
      HtmlBody: mail.html || undefined,
      TextBody: mail.text || undefined,
      Headers: filled(Object.entries(mail.headers).map(([Name, Value]) => ({ Name, Value }))),
      Metadata: { tidingsMessageId: message.id },
      Attachments: message.attachments?.map(({ name, mime, content }) => ({
        Name: name,
        Content: base64(content),
        ContentType: mime,
      })),
    };
    return post(`${api}/email`, { headers: { "x-postmark-server-token": apiKey }, json });
  },
  read: (reply) => {
    const given = textAt(reply.json, "ErrorCode");
    // 300 is any invalid field; only the text tells which.
    const field = /'(From|To|Cc|Bcc)'/.exec(textAt(reply.json, "Message") ?? "")?.[1];
    const code = given === "300" && field ? field : given;
    return byStatus(reply, textAt(reply.json, "MessageID"), { code, classes });
  },
  check: async ({ apiKey }, io) =>
    checkByStatus(await io.http(get(`${api}/server`, { headers: { "x-postmark-server-token": apiKey } }))),
  receipts: {
    read: ({ body }) => {
      const [status, date = ""] = events[textAt(body, "RecordType") ?? ""] ?? [];
      const externalId = textAt(body, "MessageID");
      if (!status || !externalId) return [];
      const given = (status === "bounced" && bounces[textAt(body, "Type") ?? ""]) || status;
      const messageId = textAt(body, "Metadata", "tidingsMessageId");
      const response = textAt(body, "Details") || textAt(body, "Description") || undefined;
      return [receipt(given, { externalId, messageId, date: dateOf(textAt(body, date)), response, row: body })];
    },
  },
});
