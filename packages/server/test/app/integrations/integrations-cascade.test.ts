// Integrations: what an update may change, what is deleted with them, and what responses say about webhooks.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Integration } from "@tidings/contract";
import { chatIntegration, connection, endpoint, subscriber } from "@tidings/testkit/channels";
import { assertRefused } from "@tidings/testkit/refusals";
import { startTestService } from "@tidings/testkit/service";
import { sql } from "kysely";

const { client, production, db } = await startTestService();

const smtp = { host: "smtp.example", port: 587, password: "p4ss", from: "a@example.com", senderName: "A" };
const make = async (identifier: string, fields: object = {}): Promise<Integration> =>
  (
    await client("integrations.create", {
      body: { providerId: "nodemailer", channel: "email", identifier, credentials: smtp, ...fields },
    })
  ).body;
const update = (integrationId: string, body: object) =>
  client("integrations.update", { params: { integrationId }, body });
const refuseUpdate = (integrationId: string, body: unknown, errors: Record<string, string[]>) =>
  assertRefused(
    client,
    "integrations.update",
    { params: { integrationId }, body },
    { code: "VALIDATION_ERROR", errors },
  );

describe("update", () => {
  test("changes the fields given, keeps masked secrets, and with nothing changes nothing", async () => {
    const made = await make("mail", { configurations: { inboundWebhookEnabled: true, inboundWebhookSigningKey: "s" } });
    assert.deepEqual(made.credentials, { ...smtp, port: "587", password: "********" });
    assert.deepEqual(made.configurations, {
      inboundWebhookEnabled: true,
      inboundWebhookSigningKey: "********",
    });
    const stamp = async () => db.selectFrom("integrations").select(["identifier", "updated_at"]).execute();
    const before = await stamp();
    assert.deepEqual((await update("mail", {})).body, made);
    assert.deepEqual(await stamp(), before);
    const { body } = await update(made._id!, {
      name: "Post",
      identifier: "post",
      credentials: { ...made.credentials, senderName: "Other" },
      configurations: { ...made.configurations, configurationSetName: "set" },
      unknown: true,
    });
    assert.equal(body.name, "Post");
    assert.deepEqual(body.credentials, { ...made.credentials, senderName: "Other" });
    assert.deepEqual(body.configurations, { ...made.configurations, configurationSetName: "set" });
    const replaced = (await update("post", { credentials: { host: "x.example", password: "" } })).body;
    assert.deepEqual(replaced.credentials, { host: "x.example" });
  });

  test("refuses wrong shapes, unknown credentials and, while active, missing ones", async () => {
    await make("strict");
    await refuseUpdate(
      "strict",
      { name: "", identifier: "a b", active: "yes", conditions: {}, check: 1 },
      {
        name: ["name must not be empty"],
        identifier: ["identifier has an invalid format"],
        active: ["active must be a boolean"],
        conditions: ["conditions must be an array"],
        check: ["check must be a boolean"],
      },
    );
    const unknown = await client.raw("integrations.update", {
      params: { integrationId: "strict" },
      body: { credentials: { hosst: "x" } },
    });
    assert.deepEqual(
      [unknown.status, Object.keys((unknown.body as { errors: object }).errors)],
      [422, ["credentials.hosst"]],
    );
    await refuseUpdate(
      "strict",
      { active: true, credentials: { host: "x.example" } },
      {
        "credentials.port": ["credentials.port is required for SMTP (Port)"],
      },
    );
    assert.equal((await update("strict", { active: true })).body.active, true);
    await refuseUpdate(
      "strict",
      { credentials: { port: 25 } },
      {
        "credentials.host": ["credentials.host is required for SMTP (Host)"],
      },
    );
    await assertRefused(
      client,
      "integrations.update",
      { params: { integrationId: "strict" }, body: { identifier: "post" } },
      { code: "INTEGRATION_IDENTIFIER_TAKEN", message: "Integration with identifier post already exists" },
    );
    await assertRefused(
      client,
      "integrations.update",
      { params: { integrationId: "strict" }, body: { _environmentId: "00000000-0000-7000-8000-000000000000" } },
      { code: "ENVIRONMENT_NOT_FOUND" },
    );
    const [foreign] = (await production("integrations.list")).body;
    const moved = { params: { integrationId: "strict" }, body: { _environmentId: foreign!._environmentId } };
    await assertRefused(client, "integrations.update", moved, { code: "FORBIDDEN" });
    const other = { params: { integrationId: foreign!._id! }, body: {} };
    await assertRefused(client, "integrations.update", other, { code: "INTEGRATION_NOT_FOUND" });
  });

  test("calls the provider only with check, and stores nothing when it refuses", async () => {
    await make("asked");
    const body = { check: true, name: "Checked", credentials: { ...smtp, host: "127.0.0.1", port: 1 } };
    await assertRefused(
      client,
      "integrations.update",
      { params: { integrationId: "asked" }, body },
      { code: "PROVIDER_CHECK_FAILED" },
    );
    const after = (await client("integrations.list")).body.find((one) => one.identifier === "asked")!;
    assert.notEqual(after.name, "Checked");
  });
});

