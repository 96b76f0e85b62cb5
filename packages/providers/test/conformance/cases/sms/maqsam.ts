import { messageId, providerCase } from "../../case.ts";

const url = "https://api.maqsam.com/v2/sms";
// base64 of maqsam-key-01234567:maqsam-s3cret-value
const headers = { authorization: "Basic bWFxc2FtLWtleS0wMTIzNDU2NzptYXFzYW0tczNjcmV0LXZhbHVl" };

export default providerCase({
  id: "maqsam",
  docs: "https://portal.maqsam.com/docs/v2/sms",
  credentials: { apiKey: "maqsam-key-01234567", secretKey: "maqsam-s3cret-value", from: "Acme" },
  minimal: {
    message: { id: messageId, channel: "sms", to: "+962 7 9012 3456", text: "Hi" },
    request: { method: "POST", url, headers, json: { to: "+962790123456", message: "Hi", sender: "Acme" } },
  },
  rich: {
    message: {
      id: messageId,
      channel: "sms",
      to: "+962790123456",
      from: "Other",
      text: "مرحبا 🎉",
      extra: { campaign: "spring" },
    },
    request: {
      method: "POST",
      url,
      headers,
      json: { to: "+962790123456", message: "مرحبا 🎉", sender: "Other", campaign: "spring" },
    },
  },
  accepted: {
    reply: {
      status: 200,
      body: { message: { identifier: "23937e6e6ea74726b659aba17d4d73aa", timestamp: 1767323045 } },
    },
    providerMessageId: "23937e6e6ea74726b659aba17d4d73aa",
  },
  errors: [
    {
      name: "a wrong secret",
      reply: { status: 401, body: { message: "Unauthorized" } },
      outcome: { kind: "rejected", class: "auth" },
    },
    {
      name: "a bad request",
      reply: { status: 400, body: { message: "to is invalid" } },
      outcome: { kind: "rejected", class: "content" },
    },
  ],
});
