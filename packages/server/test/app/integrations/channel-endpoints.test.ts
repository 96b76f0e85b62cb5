// Channel endpoints: six shapes, which provider takes which, and what they belong to.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  addedProviderIdsByChannel,
  channelEndpointTypes,
  endpointTypesByProvider,
  providerIdsByChannel,
} from "@tidings/contract";
import { chatIntegration, connection, endpoint, subscriber } from "@tidings/testkit/channels";
import { assertRefused } from "@tidings/testkit/refusals";
import { shareService } from "@tidings/testkit/service";

const { client, production } = await shareService();
const chats = [...providerIdsByChannel.chat, ...addedProviderIdsByChannel.chat];
for (const providerId of chats) await chatIntegration(client, providerId, providerId);
await chatIntegration(production, "slack");
await subscriber(client, "ada");
await subscriber(production, "ada");

const addresses = {
  chatapp_channel: { channelId: "C1" },
  chatapp_user: { userId: "U1" },
  webhook: { url: "https://hooks.example/a?b=c", channel: "#general" },
  phone: { phoneNumber: "+4915112345678" },
  teamsapp_channel: { teamId: "T1", channelId: "C1" },
  teamsapp_user: { userId: "U1" },
} as const;

const base = { integrationIdentifier: "svc-slack", subscriberId: "ada" };
const refuse = (body: unknown, errors: Record<string, string[]>) =>
  assertRefused(client, "channelEndpoints.create", { body }, { code: "VALIDATION_ERROR", errors });
const read = async (identifier: string) => (await client("channelEndpoints.retrieve", { params: { identifier } })).body;

