// sms77, today seven. Credentials: app.seven.io, Developer, API keys. API:
// https://docs.seven.io/en/rest-api/endpoints/sms. Documentation seen: parameters and responses there, the meaning of
// the codes in the vendor's own client (github.com/seven-io/js-client). Reports come as JSON, as a form or by GET, as
// the webhook was created (https://docs.seven.io/en/rest-api/webhooks); only JSON is shown there, and fields of the
// other two are expected as PHP writes what is nested, data[msg_id].

import { secret, text } from "../kit/credentials.ts";
import { accepted } from "../kit/outcome.ts";
import { defineProvider } from "../kit/provider.ts";
import { type ReceiptStatus, receipt } from "../kit/receipts.ts";
import { byStatus, checkByStatus, type ErrorClasses, failureByCode, textAt, unreadable } from "../kit/reply.ts";
import { get, post } from "../kit/request.ts";

const api = "https://gateway.seven.io/api";

const classes: ErrorClasses = {
  101: "retry",
  201: "config",
  202: "recipient",
  300: "auth",
  301: "recipient",
  306: "config",
  403: "quota",
  500: "quota",
  600: "retry",
  700: "retry",
  900: "auth",
  902: "auth",
  903: "auth",
};

const statuses: Record<string, ReceiptStatus> = {
  DELIVERED: "delivered",
  NOTDELIVERED: "undelivered",
  BUFFERED: "queued",
  TRANSMITTED: "sent",
  ACCEPTED: "accepted",
  EXPIRED: "undelivered",
  REJECTED: "rejected",
  FAILED: "failed",
};

export default defineProvider({
  id: "sms77",
  channel: "sms",
  name: "sms77",
  docs: "https://docs.seven.io/en/rest-api/endpoints/sms",
  help: "Create an API key under Developer, API keys, at app.seven.io.",
  credentials: { apiKey: secret("API Key"), from: text("From") },
  request: (message, { apiKey }) =>
    post(`${api}/sms`, {
      headers: { "x-api-key": apiKey },
      form: { to: message.to, from: message.from, text: message.text, foreign_id: message.id, json: 1 },
    }),
  overrideNames: {
    // biome-ignore format: the names are grouped
    members: [
      "delay", "flash", "foreign_id", "label", "performance_tracking", "ttl", "udh", "is_binary", "return_msg_id",
      "no_reload",
    ],
  },
  read: (reply) => {
    // The code of the one message says more than that of the request; some errors return the bare number.
    const code = textAt(reply.json, "messages", 0, "error") ?? textAt(reply.json, "success") ?? textAt(reply.json);
    if (reply.status >= 300) return byStatus(reply, undefined, { code, classes });
    if (code === undefined) return unreadable(reply);
    return code === "100" ? accepted(textAt(reply.json, "messages", 0, "id")) : failureByCode(reply, code, classes);
  },
  check: async ({ apiKey }, io) => {
    const reply = await io.http(get(`${api}/balance`, { headers: { "x-api-key": apiKey } }));
    return textAt(reply.json) === "900" ? { ok: false, reason: "The API key is not known" } : checkByStatus(reply);
  },
  receipts: {
    read: ({ body }) => {
      const member = (name: string) => textAt(body, "data", name) ?? textAt(body, `data[${name}]`);
      const externalId = member("msg_id");
      const status = statuses[member("status") ?? ""];
      if (textAt(body, "webhook_event") !== "dlr" || !externalId || !status) return [];
      return [receipt(status, { externalId, messageId: member("foreign_id"), row: body })];
    },
  },
});
