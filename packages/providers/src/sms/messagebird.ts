// MessageBird, today Bird: the SMS API with access keys. Credentials: dashboard.messagebird.com, Developers, API
// access. Its status reports come by GET to the URL of the API settings, for messages with a reference, and are signed
// with the signing key of the account: see messagebird-receipts.ts. API:
// https://developers.messagebird.com/api/sms-messaging/, codes: https://developers.messagebird.com/api/#api-errors

import { secret, text } from "../kit/credentials.ts";
import { defineProvider } from "../kit/provider.ts";
import { dateOf, type ReceiptStatus, receipt } from "../kit/receipts.ts";
import { byStatus, checkByStatus, type ErrorClasses, textAt } from "../kit/reply.ts";
import { get, post } from "../kit/request.ts";
import { toDigits } from "../kit/sms.ts";
import { verifyMessagebird } from "./messagebird-receipts.ts";

const api = "https://rest.messagebird.com";

const classes: ErrorClasses = {
  2: "auth",
  25: "quota",
  98: "config",
  99: "retry",
  originator: "config",
  recipient: "recipient",
  recipients: "recipient",
};

const statuses: Record<string, ReceiptStatus> = {
  scheduled: "queued",
  buffered: "queued",
  sent: "sent",
  delivered: "delivered",
  expired: "undelivered",
  delivery_failed: "undelivered",
};

export default defineProvider({
  id: "messagebird",
  channel: "sms",
  name: "MessageBird",
  docs: "https://developers.messagebird.com/api/sms-messaging/",
  help: "Create a live access key under Developers, API access.",
  credentials: { accessKey: secret("Access key"), from: text("From") },
  limits: { text: 1377 },
  request: (message, { accessKey }) =>
    post(`${api}/messages`, {
      headers: { authorization: `AccessKey ${accessKey}` },
      json: {
        originator: message.from,
        recipients: [toDigits(message.to)],
        body: message.text,
        datacoding: "auto",
        reference: message.id,
      },
    }),
  read: (reply) => {
    // An invalid or missing parameter (9, 10) says more by its name.
    const parameter = textAt(reply.json, "errors", 0, "parameter");
    const code = parameter && Object.hasOwn(classes, parameter) ? parameter : textAt(reply.json, "errors", 0, "code");
    return byStatus(reply, textAt(reply.json, "id"), { code, classes });
  },
  check: async ({ accessKey }, io) =>
    checkByStatus(await io.http(get(`${api}/balance`, { headers: { authorization: `AccessKey ${accessKey}` } }))),
  receipts: {
    verify: verifyMessagebird,
    read: ({ body }) => {
      const externalId = textAt(body, "id");
      const status = statuses[textAt(body, "status") ?? ""];
      if (!externalId || !status) return [];
      const code = textAt(body, "statusErrorCode");
      const response = textAt(body, "statusReason") || (code && `Error ${code}`) || undefined;
      const date = dateOf(textAt(body, "statusDatetime"));
      return [receipt(status, { externalId, messageId: textAt(body, "reference"), date, response, row: body })];
    },
  },
});
