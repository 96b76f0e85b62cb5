// Sendchamp. Credentials: my.sendchamp.com, Accounts, API keys & Webhooks: the public access key. Nigerian numbers go
// by the route non_dnd, the vendor's default, and others by international; an override may say route: dnd, which also
// reaches numbers on the do-not-disturb list. API: https://sendchamp.readme.io/reference/send-sms-api. Documentation
// seen: the vendor's Node client and public clients; errors are sentences, and the form of delivery reports is not
// among it.

import { secret, text } from "../kit/credentials.ts";
import { accepted } from "../kit/outcome.ts";
import { defineProvider } from "../kit/provider.ts";
import { byStatus, textAt, unreadable } from "../kit/reply.ts";
import { post } from "../kit/request.ts";
import { type ErrorPatterns, failureByPattern, toDigits } from "../kit/sms.ts";

const words: ErrorPatterns = [
  [/insufficient|balance|fund/i, "quota"],
  [/sender|route/i, "config"],
  [/phone|number|recipient/i, "recipient"],
];

export default defineProvider({
  id: "sendchamp",
  channel: "sms",
  name: "Sendchamp",
  docs: "https://sendchamp.readme.io/reference/send-sms-api",
  help: "Copy the public access key under Accounts, API keys & Webhooks; the sender is an approved sender ID.",
  credentials: { apiKey: secret("API Key"), from: text("From") },
  request: (message, { apiKey }) => {
    const to = toDigits(message.to);
    const route = to.startsWith("234") ? "non_dnd" : "international";
    return post("https://api.sendchamp.com/api/v1/sms/send", {
      bearer: apiKey,
      json: { to: [to], message: message.text, sender_name: message.from, route },
    });
  },
  read: (reply) => {
    const said = textAt(reply.json, "message");
    if (reply.status >= 300) return said ? failureByPattern({ ...reply, text: said }, words) : byStatus(reply);
    const status = textAt(reply.json, "status");
    if (status === "success") return accepted(textAt(reply.json, "data", "id"));
    return status && said ? failureByPattern({ ...reply, text: said }, words) : unreadable(reply);
  },
});
