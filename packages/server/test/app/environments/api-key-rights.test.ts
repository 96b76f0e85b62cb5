// What API keys may do: their fields and what is refused of them, changes of keys in use, and that no key gives, sees
// or gets more than it has. The matrix over all operations: test/http/key-scopes.test.ts.
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { test } from "node:test";
import type { ApiKey, ErrorCode, NewApiKey } from "@tidings/contract";
import { createClient } from "@tidings/testkit/client";
import { errorOf, request } from "@tidings/testkit/http";
import { assertRefused, faultsOf } from "@tidings/testkit/refusals";
import { startTestService } from "@tidings/testkit/service";
import { eventually } from "@tidings/testkit/wait";
import { signInOwner } from "../members/browsers.ts";

const service = await startTestService({ TIDINGS_TRUSTED_PROXIES: "127.0.0.1", TIDINGS_VOCABULARY: "novu" });
const { client, url } = service;
const own = { environmentId: "development" };
const clientOf = (apiKey: string) => createClient({ baseUrl: url, apiKey });
const create = async (body: NewApiKey = {}, by = client): Promise<ApiKey> =>
  (await by("environments.createApiKey", { params: own, body })).body;
const revoke = (key: ApiKey) => client("environments.revokeApiKey", { params: { ...own, keyId: key._id! } });
const paramsOf = (key: ApiKey) => ({ ...own, keyId: key._id! });
const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();
const keysOf = async (by = client) => (await by("environments.list")).body.find(({ isCurrent }) => isCurrent)?.apiKeys;

/** A key that ends with the test. */
async function withKey<T>(body: NewApiKey, run: (key: ApiKey) => Promise<T>): Promise<T> {
  const key = await create(body);
  try {
    return await run(key);
  } finally {
    await revoke(key);
  }
}

test("a key keeps what it was created with, and a change of one field leaves the others", async () => {
  const expiresAt = inDays(30);
  const body: NewApiKey = {
    ...{
      name: "  Reports ",
      owner: "Data team",
      scope: "operations",
      operations: ["workflows.list", "exports.activity"],
    },
    ...{ expiresAt, allowedNetworks: ["10.0.0.0/8", "192.0.2.7", "2001:DB8::/32", "::ffff:198.51.100.0/120"] },
  };
  await withKey(body, async (key) => {
    const { _id, _userId, key: clear, createdAt, ...fields } = key;
    const stored = {
      ...{
        name: "Reports",
        owner: "Data team",
        scope: "operations",
        operations: ["workflows.list", "exports.activity"],
      },
      ...{ expiresAt, allowedNetworks: ["10.0.0.0/8", "192.0.2.7", "2001:DB8::/32", "198.51.100.0/24"] },
      ...{ lastUsedAt: null, mayRaisePriority: false },
    };
    assert.deepEqual(fields, stored);
    const listed = (await keysOf())!.find((one) => one._id === _id)!;
    assert.deepEqual(listed, key);
    const changed = await client("environments.updateApiKey", { params: paramsOf(key), body: { owner: "Ada" } });
    assert.deepEqual(changed.body, { ...key, owner: "Ada" });
    const widened = await client("environments.updateApiKey", {
      params: paramsOf(key),
      body: { scope: "read", expiresAt: null, allowedNetworks: null, owner: null },
    });
    const { operations, ...rest } = { ...key, owner: null, scope: "read", expiresAt: null, allowedNetworks: null };
    assert.deepEqual(widened.body, rest);
  });
});

test("a key without a body may do everything, as those that existed before", async () => {
  await withKey({}, async (key) => {
    const { scope, expiresAt, allowedNetworks, name } = key;
    assert.deepEqual([scope, expiresAt, allowedNetworks, name], ["full", null, null, null]);
    assert.equal((await clientOf(key.key).raw("workflows.list")).status, 200);
  });
});

