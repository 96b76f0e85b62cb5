import { messageId, providerCase } from "../../case.ts";

const account = "https://api.twilio.com/2010-04-01/Accounts/AC0123456789abcdef0123456789abcdef";
const headers = { authorization: "Basic QUMwMTIzNDU2Nzg5YWJjZGVmMDEyMzQ1Njc4OWFiY2RlZjp0d2lsaW8tczNjcmV0LXRva2Vu" };
const error = (status: number, code: number, message: string) => ({
  status,
  body: { code, message, more_info: `https://www.twilio.com/docs/errors/${code}`, status },
});

export default providerCase({
  id: "twilio",
  docs: "https://www.twilio.com/docs/messaging/api/message-resource#create-a-message-resource",
  credentials: {
    accountSid: "AC0123456789abcdef0123456789abcdef",
    token: "twilio-s3cret-token",
    from: "+15005550006",
  },
  minimal: {
    message: { id: messageId, channel: "sms", to: "+1 (415) 555-2671", text: "Hi" },
    request: {
      method: "POST",
      url: `${account}/Messages.json`,
      headers,
      form: { To: "+14155552671", From: "+15005550006", Body: "Hi" },
    },
  },
  rich: {
    message: {
      id: messageId,
      channel: "sms",
      to: "+14155552671",
      from: "MG0123456789abcdef0123456789abcdef",
      text: "Grüße & 🎉 = 100%",
      extra: {
        StatusCallback: "https://hooks.example.com/t?a=1",
        MediaUrl: ["https://a.example/1", "https://a.example/2"],
      },
    },
    request: {
      method: "POST",
      url: `${account}/Messages.json`,
      headers,
      form: {
        To: "+14155552671",
        MessagingServiceSid: "MG0123456789abcdef0123456789abcdef",
        Body: "Grüße & 🎉 = 100%",
        StatusCallback: "https://hooks.example.com/t?a=1",
        MediaUrl: ["https://a.example/1", "https://a.example/2"],
      },
    },
  },
  accepted: {
    reply: { status: 201, body: { sid: "SM22222222222222222222222222222222", status: "queued", error_code: null } },
    providerMessageId: "SM22222222222222222222222222222222",
  },
  errors: [
    { name: "a wrong token", reply: error(401, 20003, "Authenticate"), outcome: { kind: "rejected", class: "auth" } },
    {
      name: "a bad number",
      reply: error(400, 21211, "Invalid 'To'"),
      outcome: { kind: "rejected", class: "recipient" },
    },
    { name: "an opt-out", reply: error(400, 21610, "unsubscribed"), outcome: { kind: "rejected", class: "recipient" } },
    { name: "a foreign sender", reply: error(400, 21606, "'From'"), outcome: { kind: "rejected", class: "config" } },
    { name: "a closed region", reply: error(400, 21408, "Permission"), outcome: { kind: "rejected", class: "config" } },
    { name: "a long text", reply: error(400, 21617, "1600"), outcome: { kind: "rejected", class: "content" } },
    { name: "the daily limit", reply: error(429, 63038, "limit"), outcome: { kind: "rejected", class: "quota" } },
    { name: "a full queue", reply: error(400, 30001, "Queue overflow"), outcome: { kind: "retry" } },
    { name: "an unknown code", reply: error(400, 99999, "Other"), outcome: { kind: "rejected", class: "content" } },
  ],
  check: {
    request: { method: "GET", url: `${account}.json`, headers },
    ok: { status: 200, body: { sid: "AC0123456789abcdef0123456789abcdef", status: "active" } },
    bad: error(401, 20003, "Authenticate"),
  },
  receipts: [
    {
      name: "delivered",
      form: { MessageSid: "SM22", MessageStatus: "delivered", To: "+14155552671", AccountSid: "AC01" },
      expected: [{ externalId: "SM22", status: "delivered" }],
    },
    {
      name: "undelivered",
      form: { MessageSid: "SM22", MessageStatus: "undelivered", ErrorCode: "30005" },
      expected: [{ externalId: "SM22", status: "undelivered", response: "Error 30005" }],
    },
    { name: "an inbound message", form: { MessageSid: "SM23", SmsStatus: "received", Body: "STOP" }, expected: [] },
  ],
});
