import { createHash, createHmac, createSign } from "node:crypto";
import { email, rich, richEmail } from "../../../support.ts";
import { messageId, providerCase } from "../../case.ts";
import { makeCertificate } from "../../certificate.ts";

const now = "2026-01-02T03:04:05Z";
const host = "email.eu-west-1.amazonaws.com";
const hash = (text: string) => createHash("sha256").update(text).digest("hex");
const hmac = (key: string | Buffer, text: string) => createHmac("sha256", key).update(text).digest();

// Signature Version 4 by the letter of its documentation.
function authorization(method: string, path: string, body: string): string {
  const names = "accept;host;x-amz-date";
  const lines = `accept:application/json\nhost:${host}\nx-amz-date:20260102T030405Z\n`;
  const scope = ["20260102", "eu-west-1", "ses", "aws4_request"];
  const canonical = `${method}\n${path}\n\n${lines}\n${names}\n${hash(body)}`;
  const toSign = `AWS4-HMAC-SHA256\n20260102T030405Z\n${scope.join("/")}\n${hash(canonical)}`;
  const key = scope.reduce<string | Buffer>((from, part) => hmac(from, part), "AWS4aws-s3cret-access-key");
  const signature = hmac(key, toSign).toString("hex");
  return `AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/${scope.join("/")}, SignedHeaders=${names}, Signature=${signature}`;
}

const outbound = "/v2/email/outbound-emails";
// The body is compared as JSON; the signature covers the members in the order in which they are written.
function expected(json: object) {
  return {
    method: "POST",
    url: `https://${host}${outbound}`,
    headers: {
      authorization: authorization("POST", outbound, JSON.stringify(json)),
      "x-amz-date": "20260102T030405Z",
      "content-type": "application/json",
    },
    json,
  };
}

const utf8 = (Data: string) => ({ Data, Charset: "UTF-8" });
const EmailTags = [{ Name: "tidingsMessageId", Value: messageId }];
const error = (status: number, type: string, message = "No") => ({
  status,
  headers: { "x-amzn-errortype": type },
  body: { message },
});

const topic = "arn:aws:sns:eu-west-1:123456789012:ses-events";
const sns = "https://sns.eu-west-1.amazonaws.com";
const certificate = makeCertificate("2025-06-01T00:00:00Z", "2027-06-01T00:00:00Z");
const certificateUrl = `${sns}/SimpleNotificationService-56e67fcb41f6fec09b0196692625d385.pem`;
const calls = { [certificateUrl]: { status: 200, body: certificate.pem } };

function signed(members: Record<string, string>, version = "2") {
  const lines = Object.keys(members)
    .toSorted()
    .map((name) => `${name}\n${members[name]}\n`);
  const mark = createSign(version === "1" ? "sha1" : "sha256").update(lines.join(""));
  const Signature = mark.sign(certificate.privateKey, "base64");
  const raw = JSON.stringify({ ...members, SignatureVersion: version, Signature, SigningCertURL: certificateUrl });
  return {
    raw,
    headers: { "content-type": "text/plain; charset=UTF-8" },
    key: topic,
    now,
    calls,
    goodForMs: 86_400_000,
  };
}

const note = { MessageId: "22b80b92", Timestamp: "2026-01-02T03:04:00.000Z", TopicArn: topic };
const report = (event: object, version?: string) =>
  signed({ ...note, Type: "Notification", Message: JSON.stringify(event) }, version);
const SubscribeURL = `${sns}/?Action=ConfirmSubscription&TopicArn=${topic}&Token=2336412f37`;

const bounces = [
  ["Transient", "General", "deferred"],
  ["Transient", "MailboxFull", "undelivered"],
  ["Undetermined", "Undetermined", "undelivered"],
  ["Permanent", "OnAccountSuppressionList", "dropped"],
] as const;

const minimal = {
  FromEmailAddress: "Example <noreply@example.com>",
  Destination: { ToAddresses: ["ada@example.com"] },
  Content: {
    Simple: { Subject: utf8("Hello"), Body: { Text: utf8("Hello Ada"), Html: utf8("<p>Hello Ada</p>") } },
  },
};
const accepted = {
  reply: { status: 200, body: { MessageId: "0102018b-ses-000000" } },
  providerMessageId: "0102018b-ses-000000",
};