describe("delete", () => {
  const channelsOf = async (subscriberId: string) =>
    (await client("subscribers.retrieve", { params: { subscriberId } })).body.channels;

  test("takes connections, endpoints and subscribers' entries along, and nothing else", async () => {
    const gone = await chatIntegration(client, "gone");
    const kept = await chatIntegration(client, "kept");
    await subscriber(client, "ada");
    const entry = ({ _id, identifier }: Integration) => ({
      _integrationId: _id,
      providerId: "slack",
      integrationIdentifier: identifier,
      credentials: { webhookUrl: "https://a.example" },
    });
    const entries = JSON.stringify([entry(kept), entry(gone)]);
    await sql`update subscribers set channels = ${entries}::jsonb where subscriber_id = 'ada'`.execute(db);
    for (const identifier of ["gone", "kept"]) {
      await connection(client, identifier, { identifier: `conn.${identifier}`, subscriberId: "ada" });
      const fields = { identifier: `endp.${identifier}`, connectionIdentifier: `conn.${identifier}` };
      await endpoint(client, identifier, "ada", fields);
    }
    const headers = { "idempotency-key": "delete-1" };
    const params = { integrationId: "gone" };
    const { status, body } = await client("integrations.delete", { params, headers });
    assert.equal(status, 200);
    assert.deepEqual(body, (await client("integrations.list")).body);
    assert.ok(!body.some((one) => one.identifier === "gone"));
    const identifiersOf = async (id: "channelConnections.list" | "channelEndpoints.list") =>
      (await client(id)).body.data.map((item) => item.identifier);
    assert.deepEqual(await identifiersOf("channelConnections.list"), ["conn.kept"]);
    assert.deepEqual(await identifiersOf("channelEndpoints.list"), ["endp.kept"]);
    assert.deepEqual(await channelsOf("ada"), [entry(kept)]);
    const row = await db
      .selectFrom("integrations")
      .where("id", "=", gone._id!)
      .select(["credentials", "configurations", "deleted_at", "deleted_by"])
      .executeTakeFirstOrThrow();
    assert.deepEqual([row.credentials, row.configurations], [null, null]);
    assert.ok(row.deleted_at && row.deleted_by);

    const replay = await client("integrations.delete", { params, headers });
    assert.deepEqual([replay.headers.get("idempotency-replay"), replay.body], ["true", body]);
    await assertRefused(client, "integrations.delete", { params }, { code: "INTEGRATION_NOT_FOUND" });
    await chatIntegration(client, "gone");
    assert.deepEqual(
      (await client("channelEndpoints.list", { query: { integrationIdentifier: "gone" } })).body.data,
      [],
    );
  });

  test("of another environment's integration is refused", async () => {
    const params = { integrationId: (await chatIntegration(client, "mine"))._id! };
    const message = `Integration with id ${params.integrationId} not found`;
    await assertRefused(production, "integrations.delete", { params }, { code: "INTEGRATION_NOT_FOUND", message });
    await client("integrations.delete", { params });
  });

  test("races with new endpoints and subscribers' deletions without leaving anything on it", async () => {
    const names = Array.from({ length: 6 }, (_, n) => `racer${n}`);
    for (const name of names) await subscriber(client, name);
    for (let round = 0; round < 5; round++) {
      await chatIntegration(client, "raced");
      await connection(client, "raced", { identifier: "raced.conn", subscriberId: "racer0" });
      const body = { integrationIdentifier: "raced", type: "webhook", endpoint: { url: "https://a.example" } };
      const connectionIdentifier = "raced.conn";
      const answers = await Promise.all([
        ...names.map((subscriberId) =>
          client.raw("channelEndpoints.create", { body: { ...body, subscriberId, connectionIdentifier } }),
        ),
        client.raw("channelConnections.delete", { params: { identifier: connectionIdentifier } }),
        client.raw("subscribers.delete", { params: { subscriberId: "racer0" } }),
        client.raw("integrations.delete", { params: { integrationId: "raced" } }),
      ]);
      assert.deepEqual(
        answers.filter(({ status }) => status >= 500).map(({ body }) => body),
        [],
      );
      assert.equal(answers.at(-1)!.status, 200);
      const { rows } = await sql`
        select e.id from channel_endpoints e join integrations i on i.id = e.integration_id
        where i.deleted_at is not null`.execute(db);
      assert.deepEqual(rows, []);
      await subscriber(client, "racer0");
    }
  });
});

describe("without a public address", () => {
  test("no webhook can be registered, and the setting is named", async () => {
    const credentials = { apiKey: "k", user: "api", domain: "d.example", from: "a@d.example", senderName: "A" };
    const body = { providerId: "mailgun", channel: "email", identifier: "gun", credentials } as const;
    const made = (await client("integrations.create", { body })).body;
    const answer = (await client("integrations.autoConfigure", { params: { integrationId: "gun" } })).body;
    assert.equal(answer.success, false);
    assert.match(answer.message!, /: set TIDINGS_PUBLIC_URL and try again, or enter the path \/v2\/inbound-webhooks\//);
    assert.ok(answer.message!.endsWith(`/${made._environmentId}/${made._id} of this service there`));
  });

  test("no workspace can be connected, and the setting is named", async () => {
    await chatIntegration(client, "lonely");
    const body = { integrationIdentifier: "lonely" };
    const message = "The setting TIDINGS_PUBLIC_URL is missing: OAuth needs it for the redirect URL";
    await assertRefused(client, "integrations.createChatOauthUrl", { body }, { code: "PUBLIC_URL_MISSING", message });
  });
});
