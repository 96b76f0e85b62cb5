import { messageId, providerCase } from "../../case.ts";

const url = "https://www.firetext.co.uk/api/sendsms/json";
const said = (code: number, description: string) => ({ status: 200, body: { code, description } });

export default providerCase({
  id: "firetext",
  docs: "https://www.firetext.co.uk/docs",
  credentials: { apiKey: "firetext-s3cret-key", from: "FireText" },
  minimal: {
    message: { id: messageId, channel: "sms", to: "+44 7123 456789", text: "Hi" },
    request: {
      method: "POST",
      url,
      form: {
        apiKey: "firetext-s3cret-key",
        message: "Hi",
        from: "FireText",
        to: "447123456789",
        reference: messageId,
      },
    },
  },
  rich: {
    message: {
      id: messageId,
      channel: "sms",
      to: "07123456789",
      from: "447700900000",
      text: "Grüße & 🎉",
      extra: { schedule: "2026-05-22 17:00" },
    },
    request: {
      method: "POST",
      url,
      form: {
        apiKey: "firetext-s3cret-key",
        message: "Grüße & 🎉",
        from: "447700900000",
        to: "07123456789",
        reference: messageId,
        schedule: "2026-05-22 17:00",
      },
    },
  },
  accepted: {
    reply: { ...said(0, "SMS successfully queued"), headers: { "x-message": "2f1b7d0e4c" } },
    providerMessageId: "2f1b7d0e4c",
  },
  errors: [
    { name: "a wrong key", reply: said(1, "Authentication error"), outcome: { kind: "rejected", class: "auth" } },
    {
      name: "a bad number",
      reply: said(2, "Destination number(s) error"),
      outcome: { kind: "rejected", class: "recipient" },
    },
    { name: "a bad sender", reply: said(3, "From error"), outcome: { kind: "rejected", class: "config" } },
    { name: "a bad text", reply: said(5, "Message error"), outcome: { kind: "rejected", class: "content" } },
    { name: "an empty account", reply: said(7, "Insufficient credit"), outcome: { kind: "rejected", class: "quota" } },
  ],
  receipts: [
    {
      name: "delivered",
      form: { mobile: "447123456789", status: "0", time: "2026-01-02 03:04:05", reference: messageId },
      expected: [{ messageId, status: "delivered" }],
    },
    {
      name: "declined",
      form: { mobile: "447123456789", status: "1", code: "101", reference: messageId },
      expected: [{ messageId, status: "undelivered", response: "Code 101" }],
    },
    { name: "an incoming message", form: { source: "447123456789", message: "STOP" }, expected: [] },
  ],
  quirks: { because: "Errors are answered with 200, so only the body confirms", invalidJson: "unknown" },
});
