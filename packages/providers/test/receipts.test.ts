import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { after, describe, it } from "node:test";
import { type InboundRequest, readReceipts, verifyReceipt } from "../src/index.ts";
import { dateOf, genericReceipts } from "../src/receipts.ts";
import { openIo } from "./support.ts";

const now = new Date("2026-01-02T03:04:05Z");
const raw = Buffer.from('{"status":"delivered"}');
const request = (headers: Record<string, string>): InboundRequest => ({
  method: "POST",
  headers,
  query: {},
  raw,
  body: {},
});

const signed = (secret: Buffer, at = now, prefix = "webhook"): InboundRequest => {
  const stamp = String(Math.floor(at.getTime() / 1000));
  const mac = createHmac("sha256", secret).update(`id.${stamp}.`).update(raw).digest("base64");
  return request({
    [`${prefix}-id`]: "id",
    [`${prefix}-timestamp`]: stamp,
    [`${prefix}-signature`]: `v1a,abc v1,${Buffer.alloc(32).toString("base64")} v1,${mac}`,
  });
};

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
  });

  it("of a provider that does not report are nothing", () => {
    assert.deepEqual(readReceipts("nodemailer", request({})), []);
    assert.deepEqual(readReceipts("nobody", request({})), []);
  });

  it("have dates in every usual form", () => {
    const at = new Date(1767323045000);
    for (const form of [1767323045, "1767323045", 1767323045000, "2026-01-02T03:04:05Z"])
      assert.deepEqual(dateOf(form), at);
    for (const none of [undefined, null, "", "soon", {}]) assert.equal(dateOf(none), undefined);
  });
});
