import { createHash, createHmac } from "node:crypto";
import { messageId, providerCase } from "../../case.ts";

const hash = (text: string) => createHash("sha256").update(text).digest("hex");
const hmac = (key: string | Buffer, text: string) => createHmac("sha256", key).update(text).digest();

// Signature Version 4 by the letter of its documentation, for a POST to the root.
function authorization(service: string, form: Record<string, string>): string {
  const names = "accept;host;x-amz-date";
  const lines = `accept:application/xml\nhost:${service}.eu-west-1.amazonaws.com\nx-amz-date:20260102T030405Z\n`;
  const canonical = `POST\n/\n\n${lines}\n${names}\n${hash(new URLSearchParams(form).toString())}`;
  const scope = ["20260102", "eu-west-1", service, "aws4_request"];
  const key = scope.reduce<string | Buffer>((from, part) => hmac(from, part), "AWS4aws-s3cret-access-key");
  const toSign = `AWS4-HMAC-SHA256\n20260102T030405Z\n${scope.join("/")}\n${hash(canonical)}`;
  const credential = `AKIAIOSFODNN7EXAMPLE/${scope.join("/")}`;
  const signature = hmac(key, toSign).toString("hex");
  return `AWS4-HMAC-SHA256 Credential=${credential}, SignedHeaders=${names}, Signature=${signature}`;
}

function expected(service: string, form: Record<string, string>) {
  return {
    method: "POST",
    url: `https://${service}.eu-west-1.amazonaws.com/`,
    headers: { authorization: authorization(service, form), "x-amz-date": "20260102T030405Z" },
    form,
  };
}

const published = {
  status: 200,
  headers: { "content-type": "text/xml" },
  body: "<PublishResponse><PublishResult><MessageId>567910cd-659e</MessageId></PublishResult></PublishResponse>",
};

const attribute = (index: number, name: string, value: string, type = "String") => ({
  [`MessageAttributes.entry.${index}.Name`]: name,
  [`MessageAttributes.entry.${index}.Value.DataType`]: type,
  [`MessageAttributes.entry.${index}.Value.StringValue`]: value,
});

const error = (status: number, code: string, message = "Message") => ({
  status,
  headers: { "content-type": "text/xml" },
  body: `<ErrorResponse><Error><Code>${code}</Code><Message>${message}</Message></Error></ErrorResponse>`,
});

export default providerCase({
  id: "sns",
  docs: "https://docs.aws.amazon.com/sns/latest/api/API_Publish.html",
  credentials: { apiKey: "AKIAIOSFODNN7EXAMPLE", secretKey: "aws-s3cret-access-key", region: "eu-west-1" },
  now: "2026-01-02T03:04:05Z",
  minimal: {
    message: { id: messageId, channel: "sms", to: "+1 206 555 0100", text: "Hi" },
    request: expected("sns", {
      Action: "Publish",
      Version: "2010-03-31",
      PhoneNumber: "+12065550100",
      Message: "Hi",
      ...attribute(1, "AWS.SNS.SMS.SMSType", "Transactional"),
    }),
  },
  rich: {
    message: {
      id: messageId,
      channel: "sms",
      to: "+12065550100",
      from: "Acme",
      text: "Grüße & 🎉 = 100%",
      extra: attribute(3, "AWS.SNS.SMS.MaxPrice", "0.50"),
    },
    request: expected("sns", {
      Action: "Publish",
      Version: "2010-03-31",
      PhoneNumber: "+12065550100",
      Message: "Grüße & 🎉 = 100%",
      ...attribute(1, "AWS.SNS.SMS.SMSType", "Transactional"),
      ...attribute(2, "AWS.SNS.SMS.SenderID", "Acme"),
      ...attribute(3, "AWS.SNS.SMS.MaxPrice", "0.50"),
    }),
  },
  accepted: { reply: published, providerMessageId: "567910cd-659e" },
  more: [
    {
      // As the SDKs accept them: one that replaces ours, one that removes ours, and one that we do not set.
      message: {
        id: messageId,
        channel: "sms",
        to: "+12065550100",
        from: "Acme",
        text: "Hi",
        extra: { Subject: "S" },
        passthrough: {
          body: {
            MessageAttributes: {
              "AWS.SNS.SMS.SMSType": { DataType: "String", StringValue: "Promotional" },
              "AWS.SNS.SMS.SenderID": null,
              "AWS.SNS.SMS.MaxPrice": { DataType: "Number", StringValue: "0.50" },
            },
          },
        },
      },
      request: expected("sns", {
        Action: "Publish",
        Version: "2010-03-31",
        PhoneNumber: "+12065550100",
        Message: "Hi",
        ...attribute(1, "AWS.SNS.SMS.SMSType", "Promotional"),
        ...attribute(2, "AWS.SNS.SMS.MaxPrice", "0.50", "Number"),
        Subject: "S",
      }),
      accepted: { reply: published, providerMessageId: "567910cd-659e" },
    },
  ],
  errors: [
    ...[
      { MessageAttributes: { a: "x" } },
      { MessageAttributes: { a: { DataType: "String", StringValue: ["x"] } } },
      { MessageAttributes: ["x"] },
    ].map((extra) => ({
      name: `overrides that the protocol has no place for: ${JSON.stringify(extra)}`,
      sending: {
        message: { id: messageId, channel: "sms" as const, to: "+12065550100", text: "Hi", extra },
        request: expected("sns", {}),
      },
      reply: published,
      outcome: { kind: "rejected" as const, class: "content" },
    })),
    { name: "a wrong key", reply: error(403, "InvalidClientTokenId"), outcome: { kind: "rejected", class: "auth" } },
    {
      name: "a wrong secret",
      reply: error(403, "SignatureDoesNotMatch"),
      outcome: { kind: "rejected", class: "auth" },
    },
    {
      name: "a missing permission",
      reply: error(403, "AuthorizationError"),
      outcome: { kind: "rejected", class: "auth" },
    },
    {
      name: "a bad number",
      reply: error(400, "InvalidParameter", "Invalid parameter: PhoneNumber Reason: +1 is not valid"),
      outcome: { kind: "rejected", class: "recipient" },
    },
    { name: "an opt-out", reply: error(400, "OptedOut"), outcome: { kind: "rejected", class: "recipient" } },
    {
      name: "a bad parameter",
      reply: error(400, "InvalidParameter", "Invalid parameter: Message too long"),
      outcome: { kind: "rejected", class: "content" },
    },
    { name: "throttling", reply: error(400, "Throttling", "Rate exceeded"), outcome: { kind: "retry" } },
    { name: "a fault of theirs", reply: error(500, "InternalError"), outcome: { kind: "retry" } },
  ],
  check: {
    request: expected("sts", { Action: "GetCallerIdentity", Version: "2011-06-15" }),
    ok: { status: 200, body: "<GetCallerIdentityResponse/>" },
    bad: error(403, "InvalidClientTokenId"),
  },
});
