import { messageId, providerCase } from "../../case.ts";

const url = "https://api.eazy.im/v3/channels/31633333333@sms.eazy.im/messages/31612345678@sms.eazy.im";
const headers = { authorization: "Bearer eazy-s3cret-api-key" };
const error = (status: number, code: number, message: string) => ({
  status,
  body: { error: { code, message }, traceId: "7e6459" },
});

export default providerCase({
  id: "eazy-sms",
  docs: "https://api.eazy.im/v3",
  credentials: { apiKey: "eazy-s3cret-api-key", channelId: "31633333333@sms.eazy.im" },
  minimal: {
    message: { id: messageId, channel: "sms", to: "+31 6 12345678", text: "Hi" },
    request: { method: "POST", url, headers, json: { message: { type: "text", text: "Hi" } } },
  },
  rich: {
    message: {
      id: messageId,
      channel: "sms",
      to: "31612345678",
      text: "Grüße 🎉",
      extra: { message: { referenceId: "r-1" } },
    },
    request: {
      method: "POST",
      url,
      headers,
      json: { message: { type: "text", text: "Grüße 🎉", referenceId: "r-1" } },
    },
  },
  accepted: { reply: { status: 201, body: { id: "2574a339-86ff" } }, providerMessageId: "2574a339-86ff" },
  errors: [
    { name: "a wrong key", reply: error(401, 1001, "Unauthorized"), outcome: { kind: "rejected", class: "auth" } },
    {
      name: "a bad number",
      reply: error(400, 1005, "Jid is invalid"),
      outcome: { kind: "rejected", class: "recipient" },
    },
    {
      name: "a bad text",
      reply: error(400, 1005, "Text is empty"),
      outcome: { kind: "rejected", class: "content" },
    },
    { name: "a service that is away", reply: error(400, 1003, "Service unavailable"), outcome: { kind: "retry" } },
  ],
});
