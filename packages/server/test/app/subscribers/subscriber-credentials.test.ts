import assert from "node:assert/strict";
import { test } from "node:test";
import { shareService } from "@tidings/testkit/service";

const { client, production } = await shareService();

const params = { subscriberId: "ada" };
await client("subscribers.create", { body: params });
const push = async (identifier: string, active: boolean, via = client) => {
  const credentials = { serviceAccount: '{"project_id":"p"}' };
  const body = { providerId: "fcm", channel: "push", identifier, active, credentials } as const;
  return (await via("integrations.create", { body })).body;
};
const asleep = await push("fcm-asleep", false);
const first = await push("fcm-first", true);
const second = await push("fcm-second", true);
await push("fcm-production", true, production);

type Operation = "subscribers.replaceCredentials" | "subscribers.appendCredentials";
type Credentials = Record<string, string | string[]>;
const put = async (credentials: Credentials, integrationIdentifier?: string) => {
  const body = { providerId: "fcm" as const, credentials, integrationIdentifier };
  return (await client("subscribers.replaceCredentials", { params, body })).body;
};
const patch = async (credentials: Credentials, integrationIdentifier?: string) => {
  const body = { providerId: "fcm" as const, credentials, integrationIdentifier };
  return (await client("subscribers.appendCredentials", { params, body })).body;
};
const channelsOf = async () => (await client("subscribers.retrieve", { params })).body.channels;
const refused = async (id: Operation, body: unknown, subscriberId = "ada", via = client) => {
  const answer = await via.raw(id, { params: { subscriberId }, body });
  const { code, message, errors } = answer.body as { code: string; message: string; errors?: Record<string, object> };
  return { status: answer.status, code, message, errors };
};

test("PUT replaces the entry of the first active integration, or of the one named", async () => {
  const answer = await put({ deviceTokens: ["a", "b", "a"], title: "T" });
  assert.equal(answer.subscriberId, "ada");
  const entry = { providerId: "fcm", integrationIdentifier: "fcm-first", _integrationId: first._id };
  assert.deepEqual(answer.channels, [{ ...entry, credentials: { deviceTokens: ["a", "b"], title: "T" } }]);
  await put({ deviceTokens: ["c"] });
  await put({ webhookUrl: "https://example.com/x" }, "fcm-second");
  await put({ deviceTokens: ["z"] }, "fcm-asleep");
  assert.deepEqual(await channelsOf(), [
    { ...entry, credentials: { deviceTokens: ["c"] } },
    {
      providerId: "fcm",
      integrationIdentifier: "fcm-second",
      _integrationId: second._id,
      credentials: { webhookUrl: "https://example.com/x" },
    },
    {
      providerId: "fcm",
      integrationIdentifier: "fcm-asleep",
      _integrationId: asleep._id,
      credentials: { deviceTokens: ["z"] },
    },
  ]);
});

test("PATCH appends tokens without duplicates and replaces the other members", async () => {
  await put({ deviceTokens: ["a"], title: "Old", state: "s" });
  const answer = await patch({ deviceTokens: ["b", "a", "b"], title: "New" });
  assert.deepEqual(answer.channels?.[0]?.credentials, { deviceTokens: ["a", "b"], title: "New", state: "s" });
  await Promise.all(Array.from({ length: 10 }, (_, index) => patch({ deviceTokens: [`t${index}`] })));
  assert.equal((await channelsOf())?.[0]?.credentials.deviceTokens?.length, 12);
});

test("at most 100 tokens, also after appending", async () => {
  const tokens = (from: number, count: number) => Array.from({ length: count }, (_, index) => `n${from + index}`);
  await put({ deviceTokens: tokens(0, 100) });
  const text = "credentials.deviceTokens must contain no more than 100 elements";
  for (const [id, list] of [
    ["subscribers.replaceCredentials", tokens(0, 101)],
    ["subscribers.appendCredentials", tokens(100, 1)],
  ] as const) {
    const refusal = await refused(id, { providerId: "fcm", credentials: { deviceTokens: list } });
    assert.equal(refusal.status, 422);
    assert.deepEqual(refusal.errors, { "credentials.deviceTokens": { messages: [text] } });
  }
  await patch({ deviceTokens: tokens(50, 50) });
  assert.equal((await channelsOf())?.[0]?.credentials.deviceTokens?.length, 100);
});

