// The URL that starts the OAuth flow of a chat provider, and its signed state. The callback:
// http/pages/chat-oauth-page.rest.test.ts.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { describe, test } from "node:test";
import { chatIntegration, subscriber } from "@tidings/testkit/channels";
import { assertRefused } from "@tidings/testkit/refusals";
import { startTestService } from "@tidings/testkit/service";
import { readState, signState } from "../../../src/app/integrations/chat-oauth.ts";
import { createSecrets, parseEncryptionKeys } from "../../../src/lib/secrets.ts";

const encryptionKey = randomBytes(32).toString("base64");
const publicUrl = "https://notify.example.com/tidings";
const settings = { TIDINGS_ENCRYPTION_KEY: encryptionKey, TIDINGS_PUBLIC_URL: publicUrl };
const { client, production } = await startTestService(settings);
const callback = `${publicUrl}/v1/integrations/chat/oauth/callback`;
const secrets = createSecrets(parseEncryptionKeys(encryptionKey));
const slack = await chatIntegration(client, "slack", "slack", { redirectUrl: "https://app.example/back?x=1" });
await subscriber(client, "ada");

const urlFor = async (body: object) => {
  const answer = await client("integrations.createChatOauthUrl", { body: { integrationIdentifier: "slack", ...body } });
  assert.equal(answer.status, 201);
  assert.deepEqual(Object.keys(answer.body), ["url"]);
  const url = new URL(answer.body.url);
  return { address: url.origin + url.pathname, parameters: Object.fromEntries(url.searchParams) };
};
const minutes = (n: number) => new Date(Date.now() + n * 60_000);

describe("the address", () => {
  test("of slack asks for what sending needs", async () => {
    const { address, parameters } = await urlFor({});
    assert.equal(address, "https://slack.com/oauth/v2/authorize");
    const { state, ...rest } = parameters;
    assert.deepEqual(rest, {
      client_id: "C1",
      scope: "chat:write,chat:write.public,channels:read,groups:read,users:read,users:read.email",
      redirect_uri: callback,
    });
    assert.ok(!JSON.stringify(parameters).includes("slack-secret"));
    assert.equal((await urlFor({ scope: ["chat:write", "im:write"] })).parameters.scope, "chat:write,im:write");
    assert.equal((await urlFor({ scope: [] })).parameters.scope, rest.scope);
  });

  test("of msteams goes to the tenant, or to all organisations", async () => {
    const credentials = { clientId: "app", secretKey: "teams-secret" };
    await chatIntegration(client, "teams", "msteams", credentials);
    const { address, parameters } = await urlFor({ integrationIdentifier: "teams" });
    assert.equal(address, "https://login.microsoftonline.com/organizations/v2.0/adminconsent");
    const { state, ...rest } = parameters;
    assert.deepEqual(rest, {
      client_id: "app",
      scope: "https://graph.microsoft.com/.default",
      redirect_uri: callback,
    });
    await chatIntegration(client, "teams-own", "msteams", { ...credentials, tenantId: "t/1" });
    const own = await urlFor({ integrationIdentifier: "teams-own", scope: ["a", "b"] });
    assert.equal(own.address, "https://login.microsoftonline.com/t%2F1/v2.0/adminconsent");
    assert.equal(own.parameters.scope, "a b");
  });

  test("carries a signed state that says what it is for, for 10 minutes", async () => {
    const body = { subscriberId: "ada", connectionIdentifier: "conn.1", context: { tenant: "acme" } };
    const { parameters } = await urlFor(body);
    const signed = parameters.state!;
    const { id, ...state } = readState(secrets, signed, minutes(9))!.state;
    assert.match(id, /^\w{22}$/);
    assert.deepEqual(state, {
      environmentId: slack._environmentId,
      integrationId: slack._id,
      subscriberId: "ada",
      connectionIdentifier: "conn.1",
      contextKeys: ["tenant:acme"],
      grants: "access",
    });
    assert.deepEqual(
      [9, 10].map((n) => readState(secrets, signed, minutes(n))!.isExpired),
      [false, true],
    );
    const shared = await urlFor({ subscriberId: "ada", connectionMode: "shared" });
    assert.equal(readState(secrets, shared.parameters.state!, minutes(0))!.state.subscriberId, undefined);
    const own = await urlFor({ subscriberId: "ada", connectionMode: "subscriber" });
    assert.equal(readState(secrets, own.parameters.state!, minutes(0))!.state.subscriberId, "ada");
    const context = await client("contexts.retrieve", { params: { type: "tenant", id: "acme" } });
    assert.equal(context.status, 200);
  });
});

