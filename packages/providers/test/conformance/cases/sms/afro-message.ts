import { messageId, providerCase } from "../../case.ts";

const url = "https://api.afromessage.com/api/send";
const headers = { authorization: "Bearer afro-s3cret-token" };
const error = (status: number, text: string) => ({
  status,
  body: { acknowledge: "error", response: { errors: [text] } },
});

export default providerCase({
  id: "afro-message",
  docs: "https://afromessage.com/developers",
  credentials: { apiKey: "afro-s3cret-token", senderName: "Acme", from: "e80ad9d8-adf3" },
  minimal: {
    message: { id: messageId, channel: "sms", to: "+251 912 345 678", text: "Hi" },
    request: {
      method: "POST",
      url,
      headers,
      json: { from: "e80ad9d8-adf3", sender: "Acme", to: "+251912345678", message: "Hi" },
    },
  },
  rich: {
    message: {
      id: messageId,
      channel: "sms",
      to: "+251912345678",
      from: "other-identifier",
      text: "ሰላም 🎉",
      extra: { callback: "https://hooks.example.com/a", template: 0 },
    },
    request: {
      method: "POST",
      url,
      headers,
      json: {
        from: "other-identifier",
        sender: "Acme",
        to: "+251912345678",
        message: "ሰላም 🎉",
        callback: "https://hooks.example.com/a",
        template: 0,
      },
    },
  },
  accepted: {
    reply: {
      status: 200,
      body: { acknowledge: "success", response: { status: "sent", message_id: "4f1c9d2a-7b60", to: "+251912345678" } },
    },
    providerMessageId: "4f1c9d2a-7b60",
  },
  errors: [
    { name: "a wrong token", reply: { status: 401, body: "" }, outcome: { kind: "rejected", class: "auth" } },
    {
      name: "a wrong token with a good status",
      reply: error(200, "Invalid token"),
      outcome: { kind: "rejected", class: "auth" },
    },
    {
      name: "a bad number",
      reply: error(200, "Invalid phone number"),
      outcome: { kind: "rejected", class: "recipient" },
    },
    {
      name: "an unverified sender",
      reply: error(200, "Sender name is not verified"),
      outcome: { kind: "rejected", class: "config" },
    },
    {
      name: "an empty account",
      reply: error(400, "Insufficient balance"),
      outcome: { kind: "rejected", class: "quota" },
    },
    { name: "a bad text", reply: error(200, "Message is empty"), outcome: { kind: "rejected", class: "content" } },
  ],
  quirks: { because: "Every answer may be 200, and its body decides", invalidJson: "unknown" },
});
