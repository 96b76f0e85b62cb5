import { messageId, providerCase } from "../../case.ts";

const url = "https://api.transmitsms.com/send-sms.json";
// base64 of burst-key-0123456789:burst-s3cret-value
const headers = { authorization: "Basic YnVyc3Qta2V5LTAxMjM0NTY3ODk6YnVyc3QtczNjcmV0LXZhbHVl" };
const error = (status: number, code: string, description: string) => ({
  status,
  body: { error: { code, description } },
});

export default providerCase({
  id: "burst-sms",
  docs: "https://developers.kudosity.com/reference/post_send-sms-json",
  credentials: { apiKey: "burst-key-0123456789", secretKey: "burst-s3cret-value" },
  minimal: {
    message: { id: messageId, channel: "sms", to: "+61 400 000 000", text: "Hi" },
    request: { method: "POST", url, headers, form: { message: "Hi", to: "61400000000" } },
  },
  rich: {
    message: {
      id: messageId,
      channel: "sms",
      to: "61400000000",
      from: "Acme",
      text: "Grüße & 🎉",
      extra: { validity: 30, dlr_callback: "https://hooks.example.com/k?a=1" },
    },
    request: {
      method: "POST",
      url,
      headers,
      form: {
        message: "Grüße & 🎉",
        to: "61400000000",
        from: "Acme",
        validity: "30",
        dlr_callback: "https://hooks.example.com/k?a=1",
      },
    },
  },
  accepted: {
    reply: {
      status: 200,
      body: {
        message_id: 339683245,
        send_at: "2026-01-02 03:04:05",
        recipients: 1,
        cost: 0.087,
        sms: 1,
        error: { code: "SUCCESS", description: "OK" },
      },
    },
    providerMessageId: "339683245",
  },
  errors: [
    {
      name: "a wrong secret",
      reply: error(401, "AUTH_FAILED", "The auth data is invalid"),
      outcome: { kind: "rejected", class: "auth" },
    },
    {
      name: "a bad number",
      reply: error(400, "RECIPIENTS_ERROR", "No valid recipients"),
      outcome: { kind: "rejected", class: "recipient" },
    },
    {
      name: "a bad sender",
      reply: error(400, "BAD_CALLER_ID", "The sender ID is not valid"),
      outcome: { kind: "rejected", class: "config" },
    },
    {
      name: "an empty account",
      reply: error(400, "LEDGER_ERROR", "Insufficient funds"),
      outcome: { kind: "rejected", class: "quota" },
    },
    {
      name: "a bad field",
      reply: error(400, "FIELD_INVALID", "Field message has invalid format"),
      outcome: { kind: "rejected", class: "content" },
    },
    {
      name: "a refusal that says 200",
      reply: error(200, "LEDGER_ERROR", "Insufficient funds"),
      outcome: { kind: "rejected", class: "quota" },
    },
    { name: "the rate limit", reply: error(429, "OVER_LIMIT", "Too many requests"), outcome: { kind: "retry" } },
  ],
  check: {
    request: { method: "GET", url: "https://api.transmitsms.com/get-balance.json", headers },
    ok: { status: 200, body: { balance: 12.3, currency: "AUD", error: { code: "SUCCESS", description: "OK" } } },
    bad: error(401, "AUTH_FAILED", "The auth data is invalid"),
  },
  receipts: [
    {
      name: "delivered",
      query: {
        message_id: "11223344",
        mobile: "61400000000",
        datetime: "2026-01-02 03:04:05",
        status: "delivered",
        user_id: "1",
      },
      expected: [{ externalId: "11223344", status: "delivered", response: "delivered" }],
    },
    {
      name: "a number that is gone",
      query: { message_id: "11223344", mobile: "61400000000", status: "hard-bounce" },
      expected: [{ externalId: "11223344", status: "undelivered", response: "hard-bounce" }],
    },
    { name: "a reply", query: { message_id: "11223344", mobile: "61400000000", response: "STOP" }, expected: [] },
  ],
  quirks: { because: "The code in the body confirms, whatever the status", invalidJson: "unknown" },
});
