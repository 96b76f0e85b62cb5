// Scopes, expiry and networks of API keys: everything that is called with a key, with a key of every kind, over HTTP.
// What each scope contains is in scope-tables.ts, and not read from the contract.
import assert from "node:assert/strict";
import { test } from "node:test";
import { exportOperations, type Operation, type OperationId, operations } from "@tidings/contract";
import { errorOf, type Reply, request } from "@tidings/testkit/http";
import { sql } from "kysely";
import { newApiKey, sha256 } from "../../src/lib/secrets.ts";
import { isOfHousekeeping } from "./changes.ts";
import { onceOnly, type Scene } from "./scene.ts";
import { readIds, sends } from "./scope-tables.ts";

type Target = Pick<Operation, "id" | "method" | "path" | "body" | "bodyType">;

const targets: Target[] = [
  ...(Object.values(operations) as Operation[]).filter(({ access }) => access === undefined),
  ...(Object.values(exportOperations) as Operation[]),
];

type KeyColumns = { scope?: string; operations?: string[]; expires_at?: Date; allowed_networks?: string[] };

const past = new Date("2020-01-01T00:00:00.000Z");
const elsewhere = ["192.0.2.0/24", "2001:db8::/32"];

const has = { send: sends, read: readIds };

/** The scopes that the refusal names. */
const neededFor = (id: string): string =>
  ["full", ...(["send", "read"] as const).filter((scope) => has[scope].has(id))].join(" or ");

const words = { send: "send", read: "read", operations: "call the operations in its list" };

function assertOutOfScope(reply: Reply, scope: keyof typeof words, id: string): void {
  const { message, ctx } = errorOf(reply, "API_KEY_SCOPE");
  const needed = `scope ${neededFor(id)}, or operations with ${id}`;
  assert.equal(message, `This API key may only ${words[scope]}. ${id} needs ${needed}`);
  assert.deepEqual(ctx, { may: words[scope], operation: id, needed });
}

const assertInScope = (reply: Reply, what: string): void =>
  assert.ok(![401, 403, 429, 500].includes(reply.status), `${what}: ${reply.status} ${reply.text.slice(0, 300)}`);

