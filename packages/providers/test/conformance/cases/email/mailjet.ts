import { email, rich, richEmail } from "../../../support.ts";
import { messageId, providerCase } from "../../case.ts";

const url = "https://api.mailjet.com/v3.1/send";
const headers = {
  authorization: `Basic ${Buffer.from("mj-public-k3y:mj-s3cret-key").toString("base64")}`,
};

function refusal(status: number, ErrorCode: string, about: string) {
  return {
    status,
    body: {
      Messages: [
        {
          Status: "error",
          Errors: [
            { ErrorIdentifier: "f987008f", ErrorCode, StatusCode: 400, ErrorMessage: "No", ErrorRelatedTo: [about] },
          ],
        },
      ],
    },
  };
}

export default providerCase({
  id: "mailjet",
  docs: "https://dev.mailjet.com/email/reference/send-emails/#v3_1_post_send",
  credentials: {
    apiKey: "mj-public-k3y",
    secretKey: "mj-s3cret-key",
    from: "noreply@example.com",
    senderName: "Example",
  },
  minimal: {
    message: email(),
    request: {
      method: "POST",
      url,
      headers,
      json: {
        Messages: [
          {
            From: { Email: "noreply@example.com", Name: "Example" },
            To: [{ Email: "ada@example.com" }],
            Subject: "Hello",
            TextPart: "Hello Ada",
            HTMLPart: "<p>Hello Ada</p>",
            CustomID: messageId,
            EventPayload: JSON.stringify({ tidingsMessageId: messageId }),
          },
        ],
      },
    },
  },
  rich: {
    message: richEmail({
      extra: {
        trackOpens: "enabled",
        templateId: 17,
        Messages: [{ To: [{ Email: "else@example.com" }], Variables: { a: 1 } }],
      },
      passthrough: { body: { SandboxMode: true } },
    }),
    request: {
      method: "POST",
      url,
      headers,
      json: {
        Messages: [
          {
            From: { Email: "team@example.com", Name: "Team, North" },
            To: [
              { Email: "ada@example.com", Name: "Ada Lovelace" },
              { Email: "b@example.com", Name: "Zoë Ñandú" },
            ],
            Cc: [{ Email: "c@example.com" }],
            Bcc: [{ Email: "d@example.com" }],
            ReplyTo: { Email: "help@example.com", Name: "Help" },
            Subject: "Grüße 🎉",
            TextPart: "Hello Ada",
            HTMLPart: rich.html,
            Headers: rich.headers,
            CustomID: messageId,
            EventPayload: JSON.stringify({ tidingsMessageId: messageId, ...rich.metadata }),
            Attachments: [{ ContentType: "application/pdf", Filename: "Überblick.pdf", Base64Content: rich.pdfBase64 }],
            InlinedAttachments: [
              {
                ...{ ContentType: "image/png", Filename: "logo.png", Base64Content: rich.pngBase64 },
                ContentID: "logo@example.com",
              },
            ],
            TrackOpens: "enabled",
            TemplateID: 17,
            Variables: { a: 1 },
          },
        ],
        SandboxMode: true,
      },
    },
  },
  accepted: {
    reply: {
      status: 200,
      body: {
        Messages: [
          {
            Status: "success",
            CustomID: messageId,
            To: [
              {
                Email: "ada@example.com",
                MessageUUID: "1ab23cd4-e567-8901-2345-6789f0gh1i2j",
                MessageID: 456,
                MessageHref: "https://api.mailjet.com/v3/REST/message/456",
              },
            ],
            Cc: [],
            Bcc: [],
          },
        ],
      },
    },
    providerMessageId: "1ab23cd4-e567-8901-2345-6789f0gh1i2j",
  },
  errors: [
    {
      name: "wrong keys",
      reply: {
        status: 401,
        body: { ErrorIdentifier: "06df", StatusCode: 401, ErrorMessage: "API key authentication" },
      },
      outcome: { kind: "rejected", class: "auth" },
    },
    {
      name: "a bad address",
      reply: refusal(400, "mj-0013", "To[0].Email"),
      outcome: { kind: "rejected", class: "recipient" },
    },
    {
      name: "a sender that is not validated",
      reply: refusal(403, "send-0008", "From"),
      outcome: { kind: "rejected", class: "config" },
    },
    {
      name: "a missing field",
      reply: refusal(400, "send-0003", "HTMLPart"),
      outcome: { kind: "rejected", class: "content" },
    },
    {
      name: "a refusal with 200",
      reply: refusal(200, "mj-0013", "Bcc[0].Email"),
      outcome: { kind: "rejected", class: "recipient" },
    },
    { name: "the rate limit", reply: { status: 429, body: { StatusCode: 429 } }, outcome: { kind: "retry" } },
  ],
  quirks: { invalidJson: "unknown", because: "only the body says whether the one message of the call was taken" },
  check: {
    request: { method: "GET", url: "https://api.mailjet.com/v3/REST/sender", headers },
    ok: { status: 200, body: { Count: 1, Data: [], Total: 1 } },
    bad: { status: 401, body: { ErrorMessage: "API key authentication/authorization failure" } },
  },
  receipts: [
    {
      name: "one event",
      json: {
        event: "sent",
        time: 1767323040,
        MessageID: 19421777835146490,
        Message_GUID: "1ab23cd4",
        email: "ada@example.com",
        CustomID: messageId,
        smtp_reply: "sent (250 2.0.0 OK)",
      },
      expected: [
        {
          externalId: "1ab23cd4",
          messageId,
          status: "delivered",
          recipient: "ada@example.com",
          date: new Date(1767323040000),
          response: "sent (250 2.0.0 OK)",
        },
      ],
    },
    {
      name: "a group of events",
      json: [
        { event: "bounce", Message_GUID: "1ab23cd4", CustomID: "", hard_bounce: true, error: "user unknown" },
        { event: "bounce", Message_GUID: "1ab23cd4", hard_bounce: false, blocked: false, error: "quota exceeded" },
        { event: "bounce", Message_GUID: "1ab23cd4", hard_bounce: false, blocked: false, error: "greylisted" },
        { event: "typofix", time: 1767323040, Message_GUID: "1ab23cd4" },
      ],
      expected: [
        { externalId: "1ab23cd4", status: "bounced", response: "user unknown" },
        { externalId: "1ab23cd4", status: "undelivered", response: "quota exceeded" },
        { externalId: "1ab23cd4", status: "deferred", response: "greylisted" },
      ],
    },
  ],
});
