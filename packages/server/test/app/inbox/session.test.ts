// Sessions of an inbox: who gets one, what the token is worth, and from which pages.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { createClient } from "@tidings/testkit/client";
import { newStage } from "@tidings/testkit/clock";
import { errorOf, request } from "@tidings/testkit/http";
import { startTestService } from "@tidings/testkit/service";
import { createWorkflow, inApp, settled, trigger } from "@tidings/testkit/verbs";
import { eventually } from "@tidings/testkit/wait";
import { sql } from "kysely";
import { canonicalJson } from "../../../src/lib/json.ts";
import { createSecrets } from "../../../src/lib/secrets.ts";
import { readInboxToken, signInboxToken } from "../../../src/lib/tokens/inbox-token.ts";
import { askSession, hashOf, identifierOf, inboxWith, openInbox } from "./browser.ts";

const encryptionKey = randomBytes(32);
const service = await startTestService({
  TIDINGS_INBOX_ORIGINS: "production=https://app.example.com",
  TIDINGS_ENCRYPTION_KEY: encryptionKey.toString("base64"),
});
const { client, production } = service;
const applicationIdentifier = await identifierOf(client);
const prod = { identifier: await identifierOf(production), key: await keyOf(production) };

async function keyOf(of: typeof client): Promise<string> {
  return (await of("environments.list")).body.flatMap(({ apiKeys }) => apiKeys ?? []).at(-1)!.key;
}

test("a session answers its token, the unread counts and what the widget needs", async () => {
  await createWorkflow(client, "loud", [inApp({ body: "Hi" })], { severity: "high" });
  await settled(client, await trigger(client, "loud", "counted"));
  const { session, call } = await openInbox(service, {
    applicationIdentifier,
    subscriber: { subscriberId: "counted", firstName: "Ada", timezone: "Europe/Berlin" },
  });
  const { token, ...rest } = session;
  assert.equal(typeof token, "string");
  assert.deepEqual(rest, {
    totalUnreadCount: 1,
    unreadCount: { total: 1, severity: { high: 1, medium: 0, low: 0, none: 0 } },
    removeNovuBranding: true,
    isDevelopmentMode: true,
    maxSnoozeDurationHours: 90 * 24,
    applicationIdentifier,
    contextKeys: [],
  });
  assert.equal((await call("GET", "/notifications")).status, 200);
  const { body } = await client("subscribers.retrieve", { params: { subscriberId: "counted" } });
  assert.deepEqual([body.firstName, body.timezone], ["Ada", "Europe/Berlin"]);
  // Browsers add their zone automatically: it does not replace one that the subscriber has.
  await openInbox(service, {
    applicationIdentifier,
    subscriber: { subscriberId: "counted", firstName: "Grace", timezone: "Asia/Tokyo" },
  });
  const { body: later } = await client("subscribers.retrieve", { params: { subscriberId: "counted" } });
  assert.deepEqual([later.firstName, later.timezone], ["Grace", "Europe/Berlin"]);
});

test("the first session connects the inbox of its environment", async () => {
  const stage = await newStage(service);
  const isConnected = async () =>
    (
      await sql<{
        at: Date | null;
      }>`select inbox_connected_at as at from environments where id = ${stage.environmentId}`.execute(service.db)
    ).rows[0]!.at !== null;
  assert.equal(await isConnected(), false);
  await openInbox(service, { applicationIdentifier: stage.environmentId, subscriber: { subscriberId: "ada" } });
  assert.equal(await isConnected(), true);
});

test("a production session needs the hash of the subscriber, and of the contexts if there are any", async () => {
  const subscriber = { subscriberId: "ada" };
  const ask = (more: object) => askSession(service, { applicationIdentifier: prod.identifier, subscriber, ...more });
  const subscriberHash = hashOf("ada", prod.key);
  assert.match(errorOf(await ask({}), "INBOX_HASH_MISSING").message, /^subscriberHash /);
  for (const wrong of [
    hashOf("eve", prod.key),
    hashOf("ada", service.apiKey),
    "abc",
    "zz",
    "é",
    `${subscriberHash}00`,
    `${subscriberHash}-`,
  ]) {
    assert.match(errorOf(await ask({ subscriberHash: wrong }), "INBOX_HASH_WRONG").message, /^subscriberHash /);
  }
  const { body: people } = await production("subscribers.list", { query: { subscriberId: "ada" } });
  assert.deepEqual(people.data, [], "a refused session creates no subscriber");
  const context = { tenant: "acme", app: { id: "one", data: { b: 1, a: 2 } } };
  const contextHash = hashOf(canonicalJson(context), prod.key);
  assert.equal(canonicalJson(context), '{"app":{"data":{"a":2,"b":1},"id":"one"},"tenant":"acme"}');
  assert.match(errorOf(await ask({ subscriberHash, context }), "INBOX_HASH_MISSING").message, /^contextHash /);
  const wrong = await ask({ subscriberHash, context: { tenant: "other" }, contextHash });
  assert.match(errorOf(wrong, "INBOX_HASH_WRONG").message, /^contextHash /);
  const reply = await ask({ subscriberHash, context, contextHash });
  assert.equal(reply.status, 201, reply.text);
  const { data } = reply.body as { data: { contextKeys: string[]; isDevelopmentMode: boolean } };
  assert.deepEqual([data.contextKeys, data.isDevelopmentMode], [["app:one", "tenant:acme"], false]);
});

