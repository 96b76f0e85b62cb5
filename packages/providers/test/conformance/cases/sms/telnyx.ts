import { generateKeyPairSync, sign } from "node:crypto";
import { messageId, providerCase } from "../../case.ts";

// As Telnyx signs: with the private half of a pair whose public half the portal shows as 32 bytes in base64.
const { privateKey, publicKey } = generateKeyPairSync("ed25519");
const key = publicKey.export({ format: "der", type: "spki" }).subarray(-32).toString("base64");
const now = "2026-01-02T03:04:05Z";
const stamp = String(Date.parse(now) / 1000);

function report(json: object) {
  const signature = sign(null, Buffer.from(`${stamp}|${JSON.stringify(json)}`), privateKey).toString("base64");
  return { json, key, now, headers: { "telnyx-signature-ed25519": signature, "telnyx-timestamp": stamp } };
}

const headers = { authorization: "Bearer KEY-telnyx-s3cret" };
const profile = "16fd2706-8baf-433b-82eb-8c7fada847da";
const error = (status: number, code: string, title: string) => ({
  status,
  body: { errors: [{ code, title, detail: title }] },
});

export default providerCase({
  id: "telnyx",
  docs: "https://developers.telnyx.com/api-reference/messages/send-a-message",
  credentials: { apiKey: "KEY-telnyx-s3cret", messageProfileId: profile, from: "+18445550001" },
  minimal: {
    message: { id: messageId, channel: "sms", to: "+1 866 555 0001", text: "Hi" },
    request: {
      method: "POST",
      url: "https://api.telnyx.com/v2/messages",
      headers,
      json: { from: "+18445550001", to: "+18665550001", text: "Hi", messaging_profile_id: profile },
    },
  },
  rich: {
    message: {
      id: messageId,
      channel: "sms",
      to: "+18665550001",
      from: "Acme",
      text: "Grüße 🎉",
      extra: { webhook_url: "https://hooks.example.com/t", tags: ["spring"] },
    },
    request: {
      method: "POST",
      url: "https://api.telnyx.com/v2/messages",
      headers,
      json: {
        from: "Acme",
        to: "+18665550001",
        text: "Grüße 🎉",
        messaging_profile_id: profile,
        webhook_url: "https://hooks.example.com/t",
        tags: ["spring"],
      },
    },
  },
  accepted: {
    reply: {
      status: 200,
      body: {
        data: {
          record_type: "message",
          direction: "outbound",
          id: "40385f64-5717-4562-b3fc-2c963f66afa6",
          to: [{ phone_number: "+18665550001", status: "queued" }],
        },
      },
    },
    providerMessageId: "40385f64-5717-4562-b3fc-2c963f66afa6",
  },
  errors: [
    {
      name: "a wrong key",
      reply: error(401, "10009", "Authentication failed"),
      outcome: { kind: "rejected", class: "auth" },
    },
    {
      name: "a bad number",
      reply: error(400, "40310", "Invalid 'to' address"),
      outcome: { kind: "rejected", class: "recipient" },
    },
    {
      name: "an opt-out",
      reply: error(403, "40300", "Blocked due to STOP message"),
      outcome: { kind: "rejected", class: "recipient" },
    },
    {
      name: "a foreign sender",
      reply: error(400, "40305", "Invalid 'from' address"),
      outcome: { kind: "rejected", class: "config" },
    },
    ...["10001", "10039", "40010", "40013", "40100"].map((code) => ({
      name: `a sender that may not send (${code})`,
      reply: error(code === "10039" ? 403 : 400, code, "No"),
      outcome: { kind: "rejected" as const, class: "config" },
    })),
    {
      name: "an unknown number",
      reply: error(400, "40012", "Invalid messaging destination number"),
      outcome: { kind: "rejected", class: "recipient" },
    },
    { name: "a spending limit", reply: error(400, "40016", "Limit"), outcome: { kind: "rejected", class: "quota" } },
    { name: "a carrier that is down", reply: error(400, "40006", "Unavailable"), outcome: { kind: "retry" } },
    {
      name: "an empty account",
      reply: error(403, "20100", "Insufficient Funds"),
      outcome: { kind: "rejected", class: "quota" },
    },
    {
      name: "a long text",
      reply: error(400, "40302", "Message too large"),
      outcome: { kind: "rejected", class: "content" },
    },
    { name: "a full queue", reply: error(429, "40318", "Message queue full"), outcome: { kind: "retry" } },
    { name: "the rate limit", reply: error(429, "10011", "Too many requests"), outcome: { kind: "retry" } },
  ],
  check: {
    request: { method: "GET", url: `https://api.telnyx.com/v2/messaging_profiles/${profile}`, headers },
    ok: { status: 200, body: { data: { id: profile, name: "Acme", enabled: true } } },
    bad: error(404, "10005", "Resource not found"),
  },
  receipts: [
    {
      name: "delivered",
      ...report({
        data: {
          event_type: "message.finalized",
          id: "4ee8c3a6-4995-4309-a3c6-38e3db9ea4be",
          occurred_at: "2026-01-02T03:04:05.000+00:00",
          payload: { id: "ac012cbf", direction: "outbound", to: [{ status: "delivered" }], errors: [] },
        },
      }),
      expected: [{ externalId: "ac012cbf", status: "delivered", date: new Date("2026-01-02T03:04:05Z") }],
    },
    {
      name: "not delivered",
      ...report({
        data: {
          event_type: "message.finalized",
          payload: {
            id: "ac012cbf",
            to: [{ status: "delivery_failed" }],
            errors: [{ code: "40001", title: "Landline" }],
          },
        },
      }),
      expected: [{ externalId: "ac012cbf", status: "undelivered", response: "Landline" }],
    },
    {
      name: "an incoming message",
      ...report({ data: { event_type: "message.received", payload: { id: "1", to: [{ status: "delivered" }] } } }),
      expected: [],
    },
  ],
});
