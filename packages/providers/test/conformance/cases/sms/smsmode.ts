import { messageId, providerCase } from "../../case.ts";

const url = "https://rest.smsmode.com/sms/v1/messages";
const headers = { "x-api-key": "smsmode-s3cret-key" };
const error = (status: number, message: string) => ({ status, body: { status, error: "Bad Request", message } });

export default providerCase({
  id: "smsmode",
  docs: "https://dev.smsmode.com/sms/v1/#tag/Message/operation/send-message",
  credentials: { apiKey: "smsmode-s3cret-key", from: "Acme" },
  minimal: {
    message: { id: messageId, channel: "sms", to: "+33 6 00 00 00 01", text: "Hi" },
    request: {
      method: "POST",
      url,
      headers,
      json: {
        recipient: { to: "33600000001" },
        body: { text: "Hi", encoding: "GSM7" },
        from: "Acme",
        refClient: messageId,
      },
    },
  },
  rich: {
    message: {
      id: messageId,
      channel: "sms",
      to: "33600000001",
      from: "Other",
      text: "Grüße 🎉",
      extra: { callbackUrlStatus: "https://hooks.example.com/s", body: { stop: false } },
    },
    request: {
      method: "POST",
      url,
      headers,
      json: {
        recipient: { to: "33600000001" },
        body: { text: "Grüße 🎉", encoding: "UNICODE", stop: false },
        from: "Other",
        refClient: messageId,
        callbackUrlStatus: "https://hooks.example.com/s",
      },
    },
  },
  accepted: {
    reply: {
      status: 201,
      body: { messageId: "b1c2d3e4-0000-4000-8000-000000000001", status: { value: "ENROUTE" }, direction: "MT" },
    },
    providerMessageId: "b1c2d3e4-0000-4000-8000-000000000001",
  },
  errors: [
    {
      name: "a wrong key",
      reply: { status: 401, body: "" },
      outcome: { kind: "rejected", class: "auth" },
    },
    {
      name: "a bad number",
      reply: error(400, "recipient.to: invalid mobile"),
      outcome: { kind: "rejected", class: "recipient" },
    },
    { name: "a bad sender", reply: error(400, "from: invalid"), outcome: { kind: "rejected", class: "config" } },
    {
      name: "an empty account",
      reply: error(402, "Insufficient credit"),
      outcome: { kind: "rejected", class: "quota" },
    },
    { name: "a bad text", reply: error(400, "body.text: empty"), outcome: { kind: "rejected", class: "content" } },
  ],
  receipts: [
    {
      name: "delivered",
      json: {
        messageId: "b1c2d3e4",
        direction: "MT",
        refClient: messageId,
        recipient: { to: "33600000001" },
        status: { deliveryDate: "2026-01-02T03:04:05Z", value: "DELIVERED" },
      },
      expected: [{ externalId: "b1c2d3e4", messageId, status: "delivered", date: new Date("2026-01-02T03:04:05Z") }],
    },
    {
      name: "not deliverable",
      json: { messageId: "b1c2d3e4", direction: "MT", status: { value: "UNDELIVERABLE" } },
      expected: [{ externalId: "b1c2d3e4", status: "undelivered" }],
    },
    {
      name: "a reply",
      json: { messageId: "in-1", direction: "MO", body: { text: "STOP" }, status: { value: "DELIVERED" } },
      expected: [],
    },
  ],
});
