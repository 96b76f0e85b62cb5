import assert from "node:assert/strict";
import { test } from "node:test";
import type { ErrorCode, OperationId } from "@tidings/contract";
import { createClient } from "@tidings/testkit/client";
import { authorized, errorOf, exchange, isWrite, operationIds, operationOf, request } from "@tidings/testkit/http";
import fc from "@tidings/testkit/properties";
import { startTestService } from "@tidings/testkit/service";
import { eventually } from "@tidings/testkit/wait";
import { sql } from "kysely";
import { createAddressReader } from "../../src/http/live/client-address.ts";
import { networkOf } from "../../src/lib/networks/addresses.ts";
import { newApiKey, sha256 } from "../../src/lib/secrets.ts";
import {
  countRows,
  type InputId,
  inputIds,
  makeNotification,
  makeThings,
  type Things,
  validInput,
} from "../support/inputs.ts";

const service = await startTestService();
const { client, production, db } = service;
const things = await makeNotification(client, await makeThings(client, "auth"));

/** A second key of the Development environment. */
async function addKey(options: { isRevoked: boolean }): Promise<string> {
  const key = newApiKey();
  await sql`insert into api_keys (id, environment_id, user_id, hash, secret, created_at, revoked_at)
    select gen_random_uuid(), e.id, u.id, ${sha256(key)}, '', now(), ${options.isRevoked ? new Date() : null}
    from environments e, users u where e.type = 'dev'`.execute(db);
  return key;
}

const revoked = await addKey({ isRevoked: true });

type Refusal = { name: string; authorization?: string; code: ErrorCode; message: string };

const refusals: Refusal[] = [
  { name: "no header", code: "MISSING_AUTHORIZATION", message: "Missing authorization header" },
  {
    name: "an empty header",
    authorization: "",
    code: "MISSING_AUTHORIZATION",
    message: "Missing authorization header",
  },
  {
    name: "another scheme",
    authorization: `Bearer ${service.apiKey}`,
    code: "INVALID_AUTH_SCHEME",
    message: 'Invalid authentication scheme: "Bearer"',
  },
  {
    name: "a scheme that only begins like ours",
    authorization: `ApiKeys ${service.apiKey}`,
    code: "INVALID_AUTH_SCHEME",
    message: 'Invalid authentication scheme: "ApiKeys"',
  },
  { name: "the scheme alone", authorization: "ApiKey", code: "UNAUTHORIZED", message: "Unauthorized" },
  { name: "the scheme and spaces", authorization: "ApiKey   ", code: "UNAUTHORIZED", message: "Unauthorized" },
  { name: "an unknown key", authorization: "ApiKey nobody", code: "API_KEY_NOT_FOUND", message: "API Key not found" },
  {
    name: "a key in another case",
    authorization: `ApiKey ${service.apiKey.toUpperCase()}`,
    code: "API_KEY_NOT_FOUND",
    message: "API Key not found",
  },
  {
    name: "a key with something behind it",
    authorization: `ApiKey ${service.apiKey} more`,
    code: "API_KEY_NOT_FOUND",
    message: "API Key not found",
  },
  {
    name: "a revoked key",
    authorization: `ApiKey ${revoked}`,
    code: "API_KEY_NOT_FOUND",
    message: "API Key not found",
  },
];

for (const { name, authorization, code, message } of refusals) {
  test(`${name} is refused: ${message}`, async () => {
    const headers: Record<string, string> = authorization === undefined ? {} : { authorization };
    const reply = await request(service, "/v1/environments", { headers });
    const body = errorOf(reply, code);
    assert.equal(body.message, message);
    assert.equal(reply.headers.get("www-authenticate"), "ApiKey");
    assert.equal(reply.headers.get("ratelimit-limit"), null, "strangers see no rate limits");
    assert.ok(!reply.text.includes(service.apiKey));
  });
}

for (const scheme of ["ApiKey", "apikey", "APIKEY", "aPiKeY"]) {
  test(`the scheme may be written ${scheme}`, async () => {
    const reply = await request(service, "/v1/environments", {
      headers: { authorization: `${scheme}  ${service.apiKey}` },
    });
    assert.equal(reply.status, 200);
    assert.equal(reply.headers.get("www-authenticate"), null);
  });
}

test("a key that is revoked while in use stops working", async () => {
  const key = await addKey({ isRevoked: false });
  const probe = () => createClient({ baseUrl: service.url, apiKey: key }).raw("integrations.list");
  assert.equal((await probe()).status, 200);
  await sql`update api_keys set revoked_at = now() where hash = ${sha256(key)}`.execute(db);
  const refused = await eventually(async () => {
    const answer = await probe();
    return answer.status === 200 ? null : answer;
  }, "the end of the revoked key");
  errorOf(refused, "API_KEY_NOT_FOUND");
});

