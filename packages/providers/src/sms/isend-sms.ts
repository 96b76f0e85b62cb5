// iSend (Libya). Credentials: isend.com.ly, Developers, API token. Documentation seen: the vendor's Laravel package and
// public clients, which use the host isend.com.ly (older ones send.com.ly, as the page
// https://send.com.ly/developers/docs); errors come as words without codes, so they are distinguished by their words.

import { choice, secret, text } from "../kit/credentials.ts";
import { accepted } from "../kit/outcome.ts";
import { defineProvider } from "../kit/provider.ts";
import { byStatus, textAt, unreadable } from "../kit/reply.ts";
import { post } from "../kit/request.ts";
import { type ErrorPatterns, failureByPattern, fitsGsm, toDigits } from "../kit/sms.ts";

const words: ErrorPatterns = [
  [/balance|credit|unit/i, "quota"],
  [/sender/i, "config"],
  [/recipient|phone|number/i, "recipient"],
];

export default defineProvider({
  id: "isend-sms",
  channel: "sms",
  name: "iSend SMS",
  docs: "https://send.com.ly/developers/docs",
  help: "Copy the API token from the developers page of your iSend account.",
  credentials: {
    apiToken: secret("API Token"),
    from: text("Default Sender ID", { optional: true }),
    contentType: choice("Content Type", ["unicode", "plain"], { optional: true }),
  },
  request: (message, { apiToken, contentType }) =>
    post("https://isend.com.ly/api/v3/sms/send", {
      bearer: apiToken,
      json: {
        recipient: toDigits(message.to),
        sender_id: message.from,
        type: contentType ?? (fitsGsm(message.text) ? "plain" : "unicode"),
        message: message.text,
      },
    }),
  read: (reply) => {
    if (reply.status >= 300) return byStatus(reply);
    const status = textAt(reply.json, "status");
    if (status === "success") return accepted(textAt(reply.json, "data", "uid"));
    return status === "error" ? failureByPattern(reply, words) : unreadable(reply);
  },
});
