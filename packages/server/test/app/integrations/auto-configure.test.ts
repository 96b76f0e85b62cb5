// Registering a webhook for receipts, with a local Mailgun server that stores its webhooks. The requests to each
// provider are in the conformance cases of the providers package; without a public address:
// integrations-cascade.test.ts.
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, test } from "node:test";
import { atEnd } from "@tidings/testkit/at-end";
import { chatIntegration } from "@tidings/testkit/channels";
import { assertRefused } from "@tidings/testkit/refusals";
import { startTestService } from "@tidings/testkit/service";
import { eventually } from "@tidings/testkit/wait";

const good = `Basic ${btoa("api:key-s3cret")}`;
const signingKey = "mailgun-s3cret-signing";
const types = ["clicked", "complained", "delivered", "opened", "permanent_fail", "temporary_fail", "unsubscribed"];
/** The addresses of each kind of event. */
const registered = new Map<string, string[]>();
let listings = 0;
/** The server responds to a listing after this promise. */
let gate: Promise<void> = Promise.resolve();

const mailgun = createServer(async (request, response) => {
  const body = (await request.toArray()).join("");
  const answer = (status: number, content: unknown) =>
    void response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(content));
  const { authorization } = request.headers;
  if (authorization !== good) return answer(401, { message: `Forbidden for ${authorization}` });
  const place = `${request.method} ${request.url}`;
  const valuesOf = (name: string) =>
    [...body.matchAll(new RegExp(`name="${name}"\r\n(?:[^\r\n]+\r\n)*\r\n([^\r]*)`, "g"))].map(([, value]) => value!);
  if (place === "GET /v5/accounts/http_signing_key") return answer(200, { http_signing_key: signingKey });
  if (place === "GET /v3/domains/example.com/webhooks") {
    listings++;
    await gate;
    const webhooks = Object.fromEntries([...registered].map(([type, urls]) => [type, { urls }]));
    return answer(200, { webhooks });
  }
  if (place !== "POST /v3/domains/example.com/webhooks") return answer(404, { message: `no ${place}` });
  const [type = ""] = valuesOf("id");
  if (registered.has(type)) return answer(400, { message: "Webhook already exists" });
  registered.set(type, valuesOf("url"));
  answer(200, { message: "Webhook has been created" });
});
mailgun.listen(0, "127.0.0.1");
await once(mailgun, "listening");
atEnd(() => {
  mailgun.closeAllConnections();
  mailgun.close();
});

const publicUrl = "https://notify.example.com";
const service = await startTestService({ TIDINGS_PUBLIC_URL: publicUrl });
const { client, production } = service;

const credentials = {
  ...{ apiKey: "key-s3cret", user: "api", domain: "example.com", from: "a@example.com", senderName: "A" },
  baseUrl: `http://127.0.0.1:${(mailgun.address() as AddressInfo).port}`,
};
const mailgunIntegration = async (identifier: string, changes: object = {}) => {
  const base = { providerId: "mailgun", channel: "email", identifier, active: true, credentials } as const;
  return (await client("integrations.create", { body: { ...base, ...changes } })).body;
};
const configure = async (integrationId: string) => {
  const { status, body } = await client("integrations.autoConfigure", { params: { integrationId } });
  assert.equal(status, 200);
  return body;
};
const stored = async (identifier: string) =>
  (await client("integrations.list")).body.find((one) => one.identifier === identifier)!;
const pathOf = ({ _environmentId, _id }: { _environmentId: string; _id?: string }) =>
  `/v2/inbound-webhooks/delivery-providers/${_environmentId}/${_id}`;

describe("a provider that supports registering a webhook", () => {
  test("reports from then on, and its receipts are verified", async () => {
    const made = await mailgunIntegration("gun", { configurations: { maxPerSecond: 7 } });
    const { success, message, integration } = await configure("gun");
    assert.equal(success, true);
    assert.equal(message, `Mailgun reports to ${publicUrl}${pathOf(made)}`);
    assert.deepEqual(integration!.configurations, {
      maxPerSecond: 7,
      inboundWebhookEnabled: true,
      inboundWebhookSigningKey: "********",
    });
    assert.deepEqual(integration, await stored("gun"));
    assert.deepEqual([...registered.keys()].sort(), types);
    for (const urls of registered.values()) assert.deepEqual(urls, [`${publicUrl}${pathOf(made)}`]);

    const timestamp = String(Math.floor(Date.now() / 1000));
    const report = async (key: string) => {
      const signature = createHmac("sha256", key).update(`${timestamp}t0ken`).digest("hex");
      const event = { event: "delivered", message: { headers: { "message-id": "nobody@example.com" } } };
      const content = { signature: { timestamp, token: "t0ken", signature }, "event-data": event };
      const headers = { "content-type": "application/json" };
      const body = JSON.stringify(content);
      return (await fetch(`${service.url}${pathOf(made)}`, { method: "POST", headers, body })).status;
    };
    assert.deepEqual([await report(signingKey), await report("another")], [200, 401]);
  });

  test("is registered once, also by repeated and concurrent requests", async () => {
    const before = structuredClone([...registered]);
    assert.equal((await configure("gun")).success, true);
    assert.deepEqual([...registered], before);

    registered.clear();
    let open = () => {};
    gate = new Promise((resolve) => {
      open = resolve;
    });
    const asked = listings;
    const first = configure("gun");
    await eventually(() => listings > asked, "the first request");
    // The same request repeated, as after a timeout: its response must not be stored as the response of the first.
    const message = "The webhook of Mailgun is being registered by another request at this moment";
    await assertRefused(
      client,
      "integrations.autoConfigure",
      { params: { integrationId: "gun" } },
      { code: "RATE_LIMITED", message },
    );
    open();
    assert.equal((await first).success, true);
    assert.deepEqual([listings - asked, registered.size], [1, types.length]);
    gate = Promise.resolve();
  });

  test("refuses in its own words, without secrets, and nothing is stored", async () => {
    const made = await mailgunIntegration("wrong", { credentials: { ...credentials, apiKey: "wrong-s3cret" } });
    const { success, message, integration } = await configure("wrong");
    assert.deepEqual([success, integration], [false, undefined]);
    assert.match(message!, /^The webhook could not be registered with Mailgun: HTTP 401: .*Forbidden for Basic \*{8}/);
    assert.ok(message!.endsWith(`Correct this and try again, or enter ${publicUrl}${pathOf(made)} there`), message);
    assert.ok(!message!.includes("s3cret"));
    assert.equal((await stored("wrong")).configurations, undefined);
  });

  test("is not called without credentials", async () => {
    await mailgunIntegration("empty", { active: false, credentials: {} });
    const { success, message } = await configure("empty");
    assert.equal(success, false);
    assert.match(message!, /the credential apiKey is not set\. Correct this/);
  });
});

test("a provider that does not support it is set up by hand, and the answer names the address", async () => {
  const made = await chatIntegration(client, "auto");
  const { success, message } = await configure("auto");
  assert.equal(success, false);
  assert.equal(
    message,
    `The webhook of Slack cannot be registered automatically: enter ${publicUrl}${pathOf(made)} there`,
  );
  const params = { integrationId: "nope" };
  await assertRefused(client, "integrations.autoConfigure", { params }, { code: "INTEGRATION_NOT_FOUND" });
  const foreign = { params: { integrationId: made._id! } };
  await assertRefused(production, "integrations.autoConfigure", foreign, { code: "INTEGRATION_NOT_FOUND" });
});
