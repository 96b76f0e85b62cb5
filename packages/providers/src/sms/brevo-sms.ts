// Brevo. Credentials: app.brevo.com, SMTP & API, API keys.
// API: https://developers.brevo.com/reference/sendtransacsms (the newer path /send; /sms is deprecated)
// Reports: https://developers.brevo.com/docs/transactional-webhooks

import { secret, text } from "../kit/credentials.ts";
import { defineProvider } from "../kit/provider.ts";
import { dateOf, type ReceiptStatus, receipt } from "../kit/receipts.ts";
import { byStatus, checkByStatus, type ErrorClasses, type HttpReply, textAt } from "../kit/reply.ts";
import { get, post } from "../kit/request.ts";
import { fitsGsm, toDigits } from "../kit/sms.ts";

const api = "https://api.brevo.com/v3";

const classes: ErrorClasses = {
  not_enough_credits: "quota",
  account_under_validation: "config",
  recipient: "recipient",
  sender: "config",
};

// An invalid parameter is named in words only.
function codeOf({ json }: HttpReply): string | undefined {
  const code = textAt(json, "code");
  if (code !== "invalid_parameter") return code;
  const said = textAt(json, "message") ?? "";
  return /phone|mobile|recipient/i.test(said) ? "recipient" : /sender/i.test(said) ? "sender" : code;
}

const statuses: Record<string, ReceiptStatus> = {
  sent: "sent",
  accepted: "accepted",
  delivered: "delivered",
  soft_bounce: "undelivered",
  hard_bounce: "undelivered",
  rejected: "rejected",
};

export default defineProvider({
  id: "brevo-sms",
  channel: "sms",
  name: "Brevo",
  docs: "https://developers.brevo.com/reference/sendtransacsms",
  help: "Create an API key under SMTP & API, API keys.",
  credentials: { apiKey: secret("API Key"), from: text("From") },
  request: (message, { apiKey }) =>
    post(`${api}/transactionalSMS/send`, {
      headers: { "api-key": apiKey },
      json: {
        sender: message.from,
        recipient: toDigits(message.to),
        content: message.text,
        type: "transactional",
        unicodeEnabled: !fitsGsm(message.text),
      },
    }),
  read: (reply) => byStatus(reply, textAt(reply.json, "messageId"), { code: codeOf(reply), classes }),
  check: async ({ apiKey }, io) =>
    checkByStatus(await io.http(get(`${api}/account`, { headers: { "api-key": apiKey } }))),
  receipts: {
    read: ({ body }) => {
      const externalId = textAt(body, "messageId");
      const status = statuses[textAt(body, "msg_status") ?? ""];
      if (!externalId || !status) return [];
      // `date` has no zone; ts_event is UTC.
      const date = dateOf(textAt(body, "ts_event"));
      return [receipt(status, { externalId, date, response: textAt(body, "description"), row: body })];
    },
  },
});
