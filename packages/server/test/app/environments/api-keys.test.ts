// Creating, rotating and revoking API keys. Their rights: api-key-rights.test.ts.
import assert from "node:assert/strict";
import { test } from "node:test";
import { createClient } from "@tidings/testkit/client";
import { assertRefused } from "@tidings/testkit/refusals";
import { startTestService } from "@tidings/testkit/service";
import { eventually } from "@tidings/testkit/wait";
import { sql } from "kysely";

const service = await startTestService();
const { client, production, db } = service;

const own = { environmentId: "development" };
const keysOf = async (caller = client) =>
  (await caller("environments.list")).body.find((one) => one.identifier === "development")!.apiKeys!;

test("201 with a key that works beside the old one, and 409 above the limit, also for many at once", async () => {
  const calls = Array.from({ length: 23 }, () => client.raw("environments.createApiKey", { params: own }));
  const answers = await Promise.all(calls);
  const all = answers.filter(({ status }) => status === 201).map(({ body }) => body as { _id: string; key: string });
  assert.deepEqual([all.length, answers.filter(({ status }) => status === 409).length], [19, 4]);
  const [made, ...others] = all;
  assert.ok(made);
  const members = ["_id", "_userId", "allowedNetworks", "createdAt", "expiresAt", "key", "lastUsedAt"];
  assert.deepEqual(Object.keys(made).sort(), [...members, "mayRaisePriority", "name", "owner", "scope"]);
  await assertRefused(
    client,
    "environments.createApiKey",
    { params: own },
    {
      code: "API_KEY_LIMIT",
      message: "Environment development already has 20 live API keys: revoke one first",
    },
  );
  for (const { _id: keyId } of others) await client("environments.revokeApiKey", { params: { ...own, keyId } });
  const fresh = createClient({ baseUrl: service.url, apiKey: made.key });
  assert.deepEqual(
    (await keysOf(fresh)).map(({ key }) => key),
    [service.apiKey, made.key],
  );
  const ids = async (caller = client) => (await keysOf(caller)).map(({ _id }) => _id);
  assert.deepEqual(await ids(), await ids(fresh));
  const stored = await sql<{ secret: string }>`select secret from api_keys where id = ${made._id}`.execute(db);
  assert.equal(stored.rows[0]!.secret.includes(made.key), false);

  const keyId = made._id;
  const answer = await client.raw("environments.revokeApiKey", { params: { ...own, keyId } });
  assert.deepEqual([answer.status, answer.body], [204, undefined]);
  await eventually(async () => {
    const refused = await fresh.raw("environments.list");
    return refused.status === 401 && (refused.body as { message: string }).message === "API Key not found";
  }, "the revoked key to stop working");
  await assertRefused(
    client,
    "environments.revokeApiKey",
    { params: { ...own, keyId } },
    {
      code: "KEY_NOT_FOUND",
      message: `API key with id ${keyId} not found`,
    },
  );
});

test("the last use of a key is recorded once a minute, beside the request, and empties no cache", async () => {
  const { _id, key, lastUsedAt } = (await client("environments.createApiKey", { params: own })).body;
  assert.equal(lastUsedAt, null);
  const fresh = createClient({ baseUrl: service.url, apiKey: key });
  await fresh("environments.list");
  const used = await eventually(
    async () => (await keysOf()).find((one) => one._id === _id)!.lastUsedAt,
    "the use to be recorded",
  );
  assert.equal(used, new Date(used).toISOString());
  await fresh("environments.list");
  assert.equal((await keysOf()).find((one) => one._id === _id)!.lastUsedAt, used, "not again within the minute");
  const { rows } = await sql<{ text: string }>`
    select pg_get_triggerdef(oid) as text from pg_trigger where tgname = 'api_keys_changed'`.execute(db);
  assert.match(rows[0]!.text, /UPDATE OF (?!.*last_used_at)/);
  await client("environments.revokeApiKey", { params: { ...own, keyId: _id! } });
});

test("a key can revoke itself, the last one stays, and two cannot revoke each other", async () => {
  const [old] = await keysOf();
  await assertRefused(
    client,
    "environments.revokeApiKey",
    { params: { ...own, keyId: old!._id! } },
    {
      code: "LAST_API_KEY",
      message:
        "The last live API key with the scope full cannot be revoked, narrowed or expire: create another one first",
    },
  );
  const input = { params: own, headers: { "idempotency-key": "rotate-1" } };
  const made = (await client("environments.createApiKey", input)).body;
  const replayed = await client("environments.createApiKey", input);
  assert.deepEqual(replayed.body, made);
  assert.equal(replayed.headers.get("idempotency-replay"), "true");
  const revocations = [old!._id!, made._id!].map((keyId) =>
    client.raw("environments.revokeApiKey", { params: { ...own, keyId } }),
  );
  const [first, second] = (await Promise.all(revocations)).map(({ status }) => status).sort();
  assert.equal(first, 204);
  // The key that both requests came with may be revoked before the second one is examined.
  assert.ok(second === 409 || second === 401, `${second}`);
  const live = await sql<{ count: number }>`select count(*) as count from api_keys k
    join environments e on e.id = k.environment_id where e.identifier = 'development' and revoked_at is null`.execute(
    db,
  );
  assert.equal(live.rows[0]!.count, 1);
});

test("only the caller's own environment", async () => {
  const foreign = { environmentId: "development" };
  const keyId = "01900000-0000-7000-8000-000000000000";
  await assertRefused(production, "environments.createApiKey", { params: foreign }, { code: "FORBIDDEN" });
  await assertRefused(
    production,
    "environments.revokeApiKey",
    { params: { ...foreign, keyId } },
    { code: "FORBIDDEN" },
  );
  const unknown = { environmentId: "nope" };
  await assertRefused(production, "environments.createApiKey", { params: unknown }, { code: "ENVIRONMENT_NOT_FOUND" });
  const noKey = { params: { environmentId: "production", keyId: "not an id" } };
  await assertRefused(production, "environments.revokeApiKey", noKey, { code: "KEY_NOT_FOUND" });
});
