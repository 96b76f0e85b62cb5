// Push to browsers: every new environment has an integration with its own keys.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { describe, test } from "node:test";
import { maxBrowsers, maxDeviceTokenLength } from "@tidings/contract";
import { makeVapidKeys, send } from "@tidings/providers";
import { pushSubscription } from "@tidings/testkit/browser";
import { newStage } from "@tidings/testkit/clock";
import { errorOf } from "@tidings/testkit/http";
import { faultsOf } from "@tidings/testkit/refusals";
import { startTestService } from "@tidings/testkit/service";
import { createWorkflow, messagesOf, settled, trigger } from "@tidings/testkit/verbs";
import { openInbox } from "../inbox/browser.ts";

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

describe("the inbox subscribes the browser of its subscriber", () => {
  const hashOf = (endpoint: string) => createHash("sha256").update(endpoint).digest("hex");
  const browserAt = (endpoint: string) => JSON.parse(pushSubscription(endpoint)) as { endpoint: string; keys: object };

  async function withInbox() {
    const { client: by, environmentId } = await newStage(service);
    const open = (subscriberId: string) =>
      openInbox(service, { applicationIdentifier: environmentId, subscriber: { subscriberId } });
    const ada = await open("ada");
    const subscribe = (body: object, inbox = ada) => inbox.call("POST", "/web-push/browsers", body);
    const state = async (inbox = ada) => {
      const reply = await inbox.call("GET", "/web-push");
      assert.equal(reply.status, 200, reply.text);
      return (reply.body as { data: { publicKey: string; browsers: string[] } }).data;
    };
    const tokens = async (subscriberId = "ada") =>
      (await by("subscribers.retrieve", { params: { subscriberId } })).body.channels?.[0]?.credentials.deviceTokens ??
      [];
    return { by, open, ada, subscribe, state, tokens };
  }

  test("with the public key alone; once for each address, with its newest keys; and lets go of it", async () => {
    const { by, open, ada, subscribe, state, tokens } = await withInbox();
    const first = await state();
    assert.deepEqual(first, {
      publicKey: ((await read(by)).credentials as Record<string, string>).publicKey,
      browsers: [],
    });

    const endpoint = "https://push.example.com/send/ada";
    await subscribe(browserAt(endpoint));
    const browser = browserAt(endpoint);
    const reply = await subscribe(browser);
    assert.equal(reply.status, 200, reply.text);
    assert.deepEqual(reply.body, { data: { ...first, browsers: [hashOf(endpoint)] } });
    assert.doesNotMatch(reply.text, /privateKey|p256dh|push\.example/);
    assert.deepEqual(await tokens(), [JSON.stringify({ endpoint, keys: browser.keys })], "its newest keys");

    // The provider takes what was stored.
    const sent: string[] = [];
    const io = {
      http: async ({ url }: { url: string }) => {
        sent.push(url);
        return { status: 201, headers: {}, text: "", json: undefined };
      },
    };
    const message = { id: "m", channel: "push" as const, token: (await tokens())[0]!, title: "Hi", body: "There" };
    const credentials = { ...makeVapidKeys(), subject: "mailto:ops@example.com" };
    assert.deepEqual(await send("web-push", message, credentials, io as never), { kind: "accepted" });
    assert.deepEqual(sent, [endpoint]);

    const eve = await open("eve");
    assert.equal((await eve.call("DELETE", `/web-push/browsers/${hashOf(endpoint)}`)).status, 204);
    assert.deepEqual((await state(eve)).browsers, []);
    assert.equal((await tokens()).length, 1, "another subscriber reaches nothing");
    for (let times = 0; times < 2; times++) {
      assert.equal((await ada.call("DELETE", `/web-push/browsers/${hashOf(endpoint)}`)).status, 204);
    }
    assert.deepEqual([(await state()).browsers, await tokens()], [[], []]);
  });

  test("not at addresses and with keys that no push could use", async () => {
    const { subscribe, tokens } = await withInbox();
    const good = browserAt("https://push.example.com/send/1");
    const refused: [object, string][] = [
      [{ ...good, endpoint: "http://push.example.com/send/1" }, "endpoint"],
      [{ ...good, endpoint: "javascript:alert(1)" }, "endpoint"],
      [{ ...good, endpoint: "https://user:secret@push.example.com/" }, "endpoint"],
      [{ ...good, endpoint: "https://10.0.0.1/push" }, "endpoint"],
      [{ ...good, endpoint: "https://169.254.169.254/latest" }, "endpoint"],
      [{ ...good, endpoint: `https://push.example.com/${"a".repeat(2_000)}` }, "endpoint"],
      [{ ...good, keys: { ...good.keys, p256dh: Buffer.alloc(65, 4).toString("base64url") } }, "keys.p256dh"],
      [{ ...good, keys: { ...good.keys, p256dh: "short" } }, "keys.p256dh"],
      [{ ...good, keys: { ...good.keys, auth: "short" } }, "keys.auth"],
      [{ endpoint: good.endpoint }, "keys"],
    ];
    for (const [body, field] of refused) {
      const reply = await subscribe(body);
      assert.equal(reply.status, 422, reply.text);
      assert.deepEqual(Object.keys((reply.body as { errors: object }).errors), [field]);
      assert.doesNotMatch(reply.text, /user:secret/);
    }
    assert.deepEqual(await tokens(), []);
  });

  test("a limited number of browsers, of which the oldest goes; and none without the integration", async () => {
    const { by, ada, subscribe, state, tokens } = await withInbox();
    const endpoints = Array.from({ length: maxBrowsers + 2 }, (_, index) => `https://push.example.com/send/${index}`);
    for (const endpoint of endpoints) assert.equal((await subscribe(browserAt(endpoint))).status, 200);
    assert.deepEqual((await state()).browsers, endpoints.slice(2).map(hashOf));
    assert.equal((await tokens()).length, maxBrowsers);
    await by("integrations.delete", { params: { integrationId: "web-push-default" } });
    errorOf(await ada.call("GET", "/web-push"), "INTEGRATION_NOT_FOUND");
    errorOf(await subscribe(browserAt(endpoints[0]!)), "INTEGRATION_NOT_FOUND");
    assert.equal((await ada.call("DELETE", `/web-push/browsers/${hashOf(endpoints[3]!)}`)).status, 204);
  });
});
