import { messageId, providerCase } from "../../case.ts";

const url = "https://api.bulksms.com/v1/messages?auto-unicode=true";
const apiToken = "QkVFRkNBRkU6czNjcmV0LWJ1bGstdG9rZW4=";
const headers = { authorization: `Basic ${apiToken}` };
const error = (status: number, name: string, title: string) => ({
  status,
  body: { type: `https://developer.bulksms.com/json/v1/errors#${name}`, title, status, detail: title },
});

export default providerCase({
  id: "bulk-sms",
  docs: "https://www.bulksms.com/developer/json/v1/",
  credentials: { apiToken, from: "+27007654321" },
  minimal: {
    message: { id: messageId, channel: "sms", to: "+27 00 123 4567", text: "Hi" },
    request: {
      method: "POST",
      url,
      headers,
      json: { to: "+27001234567", from: "+27007654321", body: "Hi" },
    },
  },
  rich: {
    message: {
      id: messageId,
      channel: "sms",
      to: "+27001234567",
      from: "Acme",
      text: "Dobrá práce! 🎉",
      extra: { longMessageMaxParts: 10 },
      passthrough: { query: { "schedule-date": "2026-02-18T13:00:00+02:00" } },
    },
    request: {
      method: "POST",
      url: `${url}&schedule-date=2026-02-18T13%3A00%3A00%2B02%3A00`,
      headers,
      json: { to: "+27001234567", from: "Acme", body: "Dobrá práce! 🎉", longMessageMaxParts: 10 },
    },
  },
  accepted: {
    reply: {
      status: 201,
      body: [
        {
          id: "1-00000000000522347562",
          type: "SENT",
          to: "27001234567",
          status: { id: "ACCEPTED.null", type: "ACCEPTED", subtype: null },
        },
      ],
    },
    providerMessageId: "1-00000000000522347562",
  },
  errors: [
    {
      name: "a wrong token",
      reply: error(401, "authentication-failed", "Authentication failed"),
      outcome: { kind: "rejected", class: "auth" },
    },
    {
      name: "a bad request",
      reply: error(400, "bad-request", "Bad Request"),
      outcome: { kind: "rejected", class: "content" },
    },
    {
      name: "an empty account",
      reply: error(403, "insufficient-credits", "Insufficient credits"),
      outcome: { kind: "rejected", class: "quota" },
    },
    {
      name: "a missing permission",
      reply: error(403, "forbidden", "Forbidden"),
      outcome: { kind: "rejected", class: "auth" },
    },
  ],
  check: {
    request: { method: "GET", url: "https://api.bulksms.com/v1/profile", headers },
    ok: { status: 200, body: { id: "1", username: "acme", credits: { balance: 12.5 } } },
    bad: error(401, "authentication-failed", "Authentication failed"),
  },
  receipts: [
    {
      name: "delivered and failed",
      json: [
        { id: "1-1", type: "SENT", status: { id: "DELIVERED.null", type: "DELIVERED", subtype: null } },
        { id: "1-2", type: "SENT", status: { id: "FAILED.EXPIRED", type: "FAILED", subtype: "EXPIRED" } },
      ],
      expected: [
        { externalId: "1-1", status: "delivered" },
        { externalId: "1-2", status: "undelivered", response: "EXPIRED" },
      ],
    },
    {
      name: "an incoming message",
      json: [{ id: "1-3", type: "RECEIVED", body: "STOP", status: { type: "ACCEPTED" } }],
      expected: [],
    },
  ],
});
