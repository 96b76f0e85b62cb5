// Tenants choose where messages go: integrations, chat endpoints, browsers and webhooks name hosts. None of them may be
// used to reach this machine or its networks. What counts as such is listed in lib/url-guard.test.ts; that redirects
// are not followed is shown in deliver-http.test.ts.
import assert from "node:assert/strict";
import { test } from "node:test";
import { createIo } from "@tidings/providers";
import { pushSubscription } from "@tidings/testkit/browser";
import { chatIntegration, endpoint } from "@tidings/testkit/channels";
import { startReceiver } from "@tidings/testkit/servers/receiver";
import { startTestService } from "@tidings/testkit/service";
import { createWorkflow, messagesOf, settled, trigger } from "@tidings/testkit/verbs";
import { sql } from "kysely";
import { createUrlGuard } from "../../../src/lib/url-guard.ts";

const server = await startReceiver();
const { client, db } = await startTestService({ TIDINGS_ALLOW_NETWORKS: "" });

const { port } = new URL(server.url);
const hosts = ["127.0.0.1", "localhost", "2130706433", "[::1]", "10.0.0.1", "192.168.0.1", "169.254.169.254"];
const urls = hosts.map((host) => `http://${host}:${port}/guarded`);

test("unless allowed, no call goes to this machine or its networks, wherever the address comes from", async () => {
  const params = { subscriberId: "target" };
  await client("subscribers.create", { body: params });
  const register = async (providerId: "push-webhook" | "web-push", identifier: string, deviceTokens: string[]) =>
    client("subscribers.appendCredentials", {
      params,
      body: { providerId, integrationIdentifier: identifier, credentials: { deviceTokens } },
    });
  for (const [index, webhookUrl] of urls.entries()) {
    const identifier = `hook-${index}`;
    const credentials = { webhookUrl, secretKey: "secret" };
    await client("integrations.create", {
      body: { providerId: "push-webhook", channel: "push", identifier, active: true, credentials },
    });
    await register("push-webhook", identifier, ["device"]);
  }
  const browsers = urls.map((url) => pushSubscription(url.replace("http:", "https:")));
  await register("web-push", "web-push-default", browsers);
  await chatIntegration(client, "chat", "chat-webhook");
  for (const url of urls) await endpoint(client, "chat", "target", { endpoint: { url } });
  await createWorkflow(client, "everywhere", [
    { name: "Push", type: "push", controlValues: { subject: "Hi", body: "There" } },
    { name: "Chat", type: "chat", controlValues: { body: "Hi" } },
  ]);
  const transactionId = await trigger(client, "everywhere", "target");
  const [notification] = await settled(client, transactionId);
  assert.deepEqual(
    notification!.jobs!.map(({ status }) => status),
    ["failed", "failed"],
  );
  const messages = await messagesOf(client, transactionId);
  assert.equal(messages.length, 3 * urls.length);
  const reason =
    /Connections to \S+ are refused: it (is|resolves to) a (loopback|private|link-local) address\. .*TIDINGS_ALLOW_NETWORKS/;
  for (const { status, errorText } of messages) assert.deepEqual([status, reason.test(errorText!)], ["error", true]);
  const { rows } = await sql<{ outcome: string; count: number }>`
    select outcome, count(*)::int as count from attempts group by outcome`.execute(db);
  assert.deepEqual(rows, [{ outcome: "rejected:config", count: messages.length }], "and nothing is repeated");

  for (const url of urls) {
    const refused = await client.raw("webhooks.create", { body: { name: "x", url, events: ["message.sent"] } });
    assert.equal(refused.status, 422, url);
    assert.match(JSON.stringify(refused.body), /private or local address/);
  }
  assert.deepEqual(server.received, [], "no call was made");
});

test("a name that changes its address between the check and the call leads nowhere", async (t) => {
  const answers = ["127.0.0.2", "127.0.0.1"];
  let asked = 0;
  const lookup = async () => [{ address: answers[Math.min(asked++, 1)]! }];
  const { resolveHost } = createUrlGuard({ allowNetworks: ["127.0.0.2/32"], lookup });
  const io = createIo({ resolveHost, capture: async () => {}, timeoutMs: 1_000 });
  t.after(() => io.close());
  const call = () => io.http({ method: "POST", url: `http://rebinding.example:${port}/`, headers: {}, body: "{}" });
  // The first response is the address that is connected to: no server listens there, and the name is not resolved
  // again.
  await assert.rejects(call, /ECONNREFUSED/);
  assert.equal(asked, 1);
  await assert.rejects(call, /Connections to rebinding.example are refused: it resolves to a loopback address/);
  assert.deepEqual(server.received, []);
});
