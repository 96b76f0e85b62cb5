// The OAuth flow of chat workspaces, from the address to the callback page. Slack and Microsoft are a local server with
// their protocols: a second instance of the page, on the database of the service, sends its calls there.
import assert from "node:assert/strict";
import { createHash, createSign, generateKeyPairSync, randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, test } from "node:test";
import { createIo, type Io } from "@tidings/providers";
import { atEnd } from "@tidings/testkit/at-end";
import { chatIntegration, subscriber } from "@tidings/testkit/channels";
import { startTestService } from "@tidings/testkit/service";
import fastify from "fastify";
import { sql } from "kysely";
import { pino } from "pino";
import type { NetworkCtx } from "../../../src/context.ts";
import { createRateLimiter } from "../../../src/http/auth/rate-limit.ts";
import { addChatOauthPage } from "../../../src/http/pages/chat-oauth-page.ts";
import { newId } from "../../../src/lib/ids.ts";
import { createOwnerLimit } from "../../../src/lib/load/semaphores.ts";
import { createSecrets, parseEncryptionKeys } from "../../../src/lib/secrets.ts";

const publicUrl = "https://notify.example.com";
const path = "/v1/integrations/chat/oauth/callback";
const tenant = "72f988bf-86f1-41af-91ab-2d7cd011db47";

type Asked = { path: string; authorization?: string; form: Record<string, string> };
const asked: Asked[] = [];
const usedCodes = new Set<string>();
const webhookUrl = "https://hooks.slack.com/services/T1/B1/s3cret";

/** A code is valid once; `hook` in it stands for a person who picked a channel. */
function slack({ authorization, form }: Asked): object {
  const { code = "", redirect_uri: redirectUri } = form;
  if (authorization !== `Basic ${btoa("C1:slack-secret")}`) return { ok: false, error: "bad_client_secret" };
  if (redirectUri !== `${publicUrl}${path}`) return { ok: false, error: "bad_redirect_uri" };
  if (!code.startsWith("good")) return { ok: false, error: "invalid_code" };
  if (usedCodes.has(code)) return { ok: false, error: "code_already_used" };
  usedCodes.add(code);
  const team = { id: "T1", name: "Ada & <b>Co</b>\u0000" };
  const webhook = code.includes("hook") && {
    incoming_webhook: { url: webhookUrl, channel: "#orders", channel_id: "C5" },
  };
  return { ok: true, access_token: `xoxb-${code}`, bot_user_id: "U1", team, enterprise: null, ...webhook };
}

/** Only an organisation whose administrator has consented knows the app. */
function microsoft(organisation: string, { form }: Asked): { status: number; body: object } {
  const isKnown = organisation === tenant && form.client_secret === "teams-secret";
  if (isKnown) return { status: 200, body: { access_token: "eyJ", expires_in: 3599 } };
  const error_description = "AADSTS700016: Application with identifier 'app' was not found in the directory";
  return { status: 400, body: { error: "unauthorized_client", error_description } };
}

const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });

/** A code of Microsoft's names who signed in: `<tenant> <nonce>`. */
function signedIn(code: string): { status: number; body: object } {
  const [tid, nonce] = code.split(" ");
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const claims = { iss: `https://login.microsoftonline.com/${tid}/v2.0`, aud: "app", tid, nonce };
  const exp = Math.floor(Date.now() / 1000) + 3600;
  const unsigned = `${part({ alg: "RS256", kid: "k1" })}.${part({ ...claims, exp })}`;
  const id_token = `${unsigned}.${createSign("sha256").update(unsigned).sign(privateKey, "base64url")}`;
  return { status: 200, body: { id_token, access_token: "eyJ", expires_in: 3599 } };
}

function atMicrosoft(asked: Asked): { status: number; body: object } | undefined {
  if (asked.path === "/organizations/discovery/v2.0/keys") {
    return { status: 200, body: { keys: [{ ...publicKey.export({ format: "jwk" }), kid: "k1" }] } };
  }
  const organisation = /^\/([^/]+)\/oauth2\/v2\.0\/token$/.exec(asked.path)?.[1];
  if (organisation === "organizations") return signedIn(asked.form.code ?? "");
  return organisation ? microsoft(organisation, asked) : undefined;
}

