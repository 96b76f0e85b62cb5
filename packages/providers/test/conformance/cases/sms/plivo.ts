import { messageId, providerCase } from "../../case.ts";

const account = "https://api.plivo.com/v1/Account/MAXXXXXXXXXXXXXXXXXX";
// base64 of MAXXXXXXXXXXXXXXXXXX:plivo-s3cret-token
const headers = { authorization: "Basic TUFYWFhYWFhYWFhYWFhYWFhYWFg6cGxpdm8tczNjcmV0LXRva2Vu" };
const error = (status: number, text: string) => ({ status, body: { api_id: "5b40a428-bfc7-11f0", error: text } });

export default providerCase({
  id: "plivo",
  docs: "https://www.plivo.com/docs/messaging/api/messages/",
  credentials: { accountSid: "MAXXXXXXXXXXXXXXXXXX", token: "plivo-s3cret-token", from: "+14151112221" },
  minimal: {
    message: { id: messageId, channel: "sms", to: "+1 415 111 2222", text: "Hi" },
    request: {
      method: "POST",
      url: `${account}/Message/`,
      headers,
      json: { src: "+14151112221", dst: "+14151112222", text: "Hi" },
    },
  },
  rich: {
    message: {
      id: messageId,
      channel: "sms",
      to: "+14151112222",
      from: "PLIVO",
      text: "Grüße 🎉",
      extra: { url: "https://hooks.example.com/p", method: "POST", log: "content_only" },
    },
    request: {
      method: "POST",
      url: `${account}/Message/`,
      headers,
      json: {
        src: "PLIVO",
        dst: "+14151112222",
        text: "Grüße 🎉",
        url: "https://hooks.example.com/p",
        method: "POST",
        log: "content_only",
      },
    },
  },
  accepted: {
    reply: {
      status: 202,
      body: {
        message: "message(s) queued",
        message_uuid: ["db3ce55a-7f1d-11e1-8ea7-1231380bc196"],
        api_id: "db342550-7f1d-11e1-8ea7-1231380bc196",
      },
    },
    providerMessageId: "db3ce55a-7f1d-11e1-8ea7-1231380bc196",
  },
  errors: [
    {
      name: "a wrong token",
      reply: { status: 401, body: "Could not verify your access level for that URL." },
      outcome: { kind: "rejected", class: "auth" },
    },
    {
      name: "a bad number",
      reply: error(400, "dst parameter is not valid"),
      outcome: { kind: "rejected", class: "recipient" },
    },
    {
      name: "a foreign sender",
      reply: error(400, "src parameter is not valid"),
      outcome: { kind: "rejected", class: "config" },
    },
    {
      name: "no credit",
      reply: error(400, "Insufficient Credit"),
      outcome: { kind: "rejected", class: "quota" },
    },
    {
      name: "a missing text",
      reply: error(400, "text parameter not present"),
      outcome: { kind: "rejected", class: "content" },
    },
    { name: "an unknown account", reply: error(404, "not found"), outcome: { kind: "rejected", class: "config" } },
    {
      name: "an empty account",
      reply: error(402, "Insufficient balance"),
      outcome: { kind: "rejected", class: "quota" },
    },
    { name: "the rate limit", reply: error(429, "Too many requests"), outcome: { kind: "retry" } },
  ],
  check: {
    request: { method: "GET", url: `${account}/`, headers },
    ok: { status: 200, body: { auth_id: "MAXXXXXXXXXXXXXXXXXX", cash_credits: "5.00" } },
    bad: { status: 401, body: "Could not verify your access level for that URL." },
  },
  receipts: [
    {
      name: "delivered",
      form: { From: "14151112221", To: "14151112222", Status: "delivered", MessageUUID: "db3c", ErrorCode: "000" },
      expected: [{ externalId: "db3c", status: "delivered" }],
    },
    {
      name: "a part that was not delivered",
      form: { Status: "undelivered", MessageUUID: "part-2", ParentMessageUUID: "db3c", ErrorCode: "450" },
      expected: [{ externalId: "db3c", status: "undelivered", response: "Error 450" }],
    },
    { name: "an incoming message", form: { MessageUUID: "in-1", Text: "STOP", Type: "sms" }, expected: [] },
  ],
});
