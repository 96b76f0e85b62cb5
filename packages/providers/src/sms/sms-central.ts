// SMS Central (Australia). Credentials: the login of my.smscentral.com.au. `from` is a number, a sender name, or one of
// the words shared and dedicated. Delivery receipts come by GET, so none are read here.
// API: https://www.smscentral.com.au/sms-api/rest-api/send-sms/. Documentation seen: the parameters and the answer 0;
// the table of error codes could not be found, so errors are told apart by their words.

import { secret, text } from "../credentials.ts";
import { accepted, byStatus, unreadable } from "../outcome.ts";
import { defineProvider } from "../provider.ts";
import { baseUrl, post } from "../request.ts";
import { digits, refusedInWords, type Words } from "../sms.ts";

const words: Words = [
  [/username|password|authenti/i, "auth"],
  [/credit|balance/i, "quota"],
  [/originator/i, "config"],
  [/recipient/i, "recipient"],
];

export default defineProvider({
  id: "sms-central",
  channel: "sms",
  name: "SMS Central",
  docs: "https://www.smscentral.com.au/sms-api/",
  help: "User name and password are those you log in to SMS Central with.",
  credentials: {
    user: text("Username"),
    password: secret("Password"),
    baseUrl: text("Base URL", { optional: true }),
    from: text("From"),
  },
  request: (message, { user, password, baseUrl: base }) =>
    post(baseUrl(base, "https://my.smscentral.com.au/api/v3.2"), {
      form: {
        USERNAME: user,
        PASSWORD: password,
        ACTION: "send",
        ORIGINATOR: message.from,
        RECIPIENT: digits(message.to),
        REFERENCE: message.id,
        MESSAGE_TEXT: message.text,
      },
    }),
  read: (reply) => {
    if (reply.status >= 300) return byStatus(reply);
    // The status is always 200, and the text a number: 0, or an error with its description.
    const code = /^\s*(\d+)\b/.exec(reply.text)?.[1];
    if (code === undefined) return unreadable(reply);
    return Number(code) === 0 ? accepted() : refusedInWords(reply, words);
  },
});