describe("create", () => {
  test("answers every field of every type", async () => {
    for (const type of channelEndpointTypes) {
      const body = { ...base, type, endpoint: { ...addresses[type], ignored: true }, context: { tenant: "acme" } };
      const made = await client("channelEndpoints.create", { body });
      assert.equal(made.status, 201);
      const { createdAt, updatedAt, identifier, ...rest } = made.body;
      assert.match(identifier, /^endp-[a-z0-9]+$/);
      assert.deepEqual(rest, {
        channel: "chat",
        providerId: "svc-slack",
        integrationIdentifier: "svc-slack",
        connectionIdentifier: null,
        subscriberId: "ada",
        contextKeys: ["tenant:acme"],
        type,
        endpoint: addresses[type],
      });
      assert.match(createdAt, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      assert.equal(updatedAt, createdAt);
      assert.deepEqual(await read(identifier), made.body);
    }
  });

  test("takes the types of the provider and refuses the others", async () => {
    for (const providerId of chats) {
      const fitting = endpointTypesByProvider[providerId];
      for (const type of channelEndpointTypes) {
        const body = { ...base, integrationIdentifier: providerId, type, endpoint: addresses[type] };
        if (fitting.includes(type)) {
          assert.equal((await client("channelEndpoints.create", { body })).body.type, type);
        } else {
          await refuse(body, { type: [`type must be one of: ${fitting.join(", ")} for provider ${providerId}`] });
        }
      }
    }
    const capture = (await client("integrations.list")).body.find((one) => one.providerId === "svc-email")!;
    const body = { ...base, integrationIdentifier: capture.identifier, type: "webhook", endpoint: addresses.webhook };
    await refuse(body, { type: ["type does not fit for provider svc-email"] });
  });

  test("refuses an address that does not have the shape of its type, with all other faults", async () => {
    const cases: [string, unknown, Record<string, string>][] = [
      ["chatapp_channel", { userId: "U" }, { channelId: "is required" }],
      ["chatapp_user", { userId: "" }, { userId: "must not be empty" }],
      ["webhook", { url: "ftp://x" }, { url: "has an invalid format" }],
      ["webhook", { url: "https://x.example", channel: 1 }, { channel: "must be a string" }],
      ["phone", { phoneNumber: "0151 123" }, { phoneNumber: "has an invalid format" }],
      ["phone", { phoneNumber: "+1234567890123456" }, { phoneNumber: "has an invalid format" }],
      ["teamsapp_channel", { channelId: "C" }, { teamId: "is required" }],
      ["teamsapp_user", { userId: "u".repeat(256) }, { userId: "must not be longer than 255 characters" }],
    ];
    for (const [type, address, faults] of cases) {
      const entries = Object.entries(faults).map(([name, text]) => [`endpoint.${name}`, [`endpoint.${name} ${text}`]]);
      const errors = Object.fromEntries(entries) as Record<string, string[]>;
      await refuse({ ...base, type, endpoint: address }, errors);
      await refuse(
        { integrationIdentifier: "slack", type, endpoint: address },
        { ...errors, subscriberId: ["subscriberId is required"] },
      );
    }
    await refuse(
      {},
      {
        subscriberId: ["subscriberId is required"],
        integrationIdentifier: ["integrationIdentifier is required"],
        type: ["type is required"],
        endpoint: ["endpoint is required"],
      },
    );
    await refuse(
      { ...base, type: "email", endpoint: [], identifier: "a b", context: 1 },
      {
        type: [`type must be one of: ${channelEndpointTypes.join(", ")}`],
        endpoint: ["endpoint must be an object"],
        identifier: ["identifier has an invalid format"],
        context: ["context must be an object"],
      },
    );
    assert.equal((await client.raw("channelEndpoints.create")).status, 422);
  });

  test("names the integration, subscriber or connection that does not exist", async () => {
    const body = { ...base, type: "webhook", endpoint: addresses.webhook };
    const before = (await client("channelEndpoints.list")).body.totalCount;
    const refused = (extra: object, code: "CONNECTION_NOT_FOUND", message: string) =>
      assertRefused(client, "channelEndpoints.create", { body: { ...body, ...extra } }, { code, message });
    await refused(
      { integrationIdentifier: "nope" },
      "INTEGRATION_NOT_FOUND" as never,
      "Integration with id nope not found",
    );
    await refused({ subscriberId: "nobody" }, "SUBSCRIBER_NOT_FOUND" as never, "Subscriber with id nobody not found");
    await refused(
      { connectionIdentifier: "nope" },
      "CONNECTION_NOT_FOUND",
      "Channel connection with identifier nope not found",
    );
    await endpoint(client, "slack", "ada", { identifier: "taken" });
    await refused(
      { identifier: "taken" },
      "ENDPOINT_EXISTS" as never,
      "Channel endpoint with identifier taken already exists",
    );
    assert.equal((await client("channelEndpoints.list")).body.totalCount, before + 1);
  });

  test("makes the subscriber when asked to, and only then", async () => {
    const body = { ...base, subscriberId: " newcomer ", type: "webhook", endpoint: addresses.webhook } as const;
    const create = (fields: object) => client.raw("channelEndpoints.create", { body: { ...body, ...fields } });
    assert.equal((await create({})).status, 404);
    assert.equal((await create({ createSubscriberIfMissing: false })).status, 404);
    const faulty = { createSubscriberIfMissing: true, connectionIdentifier: "gone" };
    assert.equal((await create(faulty)).status, 404);
    const people = async (subscriberId: string) => client.raw("subscribers.retrieve", { params: { subscriberId } });
    assert.equal((await people("newcomer")).status, 404, "a refused request creates no subscriber");
    const answers = await Promise.all([1, 2, 3].map(() => create({ createSubscriberIfMissing: true })));
    for (const { status, body: made } of answers) {
      assert.deepEqual([status, (made as { subscriberId: string }).subscriberId], [201, "newcomer"]);
    }
    assert.equal((await people("newcomer")).status, 200);
    await refuse(
      { ...body, subscriberId: "not an id", createSubscriberIfMissing: true },
      { subscriberId: ["subscriberId has an invalid format"] },
    );
  });

  test("uses a connection of its own integration only", async () => {
    await connection(client, "slack", { identifier: "of-slack" });
    const fields = { connectionIdentifier: "of-slack" };
    const made = await endpoint(client, "slack", "ada", fields);
    assert.equal(made.connectionIdentifier, "of-slack");
    await refuse(
      { ...base, integrationIdentifier: "discord", type: "phone", endpoint: addresses.phone, ...fields },
      {
        type: ["type must be one of: webhook for provider discord"],
        connectionIdentifier: ["connectionIdentifier must name a connection of the integration"],
      },
    );
  });

  test("happens once, whether requests race or repeat", async () => {
    const body = { ...base, identifier: "raced", type: "webhook", endpoint: addresses.webhook } as const;
    const answers = await Promise.all([1, 2, 3, 4].map(() => client.raw("channelEndpoints.create", { body })));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 409, 409, 409]);
    const headers = { "idempotency-key": "endpoint-1" };
    const { identifier: _, ...unnamed } = body;
    const first = await client("channelEndpoints.create", { body: unnamed, headers });
    const again = await client("channelEndpoints.create", { body: unnamed, headers });
    assert.equal(again.headers.get("idempotency-replay"), "true");
    assert.deepEqual(again.body, first.body);
  });
});

