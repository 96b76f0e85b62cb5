// WhatsApp Business, the Cloud API of Meta. Credentials: developers.facebook.com, the app, WhatsApp, API Setup; for
// more than a day take the token of a system user. A text reaches people who wrote within the last 24 hours; all others
// need an approved template, given as `template` in the overrides, or any other kind of message under its name. API:
// https://developers.facebook.com/docs/whatsapp/cloud-api/reference/messages Codes:
// https://developers.facebook.com/docs/whatsapp/cloud-api/support/error-codes
//
// Reports (https://developers.facebook.com/docs/graph-api/webhooks/getting-started): Meta signs them with the app
// secret, which is the signing key of the configuration or, without one, the credential of that name. Before the first
// it asks by GET whether the address is ours and shows the verify token: the one that was typed into Meta's form, and
// into the credential `token`, by the same person. A token derived here would have to be copied the other way, and
// change with the encryption key.

import { createHmac } from "node:crypto";
import { targetOf } from "../kit/chat.ts";
import { secret, text } from "../kit/credentials.ts";
import { defineProvider } from "../kit/provider.ts";
import { dateOf, type ReceiptStatus, receipt, sameText } from "../kit/receipts.ts";
import { byStatus, checkByStatus, type ErrorClasses, listAt, textAt } from "../kit/reply.ts";
import { get, post } from "../kit/request.ts";

const api = (phoneId: string): string => `https://graph.facebook.com/v23.0/${encodeURIComponent(phoneId)}`;

// biome-ignore format: codes of one class are grouped
const classes: ErrorClasses = {
  0: "auth", 3: "auth", 10: "auth", 190: "auth", 200: "auth", 131005: "auth", 131031: "auth",
  33: "config", 368: "config", 131037: "config", 131045: "config", 132001: "config", 132015: "config", 132016: "config",
  133010: "config",
  131042: "quota", 131048: "quota",
  130472: "recipient", 130497: "recipient", 131021: "recipient", 131026: "recipient", 131030: "recipient",
  131049: "recipient", 131050: "recipient",
  1: "retry", 2: "retry", 4: "retry", 80007: "retry", 130429: "retry", 131000: "retry", 131016: "retry",
  131056: "retry", 131057: "retry", 133004: "retry",
};

const statuses: Record<string, ReceiptStatus> = {
  sent: "sent",
  delivered: "delivered",
  read: "opened",
  failed: "failed",
};

const kinds = ["template", "interactive", "image", "document", "video", "audio", "location", "contacts", "sticker"];

export default defineProvider({
  id: "whatsapp-business",
  channel: "chat",
  name: "WhatsApp Business",
  docs: "https://developers.facebook.com/docs/whatsapp/cloud-api",
  help: "Token and phone number ID are at developers.facebook.com, in the app, under WhatsApp, API Setup.",
  credentials: {
    apiToken: secret("Access API token"),
    phoneNumberIdentification: text("Phone Number Identification"),
    businessAccountId: text("WhatsApp Business Account ID", { optional: true }),
    secretKey: secret("App Secret", { optional: true }),
    token: secret("Verify Token", { optional: true }),
  },
  limits: { text: 4096 },
  request: (message, { apiToken, phoneNumberIdentification }) => {
    const kind = kinds.find((name) => message.extra?.[name]);
    const content = kind ? { type: kind } : { type: "text", text: { preview_url: false, body: message.text } };
    return post(`${api(phoneNumberIdentification)}/messages`, {
      bearer: apiToken,
      json: {
        messaging_product: "whatsapp",
        recipient_type: "individual",
        to: targetOf(message, "phone").phone,
        ...content,
        biz_opaque_callback_data: message.id,
      },
    });
  },
  overrideNames: {
    // biome-ignore format: the names are grouped
    members: [
      "recipient_type", "context.message_id", "template.name", "template.language.code", "template.language.policy",
      "template.components.type", "template.components.sub_type", "template.components.index",
      "template.components.parameters",
    ],
  },
  read: (reply) => {
    const [given, subcode] = ["code", "error_subcode"].map((name) => textAt(reply.json, "error", name));
    // 100 is any invalid parameter; with this subcode it is the phone number ID in the path.
    const code = given === "100" && subcode === "33" ? "33" : given;
    return byStatus(reply, textAt(reply.json, "messages", 0, "id"), { code, classes });
  },
  unsend: "WhatsApp does not offer a way for businesses to change or delete a message that was sent",
  check: async ({ apiToken, phoneNumberIdentification }, io) =>
    checkByStatus(
      await io.http(get(api(phoneNumberIdentification), { bearer: apiToken, query: { fields: "verified_name" } })),
    ),
  receipts: {
    keyCredential: "secretKey",
    verify: ({ headers, raw }, key) =>
      sameText(headers["x-hub-signature-256"] ?? "", `sha256=${createHmac("sha256", key).update(raw).digest("hex")}`),
    answerChallenge: ({ body }, { token }) => {
      const mode = textAt(body, "hub.mode");
      if (mode === undefined) return undefined;
      const challenge = textAt(body, "hub.challenge");
      const isOurs =
        typeof token === "string" && token !== "" && sameText(textAt(body, "hub.verify_token") ?? "", token);
      return mode === "subscribe" && challenge !== undefined && isOurs ? challenge : false;
    },
    read: ({ body }) =>
      listAt(body, "entry")
        .flatMap((entry) => listAt(entry, "changes"))
        .flatMap((change) => listAt(change, "value", "statuses"))
        .flatMap((event) => {
          const [status, externalId] = [statuses[textAt(event, "status") ?? ""], textAt(event, "id")];
          if (!status || !externalId) return [];
          const messageId = textAt(event, "biz_opaque_callback_data");
          const response = textAt(event, "errors", 0, "title");
          return [
            receipt(status, { externalId, messageId, date: dateOf(textAt(event, "timestamp")), response, row: event }),
          ];
        }),
  },
});
