// Maqsam. Credentials: portal.maqsam.com, Access Key ID and Access Secret of the developer settings.
// API: https://portal.maqsam.com/docs/v2/sms. Documentation seen: public clients only, the page itself could not be
// read; they agree on address, login and fields, and that the response names the message by message.identifier.

import { secret, text } from "../kit/credentials.ts";
import { defineProvider } from "../kit/provider.ts";
import { byStatus, textAt } from "../kit/reply.ts";
import { post } from "../kit/request.ts";

export default defineProvider({
  id: "maqsam",
  channel: "sms",
  name: "Maqsam",
  docs: "https://portal.maqsam.com/docs/v2/sms",
  help: "Access Key ID and Access Secret are in the developer settings of the Maqsam portal.",
  credentials: { apiKey: secret("Access Key ID"), secretKey: secret("Access Secret"), from: text("From") },
  request: (message, { apiKey, secretKey }) =>
    post("https://api.maqsam.com/v2/sms", {
      basic: [apiKey, secretKey],
      json: { to: message.to, message: message.text, sender: message.from },
    }),
  read: (reply) => byStatus(reply, textAt(reply.json, "message", "identifier")),
});
