// Eazy, today Spotler Message. Credentials: the API key of your account and the channel, a JID such as
// 31633333333@sms.eazy.im. A message cannot name a sender: the channel is the sender. API: https://api.eazy.im/v3.
// Documentation seen: that page (addresses, login, errors); public clients disagree about the member that holds the
// text, `body` for WhatsApp and `text` for SMS, and this is the SMS one.

import { secret, text } from "../kit/credentials.ts";
import { defineProvider } from "../kit/provider.ts";
import { byStatus, type ErrorClasses, textAt } from "../kit/reply.ts";
import { post } from "../kit/request.ts";
import { toDigits } from "../kit/sms.ts";

// The sign of a JID is legal in a path.
const jid = (name: string): string =>
  encodeURIComponent(name.includes("@") ? name : `${name}@sms.eazy.im`).replace("%40", "@");

const classes: ErrorClasses = { 1001: "auth", 1002: "auth", 1003: "retry", 1004: "retry", jid: "recipient" };

export default defineProvider({
  id: "eazy-sms",
  channel: "sms",
  name: "Eazy",
  docs: "https://developers.eazy.im/#678805af-be7b-4487-93a4-c1007b7920f5",
  help: "API key and the id of the SMS channel are in the settings of your Eazy account.",
  credentials: { apiKey: secret("API Key"), channelId: text("SMS Channel Id") },
  request: (message, { apiKey, channelId }) =>
    post(`https://api.eazy.im/v3/channels/${jid(channelId.trim())}/messages/${jid(toDigits(message.to))}`, {
      bearer: apiKey,
      json: { message: { type: "text", text: message.text } },
    }),
  read: (reply) => {
    const said = textAt(reply.json, "error", "message");
    const code = /\bjid\b/i.test(said ?? "") ? "jid" : textAt(reply.json, "error", "code");
    return byStatus(reply, textAt(reply.json, "id"), { code, classes });
  },
});
