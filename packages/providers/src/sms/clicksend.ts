// ClickSend. Credentials: dashboard.clicksend.com, Developers, API Credentials.
// API: https://developers.clicksend.com/docs/rest/v3/, "Send SMS", "Application Status Codes", "SMS Delivery Receipts"

import { secret, text } from "../kit/credentials.ts";
import { accepted } from "../kit/outcome.ts";
import { defineProvider } from "../kit/provider.ts";
import { dateOf, type ReceiptStatus, receipt } from "../kit/receipts.ts";
import { byStatus, checkByStatus, type ErrorClasses, failureByCode, textAt, unreadable } from "../kit/reply.ts";
import { get, post } from "../kit/request.ts";

const api = "https://rest.clicksend.com/v3";

const classes: ErrorClasses = {
  MISSING_CREDENTIALS: "auth",
  INVALID_CREDENTIALS: "auth",
  ACCOUNT_NOT_ACTIVATED: "config",
  COUNTRY_NOT_ENABLED: "config",
  INVALID_SENDER_ID: "config",
  INVALID_RECIPIENT: "recipient",
  INSUFFICIENT_CREDIT: "quota",
  THROTTLED: "retry",
  INTERNAL_SERVER_ERROR: "retry",
};

const statuses: Record<string, ReceiptStatus> = {
  200: "sent",
  201: "delivered",
  300: "sending",
  301: "undelivered",
  302: "failed",
};

export default defineProvider({
  id: "clicksend",
  channel: "sms",
  name: "ClickSend",
  docs: "https://developers.clicksend.com/docs/rest/v3/?javascript--nodejs#send-sms",
  help: "Username and API key are on the API Credentials page of the ClickSend dashboard.",
  credentials: { user: text("Username"), apiKey: secret("API Key"), from: text("From") },
  request: (message, { user, apiKey }) => {
    const item = {
      source: "tidings",
      from: message.from,
      to: message.to,
      body: message.text,
      custom_string: message.id,
    };
    return post(`${api}/sms/send`, { basic: [user, apiKey], json: { messages: [item] } });
  },
  overrideNames: { members: ["source", "schedule", "custom_string", "list_id", "country", "from_email"] },
  extraAt: ["messages", 0],
  read: (reply) => {
    const status = textAt(reply.json, "data", "messages", 0, "status");
    if (reply.status >= 300) {
      return byStatus(reply, undefined, { code: status ?? textAt(reply.json, "response_code"), classes });
    }
    // The request may be fine and its one message not.
    if (status === undefined) return unreadable(reply);
    return status === "SUCCESS"
      ? accepted(textAt(reply.json, "data", "messages", 0, "message_id"))
      : failureByCode(reply, status, classes);
  },
  check: async ({ user, apiKey }, io) => checkByStatus(await io.http(get(`${api}/account`, { basic: [user, apiKey] }))),
  receipts: {
    read: ({ body }) => {
      const externalId = textAt(body, "message_id");
      const status = statuses[textAt(body, "status_code") ?? ""];
      if (!externalId || !status) return [];
      const response = textAt(body, "error_text") || textAt(body, "status_text") || undefined;
      const date = dateOf(textAt(body, "timestamp"));
      return [receipt(status, { externalId, messageId: textAt(body, "custom_string"), date, response, row: body })];
    },
  },
});