/** The errors that a stranger receives; an open operation is called without its body here. */
const strangerErrors = {
  key: "MISSING_AUTHORIZATION",
  signed: "INTEGRATION_NOT_FOUND",
  inbox: "INBOX_TOKEN_INVALID",
  open: "VALIDATION_ERROR",
  member: "SIGN_IN_REQUIRED",
} as const;

test("no operation works without a key, and none writes", async () => {
  const before = await countRows(db);
  for (const id of operationIds) {
    const params = Object.fromEntries(paramsOf(id).map((name) => [name, "any"]));
    const input = (validInput as Partial<typeof validInput>)[id as InputId]?.(things, "stranger") ?? { params };
    const reply = await exchange(service, id, {
      ...input,
      headers: { authorization: undefined, "idempotency-key": `stranger-${id}` },
    });
    // Reports of providers are signed instead; app/webhooks/inbound-webhooks.rest.test.ts has who is let in.
    const { access = "key" } = operationOf(id);
    // How people can sign in is not a secret.
    if (id === "auth.methods") continue;
    errorOf(reply, strangerErrors[access]);
    assert.equal(reply.headers.get("idempotency-key"), null);
  }
  assert.deepEqual(await countRows(db), before);
});

const paramsOf = (id: OperationId): string[] =>
  [...operationOf(id).path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);

/** Every way to name one of our things in a path. */
async function namesOf(): Promise<Things[]> {
  const workflow = (await client("workflows.retrieve", { params: things })).body;
  const integrations = (await client("integrations.list")).body;
  const integration = integrations.find(({ identifier }) => identifier === things.integrationId)!;
  return [
    things,
    { ...things, workflowId: workflow._id, integrationId: integration._id! },
    { ...things, workflowId: workflow.slug },
  ];
}

test("a key of another environment finds none of our things, under any name, and changes none", async () => {
  const names = await namesOf();
  const withPath = inputIds.filter((id) => paramsOf(id).length > 0);
  assert.ok(withPath.length >= 10);
  const before = await countRows(db);
  for (const id of withPath) {
    for (const param of paramsOf(id)) assert.ok(param in things, `test/support/inputs.ts has no ${param}`);
    for (const name of names) {
      const answer = await production.raw(id, { ...validInput[id](name, "other"), params: name });
      const { code } = answer.body as { code: ErrorCode };
      assert.equal(answer.status, 404, `${id} answered ${answer.status} ${code}`);
      assert.ok(operationOf(id).errors.includes(code), `${id} does not declare ${code}`);
    }
  }
  assert.deepEqual(await countRows(db), before);
  for (const id of withPath.filter((id) => !isWrite(id))) {
    assert.equal((await client.raw(id, validInput[id](things, "own"))).status, 200, `${id} in its own environment`);
  }
  const integrations = (await client("integrations.list")).body;
  assert.ok(integrations.some(({ identifier }) => identifier === things.integrationId));
});

test("lists show nothing of another environment, but the environments themselves", async () => {
  const people = await production("subscribers.list");
  assert.deepEqual(people.body.data, []);
  const flows = await production("workflows.list", { query: { limit: 100 } });
  assert.ok(!flows.body.workflows.some(({ workflowId }) => workflowId === things.workflowId));
  assert.deepEqual((await production("notifications.list")).body.data, []);
  assert.deepEqual((await production("messages.list")).body.data, []);

  const environments = (await client("environments.list")).body;
  assert.deepEqual(
    environments.map(({ name }) => name),
    ["Development", "Production"],
  );
  assert.ok(environments[0]!.apiKeys!.some(({ key }) => key === service.apiKey));
  assert.equal(environments[1]!.apiKeys, undefined, "a development key must not hand out the production key");
});

test("a valid key may not act on another environment", async () => {
  const environments = (await client("environments.list")).body;
  const answer = await client.raw("integrations.update", {
    params: things,
    body: { _environmentId: environments[1]!._id, name: "Moved" },
  });
  const body = errorOf(answer, "FORBIDDEN");
  assert.equal(body.message, "This API key may not act on another environment");
  assert.equal(answer.headers.get("www-authenticate"), null);
  const integrations = (await client("integrations.list")).body;
  assert.ok(!integrations.some(({ name }) => name === "Moved"));
});

type Order = {
  name: string;
  path: string;
  method: string;
  body: string;
  key?: boolean;
  idempotency?: string;
  code: ErrorCode;
};

