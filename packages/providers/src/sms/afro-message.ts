// AfroMessage (Ethiopia). Credentials: afromessage.com, the API token; `from` is the id of the system identifier (short
// code), the sender name a verified one. API: https://afromessage.com/developers. Documentation seen: public clients of
// it, which agree on address, login, fields and response; errors are a list of sentences. Progress is reported by GET
// to a callback that a message names (an override: callback); in which form is not among what could be read.

import { secret, text } from "../kit/credentials.ts";
import { accepted } from "../kit/outcome.ts";
import { defineProvider } from "../kit/provider.ts";
import { byStatus, textAt, unreadable } from "../kit/reply.ts";
import { post } from "../kit/request.ts";
import { type ErrorPatterns, failureByPattern } from "../kit/sms.ts";

const words: ErrorPatterns = [
  [/token|unauthori[sz]ed|credential/i, "auth"],
  [/balance|credit|insufficient/i, "quota"],
  [/sender|identifier/i, "config"],
  [/phone|number|recipient/i, "recipient"],
];

export default defineProvider({
  id: "afro-message",
  channel: "sms",
  name: "Afro Message",
  docs: "https://afromessage.com/developers",
  help: "Token and identifier id are in the dashboard of your AfroMessage account; the sender name must be verified.",
  credentials: { apiKey: secret("API Key"), senderName: text("Sender Name"), from: text("From") },
  request: (message, { apiKey, senderName }) =>
    post("https://api.afromessage.com/api/send", {
      bearer: apiKey,
      json: { from: message.from, sender: senderName, to: message.to, message: message.text },
    }),
  read: (reply) => {
    const said = textAt(reply.json, "response", "errors", 0);
    if (reply.status >= 300) return said ? failureByPattern({ ...reply, text: said }, words) : byStatus(reply);
    const acknowledge = textAt(reply.json, "acknowledge");
    if (acknowledge === "success") return accepted(textAt(reply.json, "response", "message_id"));
    return acknowledge === "error"
      ? failureByPattern({ ...reply, text: said ?? reply.text }, words)
      : unreadable(reply);
  },
});
