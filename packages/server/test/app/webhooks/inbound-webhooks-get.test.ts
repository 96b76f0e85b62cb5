// Receipts by GET are verified and applied like those by POST, and a provider's challenge gets its response.
import assert from "node:assert/strict";
import { createHash, createHmac } from "node:crypto";
import { test } from "node:test";
import type { InboundReceipt, Integration } from "@tidings/contract";
import { errorOf, request } from "@tidings/testkit/http";
import { startTestService } from "@tidings/testkit/service";
import {
  createWorkflow,
  detailsOf,
  email,
  messagesOf,
  notificationsOf,
  settled,
  trigger,
} from "@tidings/testkit/verbs";
import { sql } from "kysely";

const publicUrl = "https://notify.example.com";
const service = await startTestService({ TIDINGS_PUBLIC_URL: publicUrl });
const { client, production, db } = service;

const key = `whsec_${Buffer.from("a key of thirty-two random bytes").toString("base64")}`;
const takesReports = { inboundWebhookEnabled: true, inboundWebhookSigningKey: key };
const password = { authorization: `Basic ${Buffer.from(`tidings:${key}`).toString("base64")}` };

const pathOf = ({ _environmentId, _id }: Integration, query: Record<string, string> = {}) =>
  `/v2/inbound-webhooks/delivery-providers/${_environmentId}/${_id}?${new URLSearchParams(query)}`;
const ask = (path: string, headers: Record<string, string> = {}, method = "GET") =>
  request(service, path, { method, headers });

/** Signed over the query string, as a POST is over its body. */
const signed = (path: string, at = Date.now()): Record<string, string> => {
  const timestamp = String(Math.floor(at / 1000));
  const secret = Buffer.from(key.slice("whsec_".length), "base64");
  const mac = createHmac("sha256", secret)
    .update(`r1.${timestamp}.${path.split("?")[1]}`)
    .digest("base64");
  return { "webhook-id": "r1", "webhook-timestamp": timestamp, "webhook-signature": `v1,${mac}` };
};

const { body: all } = await client("integrations.list");
const mailbox = all.find(({ providerId }) => providerId === "svc-email")!;
await client("integrations.update", {
  params: { integrationId: mailbox._id! },
  body: { configurations: takesReports },
});
await createWorkflow(client, "mail", [email()]);
const transactionId = await trigger(client, "mail", { subscriberId: "ada", email: "ada@example.com" });
await settled(client, transactionId);
const message = async () => (await messagesOf(client, transactionId))[0]!;
const messageId = (await message())._id!;

const addIntegration = async (body: Record<string, unknown>): Promise<Integration> => {
  const answer = await client.raw("integrations.create", { body: { configurations: takesReports, ...body } });
  assert.equal(answer.status, 201);
  return answer.body as Integration;
};

test("a report in the query string counts once, whichever way it comes again", async () => {
  const date = new Date(Date.now() - 60_000).toISOString();
  const report = { messageId, externalId: "x-1", status: "delivered", date, attempts: "2", response: "250 OK" };
  const path = pathOf(mailbox, report);
  const reply = await ask(path, signed(path));
  assert.equal(reply.status, 200, reply.text);
  assert.match(reply.headers.get("ratelimit-policy")!, /category="global"/);
  const event = { status: "delivered", date, externalId: "x-1", attempts: 2, response: "250 OK" };
  assert.deepEqual(reply.body, [{ id: messageId, event: { ...event, row: JSON.stringify(report) } }]);
  await Promise.all(Array.from({ length: 4 }, () => ask(path, password)));
  const posted = await request(service, pathOf(mailbox), {
    method: "POST",
    headers: { ...password, "content-type": "application/json" },
    body: JSON.stringify(report),
  });
  assert.equal((posted.body as InboundReceipt[]).length, 1);
  assert.deepEqual((await message()).deliveredAt, [date]);
  const [notification] = await notificationsOf(client, transactionId);
  assert.equal(detailsOf(notification!, "email").filter((text) => text === "Message delivered").length, 1);
});

