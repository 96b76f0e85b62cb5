// Mobishastra (mShastra). Credentials: profile id and password of your account; the base URL is the address of its JSON
// API, https://mshastra.com/sendsms_api_json.aspx or that of a reseller. API: https://telkosh.com/mobishastra/.
// Documentation seen: public clients of the JSON API, the page itself could not be read; they agree on fields and
// response, and that errors are words in `str_response`.

import { destination, secret, text } from "../kit/credentials.ts";
import { accepted } from "../kit/outcome.ts";
import { defineProvider } from "../kit/provider.ts";
import { byStatus, textAt, unreadable } from "../kit/reply.ts";
import { baseUrl, post } from "../kit/request.ts";
import { type ErrorPatterns, failureByPattern, fitsGsm, toDigits } from "../kit/sms.ts";

const words: ErrorPatterns = [
  [/password|profile|user|login|\bip\b/i, "auth"],
  [/credit|balance/i, "quota"],
  [/sender|country|route/i, "config"],
  [/mobile|number/i, "recipient"],
];

function address(given: string): string {
  const base = baseUrl(given);
  return new URL(base).pathname === "/" ? `${base}/sendsms_api_json.aspx` : base;
}

export default defineProvider({
  id: "mobishastra",
  channel: "sms",
  name: "Mobishastra",
  docs: "https://telkosh.com/mobishastra/",
  help: "Profile id and password are those of your Mobishastra account; the base URL is https://mshastra.com/sendsms_api_json.aspx.",
  credentials: {
    baseUrl: destination(text("Base URL")),
    user: text("Username"),
    password: secret("Password"),
    from: text("From"),
  },
  request: (message, { baseUrl: base, user, password }) =>
    post(address(base), {
      json: {
        user,
        pwd: password,
        number: toDigits(message.to),
        msg: message.text,
        sender: message.from,
        language: fitsGsm(message.text) ? "English" : "Unicode",
      },
    }),
  // The API expects a list. It is built from the single message after the overrides have been merged into it.
  sign: (request) => ({ ...request, body: `[${request.body}]` }),
  read: (reply) => {
    if (reply.status >= 300) return byStatus(reply);
    const said = textAt(reply.json, 0, "str_response");
    if (said === undefined) return unreadable(reply);
    const id = textAt(reply.json, 0, "msg_id");
    return /success|message sent/i.test(said) && id ? accepted(id) : failureByPattern({ ...reply, text: said }, words);
  },
});
