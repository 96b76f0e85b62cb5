import { messageId, providerCase } from "../../case.ts";

const url = "https://api.46elks.com/a1/sms";
// base64 of u0123456789abcdef:elks-s3cret-password
const headers = { authorization: "Basic dTAxMjM0NTY3ODlhYmNkZWY6ZWxrcy1zM2NyZXQtcGFzc3dvcmQ=" };

export default providerCase({
  id: "forty-six-elks",
  docs: "https://46elks.com/docs/send-sms",
  credentials: { user: "u0123456789abcdef", password: "elks-s3cret-password", from: "CurlyElk" },
  minimal: {
    message: { id: messageId, channel: "sms", to: "+46 70 000 00 00", text: "Hi" },
    request: { method: "POST", url, headers, form: { from: "CurlyElk", to: "+46700000000", message: "Hi" } },
  },
  rich: {
    message: {
      id: messageId,
      channel: "sms",
      to: "+46700000000",
      from: "+46766861004",
      text: "Älgar & 🎉",
      extra: { whendelivered: "https://u:p@hooks.example.com/e?a=1", flashsms: "yes" },
    },
    request: {
      method: "POST",
      url,
      headers,
      form: {
        from: "+46766861004",
        to: "+46700000000",
        message: "Älgar & 🎉",
        whendelivered: "https://u:p@hooks.example.com/e?a=1",
        flashsms: "yes",
      },
    },
  },
  accepted: {
    reply: {
      status: 200,
      body: {
        status: "created",
        id: "s70df59406a1b4643b96f3f91e0bfb7b0",
        from: "CurlyElk",
        to: "+46700000000",
        parts: 1,
        cost: 3500,
        direction: "outgoing",
      },
    },
    providerMessageId: "s70df59406a1b4643b96f3f91e0bfb7b0",
  },
  errors: [
    {
      name: "a wrong password",
      reply: { status: 401, body: "API access requires Basic HTTP authentication" },
      outcome: { kind: "rejected", class: "auth" },
    },
    {
      name: "an empty account",
      reply: { status: 403, body: "Not enough credits" },
      outcome: { kind: "rejected", class: "quota" },
    },
    {
      name: "a missing parameter",
      reply: { status: 400, body: "Missing key message" },
      outcome: { kind: "rejected", class: "content" },
    },
  ],
  check: {
    request: { method: "GET", url: "https://api.46elks.com/a1/me", headers },
    ok: { status: 200, body: { displayname: "Acme", balance: 1234000, currency: "SEK" } },
    bad: { status: 401, body: "API access requires Basic HTTP authentication" },
  },
  receipts: [
    {
      name: "delivered",
      form: { id: "s70df", status: "delivered", delivered: "2026-01-02T03:04:05.741000" },
      expected: [{ externalId: "s70df", status: "delivered", date: new Date("2026-01-02T03:04:05.741Z") }],
    },
    {
      name: "failed",
      form: { id: "s70df", status: "failed" },
      expected: [{ externalId: "s70df", status: "undelivered" }],
    },
    { name: "an incoming message", form: { id: "s99", direction: "incoming", message: "STOP" }, expected: [] },
  ],
});
