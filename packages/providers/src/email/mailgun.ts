// Mailgun. Credentials: app.mailgun.com, API security; the user name is `api`. Accounts in the EU set the base URL
// https://api.eu.mailgun.net. The signing key of receipts is the "HTTP webhook signing key".
// API: https://documentation.mailgun.com/docs/mailgun/api-reference/send/mailgun/messages

import { createHmac } from "node:crypto";
import { secret, text } from "../credentials.ts";
import { formatMailbox, toMail } from "../mail.ts";
import type { Part } from "../multipart.ts";
import { byStatus, checkByStatus } from "../outcome.ts";
import { defineProvider } from "../provider.ts";
import { dateOf, isRecent, type ReceiptStatus, receipt, sameText } from "../receipts.ts";
import { baseUrl, get, post, textAt } from "../request.ts";

const api = (base: string | undefined): string => baseUrl(base, "https://api.mailgun.net");

const statuses: Record<string, ReceiptStatus> = {
  delivered: "delivered",
  opened: "opened",
  clicked: "clicked",
  unsubscribed: "unsubscribed",
  complained: "complaint",
  rejected: "rejected",
};

const statusOf = (event: unknown): ReceiptStatus | undefined => {
  if (textAt(event, "event") !== "failed") return statuses[textAt(event, "event") ?? ""];
  if (textAt(event, "severity") === "temporary") return "deferred";
  // Suppressed addresses are not tried at all.
  return textAt(event, "reason")?.startsWith("suppress-") ? "dropped" : "bounced";
};

// Replies carry the id in angle brackets, events do not.
const bare = (id: string | undefined): string | undefined => id?.replace(/^<|>$/g, "");

export default defineProvider({
  id: "mailgun",
  channel: "email",
  name: "Mailgun",
  docs: "https://documentation.mailgun.com/docs/mailgun/api-reference/send/mailgun/messages",
  help: "Create a sending key under API security; the user name is api, the domain one of Sending, Domains.",
  credentials: {
    apiKey: secret("API Key"),
    baseUrl: text("Base URL", { optional: true }),
    user: text("User name"),
    domain: text("Domain"),
    from: text("From email address"),
    senderName: text("Sender name"),
  },
  limits: { recipients: 1000, attachmentBytes: 25_000_000 },
  request: (message, { apiKey, user, domain, baseUrl: base }) => {
    const mail = toMail(message);
    const field = (name: string, value: string): Part => ({ name, value });
    const parts = [
      field("from", formatMailbox(mail.from)),
      ...mail.to.map((mailbox) => field("to", formatMailbox(mailbox))),
      ...mail.cc.map((mailbox) => field("cc", formatMailbox(mailbox))),
      ...mail.bcc.map((mailbox) => field("bcc", formatMailbox(mailbox))),
      field("subject", mail.subject),
      field("text", mail.text),
      field("html", mail.html),
      ...(mail.replyTo ? [field("h:Reply-To", formatMailbox(mail.replyTo))] : []),
      field("h:Message-Id", mail.messageId),
      ...Object.entries(mail.headers).map(([name, value]) => field(`h:${name}`, value)),
      field("v:tidingsMessageId", message.id),
      ...mail.attachments.map(
        ({ name, mime, content }): Part => ({ name: "attachment", filename: name, type: mime, content }),
      ),
    ];
    const multipart = { seed: message.id, parts };
    return post(`${api(base)}/v3/${encodeURIComponent(domain)}/messages`, { basic: [user, apiKey], multipart });
  },
  read: (reply) => {
    // Errors have no codes. The domain is part of the path: an unknown one is a fault of the settings.
    const isAddress = /\b(to|cc|bcc)\b'? parameter is not a valid address/.test(textAt(reply.json, "message") ?? "");
    const code = reply.status === 404 ? "domain" : isAddress ? "address" : undefined;
    return byStatus(reply, bare(textAt(reply.json, "id")), {
      code,
      classes: { domain: "config", address: "recipient" },
    });
  },
  check: async ({ apiKey, user, domain, baseUrl: base }, io) =>
    checkByStatus(
      await io.http(get(`${api(base)}/v4/domains/${encodeURIComponent(domain)}`, { basic: [user, apiKey] })),
    ),
  receipts: {
    verify: ({ body }, key, now) => {
      const [timestamp = "", token = ""] = [textAt(body, "signature", "timestamp"), textAt(body, "signature", "token")];
      const expected = createHmac("sha256", key).update(`${timestamp}${token}`).digest("hex");
      return isRecent(timestamp, now) && sameText(textAt(body, "signature", "signature") ?? "", expected);
    },
    read: ({ body }) => {
      const event = typeof body === "object" && body !== null ? Reflect.get(body, "event-data") : undefined;
      const status = statusOf(event);
      const externalId = bare(textAt(event, "message", "headers", "message-id"));
      if (!status || !externalId) return [];
      const messageId = textAt(event, "user-variables", "tidingsMessageId");
      const response = textAt(event, "delivery-status", "message") || textAt(event, "delivery-status", "description");
      const attempts = Number(textAt(event, "delivery-status", "attempt-no")) || undefined;
      const date = dateOf(textAt(event, "timestamp"));
      return [receipt(status, { externalId, messageId, date, attempts, response: response || undefined, row: event })];
    },
  },
});