const providers = createServer(async (request, response) => {
  const body = (await request.toArray()).join("");
  const form = Object.fromEntries(new URLSearchParams(body));
  const one: Asked = { path: request.url ?? "", authorization: request.headers.authorization, form };
  asked.push(one);
  if (form.code === "good-silence") return void request.socket.destroy();
  const answer = atMicrosoft(one) ?? { status: 200, body: slack(one) };
  response.writeHead(answer.status, { "content-type": "application/json" }).end(JSON.stringify(answer.body));
});
providers.listen(0, "127.0.0.1");
await once(providers, "listening");
atEnd(() => {
  providers.closeAllConnections();
  providers.close();
});

const encryptionKey = randomBytes(32).toString("base64");
const service = await startTestService({ TIDINGS_ENCRYPTION_KEY: encryptionKey, TIDINGS_PUBLIC_URL: publicUrl });
const { client, production, db } = service;

const local = createIo({ resolveHost: async () => ({ address: "127.0.0.1", family: 4 }), capture: async () => {} });
const port = (providers.address() as AddressInfo).port;
const known = /^https:\/\/(slack\.com\/api\/|login\.microsoftonline\.com\/)/;
const io: Io = {
  ...local,
  http: ({ url, ...request }) => {
    assert.match(url, known);
    const { pathname, search } = new URL(url);
    return local.http({ ...request, url: `http://provider.test:${port}${pathname}${search}` });
  },
};

let clock = () => new Date();
const logged: string[] = [];
const log = pino({ level: "trace" }, { write: (line: string) => void logged.push(line) });
const secrets = createSecrets(parseEncryptionKeys(encryptionKey));
const limiter = createRateLimiter({ trigger: 0, configuration: 0, global: 0, inbox: 0 }, () => 0);
const server = fastify();
addChatOauthPage(
  server,
  {
    config: { publicUrl },
    db,
    secrets,
    io,
    // Two people may return at once.
    providerCalls: createOwnerLimit(2),
    log,
    newId,
    now: () => clock(),
  } as NetworkCtx,
  limiter,
);
atEnd(async () => {
  await server.close();
  await local.close();
});

type Query = Record<string, string | string[]>;

const come = async (query: Query) => {
  const { statusCode, headers, body } = await server.inject({ url: path, query });
  return { status: statusCode, headers, html: body };
};

const stateFor = async (body: object = {}): Promise<string> => {
  const given = { integrationIdentifier: "slack", ...body };
  const { url } = (await client("integrations.createChatOauthUrl", { body: given })).body;
  return new URL(url).searchParams.get("state")!;
};

const connections = async (by = client) => (await by("channelConnections.list", {})).body.data;
const endpoints = async (subscriberId: string) =>
  (await client("channelEndpoints.list", { query: { subscriberId } })).body.data;
const everything = async () => [await connections(), (await client("channelEndpoints.list", {})).body.data];

await chatIntegration(client, "slack");
await chatIntegration(client, "teams", "msteams", { clientId: "app", secretKey: "teams-secret" });
for (const name of ["ada", "bea", "cleo"]) await subscriber(client, name);