test("GET needs the same signature as POST, and accepts nothing else", async () => {
  const rows = async () => (await sql`select * from receipts`.execute(db)).rows.length;
  const before = await rows();
  const path = pathOf(mailbox, { messageId, status: "bounced" });
  const refused = async (code: "INVALID_SIGNATURE" | "INTEGRATION_NOT_FOUND", headers = {}, at = path) =>
    errorOf(await ask(at, headers), code);
  await refused("INVALID_SIGNATURE");
  await refused("INVALID_SIGNATURE", signed(pathOf(mailbox, { messageId, status: "opened" })));
  await refused("INVALID_SIGNATURE", signed(path, Date.now() - 301_000));
  await refused("INVALID_SIGNATURE", { authorization: `ApiKey ${service.apiKey}` });
  await refused("INVALID_SIGNATURE", { ...password, "webhook-signature": "v1,x" });
  const keyless = await addIntegration({
    providerId: "nexmo",
    channel: "sms",
    configurations: { ...takesReports, inboundWebhookSigningKey: "" },
  });
  await refused("INVALID_SIGNATURE", password, pathOf(keyless, { messageId: "1", status: "delivered" }));
  const silent = await addIntegration({ providerId: "nexmo", channel: "sms", configurations: {} });
  await refused("INTEGRATION_NOT_FOUND", password, pathOf(silent));
  const [prod] = (await production("environments.list")).body.filter(({ type }) => type === "prod");
  await refused("INTEGRATION_NOT_FOUND", password, pathOf({ ...mailbox, _environmentId: prod!._id }));
  // HEAD applies no receipt, but shows the provider that the address accepts receipts.
  const looked = await Promise.all([path, pathOf(silent)].map((at) => ask(at, {}, "HEAD")));
  assert.deepEqual(
    looked.map(({ status, text }) => [status, text]),
    [
      [200, ""],
      [404, ""],
    ],
  );
  const deleted = await ask(path, password, "DELETE");
  assert.deepEqual([deleted.status, deleted.headers.get("allow")], [405, "GET, HEAD, POST"]);
  // Malformed receipts are ignored.
  for (const query of [
    "",
    "messageId",
    "%00=%ff&status=%ed%a0%80",
    "__proto__=1&status=constructor",
    "a=1&".repeat(2_000),
  ]) {
    const reply = await ask(`${pathOf(mailbox).split("?")[0]}?${query}`, password);
    assert.deepEqual([reply.status, reply.text], [200, "[]"], query.slice(0, 40));
  }
  assert.equal(await rows(), before);
  assert.equal((await message()).status, "sent");
});

test("MessageBird's token is checked against the address people reach the service by", async () => {
  const bird = await addIntegration({ providerId: "messagebird", channel: "sms" });
  const path = pathOf(bird, { id: "e8077d80", reference: messageId, status: "delivered" });
  const tokenFor = (url: string) => {
    const at = Math.floor(Date.now() / 1000);
    const urlHash = createHash("sha256").update(url).digest("hex");
    const claims = { iss: "MessageBird", nbf: at, exp: at + 60, jti: "1", url_hash: urlHash };
    const parts = [{ alg: "HS256" }, claims].map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"));
    const mac = createHmac("sha256", key).update(parts.join(".")).digest("base64url");
    return { "messagebird-signature-jwt": [...parts, mac].join(".") };
  };
  const reply = await ask(path, tokenFor(`${publicUrl}${path}`));
  assert.equal(reply.status, 200, reply.text);
  // Another integration sent the message: the receipt is dropped.
  const [receipt] = reply.body as InboundReceipt[];
  assert.deepEqual([receipt!.id, receipt!.event.status], ["e8077d80", "delivered"]);
  errorOf(await ask(path, tokenFor(`${service.url}${path}`)), "INVALID_SIGNATURE");
});

test("WhatsApp's challenge is answered for the right token", async () => {
  const credentials = { apiToken: "t", phoneNumberIdentification: "1", secretKey: "app secret", token: "my token" };
  const configurations = { inboundWebhookEnabled: true };
  const whatsapp = await addIntegration({
    providerId: "whatsapp-business",
    channel: "chat",
    credentials,
    configurations,
  });
  const question = { "hub.mode": "subscribe", "hub.verify_token": "my token", "hub.challenge": "1158201444" };
  const reply = await ask(pathOf(whatsapp, question));
  assert.deepEqual([reply.status, reply.text], [200, "1158201444"]);
  for (const challenge of ["<script>alert(1)</script>", '{"a":1}', "é\u0000\n", ""]) {
    const answer = await ask(pathOf(whatsapp, { ...question, "hub.challenge": challenge }));
    assert.deepEqual([answer.status, answer.text], [200, challenge]);
    assert.equal(answer.headers.get("content-type"), "text/plain; charset=utf-8");
    assert.equal(answer.headers.get("x-content-type-options"), "nosniff");
  }
  const wrong = await ask(pathOf(whatsapp, { ...question, "hub.verify_token": "your token" }));
  assert.equal(errorOf(wrong, "WRONG_VERIFY_TOKEN").message, "The verify token does not match the integration's");
  errorOf(await ask(pathOf(whatsapp, { "hub.mode": "subscribe" })), "WRONG_VERIFY_TOKEN");
  errorOf(await ask(pathOf(whatsapp)), "INVALID_SIGNATURE");
  // Only providers with a challenge get a response.
  errorOf(await ask(pathOf(mailbox, question)), "INVALID_SIGNATURE");

  const body = JSON.stringify({ entry: [{ changes: [{ value: { statuses: [{ id: "wamid.1", status: "read" }] } }] }] });
  const post = (secret: string) => {
    const signature = `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`;
    const headers = { "content-type": "application/json", "x-hub-signature-256": signature };
    return request(service, pathOf(whatsapp), { method: "POST", headers, body });
  };
  const [receipt] = (await post("app secret")).body as InboundReceipt[];
  assert.deepEqual([receipt!.id, receipt!.event.status], ["wamid.1", "opened"]);
  errorOf(await post("another"), "INVALID_SIGNATURE");

  const { _id: integrationId } = whatsapp;
  await client("integrations.update", { params: { integrationId: integrationId! }, body: { configurations: {} } });
  errorOf(await ask(pathOf(whatsapp, question)), "INTEGRATION_NOT_FOUND");
});
