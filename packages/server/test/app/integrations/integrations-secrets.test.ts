// Secrets are write-only: masked in every response, encrypted at rest, never logged, kept when the mask comes back. The
// proof that a secret is still the right one is a mail server that asks for it.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Integration } from "@tidings/contract";
import { only } from "@tidings/testkit/lists";
import { closedPort, startMailServer } from "@tidings/testkit/mail/smtp";
import { faultsOf, refused } from "@tidings/testkit/refusals";
import { startTestService } from "@tidings/testkit/service";
import { createWorkflow, email, settled, trigger } from "@tidings/testkit/verbs";
import { sql } from "kysely";

const mail = await startMailServer();
const thief = await startMailServer();
const service = await startTestService();
const { client, db } = service;

type Body = Record<string, unknown>;
const mask = "********";
const settings = {
  host: "127.0.0.1",
  port: String(mail.port),
  user: mail.user,
  from: "a@example.com",
  senderName: "A",
};
const credentials = { ...settings, password: mail.password };
const create = async (body: Body) => {
  const answer = await client.raw("integrations.create", {
    body: { providerId: "nodemailer", channel: "email", ...body },
  });
  assert.equal(answer.status, 201, JSON.stringify(answer.body));
  return answer.body as { identifier: string; credentials: Body; configurations: Body; health: Integration["health"] };
};
const update = async (integrationId: string, body: Body) =>
  (await client("integrations.update", { params: { integrationId }, body })).body;

test("secrets are masked in every answer, and everything else is shown", async () => {
  const secrets = {
    ...{ password: "pass-s3cret", secretKey: "dkim-s3cret", apiKey: "key-s3cret" },
    tlsOptions: { key: "tls-s3cret", pfx: "pfx-s3cret", passphrase: "phrase-s3cret", rejectUnauthorized: false },
  };
  const input = {
    identifier: "masked",
    credentials: { ...settings, domain: "example.com", ...secrets },
    configurations: { inboundWebhookEnabled: true, inboundWebhookSigningKey: "sign-s3cret" },
  };
  const shown = {
    credentials: {
      ...{ ...settings, domain: "example.com", password: mask, secretKey: mask, apiKey: mask },
      tlsOptions: { key: mask, pfx: mask, passphrase: mask, rejectUnauthorized: false },
    },
    configurations: { inboundWebhookEnabled: true, inboundWebhookSigningKey: mask },
  };
  const other = await create({});
  const answers = [
    await create(input),
    await update("masked", { name: "Renamed" }),
    await update("masked", { credentials: shown.credentials }),
    (await client("integrations.list")).body.find(({ identifier }) => identifier === "masked")!,
    (await client("integrations.delete", { params: { integrationId: other.identifier } })).body.at(-1)!,
  ];
  for (const { credentials, configurations } of answers) assert.deepEqual({ credentials, configurations }, shown);
  assert.ok(!JSON.stringify(answers).includes("s3cret"));

  const { rows } = await sql<{ text: string }>`select row_to_json(i)::text as text from integrations i`.execute(db);
  for (const { text } of rows) assert.ok(!text.includes("s3cret"), text);
  assert.ok(service.logs.length > 0);
  assert.ok(!JSON.stringify(service.logs).includes("s3cret"));
});

test("an unset secret is absent, and a mask without a stored value is dropped", async () => {
  const created = await create({ credentials: { user: "u", password: mask, tlsOptions: { key: mask, ca: "c" } } });
  assert.deepEqual(created.credentials, { user: "u", tlsOptions: { ca: "c" } });
  const updated = await update(created.identifier, { credentials: { user: "u", password: mask } });
  assert.deepEqual(updated.credentials, { user: "u" });
  const configured = await update(created.identifier, { configurations: { inboundWebhookSigningKey: mask } });
  assert.deepEqual(configured.configurations, {});
});

test("a record that was read can be written back, and still sends", async () => {
  await create({ identifier: "round-trip", active: true, credentials });
  await createWorkflow(client, "mail", [email()]);
  const send = async (subscriberId: string) => {
    const to = { subscriberId, email: `${subscriberId}@example.com` };
    const notification = only(await settled(client, await trigger(client, "mail", to)));
    return notification.jobs![0]!.status;
  };
  const read = (await client("integrations.list")).body.find(({ identifier }) => identifier === "round-trip")!;
  assert.equal(read.credentials.password, mask);
  const { _id, _organizationId, providerId, channel, deleted, primary, ...writable } = read;
  await update("round-trip", { ...writable, check: true });
  assert.equal(await send("written-back"), "completed");
  // A member that is left out is gone, also a secret one.
  await update("round-trip", { credentials: { ...settings, password: mask, user: mask } });
  assert.equal(await send("user-kept"), "completed");
  assert.deepEqual(
    mail.received.map(({ to }) => to![0]!.address),
    ["written-back@example.com", "user-kept@example.com"],
  );
});

