// 46elks. Credentials: 46elks.com/account, the API username (u…) and API password. `from` is a number of the account or
// a sender name of up to 11 letters and digits; numbers are in E.164 form, with the plus.
// API: https://46elks.com/docs/send-sms; receipts: https://46elks.com/docs/sms-delivery-reports. Documentation seen
// does not list the errors, which are a status and a text.

import { secret, text } from "../kit/credentials.ts";
import { accepted } from "../kit/outcome.ts";
import { defineProvider } from "../kit/provider.ts";
import { dateOf, type ReceiptStatus, receipt } from "../kit/receipts.ts";
import { checkByStatus, textAt } from "../kit/reply.ts";
import { get, post } from "../kit/request.ts";
import { failureByPattern } from "../kit/sms.ts";

const api = "https://api.46elks.com/a1";

const statuses: Record<string, ReceiptStatus> = { sent: "sent", delivered: "delivered", failed: "undelivered" };

export default defineProvider({
  id: "forty-six-elks",
  channel: "sms",
  name: "46elks",
  docs: "https://46elks.com/docs/send-sms",
  help: "API username and API password are on the account page of 46elks.",
  credentials: { user: text("Username"), password: secret("Password"), from: text("From") },
  request: (message, { user, password }) =>
    post(`${api}/sms`, {
      basic: [user, password],
      form: { from: message.from, to: message.to, message: message.text },
    }),
  // An empty account is a 403 that is not about the login.
  overrideNames: { members: ["flashsms", "dryrun", "whendelivered", "dontlog"] },
  read: (reply) =>
    reply.status < 300 ? accepted(textAt(reply.json, "id")) : failureByPattern(reply, [[/credit/i, "quota"]]),
  check: async ({ user, password }, io) => checkByStatus(await io.http(get(`${api}/me`, { basic: [user, password] }))),
  receipts: {
    read: ({ body }) => {
      const externalId = textAt(body, "id");
      const status = statuses[textAt(body, "status") ?? ""];
      if (!externalId || !status) return [];
      // The time is in UTC and does not say so.
      const at = textAt(body, "delivered")?.replace(/Z?$/, "Z");
      return [receipt(status, { externalId, date: dateOf(at), row: body })];
    },
  },
});
