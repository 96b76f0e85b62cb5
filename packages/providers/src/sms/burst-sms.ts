// Kudosity, formerly BurstSMS: its Transmit SMS API (version 1), the one that takes key and secret. Credentials:
// Kudosity dashboard, Developers, API Settings. Without a sender the message comes from a shared number. Delivery
// receipts come by GET to the DLR callback of the API settings.
// API: https://developers.kudosity.com/reference/post_send-sms-json
// Codes: https://developers.kudosity.com/reference/status-codes
// Receipts: https://help.burstsms.com/support/solutions/articles/44001076807-dlr-callback

import { secret } from "../kit/credentials.ts";
import { accepted } from "../kit/outcome.ts";
import { defineProvider } from "../kit/provider.ts";
import { type ReceiptStatus, receipt } from "../kit/receipts.ts";
import { byStatus, checkByStatus, type ErrorClasses, failureByCode, textAt, unreadable } from "../kit/reply.ts";
import { get, post } from "../kit/request.ts";
import { toDigits } from "../kit/sms.ts";

const api = "https://api.transmitsms.com";

const classes: ErrorClasses = {
  AUTH_FAILED: "auth",
  AUTH_FAILED_NO_DATA: "auth",
  BAD_CALLER_ID: "config",
  LEDGER_ERROR: "quota",
  NO_ACCESS: "config",
  NOT_IMPLEMENTED: "config",
  OVER_LIMIT: "retry",
  RECIPIENTS_ERROR: "recipient",
};

const statuses: Record<string, ReceiptStatus> = {
  pending: "queued",
  delivered: "delivered",
  "soft-bounce": "undelivered",
  "hard-bounce": "undelivered",
};

export default defineProvider({
  id: "burst-sms",
  channel: "sms",
  name: "Kudosity (formerly BurstSMS)",
  docs: "https://developers.kudosity.com/reference/post_send-sms-json",
  help: "API key and secret are in the Kudosity dashboard, under Developers, API Settings.",
  credentials: { apiKey: secret("API Key"), secretKey: secret("API Secret") },
  request: (message, { apiKey, secretKey }) =>
    post(`${api}/send-sms.json`, {
      basic: [apiKey, secretKey],
      form: { message: message.text, to: toDigits(message.to), from: message.from },
    }),
  overrideNames: {
    // biome-ignore format: the names are grouped
    members: [
      "send_at", "list_id", "dlr_callback", "reply_callback", "validity", "replies_to_email", "from_shared",
      "countrycode", "tracked_link_url",
    ],
  },
  read: (reply) => {
    const code = textAt(reply.json, "error", "code");
    if (reply.status >= 300) return byStatus(reply, undefined, { code, classes });
    if (code === undefined) return unreadable(reply);
    return code === "SUCCESS" ? accepted(textAt(reply.json, "message_id")) : failureByCode(reply, code, classes);
  },
  check: async ({ apiKey, secretKey }, io) =>
    checkByStatus(await io.http(get(`${api}/get-balance.json`, { basic: [apiKey, secretKey] }))),
  receipts: {
    // Their times have no zone.
    read: ({ body }) => {
      const externalId = textAt(body, "message_id");
      const word = textAt(body, "status") ?? "";
      const status = statuses[word];
      return externalId && status ? [receipt(status, { externalId, response: word, row: body })] : [];
    },
  },
});
