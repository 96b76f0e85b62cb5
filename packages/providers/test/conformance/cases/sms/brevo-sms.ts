import { messageId, providerCase } from "../../case.ts";

const url = "https://api.brevo.com/v3/transactionalSMS/send";
const headers = { "api-key": "xkeysib-s3cret-key" };
const error = (status: number, code: string, message: string) => ({ status, body: { code, message } });

export default providerCase({
  id: "brevo-sms",
  docs: "https://developers.brevo.com/reference/sendtransacsms",
  credentials: { apiKey: "xkeysib-s3cret-key", from: "Acme" },
  minimal: {
    message: { id: messageId, channel: "sms", to: "+33 6 80 06 53 33", text: "Hi" },
    request: {
      method: "POST",
      url,
      headers,
      json: { sender: "Acme", recipient: "33680065333", content: "Hi", type: "transactional", unicodeEnabled: false },
    },
  },
  rich: {
    message: {
      id: messageId,
      channel: "sms",
      to: "33680065333",
      from: "Other",
      text: "Grüße 🎉",
      extra: { tag: ["t1", "t2"], webUrl: "https://hooks.example.com/b" },
    },
    request: {
      method: "POST",
      url,
      headers,
      json: {
        sender: "Other",
        recipient: "33680065333",
        content: "Grüße 🎉",
        type: "transactional",
        unicodeEnabled: true,
        tag: ["t1", "t2"],
        webUrl: "https://hooks.example.com/b",
      },
    },
  },
  accepted: {
    reply: { status: 201, body: { messageId: 1511882900176220 } },
    providerMessageId: "1511882900176220",
  },
  errors: [
    {
      name: "a wrong key",
      reply: error(401, "unauthorized", "Key not found"),
      outcome: { kind: "rejected", class: "auth" },
    },
    {
      name: "a bad number",
      reply: error(400, "invalid_parameter", "Invalid telephone number"),
      outcome: { kind: "rejected", class: "recipient" },
    },
    {
      name: "a bad sender",
      reply: error(400, "invalid_parameter", "Sender is invalid"),
      outcome: { kind: "rejected", class: "config" },
    },
    {
      name: "no credits",
      reply: error(402, "not_enough_credits", "Not enough credits"),
      outcome: { kind: "rejected", class: "quota" },
    },
    {
      name: "a missing text",
      reply: error(400, "missing_parameter", "content is missing"),
      outcome: { kind: "rejected", class: "content" },
    },
  ],
  check: {
    request: { method: "GET", url: "https://api.brevo.com/v3/account", headers },
    ok: { status: 200, body: { email: "a@example.com", plan: [] } },
    bad: error(401, "unauthorized", "Key not found"),
  },
  receipts: [
    {
      name: "delivered",
      json: {
        id: 26570,
        to: "33680065333",
        sms_count: 1,
        messageId: 1511882900176220,
        msg_status: "delivered",
        date: "2026-01-02 04:04:05",
        ts_event: 1767323045,
        type: "transactional",
      },
      expected: [{ externalId: "1511882900176220", status: "delivered", date: new Date("2026-01-02T03:04:05Z") }],
    },
    {
      name: "bounced",
      json: { messageId: 15, msg_status: "hard_bounce", description: "Unknown subscriber" },
      expected: [{ externalId: "15", status: "undelivered", response: "Unknown subscriber" }],
    },
    { name: "a reply", json: { messageId: 15, msg_status: "replied", reply: "STOP" }, expected: [] },
  ],
});
