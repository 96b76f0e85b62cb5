import assert from "node:assert/strict";
import { createHmac, generateKeyPairSync, sign } from "node:crypto";
import { after, describe, it } from "node:test";
import type { JsonObject } from "@tidings/contract";
import { answerChallenge, type InboundRequest, readReceipts, receiptKey, verifyReceipt } from "../../src/index.ts";
import { dateOf, genericReceipts } from "../../src/kit/receipts.ts";
import { openIo } from "../support.ts";

const now = new Date("2026-01-02T03:04:05Z");
const raw = Buffer.from('{"status":"delivered"}');

function request(headers: Record<string, string>): InboundRequest {
  return {
    method: "POST",
    headers,
    raw,
    body: {},
  };
}

function signed(secret: Buffer, at = now, prefix = "webhook"): InboundRequest {
  const stamp = String(Math.floor(at.getTime() / 1000));
  const mac = createHmac("sha256", secret).update(`id.${stamp}.`).update(raw).digest("base64");
  return request({
    [`${prefix}-id`]: "id",
    [`${prefix}-timestamp`]: stamp,
    [`${prefix}-signature`]: `v1a,abc v1,${Buffer.alloc(32).toString("base64")} v1,${mac}`,
  });
}

describe("the proof of a delivery report", () => {
  const io = openIo({ after });
  const verify = (report: InboundRequest, key: string) => verifyReceipt("twilio", report, key, now, io);

  it("is a Standard Webhooks signature, one of several, with a key in either form", async () => {
    assert.equal(await verify(signed(Buffer.from("secret")), "whsec_c2VjcmV0"), true);
    assert.equal(await verify(signed(Buffer.from("secret"), now, "svix"), "whsec_c2VjcmV0"), true);
    assert.equal(await verify(signed(Buffer.from("chosen by me")), "chosen by me"), true);
    assert.equal(await verify(signed(Buffer.from("secret")), "whsec_b3RoZXI="), false);
  });

  it("does not outlive five minutes, in either direction", async () => {
    const at = (seconds: number) => signed(Buffer.from("k"), new Date(now.getTime() + seconds * 1000));
    assert.equal(await verify(at(-300), "k"), true);
    assert.equal(await verify(at(-301), "k"), false);
    assert.equal(await verify(at(301), "k"), false);
  });

  it("is the key as password where nothing is signed, and a bad signature is not saved by it", async () => {
    const authorization = `Basic ${Buffer.from("anyone:k:1").toString("base64")}`;
    assert.equal(await verify(request({ authorization }), "k:1"), true);
    assert.equal(await verify(request({ authorization }), "k"), false);
    assert.equal(await verify(request({ authorization, "webhook-signature": "v1,x" }), "k:1"), false);
    assert.equal(await verify(request({ authorization: "Basic Og==" }), ""), false);
    assert.equal(await verify(request({}), "k"), false);
  });
});

describe("the proof of a report of MailerSend", () => {
  const io = openIo({ after });
  const pingSecret = "test_Am3L1GuOIc4blLUuHqAPxxwkZaJyEk8G";
  const report = (type: string, secret: string): InboundRequest => {
    const body = { type, data: { type: "hard_bounced", message_id: "5e42957d" } };
    const bytes = Buffer.from(JSON.stringify(body));
    const signature = createHmac("sha256", secret).update(bytes).digest("hex");
    return { method: "POST", headers: { signature }, raw: bytes, body };
  };
  const verify = (sent: InboundRequest) => verifyReceipt("mailersend", sent, "mine", now, io);

  it("is the secret of the webhook; the one that everybody knows proves a ping and nothing else", async () => {
    assert.equal(await verify(report("activity.hard_bounced", "mine")), true);
    assert.equal(await verify(report("webhook.test", pingSecret)), true);
    assert.equal(await verify(report("activity.hard_bounced", pingSecret)), false);
    assert.equal(await verify(report("webhook.test", "another")), false);
    assert.deepEqual(readReceipts("mailersend", report("webhook.test", pingSecret)), []);
  });
});

