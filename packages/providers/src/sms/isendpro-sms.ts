// iSendPro (France). Credentials: isendpro.com, Mon compte, Mon API: the key (keyid); the address that calls has to be
// on the list there, or the control switched off. Without a sender the text goes out under a short number. The response
// has no id of the message, and reports of delivery come by GET, with our id as `tracker`. API:
// https://www.isendpro.com/docs/. Documentation seen: that page without its table of codes, so that most errors are
// distinguished by their words, and without the other fields of reports, so that none are read.

import { secret, text } from "../kit/credentials.ts";
import { accepted } from "../kit/outcome.ts";
import { defineProvider } from "../kit/provider.ts";
import { byStatus, describeReply, type ErrorClasses, failureByCode, textAt, unreadable } from "../kit/reply.ts";
import { get, post } from "../kit/request.ts";
import { type ErrorPatterns, failureByPattern, fitsGsm, toDigits } from "../kit/sms.ts";

const api = "https://apirest.isendpro.com/cgi-bin";

// On the black list; not assigned to a subscriber.
const classes: ErrorClasses = { 11: "recipient", 21: "recipient" };

const words: ErrorPatterns = [
  [/cr[ée]dit/i, "quota"],
  [/keyid|cl[ée] api|\bip\b/i, "auth"],
  [/[ée]metteur/i, "config"],
  [/num[ée]ro|t[ée]l[ée]phone|liste noire/i, "recipient"],
];

// A list of one, the one itself, or nothing around it: all three are shown.
const stateOf = (json: unknown, member: string): string | undefined =>
  textAt(json, "etat", "etat", 0, member) ?? textAt(json, "etat", "etat", member) ?? textAt(json, "etat", member);

export default defineProvider({
  id: "isendpro-sms",
  channel: "sms",
  name: "iSendPro",
  docs: "https://www.isendpro.com/sms-api.php",
  help: "The API key is under Mon compte, Mon API; allow the address of this server there as well.",
  credentials: { apiKey: secret("API Key"), from: text("Sender", { optional: true }) },
  limits: { text: 918 },
  request: (message, { apiKey }) =>
    post(`${api}/sms`, {
      json: {
        keyid: apiKey,
        num: toDigits(message.to),
        sms: message.text,
        emetteur: message.from,
        // As many parts as the text needs.
        smslong: "999",
        ucs2: fitsGsm(message.text) ? undefined : "1",
        // Letters and digits only.
        tracker: message.id.replaceAll("-", ""),
      },
    }),
  read: (reply) => {
    const code = stateOf(reply.json, "code");
    if (code === undefined) return reply.status < 300 ? unreadable(reply) : byStatus(reply);
    if (code === "0" && reply.status < 300) return accepted();
    if (Object.hasOwn(classes, code)) return failureByCode(reply, code, classes);
    return failureByPattern({ ...reply, text: `${code} ${stateOf(reply.json, "message") ?? ""}` }, words);
  },
  check: async ({ apiKey }, io) => {
    const reply = await io.http(get(`${api}/credit`, { query: { keyid: apiKey, credit: 1 } }));
    const works = reply.status < 300 && textAt(reply.json, "etat", "credit") !== undefined;
    return works ? { ok: true } : { ok: false, reason: describeReply(reply) };
  },
});
