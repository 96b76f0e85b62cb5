// Channel connections: every field, every refusal, and that the token is a secret only where it is stored.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { chatIntegration, connection, endpoint, subscriber } from "@tidings/testkit/channels";
import { assertRefused } from "@tidings/testkit/refusals";
import { startTestService } from "@tidings/testkit/service";
import { sql } from "kysely";

const service = await startTestService();
const { client, production, db } = service;
await chatIntegration(client, "slack-main");
await chatIntegration(production, "slack-main");
await subscriber(client, "ada");
await subscriber(client, "bob@example.com");

const workspace = { id: "T123", name: "Acme" };
const auth = { accessToken: "xoxb-secret-token" };
const read = async (identifier: string) =>
  (await client("channelConnections.retrieve", { params: { identifier } })).body;
const count = async () => (await client("channelConnections.list")).body.totalCount;
const missing = (identifier: string) =>
  ({
    code: "CONNECTION_NOT_FOUND",
    message: `Channel connection with identifier ${identifier} not found`,
  }) as const;

describe("create", () => {
  test("answers every field, with the token in clear, and stores it encrypted", async () => {
    const body = {
      identifier: "conn.ada",
      integrationIdentifier: "slack-main",
      subscriberId: "ada",
      context: { tenant: "acme", app: { id: "web", data: { a: 1 } } },
      workspace,
      auth,
    };
    const made = await client("channelConnections.create", { body });
    assert.equal(made.status, 201);
    const { createdAt, updatedAt, ...rest } = made.body;
    assert.deepEqual(rest, {
      identifier: "conn.ada",
      channel: "chat",
      providerId: "slack",
      integrationIdentifier: "slack-main",
      subscriberId: "ada",
      contextKeys: ["app:web", "tenant:acme"],
      workspace,
      auth,
    });
    assert.match(createdAt, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    assert.equal(updatedAt, createdAt);
    assert.deepEqual(await read("conn.ada"), made.body);
    const { rows } = await sql<{ text: string }>`select to_jsonb(c)::text as text from channel_connections c`.execute(
      db,
    );
    assert.ok(rows.every(({ text }) => !text.includes("xoxb-")));
    assert.ok(service.logs.every((line) => !JSON.stringify(line).includes("xoxb-")));
    const context = await client("contexts.retrieve", { params: { type: "app", id: "web" } });
    assert.deepEqual(context.body.data, { a: 1 });
  });

  test("without a subscriber is shared by all, without an identifier gets one", async () => {
    const made = await connection(client, "slack-main");
    assert.match(made.identifier, /^conn-[a-z0-9]+$/);
    assert.deepEqual([made.subscriberId, made.contextKeys, made.workspace], [null, [], { id: "T1" }]);
    const second = await connection(client, "slack-main", { subscriberId: " bob@example.com " });
    assert.equal(second.subscriberId, "bob@example.com");
    assert.notEqual(second.identifier, made.identifier);
  });

  test("shared ignores subscriberId; for a subscriber it is required", async () => {
    for (const subscriberId of ["ada", "nobody", undefined]) {
      const made = await connection(client, "slack-main", { connectionMode: "shared", subscriberId });
      assert.equal(made.subscriberId, null);
    }
    await subscriber(client, "mode");
    const own = await connection(client, "slack-main", { connectionMode: "subscriber", subscriberId: "mode" });
    assert.equal(own.subscriberId, "mode");
    const body = { integrationIdentifier: "slack-main", workspace, auth };
    const cases = {
      subscriber: { subscriberId: ["subscriberId is required when connectionMode is subscriber"] },
      both: { connectionMode: ["connectionMode must be one of: subscriber, shared"] },
    };
    for (const [connectionMode, errors] of Object.entries(cases)) {
      const input = { body: { ...body, connectionMode } };
      await assertRefused(client, "channelConnections.create", input, { code: "VALIDATION_ERROR", errors });
    }
  });

  test("connects a subscriber to an integration once for a set of contexts, also when requests race", async () => {
    await subscriber(client, "single");
    await chatIntegration(client, "slack-other");
    const body = { integrationIdentifier: "slack-main", subscriberId: "single", workspace, auth };
    const answers = await Promise.all([1, 2, 3, 4].map(() => client.raw("channelConnections.create", { body })));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 409, 409, 409]);
    const { data } = (await client("channelConnections.list", { query: { subscriberId: "single" } })).body;
    assert.equal(data.length, 1);
    const message =
      `Subscriber single is already connected to integration slack-main by channel connection ${data[0]!.identifier}; ` +
      "update or delete that one";
    const refusal = { code: "CONNECTION_EXISTS", message } as const;
    await assertRefused(client, "channelConnections.create", { body: { ...body, identifier: "again" } }, refusal);
    await connection(client, "slack-main", { subscriberId: "single", context: { tenant: "acme" } });
    await connection(client, "slack-other", { subscriberId: "single" });
    await connection(client, "slack-main");
    await client("channelConnections.delete", { params: { identifier: data[0]!.identifier } });
    await connection(client, "slack-main", { subscriberId: "single" });
  });

  test("keeps further members of workspace and auth, and does not show them", async () => {
    const more = { workspace: { ...workspace, botUserId: "U1" }, auth: { ...auth, refreshToken: "r" }, unknown: 1 };
    const made = await connection(client, "slack-main", { identifier: "more", ...more } as never);
    assert.deepEqual([made.workspace, made.auth], [workspace, auth]);
    assert.ok(!("unknown" in made));
    const row = await db
      .selectFrom("channel_connections")
      .where("identifier", "=", "more")
      .selectAll()
      .executeTakeFirstOrThrow();
    assert.deepEqual(row.workspace, { ...workspace, botUserId: "U1" });
  });

  test("names the integration or subscriber that does not exist, and leaves no context behind", async () => {
    const body = { integrationIdentifier: "slack-main", workspace, auth, context: { tenant: "never" } };
    const before = await count();
    await assertRefused(
      client,
      "channelConnections.create",
      { body: { ...body, integrationIdentifier: "nope" } },
      { code: "INTEGRATION_NOT_FOUND", message: "Integration with id nope not found" },
    );
    await assertRefused(
      client,
      "channelConnections.create",
      { body: { ...body, subscriberId: "nobody" } },
      { code: "SUBSCRIBER_NOT_FOUND", message: "Subscriber with id nobody not found" },
    );
    const taken = { ...body, identifier: "conn.ada" };
    await assertRefused(
      client,
      "channelConnections.create",
      { body: taken },
      { code: "CONNECTION_EXISTS", message: "Channel connection with identifier conn.ada already exists" },
    );
    assert.equal(await count(), before);
    const context = await client.raw("contexts.retrieve", { params: { type: "tenant", id: "never" } });
    assert.equal(context.status, 404);
    assert.equal((await production("channelConnections.create", { body: taken })).status, 201);
  });

  test("reports every fault at once, without the value of a secret", async () => {
    const required = ["integrationIdentifier", "workspace", "auth"];
    await assertRefused(
      client,
      "channelConnections.create",
      { body: {} },
      { code: "VALIDATION_ERROR", errors: Object.fromEntries(required.map((name) => [name, [`${name} is required`]])) },
    );
    const wrong = { identifier: "a b", integrationIdentifier: 1, subscriberId: null, context: { a: "b c" } };
    await assertRefused(
      client,
      "channelConnections.create",
      { body: { ...wrong, workspace: {}, auth: { accessToken: 5 } } },
      {
        code: "VALIDATION_ERROR",
        errors: {
          identifier: ["identifier has an invalid format"],
          integrationIdentifier: ["integrationIdentifier must be a string"],
          subscriberId: ["subscriberId must be a string"],
          "context.a": ["context.a has an invalid format"],
          "workspace.id": ["workspace.id is required"],
          "auth.accessToken": ["auth.accessToken must be a string"],
        },
      },
    );
    const long = { identifier: "a".repeat(256), workspace: { id: "" }, auth: "xoxb-secret-token" };
    const refused = await assertRefused(
      client,
      "channelConnections.create",
      { body: { integrationIdentifier: "slack-main", ...long } },
      {
        code: "VALIDATION_ERROR",
        errors: {
          identifier: ["identifier must not be longer than 255 characters"],
          "workspace.id": ["workspace.id must not be empty"],
          auth: ["auth must be an object"],
        },
      },
    );
    assert.ok(!JSON.stringify(refused).includes("xoxb"));
    assert.equal((await client.raw("channelConnections.create")).status, 422);
  });

  test("happens once, whether requests race or repeat", async () => {
    const body = { identifier: "raced", integrationIdentifier: "slack-main", workspace, auth };
    const answers = await Promise.all([1, 2, 3, 4].map(() => client.raw("channelConnections.create", { body })));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 409, 409, 409]);
    const { identifier: _, ...unnamed } = body;
    const headers = { "idempotency-key": "connection-1" };
    const first = await client("channelConnections.create", { body: unnamed, headers });
    const again = await client("channelConnections.create", { body: unnamed, headers });
    assert.equal(again.headers.get("idempotency-replay"), "true");
    assert.deepEqual(again.body, first.body);
  });
});

