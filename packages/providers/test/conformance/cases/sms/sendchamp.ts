import { messageId, providerCase } from "../../case.ts";

const url = "https://api.sendchamp.com/api/v1/sms/send";
const headers = { authorization: "Bearer sendchamp_live_s3cret-key" };
const error = (status: number, message: string) => ({ status, body: { code: status, status: "error", message } });

export default providerCase({
  id: "sendchamp",
  docs: "https://sendchamp.readme.io/reference/send-sms-api",
  credentials: { apiKey: "sendchamp_live_s3cret-key", from: "Sendchamp" },
  minimal: {
    message: { id: messageId, channel: "sms", to: "+234 812 345 6789", text: "Hi" },
    request: {
      method: "POST",
      url,
      headers,
      json: { to: ["2348123456789"], message: "Hi", sender_name: "Sendchamp", route: "non_dnd" },
    },
  },
  rich: {
    message: {
      id: messageId,
      channel: "sms",
      to: "+4915112345678",
      from: "SAlert",
      text: "Grüße 🎉",
      extra: { reference: "r-1" },
    },
    request: {
      method: "POST",
      url,
      headers,
      json: {
        to: ["4915112345678"],
        message: "Grüße 🎉",
        sender_name: "SAlert",
        route: "international",
        reference: "r-1",
      },
    },
  },
  accepted: {
    reply: {
      status: 200,
      body: { code: 200, status: "success", message: "Message sent", data: { id: "79c2f6e1", status: "processing" } },
    },
    providerMessageId: "79c2f6e1",
  },
  errors: [
    { name: "a wrong key", reply: error(401, "Unauthorized"), outcome: { kind: "rejected", class: "auth" } },
    {
      name: "an empty wallet",
      reply: error(400, "Insufficient wallet balance"),
      outcome: { kind: "rejected", class: "quota" },
    },
    {
      name: "an unknown sender",
      reply: error(400, "Sender name does not exist"),
      outcome: { kind: "rejected", class: "config" },
    },
    {
      name: "a bad number",
      reply: error(400, "Invalid phone number"),
      outcome: { kind: "rejected", class: "recipient" },
    },
    { name: "a bad text", reply: error(400, "Message is required"), outcome: { kind: "rejected", class: "content" } },
    {
      name: "an error with a good status",
      reply: { status: 200, body: { code: 400, status: "failed", message: "Invalid phone number" } },
      outcome: { kind: "rejected", class: "recipient" },
    },
  ],
  quirks: { because: "An answer that does not say success confirms nothing", invalidJson: "unknown" },
});