describe("the proof of a report of Telnyx", () => {
  const io = openIo({ after });
  const { privateKey, publicKey } = generateKeyPairSync("ed25519");
  const key = publicKey.export({ format: "der", type: "spki" }).subarray(-32).toString("base64");
  const stamp = String(now.getTime() / 1000);
  const signature = sign(null, Buffer.concat([Buffer.from(`${stamp}|`), raw]), privateKey).toString("base64");
  const headers = { "telnyx-timestamp": stamp, "telnyx-signature-ed25519": signature };
  const verify = (sent: InboundRequest, by = key) => verifyReceipt("telnyx", sent, by, now, io);

  it("covers the body and the time", async () => {
    assert.equal(await verify(request(headers)), true);
    assert.equal(await verify({ ...request(headers), raw: Buffer.from("{}") }), false);
    assert.equal(await verify(request({ ...headers, "telnyx-timestamp": String(Number(stamp) - 1) })), false);
    assert.equal(await verify(request({ ...headers, "telnyx-signature-ed25519": "x" })), false);
  });

  it("is never the key itself, which is public", async () => {
    const authorization = `Basic ${Buffer.from(`x:${key}`).toString("base64")}`;
    assert.equal(await verify(request({ authorization })), false);
    assert.equal(await verify(signed(Buffer.from(key))), false);
    assert.equal(await verify(request(headers), "not a key"), false);
  });
});

describe("the proof of a report by GET", () => {
  const io = openIo({ after });

  it("covers the query string", async () => {
    const query = Buffer.from("messageId=m1&status=delivered");
    const stamp = String(now.getTime() / 1000);
    const mac = createHmac("sha256", "k").update(`id.${stamp}.`).update(query).digest("base64");
    const headers = { "webhook-id": "id", "webhook-timestamp": stamp, "webhook-signature": `v1,${mac}` };
    const report: InboundRequest = { method: "GET", headers, raw: query, body: {} };
    assert.equal(await verifyReceipt("generic-sms", report, "k", now, io), true);
    const other = { ...report, raw: Buffer.from("messageId=m1&status=failed") };
    assert.equal(await verifyReceipt("generic-sms", other, "k", now, io), false);
  });

  // From the reference tokens of github.com/messagebird/messagebird-nodejs, so that it is not only us who agree with
  // us.
  const secret = "36efdd1aace2e26cd490f0d951138253bef2f7c6d34d18981da781555cc4cebb";
  const token = [
    "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9",
    "eyJpc3MiOiJNZXNzYWdlQmlyZCIsIm5iZiI6MTYyNTQ3OTIwMCwiZXhwIjoxNjI1NDc5MjYwLCJqdGkiOiJjOTQ2YWY3Ny1lMTgyLTRlYWEtYjJmZi0x" +
      "YTU0NWI1ZTk5MWEiLCJ1cmxfaGFzaCI6IjQxZjA1ZjBkZGQwYTIyYWIyMDlhYzQ2ZjQ3YzQ1NzJkOWNlZmEyNTdlZDc0YjI0MDA0YmFlNzUzZWNlNmMy" +
      "NjAifQ",
    "huo2ou6JDoDc7sV25d75UMWeYhBeavQlLsqIibSZuac",
  ].join(".");
  const url = "https://example.com/path?bar=1&foo=2";
  const at = new Date("2021-07-05T12:00:00+02:00");
  const verify = (changes: Partial<InboundRequest> = {}, jwt = token, when = at, key = secret) =>
    verifyReceipt(
      "messagebird",
      { method: "GET", url, headers: { "messagebird-signature-jwt": jwt }, raw: Buffer.alloc(0), body: {}, ...changes },
      key,
      when,
      io,
    );

  it("is MessageBird's token, for this address, this body and this minute", async () => {
    assert.equal(await verify(), true);
    assert.equal(await verify({}, token, at, "another"), false);
    assert.equal(await verify({ url: "https://example.com/path?foo=2&bar=1" }), false);
    assert.equal(await verify({ url: undefined }), false);
    assert.equal(await verify({ method: "POST", raw: Buffer.from("more") }), false);
    assert.equal(await verify({}, token, new Date(at.getTime() + 91_000)), false);
    assert.equal(await verify({}, token, new Date(at.getTime() - 31_000)), false);
  });

  it("is no token that says how it wants to be checked, and nothing beside a wrong one", async () => {
    const [, claims] = token.split(".");
    const unsigned = `${Buffer.from('{"alg":"none"}').toString("base64url")}.${claims}.`;
    const authorization = `Basic ${Buffer.from(`x:${secret}`).toString("base64")}`;
    for (const jwt of [unsigned, `${token}.x`, token.slice(0, -1), "x", "", "..", "bnVsbA.bnVsbA.x"]) {
      assert.equal(await verify({}, jwt), false, jwt);
      const headers = { "messagebird-signature-jwt": jwt, authorization };
      assert.equal(await verify({ headers }), false, jwt);
    }
    assert.equal(await verify({ headers: { authorization } }), true);
  });
});