const badFields: [body: object, faults: Record<string, string[]>][] = [
  [{ scope: "write" }, { scope: ["scope must be one of: full, send, read, operations"] }],
  [{ scope: "operations" }, { operations: ["operations is required for the scope operations: name at least one"] }],
  [{ scope: "operations", operations: [] }, { operations: ["operations must not be empty"] }],
  [
    { scope: "operations", operations: ["workflow.list", "workflows.get", "wholly.unknown", "inbox.listFeed"] },
    {
      "operations.0": ["workflow.list is no operation that is called with an API key; did you mean workflows.list?"],
      "operations.1": ["workflows.get is no operation that is called with an API key; did you mean workflows.test?"],
      "operations.2": ["wholly.unknown is no operation that is called with an API key; docs/openapi.json lists them"],
      "operations.3": ["inbox.listFeed is no operation that is called with an API key; docs/openapi.json lists them"],
    },
  ],
  [
    { scope: "operations", operations: Array.from({ length: 201 }, (_, index) => `a.b${index}`) },
    { operations: ["operations must contain no more than 200 elements"] },
  ],
  [
    { scope: "operations", operations: ["workflows.list", "workflows.list"] },
    { operations: ["operations must not contain the same element twice"] },
  ],
  [
    { scope: "read", operations: ["workflows.list"] },
    { operations: ["operations is only for the scope operations, and the scope is read: leave it out"] },
  ],
  [{ expiresAt: "soon" }, { expiresAt: ["expiresAt must be a date"] }],
  [
    { expiresAt: "2020-01-01T00:00:00Z" },
    { expiresAt: ["expiresAt must be in the future; to end a key now, revoke it"] },
  ],
  [{ allowedNetworks: [] }, { allowedNetworks: ["allowedNetworks must not be empty"] }],
  [
    { allowedNetworks: ["10.0.0.0/33", "fe80::1%eth0", "example.com", "10.0.0.1"] },
    Object.fromEntries(
      ["10.0.0.0/33", "fe80::1%eth0", "example.com"].map((text, index) => [
        `allowedNetworks.${index}`,
        [`allowedNetworks.${index} "${text}" is not a network: write it like 10.0.0.0/8, 192.168.1.5 or fd00::/8`],
      ]),
    ),
  ],
  [
    { allowedNetworks: Array.from({ length: 21 }, (_, index) => `10.0.0.${index}`) },
    { allowedNetworks: ["allowedNetworks must contain no more than 20 elements"] },
  ],
  [{ name: "" }, { name: ["name must not be empty"] }],
  [{ name: "  " }, { name: ["name must not be empty"] }],
  [{ name: "a\u001bb" }, { name: ["name must not contain control characters"] }],
  [{ owner: "x".repeat(129) }, { owner: ["owner must not be longer than 128 characters"] }],
];

test("bad fields are refused by name, with the fix, in a new key and in a change, and change nothing", async () => {
  await withKey({ scope: "send", name: "Sender" }, async (key) => {
    const before = await keysOf();
    for (const [body, faults] of badFields) {
      assert.deepEqual(await faultsOf(client, "environments.createApiKey", { params: own, body }), faults);
      assert.deepEqual(await faultsOf(client, "environments.updateApiKey", { params: paramsOf(key), body }), faults);
    }
    assert.deepEqual(await keysOf(), before);
  });
});

const codeOf = async (key: string) => {
  const { status, body } = await clientOf(key).raw("workflows.list");
  return status === 200 ? "allowed" : (body as { code: ErrorCode }).code;
};

test("a change of a key in use holds for the requests after it", async () => {
  await withKey({}, async (key) => {
    const update = (body: object) =>
      client("environments.updateApiKey", { params: paramsOf(key), body: body as never });
    const steps: [change: object, wanted: string][] = [
      [{ scope: "send" }, "API_KEY_SCOPE"],
      [{ scope: "read" }, "allowed"],
      [{ scope: "operations", operations: ["events.trigger"] }, "API_KEY_SCOPE"],
      [{ operations: ["workflows.list"] }, "allowed"],
      [{ allowedNetworks: ["192.0.2.0/24"] }, "API_KEY_NETWORK"],
      [{ allowedNetworks: ["127.0.0.0/8"] }, "allowed"],
    ];
    assert.equal(await codeOf(key.key), "allowed");
    for (const [change, wanted] of steps) {
      await update(change);
      await eventually(async () => (await codeOf(key.key)) === wanted, `${JSON.stringify(change)} to be ${wanted}`);
    }
  });
});

