import { createHash, createHmac } from "node:crypto";
import { messageId, providerCase } from "../../case.ts";

const url = "https://rest.messagebird.com/messages";
const headers = { authorization: "AccessKey messagebird-s3cret-key" };
const error = (status: number, code: number, description: string, parameter: string | null = null) => ({
  status,
  body: { errors: [{ code, description, parameter }] },
});

const key = "messagebird-signing-s3cret";
const now = "2026-01-02T03:04:05Z";
/** A status report, with the token that signs the address it was sent to. */
function report(query: Record<string, string>) {
  const address = `https://notify.example.com/v2/inbound-webhooks/delivery-providers/e/i?${new URLSearchParams(query)}`;
  const at = Date.parse(now) / 1000;
  const urlHash = createHash("sha256").update(address).digest("hex");
  const claims = { iss: "MessageBird", nbf: at, exp: at + 60, jti: "c946af77", url_hash: urlHash };
  const parts = [{ alg: "HS256", typ: "JWT" }, claims].map((one) => JSON.stringify(one));
  const signed = parts.map((part) => Buffer.from(part).toString("base64url")).join(".");
  const token = `${signed}.${createHmac("sha256", key).update(signed).digest("base64url")}`;
  return { query, url: address, headers: { "messagebird-signature-jwt": token }, key, now };
}

export default providerCase({
  id: "messagebird",
  docs: "https://developers.messagebird.com/api/sms-messaging/#send-outbound-sms",
  credentials: { accessKey: "messagebird-s3cret-key", from: "Acme" },
  minimal: {
    message: { id: messageId, channel: "sms", to: "+31 6 12345678", text: "Hi" },
    request: {
      method: "POST",
      url,
      headers,
      json: { originator: "Acme", recipients: ["31612345678"], body: "Hi", datacoding: "auto", reference: messageId },
    },
  },
  rich: {
    message: {
      id: messageId,
      channel: "sms",
      to: "31612345678",
      from: "31687654321",
      text: "Grüße 🎉",
      extra: { validity: 3600, typeDetails: { udhi: false } },
    },
    request: {
      method: "POST",
      url,
      headers,
      json: {
        originator: "31687654321",
        recipients: ["31612345678"],
        body: "Grüße 🎉",
        datacoding: "auto",
        reference: messageId,
        validity: 3600,
        typeDetails: { udhi: false },
      },
    },
  },
  accepted: {
    reply: { status: 201, body: { id: "49e40bae0b374f1ca5e3d04d46edc7c1", recipients: { totalSentCount: 1 } } },
    providerMessageId: "49e40bae0b374f1ca5e3d04d46edc7c1",
  },
  errors: [
    {
      name: "a wrong key",
      reply: error(401, 2, "Request not allowed (incorrect access_key)", "access_key"),
      outcome: { kind: "rejected", class: "auth" },
    },
    {
      name: "a bad number",
      reply: error(422, 10, "recipients is invalid", "recipients"),
      outcome: { kind: "rejected", class: "recipient" },
    },
    {
      name: "a bad sender",
      reply: error(422, 10, "originator is invalid", "originator"),
      outcome: { kind: "rejected", class: "config" },
    },
    {
      name: "an empty text",
      reply: error(422, 9, "no (correct) body found", "body"),
      outcome: { kind: "rejected", class: "content" },
    },
    {
      name: "an empty account",
      reply: error(422, 25, "Not enough balance"),
      outcome: { kind: "rejected", class: "quota" },
    },
    { name: "a fault of theirs", reply: error(422, 99, "Internal error"), outcome: { kind: "retry" } },
  ],
  check: {
    request: { method: "GET", url: "https://rest.messagebird.com/balance", headers },
    ok: { status: 200, body: { payment: "prepaid", type: "credits", amount: 9.2 } },
    bad: error(401, 2, "Request not allowed (incorrect access_key)", "access_key"),
  },
  receipts: [
    {
      name: "delivered",
      ...report({
        id: "e8077d803532c0b5937c639b60216938",
        reference: messageId,
        recipient: "31612345678",
        status: "delivered",
        statusDatetime: "2026-01-02T03:04:05+00:00",
      }),
      expected: [
        {
          externalId: "e8077d803532c0b5937c639b60216938",
          messageId,
          status: "delivered",
          date: new Date("2026-01-02T03:04:05Z"),
        },
      ],
    },
    {
      name: "failed",
      ...report({ id: "e807", status: "delivery_failed", statusReason: "unknown subscriber", statusErrorCode: "1" }),
      expected: [{ externalId: "e807", status: "undelivered", response: "unknown subscriber" }],
    },
    {
      name: "expired, with a code and no reason",
      ...report({ id: "e807", status: "expired", statusErrorCode: "104" }),
      expected: [{ externalId: "e807", status: "undelivered", response: "Error 104" }],
    },
    { name: "an unknown status", ...report({ id: "e807", status: "constructor" }), expected: [] },
  ],
});
