import { messageId, providerCase } from "../../case.ts";

const url = "https://rest.nexmo.com/sms/json";
const said = (status: string, text: string) => ({
  status: 200,
  body: { "message-count": "1", messages: [{ status, "error-text": text }] },
});

export default providerCase({
  id: "nexmo",
  docs: "https://developer.vonage.com/en/api/sms",
  credentials: { apiKey: "nexmo-key-abcd1234", secretKey: "nexmo-s3cret-value", from: "AcmeInc" },
  minimal: {
    message: { id: messageId, channel: "sms", to: "+44 7700 900000", text: "Hi" },
    request: {
      method: "POST",
      url,
      form: {
        api_key: "nexmo-key-abcd1234",
        api_secret: "nexmo-s3cret-value",
        from: "AcmeInc",
        to: "447700900000",
        text: "Hi",
        type: "text",
        "client-ref": messageId,
      },
    },
  },
  rich: {
    message: {
      id: messageId,
      channel: "sms",
      to: "447700900000",
      from: "447700900001",
      text: "Привет & 🎉",
      extra: { ttl: 900000, callback: "https://hooks.example.com/n?a=1" },
    },
    request: {
      method: "POST",
      url,
      form: {
        api_key: "nexmo-key-abcd1234",
        api_secret: "nexmo-s3cret-value",
        from: "447700900001",
        to: "447700900000",
        text: "Привет & 🎉",
        type: "unicode",
        "client-ref": messageId,
        ttl: "900000",
        callback: "https://hooks.example.com/n?a=1",
      },
    },
  },
  accepted: {
    reply: {
      status: 200,
      body: {
        "message-count": "1",
        messages: [{ to: "447700900000", "message-id": "0A0000000123ABCD1", status: "0", "remaining-balance": "3.14" }],
      },
    },
    providerMessageId: "0A0000000123ABCD1",
  },
  errors: [
    { name: "throttling", reply: said("1", "Throttled"), outcome: { kind: "retry" } },
    {
      name: "a bad parameter",
      reply: said("3", "Invalid parameter"),
      outcome: { kind: "rejected", class: "content" },
    },
    { name: "wrong credentials", reply: said("4", "Bad credentials"), outcome: { kind: "rejected", class: "auth" } },
    { name: "a fault of theirs", reply: said("5", "Internal error"), outcome: { kind: "retry" } },
    { name: "a bad number", reply: said("6", "Prefix"), outcome: { kind: "rejected", class: "recipient" } },
    { name: "a barred number", reply: said("7", "Barred"), outcome: { kind: "rejected", class: "recipient" } },
    { name: "an empty account", reply: said("9", "Quota"), outcome: { kind: "rejected", class: "quota" } },
    { name: "a long text", reply: said("12", "Too long"), outcome: { kind: "rejected", class: "content" } },
    { name: "a bad sender", reply: said("15", "Invalid sender"), outcome: { kind: "rejected", class: "config" } },
    { name: "a demo account", reply: said("29", "Non white-listed"), outcome: { kind: "rejected", class: "config" } },
    { name: "a dead number", reply: said("33", "De-activated"), outcome: { kind: "rejected", class: "recipient" } },
    { name: "a refused login", reply: { status: 401 }, outcome: { kind: "rejected", class: "auth" } },
  ],
  check: {
    request: {
      method: "GET",
      url: "https://rest.nexmo.com/account/get-balance?api_key=nexmo-key-abcd1234&api_secret=nexmo-s3cret-value",
    },
    ok: { status: 200, body: { value: 10.28, autoReload: false } },
    bad: { status: 401, body: { "error-code": "401", "error-code-label": "authentication failed" } },
  },
  receipts: [
    {
      name: "delivered",
      json: {
        msisdn: "447700900000",
        to: "AcmeInc",
        "network-code": "12345",
        messageId: "0A0000001234567B",
        status: "delivered",
        scts: "2601020304",
        "err-code": "0",
        "message-timestamp": "2026-01-02 03:04:05 +0000",
        "client-ref": messageId,
      },
      expected: [
        { externalId: "0A0000001234567B", messageId, status: "delivered", date: new Date("2026-01-02T03:04:05Z") },
      ],
    },
    {
      name: "failed, as a form",
      form: { messageId: "0A01", status: "failed", "err-code": "6" },
      expected: [{ externalId: "0A01", status: "failed", response: "Error 6" }],
    },
    {
      name: "expired, by GET",
      query: {
        messageId: "0A03",
        status: "expired",
        "err-code": "1",
        "message-timestamp": "2026-01-02 03:04:05 +0000",
      },
      expected: [
        { externalId: "0A03", status: "undelivered", date: new Date("2026-01-02T03:04:05Z"), response: "Error 1" },
      ],
    },
    { name: "an incoming message", json: { msisdn: "447700900001", messageId: "0A02", text: "STOP" }, expected: [] },
  ],
  quirks: { because: "Errors are answered with 200, so only the body confirms", invalidJson: "unknown" },
});