test("a key stops at its expiry, although its owner is cached", async () => {
  const expiresAt = new Date(Date.now() + 1_500).toISOString();
  await withKey({ expiresAt }, async (key) => {
    assert.equal(await codeOf(key.key), "allowed");
    await eventually(async () => (await codeOf(key.key)) === "API_KEY_EXPIRED", "the key to expire");
    assert.ok(new Date().toISOString() >= expiresAt);
    const reply = await request(service, "/v2/workflows", { headers: { authorization: `ApiKey ${key.key}` } });
    const { message } = errorOf(reply, "API_KEY_EXPIRED");
    assert.equal(message, `This API key expired at ${expiresAt}: use another one, or ask an owner to set a later time`);
    assert.equal(reply.headers.get("www-authenticate"), "ApiKey");
    // It can be given a later time, and works again.
    await client("environments.updateApiKey", { params: paramsOf(key), body: { expiresAt: inDays(1) } });
    await eventually(async () => (await codeOf(key.key)) === "allowed", "the later time to hold");
  });
});

test("the address is that of the client behind a trusted proxy, in any spelling, for the older routes as well", async () => {
  await withKey({ scope: "read", allowedNetworks: ["192.0.2.0/24", "2001:db8::/32"] }, async ({ key }) => {
    const ask = (from: string | null, path: string, method = "GET") =>
      request(service, path, {
        method,
        headers: { authorization: `ApiKey ${key}`, ...(from !== null && { "x-forwarded-for": from }) },
      });
    for (const path of ["/v2/workflows", "/v1/subscribers", "/v1/exports/statistics.csv"]) {
      for (const from of ["192.0.2.7", "::ffff:192.0.2.7", "::ffff:c000:207", "2001:db8::1", "6.6.6.6, 192.0.2.9"]) {
        const { status, text } = await ask(from, path);
        assert.ok(![401, 403].includes(status), `${path} from ${from}: ${text}`);
      }
      for (const [from, named] of [
        ["192.0.3.7", "192.0.3.7"],
        ["::ffff:192.0.3.7", "192.0.3.7"],
        ["192.0.2.7, 6.6.6.6", "6.6.6.6"],
        [null, "127.0.0.1"],
      ] as const) {
        const { message, ctx } = errorOf(await ask(from, path), "API_KEY_NETWORK");
        assert.equal(
          message,
          `This API key may not be used from the address ${named}: it is in none of the key's allowed networks`,
        );
        assert.deepEqual(ctx, { address: named });
      }
    }
    const { message } = errorOf(await ask("192.0.2.7", "/v1/subscribers/ada", "DELETE"), "API_KEY_SCOPE");
    assert.match(message, /subscribers\.delete needs scope full, or operations with subscribers\.delete$/);
  });
});

const ofManagement = [
  ...["environments.createApiKey", "environments.updateApiKey", "environments.revokeApiKey", "environments.list"],
  ...["workflows.list", "environments.create"],
];

