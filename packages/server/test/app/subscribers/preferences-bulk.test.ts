import assert from "node:assert/strict";
import { test } from "node:test";
import { shareService } from "@tidings/testkit/service";
import { createWorkflow, email, inApp } from "@tidings/testkit/verbs";
import { sql } from "kysely";

const service = await shareService();
const { client, production, db, environmentId, productionId } = service;

const params = { subscriberId: "ada" };
await client("subscribers.create", { body: params });
const news = await createWorkflow(client, "news", [inApp(), email()], { severity: "high", tags: ["t"] });
const offers = await createWorkflow(client, "offers", [email()], {
  preferences: { workflow: { all: { enabled: false } } },
});
await createWorkflow(client, "alarm", [email()], { preferences: { workflow: { all: { readOnly: true } } } });
await createWorkflow(production, "foreign", [email()]);

type Item = { workflowId: string; channels: Record<string, boolean> };
const bulk = async (preferences: Item[], more: { context?: Record<string, string>; key?: string } = {}) => {
  const { key, ...rest } = more;
  const headers = key ? { "idempotency-key": key } : {};
  return client("subscribers.bulkUpdatePreferences", { params, body: { preferences, ...rest }, headers });
};
const refused = async (body: unknown, subscriberId = "ada", via = client) => {
  const answer = await via.raw("subscribers.bulkUpdatePreferences", { params: { subscriberId }, body });
  const { code, message, errors } = answer.body as {
    code: string;
    message: string;
    errors: Record<string, { messages: string[] }>;
  };
  return { status: answer.status, code, message, errors };
};
const stored = async () =>
  (
    await sql<{ workflow_id: string; channels: object; context_keys: string[] }>`
      select w.workflow_id, p.channels, p.context_keys from subscriber_preferences p join workflows w on w.id = p.workflow_id
      where p.environment_id in (${environmentId}, ${productionId}) order by w.workflow_id, p.context_keys`.execute(db)
  ).rows;

test("one entry per workflow, in order of first appearance; ids, identifiers and slugs; the last item wins", async () => {
  const { status, body } = await bulk([
    { workflowId: offers._id, channels: { email: true } },
    { workflowId: "news", channels: { email: false, in_app: false } },
    { workflowId: offers.slug, channels: { sms: true } },
    { workflowId: news._id, channels: { email: false } },
  ]);
  assert.equal(status, 200);
  assert.deepEqual(body, [
    {
      level: "template",
      workflow: { id: offers._id, identifier: "offers", name: "offers", critical: false, tags: [], severity: "none" },
      enabled: false,
      channels: { email: false },
    },
    {
      level: "template",
      workflow: { id: news._id, identifier: "news", name: "news", critical: false, tags: ["t"], severity: "high" },
      enabled: true,
      channels: { in_app: true, email: false },
    },
  ]);
  assert.deepEqual(await stored(), [
    { workflow_id: "news", channels: { email: false }, context_keys: [] },
    { workflow_id: "offers", channels: { sms: true }, context_keys: [] },
  ]);
});

test("channels that are not given keep their value; contexts have choices of their own", async () => {
  const merged = await bulk([{ workflowId: "news", channels: { in_app: false } }]);
  assert.deepEqual(merged.body[0]!.channels, { in_app: false, email: false });
  const scoped = await bulk([{ workflowId: "news", channels: { email: true } }], { context: { tenant: "acme" } });
  assert.deepEqual(scoped.body[0]!.channels, { in_app: false, email: true });
  const plain = await bulk([{ workflowId: "news", channels: {} }]);
  assert.deepEqual(plain.body[0]!.channels, { in_app: false, email: false });
  await client("contexts.retrieve", { params: { type: "tenant", id: "acme" } });
});

test("one faulty item and none is written; every missing or critical workflow is named", async () => {
  const before = await stored();
  const item = (workflowId: string) => ({ workflowId, channels: { push: true } });
  const missing = await refused({ preferences: ["news", "x", "foreign", "x", "alarm"].map(item) });
  assert.deepEqual(
    [missing.status, missing.code, missing.message],
    [404, "WORKFLOW_NOT_FOUND", "Workflows not found: x, foreign"],
  );
  const critical = await refused({ preferences: ["news", "alarm"].map(item), context: { tenant: "never" } });
  assert.deepEqual(
    [critical.status, critical.code, critical.message],
    [400, "CRITICAL_WORKFLOW", "Preferences of critical workflows cannot be changed: alarm"],
  );
  for (const [via, subscriberId] of [
    [client, "nobody"],
    [production, "ada"],
  ] as const) {
    const unknown = await refused({ preferences: [item("news")] }, subscriberId, via);
    assert.deepEqual([unknown.status, unknown.code], [404, "SUBSCRIBER_NOT_FOUND"]);
    assert.equal(unknown.message, `Subscriber with id ${subscriberId} not found`);
  }
  assert.deepEqual(await stored(), before);
  assert.equal((await client.raw("contexts.retrieve", { params: { type: "tenant", id: "never" } })).status, 404);
});

test("the shape is checked item by item, all faults at once", async () => {
  const one = { workflowId: "news", channels: {} };
  const texts = async (body: unknown) => {
    const { status, code, errors } = await refused(body);
    assert.deepEqual([status, code], [422, "VALIDATION_ERROR"]);
    return Object.values(errors)
      .flatMap((fault) => fault.messages)
      .sort();
  };
  assert.deepEqual(await texts(undefined), ["Request body is required"]);
  assert.deepEqual(await texts({}), ["preferences is required"]);
  assert.deepEqual(await texts({ preferences: {} }), ["preferences must be an array"]);
  assert.deepEqual(await texts({ preferences: [] }), ["preferences must not be empty"]);
  assert.deepEqual(await texts({ preferences: Array(101).fill(one) }), [
    "preferences must contain no more than 100 elements",
  ]);
  assert.equal((await bulk(Array(100).fill(one))).body.length, 1);
  const many = {
    preferences: [{ channels: {} }, { workflowId: "news" }, { workflowId: 1, channels: { email: 1 } }, 7],
  };
  assert.deepEqual(await texts({ ...many, context: { tenant: { data: {} } } }), [
    "context.tenant.id is required",
    "preferences.0.workflowId is required",
    "preferences.1.channels is required",
    "preferences.2.channels.email must be a boolean",
    "preferences.2.workflowId must be a string",
    "preferences.3 must be an object",
  ]);
  const six = Object.fromEntries(["a", "b", "c", "d", "e", "f"].map((type) => [type, "1"]));
  assert.deepEqual(await texts({ preferences: [one], context: six }), ["context must contain no more than 5 elements"]);
});

test("a replay answers the same and writes nothing; requests at the same time lose nothing", async () => {
  const item = (channels: Record<string, boolean>) => [{ workflowId: "news", channels }];
  const first = await bulk(item({ chat: false }), { key: "k1" });
  await bulk(item({ chat: true }));
  const again = await bulk(item({ chat: false }), { key: "k1" });
  assert.equal(again.headers.get("idempotency-replay"), "true");
  assert.deepEqual(again.body, first.body);

  await Promise.all(["email", "in_app", "sms", "push"].map((channel) => bulk(item({ [channel]: false }))));
  const [row] = await stored();
  assert.deepEqual(row?.channels, { email: false, in_app: false, sms: false, push: false, chat: true });
});
