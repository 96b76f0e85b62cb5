import { createHmac } from "node:crypto";
import { email, rich, richEmail } from "../../../support.ts";
import { messageId, providerCase } from "../../case.ts";

const now = "2026-01-02T03:04:05Z";
const secretKey = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const webhookUrl = "https://mail.example.com/hooks/tidings?tenant=7";

// As https://www.standardwebhooks.com says it: over id, time and body.
function signed(json: object) {
  const stamp = String(Date.parse(now) / 1000);
  const mac = createHmac("sha256", Buffer.from(secretKey.slice(6), "base64"));
  const signature = mac.update(`${messageId}.${stamp}.${JSON.stringify(json)}`).digest("base64");
  // As receivers written for Novu check it: the key as text, over the body alone.
  const older = createHmac("sha256", secretKey).update(JSON.stringify(json)).digest("hex");
  return {
    method: "POST",
    url: webhookUrl,
    headers: {
      "webhook-id": messageId,
      "webhook-timestamp": stamp,
      "webhook-signature": `v1,${signature}`,
      "x-novu-signature": older,
    },
    json,
  };
}

/** As Node writes bytes in JSON. */
const bytesOf = (base64: string) => Buffer.from(base64, "base64").toJSON();

export default providerCase({
  id: "email-webhook",
  docs: "https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md",
  credentials: { webhookUrl, secretKey, from: "noreply@example.com", senderName: "Example" },
  now,
  minimal: {
    message: email(),
    request: signed({
      id: messageId,
      from: { email: "noreply@example.com", name: "Example" },
      to: [{ email: "ada@example.com" }],
      subject: "Hello",
      html: "<p>Hello Ada</p>",
      text: "Hello Ada",
    }),
  },
  rich: {
    message: richEmail({ extra: { stream: "alerts" }, customData: { plan: "pro" } }),
    request: signed({
      id: messageId,
      from: { email: "team@example.com", name: "Team, North" },
      to: [
        { email: "ada@example.com", name: "Ada Lovelace" },
        { email: "b@example.com", name: "Zoë Ñandú" },
      ],
      cc: [{ email: "c@example.com" }],
      bcc: [{ email: "d@example.com" }],
      replyTo: { email: "help@example.com", name: "Help" },
      subject: "Grüße 🎉",
      html: rich.html,
      text: "Hello Ada",
      headers: rich.headers,
      attachments: [
        { name: "Überblick.pdf", mime: "application/pdf", content: rich.pdfBase64 },
        { name: "logo.png", mime: "image/png", content: rich.pngBase64, contentId: "logo@example.com" },
      ],
      origin: rich.origin,
      customData: { plan: "pro" },
      stream: "alerts",
    }),
  },
  accepted: { reply: { status: 202, body: { id: "mail-17" } }, providerMessageId: "mail-17" },
  more: [
    {
      message: richEmail({ peer: { payload: { order: 7 }, step: { digest: false } }, extra: { stream: "alerts" } }),
      request: signed({
        id: messageId,
        from: "team@example.com",
        senderName: "Team, North",
        to: ["ada@example.com", "b@example.com"],
        cc: ["c@example.com"],
        bcc: ["d@example.com"],
        replyTo: "help@example.com",
        subject: "Grüße 🎉",
        html: rich.html,
        text: "Hello Ada",
        headers: rich.headers,
        attachments: [
          { name: "Überblick.pdf", mime: "application/pdf", file: bytesOf(rich.pdfBase64) },
          { name: "logo.png", mime: "image/png", file: bytesOf(rich.pngBase64), cid: "logo@example.com" },
        ],
        payload: { order: 7 },
        payloadDetails: { order: 7 },
        stream: "alerts",
      }),
      accepted: { reply: { status: 202, body: { id: "mail-17" } }, providerMessageId: "mail-17" },
    },
  ],
  errors: [
    { name: "an answer without an id", reply: { status: 204 }, outcome: { kind: "accepted" } },
    { name: "a wrong secret", reply: { status: 401, body: "No" }, outcome: { kind: "rejected", class: "auth" } },
    { name: "a bad mail", reply: { status: 422, body: "No" }, outcome: { kind: "rejected", class: "content" } },
    {
      name: "a receiver that is busy",
      reply: { status: 503, headers: { "retry-after": "30" }, body: "" },
      outcome: { kind: "retry", afterMs: 30_000 },
    },
  ],
  receipts: [
    {
      name: "reports of both kinds of id",
      json: [
        { messageId, status: "delivered", date: "2026-01-02T03:04:00Z" },
        { externalId: "mail-17", status: "bounced", response: "550" },
        { externalId: "mail-17", status: "thought about" },
      ],
      expected: [
        { messageId, status: "delivered", date: new Date("2026-01-02T03:04:00Z") },
        { externalId: "mail-17", status: "bounced", response: "550" },
      ],
    },
  ],
});
