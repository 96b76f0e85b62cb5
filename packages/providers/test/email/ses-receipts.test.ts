// Reports that must not pass for Amazon's. That the real ones pass is in the conformance case of ses.

import assert from "node:assert/strict";
import { createSign } from "node:crypto";
import { after, describe, it } from "node:test";
import { readReceipts, verifyReceipt } from "../../src/index.ts";
import { makeCertificate } from "../conformance/certificate.ts";
import { openIo } from "../support.ts";

const now = new Date("2026-01-02T03:04:05Z");
const topic = "arn:aws:sns:eu-west-1:123456789012:ses-events";
const sns = "https://sns.eu-west-1.amazonaws.com/";
const good = makeCertificate("2025-06-01T00:00:00Z", "2027-06-01T00:00:00Z");
const expired = makeCertificate("2024-06-01T00:00:00Z", "2025-06-01T00:00:00Z");

const network: Record<string, string> = {
  [`${sns}SimpleNotificationService-good.pem`]: good.pem,
  [`${sns}SimpleNotificationService-expired.pem`]: expired.pem,
  "https://sns.eu-west-1.amazonaws.com.evil.example/SimpleNotificationService-good.pem": good.pem,
  "https://files.eu-west-1.amazonaws.com/SimpleNotificationService-good.pem": good.pem,
};

const note = {
  Type: "Notification",
  MessageId: "22b80b92",
  TopicArn: topic,
  Message: JSON.stringify({
    eventType: "Delivery",
    mail: { messageId: "0102", timestamp: "2026-01-02T03:03:59.000Z" },
  }),
  Timestamp: "2026-01-02T03:04:00.000Z",
};

function report(changes: Record<string, string> = {}, { privateKey } = good) {
  const lines = Object.entries(note)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${name}\n${value}\n`);
  const Signature = createSign("sha256").update(lines.join("")).sign(privateKey, "base64");
  const proof = { SignatureVersion: "2", Signature, SigningCertURL: `${sns}SimpleNotificationService-good.pem` };
  const raw = Buffer.from(JSON.stringify({ ...note, ...proof, ...changes }));
  return { method: "POST" as const, headers: {}, raw, body: undefined };
}

describe("a report of SES", () => {
  const fetched: string[] = [];
  const io = {
    ...openIo({ after }),
    http: async ({ url }: { url: string }) => {
      fetched.push(url);
      const text = network[url];
      return { status: text === undefined ? 404 : 200, headers: {}, text: text ?? "", json: undefined };
    },
  };
  const verify = (sent: ReturnType<typeof report>, key = topic, at = now) => verifyReceipt("ses", sent, key, at, io);
  const after20Minutes = new Date(now.getTime() + 20 * 60_000);

  it("is taken when the topic signed it, and its certificate is fetched once", async () => {
    assert.equal(await verify(report()), true);
    assert.equal(await verify(report()), true);
    assert.deepEqual(fetched, [`${sns}SimpleNotificationService-good.pem`]);
  });

  it("is taken when SNS delivers it late, for a day after it was published and not before", async () => {
    const at = (ms: number) => new Date(Date.parse(note.Timestamp) + ms);
    assert.equal(await verify(report(), topic, after20Minutes), true);
    assert.equal(await verify(report(), topic, at(86_400_000)), true);
    assert.equal(await verify(report(), topic, at(86_401_000)), false);
    assert.equal(await verify(report(), topic, at(-301_000)), false);
  });

  it("says the same when it is delivered again, so that it counts once", async () => {
    const [first, second] = [report(), report()];
    assert.equal(await verify(second, topic, after20Minutes), true);
    assert.deepEqual(readReceipts("ses", second), readReceipts("ses", first));
    assert.deepEqual(
      readReceipts("ses", first).map(({ row, ...one }) => one),
      [{ externalId: "0102", status: "delivered", date: new Date("2026-01-02T03:03:59.000Z") }],
    );
  });

  it("is refused when it was changed or signed with another key", async () => {
    assert.equal(await verify(report({ Message: "{}" })), false);
    assert.equal(await verify(report({}, expired)), false);
    assert.equal(await verify(report({ Signature: "" })), false);
    assert.equal(await verify(report({ SignatureVersion: "3" })), false);
    assert.equal(await verify(report({ Type: "constructor" })), false);
  });

  it("is refused when it is of another topic, or the key is no topic", async () => {
    assert.equal(await verify(report({ TopicArn: `${topic}-2` })), false);
    assert.equal(await verify(report(), `${topic}-2`), false);
    assert.equal(await verify(report(), "ses-events"), false);
  });

  it("is refused without a look at certificates from elsewhere", async () => {
    const before = fetched.length;
    for (const SigningCertURL of [
      "https://sns.eu-west-1.amazonaws.com.evil.example/SimpleNotificationService-good.pem",
      "https://files.eu-west-1.amazonaws.com/SimpleNotificationService-good.pem",
      "https://sns.us-east-1.amazonaws.com/SimpleNotificationService-good.pem",
      "http://sns.eu-west-1.amazonaws.com/SimpleNotificationService-good.pem",
      `${sns}?Action=Publish&x=SimpleNotificationService-good.pem`,
      `${sns}SimpleNotificationService-good.pem@evil.example`,
      "",
    ]) {
      assert.equal(await verify(report({ SigningCertURL })), false, SigningCertURL);
    }
    assert.equal(fetched.length, before);
  });

  it("is refused when the certificate has expired or cannot be had", async () => {
    const at = (name: string) => ({ SigningCertURL: `${sns}SimpleNotificationService-${name}.pem` });
    assert.equal(await verify(report(at("expired"), expired)), false);
    assert.equal(await verify(report(at("missing"))), false);
  });
});
