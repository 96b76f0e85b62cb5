// Which integration of a channel is primary. Each test has a channel of an environment to itself.
import assert from "node:assert/strict";
import { test } from "node:test";
import { newStage } from "@tidings/testkit/clock";
import { shareService } from "@tidings/testkit/service";

const service = await shareService();
const { client, production, db, productionId } = service;

type Body = Record<string, unknown>;
const credentials = { host: "mail.example.com", port: "587" };
const twilio = { accountSid: "AC1", token: "t", from: "+1" };
const condition = {
  ...{ isNegated: false, type: "GROUP", value: "AND" },
  children: [{ field: "plan", value: "gold", operator: "EQUAL", on: "payload" }],
};

const create = async (by: typeof client, body: Body) => {
  const answer = await by.raw("integrations.create", {
    body: { providerId: "nodemailer", channel: "email", active: true, credentials, ...body },
  });
  assert.equal(answer.status, 201, JSON.stringify(answer.body));
  return answer.body as { _id: string; primary: boolean; conditions: unknown[] };
};
const update = async (by: typeof client, integrationId: string, body: Body) =>
  (await by("integrations.update", { params: { integrationId }, body })).body;
const primaries = async (by: typeof client, channel: string) =>
  (await by("integrations.list")).body
    .filter((integration) => integration.primary && integration.channel === channel)
    .map(({ identifier }) => identifier);

test("in development the capture provider is primary until a real one is active", async () => {
  assert.deepEqual(await primaries(client, "email"), ["svc-email-default"]);
  await create(client, { identifier: "off", active: false });
  await create(client, { identifier: "conditional", conditions: [condition] });
  assert.deepEqual(await primaries(client, "email"), ["svc-email-default"]);
  assert.equal((await create(client, { identifier: "real" })).primary, true);
  assert.deepEqual(await primaries(client, "email"), ["real"]);
  // Later ones come after it, and activating one does not make it primary.
  assert.equal((await create(client, { identifier: "second" })).primary, false);
  assert.equal((await update(client, "off", { active: true })).primary, false);
  assert.deepEqual(await primaries(client, "email"), ["real"]);
  const mailbox = (await client("integrations.list")).body.find(({ identifier }) => identifier === "svc-email-default");
  assert.equal(mailbox!.active, true);
});

test("a condition chooses the integration; what a group leaves out is filled in; a tenant is refused", async () => {
  const stage = (await newStage(service)).client;
  const part = (value: string, on = "payload") => ({ field: "account", value, operator: "EQUAL", on });
  const { conditions } = await create(stage, { identifier: "acme-mail", conditions: [{ children: [part("acme")] }] });
  assert.deepEqual(conditions, [{ isNegated: false, type: "GROUP", value: "AND", children: [part("acme")] }]);
  const refused = await stage.raw("integrations.create", {
    body: { providerId: "nodemailer", channel: "email", conditions: [{ children: [part("a"), part("a", "tenant")] }] },
  });
  assert.equal(refused.status, 422);
  const field = "conditions.0.children.1.on";
  assert.deepEqual((refused.body as { errors: Record<string, { messages: string[] }> }).errors[field]?.messages, [
    `${field} must be one of subscriber, payload`,
  ]);
  const changed = await stage.raw("integrations.update", {
    params: { integrationId: "acme-mail" },
    body: { conditions: [{ children: [part("a", "tenant")] }] },
  });
  assert.equal(changed.status, 422);
});

test("a primary is active and has no conditions; losing that promotes no other integration", async () => {
  const channel = { providerId: "twilio", channel: "sms", credentials: twilio };
  assert.equal((await create(client, { ...channel, identifier: "sms-1" })).primary, true);
  assert.equal((await create(client, { ...channel, identifier: "sms-2" })).primary, false);
  assert.deepEqual(await primaries(client, "sms"), ["sms-1"]);

  const conditional = await update(client, "sms-1", { conditions: [condition] });
  assert.deepEqual([conditional.primary, conditional.active, conditional.conditions], [false, true, [condition]]);
  assert.equal((await update(client, "sms-1", { conditions: [] })).primary, false);
  assert.deepEqual(await primaries(client, "sms"), []);

  assert.equal((await create(client, { ...channel, identifier: "sms-3" })).primary, true);
  const off = await update(client, "sms-3", { active: false });
  assert.deepEqual([off.primary, off.active], [false, false]);
  assert.equal((await update(client, "sms-3", { active: true })).primary, false);
  assert.deepEqual(await primaries(client, "sms"), []);
});

test("an integration that becomes active comes directly after the primary", async () => {
  const prioritiesOf = async () =>
    (
      await db
        .selectFrom("integrations as i")
        .where("i.environment_id", "=", productionId)
        .where("i.channel", "=", "email")
        .where("i.deleted_at", "is", null)
        .where("i.active", "=", true)
        .orderBy("i.is_primary", "desc")
        .orderBy("i.priority", "desc")
        .select("i.identifier")
        .execute()
    ).map(({ identifier }) => identifier);
  for (const identifier of ["p", "a", "b"]) await create(production, { identifier });
  assert.deepEqual(await prioritiesOf(), ["p", "b", "a"]);
  await update(production, "a", { active: false });
  await update(production, "a", { active: true });
  assert.deepEqual(await prioritiesOf(), ["p", "a", "b"]);
  // Deleting the primary makes no other integration primary, and keeps their order.
  await production("integrations.delete", { params: { integrationId: "p" } });
  assert.deepEqual(await primaries(production, "email"), []);
  assert.deepEqual(await prioritiesOf(), ["a", "b"]);
});

test("of many first integrations created at once, one is primary", async () => {
  const channel = { providerId: "twilio", channel: "sms", credentials: twilio };
  const created = await Promise.all(Array.from({ length: 5 }, () => create(production, channel)));
  assert.deepEqual(created.map(({ primary }) => primary).sort(), [false, false, false, false, true]);
});

test("chat and push have no primary", async () => {
  const body = {
    providerId: "slack",
    channel: "chat",
    credentials: { applicationId: "a", clientId: "c", secretKey: "s" },
  };
  assert.equal((await create(production, body)).primary, false);
});
