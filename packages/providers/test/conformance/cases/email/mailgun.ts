import { createHmac } from "node:crypto";
import { email, rich, richEmail } from "../../../support.ts";
import { messageId, type Preparation, providerCase, reportTarget } from "../../case.ts";

const credentials = {
  apiKey: "key-s3cret-mailgun",
  user: "api",
  domain: "mg.example.com",
  from: "noreply@example.com",
  senderName: "Example",
};
const headers = { authorization: `Basic ${Buffer.from("api:key-s3cret-mailgun").toString("base64")}` };
const error = (status: number, message: string) => ({ status, body: { message } });

const key = "signing-s3cret";
const now = "2026-01-02T03:04:05Z";

function report(event: object) {
  const timestamp = String(Date.parse(now) / 1000);
  const token = "a8ce0edb2dd8301dee6c2405235584e45aa91d1e9f979f3de0";
  const signature = createHmac("sha256", key).update(`${timestamp}${token}`).digest("hex");
  return { json: { signature: { timestamp, token, signature }, "event-data": event }, key, now };
}

const message = { headers: { "message-id": `${messageId}@example.com` } };

const types = ["delivered", "opened", "clicked", "unsubscribed", "complained", "permanent_fail", "temporary_fail"];
const webhooks = "https://api.mailgun.net/v3/domains/mg.example.com/webhooks";
const listed = { method: "GET", url: webhooks, headers };
const signingKey = {
  ...{ method: "GET", url: "https://api.mailgun.net/v5/accounts/http_signing_key", headers },
  reply: { status: 200, body: { message: "success", http_signing_key: key } },
};
const known = (urls: string[]) => ({ webhooks: Object.fromEntries(types.map((type) => [type, { urls }])) });
const added = (type: string): Preparation => ({
  ...{ method: "POST", url: webhooks, headers, multipart: { id: type, url: reportTarget.url } },
  reply: { status: 200, body: { message: "Webhook has been created", webhook: { urls: [reportTarget.url] } } },
});

const accepted = {
  reply: { status: 200, body: { id: `<${messageId}@example.com>`, message: "Queued. Thank you." } },
  providerMessageId: `${messageId}@example.com`,
};