test("a key gives no more rights than it has, and changes none with more", async () => {
  const until = inDays(10);
  const networks = ["10.0.0.0/8", "127.0.0.0/8"];
  const body: NewApiKey = {
    scope: "operations",
    operations: ofManagement,
    expiresAt: until,
    allowedNetworks: networks,
  };
  await withKey(body, async (manager) => {
    const by = clientOf(manager.key);
    const refuse = (id: "environments.createApiKey", wanted: NewApiKey, what: string, reason: string) =>
      assertRefused(
        by,
        id,
        { params: own, body: wanted },
        {
          code: "API_KEY_RIGHTS",
          message: `This API key may not ${what}: ${reason}`,
        },
      );
    const within = {
      scope: "operations",
      operations: ["workflows.list"],
      expiresAt: until,
      allowedNetworks: ["10.1.0.0/16"],
    };
    const cases: [change: object, reason: string][] = [
      [{ scope: "full", operations: undefined }, "it may not call events.trigger itself"],
      [{ scope: "send", operations: undefined }, "it may not call events.trigger itself"],
      [{ scope: "read", operations: undefined }, "it may not call explain.retrieve itself"],
      [{ operations: ["workflows.list", "workflows.delete"] }, "it may not call workflows.delete itself"],
      [{ expiresAt: undefined }, `it expires at ${until} itself`],
      [{ expiresAt: inDays(11) }, `it expires at ${until} itself`],
      [{ allowedNetworks: undefined }, "it may be used from its allowed networks only"],
      [{ allowedNetworks: ["10.1.0.0/16", "11.0.0.0/8"] }, "11.0.0.0/8 is in none of its allowed networks"],
      [{ allowedNetworks: ["10.0.0.0/7"] }, "10.0.0.0/7 is in none of its allowed networks"],
    ];
    for (const [change, reason] of cases)
      await refuse("environments.createApiKey", { ...within, ...change } as NewApiKey, "create this key", reason);
    const made = await create(within as NewApiKey, by);
    assert.match(made.key, /^tdg_/, "whoever creates a key sees it");
    await assertRefused(
      by,
      "environments.updateApiKey",
      { params: paramsOf(made), body: { expiresAt: null } },
      {
        code: "API_KEY_RIGHTS",
        message: `This API key may not give this key these rights: it expires at ${until} itself`,
      },
    );
    await assertRefused(
      by,
      "environments.updateApiKey",
      { params: paramsOf(made), body: { mayRaisePriority: true } },
      {
        code: "API_KEY_RIGHTS",
        message: "This API key may not give this key these rights: it may not raise priorities itself",
      },
    );
    const [first] = (await keysOf())!;
    for (const [id, what] of [
      ["environments.updateApiKey", "change this key"],
      ["environments.revokeApiKey", "revoke this key"],
    ] as const) {
      const message = `This API key may not ${what}: it may not call events.trigger itself`;
      const input = { params: paramsOf(first!), ...(id === "environments.updateApiKey" && { body: { owner: "Me" } }) };
      await assertRefused(by, id, input, { code: "API_KEY_RIGHTS", message });
    }
    await by("environments.revokeApiKey", { params: paramsOf(made) });
  });
});

test("a key with fewer rights does not see the keys of others", async () => {
  const until = inDays(10);
  await withKey({ scope: "full", expiresAt: until }, async (limited) => {
    const seen = (await keysOf(clientOf(limited.key)))!.map(({ _id, key }) => [_id, key]);
    const [first] = (await keysOf())!;
    assert.deepEqual(seen, [
      [first!._id, "********"],
      [limited._id, limited.key],
    ]);
    const made = await clientOf(limited.key)("environments.create", { body: { name: "Staging", color: "#000000" } });
    assert.equal(made.body.apiKeys, undefined);
  });
  for (const body of [{ scope: "read" }, { scope: "operations", operations: ["environments.list"] }] as NewApiKey[]) {
    await withKey(body, async ({ key }) => {
      const { body: all } = await clientOf(key)("environments.list");
      assert.ok(!JSON.stringify(all).includes("tdg_"));
      assert.equal(all.find(({ isCurrent }) => isCurrent)?.identifier, "development");
    });
  }
});

test("a key with fewer rights sees of records what a viewer sees", async () => {
  const credentials = { applicationId: "app-id", clientId: "c", secretKey: "s3cret" };
  const integration = { providerId: "slack", channel: "chat", identifier: "talk", credentials } as const;
  await client("integrations.create", { body: integration });
  assert.ok(JSON.stringify((await client("integrations.list")).body).includes("app-id"));
  for (const body of [{ scope: "read" }, { scope: "operations", operations: ["integrations.list"] }] as NewApiKey[])
    await withKey(body, async ({ key }) => {
      const { body: list } = await clientOf(key)("integrations.list");
      assert.ok(list.some(({ identifier }) => identifier === "talk"));
      assert.ok(!JSON.stringify(list).includes("app-id"));
    });
});