describe("slack", () => {
  test("a workspace becomes the connection that was asked for, once", async () => {
    const state = await stateFor({ subscriberId: "ada", connectionIdentifier: "conn.1", context: { tenant: "acme" } });
    const { status, headers, html } = await come({ code: "good-1", state });
    assert.equal(status, 200);
    assert.match(html, /<h1>Slack is connected<\/h1>/);
    assert.match(html, /sent to “Ada &amp; &lt;b&gt;Co&lt;\/b&gt;”\./);
    assert.ok(!/<script|https?:|<link|<img|\son\w+=/.test(html));
    assert.match(String(headers["content-security-policy"]), /^default-src 'none'; style-src 'unsafe-inline'; /);
    assert.deepEqual(
      ["cache-control", "referrer-policy", "x-robots-tag"].map((name) => headers[name]),
      ["no-store", "no-referrer", "noindex"],
    );
    const [made, ...others] = await connections();
    assert.deepEqual(others, []);
    const { createdAt, updatedAt, ...rest } = made!;
    assert.deepEqual(rest, {
      identifier: "conn.1",
      channel: "chat",
      providerId: "slack",
      integrationIdentifier: "slack",
      subscriberId: "ada",
      contextKeys: ["tenant:acme"],
      workspace: { id: "T1", name: "Ada & <b>Co</b>" },
      auth: { accessToken: "xoxb-good-1" },
    });
    const { rows } = await sql<{ auth: string }>`select auth from channel_connections`.execute(db);
    assert.match(rows[0]!.auth, /^v1\./);
    assert.deepEqual(await connections(production), []);

    // The person reloads the page; an attacker who saw the address tries it with another code.
    const calls = asked.length;
    for (const code of ["good-1", "good-2"]) {
      const again = await come({ code, state });
      assert.equal(again.status, 410);
      assert.match(again.html, /This link has already been used/);
    }
    assert.equal(asked.length, calls);
    assert.deepEqual(await connections(), [made]);
  });

  test("a channel that was picked becomes an endpoint of the subscriber", async () => {
    assert.equal((await come({ code: "good-hook-1", state: await stateFor({ subscriberId: "bea" }) })).status, 200);
    const before = await connections();
    assert.equal(before.length, 1);
    const [endpoint] = await endpoints("bea");
    assert.deepEqual(
      [endpoint?.type, endpoint?.endpoint, endpoint?.connectionIdentifier, endpoint?.contextKeys],
      ["webhook", { url: webhookUrl, channel: "#orders" }, null, []],
    );
    const stored = await db.selectFrom("channel_endpoints").select("endpoint").execute();
    assert.doesNotMatch(JSON.stringify(stored), /s3cret/, "the webhook URL is encrypted at rest");

    // Without a channel to write to, the workspace is connected all the same. Asked for by name: both, and they belong
    // together.
    assert.equal((await come({ code: "good-hook-2", state: await stateFor() })).status, 200);
    const named = await stateFor({ subscriberId: "cleo", connectionIdentifier: "cleo" });
    assert.equal((await come({ code: "good-hook-3", state: named })).status, 200);
    const after = (await connections()).map(({ identifier, subscriberId }) => ({ identifier, subscriberId }));
    assert.deepEqual(after.length, 3);
    assert.ok(after.some(({ identifier, subscriberId }) => identifier.startsWith("conn-") && subscriberId === null));
    assert.deepEqual(
      (await endpoints("cleo")).map(({ connectionIdentifier }) => connectionIdentifier),
      ["cleo"],
    );
  });

  test("a connection is renewed, by those it belongs to", async () => {
    const renewed = await stateFor({ subscriberId: "ada", connectionIdentifier: "conn.1" });
    assert.equal((await come({ code: "good-3", state: renewed })).status, 200);
    const tokenOf = async () => {
      const { auth } = (await client("channelConnections.retrieve", { params: { identifier: "conn.1" } })).body;
      return auth.accessToken;
    };
    assert.equal(await tokenOf(), "xoxb-good-3");

    const before = await everything();
    const foreign = await stateFor({ subscriberId: "bea", connectionIdentifier: "conn.1" });
    const { status, html } = await come({ code: "good-hook-4", state: foreign });
    assert.equal(status, 409);
    assert.match(html, /This connection is in use/);
    assert.deepEqual(await everything(), before);
  });

  test("a subscriber that is connected already is renewed, not connected twice", async () => {
    await subscriber(client, "dora");
    const mine = async () =>
      (await client("channelConnections.list", { query: { subscriberId: "dora" } })).body.data.map(
        ({ identifier }) => identifier,
      );
    const first = await come({ code: "good-d1", state: await stateFor({ subscriberId: "dora" }) });
    const made = await mine();
    assert.deepEqual([first.status, made.length], [200, 1]);
    assert.equal((await come({ code: "good-d2", state: await stateFor({ subscriberId: "dora" }) })).status, 200);
    assert.deepEqual(await mine(), made);
    const other = await stateFor({ subscriberId: "dora", connectionIdentifier: "dora.2" });
    assert.equal((await come({ code: "good-d3", state: other })).status, 409);
    assert.deepEqual(await mine(), made);
  });

  test("people end up at the integration's redirectUrl, if it is an address of the web", async () => {
    const redirectUrl = "https://app.example/done?from=slack";
    await chatIntegration(client, "elsewhere", "slack", { redirectUrl });
    const integrationIdentifier = "elsewhere";
    const { status, headers } = await come({ code: "good-4", state: await stateFor({ integrationIdentifier }) });
    assert.equal(status, 303);
    assert.equal(headers.location, redirectUrl);
    assert.equal(headers["referrer-policy"], "no-referrer");
    // Errors are shown here, and the request's address does not decide where people go.
    const wrong = { code: "bad", redirect_uri: "https://evil.example", redirectUrl: "https://evil.example" };
    assert.equal((await come({ ...wrong, state: await stateFor({ integrationIdentifier }) })).status, 400);

    await client("integrations.update", {
      params: { integrationId: "elsewhere" },
      body: {
        credentials: { applicationId: "A1", clientId: "C1", secretKey: "********", redirectUrl: "javascript:alert(1)" },
      },
    });
    const page = await come({ code: "good-5", state: await stateFor({ integrationIdentifier }) });
    assert.equal(page.status, 200);
    assert.ok(!page.html.includes("alert"));
  });
});

