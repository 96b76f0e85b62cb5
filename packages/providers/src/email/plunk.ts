// Plunk. Credentials: app.useplunk.com, Settings, the secret key (sk_…); the sender's domain must be verified. Every
// recipient gets a separate mail, so copies become recipients; Plunk generates the text version. Receipts: workflows
// with a webhook step, whose headers hold `Authorization: Basic …`. API:
// https://docs.useplunk.com/api-reference/public-api/sendEmail; https://docs.useplunk.com/guides/webhooks Documentation
// seen: pages name api.useplunk.com or next-api.useplunk.com; the newest guides use the first. There are two
// generations of the API, and the body is one that both accept: plain addresses, the sender's name separately, at most
// five recipients. The older one returns {emails} where the newer one has {data: {emails}}.

import { secret, text } from "../kit/credentials.ts";
import { inlineContentId, literalLiquid, nonEmpty } from "../kit/email.ts";
import { toMail } from "../kit/mail.ts";
import { accepted, retry, unknown } from "../kit/outcome.ts";
import { defineProvider } from "../kit/provider.ts";
import { dateOf, type ReceiptStatus, receipt } from "../kit/receipts.ts";
import { byStatus, describeReply, type ErrorClasses, type HttpReply, textAt } from "../kit/reply.ts";
import { base64, post } from "../kit/request.ts";

const classes: ErrorClasses = {
  to: "recipient",
  domain: "config",
  BILLING_LIMIT_EXCEEDED: "quota",
  UPGRADE_REQUIRED: "quota",
  TEMPLATE_NOT_FOUND: "config",
  INVALID_EMAIL: "recipient",
};

// An event does not name its kind, but the time it happened; a bounce that may pass has a type and no time.
const times: [member: string, status: ReceiptStatus][] = [
  ["complainedAt", "complaint"],
  ["bouncedAt", "bounced"],
  ["clickedAt", "clicked"],
  ["openedAt", "opened"],
  ["deliveredAt", "delivered"],
  ["sentAt", "sent"],
  ["bounceType", "deferred"],
];

/** The older API returns the id as text, the newer one may have the whole record. */
const emailId = ({ json }: HttpReply): string | undefined =>
  [["data"], []]
    .flatMap((at) => [[...at, "emails", 0, "email"] as const, [...at, "emails", 0, "email", "id"] as const])
    .map((path) => textAt(json, ...path))
    .find((id) => id !== undefined);

export default defineProvider({
  id: "plunk",
  channel: "email",
  name: "Plunk",
  docs: "https://docs.useplunk.com/api-reference/public-api/sendEmail",
  help: "The secret key is under Project settings, API Keys; verify the sender's domain under Domains.",
  credentials: { apiKey: secret("API Key"), from: text("From email address"), senderName: text("Sender name") },
  limits: { recipients: 5, attachmentBytes: 10_000_000 },
  takes: ["inline"],
  request: (message, { apiKey }) => {
    const mail = toMail(message);
    const json = {
      to: [...mail.to, ...mail.cc, ...mail.bcc].map(({ address }) => address),
      from: mail.from.address,
      name: mail.from.name || undefined,
      reply: mail.replyTo?.address,
      subject: literalLiquid(mail.subject),
      body: literalLiquid(mail.html),
      headers: nonEmpty(mail.headers),
      attachments: message.attachments?.map((file) => ({
        filename: file.name,
        content: base64(file.content),
        contentType: file.mime,
        ...(inlineContentId(file) ? { contentId: inlineContentId(file), disposition: "inline" } : {}),
      })),
    };
    const headers = { "idempotency-key": message.id };
    return post("https://api.useplunk.com/v1/send", { bearer: apiKey, headers, json });
  },
  read: (reply) => {
    const code = textAt(reply.json, "error", "code");
    if (reply.status === 409 && code === "IDEMPOTENCY_KEY_REUSED") {
      // Not sent a second time; what happened to the first is in the details, nothing while it is in progress.
      const first = Number(textAt(reply.json, "error", "details", "originalStatusCode"));
      if (first >= 200 && first < 300) return accepted();
      return first ? unknown(describeReply(reply)) : retry(describeReply(reply));
    }
    const isDomain = reply.status === 403 && /domain/i.test(textAt(reply.json, "error", "message") ?? "");
    const field = textAt(reply.json, "error", "errors", 0, "field")?.split(".")[0];
    const said = isDomain ? "domain" : field === "to" ? field : code;
    return byStatus(reply, emailId(reply), { code: said, classes });
  },
  receipts: {
    read: ({ body }) => {
      const externalId = textAt(body, "event", "emailId");
      const known = times.find(([member]) => textAt(body, "event", member));
      if (!externalId || !known) return [];
      const [member, status] = known;
      const [recipient, date] = [textAt(body, "contact", "email"), dateOf(textAt(body, "event", member))];
      return [receipt(status, { externalId, recipient, date, row: body })];
    },
  },
});
