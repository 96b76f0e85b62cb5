import { createSign, generateKeyPairSync } from "node:crypto";
import { email, rich, richEmail } from "../../../support.ts";
import { messageId, providerCase, reportTarget } from "../../case.ts";

const headers = { authorization: "Bearer SG.s3cret-key-123" };
const custom_args = { tidingsMessageId: messageId };
const content = [
  { type: "text/plain", value: "Hello Ada" },
  { type: "text/html", value: "<p>Hello Ada</p>" },
];
const error = (status: number, field: string | null, message: string) => ({
  status,
  body: { errors: [{ message, field, help: null }] },
});

const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "prime256v1" });
const key = publicKey.export({ format: "der", type: "spki" }).toString("base64");
const now = "2026-01-02T03:04:05Z";

function report(events: object[]) {
  // The line break is sent and signed, too.
  const raw = `${JSON.stringify(events)}\r\n`;
  const stamp = String(Date.parse(now) / 1000);
  const signature = createSign("sha256").update(`${stamp}${raw}`).sign(privateKey, "base64");
  return {
    raw,
    key,
    now,
    headers: {
      "x-twilio-email-event-webhook-signature": signature,
      "x-twilio-email-event-webhook-timestamp": stamp,
    },
  };
}

const settings = "https://api.eu.sendgrid.com/v3/user/webhooks/event/settings";
const switches = {
  ...{ enabled: true, processed: true, delivered: true, deferred: true, bounce: true, dropped: true, open: true },
  ...{ click: true, spam_report: true, unsubscribe: true, group_unsubscribe: true, group_resubscribe: false },
};
const webhook = { id: "w1", url: reportTarget.url, friendly_name: "Tidings delivery reports", ...switches };
const listed = { method: "GET", url: `${settings}/all`, headers };

function wanted(method: string, path = "") {
  const { id, ...json } = webhook;
  return { method, url: `${settings}${path}`, headers, json };
}

const signed = (method: string, public_key: string) => ({
  ...{ method, url: `${settings}/signed/w1`, headers },
  ...(method === "PATCH" ? { json: { enabled: true } } : {}),
  reply: { status: 200, body: { id: "w1", public_key } },
});

const accepted = {
  reply: { status: 202, headers: { "x-message-id": "14c5d75ce93" }, body: "" },
  providerMessageId: "14c5d75ce93",
};

