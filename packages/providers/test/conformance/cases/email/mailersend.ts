import { createHmac } from "node:crypto";
import { email, rich, richEmail } from "../../../support.ts";
import { providerCase } from "../../case.ts";

const url = "https://api.mailersend.com/v1/email";
const headers = { authorization: "Bearer mlsn.s3cret-token" };
const error = (status: number, field: string, message: string) => ({
  status,
  body: { message: "The given data was invalid.", errors: { [field]: [message] } },
});

function report(event: object, key = "signing-s3cret-of-the-webhook") {
  const raw = JSON.stringify(event);
  const signature = createHmac("sha256", key).update(raw).digest("hex");
  return { raw, headers: { signature }, key, now: "2026-01-02T03:04:05Z", isAgeless: true as const };
}

const unsubscribing = email({
  headers: {
    "List-Unsubscribe": "<https://notify.example.com/u/t0ken>",
    "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
  },
});

const minimal = {
  from: { email: "noreply@example.com", name: "Example" },
  to: [{ email: "ada@example.com" }],
  subject: "Hello",
  text: "Hello Ada",
  html: "<p>Hello Ada</p>",
};

const accepted = {
  reply: { status: 202, headers: { "x-message-id": "5e42957d51f1d94a1070a733" }, body: "" },
  providerMessageId: "5e42957d51f1d94a1070a733",
};

const linked = { ...minimal, list_unsubscribe: "https://notify.example.com/u/t0ken" };

export default providerCase({
  id: "mailersend",
  docs: "https://developers.mailersend.com/api/v1/email.html#send-an-email",
  credentials: { apiKey: "mlsn.s3cret-token", from: "noreply@example.com", senderName: "Example" },
  minimal: {
    message: email(),
    request: { method: "POST", url, headers, json: minimal },
  },
  rich: {
    message: richEmail({ extra: { settings: { trackClicks: false } } }),
    request: {
      method: "POST",
      url,
      headers,
      json: {
        from: { email: "team@example.com", name: "Team, North" },
        to: [
          { email: "ada@example.com", name: "Ada Lovelace" },
          { email: "b@example.com", name: "Zoë Ñandú" },
        ],
        cc: [{ email: "c@example.com" }],
        bcc: [{ email: "d@example.com" }],
        reply_to: { email: "help@example.com", name: "Help" },
        subject: "Grüße 🎉",
        text: "Hello Ada",
        html: rich.html,
        headers: Object.entries(rich.headers).map(([name, value]) => ({ name, value })),
        attachments: [
          { content: rich.pdfBase64, filename: "Überblick.pdf", disposition: "attachment" },
          {
            ...{ content: rich.pngBase64, filename: "logo.png" },
            ...{ disposition: "inline", id: "logo@example.com" },
          },
        ],
        tags: ["order-shipped"],
        settings: { track_clicks: false },
      },
    },
  },
  accepted,
  more: [
    { message: unsubscribing, request: { method: "POST", url, headers, json: linked }, accepted },
    {
      // A plan without such links.
      message: unsubscribing,
      request: [
        {
          ...{ method: "POST", url, headers, json: linked },
          reply: error(422, "list_unsubscribe", "The list unsubscribe is not available in your plan."),
        },
        { method: "POST", url, headers, json: minimal },
      ],
      accepted,
    },
  ],
  errors: [
    {
      name: "a wrong token",
      reply: { status: 401, body: { message: "Unauthenticated." } },
      outcome: { kind: "rejected", class: "auth" },
    },
    {
      name: "a bad address",
      reply: error(422, "to.0.email", "The to.0.email must be a valid email address. #MS42209"),
      outcome: { kind: "rejected", class: "recipient" },
    },
    {
      name: "a domain that is not verified",
      reply: error(422, "from.email", "The from.email domain must be verified in your account. #MS42207"),
      outcome: { kind: "rejected", class: "config" },
    },
    {
      name: "a missing subject",
      reply: error(422, "subject", "The subject field is required."),
      outcome: { kind: "rejected", class: "content" },
    },
    {
      name: "a suppressed recipient",
      reply: {
        status: 202,
        body: {
          message: "There are some warnings for your request.",
          warnings: [
            {
              type: "ALL_SUPPRESSED",
              warning: "All suppressed",
              recipients: [{ email: "a@b", reason: ["blocklisted"] }],
            },
          ],
        },
      },
      outcome: { kind: "rejected", class: "recipient" },
    },
    {
      name: "one suppressed recipient of several",
      reply: {
        status: 202,
        body: { message: "There are some warnings for your request.", warnings: [{ type: "SOME_SUPPRESSED" }] },
      },
      outcome: { kind: "accepted" },
    },
    {
      name: "the quota of the day",
      reply: { status: 429, body: { message: "You have reached the daily API quota limit. #MS42901" } },
      outcome: { kind: "rejected", class: "quota" },
    },
    {
      name: "the rate limit",
      reply: { status: 429, body: { message: "Too Many Attempts." } },
      outcome: { kind: "retry" },
    },
  ],
  check: {
    request: { method: "GET", url: "https://api.mailersend.com/v1/api-quota", headers },
    ok: { status: 403, body: { message: "This action is unauthorized." } },
    bad: { status: 401, body: { message: "Unauthenticated." } },
  },
  receipts: [
    {
      name: "bounced",
      ...report({
        type: "activity.hard_bounced",
        created_at: "2026-01-02T03:04:00.000000Z",
        data: {
          type: "hard_bounced",
          message_id: "5e42957d",
          recipient: "ada@example.com",
          meta: { bounce_reason: "550 no such user" },
        },
      }),
      expected: [
        {
          externalId: "5e42957d",
          status: "bounced",
          recipient: "ada@example.com",
          date: new Date("2026-01-02T03:04:00Z"),
          response: "550 no such user",
        },
      ],
    },
    {
      name: "a mailbox that is full",
      ...report({ type: "activity.soft_bounced", data: { type: "soft_bounced", message_id: "5e42957d" } }),
      expected: [{ externalId: "5e42957d", status: "undelivered" }],
    },
    {
      name: "delivered, in the older form",
      ...report({
        type: "activity.delivered",
        created_at: "2026-01-02T03:04:00.000000Z",
        data: {
          type: "delivered",
          email: { message: { id: "5e42957d" }, recipient: { email: "ada@example.com" } },
          morph: null,
        },
      }),
      expected: [
        {
          externalId: "5e42957d",
          status: "delivered",
          recipient: "ada@example.com",
          date: new Date("2026-01-02T03:04:00Z"),
        },
      ],
    },
    { name: "an event of another kind", ...report({ type: "sender_identity.verified", data: {} }), expected: [] },
  ],
});
