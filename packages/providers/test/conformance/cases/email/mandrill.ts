import { email, rich, richEmail } from "../../../support.ts";
import { messageId, providerCase } from "../../case.ts";

const url = "https://mandrillapp.com/api/1.0/messages/send";
const key = "md-s3cret-key-123";
const shared = { preserve_recipients: true, metadata: { tidingsMessageId: messageId } };
const error = (name: string, code = -2) => ({ status: 500, body: { status: "error", code, name, message: "No" } });
const rejection = (reject_reason: string) => ({
  status: 200,
  body: [{ email: "ada@example.com", status: "rejected", reject_reason, _id: "abc123" }],
});

export default providerCase({
  id: "mandrill",
  docs: "https://mailchimp.com/developer/transactional/api/messages/send-new-message/",
  credentials: { apiKey: key, from: "noreply@example.com", senderName: "Example" },
  minimal: {
    message: email(),
    request: {
      method: "POST",
      url,
      json: {
        key,
        message: {
          from_email: "noreply@example.com",
          from_name: "Example",
          to: [{ email: "ada@example.com", type: "to" }],
          subject: "Hello",
          html: "<p>Hello Ada</p>",
          text: "Hello Ada",
          ...shared,
        },
      },
    },
  },
  rich: {
    message: richEmail({
      extra: { important: true, message: { trackOpens: true, tags: ["invite"] }, ipPool: "Main Pool" },
      passthrough: { body: { async: true } },
    }),
    request: {
      method: "POST",
      url,
      json: {
        key,
        message: {
          from_email: "team@example.com",
          from_name: "Team, North",
          to: [
            { email: "ada@example.com", name: "Ada Lovelace", type: "to" },
            { email: "b@example.com", name: "Zoë Ñandú", type: "to" },
            { email: "c@example.com", type: "cc" },
            { email: "d@example.com", type: "bcc" },
          ],
          subject: "Grüße 🎉",
          html: rich.html,
          text: "Hello Ada",
          headers: { "Reply-To": "Help <help@example.com>", ...rich.headers },
          ...shared,
          metadata: { ...shared.metadata, ...rich.metadata },
          attachments: [{ type: "application/pdf", name: "Überblick.pdf", content: rich.pdfBase64 }],
          images: [{ type: "image/png", name: "logo@example.com", content: rich.pngBase64 }],
          important: true,
          track_opens: true,
          tags: ["invite"],
        },
        ip_pool: "Main Pool",
        async: true,
      },
    },
  },
  accepted: {
    reply: {
      status: 200,
      body: [
        { email: "b@example.com", status: "rejected", reject_reason: "hard-bounce", _id: "111" },
        { email: "ada@example.com", status: "queued", reject_reason: null, _id: "abc123abc123abc123abc123abc123" },
      ],
    },
    providerMessageId: "abc123abc123abc123abc123abc123",
  },
  errors: [
    { name: "a wrong key", reply: error("Invalid_Key", -1), outcome: { kind: "rejected", class: "auth" } },
    { name: "an unpaid account", reply: error("PaymentRequired"), outcome: { kind: "rejected", class: "quota" } },
    {
      name: "an unknown subaccount",
      reply: error("Unknown_Subaccount"),
      outcome: { kind: "rejected", class: "config" },
    },
    { name: "a bad field", reply: error("ValidationError"), outcome: { kind: "rejected", class: "content" } },
    { name: "a fault of theirs", reply: error("GeneralError", -99), outcome: { kind: "retry" } },
    {
      name: "a suppressed address",
      reply: rejection("hard-bounce"),
      outcome: { kind: "rejected", class: "recipient" },
    },
    { name: "an unsigned sender", reply: rejection("unsigned"), outcome: { kind: "rejected", class: "config" } },
    { name: "the limit of a test", reply: rejection("test-mode-limit"), outcome: { kind: "rejected", class: "quota" } },
    {
      name: "an invalid address",
      reply: { status: 200, body: [{ email: "a", status: "invalid", reject_reason: null, _id: "1" }] },
      outcome: { kind: "rejected", class: "recipient" },
    },
  ],
  quirks: { invalidJson: "unknown", because: "only the body says which recipients were taken" },
  check: {
    request: { method: "POST", url: "https://mandrillapp.com/api/1.0/users/ping2", json: { key } },
    ok: { status: 200, body: { PING: "PONG!" } },
    bad: error("Invalid_Key", -1),
  },
  receipts: [
    {
      name: "events of two kinds",
      form: {
        mandrill_events: JSON.stringify([
          { event: "send", ts: 1767323040, _id: "abc", msg: { _id: "abc", metadata: { tidingsMessageId: messageId } } },
          {
            event: "hard_bounce",
            ts: 1767323041,
            _id: "abc",
            msg: { email: "ada@example.com", diag: "smtp;550 5.1.1 no such user" },
          },
          { event: "soft_bounce", ts: 1767323041, _id: "abc", msg: { bounce_description: "mailbox_full" } },
          { type: "blacklist", action: "add", ts: 1767323042 },
        ]),
      },
      expected: [
        { externalId: "abc", messageId, status: "sent", date: new Date(1767323040000) },
        {
          externalId: "abc",
          status: "bounced",
          recipient: "ada@example.com",
          date: new Date(1767323041000),
          response: "smtp;550 5.1.1 no such user",
        },
        { externalId: "abc", status: "undelivered", date: new Date(1767323041000), response: "mailbox_full" },
      ],
    },
    { name: "no JSON", form: { mandrill_events: "{oops" }, expected: [] },
  ],
});