describe("update and delete", () => {
  test("replace the address within its type", async () => {
    const made = await endpoint(client, "slack", "ada", { identifier: "moved" });
    const params = { identifier: "moved" };
    const address = { url: "http://other.example/hook" };
    const { status, body } = await client("channelEndpoints.update", { params, body: { endpoint: address } });
    assert.equal(status, 200);
    assert.deepEqual(body, { ...made, endpoint: address, updatedAt: body.updatedAt });
    const cases: [unknown, Record<string, string[]>][] = [
      [{}, { endpoint: ["endpoint is required"] }],
      [{ endpoint: { channelId: "C" } }, { "endpoint.url": ["endpoint.url is required"] }],
    ];
    for (const [wrong, errors] of cases) {
      const input = { params, body: wrong };
      await assertRefused(client, "channelEndpoints.update", input, { code: "VALIDATION_ERROR", errors });
    }
    assert.deepEqual(await read("moved"), body);
  });

  test("end an endpoint, by its own deletion or its subscriber's", async () => {
    await endpoint(client, "slack", "ada", { identifier: "ended" });
    const params = { identifier: "ended" };
    const answer = await client("channelEndpoints.delete", { params });
    assert.deepEqual([answer.status, answer.body], [204, undefined]);
    const code = "ENDPOINT_NOT_FOUND";
    const message = "Channel endpoint with identifier ended not found";
    await assertRefused(client, "channelEndpoints.delete", { params }, { code, message });
    await subscriber(client, "leaver");
    const { identifier } = await endpoint(client, "slack", "leaver");
    await client("subscribers.delete", { params: { subscriberId: "leaver" } });
    await assertRefused(client, "channelEndpoints.retrieve", { params: { identifier } }, { code });
  });

  test("find nothing under unknown, impossible and foreign identifiers", async () => {
    await endpoint(client, "slack", "ada", { identifier: "mine" });
    for (const verb of ["retrieve", "update", "delete"] as const) {
      const body = verb === "update" ? { endpoint: addresses.webhook } : undefined;
      for (const identifier of ["nope", "a b\u0000", "x".repeat(1000)]) {
        const input = { params: { identifier }, body };
        await assertRefused(client, `channelEndpoints.${verb}`, input, { code: "ENDPOINT_NOT_FOUND" });
      }
      const input = { params: { identifier: "mine" }, body };
      await assertRefused(production, `channelEndpoints.${verb}`, input, { code: "ENDPOINT_NOT_FOUND" });
    }
    assert.equal((await endpoint(production, "slack", "ada", { identifier: "mine" })).identifier, "mine");
  });
});
