import { createHmac } from "node:crypto";
import { email, rich, richEmail } from "../../../support.ts";
import { messageId, providerCase, reportTarget } from "../../case.ts";

const headers = { authorization: "Bearer re_s3cret_key_123", "idempotency-key": messageId };
const tags = [{ name: "tidingsMessageId", value: messageId }];
const error = (statusCode: number, name: string, message: string) => ({
  status: statusCode,
  body: { statusCode, name, message },
});

const key = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const now = "2026-01-02T03:04:05Z";

function report(event: object) {
  const raw = JSON.stringify(event);
  const stamp = String(Date.parse(now) / 1000);
  const mac = createHmac("sha256", Buffer.from(key.slice(6), "base64")).update(`msg_1.${stamp}.${raw}`);
  const signature = `v1,${mac.digest("base64")}`;
  return { raw, key, now, headers: { "svix-id": "msg_1", "svix-timestamp": stamp, "svix-signature": signature } };
}

// Of the first kind are also the responses of people who are out of the office.
const soft = [
  ["General", "deferred"],
  ["MailboxFull", "undelivered"],
] as const;

const webhooks = "https://api.resend.com/webhooks";
const bearer = { authorization: headers.authorization };
const events = [
  ...["email.sent", "email.delivered", "email.delivery_delayed", "email.opened", "email.clicked", "email.bounced"],
  ...["email.complained", "email.failed", "email.suppressed"],
];
const webhook = { id: "4dd369bc", endpoint: reportTarget.url, status: "enabled", events };
const other = { ...webhook, id: "430eed87", endpoint: "https://a.example/handler" };
const listed = { method: "GET", url: `${webhooks}?limit=100`, headers: bearer };
const known = { method: "GET", url: `${webhooks}/4dd369bc`, headers: bearer };

