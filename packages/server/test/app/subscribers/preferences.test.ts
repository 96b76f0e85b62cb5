import assert from "node:assert/strict";
import { test } from "node:test";
import { shareService } from "@tidings/testkit/service";
import { createWorkflow, email, inApp } from "@tidings/testkit/verbs";
import { sql } from "kysely";

const service = await shareService();
const { client, production, db, environmentId, productionId } = service;

const params = { subscriberId: "ada" };
await client("subscribers.create", { body: params });
await client("workflows.delete", { params: { workflowId: "welcome" } });
const news = await createWorkflow(client, "news", [inApp(), email()], { severity: "high", tags: ["t"] });
await createWorkflow(client, "offers", [email()]);
await createWorkflow(client, "alarm", [email()], { preferences: { workflow: { all: { readOnly: true } } } });

const read = async (query = {}) => (await client("subscribers.retrievePreferences", { params, query })).body;
const itemOf = async (identifier: string, query = {}) =>
  (await read(query)).workflows.find((item) => item.workflow.identifier === identifier)!;
const countRows = async () =>
  (
    await sql<{ n: number }>`
      select count(*) as n from subscriber_preferences where environment_id in (${environmentId}, ${productionId})`.execute(
      db,
    )
  ).rows[0]!.n;
/** The channels that the workflows have steps for. */
const inUse = { in_app: true, email: true };

type Refusal = { code: string; message: string; errors: Record<string, { messages: string[] }>; ctx?: object };
const refused = async (
  id: "subscribers.updatePreferences" | "subscribers.bulkUpdatePreferences" | "subscribers.retrievePreferences",
  input: { params?: object; body?: unknown; query?: object },
  via = client,
) => {
  const answer = await via.raw(id, { params, ...input } as never);
  return { status: answer.status, ...(answer.body as Refusal) };
};
const messagesIn = (refusal: Refusal) => Object.values(refusal.errors).flatMap((fault) => fault.messages);

test("without choices everything is as the workflows say; critical workflows are shown on request", async () => {
  const { global, workflows } = await read();
  assert.deepEqual(global, { enabled: true, channels: inUse });
  assert.deepEqual(
    workflows.map((item) => item.workflow.identifier),
    ["news", "offers"],
  );
  assert.deepEqual(workflows[0], {
    enabled: true,
    channels: { in_app: true, email: true },
    overrides: [
      { channel: "in_app", source: "template" },
      { channel: "email", source: "template" },
    ],
    workflow: { slug: news.slug, identifier: "news", name: "news", updatedAt: news.updatedAt },
  });
  const named = async (criticality: string) =>
    (await read({ criticality })).workflows.map((item) => item.workflow.identifier);
  assert.deepEqual(await named("critical"), ["alarm"]);
  assert.deepEqual(await named("nonCritical"), ["news", "offers"]);
  assert.deepEqual(await named("all"), ["news", "offers", "alarm"]);
  const refusal = await refused("subscribers.retrievePreferences", {
    query: { criticality: "some", contextKeys: "x" },
  });
  assert.equal(refusal.status, 422);
  assert.deepEqual(messagesIn(refusal), ["criticality must be one of: critical, nonCritical, all"]);
  const badKey = await refused("subscribers.retrievePreferences", { query: { contextKeys: "x" } });
  assert.deepEqual(messagesIn(badKey), ["contextKeys must have the form <type>:<id>"]);
});

test("choices are merged, globally and per workflow, and name who decided", async () => {
  const update = async (body: object) => (await client("subscribers.updatePreferences", { params, body })).body;
  const changed = { ...inUse, email: false };
  assert.deepEqual((await update({ channels: { email: false, sms: false } })).global.channels, changed);
  assert.deepEqual((await read()).global.channels, changed);
  assert.deepEqual((await itemOf("offers")).overrides, [{ channel: "email", source: "subscriber" }]);
  assert.deepEqual((await itemOf("news")).channels, { in_app: true, email: false });

  const answer = await update({ workflowId: news.slug, channels: { email: true } });
  const item = answer.workflows.find((entry) => entry.workflow.identifier === "news")!;
  assert.deepEqual(item.channels, { in_app: true, email: true });
  assert.ok(item.updatedAt! <= new Date().toISOString());
  assert.deepEqual((await update({})).global, answer.global);
});

test("a choice for contexts counts there, creates the contexts, and falls back without them", async () => {
  const context = { tenant: "acme", region: { id: "eu", data: { name: "Europe" } } };
  const body = { workflowId: "news", channels: { in_app: false }, context };
  await client("subscribers.updatePreferences", { params, body });
  const contextKeys = ["tenant:acme", "region:eu"];
  const scoped = await itemOf("news", { contextKeys });
  assert.deepEqual(scoped.channels, { in_app: false, email: true });
  assert.deepEqual(scoped.overrides, [
    { channel: "in_app", source: "workflowOverride" },
    { channel: "email", source: "subscriber" },
  ]);
  assert.equal((await itemOf("news", { contextKeys: ["tenant:acme"] })).channels.in_app, true);
  assert.equal((await itemOf("news")).channels.in_app, true);
  const stored = await client("contexts.retrieve", { params: { type: "region", id: "eu" } });
  assert.deepEqual(stored.body.data, { name: "Europe" });
});

