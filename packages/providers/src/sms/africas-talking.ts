// Africa's Talking. Credentials: account.africastalking.com, Settings, API Key; the user "sandbox" selects the sandbox.
// API: https://developers.africastalking.com/docs/sms/overview; reports:
// http://docs.africastalking.com/sms/deliveryreports. Documentation seen: the vendor has a newer JSON call
// (/messaging/bulk) in addition to the form its own client libraries send; this is the form.

import { secret, text } from "../kit/credentials.ts";
import { accepted } from "../kit/outcome.ts";
import { defineProvider } from "../kit/provider.ts";
import { type ReceiptStatus, receipt } from "../kit/receipts.ts";
import { byStatus, checkByStatus, type ErrorClasses, failureByCode, textAt, unreadable } from "../kit/reply.ts";
import { get, post } from "../kit/request.ts";

const api = (user: string): string => `https://api.${user === "sandbox" ? "sandbox." : ""}africastalking.com/version1`;

// Processed, sent, queued.
const taken = ["100", "101", "102"];

const classes: ErrorClasses = {
  InvalidSenderId: "config",
  401: "config",
  402: "config",
  403: "recipient",
  404: "recipient",
  405: "quota",
  406: "recipient",
  407: "recipient",
  409: "recipient",
  500: "retry",
  501: "retry",
};

const statuses: Record<string, ReceiptStatus> = {
  Sent: "sent",
  Submitted: "sent",
  Buffered: "queued",
  Rejected: "rejected",
  Success: "delivered",
  Failed: "undelivered",
  AbsentSubscriber: "undelivered",
  Expired: "undelivered",
};

export default defineProvider({
  id: "africas-talking",
  channel: "sms",
  name: "Africa's Talking",
  docs: "https://developers.africastalking.com/docs/sms/overview",
  help: "Generate an API key under Settings; the username is that of the app, the sender an approved short code or name.",
  credentials: { apiKey: secret("API Key"), user: text("Username"), from: text("From") },
  request: (message, { apiKey, user }) =>
    post(`${api(user)}/messaging`, {
      headers: { apikey: apiKey },
      form: { username: user, to: message.to, message: message.text, from: message.from },
    }),
  read: (reply) => {
    if (reply.status >= 300) return byStatus(reply);
    const code = textAt(reply.json, "SMSMessageData", "Recipients", 0, "statusCode");
    if (code && taken.includes(code))
      return accepted(textAt(reply.json, "SMSMessageData", "Recipients", 0, "messageId"));
    // An error of the sender leaves the list empty, and the message names it.
    const said = code ?? textAt(reply.json, "SMSMessageData", "Message");
    return said === undefined ? unreadable(reply) : failureByCode(reply, said, classes);
  },
  check: async ({ apiKey, user }, io) =>
    checkByStatus(await io.http(get(`${api(user)}/user`, { headers: { apikey: apiKey }, query: { username: user } }))),
  receipts: {
    read: ({ body }) => {
      const externalId = textAt(body, "id");
      const status = statuses[textAt(body, "status") ?? ""];
      if (!externalId || !status) return [];
      return [receipt(status, { externalId, response: textAt(body, "failureReason") || undefined, row: body })];
    },
  },
});
