// Infobip. Credentials: portal.infobip.com, API keys; the base URL is shown on the first page (xxxxx.api.infobip.com).
// API: https://www.infobip.com/docs/developer-resources/quickstart (SMS API, version 3)
// Codes: https://www.infobip.com/docs/essentials/api-essentials/response-status-and-error-codes

import { destination, secret, text } from "../kit/credentials.ts";
import { accepted } from "../kit/outcome.ts";
import { defineProvider } from "../kit/provider.ts";
import { dateOf, type Receipt, type ReceiptStatus, receipt } from "../kit/receipts.ts";
import { byStatus, checkByStatus, type ErrorClasses, failureByCode, listAt, textAt, unreadable } from "../kit/reply.ts";
import { baseUrl, get, post } from "../kit/request.ts";
import { toDigits } from "../kit/sms.ts";

const classes: ErrorClasses = {
  REJECTED_NETWORK: "recipient",
  REJECTED_PREFIX_MISSING: "recipient",
  REJECTED_DND: "recipient",
  REJECTED_DESTINATION: "recipient",
  REJECTED_SOURCE: "config",
  REJECTED_SENDER: "config",
  REJECTED_DESTINATION_NOT_REGISTERED: "config",
  REJECTED_ROUTE_NOT_AVAILABLE: "config",
  REJECTED_NOT_ENOUGH_CREDITS: "quota",
  REJECTED_PREPAID_PACKAGE_EXPIRED: "quota",
  REJECTED_SYSTEM_ERROR: "retry",
};

const statuses: Record<string, ReceiptStatus> = {
  PENDING: "sent",
  DELIVERED: "delivered",
  UNDELIVERABLE: "undelivered",
  EXPIRED: "undelivered",
  REJECTED: "rejected",
};

export default defineProvider({
  id: "infobip-sms",
  channel: "sms",
  name: "Infobip",
  docs: "https://www.infobip.com/docs/api/channels/sms",
  help: "Create an API key with the scope sms:message:send; the base URL of your account is shown next to it.",
  credentials: { apiKey: secret("API Key"), baseUrl: destination(text("Base URL")), from: text("From") },
  request: (message, { apiKey, baseUrl: base }) => {
    const item = {
      sender: message.from,
      destinations: [{ to: toDigits(message.to) }],
      content: { text: message.text },
      webhooks: { callbackData: message.id },
    };
    return post(`${baseUrl(base)}/sms/3/messages`, {
      headers: { authorization: `App ${apiKey}` },
      json: { messages: [item] },
    });
  },
  extraAt: ["messages", 0],
  read: (reply) => {
    if (reply.status >= 300) return byStatus(reply);
    const group = textAt(reply.json, "messages", 0, "status", "groupName");
    if (group === undefined) return unreadable(reply);
    return group === "PENDING" || group === "DELIVERED"
      ? accepted(textAt(reply.json, "messages", 0, "messageId"))
      : failureByCode(reply, textAt(reply.json, "messages", 0, "status", "name"), classes);
  },
  check: async ({ apiKey, baseUrl: base }, io) =>
    checkByStatus(
      await io.http(get(`${baseUrl(base)}/account/1/balance`, { headers: { authorization: `App ${apiKey}` } })),
    ),
  receipts: {
    read: ({ body }) =>
      listAt(body, "results").flatMap((event): Receipt[] => {
        const externalId = textAt(event, "messageId");
        const status = statuses[textAt(event, "status", "groupName") ?? ""];
        if (!externalId || !status) return [];
        const known = { messageId: textAt(event, "callbackData"), date: dateOf(textAt(event, "doneAt")), row: event };
        return [receipt(status, { externalId, response: textAt(event, "status", "description"), ...known })];
      }),
  },
});
