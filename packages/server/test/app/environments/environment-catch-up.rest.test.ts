// Environments that are older than a built-in integration get it once, and existing settings are kept.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import type { Client } from "@tidings/testkit/client";
import { newStage } from "@tidings/testkit/clock";
import { startTestService } from "@tidings/testkit/service";
import { sql } from "kysely";
import { pino } from "pino";
import { readConfig } from "../../../src/config.ts";
import { startService } from "../../../src/service.ts";

const TIDINGS_ENCRYPTION_KEY = randomBytes(32).toString("base64");
const service = await startTestService({ TIDINGS_ROLE: "api", TIDINGS_ENCRYPTION_KEY });
const { client, production, db, database } = service;

const config = readConfig({
  DATABASE_URL: database.url,
  TIDINGS_ROLE: "api",
  TIDINGS_HOST: "127.0.0.1",
  TIDINGS_PORT: "0",
  TIDINGS_ENCRYPTION_KEY,
});
const startAgain = async () => (await startService(config, pino({ level: "silent" }))).stop();

/** All of them, hidden ones too. */
const stateOf = async (by: Client) => {
  const { _id } = (await by("environments.list")).body.find(({ apiKeys }) => apiKeys !== undefined)!;
  const rows = await db
    .selectFrom("integrations")
    .where("environment_id", "=", _id)
    .where("deleted_at", "is", null)
    .selectAll()
    .execute();
  return rows
    .map(({ provider_id, active, is_primary }) => `${provider_id}${active ? " on" : ""}${is_primary ? " primary" : ""}`)
    .sort();
};

const remove = (by: Client, providerId: string) =>
  by("integrations.delete", { params: { integrationId: `${providerId}-default` } });

/** As the first version made environments: production had no mailbox at all. */
const makeOld = async () => {
  await sql`delete from integrations where deleted_at is null and identifier = provider_id || '-default'
    and provider_id in ('svc-sms', 'svc-slack', 'web-push')`.execute(db);
  await sql`delete from integrations i using environments e
    where e.id = i.environment_id and e.type = 'prod' and i.provider_id = 'svc-email'`.execute(db);
  await sql`delete from installation where name = 'built_in_integrations'`.execute(db);
};

const countOf = async (providerId: string) =>
  Number(
    (await sql<{ n: string }>`select count(*) as n from integrations where provider_id = ${providerId}`.execute(db))
      .rows[0]!.n,
  );

test("older environments get built-in integrations once, also when several processes start, and nothing is overwritten", async () => {
  const fresh = await stateOf(client);
  const freshProduction = await stateOf(production);
  // One wants no mailbox for SMS, one sends them for real and wants none for chat, one has their own names.
  const { client: careful } = await newStage(service);
  await remove(careful, "svc-sms");
  const { client: busy } = await newStage(service);
  await remove(busy, "svc-slack");
  const sms = { providerId: "twilio", channel: "sms", credentials: { accountSid: "AC1", token: "t", from: "+491" } };
  await busy("integrations.create", { body: { ...sms, active: true } as never });
  const { client: named } = await newStage(service);
  const gone = (await client("environments.create", { body: { name: "Gone", color: "#000000" } })).body;
  const authorization = `ApiKey ${gone.apiKeys![0]!.key}`;
  await client("environments.delete", { params: { environmentId: gone._id }, headers: { authorization } });

  await makeOld();
  await sql`delete from integrations where environment_id = ${gone._id}`.execute(db);
  // Made by hand in the meantime.
  const vapid = { publicKey: "p", privateKey: "k", subject: "mailto:a@example.com" };
  await careful("integrations.create", {
    body: { providerId: "web-push", channel: "push", credentials: vapid } as never,
  });
  await named("integrations.create", { body: { ...sms, identifier: "web-push-default" } as never });
  // More than two pages of them.
  await sql`insert into environments (id, organization_id, name, identifier, type, created_at, updated_at)
    select gen_random_uuid(), o.id, 'E ' || n, 'e-' || n, 'dev', now(), now()
    from organizations o, generate_series(1, 230) n`.execute(db);
  assert.deepEqual(await stateOf(client), ["svc on", "svc-email on primary"]);
  assert.deepEqual(await stateOf(production), ["svc on"]);

  await Promise.all([startAgain(), startAgain()]);
  assert.deepEqual(await stateOf(client), fresh);
  assert.deepEqual(await stateOf(production), freshProduction);
  assert.deepEqual(await stateOf(careful), ["svc on", "svc-email on primary", "svc-slack on", "web-push"]);
  // Channels with an active integration continue to send; the chat mailbox had been deleted.
  assert.deepEqual(await stateOf(busy), [
    "svc on",
    "svc-email on primary",
    "svc-sms",
    "twilio on primary",
    "web-push on",
  ]);
  // An identifier that is in use is not taken over.
  assert.deepEqual(await stateOf(named), [
    "svc on",
    "svc-email on primary",
    "svc-slack on",
    "svc-sms on primary",
    "twilio",
  ]);
  const { rows } = await sql`select 1 from integrations where environment_id = ${gone._id}`.execute(db);
  assert.equal(rows.length, 0);
  const { rows: kinds } = await sql<{ n: number }>`select distinct count(*)::int as n from integrations i
    join environments e on e.id = i.environment_id where e.identifier like 'e-%' group by e.id`.execute(db);
  assert.deepEqual(kinds, [{ n: 5 }]);

  const params = { integrationId: "web-push-default" };
  const keys = (await client("integrations.update", { params, body: {} })).body;
  const { publicKey, privateKey } = keys.credentials as Record<string, string>;
  assert.deepEqual([Buffer.from(publicKey!, "base64url").length, privateKey], [65, "********"]);
});

test("an integration that is deleted after that is not added again at later starts", async () => {
  const before = await countOf("web-push");
  await remove(client, "web-push");
  await remove(client, "svc-sms");
  const left = await stateOf(client);
  await startAgain();
  assert.deepEqual(await stateOf(client), left);
  // Not even when the installation has lost the record that it was added.
  await sql`delete from installation where name = 'built_in_integrations'`.execute(db);
  await startAgain();
  assert.deepEqual(await stateOf(client), left);
  assert.equal(await countOf("web-push"), before);
});

test("a later version adds its new integrations, and no others again", async () => {
  await sql`update installation set value = 'svc,svc-email,svc-sms,web-push' where name = 'built_in_integrations'`.execute(
    db,
  );
  await sql`delete from integrations where provider_id in ('svc-slack', 'svc-email')`.execute(db);
  await startAgain();
  assert.deepEqual(await stateOf(client), ["svc on", "svc-slack on"]);
  const { rows } = await sql<{
    value: string;
  }>`select value from installation where name = 'built_in_integrations'`.execute(db);
  assert.deepEqual(rows, [{ value: "svc,svc-email,svc-sms,svc-slack,web-push" }]);
});
