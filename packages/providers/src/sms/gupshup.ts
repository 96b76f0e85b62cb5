// Gupshup, Enterprise SMS. Credentials: the user id (a number) and password of enterprise.smsgupshup.com. The sender is
// the mask of the account; a message may name another approved one. Texts to India need the DLT ids of their template,
// as overrides: principalEntityId, dltTemplateId. Reports come by GET, one each, or as lists by POST when support was
// asked. API: https://docs.gupshup.io/docs/send-message-to-single-number; codes:
// https://docs.gupshup.io/docs/error-codes; reports: https://docs.gupshup.io/docs/real-time-delivery-reports

import { secret, text } from "../kit/credentials.ts";
import { accepted } from "../kit/outcome.ts";
import { defineProvider } from "../kit/provider.ts";
import { dateOf, type Receipt, type ReceiptStatus, receipt } from "../kit/receipts.ts";
import { byStatus, type ErrorClasses, eventsOf, failureByCode, textAt, unreadable } from "../kit/reply.ts";
import { post } from "../kit/request.ts";
import { fitsGsm, toDigits } from "../kit/sms.ts";

const classes: ErrorClasses = {
  100: "retry",
  102: "auth",
  103: "auth",
  104: "auth",
  105: "recipient",
  106: "config",
  107: "config",
  108: "config",
  175: "config",
};

// The words of lists, and the two of a report by GET.
const statuses: Record<string, ReceiptStatus> = {
  SENT: "sent",
  DELIVERED: "delivered",
  FAILED: "undelivered",
  SUCCESS: "delivered",
  FAILURE: "undelivered",
};

export default defineProvider({
  id: "gupshup",
  channel: "sms",
  name: "Gupshup",
  docs: "https://docs.gupshup.io/docs/send-single-message",
  help: "User id and password are those of your Gupshup Enterprise SMS account.",
  credentials: { user: text("User id"), password: secret("Password") },
  request: (message, { user, password }) =>
    post("https://enterprise.smsgupshup.com/GatewayAPI/rest", {
      form: {
        method: "sendMessage",
        send_to: toDigits(message.to),
        msg: message.text,
        msg_type: fitsGsm(message.text) ? "TEXT" : "Unicode_Text",
        userid: user,
        auth_scheme: "plain",
        password,
        v: "1.1",
        format: "text",
        mask: message.from,
      },
    }),
  overrideNames: { members: ["msg_type", "override_dnd", "principalEntityId", "dltTemplateId", "timestamp", "port"] },
  read: (reply) => {
    if (reply.status >= 300) return byStatus(reply);
    // "success | number | id", or "error | code | description".
    const [said, second, third] = reply.text.split("|").map((part) => part.trim());
    if (said?.toLowerCase() === "success" && third) return accepted(third);
    return said?.toLowerCase() === "error" ? failureByCode(reply, second, classes) : unreadable(reply);
  },
  receipts: {
    read: ({ body }) =>
      eventsOf(body).flatMap((event): Receipt[] => {
        const externalId = textAt(event, "externalId");
        const word = textAt(event, "eventType") ?? textAt(event, "status");
        const status = statuses[word?.toUpperCase() ?? ""];
        if (!externalId || !status) return [];
        const date = dateOf(textAt(event, "eventTs") ?? textAt(event, "deliveredTS"));
        return [receipt(status, { externalId, date, response: textAt(event, "cause"), row: event })];
      }),
  },
});
