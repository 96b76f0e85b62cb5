import { email, rich, richEmail } from "../../../support.ts";
import { messageId, providerCase } from "../../case.ts";

const url = "https://api.useplunk.com/v1/send";
const headers = { authorization: "Bearer sk_s3cret_plunk", "idempotency-key": messageId };
const error = (statusCode: number, code: string, more: object = {}) => ({
  status: statusCode,
  body: { success: false, error: { code, message: "No", statusCode, ...more } },
});
const reused = (originalStatusCode: number | null) =>
  error(409, "IDEMPOTENCY_KEY_REUSED", {
    details: { key: messageId, originalRequest: "POST /v1/send", originalStatusCode },
  });

export default providerCase({
  id: "plunk",
  docs: "https://docs.useplunk.com/api-reference/public-api/sendEmail",
  credentials: { apiKey: "sk_s3cret_plunk", from: "noreply@example.com", senderName: "Example" },
  minimal: {
    message: email(),
    request: {
      method: "POST",
      url,
      headers,
      json: {
        to: ["ada@example.com"],
        from: "noreply@example.com",
        name: "Example",
        subject: "Hello",
        body: "<p>Hello Ada</p>",
      },
    },
  },
  rich: {
    message: richEmail({ html: "<p>{{email}} {% raw %}</p>", extra: { subscribed: false } }),
    request: {
      method: "POST",
      url,
      headers,
      json: {
        to: ["ada@example.com", "b@example.com", "c@example.com", "d@example.com"],
        from: "team@example.com",
        name: "Team, North",
        reply: "help@example.com",
        subject: "Grüße 🎉",
        body: '<p>{{ "{{" }}email}} {{ "{%" }} raw %}</p>',
        headers: rich.headers,
        attachments: [
          { filename: "Überblick.pdf", content: rich.pdfBase64, contentType: "application/pdf" },
          {
            ...{ filename: "logo.png", content: rich.pngBase64, contentType: "image/png" },
            ...{ contentId: "logo@example.com", disposition: "inline" },
          },
        ],
        subscribed: false,
      },
    },
  },
  accepted: {
    reply: {
      status: 200,
      body: {
        success: true,
        data: {
          emails: [
            { contact: { id: "cnt_1", email: "ada@example.com" }, email: "ac32f08e-c6b9-45d3-9824-a73dff1e3bbf" },
          ],
          timestamp: "2026-01-02T03:04:05.000Z",
        },
      },
    },
    providerMessageId: "ac32f08e-c6b9-45d3-9824-a73dff1e3bbf",
  },
  more: [
    // The two generations of the API, and the record instead of its id.
    ...[
      { success: true, emails: [{ contact: { id: "cnt_1", email: "ada@example.com" }, email: "em_1" }] },
      { success: true, emails: [{ contact: { id: "cnt_1" }, email: { id: "em_1" } }] },
      { success: true, data: { emails: [{ email: { id: "em_1" } }] } },
    ].map((body) => ({
      message: email({ from: "noreply@example.com", senderName: "Example" }),
      request: {
        ...{ method: "POST", url, headers },
        json: {
          ...{ to: ["ada@example.com"], from: "noreply@example.com", name: "Example" },
          ...{ subject: "Hello", body: "<p>Hello Ada</p>" },
        },
      },
      accepted: { reply: { status: 200, body }, providerMessageId: "em_1" },
    })),
  ],
  errors: [
    { name: "a wrong key", reply: error(401, "INVALID_API_KEY"), outcome: { kind: "rejected", class: "auth" } },
    {
      name: "a bad address",
      reply: error(422, "VALIDATION_ERROR", { errors: [{ field: "to", message: "Invalid email" }] }),
      outcome: { kind: "rejected", class: "recipient" },
    },
    {
      name: "a bad field",
      reply: error(422, "VALIDATION_ERROR", { errors: [{ field: "subject", message: "Too long" }] }),
      outcome: { kind: "rejected", class: "content" },
    },
    {
      name: "a domain that is not verified",
      reply: error(403, "INTERNAL_SERVER_ERROR", { message: 'Domain "example.com" is not verified.' }),
      outcome: { kind: "rejected", class: "config" },
    },
    {
      name: "the limit of the plan",
      reply: error(402, "BILLING_LIMIT_EXCEEDED"),
      outcome: { kind: "rejected", class: "quota" },
    },
    { name: "a repeat of what was sent", reply: reused(200), outcome: { kind: "accepted" } },
    { name: "a repeat of what is under way", reply: reused(null), outcome: { kind: "retry" } },
    { name: "a repeat of what broke half-way", reply: reused(500), outcome: { kind: "unknown" } },
    { name: "the rate limit", reply: error(429, "RATE_LIMIT_EXCEEDED"), outcome: { kind: "retry" } },
  ],
  receipts: [
    {
      name: "delivered",
      json: {
        contact: { email: "ada@example.com", subscribed: true },
        workflow: { id: "w1", name: "Reports" },
        event: { emailId: "ac32f08e", messageId: "0102", deliveredAt: "2026-01-02T03:04:00.000Z" },
      },
      expected: [
        {
          externalId: "ac32f08e",
          status: "delivered",
          recipient: "ada@example.com",
          date: new Date("2026-01-02T03:04:00Z"),
        },
      ],
    },
    {
      name: "bounced for good",
      json: { event: { emailId: "ac32f08e", bounceType: "Permanent", bouncedAt: "2026-01-02T03:04:00.000Z" } },
      expected: [{ externalId: "ac32f08e", status: "bounced", date: new Date("2026-01-02T03:04:00Z") }],
    },
    {
      name: "a bounce that may pass",
      json: { event: { emailId: "ac32f08e", bounceType: "Transient", transientBounce: true } },
      expected: [{ externalId: "ac32f08e", status: "deferred" }],
    },
    { name: "an event of another kind", json: { event: { segmentId: "s" } }, expected: [] },
  ],
});
