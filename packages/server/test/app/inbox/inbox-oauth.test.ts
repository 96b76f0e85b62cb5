// Chat workspaces and chat accounts that a subscriber connects from its browser: the addresses, whom they are for, and
// what is stored when the person comes back from the provider. Slack is a function that responds like its API.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { Novu } from "@novu/js";
import type { Io } from "@tidings/providers";
import { atEnd } from "@tidings/testkit/at-end";
import { chatIntegration, connection } from "@tidings/testkit/channels";
import { errorOf } from "@tidings/testkit/http";
import { startTestService } from "@tidings/testkit/service";
import fastify from "fastify";
import { pino } from "pino";
import { chatOauthCallbackPath } from "../../../src/app/integrations/chat-oauth.ts";
import type { NetworkCtx } from "../../../src/context.ts";
import { createRateLimiter } from "../../../src/http/auth/rate-limit.ts";
import { addChatOauthPage } from "../../../src/http/pages/chat-oauth-page.ts";
import { newId } from "../../../src/lib/ids.ts";
import { createOwnerLimit } from "../../../src/lib/load/semaphores.ts";
import { createSecrets, parseEncryptionKeys } from "../../../src/lib/secrets.ts";
import { type Inbox, identifierOf, openInbox } from "./browser.ts";

const publicUrl = "https://notify.example.com";
const encryptionKey = randomBytes(32).toString("base64");
const service = await startTestService({ TIDINGS_ENCRYPTION_KEY: encryptionKey, TIDINGS_PUBLIC_URL: publicUrl });
const { client, db } = service;
const applicationIdentifier = await identifierOf(client);
await chatIntegration(client, "slack");
await chatIntegration(client, "hooks", "discord");

/** A code is `<person> <workspace>`; the response also has a bot token. */
const io = {
  now: () => new Date(),
  http: async ({ body }: { body?: string }) => {
    const [id, team] = new URLSearchParams(String(body)).get("code")!.split(" ");
    const json = { ok: true, access_token: "xoxb-1", team: { id: team }, authed_user: { id } };
    return { status: 200, headers: {}, text: JSON.stringify(json), json };
  },
} as unknown as Io;
const page = fastify();
const limiter = createRateLimiter({ trigger: 0, configuration: 0, global: 0, inbox: 0 }, () => 0);
const callbackCtx = {
  ...{ config: { publicUrl }, db, io, newId, providerCalls: createOwnerLimit(1), now: () => new Date() },
  ...{ secrets: createSecrets(parseEncryptionKeys(encryptionKey)), log: pino({ level: "silent" }) },
} as unknown as NetworkCtx;
addChatOauthPage(page, callbackCtx, limiter);
atEnd(() => page.close());

const come = async (url: URL, code: string) =>
  (await page.inject({ url: chatOauthCallbackPath, query: { state: url.searchParams.get("state")!, code } }))
    .statusCode;

const open = (subscriberId: string, more: object = {}) =>
  openInbox(service, { applicationIdentifier, subscriber: { subscriberId }, ...more });

const urlOf = async ({ call }: Inbox, path: string, body: object = {}): Promise<URL> => {
  const reply = await call("POST", path, { integrationIdentifier: "slack", ...body });
  assert.equal(reply.status, 201, reply.text);
  return new URL((reply.body as { data: { url: string } }).data.url);
};

const endpointsOf = async (subscriberId: string) =>
  (await client("channelEndpoints.list", { query: { subscriberId } })).body.data.map((row) => ({
    ...{ type: row.type, endpoint: row.endpoint, contextKeys: row.contextKeys, over: row.connectionIdentifier },
  }));

test("a subscriber connects a workspace of its own and links its account, in two steps or in one", async () => {
  const ada = await open("ada");
  const connect = await urlOf(ada, "/channel-connections/oauth", { subscriberId: "ada", connectionIdentifier: "adas" });
  assert.equal(connect.origin + connect.pathname, "https://slack.com/oauth/v2/authorize");
  assert.match(connect.searchParams.get("scope")!, /chat:write/);
  assert.equal(await come(connect, "U1 T1"), 200);
  const { body } = await client("channelConnections.retrieve", { params: { identifier: "adas" } });
  assert.deepEqual([body.subscriberId, body.workspace.id], ["ada", "T1"]);
  assert.deepEqual(await endpointsOf("ada"), []);

  const link = await urlOf(ada, "/channel-endpoints/oauth", { userScope: ["identity.basic"] });
  assert.deepEqual(
    ["user_scope", "scope"].map((name) => link.searchParams.get(name)),
    ["identity.basic", null],
  );
  assert.equal(await come(link, "U1 T1"), 200);
  const own = { type: "chatapp_user", endpoint: { userId: "U1" }, contextKeys: [], over: "adas" };
  assert.deepEqual(await endpointsOf("ada"), [own]);
  assert.equal(await come(link, "U2 T1"), 410, "an address works once");
  const again = await ada.call("POST", "/channel-endpoints/link", { integrationIdentifier: "slack" });
  const { data } = again.body as { data: { url: string; providerMetadata: object } };
  assert.deepEqual([again.status, data.providerMetadata], [201, {}]);
  assert.equal(await come(new URL(data.url), "U1 T1"), 200);
  assert.deepEqual(await endpointsOf("ada"), [own], "linked again, the account is reached once");

  const bea = await open("bea");
  const both = await urlOf(bea, "/chat/oauth", { mode: "connect", connectionIdentifier: "beas", autoLinkUser: true });
  assert.equal(await come(both, "U3 T3"), 200);
  assert.deepEqual(await endpointsOf("bea"), [{ ...own, endpoint: { userId: "U3" }, over: "beas" }]);
});

