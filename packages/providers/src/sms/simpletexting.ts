// SimpleTexting. Credentials: app2.simpletexting.com, Settings, API; access is granted on request. API:
// https://api-doc.simpletexting.com/ (version 2). Documentation seen: its description as OpenAPI; errors are
// distinguished by their status and words, and the body of its delivery webhooks is not part of it.

import { secret, text } from "../kit/credentials.ts";
import { accepted } from "../kit/outcome.ts";
import { defineProvider } from "../kit/provider.ts";
import { checkByStatus, textAt } from "../kit/reply.ts";
import { get, post } from "../kit/request.ts";
import { type ErrorPatterns, failureByPattern } from "../kit/sms.ts";

const api = "https://api-app2.simpletexting.com/v2/api";

const words: ErrorPatterns = [
  [/credit|balance/i, "quota"],
  [/account ?phone/i, "config"],
  [/contact ?phone|phone number|unsubscribed|opted out/i, "recipient"],
];

export default defineProvider({
  id: "simpletexting",
  channel: "sms",
  name: "SimpleTexting",
  docs: "https://api-doc.simpletexting.com/",
  help: "Copy the API token from the settings of your SimpleTexting account; the sender is one of its numbers.",
  credentials: { apiKey: secret("API Key"), from: text("From") },
  request: (message, { apiKey }) =>
    post(`${api}/messages`, {
      bearer: apiKey,
      json: { contactPhone: message.to, accountPhone: message.from, mode: "AUTO", text: message.text },
    }),
  read: (reply) => (reply.status < 300 ? accepted(textAt(reply.json, "id")) : failureByPattern(reply, words)),
  check: async ({ apiKey }, io) => checkByStatus(await io.http(get(`${api}/tenant`, { bearer: apiKey }))),
});
