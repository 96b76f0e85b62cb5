import type { ReceiptStatus } from "../../../../src/index.ts";
import { email, rich, richEmail } from "../../../support.ts";
import { messageId, providerCase } from "../../case.ts";

const api = "https://api.eu.sparkpost.com/api/v1";
const headers = { authorization: "sparkpost-s3cret-key" };
const shared = { options: { transactional: true }, metadata: { tidingsMessageId: messageId } };
const error = (status: number, code: string, message: string) => ({
  status,
  body: { errors: [{ message, description: message, code }] },
});
const header_to = "Ada Lovelace <ada@example.com>, Zoë Ñandú <b@example.com>";

const bounces: [bounceClass: string, status?: ReceiptStatus][] = [
  ["1", "undelivered"],
  ["22", "undelivered"],
  ["25", "dropped"],
  ["30", "bounced"],
  ["51", "blocked"],
  ["60"],
  ["90", "unsubscribed"],
];

export default providerCase({
  id: "sparkpost",
  docs: "https://developers.sparkpost.com/api/transmissions/#transmissions-post-send-inline-content",
  credentials: { apiKey: "sparkpost-s3cret-key", region: "eu", from: "noreply@example.com", senderName: "Example" },
  minimal: {
    message: email(),
    request: {
      method: "POST",
      url: `${api}/transmissions`,
      headers,
      json: {
        recipients: [{ address: { email: "ada@example.com", header_to: "ada@example.com" } }],
        content: {
          from: { email: "noreply@example.com", name: "Example" },
          subject: "Hello",
          html: "<p>Hello Ada</p>",
          text: "Hello Ada",
        },
        ...shared,
      },
    },
  },
  rich: {
    message: richEmail({ html: "<p>{{email}}</p>", extra: { campaignId: "spring", options: { openTracking: false } } }),
    request: {
      method: "POST",
      url: `${api}/transmissions`,
      headers,
      json: {
        recipients: [
          { address: { email: "ada@example.com", header_to } },
          { address: { email: "b@example.com", header_to } },
          { address: { email: "c@example.com", header_to } },
          { address: { email: "d@example.com", header_to } },
        ],
        content: {
          from: { email: "team@example.com", name: "Team, North" },
          reply_to: "Help <help@example.com>",
          subject: "Grüße 🎉",
          html: "<p>{{opening_double_curly()}}email}}</p>",
          text: "Hello Ada",
          headers: { CC: "c@example.com", ...rich.headers },
          attachments: [{ name: "Überblick.pdf", type: "application/pdf", data: rich.pdfBase64 }],
          inline_images: [{ name: "logo@example.com", type: "image/png", data: rich.pngBase64 }],
        },
        options: { ...shared.options, open_tracking: false },
        metadata: { ...shared.metadata, ...rich.metadata },
        campaign_id: "spring",
      },
    },
  },
  accepted: {
    reply: {
      status: 200,
      body: { results: { total_rejected_recipients: 0, total_accepted_recipients: 1, id: "11668787484950529" } },
    },
    providerMessageId: "11668787484950529",
  },
  errors: [
    {
      name: "a wrong key",
      reply: { status: 401, body: { errors: [{ message: "Unauthorized." }] } },
      outcome: { kind: "rejected", class: "auth" },
    },
    {
      name: "no valid recipient",
      reply: error(422, "5002", "At least one valid recipient is required"),
      outcome: { kind: "rejected", class: "recipient" },
    },
    {
      name: "a suppressed recipient",
      reply: error(400, "1902", "Message generation rejected"),
      outcome: { kind: "rejected", class: "recipient" },
    },
    {
      name: "a domain that is not verified",
      reply: error(400, "7001", "Unconfigured Sending Domain <example.com>"),
      outcome: { kind: "rejected", class: "config" },
    },
    {
      name: "a bad field",
      reply: error(422, "1300", "invalid data format/type"),
      outcome: { kind: "rejected", class: "content" },
    },
    {
      name: "the limit of the plan",
      reply: error(420, "2101", "Exceed Sending Limit (daily)"),
      outcome: { kind: "rejected", class: "quota" },
    },
    { name: "the rate limit", reply: error(429, "1400", "Too many requests"), outcome: { kind: "retry" } },
  ],
  check: {
    request: { method: "GET", url: `${api}/account`, headers },
    ok: { status: 403, body: { errors: [{ message: "Forbidden." }] } },
    bad: { status: 401, body: { errors: [{ message: "Unauthorized." }] } },
  },
  receipts: [
    {
      name: "several events and a ping",
      json: [
        {
          msys: {
            message_event: {
              type: "bounce",
              bounce_class: "10",
              rcpt_to: "ada@example.com",
              transmission_id: "11668787484950529",
              timestamp: "1767323040",
              raw_reason: "550 5.1.1 unknown",
              rcpt_meta: { tidingsMessageId: messageId },
            },
          },
        },
        { msys: { track_event: { type: "click", transmission_id: "11668787484950529", timestamp: "1767323041" } } },
        { msys: {} },
      ],
      expected: [
        {
          externalId: "11668787484950529",
          messageId,
          status: "bounced",
          recipient: "ada@example.com",
          date: new Date(1767323040000),
          response: "550 5.1.1 unknown",
        },
        { externalId: "11668787484950529", status: "clicked", date: new Date(1767323041000) },
      ],
    },
    ...bounces.map(([bounce_class, status]) => ({
      name: `a bounce of class ${bounce_class}`,
      json: [{ msys: { message_event: { type: "out_of_band", bounce_class, transmission_id: "1" } } }],
      expected: status ? [{ externalId: "1", status }] : [],
    })),
  ],
});
