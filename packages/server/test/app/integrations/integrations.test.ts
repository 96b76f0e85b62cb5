import assert from "node:assert/strict";
import { test } from "node:test";
import { faultsOf, refused } from "@tidings/testkit/refusals";
import { shareService } from "@tidings/testkit/service";

const service = await shareService();
const { client, production } = service;

type Body = Record<string, unknown>;

const smtp = { host: "mail.example.com", port: "587", user: "u", password: "hush", from: "a@b.c", senderName: "A" };
const create = async (body: Body, by = client) => {
  const answer = await by.raw("integrations.create", { body: { providerId: "nodemailer", channel: "email", ...body } });
  assert.equal(answer.status, 201, JSON.stringify(answer.body));
  return answer.body as { _id: string; identifier: string; primary: boolean } & Body;
};
const update = async (integrationId: string, body: Body, by = client) =>
  (await by("integrations.update", { params: { integrationId }, body })).body;
const list = async (by = client) => (await by("integrations.list")).body;
const count = async () => (await list()).length;

test("an integration has defaults for everything but provider and channel", async () => {
  const { status, body } = await client("integrations.create", { body: { providerId: "sendgrid", channel: "email" } });
  assert.equal(status, 201);
  const { _id, _environmentId, _organizationId, identifier, ...rest } = body;
  for (const id of [_id, _environmentId, _organizationId]) assert.match(id!, /^[0-9a-f-]{36}$/);
  assert.match(identifier, /^sendgrid-[a-z0-9]{8}$/);
  assert.deepEqual(rest, {
    ...{ name: "SendGrid", providerId: "sendgrid", channel: "email", credentials: {} },
    ...{ active: false, primary: false, deleted: false, conditions: [] },
    health: { state: "closed", failures: 0, waiting: 0 },
  });
});

const refusals: [name: string, body: Body, faults: Record<string, string[] | RegExp>][] = [
  [
    "no provider and channel",
    { providerId: undefined, channel: undefined },
    { channel: ["channel is required"], providerId: ["providerId is required"] },
  ],
  ["an unknown provider", { providerId: "pigeon" }, { providerId: /^providerId must be one of: / }],
  ["a channel that does not fit", { channel: "sms" }, { channel: ["channel must be email for provider nodemailer"] }],
  ["an empty name", { name: "" }, { name: ["name must not be empty"] }],
  ["an identifier with a space", { identifier: "a b" }, { identifier: ["identifier has an invalid format"] }],
  [
    "an unknown member",
    { credentials: { pasword: "x" } },
    { "credentials.pasword": ["credentials.pasword is not a known credential"] },
  ],
  [
    "a switch that is a text",
    { credentials: { secure: "yes" } },
    { "credentials.secure": ["credentials.secure must be a boolean"] },
  ],
  [
    "a port out of range",
    { credentials: { port: "70000" } },
    { "credentials.port": ["credentials.port must be a number from 1 to 65535"] },
  ],
  [
    "TLS options that are no object",
    { credentials: { tlsOptions: "x" } },
    { "credentials.tlsOptions": ["credentials.tlsOptions must be an object"] },
  ],
  [
    "an active one without its required credentials",
    { active: true, credentials: { host: "h" } },
    { "credentials.port": /is required/ },
  ],
  [
    "conditions of another shape",
    { conditions: [{ type: "GROUP" }] },
    {
      "conditions.0.children": /is required/,
    },
  ],
  [
    "a condition whose value is no template that parses",
    { conditions: [{ children: [{ on: "payload", field: "a", operator: "EQUAL", value: "{{ payload.b" }] }] },
    { "conditions.0.children.0.value": /is not a valid template: .*not closed/ },
  ],
  [
    "several faults at once",
    { channel: "sms", active: true, credentials: { port: "1", x: "" } },
    { channel: /email/, "credentials.x": /known/, "credentials.host": /required/ },
  ],
];

for (const [name, changes, expected] of refusals) {
  test(`${name} is refused and nothing is stored`, async () => {
    const before = await count();
    const body = { providerId: "nodemailer", channel: "email", ...changes };
    const faults = await faultsOf(client, "integrations.create", { body });
    assert.deepEqual(Object.keys(faults).sort(), Object.keys(expected).sort());
    for (const [field, wanted] of Object.entries(expected)) {
      if (wanted instanceof RegExp) assert.match(faults[field]![0]!, wanted);
      else assert.deepEqual(faults[field], wanted);
    }
    assert.equal(await count(), before);
  });
}

test("rejected credentials are not repeated in the answer", async () => {
  const credentials = { password: 123456789, apiKey: { deep: "s3cret-value" }, unheard: "s3cret-value" };
  const body = { providerId: "nodemailer", channel: "email", credentials };
  const answer = await client.raw("integrations.create", { body });
  assert.equal(answer.status, 422);
  assert.ok(!/123456789|s3cret-value/.test(JSON.stringify(answer.body)), JSON.stringify(answer.body));
});

test("credentials are complete only when the integration is active; the sender may come from elsewhere", async () => {
  const { _id } = await create({ credentials: { user: "u" } });
  const params = { integrationId: _id };
  const faults = await faultsOf(client, "integrations.update", { params, body: { active: true } });
  assert.deepEqual(Object.keys(faults).sort(), ["credentials.host", "credentials.port"]);
  assert.equal((await update(_id, { name: "Still off" })).active, false);
  const on = await update(_id, { active: true, credentials: { host: "h", port: 25 } });
  assert.equal(on.active, true);
  const lacking = await faultsOf(client, "integrations.update", { params, body: { credentials: { host: "h" } } });
  assert.deepEqual(Object.keys(lacking), ["credentials.port"]);
  assert.equal((await update(_id, { active: false, credentials: {} })).active, false);
});

