// Triggering events: the result of each item of a bulk trigger, and that a refused request writes nothing.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { TriggerResult } from "@tidings/contract";
import { before } from "@tidings/testkit/at-end";
import { only } from "@tidings/testkit/lists";
import { faultsOf, refused } from "@tidings/testkit/refusals";
import { shareService } from "@tidings/testkit/service";
import { createWorkflow, feedOf, inApp, messagesOf, notificationsOf, settled } from "@tidings/testkit/verbs";
import { sql } from "kysely";

const service = await shareService();
const { client, production, db, environmentId, productionId } = service;

const payloadSchema = {
  type: "object",
  required: ["order"],
  properties: {
    order: { type: "integer" },
    address: { type: "object", properties: { city: { type: "string" } } },
    currency: { type: "string", default: "EUR" },
  },
};

before(async () => {
  await createWorkflow(client, "plain", [inApp({ body: "Hello {{ payload.name }}" })]);
  await createWorkflow(client, "off", [inApp()], { name: "Switched off", active: false });
  await createWorkflow(client, "empty", [], { name: "Without steps" });
  await createWorkflow(client, "idle", [{ ...inApp(), active: false }], { name: "All off" });
  await createWorkflow(client, "strict", [inApp({ body: "{{ payload.order }} {{ payload.currency }}" })], {
    ...{ payloadSchema, validatePayload: true },
  });
  await createWorkflow(client, "loose", [inApp()], { payloadSchema, validatePayload: false });
});

const bulk = async (...events: Record<string, unknown>[]): Promise<TriggerResult[]> => {
  const { status, body } = await client.raw("events.triggerBulk", { body: { events } });
  assert.equal(status, 201, JSON.stringify(body));
  return body as TriggerResult[];
};
const countEvents = async () =>
  (
    await sql<{ count: number }>`
      select count(*) as count from events where refusal is null and environment_id = ${environmentId}`.execute(db)
  ).rows[0]!.count;
const eventOf = async (transactionId: string) =>
  (
    await sql<{ payload: object; recipients: object[]; actor: object | null }>`
      select payload, recipients, actor from events where transaction_id = ${transactionId}
        and environment_id in (${environmentId}, ${productionId})`.execute(db)
  ).rows;

const generated = /^txn_[0-9a-f]{32}$/;

type Row = {
  event: Record<string, unknown>;
  status: TriggerResult["status"];
  error?: string[];
  /** Only accepted events, and those that fail for their recipients, get an id of ours. */
  isGenerated?: boolean;
};

const table: Record<string, Row> = {
  "an unknown workflow": { event: { name: "missing" }, status: "error", error: ["workflow_not_found"] },
  "a workflow that is not active": {
    event: { name: "off" },
    status: "trigger_not_active",
    error: ["Workflow Switched off is not active"],
  },
  "a workflow without steps": {
    event: { name: "empty" },
    status: "no_workflow_steps_defined",
    error: ["Workflow Without steps has no steps"],
  },
  "a workflow whose steps are all off": {
    event: { name: "idle" },
    status: "no_workflow_active_steps_defined",
    error: ["Workflow All off has no active steps"],
  },
  "a payload that breaks the schema": {
    event: { name: "strict", payload: { order: "x", address: { city: 5 } } },
    status: "error",
    error: [
      "Payload validation failed: order: must be integer",
      "Payload validation failed: address.city: must be string",
    ],
  },
  "no payload where one is needed": {
    event: { name: "strict" },
    status: "error",
    error: ["Payload validation failed: order: is required"],
  },
  "an unknown tenant": {
    event: { name: "plain", tenant: "acme" },
    status: "no_tenant_found",
    error: ["Tenant acme not found"],
  },
  "a malformed tenant": {
    event: { name: "plain", tenant: { name: 5, data: [] } },
    status: "error",
    error: [
      "tenant.identifier is required",
      "tenant.name must be a string of at most 255 characters",
      "tenant.data must be an object",
    ],
  },
  "a malformed attachment": {
    event: {
      name: "plain",
      payload: {
        attachments: [
          { name: "a/b", mime: "pdf", file: "not base64!", channels: ["fax"] },
          "x",
          { name: "a.png", mime: "image/png", file: "aGk=", cid: "a b\r\n", disposition: "above" },
        ],
      },
    },
    status: "error",
    error: [
      "payload.attachments.0.name must be a file name of 1 to 255 characters",
      "payload.attachments.0.mime must be a media type such as application/pdf",
      "payload.attachments.0.file must be a base64 string",
      "payload.attachments.0.channels must be a list of: in_app, email, sms, chat, push",
      "payload.attachments.1 must be an object",
      "payload.attachments.2.cid must be a content id: 1 to 78 printable ASCII characters without spaces, < and >",
      "payload.attachments.2.disposition must be inline or attachment",
    ],
  },
  "an empty list of recipients": {
    event: { name: "plain", to: [] },
    status: "invalid_recipients",
    error: ["to must not be empty"],
    isGenerated: true,
  },
  "no valid recipient": {
    event: { name: "plain", to: ["a b", { firstName: "Nameless" }] },
    status: "invalid_recipients",
    error: [
      "Recipient 'a b' is not valid: subscriberId has an invalid format",
      "Recipient '' is not valid: subscriberId is required",
    ],
    isGenerated: true,
  },
  "a malformed actor": {
    event: { name: "plain", actor: "not an id" },
    status: "error",
    error: ["Actor 'not an id' is not valid: subscriberId has an invalid format"],
  },
  "an event that is fine": { event: { name: "plain" }, status: "processed", isGenerated: true },
  "a schema that is not enforced": { event: { name: "loose" }, status: "processed", isGenerated: true },
};

