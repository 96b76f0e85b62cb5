// Variables of environments: what keys and members see and change, and everything that is refused.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { EnvironmentVariable } from "@tidings/contract";
import { createClient } from "@tidings/testkit/client";
import { errorOf } from "@tidings/testkit/http";
import { faultsOf } from "@tidings/testkit/refusals";
import { startTestService } from "@tidings/testkit/service";
import { createWorkflow, inApp } from "@tidings/testkit/verbs";
import { sql } from "kysely";
import { invite, signInOwner } from "../members/browsers.ts";

const service = await startTestService();
const { client, production, db } = service;
const owner = await signInOwner(service);
const [dev, prod] = (await client("environments.list", {})).body.map(({ _id }) => _id) as [string, string];

const create = async (key: string, value: string, isSecret = false) => {
  const body = { key, isSecret, values: [{ _environmentId: dev, value }] };
  return (await client("environmentVariables.create", { body })).body;
};
const valuesOf = ({ values }: EnvironmentVariable) =>
  values.map(({ _environmentId, value }) => [_environmentId, value]);
const keysOf = async (query = {}) => (await client("environmentVariables.list", { query })).body.map(({ key }) => key);
const asMember = async (id: Parameters<typeof owner.call>[0], input: object = {}) => {
  const reply = await owner.call(id, input);
  assert.ok(reply.status < 300, reply.text);
  return reply.body as EnvironmentVariable;
};

test("a variable is created, found, changed and deleted", async () => {
  const created = await create("BASE_URL", "https://dev.example.com");
  const { _id, createdAt, updatedAt, _organizationId, ...rest } = created;
  assert.deepEqual(rest, {
    key: "BASE_URL",
    type: "string",
    isSecret: false,
    values: [{ _environmentId: dev, value: "https://dev.example.com" }],
  });
  assert.equal(createdAt, updatedAt);
  await client("environmentVariables.create", { body: { key: "EMPTY" } });
  assert.deepEqual(await keysOf(), ["BASE_URL", "EMPTY"]);
  assert.deepEqual(await keysOf({ search: "base" }), ["BASE_URL"]);
  const params = { variableKey: "BASE_URL" };
  assert.deepEqual((await client("environmentVariables.retrieve", { params })).body, created);
  const values = [{ _environmentId: "development", value: "https://new.example.com" }];
  const changed = (await client("environmentVariables.update", { params, body: { key: "ROOT_URL", values } })).body;
  assert.deepEqual([changed.key, changed._id, valuesOf(changed)], ["ROOT_URL", _id, [[dev, values[0]!.value]]]);
  errorOf(await client.raw("environmentVariables.retrieve", { params }), "VARIABLE_NOT_FOUND");
  for (const variableKey of ["ROOT_URL", "EMPTY"])
    assert.equal((await client("environmentVariables.delete", { params: { variableKey } })).status, 204);
  assert.deepEqual(await keysOf(), []);
});

test("a key has its own environment's values, a member those of all", async () => {
  await create("REGION", "eu");
  const params = { variableKey: "REGION" };
  errorOf(await production.raw("environmentVariables.retrieve", { params }), "VARIABLE_NOT_FOUND");
  const body = { values: [{ _environmentId: prod, value: "us" }] };
  errorOf(await client.raw("environmentVariables.update", { params, body }), "FORBIDDEN");
  errorOf(await client.raw("environmentVariables.create", { body: { key: "OTHER", ...body } }), "FORBIDDEN");
  const unknown = { key: "OTHER", values: [{ _environmentId: "nowhere", value: "us" }] };
  errorOf(await client.raw("environmentVariables.create", { body: unknown }), "ENVIRONMENT_NOT_FOUND");
  const both = [
    [dev, "eu"],
    [prod, "us"],
  ];
  assert.deepEqual(valuesOf(await asMember("environmentVariables.update", { params, body })), both);
  assert.deepEqual(valuesOf((await production("environmentVariables.retrieve", { params })).body), [both[1]]);
  // A key removes the value of its environment, and leaves the other one.
  await production("environmentVariables.delete", { params });
  assert.deepEqual(valuesOf(await asMember("environmentVariables.retrieve", { params })), [both[0]]);
  await asMember("environmentVariables.update", { params, body });
  const removal = { values: [{ _environmentId: prod, value: null }] };
  assert.deepEqual(valuesOf(await asMember("environmentVariables.update", { params, body: removal })), [both[0]]);
  const last = { values: [{ _environmentId: dev, value: null }] };
  assert.ok((await faultsOf(client, "environmentVariables.update", { params, body: last })).values);
  await asMember("environmentVariables.delete", { params });
  assert.deepEqual(await keysOf(), []);
});

