import { messageId, providerCase } from "../../case.ts";

const url = "https://sms.example.com/send?tenant=acme";
const keys = { "x-api-key": "generic-s3cret-key-1", "x-api-secret": "generic-s3cret-key-2" };

const token = {
  method: "POST",
  url: "https://sms.example.com/login",
  headers: keys,
  reply: { status: 200, body: { data: { "x-session": "session-token-0123" } } },
};

export default providerCase({
  id: "generic-sms",
  docs: "https://docs.novu.co/platform/integrations/sms/sms-webhook",
  credentials: {
    baseUrl: url,
    apiKeyRequestHeader: "X-Api-Key",
    apiKey: "generic-s3cret-key-1",
    secretKeyRequestHeader: "X-Api-Secret",
    secretKey: "generic-s3cret-key-2",
    idPath: "messages.0.id",
    datePath: "messages.0.date",
    authenticateByToken: true,
    domain: "https://sms.example.com/login",
    authenticationTokenKey: "x-session",
    from: "Acme",
  },
  minimal: {
    message: { id: messageId, channel: "sms", to: "+1 415 555 2671", text: "Hi" },
    request: [
      token,
      {
        method: "POST",
        url,
        headers: { ...keys, "x-session": "session-token-0123" },
        json: { id: messageId, to: "+14155552671", content: "Hi", sender: "Acme" },
      },
    ],
  },
  rich: {
    message: {
      id: messageId,
      channel: "sms",
      to: "+14155552671",
      from: "Other",
      text: "Grüße & 🎉 = 100%",
      extra: { priority: "high", meta: { campaign: "spring" } },
      passthrough: { headers: { "x-trace": "t-1" } },
    },
    request: [
      token,
      {
        method: "POST",
        url,
        headers: { ...keys, "x-session": "session-token-0123", "x-trace": "t-1" },
        json: {
          id: messageId,
          to: "+14155552671",
          content: "Grüße & 🎉 = 100%",
          sender: "Other",
          priority: "high",
          meta: { campaign: "spring" },
        },
      },
    ],
  },
  accepted: {
    reply: { status: 200, body: { messages: [{ id: 4711, date: "2026-01-02T03:04:05Z" }] } },
    providerMessageId: "4711",
  },
  errors: [
    {
      name: "a refused login",
      reply: { status: 401, body: { error: "bad key" } },
      at: 0,
      outcome: { kind: "rejected", class: "auth" },
    },
    {
      name: "a login without a token",
      reply: { status: 200, body: { data: {} } },
      at: 0,
      outcome: { kind: "rejected", class: "auth" },
    },
    {
      name: "a token that is not taken",
      reply: { status: 401, body: { error: "bad token" } },
      outcome: { kind: "rejected", class: "auth" },
    },
    {
      name: "a bad message",
      reply: { status: 422, body: { error: "content" } },
      outcome: { kind: "rejected", class: "content" },
    },
  ],
  receipts: [
    {
      name: "a list of reports",
      json: [
        { messageId, status: "delivered", date: "2026-01-02T03:04:05Z" },
        { externalId: "4711", status: "failed", response: "No route" },
        { externalId: "4711", status: "opened" },
      ],
      expected: [
        { messageId, status: "delivered", date: new Date("2026-01-02T03:04:05Z") },
        { externalId: "4711", status: "failed", response: "No route" },
      ],
    },
  ],
});
