import { createHash, createHmac } from "node:crypto";
import { messageId, providerCase } from "../../case.ts";

const host = "contoso.communication.azure.com";
const key = Buffer.from("azure-s3cret-access-key-0123456789").toString("base64");
const date = "Fri, 02 Jan 2026 03:04:05 GMT";

// The signature by the letter of its tutorial.
function headers(method: string, path: string, body: string) {
  const hash = createHash("sha256").update(body).digest("base64");
  const signature = createHmac("sha256", Buffer.from(key, "base64"))
    .update(`${method}\n${path}\n${date};${host};${hash}`)
    .digest("base64");
  return {
    "x-ms-date": date,
    "x-ms-content-sha256": hash,
    authorization: `HMAC-SHA256 SignedHeaders=x-ms-date;host;x-ms-content-sha256&Signature=${signature}`,
  };
}

const sms = "/sms?api-version=2021-03-07";

function sending(json: unknown) {
  return {
    method: "POST",
    url: `https://${host}${sms}`,
    headers: headers("POST", sms, JSON.stringify(json)),
    json,
  };
}

const minimal = {
  from: "+18001110000",
  smsRecipients: [{ to: "+11234567890" }],
  message: "Hi",
  smsSendOptions: { enableDeliveryReport: true, tag: messageId },
};

// A message of a minute ago: its id begins with that time.
const fresh = `${(Date.parse(date) - 60_000).toString(16).padStart(12, "0").replace(/^.{8}/, "$&-")}-7000-8000-000000000001`;

const numbers = "/phoneNumbers?api-version=2022-12-01&top=1";
const item = (httpStatusCode: number, errorMessage: string) => ({
  status: 202,
  body: { value: [{ to: "+11234567890", httpStatusCode, successful: false, errorMessage }] },
});
const error = (status: number, code: string, message: string) => ({ status, body: { error: { code, message } } });

const accepted = {
  reply: {
    status: 202,
    body: {
      value: [{ to: "+11234567890", messageId: "Outgoing_20200610203725", httpStatusCode: 202, successful: true }],
    },
  },
  providerMessageId: "Outgoing_20200610203725",
};

export default providerCase({
  id: "azure-sms",
  docs: "https://learn.microsoft.com/rest/api/communication/sms/send",
  credentials: { accessKey: `endpoint=https://${host}/;accesskey=${key}`, from: "+18001110000" },
  now: "2026-01-02T03:04:05Z",
  minimal: {
    message: { id: messageId, channel: "sms", to: "+1 123 456 7890", text: "Hi" },
    request: sending(minimal),
  },
  rich: {
    message: {
      id: messageId,
      channel: "sms",
      to: "+11234567890",
      from: "CONTOSO",
      text: "Grüße & 🎉 = 100%",
      extra: { smsSendOptions: { tag: "spring" } },
    },
    request: sending({
      ...minimal,
      from: "CONTOSO",
      message: "Grüße & 🎉 = 100%",
      smsSendOptions: { enableDeliveryReport: true, tag: "spring" },
    }),
  },
  accepted,
  more: [
    {
      message: { id: fresh, channel: "sms", to: "+11234567890", text: "Hi" },
      request: sending({
        ...minimal,
        smsRecipients: [
          {
            to: "+11234567890",
            repeatabilityRequestId: fresh,
            repeatabilityFirstSent: "Fri, 02 Jan 2026 03:03:05 GMT",
          },
        ],
        smsSendOptions: { enableDeliveryReport: true, tag: fresh },
      }),
      accepted,
    },
  ],
  errors: [
    {
      name: "a wrong key",
      reply: error(401, "Denied", "Denied by the resource provider."),
      outcome: { kind: "rejected", class: "auth" },
    },
    {
      name: "a bad number",
      reply: item(400, "Invalid To phone number format."),
      outcome: { kind: "rejected", class: "recipient" },
    },
    {
      name: "a foreign sender",
      reply: error(400, "BadRequest", "The From number is not owned by the resource."),
      outcome: { kind: "rejected", class: "config" },
    },
    {
      name: "a bad text",
      reply: error(400, "BadRequest", "The message is empty."),
      outcome: { kind: "rejected", class: "content" },
    },
    { name: "a recipient for later", reply: item(429, "Too many requests."), outcome: { kind: "retry" } },
    { name: "a fault of theirs", reply: item(500, "Internal error."), outcome: { kind: "retry" } },
  ],
  check: {
    request: { method: "GET", url: `https://${host}${numbers}`, headers: headers("GET", numbers, "") },
    ok: { status: 200, body: { phoneNumbers: [] } },
    bad: error(401, "Denied", "Denied by the resource provider."),
  },
  receipts: [
    {
      name: "delivered",
      json: [
        {
          id: "Outgoing_20200610203725",
          eventType: "Microsoft.Communication.SMSDeliveryReportReceived",
          data: {
            messageId: "Outgoing_20200610203725",
            from: "+18001110000",
            to: "+11234567890",
            deliveryStatus: "Delivered",
            deliveryStatusDetails: "No error.",
            receivedTimestamp: "2026-01-02T03:04:05Z",
            tag: messageId,
          },
          eventTime: "2026-01-02T03:04:06Z",
        },
      ],
      expected: [
        {
          externalId: "Outgoing_20200610203725",
          messageId,
          status: "delivered",
          date: new Date("2026-01-02T03:04:05Z"),
          response: "No error.",
        },
      ],
    },
    {
      name: "failed",
      json: [{ data: { messageId: "O-1", deliveryStatus: "Failed", deliveryStatusDetails: "Unknown subscriber" } }],
      expected: [{ externalId: "O-1", status: "undelivered", response: "Unknown subscriber" }],
    },
    {
      name: "the validation of a subscription",
      json: [
        { eventType: "Microsoft.EventGrid.SubscriptionValidationEvent", data: { validationUrl: "https://a.example" } },
      ],
      expected: [],
    },
  ],
  quirks: { because: "The status of the recipient decides, and it is in the body", invalidJson: "unknown" },
});
