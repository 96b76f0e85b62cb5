import { createHmac } from "node:crypto";
import { messageId, providerCase } from "../../case.ts";

const phone = "https://graph.facebook.com/v23.0/106540352242922";
const headers = { authorization: "Bearer EAAG-s3cret-token" };
const target = { kind: "phone" as const, phone: "+16505551234" };
const message = { id: messageId, channel: "chat" as const, target, text: "Hi" };
const fixed = {
  messaging_product: "whatsapp",
  recipient_type: "individual",
  to: "+16505551234",
  biz_opaque_callback_data: messageId,
};
const template = {
  name: "order_confirmation",
  language: { code: "en_US" },
  components: [{ type: "body", parameters: [{ type: "text", text: "Ada" }] }],
};
const accepted = {
  reply: {
    status: 200,
    body: {
      messaging_product: "whatsapp",
      contacts: [{ input: "+16505551234", wa_id: "16505551234" }],
      messages: [{ id: "wamid.HBgLMTY0NjcwNDM1OTUVAgARGBI1RjQyNUE3NEYxMzAzMzQ5MkEA" }],
    },
  },
  providerMessageId: "wamid.HBgLMTY0NjcwNDM1OTUVAgARGBI1RjQyNUE3NEYxMzAzMzQ5MkEA",
};
const key = "app-s3cret-of-meta";

function signed(json: object) {
  const signature = createHmac("sha256", key).update(JSON.stringify(json)).digest("hex");
  const proof = { "x-hub-signature-256": `sha256=${signature}` };
  return { json, headers: proof, key, now: "2026-01-02T03:04:05Z", isAgeless: true as const };
}

const error = (status: number, code: number, text: string) => ({
  status,
  body: { error: { message: `(#${code}) ${text}`, type: "OAuthException", code, fbtrace_id: "Az8or2yhqkZfEZ-" } },
});

function report(...statuses: object[]) {
  return {
    object: "whatsapp_business_account",
    entry: [
      {
        id: "102290129340398",
        changes: [{ field: "messages", value: { messaging_product: "whatsapp", statuses } }],
      },
    ],
  };
}

export default providerCase({
  id: "whatsapp-business",
  docs: "https://developers.facebook.com/docs/whatsapp/cloud-api/messages/text-messages",
  credentials: { apiToken: "EAAG-s3cret-token", phoneNumberIdentification: "106540352242922" },
  minimal: {
    message,
    request: {
      method: "POST",
      url: `${phone}/messages`,
      headers,
      json: { ...fixed, type: "text", text: { preview_url: false, body: "Hi" } },
    },
  },
  rich: {
    message: {
      ...message,
      text: "Grüße *Ada* 🎉 https://example.com",
      extra: { text: { preview_url: true }, context: { message_id: "wamid.1" } },
    },
    request: {
      method: "POST",
      url: `${phone}/messages`,
      headers,
      json: {
        ...fixed,
        type: "text",
        text: { preview_url: true, body: "Grüße *Ada* 🎉 https://example.com" },
        context: { message_id: "wamid.1" },
      },
    },
  },
  accepted,
  more: [
    {
      message: { ...message, extra: { template } },
      request: { method: "POST", url: `${phone}/messages`, headers, json: { ...fixed, type: "template", template } },
      accepted,
    },
  ],
  errors: [
    {
      name: "an expired token",
      reply: error(401, 190, "Access token has expired"),
      outcome: { kind: "rejected", class: "auth" },
    },
    {
      name: "a missing permission",
      reply: error(403, 10, "Permission denied"),
      outcome: { kind: "rejected", class: "auth" },
    },
    {
      name: "an unknown sender",
      reply: error(400, 33, "Parameter value is not valid"),
      outcome: { kind: "rejected", class: "config" },
    },
    {
      name: "an unknown phone number ID",
      reply: { status: 400, body: { error: { message: "No object", code: 100, error_subcode: 33 } } },
      outcome: { kind: "rejected", class: "config" },
    },
    {
      name: "a sender that is not registered",
      reply: error(400, 133010, "Phone number not registered"),
      outcome: { kind: "rejected", class: "config" },
    },
    {
      name: "an unknown template",
      reply: error(404, 132001, "Template does not exist"),
      outcome: { kind: "rejected", class: "config" },
    },
    {
      name: "wrong parameters of a template",
      reply: error(400, 132000, "Template param count mismatch"),
      outcome: { kind: "rejected", class: "content" },
    },
    {
      name: "a number that cannot be reached",
      reply: error(400, 131026, "Message undeliverable"),
      outcome: { kind: "rejected", class: "recipient" },
    },
    {
      name: "a number outside the list of a test account",
      reply: error(400, 131030, "Recipient phone number not in allowed list"),
      outcome: { kind: "rejected", class: "recipient" },
    },
    {
      name: "a text after 24 hours",
      reply: error(400, 131047, "Re-engagement message"),
      outcome: { kind: "rejected", class: "content" },
    },
    {
      name: "a bad field",
      reply: error(400, 100, "Invalid parameter"),
      outcome: { kind: "rejected", class: "content" },
    },
    {
      name: "a missing payment method",
      reply: error(400, 131042, "Business eligibility payment issue"),
      outcome: { kind: "rejected", class: "quota" },
    },
    { name: "the rate limit", reply: error(400, 130429, "Rate limit hit"), outcome: { kind: "retry" } },
    { name: "too many to one person", reply: error(400, 131056, "Pair rate limit hit"), outcome: { kind: "retry" } },
    { name: "a fault of theirs", reply: error(500, 131000, "Something went wrong"), outcome: { kind: "retry" } },
  ],
  check: {
    request: { method: "GET", url: `${phone}?fields=verified_name`, headers },
    ok: { status: 200, body: { verified_name: "Example", id: "106540352242922" } },
    bad: error(401, 190, "Invalid OAuth access token"),
  },
  receipts: [
    {
      name: "delivered and read",
      ...signed(
        report(
          { id: "wamid.1", status: "delivered", timestamp: "1767323040", biz_opaque_callback_data: messageId },
          { id: "wamid.1", status: "read", timestamp: "1767323045", biz_opaque_callback_data: messageId },
        ),
      ),
      expected: [
        { externalId: "wamid.1", messageId, status: "delivered", date: new Date(1767323040000) },
        { externalId: "wamid.1", messageId, status: "opened", date: new Date(1767323045000) },
      ],
    },
    {
      name: "failed",
      ...signed(
        report({
          id: "wamid.1",
          status: "failed",
          timestamp: "1767323040",
          errors: [{ code: 131026, title: "Message undeliverable" }],
        }),
      ),
      expected: [
        {
          externalId: "wamid.1",
          status: "failed",
          date: new Date(1767323040000),
          response: "Message undeliverable",
        },
      ],
    },
    {
      name: "an incoming message",
      ...signed({ entry: [{ changes: [{ value: { messages: [{ id: "wamid.2", text: { body: "Hi" } }] } }] }] }),
      expected: [],
    },
  ],
});
