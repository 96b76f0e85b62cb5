// What the cases of push providers cannot show: what is inside an encrypted push, tokens that are kept between sends,
// and keys that are none.

import assert from "node:assert/strict";
import { createDecipheriv, createECDH, generateKeyPairSync, hkdfSync, randomBytes } from "node:crypto";
import { describe, it, type TestContext } from "node:test";
import { importJWK, jwtVerify } from "jose";
import { type Io, makeVapidKeys, type PushMessage, send, unsend } from "../../src/index.ts";
import type { HttpReply } from "../../src/kit/reply.ts";
import type { HttpRequest } from "../../src/kit/request.ts";
import { openIo } from "../support.ts";

const message: PushMessage = {
  id: "0199a1b2-0000-7000-8000-000000000001",
  channel: "push",
  token: "device-1",
  title: "Grüße",
  body: "Ada 🎉",
};

/** An io that records requests and returns what the test wants. */
function listen(t: TestContext, answer: (request: HttpRequest) => Partial<HttpReply>, clock?: () => Date) {
  const requests: HttpRequest[] = [];
  const call = async (request: HttpRequest): Promise<HttpReply> => {
    requests.push(request);
    const { status = 200, headers = {}, json } = answer(request);
    return { status, headers, text: JSON.stringify(json) ?? "", json };
  };
  const io: Io = { ...openIo(t, clock ? { now: clock } : {}), http: call, http2: call };
  return { io, requests };
}

describe("web push", () => {
  const browser = createECDH("prime256v1");
  browser.generateKeys();
  const auth = randomBytes(16);
  const keys = { p256dh: browser.getPublicKey("base64url"), auth: auth.toString("base64url") };
  const token = JSON.stringify({ endpoint: "https://push.example.com/send/abc", keys });
  const vapid = makeVapidKeys();
  const credentials = { ...vapid, subject: "mailto:ops@example.com" };

  // The browser's side of RFC 8291.
  const decrypt = (body: Uint8Array): unknown => {
    const bytes = Buffer.from(body);
    const [salt, sender, sealed] = [bytes.subarray(0, 16), bytes.subarray(21, 86), bytes.subarray(86)];
    const derive = (from: Buffer, seasoning: Buffer, info: Buffer, length: number): Buffer =>
      Buffer.from(hkdfSync("sha256", from, seasoning, info, length));
    const info = Buffer.concat([Buffer.from("WebPush: info\0"), browser.getPublicKey(), sender]);
    const shared = derive(browser.computeSecret(sender), auth, info, 32);
    const key = derive(shared, salt, Buffer.from("Content-Encoding: aes128gcm\0"), 16);
    const nonce = derive(shared, salt, Buffer.from("Content-Encoding: nonce\0"), 12);
    const cipher = createDecipheriv("aes-128-gcm", key, nonce);
    cipher.setAuthTag(sealed.subarray(-16));
    const text = Buffer.concat([cipher.update(sealed.subarray(0, -16)), cipher.final()]).toString();
    // The last record ends with the byte 2.
    return JSON.parse(text.slice(0, text.lastIndexOf("\u0002")));
  };

  it("is readable for the browser alone, with the overrides inside", async (t) => {
    const { io, requests } = listen(t, () => ({ status: 201 }));
    const data = { url: "https://example.com/?a=1" };
    const outcome = await send("web-push", { ...message, token, data, extra: { icon: "i.png" } }, credentials, io);
    assert.deepEqual(outcome, { kind: "accepted" });
    assert.deepEqual(decrypt(Buffer.from(requests[0]?.body ?? "")), {
      title: "Grüße",
      body: "Ada 🎉",
      data: { ...data, tidingsMessageId: message.id },
      icon: "i.png",
    });
  });

  it("carries what replaces and what removes a notification", async (t) => {
    const { io, requests } = listen(t, () => ({ status: 201 }));
    const sent = { content: { ...message, token }, providerMessageId: null };
    const content = { ...sent.content, id: "0199a1b2-0000-7000-8000-000000000002", title: "Corrected" };
    await unsend("web-push", sent, { kind: "replace", content }, credentials, io);
    await unsend("web-push", sent, { kind: "delete" }, credentials, io);
    assert.deepEqual(
      requests.map(({ headers, body }) => [headers.topic, decrypt(Buffer.from(body ?? ""))]),
      [
        [
          "0199a1b2000070008000000000000001",
          { title: "Corrected", body: "Ada 🎉", data: { tidingsMessageId: content.id }, tag: message.id },
        ],
        [
          "0199a1b2000070008000000000000001",
          {
            title: "Notification withdrawn",
            body: "",
            data: { tidingsMessageId: message.id },
            tag: message.id,
            silent: true,
            tidings: { remove: message.id },
          },
        ],
      ],
    );
  });

  it("proves who sends it", async (t) => {
    const { io, requests } = listen(t, () => ({ status: 201 }));
    await send("web-push", { ...message, token }, credentials, io);
    const [, jwt = "", key = ""] = /^vapid t=(.+), k=(.+)$/.exec(requests[0]?.headers.authorization ?? "") ?? [];
    assert.equal(key, vapid.publicKey);
    const point = Buffer.from(key, "base64url");
    const [x, y] = [point.subarray(1, 33).toString("base64url"), point.subarray(33).toString("base64url")];
    const { payload } = await jwtVerify(jwt, await importJWK({ kty: "EC", crv: "P-256", x, y }, "ES256"));
    assert.equal(payload.aud, "https://push.example.com");
    assert.equal(payload.sub, "mailto:ops@example.com");
  });

  it("says which credentials are wrong, and sends nothing", async (t) => {
    const { io, requests } = listen(t, () => ({ status: 201 }));
    for (const wrong of [{ publicKey: "short" }, { privateKey: "short" }, { subject: "ops" }]) {
      const outcome = await send("web-push", { ...message, token }, { ...credentials, ...wrong }, io);
      assert.ok(outcome.kind === "rejected" && outcome.class === "config", JSON.stringify(outcome));
      assert.match(outcome.reason, /subject, publicKey or privateKey/);
    }
    assert.equal(requests.length, 0);
  });
});

