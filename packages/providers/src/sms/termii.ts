// Termii. Credentials: accounts.termii.com, the API key of the dashboard; `from` is an approved sender ID. The channel
// is generic unless an override says dnd, the route for transactional messages, which Termii has to activate first.
// API: https://developer.termii.com/messaging-api. Its host is that of the account: the dashboard shows it as the base
// URL, newer accounts have others than api.ng.termii.com.

import { destination, secret, text } from "../kit/credentials.ts";
import { accepted } from "../kit/outcome.ts";
import { defineProvider } from "../kit/provider.ts";
import { type ReceiptStatus, receipt } from "../kit/receipts.ts";
import { checkByStatus, textAt, unreadable } from "../kit/reply.ts";
import { baseUrl, get, post } from "../kit/request.ts";
import { type ErrorPatterns, failureByPattern, fitsGsm, toDigits } from "../kit/sms.ts";

function api(given: string | undefined): string {
  const base = baseUrl(given, "https://api.ng.termii.com");
  return base.endsWith("/api") ? base : `${base}/api`;
}

const words: ErrorPatterns = [
  [/insufficient|balance/i, "quota"],
  [/sender|country inactive/i, "config"],
  [/phone number/i, "recipient"],
];

const statuses: Record<string, ReceiptStatus> = {
  delivered: "delivered",
  "message sent": "sent",
  "message failed": "undelivered",
  "dnd active on phone number": "rejected",
  rejected: "rejected",
  expired: "undelivered",
};

export default defineProvider({
  id: "termii",
  channel: "sms",
  name: "Termii",
  docs: "https://developer.termii.com/messaging-api",
  help: "The API key is on the dashboard of your Termii account; request a sender ID there as well.",
  credentials: {
    apiKey: secret("API Key"),
    baseUrl: destination(text("Base URL", { optional: true })),
    from: text("From"),
  },
  request: (message, { apiKey, baseUrl }) =>
    post(`${api(baseUrl)}/sms/send`, {
      json: {
        api_key: apiKey,
        to: toDigits(message.to),
        from: message.from,
        sms: message.text,
        type: fitsGsm(message.text) ? "plain" : "unicode",
        channel: "generic",
      },
    }),
  read: (reply) => {
    if (reply.status >= 300) return failureByPattern(reply, words);
    const id = textAt(reply.json, "message_id");
    return id ? accepted(id) : unreadable(reply);
  },
  check: async ({ apiKey, baseUrl }, io) =>
    checkByStatus(await io.http(get(`${api(baseUrl)}/get-balance`, { query: { api_key: apiKey } }))),
  receipts: {
    read: ({ body }) => {
      const said = textAt(body, "status");
      const externalId = textAt(body, "message_id");
      const status = statuses[said?.toLowerCase() ?? ""];
      if (!externalId || !status) return [];
      return [receipt(status, { externalId, response: said, row: body })];
    },
  },
});
