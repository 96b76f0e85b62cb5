// SMS Central (Australia). Credentials: the login of my.smscentral.com.au. `from` is a number, a sender name, or one of
// the words shared and dedicated. Delivery receipts come by GET to the URL of a rule (Rules & Triggers), with the
// password that was set there, which has to be the signing key, among their fields. API:
// https://www.smscentral.com.au/sms-api/rest-api/send-sms/, receipts:
// https://www.smscentral.com.au/sms-api/rest-api/receive-dlrs/overview/. Documentation seen: the parameters and the response 0; the table of error codes could not be found, so errors are distinguished by their words.

import type { JsonObject } from "@tidings/contract";
import { destination, secret, text } from "../kit/credentials.ts";
import { accepted } from "../kit/outcome.ts";
import { defineProvider } from "../kit/provider.ts";
import { type ReceiptStatus, receipt, sameText, verifyDefault } from "../kit/receipts.ts";
import { byStatus, textAt, unreadable } from "../kit/reply.ts";
import { baseUrl, post } from "../kit/request.ts";
import { type ErrorPatterns, failureByPattern, toDigits } from "../kit/sms.ts";

const words: ErrorPatterns = [
  [/username|password|authenti/i, "auth"],
  [/credit|balance/i, "quota"],
  [/originator/i, "config"],
  [/recipient/i, "recipient"],
];

// As it spells them, and as they should be spelled.
const statuses: Record<string, ReceiptStatus> = {
  DELIVERD: "delivered",
  DELIVERED: "delivered",
  BUFFRED: "queued",
  BUFFERED: "queued",
  FAILED: "undelivered",
};

export default defineProvider({
  id: "sms-central",
  channel: "sms",
  name: "SMS Central",
  docs: "https://www.smscentral.com.au/sms-api/",
  help: "User name and password are those you log in to SMS Central with.",
  credentials: {
    user: text("Username"),
    password: secret("Password"),
    baseUrl: destination(text("Base URL", { optional: true })),
    from: text("From"),
  },
  request: (message, { user, password, baseUrl: base }) =>
    post(baseUrl(base, "https://my.smscentral.com.au/api/v3.2"), {
      form: {
        USERNAME: user,
        PASSWORD: password,
        ACTION: "send",
        ORIGINATOR: message.from,
        RECIPIENT: toDigits(message.to),
        REFERENCE: message.id,
        MESSAGE_TEXT: message.text,
      },
    }),
  read: (reply) => {
    if (reply.status >= 300) return byStatus(reply);
    // The status is always 200, and the text a number: 0, or an error with its description.
    const code = /^\s*(\d+)\b/.exec(reply.text)?.[1];
    if (code === undefined) return unreadable(reply);
    return Number(code) === 0 ? accepted() : failureByPattern(reply, words);
  },
  receipts: {
    verify: (request, key, now) => {
      const password = textAt(request.body, "PASSWORD");
      return password === undefined ? verifyDefault(request, key, now) : sameText(password, key);
    },
    // The id of a receipt is theirs alone: the response to a message has none.
    read: ({ body }) => {
      const messageId = textAt(body, "REFERENCE");
      const status = statuses[textAt(body, "STATUS")?.toUpperCase() ?? ""];
      if (!messageId || !status) return [];
      const { PASSWORD: _, ...row } = body as JsonObject;
      return [receipt(status, { messageId, response: textAt(body, "STATUSDESCRIPTION") || undefined, row })];
    },
  },
});