export function testKeyScopes({ db, target, client, clientOf, changes }: Scene): void {
  const { url } = target;

  /** A key of the Development environment, written as a row: this file needs more than an environment may have. */
  async function addKey({ scope = "full", ...columns }: KeyColumns): Promise<string> {
    const key = newApiKey();
    await sql`insert into api_keys (id, environment_id, user_id, hash, secret, created_at, scope, operations, expires_at,
      allowed_networks)
    select gen_random_uuid(), e.id, u.id, ${sha256(key)}, k.secret, now(), ${scope}, ${columns.operations ?? null},
      ${columns.expires_at ?? null}, ${columns.allowed_networks ?? null}
    from environments e join api_keys k on k.environment_id = e.id, users u where e.type = 'dev' limit 1`.execute(db);
    return key;
  }

  const findKeys = onceOnly(async () => ({
    full: await addKey({}),
    send: await addKey({ scope: "send" }),
    read: await addKey({ scope: "read" }),
    expired: await addKey({ expires_at: past }),
    elsewhere: await addKey({ allowed_networks: elsewhere }),
  }));
  function call({ id, method, path, body, bodyType }: Target, key: string): Promise<Reply> {
    const filled = path.replaceAll(/\{\w+\}/g, "any");
    const isJson = body !== undefined && bodyType === undefined;
    const headers = { authorization: `ApiKey ${key}`, "idempotency-key": `scopes ${id} ${key.slice(-8)}` };
    return request({ ...target, apiKey: key }, filled, {
      method,
      headers: isJson ? { ...headers, "content-type": "application/json" } : headers,
      ...(isJson && { body: "{}" }),
    });
  }

  test("the tables of this file name operations that exist, and each scope has some", () => {
    const known = new Set(targets.map(({ id }) => id));
    assert.deepEqual(
      [...sends, ...readIds].filter((id) => !known.has(id)),
      [],
    );
    assert.ok(targets.length > 200 && readIds.size > 80);
  });

  for (const target of targets) {
    const { id } = target;
    test(`${id}: full, send, read, lists with and without it, expired, from elsewhere`, async () => {
      const keys = await findKeys();
      const [onlyIt, without] = [
        await addKey({ scope: "operations", operations: [id] }),
        await addKey({ scope: "operations", operations: targets.filter((one) => one.id !== id).map((one) => one.id) }),
      ];
      await changes.take();
      assertOutOfScope(await call(target, without), "operations", id);
      for (const scope of ["send", "read"] as const)
        if (!has[scope].has(id)) assertOutOfScope(await call(target, keys[scope]), scope, id);
      const expired = errorOf(await call(target, keys.expired), "API_KEY_EXPIRED");
      assert.ok(expired.message.startsWith(`This API key expired at ${past.toISOString()}:`), expired.message);
      const { message } = errorOf(await call(target, keys.elsewhere), "API_KEY_NETWORK");
      assert.ok(message.startsWith("This API key may not be used from the address 127.0.0.1:"), message);
      const changed = (await changes.take()).filter((change) => !isOfHousekeeping(change));
      assert.deepEqual(changed, [], "a refused request changes nothing");

      assertInScope(await call(target, keys.full), "full");
      assertInScope(await call(target, onlyIt), "a list with it");
      for (const scope of ["send", "read"] as const)
        if (has[scope].has(id)) assertInScope(await call(target, keys[scope]), scope);
      // Two keys for each operation are enough; later ones do not need them.
      await sql`update api_keys set revoked_at = now() where hash = any(${[sha256(onlyIt), sha256(without)]})`.execute(
        db,
      );
    });
  }

  test("expiry is checked before the network, and the network before the scope", async () => {
    const all = { scope: "read", expires_at: past, allowed_networks: elsewhere };
    const create = operations["workflows.create"];
    errorOf(await call(create, await addKey(all)), "API_KEY_EXPIRED");
    errorOf(await call(create, await addKey({ ...all, expires_at: undefined })), "API_KEY_NETWORK");
    errorOf(await call(create, await addKey({ scope: "read" })), "API_KEY_SCOPE");
  });

  test("a response that is stored under an idempotency key is not given to a key that may not call the operation", async () => {
    const keys = await findKeys();
    const path = "/v2/workflows";
    const body = JSON.stringify({
      ...{
        name: "Kept",
        workflowId: "kept",
        steps: [{ name: "In-app", type: "in_app", controlValues: { body: "x" } }],
      },
    });
    const as = (key: string) =>
      request({ ...target, apiKey: key }, path, {
        method: "POST",
        body,
        headers: { authorization: `ApiKey ${key}`, "content-type": "application/json", "idempotency-key": "kept" },
      });
    assert.equal((await as(keys.full)).status, 201);
    assert.equal((await as(keys.full)).headers.get("idempotency-replay"), "true");
    for (const scope of ["send", "read"] as const) {
      const refused = await as(keys[scope]);
      assertOutOfScope(refused, scope, "workflows.create");
      assert.equal(refused.headers.get("idempotency-replay"), null);
    }
  });

  test("the stream of activity is for keys that may list events", async () => {
    const keys = await findKeys();
    const open = async (key: string): Promise<Reply> => {
      const stop = new AbortController();
      const headers = { authorization: `ApiKey ${key}` };
      const response = await fetch(`${url}/v1/activity/stream`, { headers, signal: stop.signal });
      const isOpen = response.status === 200;
      const text = isOpen ? "" : await response.text();
      stop.abort();
      return { status: response.status, headers: response.headers, text, body: isOpen ? undefined : JSON.parse(text) };
    };
    assert.equal((await open(keys.full)).status, 200);
    assert.equal((await open(keys.read)).status, 200);
    assert.equal((await open(await addKey({ scope: "operations", operations: ["activity.listEvents"] }))).status, 200);
    assertOutOfScope(await open(keys.send), "send", "activity.listEvents");
    errorOf(await open(keys.expired), "API_KEY_EXPIRED");
    errorOf(await open(keys.elsewhere), "API_KEY_NETWORK");
  });

  test("a HEAD request needs the scope of its GET", async () => {
    const keys = await findKeys();
    const head = async (key: string) =>
      (await fetch(`${url}/v2/workflows`, { method: "HEAD", headers: { authorization: `ApiKey ${key}` } })).status;
    assert.deepEqual([await head(keys.read), await head(keys.full), await head(keys.send)], [200, 200, 403]);
  });

  test("a field for people with a higher role needs a full key", async () => {
    const keys = await findKeys();
    const body = { name: "any", to: "ada", payload: {} };
    const withBridge = { ...body, bridgeUrl: "https://example.com/bridge" };
    const only = await addKey({ scope: "operations", operations: ["explain.dryRun"] });
    for (const [key, may] of [
      [keys.read, "read"],
      [only, "call the operations in its list"],
    ] as const) {
      const limited = clientOf(key);
      assert.notEqual((await limited.raw("explain.dryRun", { body })).status, 403);
      const { message } = errorOf(await limited.raw("explain.dryRun", { body: withBridge }), "API_KEY_SCOPE");
      assert.equal(message, `This API key may only ${may}. explain.dryRun with bridgeUrl needs scope full`);
    }
    assert.notEqual((await client.raw("explain.dryRun", { body: withBridge })).status, 403);
  });

  test("operations without a key do not look at one", async () => {
    const keys = await findKeys();
    for (const { id, path, method, access } of Object.values(operations) as Operation[]) {
      if (access === undefined || method !== "GET") continue;
      const reply = await call({ id, path, method }, keys.expired);
      const { code } = (reply.body ?? {}) as { code?: string };
      assert.ok(!code?.startsWith("API_KEY_"), `${id}: ${code}`);
    }
  });

  test("every operation says in the OpenAPI document which scopes contain it", async () => {
    const { openApiDocument } = await import("@tidings/contract");
    const { paths } = openApiDocument({ version: "1" });
    for (const { id, path, method, access } of Object.values(operations) as Operation[]) {
      const described = paths[path]![method.toLowerCase()]!["x-tidings-key-scopes"];
      assert.deepEqual(described, access === undefined ? neededFor(id).split(" or ") : undefined, id as OperationId);
    }
  });
}
