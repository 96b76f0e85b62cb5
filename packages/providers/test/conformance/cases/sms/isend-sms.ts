import { messageId, providerCase } from "../../case.ts";

const url = "https://isend.com.ly/api/v3/sms/send";
const headers = { authorization: "Bearer 94|isend-s3cret-token" };
const said = (message: string) => ({ status: 200, body: { status: "error", message } });

export default providerCase({
  id: "isend-sms",
  docs: "https://packagist.org/packages/isend/laravel",
  credentials: { apiToken: "94|isend-s3cret-token", from: "iSend" },
  minimal: {
    message: { id: messageId, channel: "sms", to: "+218 91 234 5678", text: "Hi" },
    request: {
      method: "POST",
      url,
      headers,
      json: { recipient: "218912345678", sender_id: "iSend", type: "plain", message: "Hi" },
    },
  },
  rich: {
    message: {
      id: messageId,
      channel: "sms",
      to: "218912345678",
      from: "17320",
      text: "مرحبا 🎉",
      extra: { schedule_time: "2026-01-02 03:04" },
    },
    request: {
      method: "POST",
      url,
      headers,
      json: {
        recipient: "218912345678",
        sender_id: "17320",
        type: "unicode",
        message: "مرحبا 🎉",
        schedule_time: "2026-01-02 03:04",
      },
    },
  },
  accepted: {
    reply: {
      status: 200,
      body: {
        status: "success",
        message: "Your message was sent",
        data: { uid: "65f0c1a2b3c4d", status: "Delivered" },
      },
    },
    providerMessageId: "65f0c1a2b3c4d",
  },
  errors: [
    {
      name: "a wrong token",
      reply: { status: 401, body: { message: "Unauthenticated." } },
      outcome: { kind: "rejected", class: "auth" },
    },
    {
      name: "an empty account",
      reply: said("You do not have enough balance"),
      outcome: { kind: "rejected", class: "quota" },
    },
    {
      name: "a foreign sender",
      reply: said("Sender ID is not authorized"),
      outcome: { kind: "rejected", class: "config" },
    },
    {
      name: "a bad number",
      reply: said("Invalid phone number"),
      outcome: { kind: "rejected", class: "recipient" },
    },
    { name: "another refusal", reply: said("Not possible"), outcome: { kind: "rejected", class: "content" } },
  ],
  quirks: { because: "Errors are answered with 200, so only the body confirms", invalidJson: "unknown" },
});