test("viewers read, editors change", async () => {
  const viewer = await invite(service, owner, "viewer");
  const editor = await invite(service, owner, "editor");
  const body = { key: "ROLE", values: [{ _environmentId: dev, value: "x" }] };
  assert.equal((await viewer.call("environmentVariables.create", { body })).status, 403);
  assert.equal((await editor.call("environmentVariables.create", { body })).status, 200);
  const params = { variableKey: "ROLE" };
  const read = await viewer.call("environmentVariables.retrieve", { params });
  assert.deepEqual(valuesOf(read.body as EnvironmentVariable), [[dev, "x"]]);
  assert.equal((await viewer.call("environmentVariables.update", { params, body: {} })).status, 403);
  assert.equal((await viewer.call("environmentVariables.delete", { params })).status, 403);
  assert.equal((await editor.call("environmentVariables.delete", { params })).status, 204);
});

test("a secret is encrypted, never returned, and becomes plain only with a new value", async () => {
  const secret = "hunter2-canary";
  const mask = "********";
  const params = { variableKey: "TOKEN" };
  assert.deepEqual(valuesOf(await create("TOKEN", secret, true)), [[dev, mask]]);
  const stored = async () =>
    (await sql<{ value: string }>`select value from environment_variables where key = 'TOKEN'`.execute(db)).rows[0]!
      .value;
  const first = await stored();
  assert.match(first, /^sealed:v1\./);
  // The mask keeps what is stored.
  const same = { isSecret: true, values: [{ _environmentId: dev, value: mask }] };
  await client("environmentVariables.update", { params, body: same });
  assert.equal(await stored(), first);
  for (const body of [{ isSecret: false }, { ...same, isSecret: false }])
    assert.ok((await faultsOf(client, "environmentVariables.update", { params, body })).isSecret);
  const replies = [
    await client.raw("environmentVariables.retrieve", { params }),
    await client.raw("environmentVariables.list", {}),
    await client.raw("environmentVariables.update", { params, body: { values: [{ value: [secret] }] as never } }),
    await client.raw("environmentVariables.update", { params, body: { values: [{ value: secret }] as never } }),
    await client.raw("environmentVariables.create", {
      body: { key: "TOKEN", values: [{ _environmentId: dev, value: secret }] },
    }),
    await owner.call("environmentVariables.list", {}),
    await owner.call("auditLog.list", { query: { limit: 100 } }),
    await client.raw("files.export", {}),
  ];
  for (const reply of replies) assert.ok(!JSON.stringify(reply).includes(secret), JSON.stringify(reply));
  assert.ok(!JSON.stringify(service.logs).includes(secret));
  const plain = { isSecret: false, values: [{ _environmentId: dev, value: "open" }] };
  assert.deepEqual(valuesOf((await client("environmentVariables.update", { params, body: plain })).body), [
    [dev, "open"],
  ]);
  await client("environmentVariables.update", { params, body: { isSecret: true } });
  assert.match(await stored(), /^sealed:/);
  const { text } = await owner.call("auditLog.list", { query: { limit: 100 } });
  assert.ok(!text.includes('"open"'), "the audit log has no values");
  await client("environmentVariables.delete", { params });
});

test("bad input is refused with the field, and changes nothing", async () => {
  await create("KEPT", "1");
  const value = (text: unknown) => [{ _environmentId: dev, value: text }];
  const table: [object, string][] = [
    [{}, "key"],
    [{ key: "" }, "key"],
    [{ key: "1ST" }, "key"],
    [{ key: "WITH-DASH" }, "key"],
    [{ key: "__proto__" }, "key"],
    [{ key: "A".repeat(65) }, "key"],
    [{ key: 1 }, "key"],
    [{ key: "NEW", type: "number" }, "type"],
    [{ key: "NEW", isSecret: "yes" }, "isSecret"],
    [{ key: "NEW", values: value(1) }, "values.0.value"],
    [{ key: "NEW", values: value(null) }, "values.0.value"],
    [{ key: "NEW", values: value("é".repeat(4_097)) }, "values.0.value"],
    [{ key: "NEW", values: value("a\u0000b") }, "values.0.value"],
    [{ key: "NEW", isSecret: true, values: value("********") }, "values.0.value"],
    [{ key: "NEW", values: [{ value: "x" }] }, "values.0._environmentId"],
    [{ key: "NEW", values: [...value("a"), ...value("b")] }, "values.1._environmentId"],
  ];
  for (const [body, field] of table) {
    const faults = await faultsOf(client, "environmentVariables.create", { body } as never);
    assert.ok(faults[field], `${JSON.stringify(body).slice(0, 80)}: ${JSON.stringify(faults)}`);
  }
  const again = { body: { key: "KEPT", values: value("2") } };
  errorOf(await client.raw("environmentVariables.create", again), "VARIABLE_KEY_TAKEN");
  for (const variableKey of ["NOTHING", "x".repeat(300), "%00", "constructor"]) {
    const params = { variableKey };
    const statuses = [
      await client.raw("environmentVariables.retrieve", { params }),
      await client.raw("environmentVariables.usage", { params }),
      await client.raw("environmentVariables.delete", { params }),
    ].map(({ status }) => status);
    assert.ok(
      statuses.every((status) => status === 404 || status === 422),
      `${variableKey} ${statuses}`,
    );
  }
  const { body: kept } = await client("environmentVariables.list", {});
  assert.deepEqual(kept.map(valuesOf), [[[dev, "1"]]]);
  await client("environmentVariables.delete", { params: { variableKey: "KEPT" } });
});

