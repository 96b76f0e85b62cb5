// smsmode. Credentials: ui.smsmode.com, Settings, API keys. Reports go to the callback of the channel, or to that of
// the message (an override: callbackUrlStatus). API: https://dev.smsmode.com/sms/v1/. Documentation seen: public
// clients of it and a description of its fields; the page itself could not be read. Errors are distinguished by their
// status and words.

import { secret, text } from "../kit/credentials.ts";
import { accepted } from "../kit/outcome.ts";
import { defineProvider } from "../kit/provider.ts";
import { dateOf, type ReceiptStatus, receipt } from "../kit/receipts.ts";
import { byStatus, textAt } from "../kit/reply.ts";
import { post } from "../kit/request.ts";
import { type ErrorPatterns, failureByPattern, fitsGsm, toDigits } from "../kit/sms.ts";

const words: ErrorPatterns = [
  [/credit|balance/i, "quota"],
  [/recipient|blacklist/i, "recipient"],
  [/\bfrom\b|sender/i, "config"],
];

const statuses: Record<string, ReceiptStatus> = {
  SCHEDULED: "queued",
  ENROUTE: "sent",
  DELIVERED: "delivered",
  UNDELIVERED: "undelivered",
  UNDELIVERABLE: "undelivered",
};

export default defineProvider({
  id: "smsmode",
  channel: "sms",
  name: "smsmode",
  docs: "https://dev.smsmode.com/sms/v1/#tag/Message/operation/send-message",
  help: "Create an API key under Settings, API keys, in your smsmode account.",
  credentials: { apiKey: secret("API Key"), from: text("From") },
  request: (message, { apiKey }) =>
    post("https://rest.smsmode.com/sms/v1/messages", {
      headers: { "x-api-key": apiKey },
      json: {
        recipient: { to: toDigits(message.to) },
        body: { text: message.text, encoding: fitsGsm(message.text) ? "GSM7" : "UNICODE" },
        from: message.from,
        refClient: message.id,
      },
    }),
  read: (reply) => {
    if (reply.status < 300) return accepted(textAt(reply.json, "messageId"));
    const said = textAt(reply.json, "message");
    return said ? failureByPattern({ ...reply, text: said }, words) : byStatus(reply);
  },
  receipts: {
    read: ({ body }) => {
      const externalId = textAt(body, "messageId");
      const status = statuses[textAt(body, "status", "value") ?? ""];
      if (!externalId || !status || textAt(body, "direction") === "MO") return [];
      const date = dateOf(textAt(body, "status", "deliveryDate"));
      return [receipt(status, { externalId, messageId: textAt(body, "refClient"), date, row: body })];
    },
  },
});
