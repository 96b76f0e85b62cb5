// BulkSMS. Credentials: bulksms.com, Settings, Developer Settings, API Tokens: the "Basic auth" form of a token, or its
// id and secret joined by a colon. Its deduplication id is a number of 32 bits, too small to identify a message for
// sure: two messages that shared one would lose the second, so it is not used.
// API: https://www.bulksms.com/developer/json/v1/

import { secret, text } from "../kit/credentials.ts";
import { defineProvider } from "../kit/provider.ts";
import { type Receipt, type ReceiptStatus, receipt } from "../kit/receipts.ts";
import { byStatus, checkByStatus, eventsOf, textAt } from "../kit/reply.ts";
import { base64, get, post } from "../kit/request.ts";

const api = "https://api.bulksms.com/v1";

const authorization = (token: string): { authorization: string } => ({
  authorization: `Basic ${token.includes(":") ? base64(token) : token}`,
});

const statuses: Record<string, ReceiptStatus> = {
  ACCEPTED: "accepted",
  SCHEDULED: "queued",
  SENT: "sent",
  DELIVERED: "delivered",
  FAILED: "undelivered",
};

export default defineProvider({
  id: "bulk-sms",
  channel: "sms",
  name: "BulkSMS",
  docs: "https://www.bulksms.com/developer/json/v1/",
  help: "Create an API token under Settings, Developer Settings, and copy its Basic auth value.",
  credentials: { apiToken: secret("API Token"), from: text("Sender ID", { optional: true }) },
  request: (message, { apiToken }) =>
    post(`${api}/messages`, {
      headers: authorization(apiToken),
      query: { "auto-unicode": true },
      json: { to: message.to, from: message.from, body: message.text },
    }),
  read: (reply) => {
    // An error is named by the fragment of its type: https://…/errors#insufficient-credits
    const code = textAt(reply.json, "type")?.split("#")[1];
    return byStatus(reply, textAt(reply.json, 0, "id"), { code, classes: { "insufficient-credits": "quota" } });
  },
  check: async ({ apiToken }, io) =>
    checkByStatus(await io.http(get(`${api}/profile`, { headers: authorization(apiToken) }))),
  receipts: {
    read: ({ body }) =>
      eventsOf(body).flatMap((event): Receipt[] => {
        const externalId = textAt(event, "id");
        const status = statuses[textAt(event, "status", "type") ?? ""];
        if (textAt(event, "type") !== "SENT" || !externalId || !status) return [];
        return [receipt(status, { externalId, response: textAt(event, "status", "subtype"), row: event })];
      }),
  },
});