for (const [name, { event, status, error, isGenerated }] of Object.entries(table)) {
  test(`${name} is ${status}`, async () => {
    const before = await countEvents();
    const given = `given ${name}`;
    const [anonymous, named] = await bulk({ to: "ada", ...event }, { to: "ada", ...event, transactionId: given });
    const { transactionId, ...rest } = anonymous!;
    const expected = error ? { acknowledged: true, status, error } : { acknowledged: true, status };
    assert.deepEqual(rest, expected);
    if (isGenerated) assert.match(transactionId!, generated);
    else assert.equal(transactionId, undefined);
    assert.deepEqual(named, { ...expected, transactionId: given });
    assert.equal(await countEvents(), before + (status === "processed" ? 2 : 0));
  });
}

test("checks come in the order of the table: the first hit decides", async () => {
  const faulty = { to: [], payload: { order: "x" }, tenant: "acme", actor: "a b" };
  const results = await bulk(
    { name: "off", ...faulty },
    { name: "strict", ...faulty },
    { name: "strict", ...faulty, payload: { order: 1 } },
    { name: "strict", ...faulty, payload: { order: 1 }, tenant: undefined },
  );
  assert.deepEqual(
    results.map(({ status }) => status),
    ["trigger_not_active", "error", "no_tenant_found", "invalid_recipients"],
  );
});

test("items are independent and answered in request order", async () => {
  const results = await bulk(
    { name: "plain", to: "first", payload: { name: "1" } },
    { name: "missing", to: "second" },
    { name: "plain", to: "third", payload: { name: "3" } },
  );
  assert.deepEqual(
    results.map(({ status }) => status),
    ["processed", "error", "processed"],
  );
  for (const { transactionId } of [results[0]!, results[2]!]) await settled(client, transactionId!);
  assert.equal((await feedOf(client, "first"))[0]!.content, "Hello 1");
  assert.equal((await feedOf(client, "third"))[0]!.content, "Hello 3");
});

test("defaults of the schema are filled into the payload", async () => {
  const [result] = await bulk({ name: "strict", to: "buyer", payload: { order: 7 } });
  await settled(client, result!.transactionId!);
  assert.deepEqual((await eventOf(result!.transactionId!))[0]!.payload, { order: 7, currency: "EUR" });
  const [unchecked] = await bulk({ name: "loose", to: "ada", payload: { order: "seven" } });
  assert.deepEqual((await eventOf(unchecked!.transactionId!))[0]!.payload, { order: "seven", currency: "EUR" });
  assert.equal((await feedOf(client, "buyer"))[0]!.content, "7 EUR");
  const notification = only(await notificationsOf(client, result!.transactionId!));
  assert.deepEqual(notification.payload, { order: 7, currency: "EUR" });
  assert.deepEqual((await messagesOf(client, result!.transactionId!))[0]!.payload, { order: 7, currency: "EUR" });
});

test("a single trigger answers like an item, except for an unknown workflow and a broken payload", async () => {
  const { status, body } = await client("events.trigger", { body: { name: "plain", to: "ada", transactionId: "one" } });
  assert.deepEqual([status, body], [201, { acknowledged: true, status: "processed", transactionId: "one" }]);
  const off = await client("events.trigger", { body: { name: "off", to: "ada" } });
  assert.deepEqual([off.status, off.body.status], [201, "trigger_not_active"]);

  const missing = { body: { name: "missing", to: "ada" } };
  const notFound = await refused(client, "events.trigger", missing, "WORKFLOW_NOT_FOUND");
  assert.equal(notFound.message, "Workflow missing not found");

  const before = await countEvents();
  const broken = { body: { name: "strict", to: "ada", payload: { order: "x", address: { city: 5 } } } };
  const invalid = await refused(client, "events.trigger", broken, "PAYLOAD_VALIDATION_ERROR");
  assert.equal(invalid.message, "Payload validation failed: order: must be integer; address.city: must be string");
  assert.equal(invalid.type, "PAYLOAD_VALIDATION_ERROR");
  assert.deepEqual((invalid as unknown as { schema: unknown }).schema, payloadSchema);
  assert.deepEqual(invalid.errors, [
    { field: "order", message: "must be integer", schemaPath: "#/properties/order/type" },
    { field: "address.city", message: "must be string", schemaPath: "#/properties/address/properties/city/type" },
  ]);
  assert.equal(await countEvents(), before);

  const large = { body: { name: "plain", to: "ada", payload: { text: "x".repeat(600_000) } } };
  await refused(client, "events.trigger", large, "PAYLOAD_TOO_LARGE");
  const to = Array.from({ length: 101 }, String);
  assert.deepEqual(await faultsOf(client, "events.trigger", { body: { name: "plain", to } }), {
    to: ["to must contain no more than 100 elements"],
  });
});

test("environments know neither each other's workflows nor transactions", async () => {
  await createWorkflow(production, "prod-only", [inApp()]);
  assert.equal((await bulk({ name: "prod-only", to: "ada" }))[0]!.status, "error");
  await createWorkflow(production, "plain", [inApp()]);
  const event = { name: "plain", to: "isolated", transactionId: "same in both" };
  assert.equal((await bulk(event))[0]!.status, "processed");
  const body = { events: [event] };
  await production("events.triggerBulk", { body });
  await settled(client, "same in both");
  await settled(production, "same in both");
  assert.equal((await eventOf("same in both")).length, 2);
  assert.equal((await feedOf(client, "isolated")).length, 1);
  assert.equal((await feedOf(production, "isolated")).length, 1);
});