describe("microsoft teams", () => {
  const integrationIdentifier = "teams";

  const codeOf = (organisation: string, state: string) =>
    `${organisation} ${createHash("sha256").update(state).digest("base64url")}`;

  test("an administrator who consented and signed in becomes a connection, also when it comes twice at once", async () => {
    const state = await stateFor({ integrationIdentifier });
    const before = await everything();
    const asked = await come({ tenant, admin_consent: "True", state });
    assert.equal(asked.status, 303);
    const next = new URL(String(asked.headers.location));
    assert.equal(next.origin + next.pathname, "https://login.microsoftonline.com/organizations/oauth2/v2.0/authorize");
    assert.deepEqual(
      ["state", "scope", "client_id", "redirect_uri"].map((name) => next.searchParams.get(name)),
      [state, "openid", "app", `${publicUrl}${path}`],
    );
    assert.deepEqual(await everything(), before);
    const query = { code: `${tenant} ${next.searchParams.get("nonce")}`, state };
    const answers = await Promise.all([come(query), come(query)]);
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 410]);
    const made = (await connections()).filter(({ providerId }) => providerId === "msteams");
    assert.deepEqual(
      made.map(({ workspace, auth, subscriberId }) => ({ workspace, auth, subscriberId })),
      [{ workspace: { id: tenant }, auth: { accessToken: "app-only" }, subscriberId: null }],
    );
  });

  test("is not believed on the word of the address alone", async () => {
    const before = await everything();
    const state = await stateFor({ integrationIdentifier });
    // Signed in to an organisation that has not consented, while the address names one that has.
    const code = codeOf(tenant.replace("72", "00"), state);
    const stranger = await come({ code, tenant, admin_consent: "True", state });
    assert.equal(stranger.status, 502);
    assert.match(stranger.html, /reload this page in a minute/);
    // A code that was issued for another link.
    const other = await stateFor({ integrationIdentifier });
    assert.equal((await come({ code: codeOf(tenant, other), state })).status, 400);
    for (const brought of [
      { tenant },
      { admin_consent: "True" },
      { tenant: "common", admin_consent: "True" },
    ] as Query[]) {
      assert.equal((await come({ ...brought, state })).status, 400);
    }
    assert.deepEqual(await everything(), before);
    assert.equal((await come({ code: codeOf(tenant, state), state })).status, 200);
  });

  test("needs no second sign-in where the integration names the organisation", async () => {
    await chatIntegration(client, "teams-own", "msteams", {
      clientId: "app",
      secretKey: "teams-secret",
      tenantId: tenant,
    });
    const state = await stateFor({ integrationIdentifier: "teams-own" });
    const code = codeOf(tenant.replace("72", "00"), state);
    assert.equal((await come({ code, state })).status, 400);
    assert.equal((await come({ tenant, admin_consent: "True", state })).status, 200);
  });
});