test("a response with secrets is stored for a key with fewer rights alone", async () => {
  const input = {
    params: own,
    headers: { "idempotency-key": "shared" },
    body: { scope: "read", name: "Of full" } as const,
  };
  const { body: made } = await client("environments.createApiKey", input);
  // It has the rights to create this very key, and asks with the same idempotency key.
  await withKey({ scope: "full", expiresAt: inDays(5) }, async ({ key }) => {
    const answer = await clientOf(key).raw("environments.createApiKey", input);
    assert.equal(answer.headers.get("idempotency-replay"), null);
    assert.ok(!JSON.stringify(answer.body).includes(made.key));
    const again = await client("environments.createApiKey", input);
    assert.equal(again.headers.get("idempotency-replay"), "true");
    assert.deepEqual(again.body, made);
    const body = { ...input.body, expiresAt: inDays(4) };
    const first = await clientOf(key)("environments.createApiKey", {
      ...input,
      headers: { "idempotency-key": "own" },
      body,
    });
    const repeat = await clientOf(key)("environments.createApiKey", {
      ...input,
      headers: { "idempotency-key": "own" },
      body,
    });
    assert.deepEqual(repeat.body, first.body);
    assert.equal(repeat.headers.get("idempotency-key"), "own");
    await revoke(first.body);
  });
  await revoke(made);
});

test("only keys that may open inboxes sign for them", async () => {
  await client("subscribers.create", { body: { subscriberId: "ada" } });
  const open = async (key: string) => {
    const subscriberHash = createHmac("sha256", key).update("ada").digest("hex");
    const body = { applicationIdentifier: "development", subscriber: { subscriberId: "ada" }, subscriberHash };
    const { status, body: answer } = await client.raw("inbox.openSession", {
      body,
      headers: { authorization: undefined },
    });
    return status === 201 ? "open" : (answer as { code: ErrorCode }).code;
  };
  assert.equal(await open(service.apiKey), "open");
  for (const [body, wanted] of [
    [{ scope: "read" }, "INBOX_HASH_WRONG"],
    [{ scope: "send" }, "INBOX_HASH_WRONG"],
    [{ scope: "operations", operations: ["inbox.createToken"] }, "open"],
  ] as [NewApiKey, string][])
    await withKey(body, async ({ key }) => assert.equal(await open(key), wanted));
});

test("a session of an inbox ends with the expiry of its key", async () => {
  await withKey({ expiresAt: new Date(Date.now() + 1_500).toISOString() }, async ({ key }) => {
    const { token } = (await clientOf(key)("inbox.createToken", { body: { subscriberId: "ada" } })).body;
    const count = async () =>
      (await request(service, "/v1/inbox/notifications", { headers: { authorization: `Bearer ${token}` } })).status;
    assert.equal(await count(), 200);
    await eventually(async () => (await count()) === 401, "the session to end");
  });
});

test("one full key that has not expired stays", async () => {
  const [first] = (await keysOf())!;
  const params = paramsOf(first!);
  const last = { code: "LAST_API_KEY" } as const;
  await withKey({ scope: "read" }, async () => {
    await assertRefused(client, "environments.updateApiKey", { params, body: { scope: "read" } }, last);
    await assertRefused(client, "environments.revokeApiKey", { params }, last);
  });
});

test("the audit log names the key, and members own the keys that they create", async () => {
  const owner = await signInOwner(service);
  const made = await owner.call("environments.createApiKey", {
    params: own,
    body: { scope: "operations", operations: ["layouts.create"], name: "Deploy bot" },
  });
  const key = made.body as ApiKey;
  assert.equal(key.owner, owner.session.person.name);
  await clientOf(key.key)("layouts.create", { body: { layoutId: "bot", name: "Bot" } });
  await client("environments.updateApiKey", { params: paramsOf(key), body: { scope: "read" } });
  const log = (await owner.call("auditLog.list")).body as {
    data: { operation: string; actor: object; after: unknown }[];
  };
  const entryOf = (operation: string) => log.data.find((one) => one.operation === operation)!;
  assert.deepEqual(entryOf("layouts.create").actor, {
    ...{ type: "key", name: "Deploy bot (API key of development)", _id: key._id },
  });
  assert.match(JSON.stringify(entryOf("environments.updateApiKey")), /"scope":"read"/);
  assert.ok(!JSON.stringify(log).includes("tdg_"));
  await revoke(key);
});