export default providerCase({
  id: "mailgun",
  docs: "https://documentation.mailgun.com/docs/mailgun/api-reference/send/mailgun/messages",
  credentials,
  minimal: {
    message: email(),
    request: {
      method: "POST",
      url: "https://api.mailgun.net/v3/mg.example.com/messages",
      headers,
      multipart: {
        from: "Example <noreply@example.com>",
        to: "ada@example.com",
        subject: "Hello",
        text: "Hello Ada",
        html: "<p>Hello Ada</p>",
        "h:Message-Id": `<${messageId}@example.com>`,
        "v:tidingsMessageId": messageId,
      },
    },
  },
  rich: {
    message: richEmail({ extra: { "o:tag": ["one", "two"], "h:Message-Id": null }, customData: { plan: "pro" } }),
    request: {
      method: "POST",
      url: "https://api.mailgun.net/v3/mg.example.com/messages",
      headers,
      multipart: {
        from: '"Team, North" <team@example.com>',
        to: ["Ada Lovelace <ada@example.com>", "Zoë Ñandú <b@example.com>"],
        cc: "c@example.com",
        bcc: "d@example.com",
        subject: "Grüße 🎉",
        text: "Hello Ada",
        html: rich.html,
        "h:Reply-To": "Help <help@example.com>",
        "h:X-Campaign": "spring",
        "h:X-Trace": rich.headers["X-Trace"],
        "v:plan": "pro",
        "v:tidingsMessageId": messageId,
        "v:tidingsWorkflowId": "order-shipped",
        "v:tidingsTransactionId": "txn_1",
        "v:tidingsSubscriberId": "ada@example.com",
        attachment: { filename: "Überblick.pdf", type: "application/pdf", content: rich.pdf },
        inline: { filename: "logo@example.com", type: "image/png", content: rich.png },
        "o:tag": ["one", "two"],
      },
    },
  },
  accepted,
  more: [
    {
      message: email({
        origin: { workflowId: "größe" },
        attachments: [{ name: 'a "b".txt', mime: "text/plain", content: Buffer.from("grüße\r\n--x") }],
      }),
      request: {
        method: "POST",
        url: "https://api.mailgun.net/v3/mg.example.com/messages",
        headers,
        multipart: {
          from: "Example <noreply@example.com>",
          to: "ada@example.com",
          subject: "Hello",
          text: "Hello Ada",
          html: "<p>Hello Ada</p>",
          "h:Message-Id": `<${messageId}@example.com>`,
          "v:tidingsMessageId": messageId,
          "v:tidingsWorkflowId": "größe",
          "o:tag": "gr__e",
          attachment: { filename: 'a "b".txt', type: "text/plain", content: "grüße\r\n--x" },
        },
      },
      accepted,
    },
  ],
  errors: [
    { name: "a wrong key", reply: { status: 401, body: "Forbidden" }, outcome: { kind: "rejected", class: "auth" } },
    {
      name: "an unknown domain",
      reply: error(404, "Domain not found"),
      outcome: { kind: "rejected", class: "config" },
    },
    {
      name: "a bad address",
      reply: error(400, "'to' parameter is not a valid address. please check documentation"),
      outcome: { kind: "rejected", class: "recipient" },
    },
    { name: "a missing field", reply: error(400, "from is missing"), outcome: { kind: "rejected", class: "content" } },
    { name: "a mail that is too big", reply: error(413, "too large"), outcome: { kind: "rejected", class: "content" } },
    { name: "a fault of theirs", reply: error(502, "Bad gateway"), outcome: { kind: "retry" } },
  ],
  check: {
    request: {
      method: "POST",
      url: "https://api.mailgun.net/v3/mg.example.com/messages",
      headers,
      form: { "o:testmode": "yes" },
    },
    ok: error(400, "from parameter is missing"),
    bad: { status: 401, body: "Forbidden" },
  },
  receipts: [
    {
      name: "delivered",
      ...report({
        event: "delivered",
        recipient: "ada@example.com",
        timestamp: 1767323040.5,
        message,
        "user-variables": { tidingsMessageId: messageId },
        "delivery-status": { message: "OK", code: 250, "attempt-no": 1 },
      }),
      expected: [
        {
          externalId: `${messageId}@example.com`,
          messageId,
          status: "delivered",
          recipient: "ada@example.com",
          date: new Date(1767323040500),
          attempts: 1,
          response: "OK",
        },
      ],
    },
    {
      name: "a permanent failure",
      ...report({ event: "failed", severity: "permanent", reason: "bounce", timestamp: 1767323040, message }),
      expected: [{ externalId: `${messageId}@example.com`, status: "bounced", date: new Date(1767323040000) }],
    },
    {
      name: "a temporary failure",
      ...report({ event: "failed", severity: "temporary", reason: "generic", timestamp: 1767323040, message }),
      expected: [{ externalId: `${messageId}@example.com`, status: "deferred", date: new Date(1767323040000) }],
    },
    {
      name: "a message that was tried for hours",
      ...report({ event: "failed", severity: "permanent", reason: "old", timestamp: 1767323040, message }),
      expected: [{ externalId: `${messageId}@example.com`, status: "undelivered", date: new Date(1767323040000) }],
    },
    {
      name: "a suppressed address",
      ...report({ event: "failed", severity: "permanent", reason: "suppress-bounce", timestamp: 1767323040, message }),
      expected: [{ externalId: `${messageId}@example.com`, status: "dropped", date: new Date(1767323040000) }],
    },
    { name: "an event of another kind", ...report({ event: "accepted", message }), expected: [] },
  ],
  registrations: [
    {
      name: "the first time",
      calls: [signingKey, { ...listed, reply: { status: 200, body: { webhooks: {} } } }, ...types.map(added)],
      signingKey: key,
    },
    {
      name: "again",
      calls: [signingKey, { ...listed, reply: { status: 200, body: known([reportTarget.url]) } }],
      signingKey: key,
    },
    {
      name: "where another webhook is registered, too",
      calls: [
        signingKey,
        {
          ...listed,
          reply: {
            status: 200,
            body: { webhooks: { ...known([reportTarget.url]).webhooks, opened: { urls: ["https://a.example/"] } } },
          },
        },
        {
          ...{ method: "PUT", url: `${webhooks}/opened`, headers },
          multipart: { url: ["https://a.example/", reportTarget.url] },
          reply: { status: 200, body: { message: "Webhook has been updated" } },
        },
      ],
      signingKey: key,
    },
    {
      name: "where three listen already",
      calls: [
        signingKey,
        {
          ...listed,
          reply: { status: 200, body: known(["https://a.example", "https://b.example", "https://c.example"]) },
        },
      ],
    },
    { name: "a key that may only send", calls: [{ ...signingKey, reply: { status: 401, body: "Forbidden" } }] },
  ],
});
