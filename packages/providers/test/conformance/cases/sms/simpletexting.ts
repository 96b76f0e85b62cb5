import { messageId, providerCase } from "../../case.ts";

const url = "https://api-app2.simpletexting.com/v2/api/messages";
const headers = { authorization: "Bearer simpletexting-s3cret" };
const error = (status: number, details: string) => ({ status, body: { status, code: "ERROR", details } });

export default providerCase({
  id: "simpletexting",
  docs: "https://api-doc.simpletexting.com/#operation/sendMessage",
  credentials: { apiKey: "simpletexting-s3cret", from: "+18005550100" },
  minimal: {
    message: { id: messageId, channel: "sms", to: "+1 415 555 2671", text: "Hi" },
    request: {
      method: "POST",
      url,
      headers,
      json: { contactPhone: "+14155552671", accountPhone: "+18005550100", mode: "AUTO", text: "Hi" },
    },
  },
  rich: {
    message: {
      id: messageId,
      channel: "sms",
      to: "+14155552671",
      from: "+18005550101",
      text: "Grüße 🎉",
      extra: { mode: "SINGLE_SMS_STRICTLY", mediaItems: ["m-1"] },
    },
    request: {
      method: "POST",
      url,
      headers,
      json: {
        contactPhone: "+14155552671",
        accountPhone: "+18005550101",
        mode: "SINGLE_SMS_STRICTLY",
        text: "Grüße 🎉",
        mediaItems: ["m-1"],
      },
    },
  },
  accepted: {
    reply: { status: 201, body: { id: "61fae3f2c2b0c95c2d0d3d6c", credits: 1 } },
    providerMessageId: "61fae3f2c2b0c95c2d0d3d6c",
  },
  errors: [
    { name: "a wrong token", reply: error(401, "Unauthorized"), outcome: { kind: "rejected", class: "auth" } },
    {
      name: "a bad number",
      reply: error(400, "contactPhone is not valid"),
      outcome: { kind: "rejected", class: "recipient" },
    },
    {
      name: "an opt-out",
      reply: error(409, "Contact is unsubscribed"),
      outcome: { kind: "rejected", class: "recipient" },
    },
    {
      name: "a foreign sender",
      reply: error(404, "Account phone not found"),
      outcome: { kind: "rejected", class: "config" },
    },
    {
      name: "an empty account",
      reply: error(400, "Not enough credits"),
      outcome: { kind: "rejected", class: "quota" },
    },
    { name: "a bad text", reply: error(400, "text is too long"), outcome: { kind: "rejected", class: "content" } },
  ],
  check: {
    request: { method: "GET", url: "https://api-app2.simpletexting.com/v2/api/tenant", headers },
    ok: { status: 200, body: { name: "Acme" } },
    bad: error(401, "Unauthorized"),
  },
});
