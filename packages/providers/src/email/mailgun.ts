// Mailgun. Credentials: app.mailgun.com, API security; the user name is `api`. Accounts in the EU set the base URL
// https://api.eu.mailgun.net. The signing key of receipts is the "HTTP webhook signing key".
// API: https://documentation.mailgun.com/docs/mailgun/api-reference/send/mailgun/messages
// Registering receipts needs a key of the account, not one for sending alone:
// https://documentation.mailgun.com/docs/mailgun/api-reference/send/mailgun/domain-webhooks

import { createHmac } from "node:crypto";
import { destination, secret, text } from "../kit/credentials.ts";
import { inlineContentId, metadataOf, workflowTag } from "../kit/email.ts";
import { formatMailbox, toMail } from "../kit/mail.ts";
import type { Part } from "../kit/multipart.ts";
import { rejected, SendError } from "../kit/outcome.ts";
import { defineProvider } from "../kit/provider.ts";
import { dateOf, isRecent, type ReceiptStatus, receipt, sameText } from "../kit/receipts.ts";
import { readTexts, requireMember, requireSuccess, requireText } from "../kit/registration.ts";
import { byStatus, checkByStatus, textAt, valueAt } from "../kit/reply.ts";
import { baseUrl, get, post, put } from "../kit/request.ts";

const api = (base: string | undefined): string => baseUrl(base, "https://api.mailgun.net");

const messages = (base: string | undefined, domain: string): string =>
  `${api(base)}/v3/${encodeURIComponent(domain)}/messages`;

const statuses: Record<string, ReceiptStatus> = {
  delivered: "delivered",
  opened: "opened",
  clicked: "clicked",
  unsubscribed: "unsubscribed",
  complained: "complaint",
  rejected: "rejected",
};

// Each kind of event has its own addresses, three at most.
// biome-ignore format: one line
const webhookTypes = ["delivered", "opened", "clicked", "unsubscribed", "complained", "permanent_fail", "temporary_fail"];
const maxUrls = 3;

function statusOf(event: unknown): ReceiptStatus | undefined {
  if (textAt(event, "event") !== "failed") return statuses[textAt(event, "event") ?? ""];
  if (textAt(event, "severity") === "temporary") return "deferred";
  const reason = textAt(event, "reason") ?? "";
  // Suppressed addresses are not tried at all; an old message was tried for hours.
  if (reason.startsWith("suppress-")) return "dropped";
  return reason === "old" ? "undelivered" : reason === "espblock" ? "blocked" : "bounced";
}

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
    baseUrl: destination(text("Base URL", { optional: true })),
    user: text("User name"),
    domain: destination(text("Domain")),
    from: text("From email address"),
    senderName: text("Sender name"),
  },
  limits: { recipients: 1000, attachmentBytes: 25_000_000 },
  takes: ["inline", "customData"],
  overrideNames: { members: ["recipient-variables", "amp-html"] },
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
      ...Object.entries(metadataOf(message)).map(([name, value]) => field(`v:${name}`, value)),
      ...(workflowTag(message, 128) ?? []).map((tag) => field("o:tag", tag)),
      // The HTML refers to an inline image by its file name.
      ...mail.attachments.map((file): Part => {
        const [id, { mime: type, content }] = [inlineContentId(file), file];
        return { name: id ? "inline" : "attachment", filename: id ?? file.name, type, content };
      }),
    ];
    const multipart = { seed: message.id, parts };
    return post(messages(base, domain), { basic: [user, apiKey], multipart });
  },
  read: (reply) => {
    // Errors have no codes.
    const isAddress = /\b(to|cc|bcc)\b'? parameter is not a valid address/.test(textAt(reply.json, "message") ?? "");
    const said = { code: isAddress ? "address" : undefined, classes: { address: "recipient" } as const };
    return byStatus(reply, bare(textAt(reply.json, "id")), said);
  },
  // A key for sending may do nothing else, so that it is asked to send a mail without recipients: 400 means that it
  // may.
  check: async ({ apiKey, user, domain, baseUrl: base }, io) => {
    const form = { "o:testmode": "yes" };
    const reply = await io.http(post(messages(base, domain), { basic: [user, apiKey], form }));
    return reply.status === 400 ? { ok: true } : checkByStatus(reply);
  },
  receipts: {
    verify: ({ body }, key, now) => {
      const [timestamp = "", token = ""] = [textAt(body, "signature", "timestamp"), textAt(body, "signature", "token")];
      const expected = createHmac("sha256", key).update(`${timestamp}${token}`).digest("hex");
      return isRecent(timestamp, now) && sameText(textAt(body, "signature", "signature") ?? "", expected);
    },
    read: ({ body }) => {
      const event = valueAt(body, "event-data");
      const status = statusOf(event);
      const externalId = bare(textAt(event, "message", "headers", "message-id"));
      if (!status || !externalId) return [];
      const messageId = textAt(event, "user-variables", "tidingsMessageId");
      const response = textAt(event, "delivery-status", "message") || textAt(event, "delivery-status", "description");
      const attempts = Number(textAt(event, "delivery-status", "attempt-no")) || undefined;
      const [recipient, date] = [textAt(event, "recipient"), dateOf(textAt(event, "timestamp"))];
      const known = { externalId, messageId, recipient, date, attempts };
      return [receipt(status, { ...known, response: response || undefined, row: event })];
    },
  },
  registerReceipts: async ({ url }, { apiKey, user, domain, baseUrl: base }, io) => {
    const basic: [string, string] = [user, apiKey];
    const webhooks = `${api(base)}/v3/domains/${encodeURIComponent(domain)}/webhooks`;
    // The key belongs to the account and signs all of its reports. It is read first: without it they would be refused.
    const account = await requireSuccess(io.http(get(`${api(base)}/v5/accounts/http_signing_key`, { basic })));
    const signingKey = requireText(account, textAt(account.json, "http_signing_key"));
    const byType = requireMember(await requireSuccess(io.http(get(webhooks, { basic }))), "webhooks");
    const known = webhookTypes.map((type) => ({ type, urls: readTexts(Reflect.get(byType, type), "urls") }));
    const full = known.find(({ urls }) => !urls.includes(url) && urls.length >= maxUrls);
    if (full) {
      const reason = `the webhook ${full.type} of ${domain} has ${maxUrls} addresses already, and Mailgun allows no more`;
      throw new SendError(rejected("config", reason));
    }
    const part = (name: string, value: string): Part => ({ name, value });
    for (const { type, urls } of known.filter((one) => !one.urls.includes(url))) {
      // An address is added by writing all of them.
      const parts = [...urls, url].map((one) => part("url", one));
      const request =
        urls.length > 0
          ? put(`${webhooks}/${type}`, { basic, multipart: { seed: type, parts } })
          : post(webhooks, { basic, multipart: { seed: type, parts: [part("id", type), ...parts] } });
      await requireSuccess(io.http(request));
    }
    return signingKey;
  },
});