test("of concurrent requests for one key one creates it, and an environment has up to 100", async () => {
  const body = { key: "ONCE", values: [{ _environmentId: dev, value: "x" }] };
  const replies = await Promise.all(
    Array.from({ length: 6 }, () => client.raw("environmentVariables.create", { body })),
  );
  assert.deepEqual(replies.map(({ status }) => status).toSorted(), [200, 409, 409, 409, 409, 409]);
  await Promise.all(Array.from({ length: 98 }, (_, index) => create(`N_${index}`, "x")));
  const last = await Promise.all(
    ["LAST", "TOO_MANY"].map((key) => client.raw("environmentVariables.create", { body: { ...body, key } })),
  );
  assert.deepEqual(last.map(({ status }) => status).toSorted(), [200, 409]);
  errorOf(last.find(({ status }) => status === 409)!, "VARIABLE_LIMIT");
  assert.equal((await keysOf()).length, 100);
  await sql`delete from environment_variables`.execute(db);
});

test("what uses a variable is listed, and keeps it from being deleted, renamed or removed", async () => {
  await create("USED", "x");
  await create("USE", "x");
  const conditional = { ...inApp({ body: "Hi" }), stepId: "two" };
  conditional.controlValues = { ...conditional.controlValues, skip: { "==": [{ var: "env.USED" }, "y"] } };
  await createWorkflow(client, "templated", [inApp({ body: "{{ env.USED }}" })]);
  await createWorkflow(client, "conditional", [conditional]);
  await createWorkflow(client, "bracketed", [inApp({ body: '{{ env["USED"] }}' })]);
  await createWorkflow(client, "unrelated", [inApp({ body: "{{ payload.env.USED }} env USED {{ env.USED_2 }}" })]);
  const layout = { email: { body: "<p>{{ env.USED }}{{ content }}</p>", editorType: "html" as const } };
  await client("layouts.create", { body: { layoutId: "framed", name: "Framed" } });
  const framed = { name: "Framed", controlValues: layout };
  await client("layouts.update", { params: { layoutId: "framed" }, body: framed });
  const params = { variableKey: "USED" };
  const { workflows, layouts } = (await client("environmentVariables.usage", { params })).body;
  assert.deepEqual(
    workflows.map(({ workflowId }) => workflowId),
    ["bracketed", "conditional", "templated"],
  );
  assert.deepEqual(layouts, [{ name: "Framed", layoutId: "framed", _environmentId: dev }]);
  const refused = errorOf(await client.raw("environmentVariables.delete", { params }), "VARIABLE_IN_USE");
  assert.match(refused.message, /the workflow bracketed.*the layout framed/);
  errorOf(await client.raw("environmentVariables.update", { params, body: { key: "RENAMED" } }), "VARIABLE_IN_USE");
  const used = { params: { variableKey: "USE" } };
  assert.deepEqual((await client("environmentVariables.usage", used)).body, { workflows: [], layouts: [] });
  await client("environmentVariables.delete", used);
});

test("a deleted environment takes its variables along", async () => {
  const { body: made } = await client("environments.create", { body: { name: "Short-lived", color: "#0f766e" } });
  const inside = createClient({ baseUrl: service.url, apiKey: made.apiKeys![0]!.key });
  await inside("environmentVariables.create", { body: { key: "GONE", isSecret: true } });
  await inside("environments.delete", { params: { environmentId: made._id } });
  const { rows } = await sql`select 1 from environment_variables where environment_id = ${made._id}`.execute(db);
  assert.equal(rows.length, 0);
});
