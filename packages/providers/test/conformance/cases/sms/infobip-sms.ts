import { messageId, providerCase } from "../../case.ts";

const url = "https://xyz123.api.infobip.com/sms/3/messages";
const headers = { authorization: "App infobip-s3cret-key" };

function said(groupId: number, groupName: string, id: number, name: string) {
  return {
    status: 200,
    body: {
      bulkId: "1478260834465349756",
      messages: [
        { messageId: "2250be2d4219-3af1-78856", status: { groupId, groupName, id, name }, destination: "4179" },
      ],
    },
  };
}

export default providerCase({
  id: "infobip-sms",
  docs: "https://www.infobip.com/docs/developer-resources/quickstart",
  credentials: { apiKey: "infobip-s3cret-key", baseUrl: "xyz123.api.infobip.com", from: "InfoSMS" },
  minimal: {
    message: { id: messageId, channel: "sms", to: "+41 79 302 67 27", text: "Hi" },
    request: {
      method: "POST",
      url,
      headers,
      json: {
        messages: [
          {
            sender: "InfoSMS",
            destinations: [{ to: "41793026727" }],
            content: { text: "Hi" },
            webhooks: { callbackData: messageId },
          },
        ],
      },
    },
  },
  rich: {
    message: {
      id: messageId,
      channel: "sms",
      to: "41793026727",
      from: "41793026700",
      text: "Grüße 🎉",
      extra: { options: { validityPeriod: { amount: 1, timeUnit: "HOURS" } } },
    },
    request: {
      method: "POST",
      url,
      headers,
      json: {
        messages: [
          {
            sender: "41793026700",
            destinations: [{ to: "41793026727" }],
            content: { text: "Grüße 🎉" },
            webhooks: { callbackData: messageId },
            options: { validityPeriod: { amount: 1, timeUnit: "HOURS" } },
          },
        ],
      },
    },
  },
  accepted: {
    reply: said(1, "PENDING", 26, "PENDING_ACCEPTED"),
    providerMessageId: "2250be2d4219-3af1-78856",
  },
  errors: [
    {
      name: "a wrong key",
      reply: { status: 401, body: { errorCode: "E401", description: "Invalid credentials" } },
      outcome: { kind: "rejected", class: "auth" },
    },
    {
      name: "a bad request",
      reply: { status: 400, body: { errorCode: "E400", description: "Request cannot be processed." } },
      outcome: { kind: "rejected", class: "content" },
    },
    {
      name: "a bad number",
      reply: said(5, "REJECTED", 14, "REJECTED_DESTINATION"),
      outcome: { kind: "rejected", class: "recipient" },
    },
    {
      name: "a foreign sender",
      reply: said(5, "REJECTED", 11, "REJECTED_SOURCE"),
      outcome: { kind: "rejected", class: "config" },
    },
    {
      name: "an empty account",
      reply: said(5, "REJECTED", 12, "REJECTED_NOT_ENOUGH_CREDITS"),
      outcome: { kind: "rejected", class: "quota" },
    },
    {
      name: "a fault of theirs",
      reply: said(5, "REJECTED", 21, "REJECTED_SYSTEM_ERROR"),
      outcome: { kind: "retry" },
    },
  ],
  check: {
    request: { method: "GET", url: "https://xyz123.api.infobip.com/account/1/balance", headers },
    ok: { status: 200, body: { balance: 47.79134, currency: "EUR" } },
    bad: { status: 401, body: { errorCode: "E401", description: "Invalid credentials" } },
  },
  receipts: [
    {
      name: "delivered and expired",
      json: {
        results: [
          {
            bulkId: "B1",
            messageId: "M1",
            to: "41793026727",
            doneAt: "2026-01-02T03:04:05.000+0000",
            callbackData: messageId,
            status: { groupId: 3, groupName: "DELIVERED", id: 5, description: "Message delivered to handset" },
          },
          { messageId: "M2", status: { groupId: 4, groupName: "EXPIRED", id: 15, description: "Expired" } },
        ],
      },
      expected: [
        {
          externalId: "M1",
          messageId,
          status: "delivered",
          date: new Date("2026-01-02T03:04:05Z"),
          response: "Message delivered to handset",
        },
        { externalId: "M2", status: "undelivered", response: "Expired" },
      ],
    },
    {
      name: "an incoming message",
      json: { results: [{ messageId: "M3", from: "4179", text: "STOP" }], messageCount: 1 },
      expected: [],
    },
  ],
  quirks: { because: "A refusal is answered with 200, so only the body confirms", invalidJson: "unknown" },
});
