import { messageId, providerCase } from "../../case.ts";

const url = "https://messaging.bandwidth.com/api/v2/users/9900000/messages";
const headers = { authorization: `Basic ${btoa("acme-api:bandwidth-s3cret")}` };
const applications = {
  method: "GET",
  url: "https://dashboard.bandwidth.com/api/accounts/9900000/applications",
  headers,
};

const application = (id: string, type: string) =>
  `<Application><ApplicationId>${id}</ApplicationId><ServiceType>${type}</ServiceType><AppName>a</AppName></Application>`;
const listed = (...items: string[]) => ({
  status: 200,
  headers: { "content-type": "application/xml" },
  body: `<?xml version="1.0"?><ApplicationProvisioningResponse><ApplicationList>\n${items.join("\n")}\n</ApplicationList></ApplicationProvisioningResponse>`,
});

function refusal(fieldName: string) {
  return {
    status: 400,
    body: {
      type: "request-validation",
      description: "Your request could not be accepted",
      fieldErrors: [{ fieldName, description: "is not valid" }],
    },
  };
}

export default providerCase({
  id: "bandwidth",
  docs: "https://dev.bandwidth.com/docs/messaging/createMessage",
  credentials: { user: "acme-api", password: "bandwidth-s3cret", accountSid: "9900000", from: "+12345678901" },
  minimal: {
    message: { id: messageId, channel: "sms", to: "+1 234 567 8902", text: "Hi" },
    request: [
      { ...applications, reply: listed(application("v-1", "Voice-V2"), application("93de2206", "Messaging-V2")) },
      {
        method: "POST",
        url,
        headers,
        json: { to: ["+12345678902"], from: "+12345678901", text: "Hi", applicationId: "93de2206", tag: messageId },
      },
    ],
  },
  rich: {
    message: {
      id: messageId,
      channel: "sms",
      to: "+12345678902",
      from: "+12345678903",
      text: "Grüße 🎉",
      extra: { applicationId: "7cc3c4f7", priority: "high", media: ["https://a.example/1.png"] },
    },
    request: {
      method: "POST",
      url,
      headers,
      json: {
        to: ["+12345678902"],
        from: "+12345678903",
        text: "Grüße 🎉",
        applicationId: "7cc3c4f7",
        tag: messageId,
        priority: "high",
        media: ["https://a.example/1.png"],
      },
    },
  },
  accepted: {
    reply: { status: 202, body: { id: "1589228074636lm4k2je7j7jklbn2", owner: "+12345678901", direction: "out" } },
    providerMessageId: "1589228074636lm4k2je7j7jklbn2",
  },
  errors: [
    {
      name: "a wrong password",
      reply: { status: 401, body: { type: "unauthorized", description: "Authentication Failed" } },
      outcome: { kind: "rejected", class: "auth" },
    },
    {
      name: "a password the look-up refuses",
      reply: { status: 401, body: "" },
      at: 0,
      outcome: { kind: "rejected", class: "auth" },
    },
    {
      name: "several applications",
      reply: listed(application("a-1", "Messaging-V2"), application("a-2", "Messaging-V2")),
      at: 0,
      outcome: { kind: "rejected", class: "config" },
    },
    { name: "no application", reply: listed(), at: 0, outcome: { kind: "rejected", class: "config" } },
    { name: "a bad number", reply: refusal("to[0]"), outcome: { kind: "rejected", class: "recipient" } },
    { name: "a foreign sender", reply: refusal("from"), outcome: { kind: "rejected", class: "config" } },
    { name: "a bad text", reply: refusal("text"), outcome: { kind: "rejected", class: "content" } },
    {
      name: "the rate limit",
      reply: { status: 429, body: { type: "limited", description: "Too many messages" } },
      outcome: { kind: "retry" },
    },
  ],
  check: { request: applications, ok: listed(), bad: { status: 401, body: "" } },
  receipts: [
    {
      name: "delivered",
      json: [
        {
          type: "message-delivered",
          time: "2026-01-02T03:04:05Z",
          description: "ok",
          to: "+12345678902",
          message: { id: "15892280", tag: messageId, direction: "out", to: ["+12345678902"] },
        },
      ],
      expected: [
        {
          externalId: "15892280",
          messageId,
          status: "delivered",
          date: new Date("2026-01-02T03:04:05Z"),
          response: "ok",
        },
      ],
    },
    {
      name: "failed",
      json: [{ type: "message-failed", description: "rejected-unallocated-from-number", message: { id: "15892280" } }],
      expected: [{ externalId: "15892280", status: "undelivered", response: "rejected-unallocated-from-number" }],
    },
    { name: "an incoming message", json: [{ type: "message-received", message: { id: "in-1" } }], expected: [] },
  ],
});
