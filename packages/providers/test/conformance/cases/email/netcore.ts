import { email, rich, richEmail } from "../../../support.ts";
import { messageId, providerCase } from "../../case.ts";

const url = "https://emailapi.netcorecloud.net/v5.1/mail/send";
const headers = { api_key: "netcore-s3cret-key" };
const content = [{ type: "html", value: "<p>Hello Ada</p>" }];
const error = (status: number, field: string, message: string) => ({
  status,
  body: { error: [{ message, field, help: "https://developers.pepipost.com" }], status: "error" },
});

export default providerCase({
  id: "netcore",
  docs: "https://emaildocs.netcorecloud.com/reference/send-email",
  credentials: { apiKey: "netcore-s3cret-key", from: "noreply@example.com", senderName: "Example" },
  minimal: {
    message: email(),
    request: {
      method: "POST",
      url,
      headers,
      json: {
        from: { email: "noreply@example.com", name: "Example" },
        subject: "Hello",
        content,
        personalizations: [{ to: [{ email: "ada@example.com" }], token_to: messageId }],
      },
    },
  },
  rich: {
    message: richEmail({
      extra: { tags: ["invite"], settings: { open_track: false }, personalizations: [{ attributes: { a: 1 } }] },
    }),
    notes: [
      {
        about: "attachment",
        name: "logo.png",
        reason: "It is attached and not shown inline: Netcore has no inline images",
      },
    ],
    request: {
      method: "POST",
      url,
      headers,
      json: {
        from: { email: "team@example.com", name: "Team, North" },
        reply_to: "help@example.com",
        subject: "Grüße 🎉",
        content: [{ type: "html", value: rich.html }],
        personalizations: [
          {
            to: [
              { email: "ada@example.com", name: "Ada Lovelace" },
              { email: "b@example.com", name: "Zoë Ñandú" },
            ],
            cc: [{ email: "c@example.com" }],
            bcc: [{ email: "d@example.com" }],
            headers: rich.headers,
            token_to: messageId,
            attachments: [
              { name: "Überblick.pdf", content: rich.pdfBase64 },
              { name: "logo.png", content: rich.pngBase64 },
            ],
            attributes: { a: 1 },
          },
        ],
        tags: ["invite"],
        settings: { open_track: false },
      },
    },
  },
  accepted: {
    reply: {
      status: 202,
      body: { data: { message_id: "e8820eeb0ee94807f1ce88652b1dd627" }, message: "OK", status: "success" },
    },
    providerMessageId: "e8820eeb0ee94807f1ce88652b1dd627",
  },
  errors: [
    { name: "a wrong key", reply: error(401, "api_key", "Unauthorized"), outcome: { kind: "rejected", class: "auth" } },
    {
      name: "a bad address",
      reply: error(400, "personalizations[0].to[0].email", "Invalid email"),
      outcome: { kind: "rejected", class: "recipient" },
    },
    {
      name: "a domain that is not active",
      reply: error(400, "from.email", "Domain is not verified"),
      outcome: { kind: "rejected", class: "config" },
    },
    {
      name: "a missing content",
      reply: error(400, "content", "Content is required"),
      outcome: { kind: "rejected", class: "content" },
    },
    { name: "the rate limit", reply: { status: 429, body: { status: "error" } }, outcome: { kind: "retry" } },
  ],
  receipts: [
    {
      name: "events of two kinds",
      // Their ids are numbers that JSON does not keep; the last one is a text that it does.
      json: [
        {
          TRANSID: 15536250111702804,
          RESPONSE: " - 2.0.0 (success)",
          EMAIL: "ada@example.com",
          TIMESTAMP: 1767323040,
          FROMADDRESS: "noreply@example.com",
          EVENT: "sent",
          "X-APIHEADER": messageId,
        },
        { TRANSID: "15536250111702803", TIMESTAMP: "1767323041", EVENT: "bounced", BOUNCE_REASON: "No such user" },
        { TRANSID: 15536250111702804, TIMESTAMP: 1767323042, EVENT: "bounced" },
        { TRANSID: "15536250111702803", TIMESTAMP: 1767323042, EVENT: "queued" },
      ],
      expected: [
        {
          messageId,
          status: "delivered",
          recipient: "ada@example.com",
          date: new Date(1767323040000),
          response: "- 2.0.0 (success)",
        },
        {
          externalId: "15536250111702803",
          status: "bounced",
          date: new Date(1767323041000),
          response: "No such user",
        },
      ],
    },
    {
      name: "an event in the other spelling",
      json: { TRANSID: "1", EVENT: "open", TIMESTAMP: 1767323040 },
      expected: [{ externalId: "1", status: "opened", date: new Date(1767323040000) }],
    },
    { name: "a complaint", json: { TRANSID: 1, EVENT: "abuse" }, expected: [{ externalId: "1", status: "spam" }] },
  ],
});