const preferences = (unsubscribeAll: boolean, subscriptionStatus: string) => ({
  unsubscribeAll,
  topicSubscriptionStatus: [{ topicName: "offers", subscriptionStatus }],
});
type Preferences = Parameters<typeof preferences>;
const subscriptions: [name: string, before: Preferences | null, after: Preferences, isLeaving: boolean][] = [
  ["from the whole list", [false, "OptIn"], [true, "OptOut"], true],
  ["from the list, with the topic left before", [false, "OptOut"], [true, "OptOut"], true],
  ["from one topic", [false, "OptIn"], [false, "OptOut"], true],
  ["from one topic, the first thing known of the contact", null, [false, "OptOut"], true],
  ["back to a topic", [false, "OptOut"], [false, "OptIn"], false],
  ["back to the list", [true, "OptOut"], [false, "OptOut"], false],
];

export default providerCase({
  id: "ses",
  docs: "https://docs.aws.amazon.com/ses/latest/APIReference-V2/API_SendEmail.html",
  credentials: {
    apiKey: "AKIAIOSFODNN7EXAMPLE",
    secretKey: "aws-s3cret-access-key",
    region: "eu-west-1",
    from: "noreply@example.com",
    senderName: "Example",
  },
  now,
  minimal: {
    message: email(),
    request: expected({ ...minimal, EmailTags }),
  },
  rich: {
    message: richEmail({ senderName: "Grüße, Nord 🎉", extra: { configurationSetName: "events" } }),
    request: expected({
      FromEmailAddress: "=?UTF-8?B?R3LDvMOfZSwgTm9yZA==?= =?UTF-8?B?IPCfjok=?= <team@example.com>",
      Destination: {
        ToAddresses: ["Ada Lovelace <ada@example.com>", "=?UTF-8?B?Wm/DqyDDkWFuZMO6?= <b@example.com>"],
        CcAddresses: ["c@example.com"],
        BccAddresses: ["d@example.com"],
      },
      ReplyToAddresses: ["Help <help@example.com>"],
      Content: {
        Simple: {
          Subject: utf8("Grüße 🎉"),
          Body: { Text: utf8("Hello Ada"), Html: utf8(rich.html) },
          Headers: Object.entries(rich.headers).map(([Name, Value]) => ({ Name, Value })),
          Attachments: [
            {
              ...{ FileName: "Überblick.pdf", ContentType: "application/pdf", RawContent: rich.pdfBase64 },
              ContentTransferEncoding: "BASE64",
            },
            {
              ...{ FileName: "logo.png", ContentType: "image/png", RawContent: rich.pngBase64 },
              ContentTransferEncoding: "BASE64",
              ...{ ContentDisposition: "INLINE", ContentId: "logo@example.com" },
            },
          ],
        },
      },
      EmailTags: [
        ...EmailTags,
        { Name: "tidingsWorkflowId", Value: "order-shipped" },
        { Name: "tidingsTransactionId", Value: "txn_1" },
        { Name: "tidingsSubscriberId", Value: "ada_example_com" },
      ],
      ConfigurationSetName: "events",
    }),
  },
  accepted,
  more: [
    {
      message: email({ headers: { "X-Team": "Grüße 🎉", "X-Empty": "" } }),
      request: expected({
        ...minimal,
        Content: {
          Simple: { ...minimal.Content.Simple, Headers: [{ Name: "X-Team", Value: "=?UTF-8?B?R3LDvMOfZSDwn46J?=" }] },
        },
        EmailTags,
      }),
      accepted,
    },
  ],
  errors: [
    {
      name: "a wrong key",
      reply: error(403, "UnrecognizedClientException"),
      outcome: { kind: "rejected", class: "auth" },
    },
    {
      name: "a wrong secret",
      reply: error(403, "InvalidSignatureException:http://internal.amazon.com/"),
      outcome: { kind: "rejected", class: "auth" },
    },
    {
      name: "a sender that is not verified",
      reply: error(400, "MessageRejected", "Email address is not verified. The following identities failed the check"),
      outcome: { kind: "rejected", class: "config" },
    },
    {
      name: "a mail that is refused",
      reply: error(400, "MessageRejected", "Message contains a virus"),
      outcome: { kind: "rejected", class: "content" },
    },
    { name: "a bad field", reply: error(400, "BadRequestException"), outcome: { kind: "rejected", class: "content" } },
    {
      name: "an unknown configuration set",
      reply: error(404, "NotFoundException"),
      outcome: { kind: "rejected", class: "config" },
    },
    {
      name: "sending that is paused",
      reply: error(400, "SendingPausedException"),
      outcome: { kind: "rejected", class: "config" },
    },
    {
      name: "the daily quota",
      reply: error(429, "TooManyRequestsException", "Daily message quota exceeded."),
      outcome: { kind: "rejected", class: "quota" },
    },
    {
      name: "the rate limit",
      reply: error(429, "TooManyRequestsException", "Maximum sending rate exceeded."),
      outcome: { kind: "retry" },
    },
  ],
  check: {
    request: {
      method: "GET",
      url: `https://${host}/v2/email/account`,
      headers: { authorization: authorization("GET", "/v2/email/account", "") },
    },
    ok: error(403, "AccessDeniedException", "not authorized to perform ses:GetAccount"),
    bad: error(403, "UnrecognizedClientException"),
  },
  receipts: [
    {
      name: "delivered, by a configuration set",
      ...report({
        eventType: "Delivery",
        mail: { messageId: "0102018b", timestamp: "2026-01-02T03:03:00Z", tags: { tidingsMessageId: [messageId] } },
        delivery: {
          timestamp: "2026-01-02T03:03:59.000Z",
          smtpResponse: "250 OK",
          recipients: ["ada@example.com", "c@example.com"],
        },
      }),
      expected: ["ada@example.com", "c@example.com"].map((recipient) => ({
        externalId: "0102018b",
        messageId,
        status: "delivered" as const,
        recipient,
        date: new Date("2026-01-02T03:03:59Z"),
        response: "250 OK",
      })),
    },
    {
      name: "bounced, by an identity, with the older signature",
      ...report(
        {
          notificationType: "Bounce",
          mail: { messageId: "0102018b" },
          bounce: {
            bounceType: "Permanent",
            timestamp: "2026-01-02T03:03:59Z",
            bouncedRecipients: [{ emailAddress: "ada@example.com", diagnosticCode: "smtp; 550 5.1.1 unknown" }],
          },
        },
        "1",
      ),
      expected: [
        {
          externalId: "0102018b",
          status: "bounced",
          recipient: "ada@example.com",
          date: new Date("2026-01-02T03:03:59Z"),
          response: "smtp; 550 5.1.1 unknown",
        },
      ],
    },
    ...bounces.map(([bounceType, bounceSubType, status]) => ({
      name: `a bounce: ${bounceType}, ${bounceSubType}`,
      ...report({
        eventType: "Bounce",
        mail: { messageId: "0102018b" },
        bounce: { bounceType, bounceSubType, bouncedRecipients: [{ emailAddress: "ada@example.com" }] },
      }),
      expected: [{ externalId: "0102018b", status, recipient: "ada@example.com" }],
    })),
    {
      name: "opened, of which it is not said by whom",
      ...report({ eventType: "Open", mail: { messageId: "0102018b" }, open: {} }),
      expected: [{ externalId: "0102018b", status: "opened" }],
    },
    ...subscriptions.map(([name, before, after, isLeaving]) => ({
      name: `a subscription: ${name}`,
      ...report({
        eventType: "Subscription",
        mail: { messageId: "0102018b" },
        subscription: {
          contactList: "news",
          timestamp: "2026-01-02T03:03:59Z",
          source: "UnsubscribeHeader",
          newTopicPreferences: preferences(...after),
          oldTopicPreferences: before && preferences(...before),
        },
      }),
      expected: isLeaving
        ? [{ externalId: "0102018b", status: "unsubscribed" as const, date: new Date("2026-01-02T03:03:59Z") }]
        : [],
    })),
    {
      name: "the question whether the topic may deliver, which is answered",
      ...signed({
        ...note,
        Type: "SubscriptionConfirmation",
        Token: "2336412f37",
        Message: "You have chosen to subscribe to the topic",
        SubscribeURL,
      }),
      calls: { ...calls, [SubscribeURL]: { status: 200, body: "<ConfirmSubscriptionResponse/>" } },
      expected: [],
    },
  ],
});