export default providerCase({
  id: "sendgrid",
  docs: "https://www.twilio.com/docs/sendgrid/api-reference/mail-send/mail-send",
  credentials: {
    apiKey: "SG.s3cret-key-123",
    region: "eu",
    ipPoolName: "transactional",
    from: "noreply@example.com",
    senderName: "Example",
  },
  minimal: {
    message: email(),
    request: {
      method: "POST",
      url: "https://api.eu.sendgrid.com/v3/mail/send",
      headers,
      json: {
        personalizations: [{ to: [{ email: "ada@example.com" }] }],
        from: { email: "noreply@example.com", name: "Example" },
        subject: "Hello",
        content,
        custom_args,
        ip_pool_name: "transactional",
      },
    },
  },
  rich: {
    message: richEmail({
      extra: { custom_args: { plan: "pro" }, mailSettings: { sandboxMode: { enable: true } }, sendAt: 1767400000 },
      customData: { orderId: 17, seats: ["1A"] },
    }),
    request: {
      method: "POST",
      url: "https://api.eu.sendgrid.com/v3/mail/send",
      headers,
      json: {
        personalizations: [
          {
            to: [
              { email: "ada@example.com", name: "Ada Lovelace" },
              { email: "b@example.com", name: "Zoë Ñandú" },
            ],
            cc: [{ email: "c@example.com" }],
            bcc: [{ email: "d@example.com" }],
          },
        ],
        from: { email: "team@example.com", name: "Team, North" },
        reply_to: { email: "help@example.com", name: "Help" },
        subject: "Grüße 🎉",
        content: [content[0], { type: "text/html", value: rich.html }],
        headers: rich.headers,
        categories: ["order-shipped"],
        custom_args: { ...custom_args, ...rich.metadata, orderId: "17", seats: '["1A"]', plan: "pro" },
        ip_pool_name: "transactional",
        attachments: [
          { content: rich.pdfBase64, filename: "Überblick.pdf", type: "application/pdf" },
          {
            ...{ content: rich.pngBase64, filename: "logo.png", type: "image/png" },
            ...{ disposition: "inline", content_id: "logo@example.com" },
          },
        ],
        mail_settings: { sandbox_mode: { enable: true } },
        send_at: 1767400000,
      },
    },
  },
  accepted,
  more: [
    {
      // A template of SendGrid's, as the channel's custom data choose it; its recipients stay those of the message.
      message: email({ customData: { templateId: "d-17", dynamicTemplateData: { name: "Ada" }, plan: "pro" } }),
      request: {
        ...{ method: "POST", url: "https://api.eu.sendgrid.com/v3/mail/send", headers },
        json: {
          personalizations: [{ to: [{ email: "ada@example.com" }], dynamic_template_data: { name: "Ada" } }],
          from: { email: "noreply@example.com", name: "Example" },
          subject: "Hello",
          content,
          template_id: "d-17",
          custom_args: { ...custom_args, plan: "pro" },
          ip_pool_name: "transactional",
        },
      },
      accepted,
    },
    {
      // The same under the names of the SDK, and with a personalization of the caller's own.
      message: email({
        extra: { templateId: "d-17", dynamicTemplateData: { name: "Ada" }, category: "invite" },
        passthrough: { body: { personalizations: [{ to: [{ email: "else@example.com" }], send_at: 17 }] } },
      }),
      request: {
        ...{ method: "POST", url: "https://api.eu.sendgrid.com/v3/mail/send", headers },
        json: {
          personalizations: [
            { to: [{ email: "ada@example.com" }], dynamic_template_data: { name: "Ada" }, send_at: 17 },
          ],
          from: { email: "noreply@example.com", name: "Example" },
          subject: "Hello",
          content,
          template_id: "d-17",
          categories: ["invite"],
          custom_args,
          ip_pool_name: "transactional",
        },
      },
      accepted,
    },
  ],
  errors: [
    {
      name: "a sender that is no address",
      reply: error(400, "from.email", "The from email does not contain a valid address."),
      outcome: { kind: "rejected", class: "config" },
    },
    {
      name: "a template that is none",
      reply: error(400, "template_id", "The template_id must be a valid GUID"),
      outcome: { kind: "rejected", class: "config" },
    },
    {
      name: "data that the template cannot take",
      reply: error(400, "personalizations.0.dynamic_template_data", "must be an object"),
      outcome: { kind: "rejected", class: "content" },
    },
    {
      name: "a wrong key",
      reply: error(401, null, "The provided authorization grant is invalid, expired, or revoked"),
      outcome: { kind: "rejected", class: "auth" },
    },
    {
      name: "no credits",
      reply: error(401, null, "Maximum credits exceeded"),
      outcome: { kind: "rejected", class: "quota" },
    },
    {
      name: "a sender that is not verified",
      reply: error(403, "from", "The from address does not match a verified Sender Identity."),
      outcome: { kind: "rejected", class: "config" },
    },
    {
      name: "a bad address",
      reply: error(400, "personalizations.0.to.0.email", "Does not contain a valid address."),
      outcome: { kind: "rejected", class: "recipient" },
    },
    {
      name: "an empty content",
      reply: error(400, "content.0.value", "The content value must be a string at least one character in length."),
      outcome: { kind: "rejected", class: "content" },
    },
    { name: "a mail that is too big", reply: error(413, null, "Big"), outcome: { kind: "rejected", class: "content" } },
    { name: "the rate limit", reply: error(429, null, "too many requests"), outcome: { kind: "retry" } },
  ],
  check: {
    request: { method: "GET", url: "https://api.eu.sendgrid.com/v3/scopes", headers },
    ok: { status: 200, body: { scopes: ["mail.send"] } },
    bad: error(401, null, "authorization required"),
  },
  receipts: [
    {
      name: "several events",
      ...report([
        {
          event: "delivered",
          email: "ada@example.com",
          timestamp: 1767323040,
          sg_message_id: "14c5d75ce93.dfd.64469.filter0001.16648.5515E0B88.0",
          response: "250 OK",
          tidingsMessageId: messageId,
        },
        {
          event: "bounce",
          type: "blocked",
          timestamp: 1767323041,
          sg_message_id: "14c5d75ce93.dfd",
          reason: "550 5.7.1 blocked",
        },
        { event: "deferred", timestamp: 1767323042, sg_message_id: "14c5d75ce93.dfd", attempt: "5", response: "400" },
        { event: "group_resubscribe", timestamp: 1767323043, sg_message_id: "14c5d75ce93.dfd" },
      ]),
      expected: [
        {
          externalId: "14c5d75ce93",
          messageId,
          status: "delivered",
          recipient: "ada@example.com",
          date: new Date(1767323040000),
          response: "250 OK",
        },
        {
          externalId: "14c5d75ce93",
          status: "blocked",
          date: new Date(1767323041000),
          response: "550 5.7.1 blocked",
        },
        {
          externalId: "14c5d75ce93",
          status: "deferred",
          date: new Date(1767323042000),
          attempts: 5,
          response: "400",
        },
      ],
    },
  ],
  registrations: [
    {
      name: "the first time",
      calls: [
        {
          ...listed,
          reply: {
            status: 200,
            body: { max_allowed: 5, webhooks: [{ ...webhook, id: "w0", url: "https://a.example" }] },
          },
        },
        { ...wanted("POST"), reply: { status: 201, body: webhook } },
        signed("PATCH", key),
      ],
      signingKey: key,
    },
    {
      name: "again",
      calls: [{ ...listed, reply: { status: 200, body: { max_allowed: 5, webhooks: [webhook] } } }, signed("GET", key)],
      signingKey: key,
    },
    {
      name: "one that was switched off and is not signed",
      calls: [
        { ...listed, reply: { status: 200, body: { webhooks: [{ ...webhook, enabled: false }] } } },
        { ...wanted("PATCH", "/w1"), reply: { status: 200, body: webhook } },
        signed("GET", ""),
        signed("PATCH", key),
      ],
      signingKey: key,
    },
    {
      name: "too many webhooks",
      calls: [
        {
          ...listed,
          reply: { status: 200, body: { max_allowed: 1, webhooks: [{ id: "w0", url: "https://a.example" }] } },
        },
        { ...wanted("POST"), reply: error(400, null, "maximum number of webhooks reached") },
      ],
    },
  ],
});
