// Telnyx. Credentials: portal.telnyx.com, an API v2 key under API Keys; the profile is one of Messaging, its id is a
// UUID. Reports are signed with Ed25519; the signing key is the account's public key (Keys & Credentials, Public Key).
// API: https://developers.telnyx.com/api-reference/messages/send-a-message
// Codes: https://developers.telnyx.com/docs/messaging/messages/error-codes
// Proof: https://developers.telnyx.com/docs/messaging/messages/receiving-webhooks

import { createPublicKey, verify } from "node:crypto";
import { secret, text } from "../kit/credentials.ts";
import { defineProvider } from "../kit/provider.ts";
import { dateOf, isRecent, type ReceiptStatus, receipt } from "../kit/receipts.ts";
import { byStatus, checkByStatus, type ErrorClasses, textAt } from "../kit/reply.ts";
import { get, post } from "../kit/request.ts";

const api = "https://api.telnyx.com/v2";

const classes: ErrorClasses = {
  10001: "config",
  10002: "recipient",
  10007: "retry",
  10008: "retry",
  10016: "recipient",
  10039: "config",
  20100: "quota",
  40001: "recipient",
  40002: "retry",
  40006: "retry",
  40010: "config",
  40011: "retry",
  40012: "recipient",
  40013: "config",
  40016: "quota",
  40018: "retry",
  40100: "config",
  40150: "config",
  40151: "config",
  40300: "recipient",
  40301: "recipient",
  40305: "config",
  40306: "config",
  40307: "config",
  40308: "config",
  40309: "config",
  40310: "recipient",
  40311: "config",
  40312: "config",
  40313: "config",
  40314: "config",
  40315: "config",
  40318: "retry",
  40319: "recipient",
  40320: "retry",
  40321: "config",
  40329: "config",
  40330: "config",
};

const statuses: Record<string, ReceiptStatus> = {
  queued: "queued",
  sending: "sending",
  sent: "sent",
  delivered: "delivered",
  delivery_unconfirmed: "sent",
  sending_failed: "failed",
  delivery_failed: "undelivered",
};

export default defineProvider({
  id: "telnyx",
  channel: "sms",
  name: "Telnyx",
  docs: "https://developers.telnyx.com/api-reference/messages/send-a-message",
  help: "Create an API key under API Keys; the profile ID is shown with the messaging profile the sender belongs to.",
  credentials: { apiKey: secret("API Key"), messageProfileId: text("Message profile ID"), from: text("From") },
  request: (message, { apiKey, messageProfileId }) =>
    post(`${api}/messages`, {
      bearer: apiKey,
      json: { from: message.from, to: message.to, text: message.text, messaging_profile_id: messageProfileId },
    }),
  overrideNames: {
    // biome-ignore format: the names are grouped
    members: [
      "messaging_profile_id", "media_urls", "webhook_url", "webhook_failover_url", "use_profile_webhooks",
      "auto_detect", "send_at", "type", "subject", "encoding", "tags",
    ],
  },
  read: (reply) =>
    byStatus(reply, textAt(reply.json, "data", "id"), { code: textAt(reply.json, "errors", 0, "code"), classes }),
  check: async ({ apiKey, messageProfileId }, io) => {
    const profile = `${api}/messaging_profiles/${encodeURIComponent(messageProfileId)}`;
    return checkByStatus(await io.http(get(profile, { bearer: apiKey })));
  },
  receipts: {
    // The key is public: it proves a signature, and is never taken as a password.
    verify: ({ headers, raw }, key, now) => {
      const stamp = headers["telnyx-timestamp"] ?? "";
      const signature = Buffer.from(headers["telnyx-signature-ed25519"] ?? "", "base64");
      if (!isRecent(stamp, now)) return false;
      const x = Buffer.from(key, "base64").toString("base64url");
      const publicKey = createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x }, format: "jwk" });
      return verify(null, Buffer.concat([Buffer.from(`${stamp}|`), raw]), publicKey, signature);
    },
    read: ({ body }) => {
      const kind = textAt(body, "data", "event_type");
      const externalId = textAt(body, "data", "payload", "id");
      const status = statuses[textAt(body, "data", "payload", "to", 0, "status") ?? ""];
      if (!externalId || !status || (kind !== "message.sent" && kind !== "message.finalized")) return [];
      const response = textAt(body, "data", "payload", "errors", 0, "title");
      return [receipt(status, { externalId, date: dateOf(textAt(body, "data", "occurred_at")), response, row: body })];
    },
  },
});
