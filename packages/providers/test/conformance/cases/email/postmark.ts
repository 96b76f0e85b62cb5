import type { ReceiptStatus } from "../../../../src/index.ts";
import { email, rich, richEmail } from "../../../support.ts";
import { messageId, providerCase, reportTarget } from "../../case.ts";

const headers = { "x-postmark-server-token": "pm-s3cret-token", accept: "application/json" };
const Metadata = { tidingsMessageId: messageId };
const error = (ErrorCode: number, Message: string, status = 422) => ({ status, body: { ErrorCode, Message } });

const webhooks = "https://api.postmarkapp.com/webhooks";
const listed = { method: "GET", url: `${webhooks}?MessageStream=outbound`, headers };
const webhook = {
  Url: reportTarget.url,
  HttpAuth: { Username: "tidings", Password: reportTarget.key },
  Triggers: {
    Open: { Enabled: true, PostFirstOpenOnly: false },
    Click: { Enabled: true },
    Delivery: { Enabled: true },
    Bounce: { Enabled: true, IncludeContent: false },
    SpamComplaint: { Enabled: true, IncludeContent: false },
    SubscriptionChange: { Enabled: true },
  },
};

const bounces: [Type: string, status?: ReceiptStatus][] = [
  ["SoftBounce", "undelivered"],
  ["Unknown", "undelivered"],
  ["DnsError", "deferred"],
  ["SpamNotification", "blocked"],
  ["DMARCPolicy", "blocked"],
  ["AutoResponder"],
  ["Subscribe"],
];

function change(SuppressionReason: string | null, SuppressSending = true) {
  return {
    RecordType: "SubscriptionChange",
    MessageID: "883953f4",
    ChangedAt: "2026-01-02T03:04:00Z",
    Recipient: "ada@example.com",
    Origin: "Recipient",
    SuppressSending,
    SuppressionReason,
  };
}

