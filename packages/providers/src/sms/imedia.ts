// iMedia (Vietnam), Mobile Branding. Credentials: the API token comes from your contact at iMedia; the sender is a
// registered brand name. The request id keeps a repeat within an hour from being sent twice. API:
// https://www.scribd.com/document/604805861/API-MobileBranding-v1-0-Imedia-2. Documentation seen: the contents of that
// manual, the page of a sister platform with the same fields (https://platform.epacific.net/docs/send-sms.html), and
// one public client; none lists the error codes, so that errors are distinguished by their words.

import { secret, text } from "../kit/credentials.ts";
import { accepted } from "../kit/outcome.ts";
import { defineProvider } from "../kit/provider.ts";
import { byStatus, textAt, unreadable } from "../kit/reply.ts";
import { post } from "../kit/request.ts";
import { type ErrorPatterns, failureByPattern, fitsGsm, toDigits } from "../kit/sms.ts";

const words: ErrorPatterns = [
  [/token|authen|unauthori[sz]ed/i, "auth"],
  [/balance|credit|quota|money/i, "quota"],
  [/brand|sender|template/i, "config"],
  [/phone|number|telco|receiver/i, "recipient"],
];

export default defineProvider({
  id: "imedia",
  channel: "sms",
  name: "iMedia",
  docs: "https://www.scribd.com/document/604805861/API-MobileBranding-v1-0-Imedia-2",
  help: "Ask your contact at iMedia for an API token and for the brand name that may send.",
  credentials: { token: secret("API Token"), from: text("From") },
  request: (message, { token }) =>
    post("https://api.mobilebranding.vn/api/SMSBrandname/SendSMS", {
      headers: { token },
      json: {
        to: toDigits(message.to),
        from: message.from,
        message: message.text,
        scheduled: "",
        requestId: message.id,
        useUnicode: fitsGsm(message.text) ? 0 : 1,
        // 1 is customer care, as opposed to advertising.
        type: 1,
      },
    }),
  read: (reply) => {
    const code = textAt(reply.json, "errorCode");
    if (code === undefined) return reply.status < 300 ? unreadable(reply) : byStatus(reply);
    if (code === "000" && reply.status < 300) return accepted(textAt(reply.json, "referentId"));
    return failureByPattern({ ...reply, text: `${code} ${textAt(reply.json, "errorMessage") ?? ""}` }, words);
  },
});
