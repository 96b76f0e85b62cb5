import { email, rich, richEmail } from "../../../support.ts";
import { messageId, providerCase, reportTarget } from "../../case.ts";

const url = "https://api.brevo.com/v3/smtp/email";
const headers = { "api-key": "xkeysib-s3cret-key" };
const own = { "Idempotency-Key": messageId, idempotencyKey: messageId, "X-Mailin-custom": messageId };
const error = (status: number, code: string, message: string) => ({ status, body: { code, message } });

const webhooks = "https://api.brevo.com/v3/webhooks";
const listed = { method: "GET", url: `${webhooks}?type=transactional`, headers };
const webhook = {
  url: `https://tidings:rep0rt-s3cret+key@${reportTarget.url.slice("https://".length)}`,
  description: "Tidings delivery reports",
  events: [
    ...["request", "delivered", "deferred", "hardBounce", "softBounce", "invalid", "blocked", "spam"],
    ...["opened", "uniqueOpened", "click", "unsubscribed"],
  ],
};

export default providerCase({
  id: "sendinblue",
  docs: "https://developers.brevo.com/reference/sendtransacemail",
  credentials: { apiKey: "xkeysib-s3cret-key", from: "noreply@example.com", senderName: "Example" },
  minimal: {
    message: email(),
    request: {
      method: "POST",
      url,
      headers,
      json: {
        sender: { email: "noreply@example.com", name: "Example" },
        to: [{ email: "ada@example.com" }],
        subject: "Hello",
        htmlContent: "<p>Hello Ada</p>",
        textContent: "Hello Ada",
        headers: own,
      },
    },
  },
  rich: {
    message: richEmail({ extra: { template_id: 17 }, customData: { plan: "pro" } }),
    notes: [
      {
        about: "override",
        name: "customData",
        reason: "Brevo (formerly Sendinblue) keeps no data with a mail",
      },
      {
        about: "attachment",
        name: "logo.png",
        reason: "It is attached and not shown inline: Brevo (formerly Sendinblue) has no inline images",
      },
    ],
    request: {
      method: "POST",
      url,
      headers,
      json: {
        sender: { email: "team@example.com", name: "Team, North" },
        to: [
          { email: "ada@example.com", name: "Ada Lovelace" },
          { email: "b@example.com", name: "Zoë Ñandú" },
        ],
        cc: [{ email: "c@example.com" }],
        bcc: [{ email: "d@example.com" }],
        replyTo: { email: "help@example.com", name: "Help" },
        subject: "Grüße 🎉",
        htmlContent: rich.html,
        textContent: "Hello Ada",
        headers: { ...rich.headers, ...own },
        attachment: [
          { name: "Überblick.pdf", content: rich.pdfBase64 },
          { name: "logo.png", content: rich.pngBase64 },
        ],
        tags: ["order-shipped"],
        templateId: 17,
      },
    },
  },
  accepted: {
    reply: { status: 201, body: { messageId: "<201798300811.5787683@smtp-relay.mailin.fr>" } },
    providerMessageId: "<201798300811.5787683@smtp-relay.mailin.fr>",
  },
  errors: [
    {
      name: "a wrong key",
      reply: error(401, "unauthorized", "Key not found"),
      outcome: { kind: "rejected", class: "auth" },
    },
    {
      name: "no credits",
      reply: error(402, "not_enough_credits", "Not enough credits"),
      outcome: { kind: "rejected", class: "quota" },
    },
    {
      name: "a bad address",
      reply: error(400, "invalid_parameter", "email is not valid in to"),
      outcome: { kind: "rejected", class: "recipient" },
    },
    {
      name: "a sender that is not verified",
      reply: error(400, "invalid_parameter", "Sending has been rejected because the sender you used is not valid."),
      outcome: { kind: "rejected", class: "config" },
    },
    {
      name: "a missing field",
      reply: error(400, "missing_parameter", "subject is missing"),
      outcome: { kind: "rejected", class: "content" },
    },
    {
      name: "a repeat within half an hour",
      reply: error(400, "duplicate_parameter", "idempotencyKey was used before"),
      outcome: { kind: "unknown" },
    },
    { name: "the rate limit", reply: error(429, "too_many_requests", "Slow down"), outcome: { kind: "retry" } },
  ],
  check: {
    request: { method: "GET", url: "https://api.brevo.com/v3/account", headers },
    ok: { status: 200, body: { email: "owner@example.com", plan: [] } },
    bad: error(401, "unauthorized", "Key not found"),
  },
  receipts: [
    {
      name: "delivered",
      json: {
        event: "delivered",
        email: "ada@example.com",
        id: 1,
        date: "2026-01-02 04:04:00",
        ts_epoch: 1767323040000,
        "message-id": "<201798300811.5787683@smtp-relay.mailin.fr>",
        "X-Mailin-custom": messageId,
      },
      expected: [
        {
          externalId: "<201798300811.5787683@smtp-relay.mailin.fr>",
          messageId,
          status: "delivered",
          recipient: "ada@example.com",
          date: new Date(1767323040000),
        },
      ],
    },
    ...["proxy_open", "unique_proxy_open"].map((event) => ({
      name: event,
      json: { event, ts_epoch: 1767323040000, "message-id": "<2@smtp-relay.mailin.fr>" },
      expected: [{ externalId: "<2@smtp-relay.mailin.fr>", status: "opened" as const, date: new Date(1767323040000) }],
    })),
    {
      name: "bounced",
      json: {
        event: "hard_bounce",
        ts_epoch: 1767323040000,
        "message-id": "<2@smtp-relay.mailin.fr>",
        reason: "server is down",
      },
      expected: [
        {
          externalId: "<2@smtp-relay.mailin.fr>",
          status: "bounced",
          date: new Date(1767323040000),
          response: "server is down",
        },
      ],
    },
    {
      name: "a mailbox that is full",
      json: { event: "soft_bounce", "message-id": "<2@smtp-relay.mailin.fr>" },
      expected: [{ externalId: "<2@smtp-relay.mailin.fr>", status: "undelivered" }],
    },
    { name: "an event of another kind", json: { event: "list_addition", list_id: [1] }, expected: [] },
  ],
  registrations: [
    {
      name: "the first time",
      calls: [
        { ...listed, reply: { status: 200, body: { webhooks: [{ id: 7, url: "https://a.example/", events: [] }] } } },
        {
          ...{ method: "POST", url: webhooks, headers, json: { ...webhook, type: "transactional" } },
          reply: { status: 201, body: { id: 8 } },
        },
      ],
      signingKey: reportTarget.key,
    },
    {
      name: "an account without webhooks",
      calls: [
        { ...listed, reply: error(404, "document_not_found", "Webhooks not found") },
        {
          ...{ method: "POST", url: webhooks, headers, json: { ...webhook, type: "transactional" } },
          reply: { status: 201, body: { id: 8 } },
        },
      ],
      signingKey: reportTarget.key,
    },
    ...[reportTarget.url, "https://tidings:older@".concat(reportTarget.url.slice("https://".length))].map((known) => ({
      name: `again, listed as ${known}`,
      calls: [
        { ...listed, reply: { status: 200, body: { webhooks: [{ id: 8, url: known, events: ["delivered"] }] } } },
        { ...{ method: "PUT", url: `${webhooks}/8`, headers, json: webhook }, reply: { status: 204 } },
      ],
      signingKey: reportTarget.key,
    })),
    { name: "a wrong key", calls: [{ ...listed, reply: error(401, "unauthorized", "Key not found") }] },
  ],
});
