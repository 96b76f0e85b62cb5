// Unifonic. Credentials: cloud.unifonic.com, Applications: the AppSid of a REST application. The sender is `senderId`
// unless a message names another.
// API: https://docs.unifonic.com/articles/products-documentation/sending-your-first-sms-via-unifonic-api, statuses:
// https://docs.unifonic.com/reference/http-status-codes, codes:
// https://docs.unifonic.com/articles/products-documentation/understanding-reasons-of-sms-non-delivery/
// Documentation seen: nothing about the body of its delivery webhook.

import { secret, text } from "../kit/credentials.ts";
import { accepted } from "../kit/outcome.ts";
import { defineProvider } from "../kit/provider.ts";
import { byStatus, type ErrorClasses, failureByCode, textAt, unreadable } from "../kit/reply.ts";
import { post } from "../kit/request.ts";
import { toDigits } from "../kit/sms.ts";

// Both the statuses of the response, which go beyond those of HTTP, and the codes in it.
const classes: ErrorClasses = {
  402: "auth",
  410: "recipient",
  440: "config",
  480: "config",
  481: "recipient",
  482: "recipient",
  483: "recipient",
  499: "config",
  "ER-01": "quota",
  "ER-02": "recipient",
  "ER-03": "recipient",
  "ER-04": "recipient",
  "ER-05": "recipient",
  "ER-06": "content",
  "ER-07": "content",
  "ER-08": "config",
  "ER-09": "content",
};

export default defineProvider({
  id: "unifonic",
  channel: "sms",
  name: "Unifonic",
  docs: "https://docs.unifonic.com/articles/#!products-documentation/getting-started-with-unifonic",
  help: "The AppSid is shown with your application in the Unifonic console; the sender ID must be registered there.",
  credentials: { appSid: secret("App SID"), senderId: text("Sender ID"), from: text("From") },
  request: (message, { appSid, senderId, from }) =>
    post("https://el.cloud.unifonic.com/rest/SMS/messages", {
      form: {
        AppSid: appSid,
        SenderID: message.from === from ? senderId : message.from,
        Recipient: toDigits(message.to),
        Body: message.text,
        responseType: "JSON",
        CorrelationID: message.id,
      },
    }),
  overrideNames: { members: ["MessageType", "CorrelationID", "statusCallback", "baseEncode", "async", "Priority"] },
  read: (reply) => {
    if (reply.status >= 300) return byStatus(reply, undefined, { code: String(reply.status), classes });
    const code = textAt(reply.json, "errorCode");
    const id = textAt(reply.json, "data", "MessageID");
    if (code === "ER-00" || (!code && id)) return accepted(id);
    return code ? failureByCode(reply, code, classes) : unreadable(reply);
  },
});