test("an update changes what it names; an empty one changes nothing", async () => {
  const before = await create({
    identifier: "plain",
    credentials: smtp,
    configurations: { inboundWebhookEnabled: true },
  });
  assert.deepEqual(await update("plain", {}), before);
  const renamed = await update("plain", { name: "New", identifier: "plainer", unknown: 1 });
  assert.deepEqual(renamed, { ...before, name: "New", identifier: "plainer" });
  const replaced = await update(before._id, { credentials: { user: "other" }, configurations: {} });
  assert.deepEqual([replaced.credentials, replaced.configurations], [{ user: "other" }, {}]);
});

test("an identifier is taken once in its environment, and free again after deletion", async () => {
  await create({ identifier: "taken" });
  const other = await create({ identifier: "other" });
  const body = { providerId: "nodemailer", channel: "email", identifier: "taken" };
  const error = await refused(client, "integrations.create", { body }, "INTEGRATION_IDENTIFIER_TAKEN");
  assert.equal(error.message, "Integration with identifier taken already exists");
  const input = { params: { integrationId: other._id }, body: { identifier: "taken", name: "Lost" } };
  await refused(client, "integrations.update", input, "INTEGRATION_IDENTIFIER_TAKEN");
  assert.equal((await list()).find(({ _id }) => _id === other._id)!.name, "SMTP");
  assert.equal((await update("taken", { identifier: "taken" })).identifier, "taken");
  await create({ identifier: "taken" }, production);
  await client("integrations.delete", { params: { integrationId: "taken" } });
  await create({ identifier: "taken" });
});

test("there is one in-app integration in an environment", async () => {
  const body = { providerId: "svc", channel: "in_app" };
  const error = await refused(client, "integrations.create", { body }, "IN_APP_INTEGRATION_EXISTS");
  assert.equal(error.message, "This environment already has an in-app integration");
  await production("integrations.delete", { params: { integrationId: "svc-default" } });
  const answers = await Promise.all(
    Array.from({ length: 4 }, () => production.raw("integrations.create", { body: { ...body, active: true } })),
  );
  assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 409, 409, 409]);
});

test("_environmentId may name the caller's own environment only", async () => {
  const before = await create({ identifier: "rooted" });
  const environments = (await client("environments.list")).body;
  const own = environments.find(({ type }) => type === "dev")!;
  const other = environments.find(({ type }) => type === "prod")!;
  const params = { integrationId: "rooted" };
  for (const _environmentId of [own._id, own.identifier]) {
    assert.deepEqual(await update("rooted", { _environmentId }), before);
  }
  for (const _environmentId of [other._id, other.identifier]) {
    const body = { _environmentId, name: "Moved" };
    await refused(client, "integrations.update", { params, body }, "FORBIDDEN");
    const created = { providerId: "nodemailer", channel: "email", _environmentId };
    await refused(client, "integrations.create", { body: created }, "FORBIDDEN");
  }
  const body = { _environmentId: "nowhere", name: "Moved" };
  const error = await refused(client, "integrations.update", { params, body }, "ENVIRONMENT_NOT_FOUND");
  assert.equal(error.message, "Environment with id nowhere not found");
  assert.equal((await update("rooted", {})).name, before.name);
});

for (const id of ["integrations.update", "integrations.delete"] as const) {
  test(`${id} of an unknown integration is 404, but a bad body is reported first`, async () => {
    const foreign = await create({ identifier: `foreign-${id}` }, production);
    for (const integrationId of ["missing", foreign._id, foreign.identifier]) {
      const input = { params: { integrationId }, body: id === "integrations.update" ? {} : undefined };
      const error = await refused(client, id, input, "INTEGRATION_NOT_FOUND");
      assert.equal(error.message, `Integration with id ${integrationId} not found`);
    }
    if (id === "integrations.delete") return;
    for (const body of [{ name: "" }, { credentials: { pasword: "x" } }]) {
      await faultsOf(client, id, { params: { integrationId: "missing" }, body });
    }
  });
}

test("deleting answers what remains, in order of creation, and is final", async () => {
  const first = await create({ identifier: "del-1", credentials: smtp });
  const second = await create({ identifier: "del-2" });
  const before = await list();
  const { status, body } = await client("integrations.delete", { params: { integrationId: "del-1" } });
  assert.equal(status, 200);
  assert.deepEqual(
    body,
    before.filter(({ _id }) => _id !== first._id),
  );
  assert.equal(body.at(-1)!._id, second._id);
  assert.deepEqual(await list(), body);
  for (const integrationId of [first._id, "del-1"]) {
    await refused(client, "integrations.update", { params: { integrationId }, body: {} }, "INTEGRATION_NOT_FOUND");
    await refused(client, "integrations.delete", { params: { integrationId } }, "INTEGRATION_NOT_FOUND");
  }
  const row = await service.db
    .selectFrom("integrations")
    .where("id", "=", first._id)
    .selectAll()
    .executeTakeFirstOrThrow();
  assert.deepEqual([row.credentials, row.configurations, row.active, row.is_primary], [null, null, false, false]);
  assert.ok(row.deleted_at && row.deleted_by);
});