test("the in-app integration can require the hash in development, and a wrong hash is refused everywhere", async () => {
  const stage = await newStage(service);
  const ask = (more: object = {}) =>
    askSession(service, {
      applicationIdentifier: stage.environmentId,
      subscriber: { subscriberId: "ada" },
      ...more,
    });
  errorOf(await ask({ subscriberHash: hashOf("ada", "another key") }), "INBOX_HASH_WRONG");
  assert.equal((await ask()).status, 201);
  const { body: all } = await stage.client("integrations.list");
  const integrationId = all.find(({ channel }) => channel === "in_app")!._id!;
  await stage.client("integrations.update", { params: { integrationId }, body: { credentials: { hmac: true } } });
  errorOf(await ask(), "INBOX_HASH_MISSING");
  assert.equal((await ask({ subscriberHash: hashOf("ada", await keyOf(stage.client)) })).status, 201);
});

test("what is not known or not valid is refused as JSON", async () => {
  const subscriber = { subscriberId: "ada" };
  errorOf(await askSession(service, { applicationIdentifier: "unknown", subscriber }), "ENVIRONMENT_NOT_FOUND");
  for (const body of [
    {},
    { applicationIdentifier },
    { applicationIdentifier, subscriber: { subscriberId: "no id!" } },
  ]) {
    errorOf(await askSession(service, body), "VALIDATION_ERROR");
  }
});

test("forged, changed and missing tokens, and API keys, are refused", async () => {
  const { token } = await openInbox(service, { applicationIdentifier, subscriber: { subscriberId: "ada" } });
  const [text, mac] = token.split(".") as [string, string];
  const { token: other } = await openInbox(service, { applicationIdentifier, subscriber: { subscriberId: "eve" } });
  const forged = [
    "",
    "x.y",
    `${text}.${Buffer.alloc(32).toString("base64url")}`,
    `${other.split(".")[0]}.${mac}`,
    `${text}`,
    service.apiKey,
  ];
  for (const wrong of forged) {
    const reply = await inboxWith(service, wrong).call("GET", "/notifications");
    errorOf(reply, "INBOX_TOKEN_INVALID");
    assert.equal(reply.headers.get("www-authenticate"), "Bearer");
  }
  const withKey = await request(service, "/v1/inbox/notifications", {
    headers: { authorization: `ApiKey ${service.apiKey}` },
  });
  errorOf(withKey, "INBOX_TOKEN_INVALID");
  errorOf(
    await request(service, "/v2/subscribers", { headers: { authorization: `Bearer ${token}` } }),
    "INVALID_AUTH_SCHEME",
  );
});

test("an expired token, and one whose subscriber or key is of another environment, are refused", async () => {
  const secrets = createSecrets([{ version: 1, key: encryptionKey }]);
  const partsOf = async (of: typeof client) => {
    await of("subscribers.create", { body: { subscriberId: "swapped" } });
    const { body } = await of("inbox.createToken", { body: { subscriberId: "swapped" } });
    return readInboxToken(secrets, body.token, new Date())!;
  };
  const [here, there] = [await partsOf(client), await partsOf(production)];
  const status = async (changes: Partial<typeof here>) => {
    const token = signInboxToken(secrets, { ...here, ...changes });
    return (await inboxWith(service, token).call("GET", "/notifications")).status;
  };
  assert.equal(await status({}), 200);
  assert.equal(await status({ expiresAt: new Date(Date.now() - 1_000) }), 401);
  assert.equal(await status({ subscriberId: there.subscriberId }), 401);
  assert.equal(await status({ keyId: there.keyId }), 401);
  assert.equal(await status({ environmentId: there.environmentId }), 401);
});

test("the token of a session says whether a hash vouched for its subscriber", async () => {
  const secrets = createSecrets([{ version: 1, key: encryptionKey }]);
  const isAnonymous = async (more: object) => {
    const { body } = await askSession(service, { applicationIdentifier, subscriber: { subscriberId: "who" }, ...more });
    return readInboxToken(secrets, (body as { data: { token: string } }).data.token, new Date())!.isAnonymous;
  };
  assert.equal(await isAnonymous({}), true);
  assert.equal(await isAnonymous({ subscriberHash: hashOf("who", service.apiKey) }), undefined);
  const { body } = await client("inbox.createToken", { body: { subscriberId: "who" } });
  assert.equal(readInboxToken(secrets, body.token, new Date())!.isAnonymous, undefined);
});

