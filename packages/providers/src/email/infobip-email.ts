// Infobip Email. Credentials: portal.infobip.com, Developers, API keys; the base URL is on the same page. Receipts: a
// subscription for email events in the portal, or the override notifyUrl.
// API: https://www.infobip.com/docs/api/channels/email/send-fully-featured-email
// Statuses: https://www.infobip.com/docs/essentials/response-status-and-error-codes

import { destination, secret, text } from "../kit/credentials.ts";
import { inlineContentId, nonEmpty } from "../kit/email.ts";
import { formatMailbox, toMail } from "../kit/mail.ts";
import type { Part } from "../kit/multipart.ts";
import { accepted } from "../kit/outcome.ts";
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
import { baseUrl, get, post } from "../kit/request.ts";

const classes: ErrorClasses = {
  REJECTED_NOT_ENOUGH_CREDITS: "quota",
  REJECTED_SENDER: "config",
  REJECTED_DESTINATION_NOT_REGISTERED: "config",
  REJECTED_SYSTEM_ERROR: "retry",
  REJECTED_DESTINATION: "recipient",
  REJECTED_EMAIL_VALIDATION_FAILED: "recipient",
};

const statuses: Record<string, ReceiptStatus> = {
  DELIVERED: "delivered",
  UNDELIVERABLE: "bounced",
  EXPIRED: "dropped",
  REJECTED: "rejected",
  OPENED: "opened",
  CLICKED: "clicked",
  COMPLAINED: "complaint",
  UNSUBSCRIBED: "unsubscribed",
};

// Whether what went wrong is wrong for good.
const isPermanent = (event: unknown): boolean =>
  (event as { error?: { permanent?: unknown } | null } | null)?.error?.permanent === true;

const authorized = (apiKey: string) => ({ authorization: `App ${apiKey}` });

// biome-ignore format: a list of names reads better in lines than in a column
const overrideNames = {
  members: [
    "applicationId", "bulkId", "callbackData", "entityId", "intermediateReport", "notifyUrl", "sendAt", "templateId",
    "track", "trackClicks", "trackOpens", "trackingUrl",
  ],
};

export default defineProvider({
  id: "infobip-email",
  channel: "email",
  name: "Infobip",
  docs: "https://www.infobip.com/docs/api/channels/email/send-fully-featured-email",
  help: "Create an API key under Developers, API keys; your base URL is shown there. Verify the sender's domain under Channels, Email.",
  credentials: {
    apiKey: secret("API Key"),
    baseUrl: destination(text("Base URL")),
    from: text("From email address"),
    senderName: text("Sender name"),
  },
  limits: { recipients: 1000, attachmentBytes: 10_000_000 },
  takes: ["inline"],
  overrideNames,
  request: (message, { apiKey, baseUrl: base }) => {
    const mail = toMail(message);
    const headers = nonEmpty(mail.headers);
    const field = (name: string, value: string): Part => ({ name, value });
    const parts = [
      field("from", formatMailbox(mail.from)),
      ...mail.to.map(({ address }) => field("to", address)),
      ...mail.cc.map(({ address }) => field("cc", address)),
      ...mail.bcc.map(({ address }) => field("bcc", address)),
      ...(mail.replyTo ? [field("replyTo", mail.replyTo.address)] : []),
      field("subject", mail.subject),
      ...(mail.text ? [field("text", mail.text)] : []),
      field("html", mail.html),
      ...(headers ? [field("headers", JSON.stringify(headers))] : []),
      field("messageId", message.id),
      // One mail that all recipients share, with one id.
      field("preserveRecipients", "true"),
      // The HTML refers to an inline image by its file name.
      ...mail.attachments.map((file): Part => {
        const [id, { mime: type, content }] = [inlineContentId(file), file];
        return { name: id ? "inlineImage" : "attachment", filename: id ?? file.name, type, content };
      }),
    ];
    const multipart = { seed: message.id, parts };
    return post(`${baseUrl(base)}/email/3/send`, { headers: authorized(apiKey), multipart });
  },
  read: (reply) => {
    if (reply.status !== 200) return byStatus(reply);
    const [group, name] = ["groupName", "name"].map((key) => textAt(reply.json, "messages", 0, "status", key));
    if (!group) return unreadable(reply);
    return group === "REJECTED"
      ? failureByCode(reply, name, classes)
      : accepted(textAt(reply.json, "messages", 0, "messageId"));
  },
  check: async ({ apiKey, baseUrl: base }, io) =>
    checkByStatus(await io.http(get(`${baseUrl(base)}/email/1/domains`, { headers: authorized(apiKey) }))),
  receipts: {
    // Delivery reports are lists under `results`, open and click reports are single objects.
    read: ({ body }) => {
      const results = typeof body === "object" && body !== null && "results" in body ? body.results : body;
      return eventsOf(results).flatMap((event): Receipt[] => {
        const kind = textAt(event, "status", "groupName") ?? textAt(event, "notificationType") ?? "";
        const [known, externalId] = [statuses[kind], textAt(event, "messageId")];
        if (!known || !externalId) return [];
        const status = known === "bounced" && !isPermanent(event) ? "undelivered" : known;
        const recipient = textAt(event, "to") ?? textAt(event, "recipient");
        const response = textAt(event, "error", "description");
        const date = dateOf(textAt(event, "doneAt") ?? textAt(event, "sendDateTime"));
        return [receipt(status, { externalId, recipient, date, response, row: event })];
      });
    },
  },
});
