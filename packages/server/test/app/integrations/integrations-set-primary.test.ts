// The primary integration of a channel: set, lost, and never more than one.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Integration } from "@tidings/contract";
import { assertRefused } from "@tidings/testkit/refusals";
import { shareService } from "@tidings/testkit/service";

const { client, production, db, environmentId } = await shareService();

const smtp = { host: "smtp.example", port: 587, from: "a@example.com", senderName: "A" };
const make = async (identifier: string, fields: object = {}): Promise<Integration> =>
  (
    await client("integrations.create", {
      body: { providerId: "nodemailer", channel: "email", identifier, credentials: smtp, ...fields },
    })
  ).body;
const setPrimary = (integrationId: string) => client("integrations.setPrimary", { params: { integrationId } });
const one = async (identifier: string): Promise<Integration> =>
  (await client("integrations.list")).body.find((integration) => integration.identifier === identifier)!;
const primaries = async (channel: string) =>
  (await client("integrations.list")).body
    .filter((integration) => integration.channel === channel && integration.primary)
    .map((integration) => integration.identifier);
/** Active integrations in the order of delivery. */
const order = async () => {
  const rows = await db
    .selectFrom("integrations")
    .where("environment_id", "=", environmentId)
    .where("channel", "=", "email")
    .where("active", "=", true)
    .where("integrations.deleted_at", "is", null)
    .orderBy("is_primary", "desc")
    .orderBy("priority", "desc")
    .select("integrations.identifier")
    .execute();
  return rows.map((row) => row.identifier);
};

const condition = {
  isNegated: false,
  type: "GROUP" as const,
  value: "AND" as const,
  children: [{ field: "email", value: "x", on: "subscriber" as const, operator: "EQUAL" as const }],
};

describe("set-primary", () => {
  test("makes it primary, active and unconditional; the previous one follows directly below", async () => {
    const [capture] = await primaries("email");
    assert.ok(capture);
    await make("first", { active: true });
    assert.deepEqual(await primaries("email"), ["first"]);
    await make("second", { conditions: [condition] });
    await make("third", { active: true });
    const { status, body } = await setPrimary((await one("second"))._id!);
    assert.equal(status, 200);
    assert.deepEqual([body.primary, body.active, body.conditions], [true, true, []]);
    assert.deepEqual(body, await one("second"));
    assert.deepEqual(await primaries("email"), ["second"]);
    assert.equal((await one("first")).active, true);
    assert.deepEqual(await order(), ["second", "first", "third", capture]);
  });

  test("changes nothing when it is primary already, takes the identifier too, and ignores a body", async () => {
    const changedAt = () =>
      db
        .selectFrom("integrations")
        .where("environment_id", "=", environmentId)
        .where("identifier", "=", "second")
        .select("updated_at")
        .execute();
    const before = await changedAt();
    const again = await client.raw("integrations.setPrimary", {
      params: { integrationId: "second" },
      body: { primary: false },
    });
    assert.deepEqual([again.status, again.body], [200, await one("second")]);
    assert.deepEqual(await changedAt(), before);
    const headers = { "idempotency-key": "primary-1" };
    const first = await client("integrations.setPrimary", { params: { integrationId: "third" }, headers });
    await setPrimary("first");
    const replay = await client("integrations.setPrimary", { params: { integrationId: "third" }, headers });
    assert.deepEqual([replay.headers.get("idempotency-replay"), replay.body], ["true", first.body]);
    assert.deepEqual(await primaries("email"), ["first"]);
  });

  test("refuses other channels, incomplete credentials, and what it does not find", async () => {
    const inApp = (await client("integrations.list")).body.find((row) => row.channel === "in_app")!;
    await make("chat-1", { providerId: "discord", channel: "chat", credentials: {} });
    for (const [integrationId, channel] of [
      [inApp._id!, "in_app"],
      ["chat-1", "chat"],
    ] as const) {
      const message = `Channel ${channel} does not support a primary integration`;
      const refusal = { code: "PRIMARY_NOT_SUPPORTED", message } as const;
      const body = await assertRefused(client, "integrations.setPrimary", { params: { integrationId } }, refusal);
      assert.deepEqual([body.type, body.errors], ["PRIMARY_NOT_SUPPORTED", []]);
    }
    await make("incomplete", { credentials: { from: "a@example.com" } });
    const errors = {
      "credentials.host": ["credentials.host is required for SMTP (Host)"],
      "credentials.port": ["credentials.port is required for SMTP (Port)"],
    };
    const params = { integrationId: "incomplete" };
    await assertRefused(client, "integrations.setPrimary", { params }, { code: "VALIDATION_ERROR", errors });
    assert.deepEqual([(await one("incomplete")).active, await primaries("email")], [false, ["first"]]);
    for (const integrationId of ["nope", "00000000-0000-7000-8000-000000000000", "a b"]) {
      const message = `Integration with id ${integrationId} not found`;
      const refusal = { code: "INTEGRATION_NOT_FOUND", message } as const;
      await assertRefused(client, "integrations.setPrimary", { params: { integrationId } }, refusal);
    }
    const foreign = { params: { integrationId: (await one("first"))._id! } };
    await assertRefused(production, "integrations.setPrimary", foreign, { code: "INTEGRATION_NOT_FOUND" });
  });

  test("leaves exactly one primary, however many requests race", async () => {
    const names = ["r0", "r1", "r2", "r3"];
    for (const name of names) await make(name);
    const answers = await Promise.all([
      ...[...names, ...names].map((integrationId) =>
        client.raw("integrations.setPrimary", { params: { integrationId } }),
      ),
      client.raw("integrations.create", {
        body: { providerId: "nodemailer", channel: "email", identifier: "r4", credentials: smtp, active: true },
      }),
      client.raw("integrations.update", { params: { integrationId: "r0" }, body: { active: false } }),
    ]);
    assert.deepEqual([...new Set(answers.map(({ status }) => status))].sort(), [200, 201]);
    assert.ok((await primaries("email")).length <= 1);
    await setPrimary("r1");
    assert.deepEqual(await primaries("email"), ["r1"]);
    assert.equal((await order())[0], "r1");
  });
});

describe("losing the primary", () => {
  test("by going inactive, by conditions or by deletion promotes no other integration", async () => {
    for (const body of [{ active: false }, { conditions: [condition] }]) {
      await setPrimary("second");
      const updated = await client("integrations.update", { params: { integrationId: "second" }, body });
      assert.equal(updated.body.primary, false);
      assert.deepEqual(await primaries("email"), []);
    }
    await setPrimary("second");
    await client("integrations.delete", { params: { integrationId: "second" } });
    assert.deepEqual(await primaries("email"), []);
    await make("second");
    await setPrimary("second");
    assert.deepEqual(await primaries("email"), ["second"]);
  });

  test("integrations that become active stand directly below the primary", async () => {
    await make("late");
    await client("integrations.update", { params: { integrationId: "late" }, body: { active: true } });
    assert.deepEqual((await order()).slice(0, 2), ["second", "late"]);
    assert.equal((await one("late")).primary, false);
  });
});

test("the active ones are listed in order of creation", async () => {
  const all = (await client("integrations.list")).body;
  const { status, body } = await client("integrations.listActive");
  assert.equal(status, 200);
  assert.deepEqual(
    body,
    all.filter((integration) => integration.active),
  );
  assert.ok(body.length > 0 && body.length < all.length);
});