test("the schedule is stored as given, globally only", async () => {
  const schedule = {
    isEnabled: true,
    weeklySchedule: {
      monday: { isEnabled: true, hours: [{ start: "09:00 AM", end: "05:30 PM" }] },
      friday: { isEnabled: true },
      sunday: { isEnabled: false },
    },
  };
  const body = { schedule: { ...schedule, colour: "red" } as typeof schedule };
  const answer = await client("subscribers.updatePreferences", { params, body });
  assert.deepEqual(answer.body.global.schedule, schedule);
  assert.equal(answer.body.global.channels.email, false, "the channels chosen before stay");
  await client("subscribers.updatePreferences", { params, body: { channels: { push: false } } });
  assert.deepEqual((await read()).global.schedule, schedule);

  const day = { isEnabled: "yes", hours: [{ start: "9:00 AM", end: "13:00 PM" }, { start: "09:00 AM" }] };
  const refusal = await refused("subscribers.updatePreferences", {
    body: { schedule: { weeklySchedule: { monday: day } } },
  });
  const at = "schedule.weeklySchedule.monday";
  assert.deepEqual(messagesIn(refusal).sort(), [
    "schedule.isEnabled is required",
    `${at}.hours.0.end has an invalid format`,
    `${at}.hours.0.start has an invalid format`,
    `${at}.hours.1.end is required`,
    `${at}.isEnabled must be a boolean`,
  ]);
  const both = await refused("subscribers.updatePreferences", { body: { workflowId: "news", schedule } });
  assert.equal(both.status, 422);
  assert.deepEqual(messagesIn(both), ["schedule and workflowId cannot be used together"]);
});

test("an update that is refused changes nothing", async () => {
  const before = await countRows();
  const cases: [object, number, string, string][] = [
    [{ workflowId: "nope", channels: { email: false } }, 404, "WORKFLOW_NOT_FOUND", "Workflow nope not found"],
    [
      { workflowId: "alarm", channels: { email: false } },
      400,
      "CRITICAL_WORKFLOW",
      "Preferences of critical workflows cannot be changed: alarm",
    ],
  ];
  for (const [body, status, code, message] of cases) {
    const refusal = await refused("subscribers.updatePreferences", { body: { ...body, context: { tenant: "never" } } });
    assert.deepEqual([refusal.status, refusal.code, refusal.message], [status, code, message]);
  }
  const wrong = await refused("subscribers.updatePreferences", {
    body: { workflowId: 1, channels: { email: "no", sms: null }, context: { "a b": "x", c: 1, d: { id: "" } } },
  });
  assert.equal(wrong.status, 422);
  for (const field of ["workflowId", "channels.email", "channels.sms", "context.a b", "context.c", "context.d.id"]) {
    assert.ok(wrong.errors[field], `${field} is not named`);
  }
  const never = await client.raw("contexts.retrieve", { params: { type: "tenant", id: "never" } });
  assert.equal(never.status, 404);
  for (const via of [client, production]) {
    const subscriberId = via === client ? "nobody" : "ada";
    for (const id of ["subscribers.updatePreferences", "subscribers.retrievePreferences"] as const) {
      const refusal = await refused(
        id,
        { params: { subscriberId }, body: id.includes("update") ? {} : undefined },
        via,
      );
      assert.deepEqual([refusal.status, refusal.code], [404, "SUBSCRIBER_NOT_FOUND"]);
      assert.equal(refusal.message, `Subscriber with id ${subscriberId} not found`);
    }
  }
  assert.equal(await countRows(), before);
});

test("choices go with their subscriber", async () => {
  const subscriberId = "leaver";
  await client("subscribers.create", { body: { subscriberId } });
  const before = await countRows();
  await client("subscribers.updatePreferences", { params: { subscriberId }, body: { channels: { email: false } } });
  assert.equal(await countRows(), before + 1);
  await client("subscribers.delete", { params: { subscriberId } });
  assert.equal(await countRows(), before);
});

test("a channel counts globally before any workflow uses it, and is shown once one does", async () => {
  const person = { subscriberId: "bea" };
  await client("subscribers.create", { body: person });
  const body = { channels: { sms: false, email: true } };
  const before = (await client("subscribers.updatePreferences", { params: person, body })).body.global.channels;
  assert.deepEqual(before, inUse);
  await createWorkflow(client, "texts", [{ name: "Text", type: "sms", controlValues: { body: "Hi" } }]);
  const after = (await client("subscribers.retrievePreferences", { params: person })).body.global.channels;
  assert.deepEqual(after, { ...inUse, sms: false });
  await client("workflows.delete", { params: { workflowId: "texts" } });
});

test("a channel that does not exist is refused by name, and nothing is written", async () => {
  const before = await read();
  const message = (field: string) => [`${field} must be one of: in_app, email, sms, chat, push`];
  for (const workflowId of [undefined, "news"]) {
    const refusal = await refused("subscribers.updatePreferences", {
      body: { workflowId, channels: { in_app: false, fax: true } },
    });
    assert.deepEqual([refusal.status, Object.keys(refusal.errors)], [422, ["channels.fax"]]);
    assert.deepEqual(messagesIn(refusal), message("channels.fax"));
  }
  const preferences = [
    { workflowId: "news", channels: { in_app: false } },
    { workflowId: "offers", channels: { constructor: true } as object },
  ];
  const refusal = await refused("subscribers.bulkUpdatePreferences", { body: { preferences } });
  assert.equal(refusal.status, 422);
  assert.deepEqual(messagesIn(refusal), message("preferences.1.channels.constructor"));
  assert.deepEqual(await read(), before);
});
