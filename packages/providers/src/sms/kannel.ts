// Kannel, a gateway you run yourself: the sendsms interface of its smsbox (13013 unless configured otherwise).
// Credentials are those of a sendsms-user in kannel.conf. The host may be given with https:// where the smsbox speaks
// TLS. Kannel gives a message no id, and reports delivery by GET to the dlr-url of the message: only its own address
// for each message could say which one is meant, so no reports are read. API:
// https://www.kannel.org/download/kannel-userguide-snapshot/userguide.html, "Using the HTTP interface to send SMS
// messages"

import { destination, number, secret, text } from "../kit/credentials.ts";
import { accepted } from "../kit/outcome.ts";
import { defineProvider } from "../kit/provider.ts";
import { baseUrl, get } from "../kit/request.ts";
import { type ErrorPatterns, failureByPattern, fitsGsm } from "../kit/sms.ts";

// A 403 with other words is a wrong login.
const words: ErrorPatterns = [
  [/not routable|black-lists|receiver/i, "recipient"],
  [/sender missing/i, "config"],
];

export default defineProvider({
  id: "kannel",
  channel: "sms",
  name: "Kannel",
  docs: "https://www.kannel.org/doc.shtml",
  help: "Host and sendsms-port of your smsbox, and a sendsms-user of its configuration.",
  credentials: {
    host: destination(text("Host")),
    port: destination(number("Port")),
    user: text("Username", { optional: true }),
    password: secret("Password", { optional: true }),
    from: text("From"),
  },
  request: (message, { host, port, user, password }) => {
    const address = host.trim().replace(/(?<!\/)\/+$/, "");
    const base = baseUrl(`${/^https?:\/\//i.test(address) ? address : `http://${address}`}:${port}`);
    return get(`${base}/cgi-bin/sendsms`, {
      query: {
        username: user,
        password,
        from: message.from,
        to: message.to,
        text: message.text,
        charset: "UTF-8",
        // 0 is the 7-bit alphabet, 2 is UCS-2.
        coding: fitsGsm(message.text) ? 0 : 2,
      },
    });
  },
  overrideNames: {
    // biome-ignore format: the names are grouped
    members: [
      "charset", "coding", "mclass", "mwi", "validity", "deferred", "dlr-mask", "dlr-url", "alt-dcs", "smsc",
      "priority", "udh", "account", "binfo",
    ],
  },
  read: (reply) => (reply.status < 300 ? accepted() : failureByPattern(reply, words)),
});
