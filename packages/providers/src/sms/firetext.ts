// FireText (UK). Credentials: app.firetext.co.uk, Settings, API. `from` is a number or 3 to 11 letters and digits.
// API: https://www.firetext.co.uk/docs

import { secret, text } from "../kit/credentials.ts";
import { accepted } from "../kit/outcome.ts";
import { defineProvider } from "../kit/provider.ts";
import { type ReceiptStatus, receipt } from "../kit/receipts.ts";
import { byStatus, type ErrorClasses, failureByCode, textAt, unreadable } from "../kit/reply.ts";
import { post } from "../kit/request.ts";
import { toDigits } from "../kit/sms.ts";

const classes: ErrorClasses = {
  1: "auth",
  2: "recipient",
  3: "config",
  4: "config",
  7: "quota",
  8: "config",
  9: "config",
};

const statuses: Record<string, ReceiptStatus> = { 0: "delivered", 1: "undelivered", 2: "queued" };

export default defineProvider({
  id: "firetext",
  channel: "sms",
  name: "Firetext",
  docs: "https://www.firetext.co.uk/docs",
  help: "Create an API key under Settings, API, at app.firetext.co.uk.",
  credentials: { apiKey: secret("API Key"), from: text("From") },
  limits: { text: 612 },
  request: (message, { apiKey }) =>
    post("https://www.firetext.co.uk/api/sendsms/json", {
      form: {
        apiKey,
        message: message.text,
        from: message.from,
        to: toDigits(message.to),
        reference: message.id,
      },
    }),
  read: (reply) => {
    if (reply.status >= 300) return byStatus(reply);
    const code = textAt(reply.json, "code");
    if (code === undefined) return unreadable(reply);
    return code === "0" ? accepted(reply.headers["x-message"]) : failureByCode(reply, code, classes);
  },
  receipts: {
    // Reports name the message by our reference only, and their times have no zone.
    read: ({ body }) => {
      const messageId = textAt(body, "reference");
      const status = statuses[textAt(body, "status") ?? ""];
      const code = textAt(body, "code");
      return messageId && status ? [receipt(status, { messageId, response: code && `Code ${code}`, row: body })] : [];
    },
  },
});