export default providerCase({
  id: "resend",
  docs: "https://resend.com/docs/api-reference/emails/send-email",
  credentials: { apiKey: "re_s3cret_key_123", from: "noreply@example.com", senderName: "Example" },
  minimal: {
    message: email(),
    request: {
      method: "POST",
      url: "https://api.resend.com/emails",
      headers,
      json: {
        from: "Example <noreply@example.com>",
        to: ["ada@example.com"],
        subject: "Hello",
        html: "<p>Hello Ada</p>",
        text: "Hello Ada",
        tags,
      },
    },
  },
  rich: {
    message: richEmail({
      extra: { scheduledAt: "2026-01-03T00:00:00Z", text: null },
      customData: { "plan name": "pro €" },
    }),
    request: {
      method: "POST",
      url: "https://api.resend.com/emails",
      headers,
      json: {
        from: '"Team, North" <team@example.com>',
        to: ["Ada Lovelace <ada@example.com>", "Zoë Ñandú <b@example.com>"],
        cc: ["c@example.com"],
        bcc: ["d@example.com"],
        reply_to: "Help <help@example.com>",
        subject: "Grüße 🎉",
        html: rich.html,
        headers: rich.headers,
        tags: [
          { name: "plan_name", value: "pro__" },
          ...tags,
          { name: "tidingsWorkflowId", value: "order-shipped" },
          { name: "tidingsTransactionId", value: "txn_1" },
          { name: "tidingsSubscriberId", value: "ada_example_com" },
        ],
        attachments: [
          { filename: "Überblick.pdf", content: rich.pdfBase64, content_type: "application/pdf" },
          {
            ...{ filename: "logo.png", content: rich.pngBase64, content_type: "image/png" },
            content_id: "logo@example.com",
          },
        ],
        scheduled_at: "2026-01-03T00:00:00Z",
      },
    },
  },
  accepted: {
    reply: { status: 200, body: { id: "49a3999c-0ce1-4ea6-ab68-afcd6dc2e794" } },
    providerMessageId: "49a3999c-0ce1-4ea6-ab68-afcd6dc2e794",
  },
  errors: [
    { name: "no key", reply: error(401, "missing_api_key", "Missing"), outcome: { kind: "rejected", class: "auth" } },
    {
      name: "a bad key",
      reply: error(403, "invalid_api_key", "Invalid"),
      outcome: { kind: "rejected", class: "auth" },
    },
    {
      name: "a bad sender",
      reply: error(422, "invalid_from_address", "Invalid from"),
      outcome: { kind: "rejected", class: "config" },
    },
    {
      name: "a bad field",
      reply: error(422, "validation_error", "Invalid to"),
      outcome: { kind: "rejected", class: "content" },
    },
    {
      name: "the daily quota",
      reply: error(429, "daily_quota_exceeded", "Daily"),
      outcome: { kind: "rejected", class: "quota" },
    },
    { name: "the rate limit", reply: error(429, "rate_limit_exceeded", "Rate"), outcome: { kind: "retry" } },
    {
      name: "a request still under way",
      reply: error(409, "concurrent_idempotent_requests", "Concurrent"),
      outcome: { kind: "retry" },
    },
    {
      name: "the key of another content",
      reply: error(409, "invalid_idempotent_request", "Different"),
      outcome: { kind: "unknown" },
    },
    { name: "a fault of theirs", reply: error(500, "application_error", "Oops"), outcome: { kind: "retry" } },
  ],
  check: {
    request: {
      method: "GET",
      url: "https://api.resend.com/domains",
      headers: { authorization: headers.authorization },
    },
    ok: error(401, "restricted_api_key", "This API key is restricted to only send emails"),
    bad: error(403, "invalid_api_key", "API key is invalid"),
  },
  receipts: [
    {
      name: "delivered",
      ...report({
        type: "email.delivered",
        created_at: "2026-01-02T03:04:00.000Z",
        data: { email_id: "56761188", to: ["ada@example.com"], tags: { tidingsMessageId: messageId } },
      }),
      expected: [{ externalId: "56761188", messageId, status: "delivered", date: new Date("2026-01-02T03:04:00Z") }],
    },
    {
      name: "bounced",
      ...report({
        type: "email.bounced",
        created_at: "2026-01-02T03:04:00.000Z",
        data: { email_id: "56761188", bounce: { message: "No such mailbox", type: "Permanent" } },
      }),
      expected: [
        {
          externalId: "56761188",
          status: "bounced",
          date: new Date("2026-01-02T03:04:00Z"),
          response: "No such mailbox",
        },
      ],
    },
    ...soft.map(([subType, status]) => ({
      name: `a bounce that may pass: ${subType}`,
      ...report({ type: "email.bounced", data: { email_id: "56761188", bounce: { type: "Transient", subType } } }),
      expected: [{ externalId: "56761188", status }],
    })),
    { name: "an event of another kind", ...report({ type: "contact.created", data: { id: "1" } }), expected: [] },
  ],
  registrations: [
    {
      name: "the first time",
      calls: [
        { ...listed, reply: { status: 200, body: { object: "list", has_more: false, data: [other] } } },
        {
          ...{ method: "POST", url: webhooks, headers: bearer, json: { endpoint: reportTarget.url, events } },
          reply: { status: 201, body: { object: "webhook", id: "4dd369bc", signing_secret: key } },
        },
      ],
      signingKey: key,
    },
    {
      name: "again",
      calls: [
        { ...listed, reply: { status: 200, body: { object: "list", has_more: false, data: [other, webhook] } } },
        { ...known, reply: { status: 200, body: { ...webhook, signing_secret: key } } },
      ],
      signingKey: key,
    },
    {
      name: "one that was switched off",
      calls: [
        { ...listed, reply: { status: 200, body: { object: "list", data: [webhook] } } },
        { ...known, reply: { status: 200, body: { ...webhook, status: "disabled", signing_secret: key } } },
        {
          ...{ method: "PATCH", url: known.url, headers: bearer },
          json: { endpoint: reportTarget.url, events, status: "enabled" },
          reply: { status: 200, body: { object: "webhook", id: "4dd369bc" } },
        },
      ],
      signingKey: key,
    },
    {
      name: "a key that may only send",
      calls: [{ ...listed, reply: error(401, "restricted_api_key", "This API key is restricted to only send emails") }],
    },
  ],
});