test("an account is reached through a connection to its workspace, one's own or a shared one, and no other", async () => {
  await connection(client, "slack", { identifier: "shared", workspace: { id: "T9" } });
  await open("dan");
  await connection(client, "slack", { identifier: "dans", subscriberId: "dan", workspace: { id: "T8" } });
  const cleo = await open("cleo", { context: { tenant: "acme" } });
  const link = () => urlOf(cleo, "/chat/oauth", { mode: "link_user", context: { tenant: "acme" } });
  assert.equal(await come(await link(), "U5 T8"), 409, "the workspace of another subscriber");
  assert.equal(await come(await link(), "U5 T0"), 409, "a workspace that is not connected");
  assert.deepEqual(await endpointsOf("cleo"), []);
  assert.equal(await come(await link(), "U5 T9"), 200);
  const made = { type: "chatapp_user", endpoint: { userId: "U5" }, contextKeys: ["tenant:acme"], over: "shared" };
  assert.deepEqual(await endpointsOf("cleo"), [made]);

  const named = { integrationIdentifier: "slack", connectionIdentifier: "dans" };
  errorOf(await cleo.call("POST", "/channel-endpoints/oauth", named), "CONNECTION_NOT_FOUND");
  const taken = await urlOf(cleo, "/channel-connections/oauth", { connectionIdentifier: "dans" });
  assert.equal(await come(taken, "U5 T8"), 409, "a connection of another subscriber is not taken over");
});

test("a browser connects for itself only, and is told which field is wrong", async () => {
  const eve = await open("eve", { context: { tenant: "acme" } });
  const refusals: [field: string, body: object][] = [
    ["subscriberId", { subscriberId: "ada" }],
    ["context", { context: { tenant: "globex" } }],
    ["connectionMode", { connectionMode: "shared" }],
    ["scope.0", { scope: ["two words"] }],
    ["scope", { scope: ["chat:write", "admin"] }],
  ];
  for (const [field, given] of refusals) {
    const reply = await eve.call("POST", "/channel-connections/oauth", { integrationIdentifier: "slack", ...given });
    assert.deepEqual(Object.keys(errorOf(reply, "VALIDATION_ERROR").errors!), [field]);
  }
  const userScope = { integrationIdentifier: "slack", userScope: ["identity.basic", "files:read"] };
  for (const path of ["/channel-endpoints/oauth", "/channel-endpoints/link"]) {
    const { errors } = errorOf(await eve.call("POST", path, userScope), "VALIDATION_ERROR");
    assert.deepEqual(Object.keys(errors!), ["userScope"]);
  }
  const some = await urlOf(eve, "/channel-connections/oauth", { scope: ["chat:write"] });
  assert.equal(some.searchParams.get("scope"), "chat:write");
  for (const path of ["/channel-connections/oauth", "/channel-endpoints/oauth", "/channel-endpoints/link"]) {
    errorOf(await eve.call("POST", path, { integrationIdentifier: "unknown" }), "INTEGRATION_NOT_FOUND");
    errorOf(await eve.call("POST", path, { integrationIdentifier: "hooks" }), "OAUTH_NOT_SUPPORTED");
    errorOf(await eve.call("POST", path, {}), "VALIDATION_ERROR");
  }
});

test("the published client gets its addresses, and finds shared connections when it asks for them", async () => {
  await connection(client, "slack", { identifier: "everyones", workspace: { id: "T7", name: "Acme" } });
  const novu = new Novu({ applicationIdentifier, subscriber: { subscriberId: "fay" }, backendUrl: service.url });
  const wanted = { integrationIdentifier: "slack", subscriberId: "fay" };
  const answers = [
    await novu.channelConnections.generateConnectOAuthUrl({ ...wanted, connectionMode: "subscriber" }),
    await novu.channelConnections.generateOAuthUrl({ ...wanted, mode: "link_user" }),
    await novu.channelEndpoints.generateLinkUserOAuthUrl(wanted),
    await novu.channelEndpoints.link({ integrationIdentifier: "slack" }),
  ];
  for (const { data, error } of answers) assert.match(data?.url ?? String(error), /^https:\/\/slack\.com\/oauth/);
  const listed = async (connectionMode?: "subscriber" | "shared") =>
    (await novu.channelConnections.list({ connectionMode })).data!.map(({ identifier }) => identifier);
  assert.ok((await listed("shared")).includes("everyones"));
  assert.deepEqual([await listed("subscriber"), await listed()], [[], []]);
  const shared = await novu.channelConnections.get({ identifier: "everyones", connectionMode: "shared" });
  assert.deepEqual(shared.data?.workspace, { id: "T7", name: "Acme" });
  assert.ok(!JSON.stringify(shared).includes("xoxb"));
  assert.ok((await novu.channelConnections.get({ identifier: "everyones" })).error);
  assert.ok((await novu.channelConnections.get({ identifier: "dans", connectionMode: "shared" })).error);
});
