import { email, rich, richEmail } from "../../../support.ts";
import { messageId, providerCase } from "../../case.ts";

const url = "https://xyz123.api.infobip.com/email/3/send";
const headers = { authorization: "App infobip-s3cret-key" };
const shared = { messageId, preserveRecipients: "true" };
const error = (status: number, id: string, text: string) => ({
  status,
  body: { requestError: { serviceException: { messageId: id, text } } },
});
const result = (groupName: string, name: string) => ({
  status: 200,
  body: { messages: [{ to: "ada@example.com", messageId, status: { groupId: 1, groupName, id: 7, name } }] },
});

export default providerCase({
  id: "infobip-email",
  docs: "https://www.infobip.com/docs/api/channels/email/send-fully-featured-email",
  credentials: {
    apiKey: "infobip-s3cret-key",
    baseUrl: "xyz123.api.infobip.com",
    from: "noreply@example.com",
    senderName: "Example",
  },
  minimal: {
    message: email(),
    request: {
      method: "POST",
      url,
      headers,
      multipart: {
        from: "Example <noreply@example.com>",
        to: "ada@example.com",
        subject: "Hello",
        text: "Hello Ada",
        html: "<p>Hello Ada</p>",
        ...shared,
      },
    },
  },
  rich: {
    message: richEmail({ extra: { track: false, notify_url: "https://hooks.example.com/x" } }),
    request: {
      method: "POST",
      url,
      headers,
      multipart: {
        from: '"Team, North" <team@example.com>',
        to: ["ada@example.com", "b@example.com"],
        cc: "c@example.com",
        bcc: "d@example.com",
        replyTo: "help@example.com",
        subject: "Grüße 🎉",
        text: "Hello Ada",
        html: rich.html,
        headers: JSON.stringify(rich.headers),
        ...shared,
        attachment: { filename: "Überblick.pdf", type: "application/pdf", content: rich.pdf },
        inlineImage: { filename: "logo@example.com", type: "image/png", content: rich.png },
        track: "false",
        notifyUrl: "https://hooks.example.com/x",
      },
    },
  },
  accepted: { reply: result("PENDING", "PENDING_ACCEPTED"), providerMessageId: messageId },
  errors: [
    {
      name: "a wrong key",
      reply: error(401, "UNAUTHORIZED", "Invalid login details"),
      outcome: { kind: "rejected", class: "auth" },
    },
    {
      name: "a bad request",
      reply: error(400, "BAD_REQUEST", "Bad Request"),
      outcome: { kind: "rejected", class: "content" },
    },
    {
      name: "no credits",
      reply: result("REJECTED", "REJECTED_NOT_ENOUGH_CREDITS"),
      outcome: { kind: "rejected", class: "quota" },
    },
    {
      name: "a sender that is not registered",
      reply: result("REJECTED", "REJECTED_SENDER"),
      outcome: { kind: "rejected", class: "config" },
    },
    {
      name: "a suppressed address",
      reply: result("REJECTED", "REJECTED_DESTINATION"),
      outcome: { kind: "rejected", class: "recipient" },
    },
    {
      name: "another refusal",
      reply: result("REJECTED", "REJECTED_MESSAGE"),
      outcome: { kind: "rejected", class: "content" },
    },
    { name: "the rate limit", reply: error(429, "TOO_MANY_REQUESTS", "Slow down"), outcome: { kind: "retry" } },
  ],
  quirks: { invalidJson: "unknown", because: "refusals are answered with 200, too" },
  check: {
    request: { method: "GET", url: "https://xyz123.api.infobip.com/email/1/domains", headers },
    ok: { status: 200, body: { paging: {}, results: [] } },
    bad: error(401, "UNAUTHORIZED", "Invalid login details"),
  },
  receipts: [
    {
      name: "delivery reports",
      json: {
        results: [
          {
            messageId,
            to: "ada@example.com",
            doneAt: "2026-01-02T03:04:00.000+0000",
            status: { groupName: "DELIVERED", name: "DELIVERED_TO_HANDSET" },
            error: { groupName: "OK", name: "NO_ERROR", description: "No Error" },
          },
          { messageId, status: { groupName: "PENDING", name: "PENDING_ENROUTE" } },
        ],
      },
      expected: [
        {
          externalId: messageId,
          status: "delivered",
          recipient: "ada@example.com",
          date: new Date("2026-01-02T03:04:00Z"),
          response: "No Error",
        },
      ],
    },
    {
      name: "a mailbox that does not exist, and one that is full",
      json: {
        results: [true, false].map((permanent) => ({
          messageId,
          to: "c@example.com",
          status: { groupName: "UNDELIVERABLE", name: "UNDELIVERABLE_NOT_DELIVERED" },
          error: { groupName: "USER_ERRORS", name: "EC_BOUNCE", description: "Bounced", permanent },
        })),
      },
      expected: [
        { externalId: messageId, status: "bounced", recipient: "c@example.com", response: "Bounced" },
        { externalId: messageId, status: "undelivered", recipient: "c@example.com", response: "Bounced" },
      ],
    },
    {
      name: "a click",
      json: { notificationType: "CLICKED", recipient: "ada@example.com", messageId, sendDateTime: 1767323040000 },
      expected: [
        {
          externalId: messageId,
          status: "clicked",
          recipient: "ada@example.com",
          date: new Date(1767323040000),
        },
      ],
    },
  ],
});
