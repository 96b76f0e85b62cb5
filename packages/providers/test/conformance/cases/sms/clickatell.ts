import { messageId, providerCase } from "../../case.ts";

const url = "https://platform.clickatell.com/v1/message";
const headers = { authorization: "clickatell-s3cret-key==" };
const error = (status: number, code: number, description: string) => ({
  status,
  body: { messages: [{ apiMessageId: null, accepted: false, error: { code, description } }], error: null },
});

export default providerCase({
  id: "clickatell",
  docs: "https://docs.clickatell.com/channels/one-api/one-api-reference/",
  credentials: { apiKey: "clickatell-s3cret-key==" },
  minimal: {
    message: { id: messageId, channel: "sms", to: "+27 82 123 4567", text: "Hi" },
    request: {
      method: "POST",
      url,
      headers,
      json: { messages: [{ channel: "sms", to: "27821234567", content: "Hi", clientMessageId: messageId }] },
    },
  },
  rich: {
    message: {
      id: messageId,
      channel: "sms",
      to: "27821234567",
      from: "27640000001",
      text: "Grüße 🎉",
      extra: { validityPeriod: 60 },
    },
    request: {
      method: "POST",
      url,
      headers,
      json: {
        messages: [
          {
            channel: "sms",
            to: "27821234567",
            from: "27640000001",
            content: "Grüße 🎉",
            clientMessageId: messageId,
            validityPeriod: 60,
          },
        ],
      },
    },
  },
  accepted: {
    reply: {
      status: 202,
      body: {
        messages: [
          { apiMessageId: "77fb29998253415fa5d66971d519d362", accepted: true, to: "27821234567", error: null },
        ],
        error: null,
      },
    },
    providerMessageId: "77fb29998253415fa5d66971d519d362",
  },
  errors: [
    {
      name: "a wrong key",
      reply: { status: 401, body: { messages: [], error: { code: 1, description: "Invalid or missing API key" } } },
      outcome: { kind: "rejected", class: "auth" },
    },
    { name: "a bad number", reply: error(400, 25, "Recipient"), outcome: { kind: "rejected", class: "recipient" } },
    { name: "an opt-out", reply: error(400, 26, "Opted out"), outcome: { kind: "rejected", class: "recipient" } },
    {
      name: "a refusal among several",
      reply: error(207, 25, "Recipient"),
      outcome: { kind: "rejected", class: "recipient" },
    },
    { name: "a foreign sender", reply: error(400, 45, "FROM"), outcome: { kind: "rejected", class: "config" } },
    { name: "a long text", reply: error(400, 100, "Parts"), outcome: { kind: "rejected", class: "content" } },
    { name: "an empty account", reply: error(402, 20, "Balance"), outcome: { kind: "rejected", class: "quota" } },
    { name: "the rate limit", reply: error(400, 43, "Rate limit"), outcome: { kind: "retry" } },
    { name: "a fault of theirs", reply: error(503, 19, "Please retry"), outcome: { kind: "retry" } },
  ],
  receipts: [
    {
      name: "delivered",
      json: {
        integrationId: "ff80808159",
        event: {
          messageStatusUpdate: [
            {
              channel: "sms",
              messageId: "77fb",
              clientMessageId: messageId,
              timestamp: 1767323045000,
              statusCode: 5,
              status: "DEVICE_ACK",
            },
          ],
        },
      },
      expected: [
        {
          externalId: "77fb",
          messageId,
          status: "delivered",
          date: new Date("2026-01-02T03:04:05Z"),
          response: "DEVICE_ACK",
        },
      ],
    },
    {
      name: "expired, without our id",
      json: { event: { messageStatusUpdate: [{ messageId: "77fb", clientMessageId: null, status: "EXPIRED" }] } },
      expected: [{ externalId: "77fb", status: "undelivered", response: "EXPIRED" }],
    },
    { name: "an incoming message", json: { event: { moText: [{ messageId: "1", content: "STOP" }] } }, expected: [] },
  ],
});