describe("the question of WhatsApp whether the address is ours", () => {
  const credentials = { token: "chosen by me" };
  const ask = (fields: Record<string, string>, given: JsonObject = credentials) =>
    answerChallenge("whatsapp-business", { method: "GET", headers: {}, raw: Buffer.alloc(0), body: fields }, given);
  const question = { "hub.mode": "subscribe", "hub.verify_token": "chosen by me", "hub.challenge": "1158201444" };

  it("is answered with its challenge when it shows our token, and refused otherwise", () => {
    assert.equal(ask(question), "1158201444");
    assert.equal(ask({ ...question, "hub.verify_token": "chosen by you" }), false);
    assert.equal(ask({ ...question, "hub.mode": "unsubscribe" }), false);
    const { "hub.challenge": _, ...unasked } = question;
    assert.equal(ask(unasked), false);
    const { "hub.verify_token": __, ...unproved } = question;
    for (const none of [{}, { token: "" }, { token: 5 }]) {
      assert.equal(ask(question, none), false);
      assert.equal(ask(unproved, none), false);
      assert.equal(ask({ ...question, "hub.verify_token": "" }, none), false);
    }
  });

  it("is none without a mode, nor to a provider that does not ask", () => {
    assert.equal(ask({ status: "delivered" }), undefined);
    assert.equal(
      answerChallenge("twilio", { method: "GET", headers: {}, raw, body: question }, credentials),
      undefined,
    );
    assert.equal(
      answerChallenge("no-such-provider", { method: "GET", headers: {}, raw, body: question }, credentials),
      undefined,
    );
  });
});

describe("the key of reports", () => {
  it("is the configured one, else the credential the provider signs with, else none", () => {
    const credentials = { secretKey: "app secret" };
    assert.equal(receiptKey("whatsapp-business", "configured", credentials), "configured");
    assert.equal(receiptKey("whatsapp-business", undefined, credentials), "app secret");
    assert.equal(receiptKey("whatsapp-business", "", {}), "");
    assert.equal(receiptKey("nexmo", undefined, credentials), "");
    assert.equal(receiptKey("nexmo", 5, credentials), "");
  });
});

describe("generic delivery reports", () => {
  const read = (body: unknown) =>
    genericReceipts("push")
      .read({ ...request({}), body })
      .map(({ row, ...rest }) => rest);

  it("are one object or a list, by our id or the provider's", () => {
    const date = "2026-01-02T03:04:05.000Z";
    assert.deepEqual(read({ tidingsMessageId: "m1", status: "opened", date }), [
      { messageId: "m1", status: "opened", date: new Date(date) },
    ]);
    assert.deepEqual(
      read([{ externalId: "e", status: "failed", attempts: 2, response: "gone" }, { status: "opened" }, 1]),
      [{ externalId: "e", status: "failed", attempts: 2, response: "gone" }],
    );
    assert.deepEqual(read({ messageId: "m", status: "bounced" }), []);
    assert.deepEqual(read({ messageId: "m", status: "clicked", attempts: "3" }), [
      { messageId: "m", status: "clicked", attempts: 3 },
    ]);
  });

  it("are understood in the words of apps written for the peer API, by our id or the provider's", () => {
    const timestamp = "2026-01-02T03:04:05.000Z";
    assert.deepEqual(read({ eventId: "e1", eventType: "clicked", timestamp, platform: "ios" }), [
      { externalId: "e1", messageId: "e1", status: "clicked", date: new Date(timestamp) },
    ]);
    assert.deepEqual(read({ eventId: "e1", eventType: "exploded" }), []);
    assert.deepEqual(read({ eventType: "clicked" }), []);
  });

  it("of a provider that does not report are nothing", () => {
    assert.deepEqual(readReceipts("nodemailer", request({})), []);
    assert.deepEqual(readReceipts("no-such-provider", request({})), []);
  });

  it("have dates in every usual form", () => {
    const at = new Date(1767323045000);
    for (const form of [1767323045, "1767323045", 1767323045000, "2026-01-02T03:04:05Z"])
      assert.deepEqual(dateOf(form), at);
    for (const none of [undefined, null, "", "soon", {}]) assert.equal(dateOf(none), undefined);
  });
});
