// Clickatell, One API. Credentials: portal.clickatell.com, the API key of an integration with the SMS channel. The
// sender is the number of the integration; a message may name another one that belongs to it.
// API: https://docs.clickatell.com/channels/one-api/one-api-reference/
// Codes: https://docs.clickatell.com/channels/one-api/one-api-errors-table/

import { secret } from "../kit/credentials.ts";
import { defineProvider } from "../kit/provider.ts";
import { dateOf, type Receipt, type ReceiptStatus, receipt } from "../kit/receipts.ts";
import { byStatus, type ErrorClasses, failureByCode, listAt, textAt } from "../kit/reply.ts";
import { post } from "../kit/request.ts";
import { toDigits } from "../kit/sms.ts";

const classes: ErrorClasses = {
  2: "config",
  3: "config",
  20: "quota",
  25: "recipient",
  26: "recipient",
  27: "recipient",
  28: "config",
  38: "config",
  39: "config",
  43: "retry",
  44: "config",
  45: "config",
  46: "config",
  101: "config",
  110: "config",
  111: "config",
};

const statuses: Record<string, ReceiptStatus> = {
  QUEUED: "queued",
  SCHEDULED: "queued",
  SENT_TO_SUPPLIER: "sent",
  DEVICE_ACK: "delivered",
  READ: "delivered",
  EXPIRED: "undelivered",
  DELIVERY_FAILURE: "undelivered",
  RECIPIENT_DOES_NOT_EXIST: "undelivered",
  ROUTING_ERROR: "undelivered",
  STOPPED_BY_USER: "failed",
  STOPPED_BY_ADMIN: "failed",
  INSUFFICIENT_ACCOUNT_BALANCE: "failed",
  VOLUME_LIMIT: "failed",
  VOLUME_LIMIT_DAILY: "failed",
  VOLUME_LIMIT_MONTHLY: "failed",
};

export default defineProvider({
  id: "clickatell",
  channel: "sms",
  name: "Clickatell",
  docs: "https://docs.clickatell.com/channels/one-api/one-api-reference/",
  help: "Create an integration with the SMS channel in the Clickatell portal and copy its API key.",
  credentials: { apiKey: secret("API Key") },
  request: (message, { apiKey }) => {
    const { id: clientMessageId, to, from, text: content } = message;
    return post("https://platform.clickatell.com/v1/message", {
      headers: { authorization: apiKey },
      json: { messages: [{ channel: "sms", to: toDigits(to), from, content, clientMessageId }] },
    });
  },
  extraAt: ["messages", 0],
  read: (reply) => {
    // An error of the one message comes with it, an error of the request on top; 207 may be the status of the former.
    const code = textAt(reply.json, "messages", 0, "error", "code") ?? textAt(reply.json, "error", "code");
    return code === undefined
      ? byStatus(reply, textAt(reply.json, "messages", 0, "apiMessageId"))
      : failureByCode(reply, code, classes);
  },
  receipts: {
    read: ({ body }) =>
      listAt(body, "event", "messageStatusUpdate").flatMap((event): Receipt[] => {
        const said = textAt(event, "status");
        const status = statuses[said ?? ""];
        const externalId = textAt(event, "messageId");
        if (!status || !externalId) return [];
        const messageId = textAt(event, "clientMessageId");
        return [
          receipt(status, {
            externalId,
            messageId,
            date: dateOf(textAt(event, "timestamp")),
            response: said,
            row: event,
          }),
        ];
      }),
  },
});