test("a token ends with its time, its API key and its subscriber", async () => {
  const stage = await newStage(service);
  const subscriberId = "ada";
  await stage.client("subscribers.create", { body: { subscriberId } });
  const { body } = await stage.client("inbox.createToken", { body: { subscriberId } });
  const minutes = (Date.parse(body.expiresAt) - Date.now()) / 60_000;
  assert.ok(minutes > 13 && minutes <= 15, String(minutes));
  const listed = () => inboxWith(service, body.token).call("GET", "/notifications");
  assert.equal((await listed()).status, 200);
  const params = { environmentId: stage.environmentId };
  const { body: next } = await stage.client("environments.createApiKey", { params });
  const newer = createClient({ baseUrl: service.url, apiKey: next.key });
  const [first] = (await newer("environments.list")).body.flatMap(({ apiKeys }) => apiKeys ?? []);
  const { body: kept } = await newer("inbox.createToken", { body: { subscriberId } });
  await newer("environments.revokeApiKey", { params: { ...params, keyId: first!._id! } });
  const refused = await eventually(async () => {
    const reply = await listed();
    return reply.status === 200 ? null : reply;
  }, "the end of the token");
  errorOf(refused, "INBOX_TOKEN_INVALID");
  const second = inboxWith(service, kept.token);
  assert.equal((await second.call("GET", "/notifications")).status, 200);
  await newer("subscribers.delete", { params: { subscriberId } });
  errorOf(await second.call("GET", "/stream"), "INBOX_TOKEN_INVALID");
  await newer("subscribers.create", { body: { subscriberId } });
  errorOf(await second.call("GET", "/notifications"), "INBOX_TOKEN_INVALID");
  errorOf(await newer.raw("inbox.createToken", { body: { subscriberId: "unknown" } }), "SUBSCRIBER_NOT_FOUND");
});

test("pages of other origins: preflight, readable answers, and the origins of an environment", async () => {
  const origin = "https://app.example.com";
  const preflight = await request(service, "/v1/inbox/notifications/count", {
    method: "OPTIONS",
    headers: {
      origin,
      "access-control-request-method": "PATCH",
      "access-control-request-headers": "authorization,content-type,novu-api-version,novu-client-version",
    },
  });
  assert.equal(preflight.status, 204);
  assert.equal(preflight.headers.get("access-control-allow-origin"), origin);
  const allowed = preflight.headers.get("access-control-allow-headers")!.split(", ");
  for (const name of ["authorization", "content-type", "novu-api-version", "novu-client-version"]) {
    assert.ok(allowed.includes(name), name);
  }
  assert.match(preflight.headers.get("access-control-allow-methods")!, /GET, POST, PATCH, DELETE/);

  const subscriber = { subscriberId: "ada" };
  const development = await askSession(service, { applicationIdentifier, subscriber }, { origin: "http://any.test" });
  assert.equal(development.headers.get("access-control-allow-origin"), "http://any.test");
  const signed = {
    applicationIdentifier: prod.identifier,
    subscriber,
    subscriberHash: hashOf("ada", prod.key),
  };
  const stranger = await askSession(service, signed, { origin: "https://evil.example" });
  assert.match(errorOf(stranger, "ORIGIN_NOT_ALLOWED").message, /https:\/\/evil\.example .*TIDINGS_INBOX_ORIGINS/);
  const own = await askSession(service, signed, { origin });
  assert.equal(own.status, 201, own.text);
  const { token } = (own.body as { data: { token: string } }).data;
  const { call } = inboxWith(service, token);
  assert.equal((await call("GET", "/notifications", undefined, { origin })).status, 200);
  errorOf(await call("GET", "/notifications", undefined, { origin: "https://evil.example" }), "ORIGIN_NOT_ALLOWED");
  assert.equal((await call("GET", "/notifications")).status, 200, "no origin: no web page");
  const unread = await inboxWith(service, "x").call("GET", "/notifications", undefined, { origin });
  assert.equal(unread.headers.get("access-control-allow-origin"), origin, "errors can be read too");
  const elsewhere = await request(service, "/v2/subscribers", { headers: { origin } });
  assert.equal(elsewhere.headers.get("access-control-allow-origin"), null);
});

test("without a required hash, a production session changes nothing; rate limits are per subscriber and per address", async () => {
  const lax = await startTestService({ TIDINGS_INBOX_REQUIRE_HASH: "never", TIDINGS_RATE_INBOX: "1" });
  assert.ok(lax.logs.some(({ msg }) => String(msg).includes("TIDINGS_INBOX_REQUIRE_HASH is never")));
  const identifier = await identifierOf(lax.production);
  const body = { applicationIdentifier: identifier, subscriber: { subscriberId: "ada", firstName: "Eve" } };
  errorOf(await askSession(lax, body), "SUBSCRIBER_NOT_FOUND");
  await lax.production("subscribers.create", { body: { subscriberId: "ada", firstName: "Ada" } });
  const { call } = await openInbox(lax, body);
  const { body: ada } = await lax.production("subscribers.retrieve", { params: { subscriberId: "ada" } });
  assert.equal(ada.firstName, "Ada");
  const statuses = async (ask: () => Promise<{ status: number }>) =>
    (await Promise.all(Array.from({ length: 12 }, ask))).map(({ status }) => status);
  assert.ok((await statuses(() => call("POST", "/notifications/read", {}))).includes(429), "marks of one subscriber");
  const sessions = await statuses(() => askSession(lax, body));
  assert.ok(sessions.includes(429), "sessions from one address");
});
