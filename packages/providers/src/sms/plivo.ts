// Plivo. Credentials: console.plivo.com, Auth ID and Auth Token on the first page.
// API: https://www.plivo.com/docs/messaging/api/messages/; errors have a text and no code.

import { secret, text } from "../kit/credentials.ts";
import { accepted } from "../kit/outcome.ts";
import { defineProvider } from "../kit/provider.ts";
import { type ReceiptStatus, receipt } from "../kit/receipts.ts";
import { checkByStatus, textAt } from "../kit/reply.ts";
import { get, post } from "../kit/request.ts";
import { type ErrorPatterns, failureByPattern } from "../kit/sms.ts";

const account = (id: string): string => `https://api.plivo.com/v1/Account/${encodeURIComponent(id)}/`;

const words: ErrorPatterns = [
  [/insufficient|credit|balance/i, "quota"],
  [/\bsrc\b|source|sender/i, "config"],
  [/\bdst\b|destination/i, "recipient"],
];

const statuses: Record<string, ReceiptStatus> = {
  queued: "queued",
  sent: "sent",
  delivered: "delivered",
  read: "delivered",
  undelivered: "undelivered",
  failed: "failed",
  rejected: "rejected",
};

export default defineProvider({
  id: "plivo",
  channel: "sms",
  name: "Plivo",
  docs: "https://www.plivo.com/docs/messaging/api/messages/",
  help: "Auth ID (here: account SID) and Auth Token are on the first page of Plivo's own site, once signed in.",
  credentials: { accountSid: text("Account SID"), token: secret("Auth token"), from: text("From") },
  limits: { text: 1600 },
  request: (message, { accountSid, token }) =>
    post(`${account(accountSid)}Message/`, {
      basic: [accountSid, token],
      json: { src: message.from, dst: message.to, text: message.text },
    }),
  overrideNames: {
    // biome-ignore format: the names are grouped
    members: [
      "type", "url", "method", "log", "trackable", "powerpack_uuid", "media_urls", "media_ids", "message_expiry",
      "dlt_entity_id", "dlt_template_id", "dlt_template_category",
    ],
  },
  read: (reply) =>
    reply.status < 300
      ? accepted(textAt(reply.json, "message_uuid", 0))
      : failureByPattern({ ...reply, text: textAt(reply.json, "error") ?? reply.text }, words),
  check: async ({ accountSid, token }, io) =>
    checkByStatus(await io.http(get(account(accountSid), { basic: [accountSid, token] }))),
  receipts: {
    read: ({ body }) => {
      // Each part of a long text is reported under its own id; the parent is the one we were given.
      const externalId = textAt(body, "ParentMessageUUID") || textAt(body, "MessageUUID");
      const status = statuses[textAt(body, "Status") ?? ""];
      if (!externalId || !status) return [];
      const code = textAt(body, "ErrorCode");
      const response = code && code !== "000" ? `Error ${code}` : undefined;
      return [receipt(status, { externalId, response, row: body })];
    },
  },
});
