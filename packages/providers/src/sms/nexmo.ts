// Nexmo, today the SMS API of Vonage. Credentials: dashboard.nexmo.com, API settings.
// API: https://developer.vonage.com/en/api/sms
// Codes: https://developer.vonage.com/messaging/sms/guides/troubleshooting-sms

import { secret, text } from "../kit/credentials.ts";
import { accepted } from "../kit/outcome.ts";
import { defineProvider } from "../kit/provider.ts";
import { dateOf, type ReceiptStatus, receipt } from "../kit/receipts.ts";
import { byStatus, checkByStatus, type ErrorClasses, failureByCode, textAt, unreadable } from "../kit/reply.ts";
import { get, post } from "../kit/request.ts";
import { fitsGsm, toDigits } from "../kit/sms.ts";

const api = "https://rest.nexmo.com";

const classes: ErrorClasses = {
  1: "retry",
  4: "auth",
  5: "retry",
  6: "recipient",
  7: "recipient",
  8: "auth",
  9: "quota",
  10: "retry",
  11: "config",
  14: "auth",
  15: "config",
  23: "config",
  29: "config",
  32: "auth",
  33: "recipient",
};

const statuses: Record<string, ReceiptStatus> = {
  accepted: "accepted",
  buffered: "queued",
  delivered: "delivered",
  expired: "undelivered",
  failed: "failed",
  rejected: "rejected",
};

export default defineProvider({
  id: "nexmo",
  channel: "sms",
  name: "Nexmo",
  docs: "https://developer.vonage.com/en/api/sms",
  help: "API key and API secret are in the Vonage dashboard, under API settings.",
  credentials: { apiKey: secret("API Key"), secretKey: secret("API secret"), from: text("From") },
  request: (message, { apiKey, secretKey }) =>
    post(`${api}/sms/json`, {
      form: {
        api_key: apiKey,
        api_secret: secretKey,
        from: message.from,
        to: toDigits(message.to),
        text: message.text,
        type: fitsGsm(message.text) ? "text" : "unicode",
        "client-ref": message.id,
      },
    }),
  overrideNames: {
    // biome-ignore format: the names are grouped
    members: [
      "type", "ttl", "status-report-req", "callback", "message-class", "body", "udh", "protocol-id", "client-ref",
      "account-ref", "entity-id", "content-id", "trusted-number",
    ],
  },
  read: (reply) => {
    if (reply.status >= 300) return byStatus(reply);
    // Every response is 200. A long text is several messages, and the first represents all.
    const status = textAt(reply.json, "messages", 0, "status");
    if (status === undefined) return unreadable(reply);
    return status === "0"
      ? accepted(textAt(reply.json, "messages", 0, "message-id"))
      : failureByCode(reply, status, classes);
  },
  check: async ({ apiKey, secretKey }, io) =>
    checkByStatus(
      await io.http(get(`${api}/account/get-balance`, { query: { api_key: apiKey, api_secret: secretKey } })),
    ),
  receipts: {
    read: ({ body }) => {
      const externalId = textAt(body, "messageId");
      const status = statuses[textAt(body, "status") ?? ""];
      if (!externalId || !status) return [];
      const code = textAt(body, "err-code");
      const date = dateOf(textAt(body, "message-timestamp"));
      const response = code && code !== "0" ? `Error ${code}` : undefined;
      return [receipt(status, { externalId, messageId: textAt(body, "client-ref"), date, response, row: body })];
    },
  },
});
