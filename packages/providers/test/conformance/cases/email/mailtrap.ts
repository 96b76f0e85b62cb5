import { email, rich, richEmail } from "../../../support.ts";
import { messageId, providerCase } from "../../case.ts";

const url = "https://send.api.mailtrap.io/api/send";
const headers = { authorization: "Bearer mailtrap-s3cret-token" };
const custom_variables = { tidingsMessageId: messageId };
const error = (status: number, ...errors: string[]) => ({ status, body: { success: false, errors } });

export default providerCase({
  id: "mailtrap",
  docs: "https://docs.mailtrap.io/developers/email-sending/transactional",
  credentials: { apiKey: "mailtrap-s3cret-token", from: "noreply@example.com", senderName: "Example" },
  minimal: {
    message: email(),
    request: {
      method: "POST",
      url,
      headers,
      json: {
        from: { email: "noreply@example.com", name: "Example" },
        to: [{ email: "ada@example.com" }],
        subject: "Hello",
        text: "Hello Ada",
        html: "<p>Hello Ada</p>",
        custom_variables,
      },
    },
  },
  rich: {
    message: richEmail({ extra: { templateUuid: "t-1" } }),
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
        headers: rich.headers,
        custom_variables: { ...custom_variables, ...rich.metadata },
        attachments: [
          { content: rich.pdfBase64, filename: "Überblick.pdf", type: "application/pdf" },
          {
            ...{ content: rich.pngBase64, filename: "logo.png", type: "image/png" },
            ...{ disposition: "inline", content_id: "logo@example.com" },
          },
        ],
        category: "order-shipped",
        template_uuid: "t-1",
      },
    },
  },
  accepted: {
    reply: { status: 200, body: { success: true, message_ids: ["0c7fd939-02cf-11ed-88c2-0a58a9feac02"] } },
    providerMessageId: "0c7fd939-02cf-11ed-88c2-0a58a9feac02",
  },
  errors: [
    { name: "a wrong token", reply: error(401, "Unauthorized"), outcome: { kind: "rejected", class: "auth" } },
    {
      name: "a bad address",
      reply: error(400, "'to' address is not valid"),
      outcome: { kind: "rejected", class: "recipient" },
    },
    {
      name: "a foreign sender",
      reply: error(403, "'from' domain is not allowed for this token"),
      outcome: { kind: "rejected", class: "config" },
    },
    {
      name: "a missing field",
      reply: error(400, "'subject' is required"),
      outcome: { kind: "rejected", class: "content" },
    },
    {
      name: "the limit of the plan",
      reply: error(403, "Monthly limit reached"),
      outcome: { kind: "rejected", class: "quota" },
    },
    { name: "the rate limit", reply: error(429, "Too many requests"), outcome: { kind: "retry" } },
    { name: "a fault of theirs", reply: error(500, "Internal Server Error"), outcome: { kind: "retry" } },
  ],
  check: {
    request: { method: "GET", url: "https://mailtrap.io/api/accounts", headers },
    ok: { status: 200, body: [{ id: 1, name: "Example" }] },
    bad: { status: 401, body: { error: "Incorrect API token" } },
  },
  receipts: [
    {
      name: "several events",
      json: {
        events: [
          {
            event: "delivery",
            message_id: "0c7fd939",
            email: "ada@example.com",
            timestamp: 1767323040,
            event_id: "e1",
            custom_variables,
          },
          { event: "bounce", message_id: "0c7fd939", timestamp: 1767323041, response: "550 5.1.1", response_code: 550 },
          { event: "something", message_id: "0c7fd939", timestamp: 1767323042 },
        ],
      },
      expected: [
        {
          externalId: "0c7fd939",
          messageId,
          status: "delivered",
          recipient: "ada@example.com",
          date: new Date(1767323040000),
        },
        { externalId: "0c7fd939", status: "bounced", date: new Date(1767323041000), response: "550 5.1.1" },
      ],
    },
  ],
});