const orders: Order[] = [
  { name: "route before authentication", method: "POST", path: "/v2/nothing", body: "{", code: "ROUTE_NOT_FOUND" },
  {
    name: "method before authentication",
    method: "PUT",
    path: "/v2/subscribers",
    body: "{",
    code: "METHOD_NOT_ALLOWED",
  },
  {
    name: "authentication before parsing",
    method: "POST",
    path: "/v2/subscribers",
    body: "{",
    code: "MISSING_AUTHORIZATION",
  },
  {
    name: "authentication before validation",
    method: "POST",
    path: "/v2/subscribers",
    body: "[]",
    code: "MISSING_AUTHORIZATION",
  },
  {
    name: "authentication before existence",
    method: "PATCH",
    path: "/v2/subscribers/no-one",
    body: "{}",
    code: "MISSING_AUTHORIZATION",
  },
  {
    name: "parsing before idempotency",
    method: "POST",
    path: "/v2/subscribers",
    body: "{",
    key: true,
    idempotency: "x".repeat(256),
    code: "MALFORMED_JSON",
  },
  {
    name: "idempotency before validation",
    method: "POST",
    path: "/v2/subscribers",
    body: "{}",
    key: true,
    idempotency: "x".repeat(256),
    code: "IDEMPOTENCY_KEY_TOO_LONG",
  },
  {
    name: "validation before existence",
    method: "PATCH",
    path: "/v2/subscribers/no-one",
    body: '{"firstName":5}',
    key: true,
    code: "VALIDATION_ERROR",
  },
  {
    name: "existence last",
    method: "PATCH",
    path: "/v2/subscribers/no-one",
    body: '{"firstName":"Ada"}',
    key: true,
    code: "SUBSCRIBER_NOT_FOUND",
  },
];

for (const { name, method, path, body, key, idempotency, code } of orders) {
  test(`order of checks: ${name}`, async () => {
    const before = await countRows(db);
    const headers = { "content-type": "application/json", ...(idempotency ? { "idempotency-key": idempotency } : {}) };
    errorOf(await (key ? authorized : request)(service, path, { method, body, headers }), code);
    assert.deepEqual(await countRows(db), before);
  });
}

/** An IPv6 address in one of its spellings: upper case, leading zeros, and a run of zeros left out at `from`. */
function spell(groups: number[], { isUpper, isPadded, from }: { isUpper: boolean; isPadded: boolean; from: number }) {
  const texts = groups.map((group) => group.toString(16).padStart(isPadded ? 4 : 1, "0"));
  let end = from;
  while (end < 8 && groups[end] === 0) end++;
  const text = end - from > 1 ? `${texts.slice(0, from).join(":")}::${texts.slice(end).join(":")}` : texts.join(":");
  return isUpper ? text.toUpperCase() : text;
}

test("all addresses of an IPv6 /64 are one network, however they are spelled; those of another one are not", () => {
  const group = fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 0xffff }));
  const four = fc.tuple(group, group, group, group);
  const spelling = fc.record({ isUpper: fc.boolean(), isPadded: fc.boolean(), from: fc.integer({ min: 0, max: 7 }) });
  const isMapped = (groups: number[]) => groups.slice(0, 5).every((one) => one === 0) && groups[5] === 0xffff;
  fc.assert(
    fc.property(four, four, four, four, spelling, spelling, (network, one, other, two, first, second) => {
      fc.pre(!isMapped([...network, ...one]) && !isMapped([...network, ...two]) && !isMapped([...other, ...two]));
      const name = networkOf(spell([...network, ...one], first));
      assert.equal(networkOf(spell([...network, ...two], second)), name);
      assert.equal(networkOf(`${spell([...network, ...two], second)}%eth0`), name);
      assert.equal(networkOf(spell([...other, ...two], second)) === name, String(other) === String(network));
    }),
    { numRuns: 500 },
  );
});

test("networks of IPv4 addresses are the addresses, also inside of IPv6", () => {
  for (const spelled of ["192.0.2.1", "::ffff:192.0.2.1", "::FFFF:c000:201", "0:0:0:0:0:ffff:c000:0201"]) {
    assert.equal(networkOf(spelled), "192.0.2.1", spelled);
  }
  assert.equal(networkOf("64:ff9b::192.0.2.1"), "64:ff9b:0:0");
  assert.equal(networkOf("::1"), "0:0:0:0");
  assert.equal(networkOf("no address"), "no address");
});

test("the address of an upgrade is what a trusted proxy says, and nothing that a client says", () => {
  const read = (proxies: string[], remoteAddress: string, forwarded?: string) =>
    createAddressReader(proxies)({ headers: { "x-forwarded-for": forwarded }, socket: { remoteAddress } } as never);
  assert.equal(read([], "198.51.100.1", "203.0.113.9"), "198.51.100.1");
  assert.equal(read(["10.0.0.0/8"], "198.51.100.1", "203.0.113.9"), "198.51.100.1");
  assert.equal(read(["10.0.0.0/8"], "10.1.2.3", "203.0.113.9"), "203.0.113.9");
  assert.equal(read(["10.0.0.0/8"], "::ffff:10.1.2.3", "6.6.6.6, 203.0.113.9, 10.9.9.9"), "203.0.113.9");
  assert.equal(read(["10.0.0.0/8"], "10.1.2.3"), "10.1.2.3");
  assert.equal(read(["fd00::/8"], "fd00::1", "2001:db8::7"), "2001:db8::7");
});
