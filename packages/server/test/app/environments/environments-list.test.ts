import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { createClient } from "@tidings/testkit/client";
import { startTestService } from "@tidings/testkit/service";
import { assertShape } from "@tidings/testkit/shapes";
import { sql } from "kysely";
import { createSecrets, newApiKey, parseEncryptionKeys, sha256 } from "../../../src/lib/secrets.ts";

const encryptionKey = randomBytes(32).toString("base64");
const service = await startTestService({ TIDINGS_ENCRYPTION_KEY: encryptionKey });
const { client, db } = service;

const list = async (by = client) => (await by("environments.list")).body;

/** A second key of Production, stored the way the service stores them. */
async function addKey(): Promise<string> {
  const key = newApiKey();
  const secret = createSecrets(parseEncryptionKeys(encryptionKey)).encrypt(key);
  // The key that every test service adds has no readable secret; here all keys of Production are read.
  await sql`delete from api_keys where secret = ''`.execute(db);
  await sql`insert into api_keys (id, environment_id, user_id, hash, secret, created_at)
    select gen_random_uuid(), e.id, u.id, ${sha256(key)}, ${secret}, now()
    from environments e, users u where e.type = 'prod'`.execute(db);
  return key;
}

test("all environments of the organisation are listed in order of creation", async () => {
  const { status, body } = await client("environments.list");
  assert.equal(status, 200);
  assertShape("environments.list", body);
  assert.deepEqual(
    body.map(({ name, identifier, type }) => [name, identifier, type]),
    [
      ["Development", "development", "dev"],
      ["Production", "production", "prod"],
    ],
  );
  const [development, production] = body;
  assert.match(development!.slug!, /^development_env_[0-9A-Za-z]{22}$/);
  assert.ok(!("_parentId" in development!));
  assert.equal(production!._parentId, development!._id);
  assert.equal(production!._organizationId, development!._organizationId);
});

test("a key sees the keys of its own environment only", async () => {
  const productionKey = await addKey();
  const [development, production] = await list();
  const [owner] = (await sql<{ id: string }>`select id from users`.execute(db)).rows;
  const [own] = development!.apiKeys!;
  const { _id: _keyId, createdAt, lastUsedAt, ...key } = own!;
  assert.deepEqual(key, {
    ...{ key: service.apiKey, _userId: owner!.id, mayRaisePriority: false },
    ...{ name: null, owner: null, scope: "full", expiresAt: null, allowedNetworks: null },
  });
  assert.equal(typeof createdAt, "string");
  assert.ok(lastUsedAt === null || typeof lastUsedAt === "string");
  assert.ok(!("apiKeys" in production!));
  assert.ok(!JSON.stringify(await list()).includes(productionKey));

  const other = await list(createClient({ baseUrl: service.url, apiKey: productionKey }));
  assert.ok(!("apiKeys" in other[0]!));
  const keys = other[1]!.apiKeys!.map(({ key }) => key);
  assert.ok(keys.includes(productionKey));
  assert.ok(!JSON.stringify(other).includes(service.apiKey));
  for (const key of keys) {
    const { status } = await createClient({ baseUrl: service.url, apiKey: key })("environments.list");
    assert.equal(status, 200, "every key that is shown works");
  }
});

test("keys are neither stored in clear nor logged nor listed with their hash", async () => {
  const { rows } = await sql<{ text: string }>`select row_to_json(k)::text as text from api_keys k`.execute(db);
  for (const { text } of rows) assert.ok(!text.includes(service.apiKey));
  assert.ok(!JSON.stringify(service.logs).includes(service.apiKey));
  assert.ok((await list()).flatMap(({ apiKeys }) => apiKeys ?? []).every((key) => !("hash" in key)));
});

test("environments of another organisation are not listed", async () => {
  const id = "0199a1b2-0000-7000-8000-00000000000";
  await sql`insert into organizations (id, name, created_at) values (${`${id}1`}, 'Other', now())`.execute(db);
  await sql`insert into environments (id, organization_id, name, identifier, type, created_at, updated_at)
    values (${`${id}2`}, ${`${id}1`}, 'Foreign', 'foreign', 'dev', now(), now())`.execute(db);
  assert.ok(!(await list()).some(({ name }) => name === "Foreign"));
  const input = { params: { workflowId: "welcome" }, query: { environmentId: `${id}2` } };
  assert.equal((await client.raw("workflows.retrieve", input)).status, 404);
});

test("a revoked key is not shown", async () => {
  await sql`insert into api_keys (id, environment_id, user_id, hash, secret, created_at, revoked_at)
    select gen_random_uuid(), e.id, u.id, ${sha256("revoked")}, 'unreadable', now(), now()
    from environments e, users u where e.type = 'dev' and e.identifier = 'development'`.execute(db);
  assert.equal((await list())[0]!.apiKeys!.length, 1);
});