describe("fcm", () => {
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const pem = privateKey.export({ type: "pkcs8", format: "pem" });
  const account = { project_id: "p", client_email: "a@p.iam.gserviceaccount.com", private_key: pem };
  const serviceAccount = JSON.stringify(account);

  const faults: [name: string, serviceAccount: string, expected: RegExp][] = [
    ["no JSON", "C:\\keys\\firebase.json", /^serviceAccount is not JSON/],
    ["another JSON", "[]", /^serviceAccount has no project_id/],
    ["no key", JSON.stringify({ ...account, private_key: undefined }), /^serviceAccount has no private_key/],
    ["a broken key", JSON.stringify({ ...account, private_key: "oops" }), /private_key in serviceAccount is not/],
  ];
  for (const [name, given, expected] of faults) {
    it(`refuses a service account with ${name}`, async (t) => {
      const { io, requests } = listen(t, () => ({}));
      const outcome = await send("fcm", message, { serviceAccount: given }, io);
      assert.ok(outcome.kind === "rejected" && outcome.class === "config", JSON.stringify(outcome));
      assert.match(outcome.reason, expected);
      assert.equal(requests.length, 0);
    });
  }

  it("buys one token for many messages, and a new one when it is refused", async (t) => {
    let bought = 0;
    const { io, requests } = listen(t, ({ url, headers }) => {
      if (url.startsWith("https://oauth2.")) return { json: { access_token: `t${++bought}`, expires_in: 3600 } };
      return headers.authorization === "Bearer t2" || requests.length < 4 ? { json: { name: "n" } } : { status: 401 };
    });
    for (let sent = 0; sent < 3; sent++) {
      assert.deepEqual(await send("fcm", message, { serviceAccount }, io), {
        kind: "accepted",
        providerMessageId: "n",
      });
    }
    assert.deepEqual(
      requests.map(({ headers }) => headers.authorization),
      [undefined, "Bearer t1", "Bearer t1", "Bearer t1", undefined, "Bearer t2"],
    );
  });
});

describe("apns", () => {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const credentials = {
    secretKey: privateKey.export({ type: "pkcs8", format: "pem" }),
    apiKey: "ABC123DEFG",
    projectName: "DEF123GHIJ",
    applicationId: "com.example.app",
  };

  it("signs a new token every 50 minutes, and when Apple calls it expired", async (t) => {
    let now = Date.parse("2026-01-02T03:00:00Z");
    let reply: Partial<HttpReply> = {};
    const { io, requests } = listen(
      t,
      () => reply,
      () => new Date(now),
    );
    const token = async (): Promise<string | undefined> => {
      await send("apns", message, credentials, io);
      return requests.at(-1)?.headers.authorization;
    };
    const first = await token();
    now += 40 * 60_000;
    assert.equal(await token(), first);
    now += 15 * 60_000;
    const second = await token();
    assert.notEqual(second, first);
    reply = { status: 403, json: { reason: "ExpiredProviderToken" } };
    assert.equal(await token(), second);
    assert.notEqual(await token(), second);
  });

  it("refuses a key that is none", async (t) => {
    const { io, requests } = listen(t, () => ({}));
    const outcome = await send("apns", message, { ...credentials, secretKey: "oops" }, io);
    assert.ok(outcome.kind === "rejected" && outcome.class === "config");
    assert.match(outcome.reason, /secretKey is not the private key/);
    assert.equal(requests.length, 0);
  });
});