export default providerCase({
  id: "postmark",
  docs: "https://postmarkapp.com/developer/api/email-api#send-a-single-email",
  credentials: { apiKey: "pm-s3cret-token", from: "noreply@example.com", senderName: "Example" },
  minimal: {
    message: email(),
    request: {
      method: "POST",
      url: "https://api.postmarkapp.com/email",
      headers,
      json: {
        From: "Example <noreply@example.com>",
        To: "ada@example.com",
        Subject: "Hello",
        HtmlBody: "<p>Hello Ada</p>",
        TextBody: "Hello Ada",
        Metadata,
      },
    },
  },
  rich: {
    message: richEmail({ extra: { messageStream: "broadcast" }, customData: { plan: "pro" } }),
    request: {
      method: "POST",
      url: "https://api.postmarkapp.com/email",
      headers,
      json: {
        From: '"Team, North" <team@example.com>',
        To: "Ada Lovelace <ada@example.com>, Zoë Ñandú <b@example.com>",
        Cc: "c@example.com",
        Bcc: "d@example.com",
        ReplyTo: "Help <help@example.com>",
        Subject: "Grüße 🎉",
        HtmlBody: rich.html,
        TextBody: "Hello Ada",
        Headers: Object.entries(rich.headers).map(([Name, Value]) => ({ Name, Value })),
        Tag: "order-shipped",
        Metadata: { ...Metadata, ...rich.metadata, plan: "pro" },
        Attachments: [
          { Name: "Überblick.pdf", Content: rich.pdfBase64, ContentType: "application/pdf" },
          { Name: "logo.png", Content: rich.pngBase64, ContentType: "image/png", ContentID: "cid:logo@example.com" },
        ],
        MessageStream: "broadcast",
      },
    },
  },
  accepted: {
    reply: {
      status: 200,
      body: {
        To: "ada@example.com",
        SubmittedAt: "2026-01-02T03:04:05.0000000Z",
        MessageID: "b7bc2f4a-e38e-4336-af7d-e6c392c2f817",
        ErrorCode: 0,
        Message: "OK",
      },
    },
    providerMessageId: "b7bc2f4a-e38e-4336-af7d-e6c392c2f817",
  },
  errors: [
    { name: "a wrong token", reply: error(10, "Bad token", 401), outcome: { kind: "rejected", class: "auth" } },
    {
      name: "a bad address",
      reply: error(300, "Error parsing 'To': Illegal email address 'x'."),
      outcome: { kind: "rejected", class: "recipient" },
    },
    {
      name: "an inactive recipient",
      reply: error(406, "You tried to send to a recipient that has been marked as inactive."),
      outcome: { kind: "rejected", class: "recipient" },
    },
    {
      name: "a sender without signature",
      reply: error(400, "The 'From' address you supplied is not a Sender Signature"),
      outcome: { kind: "rejected", class: "config" },
    },
    {
      name: "a bad field",
      reply: error(300, "Provide either email TextBody or HtmlBody or both."),
      outcome: { kind: "rejected", class: "content" },
    },
    { name: "no credits", reply: error(405, "Not allowed to send"), outcome: { kind: "rejected", class: "quota" } },
    { name: "maintenance", reply: error(100, "Offline for maintenance", 503), outcome: { kind: "retry" } },
    { name: "the rate limit", reply: error(429, "Rate limit exceeded", 429), outcome: { kind: "retry" } },
  ],
  check: {
    request: { method: "GET", url: "https://api.postmarkapp.com/server", headers },
    ok: { status: 200, body: { ID: 1, Name: "Production" } },
    bad: error(10, "No Account or Server API tokens were supplied", 401),
  },
  receipts: [
    {
      name: "delivered",
      json: {
        RecordType: "Delivery",
        MessageID: "883953f4",
        Recipient: "ada@example.com",
        DeliveredAt: "2026-01-02T03:04:00Z",
        Details: "smtp;250 OK",
        Metadata,
      },
      expected: [
        {
          externalId: "883953f4",
          messageId,
          status: "delivered",
          recipient: "ada@example.com",
          date: new Date("2026-01-02T03:04:00Z"),
          response: "smtp;250 OK",
        },
      ],
    },
    {
      name: "bounced",
      json: {
        RecordType: "Bounce",
        MessageID: "883953f4",
        Type: "HardBounce",
        Email: "c@example.com",
        Inactive: true,
        Description: "The server was unable to deliver your message",
        BouncedAt: "2026-01-02T03:04:00Z",
      },
      expected: [
        {
          externalId: "883953f4",
          status: "bounced",
          recipient: "c@example.com",
          date: new Date("2026-01-02T03:04:00Z"),
          response: "The server was unable to deliver your message",
        },
      ],
    },
    {
      name: "a bounce that is not final",
      json: { RecordType: "Bounce", MessageID: "883953f4", Type: "Transient", BouncedAt: "2026-01-02T03:04:00Z" },
      expected: [{ externalId: "883953f4", status: "deferred", date: new Date("2026-01-02T03:04:00Z") }],
    },
    ...bounces.map(([Type, status]) => ({
      name: `a bounce of the kind ${Type}`,
      json: { RecordType: "Bounce", MessageID: "883953f4", Type, Inactive: false },
      expected: status ? [{ externalId: "883953f4", status }] : [],
    })),
    {
      name: "a bounce of a kind that is not listed, after which Postmark sends there no more",
      json: { RecordType: "Bounce", MessageID: "883953f4", Type: "Unheard", Inactive: true },
      expected: [{ externalId: "883953f4", status: "bounced" }],
    },
    {
      name: "a recipient who unsubscribed",
      json: change("ManualSuppression"),
      expected: [
        {
          externalId: "883953f4",
          status: "unsubscribed",
          recipient: "ada@example.com",
          date: new Date("2026-01-02T03:04:00Z"),
        },
      ],
    },
    { name: "a bounce that put the address on the list", json: change("HardBounce"), expected: [] },
    { name: "an address that is taken off the list", json: change(null, false), expected: [] },
    { name: "an event of another kind", json: { RecordType: "Inbound", MessageID: "883953f4" }, expected: [] },
  ],
  registrations: [
    {
      name: "the first time",
      calls: [
        { ...listed, reply: { status: 200, body: { Webhooks: [{ ...webhook, ID: 1, Url: "https://a.example/" }] } } },
        {
          ...{ method: "POST", url: webhooks, headers, json: { ...webhook, MessageStream: "outbound" } },
          reply: { status: 200, body: { ID: 1234567, ...webhook } },
        },
      ],
      signingKey: reportTarget.key,
    },
    {
      name: "again",
      calls: [
        { ...listed, reply: { status: 200, body: { Webhooks: [{ ...webhook, ID: 1234567, HttpAuth: null }] } } },
        {
          ...{ method: "PUT", url: `${webhooks}/1234567`, headers, json: webhook },
          reply: { status: 200, body: { ID: 1234567, ...webhook } },
        },
      ],
      signingKey: reportTarget.key,
    },
    { name: "a wrong token", calls: [{ ...listed, reply: error(10, "Bad or missing API token", 401) }] },
  ],
});
