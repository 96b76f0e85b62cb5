// SparkPost (Bird). Credentials: app.sparkpost.com/account/api-keys, a key with Transmissions: Read/Write; accounts in
// the EU choose the region eu. The sender's domain must be verified. API:
// https://developers.sparkpost.com/api/transmissions/; events: https://developers.sparkpost.com/api/webhooks/

import { choice, destination, secret, text } from "../kit/credentials.ts";
import { metadataOf, nonEmpty, splitInline, toPerson } from "../kit/email.ts";
import { formatMailbox, toMail } from "../kit/mail.ts";
import { defineProvider } from "../kit/provider.ts";
import { dateOf, type Receipt, type ReceiptStatus, receipt } from "../kit/receipts.ts";
import { byStatus, checkByStatus, type ErrorClasses, eventsOf, textAt, valueAt } from "../kit/reply.ts";
import { base64, get, post } from "../kit/request.ts";

const api = (region: string | undefined): string => `https://api.${region === "eu" ? "eu." : ""}sparkpost.com/api/v1`;

const classes: ErrorClasses = { 420: "quota", 1902: "recipient", 5001: "recipient", 5002: "recipient", 7001: "config" };

const statuses: Record<string, ReceiptStatus> = {
  injection: "sent",
  delivery: "delivered",
  delay: "delayed",
  bounce: "bounced",
  out_of_band: "bounced",
  policy_rejection: "rejected",
  generation_failure: "rejected",
  generation_rejection: "rejected",
  spam_complaint: "spam",
  open: "opened",
  initial_open: "opened",
  click: "clicked",
  list_unsubscribe: "unsubscribed",
  link_unsubscribe: "unsubscribed",
};

// What a bounce is, which a number says: https://support.sparkpost.com/docs/deliverability/bounce-classification-codes
// (10 and 30 are about the address, 25 about their list, 50 to 54 about the mail; 60 and 80 are replies to it).
// biome-ignore format: classes of one meaning are grouped
const bounceClasses: Record<string, ReceiptStatus | "none"> = {
  10: "bounced", 30: "bounced", 25: "dropped",
  50: "blocked", 51: "blocked", 52: "blocked", 53: "blocked", 54: "blocked",
  60: "none", 80: "none", 90: "unsubscribed", 100: "deferred",
};

function statusOf(event: unknown): ReceiptStatus | "none" | undefined {
  const status = statuses[textAt(event, "type") ?? ""];
  if (status !== "bounced") return status;
  // The others may pass, but the mail is given up: while it is tried, it is a delay.
  return bounceClasses[textAt(event, "bounce_class") ?? ""] ?? "undelivered";
}

// Everything passes their template language: braces of a finished text must stay braces.
const literal = (content: string): string => content.replaceAll("{{", "{{opening_double_curly()}}");

const overrideNames = {
  members: [
    ...["campaign_id", "return_path", "substitution_data", "metadata", "description"],
    ...["open_tracking", "click_tracking", "start_time", "ip_pool", "inline_css", "skip_suppression", "sandbox"].map(
      (name) => `options.${name}`,
    ),
  ],
};

export default defineProvider({
  id: "sparkpost",
  channel: "email",
  name: "SparkPost",
  docs: "https://developers.sparkpost.com/api/transmissions/",
  help: "Create a key with Transmissions: Read/Write under Account, API Keys, and verify the domain under Domains.",
  credentials: {
    apiKey: secret("API Key"),
    region: destination(choice("Region", ["eu"], { optional: true })),
    from: text("From email address"),
    senderName: text("Sender name"),
  },
  // 20 MB for the whole request, after base64.
  limits: { attachmentBytes: 14_000_000 },
  takes: ["inline", "customData"],
  overrideNames,
  request: (message, { apiKey, region }) => {
    const mail = toMail(message);
    const { inline, attached } = splitInline(message.attachments);
    const everyone = [...mail.to, ...mail.cc, ...mail.bcc];
    const header_to = mail.to.map(formatMailbox).join(", ");
    const copies = mail.cc.length > 0 ? { CC: mail.cc.map(formatMailbox).join(", ") } : {};
    const json = {
      recipients: everyone.map(({ address }) => ({ address: { email: address, header_to } })),
      content: {
        from: toPerson(mail.from),
        reply_to: mail.replyTo && formatMailbox(mail.replyTo),
        subject: literal(mail.subject),
        html: literal(mail.html),
        text: mail.text ? literal(mail.text) : undefined,
        headers: nonEmpty({ ...copies, ...mail.headers }),
        attachments: nonEmpty(attached.map(({ name, mime, content }) => ({ name, type: mime, data: base64(content) }))),
        // The HTML refers to an inline image by its name.
        inline_images: nonEmpty(
          inline.map(({ id, mime, content }) => ({ name: id, type: mime, data: base64(content) })),
        ),
      },
      options: { transactional: true },
      metadata: metadataOf(message),
    };
    return post(`${api(region)}/transmissions`, { headers: { authorization: apiKey }, json });
  },
  read: (reply) => {
    const code = reply.status === 420 ? "420" : textAt(reply.json, "errors", 0, "code");
    return byStatus(reply, textAt(reply.json, "results", "id"), { code, classes });
  },
  check: async ({ apiKey, region }, io) => {
    const reply = await io.http(get(`${api(region)}/account`, { headers: { authorization: apiKey } }));
    // A key that may only send gets 403 here; an invalid key gets 401.
    return reply.status === 403 ? { ok: true } : checkByStatus(reply);
  },
  receipts: {
    read: ({ body }) =>
      eventsOf(body).flatMap((wrapped): Receipt[] => {
        const msys = valueAt(wrapped, "msys");
        const [event] = Object.values(msys ?? {});
        const [status, externalId] = [statusOf(event), textAt(event, "transmission_id")];
        if (!status || status === "none" || !externalId) return [];
        const messageId = textAt(event, "rcpt_meta", "tidingsMessageId");
        const [recipient, response] = [textAt(event, "rcpt_to"), textAt(event, "raw_reason")];
        const date = dateOf(textAt(event, "timestamp"));
        return [receipt(status, { externalId, messageId, recipient, date, response, row: event })];
      }),
  },
});
