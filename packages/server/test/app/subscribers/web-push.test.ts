// Push to browsers: every new environment has an integration with its own keys.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { maxDeviceTokenLength } from "@tidings/contract";
import { pushSubscription } from "../../support/browser.ts";
import { newStage } from "../../support/clock.ts";
import { faultsOf } from "../../support/refusals.ts";
import { startTestService } from "../../support/service.ts";
import { createWorkflow, messagesOf, settled, trigger } from "../../support/verbs.ts";

const service = await startTestService({ TIDINGS_PUBLIC_URL: "https://notify.example.com" });
const { client, production, db } = service;

const read = async (by = client) =>
  (await by("integrations.update", { params: { integrationId: "web-push-default" }, body: {} })).body;

type Listing = "integrations.list" | "integrations.listActive";
const isListed = async (by: typeof client, id: Listing = "integrations.list") =>
  (await by(id)).body.some(({ providerId }) => providerId === "web-push");

describe("web-push is hidden from clients that know a closed set of providers until the environment uses it", () => {
  const browser = pushSubscription("https://10.0.0.1/push");
  const credentials = { providerId: "web-push" as const, credentials: { deviceTokens: [browser] } };

  test("not in a list, not in the answer to a deletion, not in a job", async () => {
    const { client: fresh } = await newStage(service);
    for (const id of ["integrations.list", "integrations.listActive"] as const) {
      assert.equal(await isListed(fresh, id), false, id);
    }
    const gone = await fresh("integrations.delete", { params: { integrationId: "svc-slack-default" } });
    assert.deepEqual(
      gone.body.map(({ providerId }) => providerId),
      ["svc", "svc-email", "svc-sms"],
    );
    await createWorkflow(fresh, "ring", [{ name: "Push", type: "push", controlValues: { subject: "a", body: "b" } }]);
    const [notification] = await settled(fresh, await trigger(fresh, "ring", "ada"));
    assert.doesNotMatch(JSON.stringify(notification), /web-push/);
    for (const id of ["channelEndpoints.list", "channelConnections.list"] as const) {
      const { body } = await fresh(id, { query: { providerId: "web-push" } });
      assert.deepEqual(body.data, [], `${id} takes it`);
    }
    assert.equal(await isListed(fresh), false);
  });

  test("after an update, even of nothing, and after it was created", async () => {
    const { client: updated } = await newStage(service);
    assert.equal((await read(updated)).providerId, "web-push");
    for (const id of ["integrations.list", "integrations.listActive"] as const) {
      assert.equal(await isListed(updated, id), true, id);
    }
    const { client: created } = await newStage(service);
    await created("integrations.delete", { params: { integrationId: "web-push-default" } });
    const { publicKey, subject } = (await read()).credentials as Record<string, string>;
    const body = { credentials: { publicKey, privateKey: "k", subject }, providerId: "web-push", channel: "push" };
    await created("integrations.create", { body } as never);
    assert.equal(await isListed(created), true);
  });

  test("as soon as a subscriber has credentials for it, and after a message went through it for good", async () => {
    const { client: used } = await newStage(service);
    const params = { subscriberId: "ada" };
    await used("subscribers.create", { body: params });
    await used("subscribers.appendCredentials", { params, body: credentials });
    assert.equal(await isListed(used), true);
    await createWorkflow(used, "ring", [{ name: "Push", type: "push", controlValues: { subject: "a", body: "b" } }]);
    await settled(used, await trigger(used, "ring", "ada"));
    await used("subscribers.deleteCredentials", { params: { ...params, providerId: "web-push" } });
    assert.equal(await isListed(used), true);
  });
});

test("each environment has its own pair of keys; the private one is sealed and never shown", async () => {
  const stage = await newStage(service);
  const made = await Promise.all([read(), read(production), read(stage.client)]);
  const keys = made.map(({ credentials }) => (credentials as Record<string, string>).publicKey!);
  assert.equal(new Set(keys).size, 3);
  for (const [index, { identifier, active, credentials }] of made.entries()) {
    assert.deepEqual([identifier, active], ["web-push-default", true]);
    assert.deepEqual(credentials, {
      publicKey: keys[index],
      privateKey: "********",
      subject: "https://notify.example.com",
    });
    // An uncompressed point of P-256: what applicationServerKey takes.
    const point = Buffer.from(keys[index]!, "base64url");
    assert.deepEqual([point.length, point[0]], [65, 4]);
  }
  const rows = await db
    .selectFrom("integrations")
    .where("provider_id", "=", "web-push")
    .where("deleted_at", "is", null)
    .select("credentials")
    .execute();
  assert.ok(rows.every(({ credentials }) => credentials !== null && !credentials.includes("subject")));
});

test("a browser's subscription is a device token; what is none is refused by its message", async () => {
  const params = { subscriberId: "ada" };
  await client("subscribers.create", { body: params });
  const append = (deviceTokens: string[]) => ({
    params,
    body: { providerId: "web-push" as const, credentials: { deviceTokens } },
  });
  // As long as the subscriptions of real browsers are; the address is not called, because it is private.
  const browser = pushSubscription(`https://10.0.0.1/wpush/v2/${"a".repeat(200)}`);
  assert.ok(browser.length > 350);
  const { body } = await client("subscribers.appendCredentials", append([browser, "a plain token"]));
  assert.deepEqual(body.channels![0]!.credentials.deviceTokens, [browser, "a plain token"]);
  const faults = await faultsOf(
    client,
    "subscribers.appendCredentials",
    append(["x".repeat(maxDeviceTokenLength + 1)]),
  );
  assert.deepEqual(Object.keys(faults), ["credentials.deviceTokens.0"]);
  const channels = [{ providerId: "web-push", credentials: { deviceTokens: ["x".repeat(maxDeviceTokenLength + 1)] } }];
  await createWorkflow(client, "ring", [
    { name: "Push", type: "push", controlValues: { subject: "Hi", body: "There" } },
  ]);
  const long = await client.raw("events.trigger", { body: { name: "ring", to: { subscriberId: "bob", channels } } });
  assert.match(JSON.stringify(long.body), /deviceTokens must not hold tokens of more than 4096 characters/);

  const transactionId = await trigger(client, "ring", "ada");
  const [notification] = await settled(client, transactionId);
  assert.equal(notification!.jobs![0]!.status, "failed");
  const said = (await messagesOf(client, transactionId)).map(({ errorText }) => errorText!).sort();
  assert.match(said[0]!, /10\.0\.0\.1 are refused: it is a private address/);
  assert.match(said[1]!, /The device token is not a PushSubscription as JSON/);
});