describe("update", () => {
  test("replaces workspace and auth", async () => {
    const made = await connection(client, "slack-main", { identifier: "changed", workspace, auth });
    const params = { identifier: "changed" };
    const body = { workspace: { id: "T9" }, auth: { accessToken: "xoxb-new" } };
    const { status, body: after } = await client("channelConnections.update", { params, body });
    assert.equal(status, 200);
    assert.deepEqual(after, { ...made, ...body, updatedAt: after.updatedAt });
    assert.ok(after.updatedAt >= made.updatedAt);
    assert.deepEqual(await read("changed"), after);
    await assertRefused(
      client,
      "channelConnections.update",
      { params, body: { workspace: { id: "T10" } } },
      { code: "VALIDATION_ERROR", errors: { auth: ["auth is required"] } },
    );
    assert.deepEqual(await read("changed"), after);
  });
});

describe("delete", () => {
  test("takes the endpoints of the connection along", async () => {
    await connection(client, "slack-main", { identifier: "leaving" });
    const fields = { connectionIdentifier: "leaving", type: "chatapp_user", endpoint: { userId: "U1" } } as const;
    const { identifier } = await endpoint(client, "slack-main", "ada", fields);
    const other = await endpoint(client, "slack-main", "ada");
    const params = { identifier: "leaving" };
    const answer = await client("channelConnections.delete", { params });
    assert.deepEqual([answer.status, answer.body], [204, undefined]);
    await assertRefused(client, "channelConnections.delete", { params }, missing("leaving"));
    assert.equal((await client.raw("channelEndpoints.retrieve", { params: { identifier } })).status, 404);
    assert.equal((await client("channelEndpoints.retrieve", { params: other })).status, 200);
  });

  test("of a subscriber takes its connections along, and leaves shared ones", async () => {
    await subscriber(client, "leaver");
    await connection(client, "slack-main", { identifier: "own", subscriberId: "leaver" });
    await connection(client, "slack-main", { identifier: "shared" });
    await client("subscribers.delete", { params: { subscriberId: "leaver" } });
    await assertRefused(client, "channelConnections.retrieve", { params: { identifier: "own" } }, missing("own"));
    assert.equal((await read("shared")).subscriberId, null);
  });
});

test("unknown, impossible and foreign identifiers are not found", async () => {
  await connection(client, "slack-main", { identifier: "mine" });
  for (const verb of ["retrieve", "update", "delete"] as const) {
    const body = verb === "update" ? { workspace, auth } : undefined;
    for (const identifier of ["nope", "a b\u0000", "x".repeat(1000)]) {
      const input = { params: { identifier }, body };
      await assertRefused(client, `channelConnections.${verb}`, input, { code: "CONNECTION_NOT_FOUND" });
    }
    const input = { params: { identifier: "mine" }, body };
    await assertRefused(production, `channelConnections.${verb}`, input, missing("mine"));
  }
  assert.equal((await read("mine")).auth.accessToken, "xoxb-1");
});