test("the mask keeps a secret only while the host stays the same", async () => {
  await create({ identifier: "moved", credentials: { ...credentials, tlsOptions: { key: "tls-s3cret" } } });
  const elsewhere = { ...settings, port: String(thief.port), password: mask, tlsOptions: { key: mask } };
  const reason =
    "must be entered again: credentials.port changed, and a stored secret is only sent where it was entered for";
  for (const check of [undefined, true]) {
    const input = { params: { integrationId: "moved" }, body: { check, credentials: elsewhere } };
    assert.deepEqual(await faultsOf(client, "integrations.update", input), {
      "credentials.password": [`credentials.password ${reason}`],
      "credentials.tlsOptions.key": [`credentials.tlsOptions.key ${reason}`],
    });
  }
  assert.deepEqual(thief.logins, [], "the other server was not told the password");
  assert.equal((await update("moved", {})).credentials.port, settings.port, "nothing changed");
  // Other members may change; and with the secret given again, so may the host.
  assert.equal(
    (await update("moved", { credentials: { ...settings, senderName: "B", password: mask } })).credentials.senderName,
    "B",
  );
  const given = { ...settings, port: String(thief.port), password: "new-s3cret" };
  assert.equal((await update("moved", { credentials: given })).credentials.password, mask);
});

test("a check logs in to the server; when the login fails, nothing is stored", async () => {
  const before = await create({ identifier: "checked", credentials });
  const checked = await update("checked", { check: true });
  assert.ok(checked.health!.lastSuccessAt, "a check that passed is a success");
  assert.deepEqual({ ...checked, health: before.health }, before);
  await create({ identifier: "checked-at-once", credentials, check: true });

  const wrong = { ...credentials, password: "wrong-s3cret" };
  const cases: [
    name: string,
    changes: Body,
    code: "PROVIDER_CHECK_FAILED" | "PROVIDER_HOST_UNRESOLVED",
    text: RegExp,
  ][] = [
    ["a wrong password", wrong, "PROVIDER_CHECK_FAILED", /^The provider rejected the credentials: .*Invalid login/],
    [
      "a closed port",
      { ...credentials, port: String(await closedPort()) },
      "PROVIDER_CHECK_FAILED",
      /^No response from 127.0.0.1:\d+ \(connection refused\)\. Is the server running\?$/,
    ],
    // A name that cannot exist: no name server is asked.
    [
      "a host that does not exist",
      { ...credentials, host: "no such host" },
      "PROVIDER_HOST_UNRESOLVED",
      /^The host name no such host was not found \(DNS\): check its spelling$/,
    ],
    ["an address that is not public", { ...credentials, host: "10.0.0.1" }, "PROVIDER_CHECK_FAILED", /refused/],
  ];
  for (const [name, changes, code, text] of cases) {
    const input = { params: { integrationId: "checked" }, body: { credentials: changes, name, check: true } };
    const error = await refused(client, "integrations.update", input, code);
    assert.match(error.message, text);
    assert.equal(error.type, code);
    assert.deepEqual(error.errors, []);
    assert.ok(!JSON.stringify(error).includes("s3cret"));
    const body = {
      providerId: "nodemailer",
      channel: "email",
      identifier: "unmade",
      credentials: changes,
      check: true,
    };
    await refused(client, "integrations.create", { body }, code);
  }
  assert.deepEqual(await update("checked", {}), checked);
  const identifiers = (await client("integrations.list")).body.map(({ identifier }) => identifier);
  assert.ok(!identifiers.includes("unmade"));
  assert.ok(!JSON.stringify(service.logs).includes("s3cret"));
});

test("without check the provider is not called", async () => {
  const port = String(await closedPort());
  const { identifier } = await create({ active: true, credentials: { ...credentials, host: "mail.invalid", port } });
  assert.equal((await update(identifier, { active: false, check: false })).active, false);
});