describe("the state", () => {
  const state = { id: "s", environmentId: "e", integrationId: "i", contextKeys: [], grants: "access" as const };

  test("is refused when it was changed, signed with another key or for another purpose", () => {
    const signed = signState(secrets, state, new Date());
    assert.deepEqual(readState(secrets, signed, new Date())!.state, state);
    const [body, mac] = signed.split(".") as [string, string];
    const forged = Buffer.from(JSON.stringify({ ...state, integrationId: "x", expiresAt: 9e15 })).toString("base64url");
    const other = createSecrets(parseEncryptionKeys(randomBytes(32).toString("base64")));
    const elsewhere = secrets.sign("something else", Buffer.from(body, "base64url").toString());
    for (const wrong of [`${forged}.${mac}`, body, "", ".", "é.é", `${body}.${mac.slice(2)}`, elsewhere]) {
      assert.equal(readState(secrets, wrong, new Date()), null, wrong);
    }
    assert.equal(readState(other, signed, new Date()), null);
  });

  test("is still read after the encryption key was rotated", () => {
    const signed = signState(secrets, state, new Date());
    const rotated = createSecrets(parseEncryptionKeys(`2:${randomBytes(32).toString("base64")},1:${encryptionKey}`));
    assert.deepEqual(readState(rotated, signed, new Date())!.state, state);
  });
});

describe("refusals", () => {
  const refuse = (body: unknown, expected: Parameters<typeof assertRefused>[3], by = client) =>
    assertRefused(by, "integrations.createChatOauthUrl", { body }, expected);

  test("name what is missing", async () => {
    const none = {
      code: "VALIDATION_ERROR",
      errors: { integrationIdentifier: ["integrationIdentifier is required"] },
    } as const;
    await refuse({}, none);
    await refuse(
      {
        integrationIdentifier: "slack",
        scope: ["a b", 1],
        connectionIdentifier: "",
        context: { a: 1 },
        subscriberId: 1,
      },
      {
        code: "VALIDATION_ERROR",
        errors: {
          "scope.0": ["scope.0 has an invalid format"],
          "scope.1": ["scope.1 must be a string"],
          connectionIdentifier: [
            "connectionIdentifier must not be empty",
            "connectionIdentifier has an invalid format",
          ],
          "context.a": ["context.a must be a string or an object"],
          subscriberId: ["subscriberId must be a string"],
        },
      },
    );
    const unknown = { code: "INTEGRATION_NOT_FOUND", message: "Integration with id nope not found" } as const;
    await refuse({ integrationIdentifier: "nope" }, unknown);
    await refuse({ integrationIdentifier: "slack" }, { code: "INTEGRATION_NOT_FOUND" }, production);
    const nobody = { code: "SUBSCRIBER_NOT_FOUND", message: "Subscriber with id nobody not found" } as const;
    await refuse({ integrationIdentifier: "slack", subscriberId: "nobody" }, nobody);
  });

  test("come from providers without it, and from integrations that are not set up", async () => {
    await chatIntegration(client, "discord", "discord");
    const unsupported = { code: "OAUTH_NOT_SUPPORTED", message: "Provider discord does not support OAuth" } as const;
    const body = await refuse({ integrationIdentifier: "discord", context: { tenant: "never" } }, unsupported);
    assert.deepEqual([body.type, body.errors], ["OAUTH_NOT_SUPPORTED", []]);
    const context = await client.raw("contexts.retrieve", { params: { type: "tenant", id: "never" } });
    assert.equal(context.status, 404);
    await chatIntegration(client, "teams-empty", "msteams");
    const errors = Object.fromEntries(
      ["clientId", "secretKey"].map((name) => [`credentials.${name}`, [`credentials.${name} is required`]]),
    );
    await refuse({ integrationIdentifier: "teams-empty" }, { code: "VALIDATION_ERROR", errors });
  });
});