test("what is missing, unknown or of the wrong type is refused and changes nothing", async () => {
  const before = await channelsOf();
  for (const id of ["subscribers.replaceCredentials", "subscribers.appendCredentials"] as const) {
    const wrong = await refused(id, {
      providerId: "sendgrid",
      credentials: { deviceTokens: "a", apiKey: "x", title: 1 },
    });
    assert.equal(wrong.status, 422);
    assert.deepEqual(Object.keys(wrong.errors!).sort(), [
      "credentials.apiKey",
      "credentials.deviceTokens",
      "credentials.title",
      "providerId",
    ]);
    assert.deepEqual(Object.keys((await refused(id, {})).errors!).sort(), ["credentials", "providerId"]);
    const none = await refused(id, { providerId: "discord", credentials: {} });
    assert.deepEqual([none.status, none.code], [404, "INTEGRATION_NOT_FOUND"]);
    assert.equal(none.message, "Integration with id discord not found");
    for (const [providerId, integrationIdentifier] of [
      ["fcm", "fcm-production"],
      ["apns", "fcm-first"],
    ]) {
      const foreign = await refused(id, { providerId, integrationIdentifier, credentials: {} });
      assert.deepEqual([foreign.status, foreign.code], [404, "INTEGRATION_NOT_FOUND"]);
    }
    for (const [via, subscriberId] of [
      [client, "nobody"],
      [production, "ada"],
    ] as const) {
      const unknown = await refused(id, { providerId: "fcm", credentials: {} }, subscriberId, via);
      assert.deepEqual([unknown.status, unknown.code], [404, "SUBSCRIBER_NOT_FOUND"]);
    }
  }
  assert.deepEqual(await channelsOf(), before);
});

test("DELETE removes all entries of the provider, also when there are none", async () => {
  const call = (subscriberId: string, providerId: string, via = client) =>
    via.raw("subscribers.deleteCredentials", { params: { subscriberId, providerId } });
  assert.equal((await call("ada", "discord")).status, 204);
  assert.equal((await channelsOf())?.length, 3);
  const answer = await call("ada", "fcm");
  assert.deepEqual([answer.status, answer.body], [204, undefined]);
  assert.deepEqual(await channelsOf(), []);
  assert.equal((await call("ada", "fcm")).status, 204);
  assert.equal((await call("nobody", "fcm")).status, 404);
  assert.equal((await call("ada", "fcm", production)).status, 404);
});

test("a replayed PATCH appends once", async () => {
  const headers = { "idempotency-key": "tokens" };
  const body = { providerId: "fcm" as const, credentials: { deviceTokens: ["once"] } };
  const one = await client("subscribers.appendCredentials", { params, body, headers });
  await put({ deviceTokens: [] });
  const two = await client("subscribers.appendCredentials", { params, body, headers });
  assert.equal(two.headers.get("idempotency-replay"), "true");
  assert.deepEqual(two.body, one.body);
  assert.deepEqual((await channelsOf())?.[0]?.credentials, { deviceTokens: [] });
});

test("online status: going offline keeps the moment", async () => {
  const set = async (isOnline: boolean) =>
    (await client("subscribers.updateOnlineStatus", { params, body: { isOnline } })).body;
  const online = await set(true);
  assert.deepEqual([online.isOnline, "lastOnlineAt" in online], [true, false]);
  const start = new Date().toISOString();
  const offline = await set(false);
  assert.equal(offline.isOnline, false);
  assert.ok(offline.lastOnlineAt! >= start);
  assert.equal((await set(false)).lastOnlineAt, offline.lastOnlineAt);
  assert.equal((await set(true)).lastOnlineAt, offline.lastOnlineAt);

  const raw = (subscriberId: string, body: unknown, via = client) =>
    via.raw("subscribers.updateOnlineStatus", { params: { subscriberId }, body });
  assert.equal((await raw("nobody", { isOnline: true })).status, 404);
  assert.equal((await raw("ada", { isOnline: true }, production)).status, 404);
  for (const body of [{}, { isOnline: null }, { isOnline: "yes" }]) {
    const answer = await raw("ada", body);
    assert.equal(answer.status, 422);
    assert.deepEqual(Object.keys((answer.body as { errors: object }).errors), ["isOnline"]);
  }
});