describe("what does not work is said, and changes nothing", () => {
  const now = () => new Date();
  const later = () => new Date(Date.now() + 10 * 60_000);
  type Refusal = {
    name: string;
    query: Query;
    status: number;
    text: RegExp;
    at?: () => Date;
  };
  const refusals: Refusal[] = [
    { name: "the person says no", query: { error: "access_denied" }, status: 400, text: /You did not agree/ },
    {
      name: "another error of the provider's, in its words",
      query: { error: "<b>invalid_scope</b>", error_description: "x" },
      status: 400,
      text: /did not accept this \(&lt;b&gt;invalid_scope&lt;\/b&gt;\)/,
    },
    { name: "a code that is refused", query: { code: "bad" }, status: 400, text: /Slack did not accept this/ },
    { name: "no code", query: {}, status: 400, text: /Slack did not accept this/ },
    { name: "two codes", query: { code: ["good-8", "good-9"] }, status: 400, text: /Slack did not accept this/ },
    { name: "a provider that hangs up", query: { code: "good-silence" }, status: 502, text: /Please reload/ },
    { name: "a state that is too old", query: { code: "good-6" }, at: later, status: 410, text: /10 minutes/ },
    { name: "no state", query: { code: "good-6", state: "" }, status: 400, text: /does not work/ },
    { name: "a made-up state", query: { code: "good-6", state: "eyJ9.AAAA" }, status: 400, text: /does not work/ },
    { name: "two states", query: { code: "good-6", state: ["a", "b"] }, status: 400, text: /does not work/ },
  ];
  for (const { name, query, status, text, at = now } of refusals) {
    test(name, async () => {
      const before = await everything();
      const state = await stateFor({ subscriberId: "ada" });
      clock = at;
      const answer = await come({ state, ...query });
      clock = now;
      assert.equal(answer.status, status);
      assert.match(answer.html, /^<!doctype html>/);
      assert.match(answer.html, text);
      assert.deepEqual(await everything(), before);
      // The state is not used up: the person may try again.
      if (!at || at === now) {
        assert.equal((await come({ state, code: `good-${name}` })).status, 200);
        const [made] = (await connections()).filter(({ auth }) => auth.accessToken === `xoxb-good-${name}`);
        await client("channelConnections.delete", { params: { identifier: made!.identifier } });
      }
    });
  }

  test("who or what it was for is gone", async () => {
    await subscriber(client, "passing");
    const forPerson = await stateFor({ subscriberId: "passing" });
    await client("subscribers.delete", { params: { subscriberId: "passing" } });
    const person = await come({ state: forPerson, code: "good-7" });
    assert.deepEqual([person.status, /no longer exists/.test(person.html)], [404, true]);

    await chatIntegration(client, "short-lived");
    const forIntegration = await stateFor({ integrationIdentifier: "short-lived" });
    await client("integrations.delete", { params: { integrationId: "short-lived" } });
    const integration = await come({ state: forIntegration, code: "good-10" });
    assert.deepEqual([integration.status, /nothing left to connect/.test(integration.html)], [404, true]);
  });
});

test("the service has the page, without a key, by GET alone", async () => {
  const get = await fetch(`${service.url}${path}?state=x&code=good-11`);
  assert.deepEqual([get.status, get.headers.get("content-type")], [400, "text/html; charset=utf-8"]);
  assert.match(await get.text(), /This link does not work/);
  const declined = await fetch(`${service.url}${path}?error=access_denied&state=${await stateFor()}`);
  assert.deepEqual([declined.status, /You did not agree/.test(await declined.text())], [400, true]);
  for (const method of ["POST", "HEAD"]) {
    const other = await fetch(`${service.url}${path}`, { method });
    assert.deepEqual([other.status, other.headers.get("allow")], [405, "GET"]);
  }
});

test("nothing that is secret is logged", () => {
  const text = logged.join("") + JSON.stringify(service.logs);
  assert.ok(text.includes("a chat workspace was not connected") && text.includes("invalid_code"));
  assert.ok(text.includes("a chat workspace was connected"));
  for (const secret of ["slack-secret", btoa("C1:slack-secret"), "teams-secret", "xoxb-", "good-", webhookUrl]) {
    assert.ok(!text.includes(secret), secret);
  }
});

test("it has a rate limit of its own", async () => {
  const few = createRateLimiter({ trigger: 0, configuration: 0, global: 1, inbox: 0 }, () => 0);
  const strict = fastify();
  addChatOauthPage(strict, { secrets, now: clock } as NetworkCtx, few);
  const statuses: number[] = [];
  for (let n = 0; n < 7; n++) statuses.push((await strict.inject(`${path}?state=x`)).statusCode);
  assert.deepEqual([statuses[0], statuses.at(-1)], [400, 429]);
  await strict.close();
});
