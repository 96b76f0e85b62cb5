import { messageId, providerCase } from "../../case.ts";

const url = "https://gateway.seven.io/api/sms";
const headers = { "x-api-key": "seven-s3cret-api-key", accept: "application/json" };
const error = (code: string, text: string) => ({
  status: 200,
  body: { success: "101", messages: [{ id: null, success: false, error: code, error_text: text }] },
});

export default providerCase({
  id: "sms77",
  docs: "https://docs.seven.io/en/rest-api/endpoints/sms",
  credentials: { apiKey: "seven-s3cret-api-key", from: "Acme" },
  minimal: {
    message: { id: messageId, channel: "sms", to: "+49 171 999999999", text: "Hi" },
    request: {
      method: "POST",
      url,
      headers,
      form: { to: "+49171999999999", from: "Acme", text: "Hi", foreign_id: messageId, json: "1" },
    },
  },
  rich: {
    message: {
      id: messageId,
      channel: "sms",
      to: "49171999999999",
      from: "4917199999",
      text: "Grüße & 🎉",
      extra: { flash: 1, label: "spring" },
    },
    request: {
      method: "POST",
      url,
      headers,
      form: {
        to: "49171999999999",
        from: "4917199999",
        text: "Grüße & 🎉",
        foreign_id: messageId,
        json: "1",
        flash: "1",
        label: "spring",
      },
    },
  },
  accepted: {
    reply: {
      status: 200,
      body: {
        success: "100",
        total_price: 0.075,
        balance: 593.994,
        debug: "false",
        sms_type: "direct",
        messages: [{ id: "77229318510", recipient: "49171999999999", parts: 1, success: true, error: null }],
      },
    },
    providerMessageId: "77229318510",
  },
  errors: [
    { name: "a wrong key", reply: { status: 200, body: "900" }, outcome: { kind: "rejected", class: "auth" } },
    {
      name: "a wrong key in JSON",
      reply: { status: 401, body: { success: "900" } },
      outcome: { kind: "rejected", class: "auth" },
    },
    { name: "a bad number", reply: error("202", "Recipient"), outcome: { kind: "rejected", class: "recipient" } },
    { name: "a bad sender", reply: error("201", "Sender"), outcome: { kind: "rejected", class: "config" } },
    { name: "a long text", reply: error("401", "Too long"), outcome: { kind: "rejected", class: "content" } },
    { name: "an empty account", reply: error("500", "Credit"), outcome: { kind: "rejected", class: "quota" } },
    { name: "a failing carrier", reply: error("600", "Carrier"), outcome: { kind: "retry" } },
  ],
  check: {
    request: {
      method: "GET",
      url: "https://gateway.seven.io/api/balance",
      headers: { "x-api-key": "seven-s3cret-api-key" },
    },
    ok: { status: 200, body: { amount: 593.994, currency: "EUR" } },
    bad: { status: 200, body: "900" },
  },
  receipts: [
    {
      name: "delivered",
      json: {
        webhook_event: "dlr",
        webhook_timestamp: "2026-01-02 03:04:05",
        data: { msg_id: "77229318510", status: "DELIVERED", timestamp: "2026-01-02 03:04:05", foreign_id: messageId },
      },
      expected: [{ externalId: "77229318510", messageId, status: "delivered" }],
    },
    {
      name: "expired",
      json: { webhook_event: "dlr", data: { msg_id: "77229318510", status: "EXPIRED" } },
      expected: [{ externalId: "77229318510", status: "undelivered" }],
    },
    {
      name: "delivered, by GET",
      query: { webhook_event: "dlr", "data[msg_id]": "77229318510", "data[status]": "DELIVERED" },
      expected: [{ externalId: "77229318510", status: "delivered" }],
    },
    {
      name: "an incoming message",
      json: { webhook_event: "sms_mo", data: { id: "1", text: "STOP", sender: "4917199999" } },
      expected: [],
    },
  ],
  quirks: { because: "Errors are answered with 200, so only the body confirms", invalidJson: "unknown" },
});
