import { messageId, providerCase } from "../../case.ts";

const url = "https://rest.clicksend.com/v3/sms/send";
const headers = { authorization: `Basic ${btoa("acme:clicksend-s3cret-key")}` };
const item = { source: "tidings", from: "Acme", to: "+61411111111", body: "Hi", custom_string: messageId };

function said(status: string) {
  return {
    status: 200,
    body: {
      http_code: 200,
      response_code: "SUCCESS",
      response_msg: "Messages queued for delivery.",
      data: { messages: [{ to: "+61411111111", message_id: "BF7AD270", status }] },
    },
  };
}

export default providerCase({
  id: "clicksend",
  docs: "https://developers.clicksend.com/docs/rest/v3/#send-sms",
  credentials: { user: "acme", apiKey: "clicksend-s3cret-key", from: "Acme" },
  minimal: {
    message: { id: messageId, channel: "sms", to: "+61 411 111 111", text: "Hi" },
    request: { method: "POST", url, headers, json: { messages: [item] } },
  },
  rich: {
    message: {
      id: messageId,
      channel: "sms",
      to: "+61411111111",
      from: "+61422222222",
      text: "Grüße 🎉",
      extra: { schedule: 1767323045, country: "AU" },
    },
    request: {
      method: "POST",
      url,
      headers,
      json: {
        messages: [{ ...item, from: "+61422222222", body: "Grüße 🎉", schedule: 1767323045, country: "AU" }],
      },
    },
  },
  accepted: { reply: said("SUCCESS"), providerMessageId: "BF7AD270" },
  errors: [
    {
      name: "a wrong key",
      reply: {
        status: 401,
        body: { http_code: 401, response_code: "UNAUTHORIZED", response_msg: "Authorization failed." },
      },
      outcome: { kind: "rejected", class: "auth" },
    },
    { name: "a bad number", reply: said("INVALID_RECIPIENT"), outcome: { kind: "rejected", class: "recipient" } },
    { name: "a bad sender", reply: said("INVALID_SENDER_ID"), outcome: { kind: "rejected", class: "config" } },
    { name: "a closed country", reply: said("COUNTRY_NOT_ENABLED"), outcome: { kind: "rejected", class: "config" } },
    { name: "an empty account", reply: said("INSUFFICIENT_CREDIT"), outcome: { kind: "rejected", class: "quota" } },
    {
      name: "a missing text",
      reply: said("MISSING_REQUIRED_FIELDS"),
      outcome: { kind: "rejected", class: "content" },
    },
    { name: "the same text too soon", reply: said("THROTTLED"), outcome: { kind: "retry" } },
  ],
  check: {
    request: { method: "GET", url: "https://rest.clicksend.com/v3/account", headers },
    ok: { status: 200, body: { http_code: 200, response_code: "SUCCESS", data: { balance: "5.00" } } },
    bad: { status: 401, body: { http_code: 401, response_code: "UNAUTHORIZED" } },
  },
  receipts: [
    {
      name: "delivered",
      form: {
        timestamp: "1767323045",
        timestamp_send: "1767323040",
        message_id: "BF7AD270",
        status_code: "201",
        status_text: "Success: Message received on handset.",
        error_code: "",
        error_text: "",
        custom_string: messageId,
        message_type: "sms",
      },
      expected: [
        {
          externalId: "BF7AD270",
          messageId,
          status: "delivered",
          date: new Date("2026-01-02T03:04:05Z"),
          response: "Success: Message received on handset.",
        },
      ],
    },
    {
      name: "failed",
      form: { message_id: "BF7AD270", status_code: "301", error_text: "Absent subscriber" },
      expected: [{ externalId: "BF7AD270", status: "undelivered", response: "Absent subscriber" }],
    },
    { name: "an incoming message", form: { message_id: "in-1", body: "STOP", from: "+61411111111" }, expected: [] },
  ],
  quirks: { because: "A good status of the request says nothing of its message", invalidJson: "unknown" },
});
