// Past events exported as scenarios. That they bring about the same again is tested by
// packages/cli/test/scenarios.rest.test.ts.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { ErrorCode, Scenario } from "@tidings/contract";
import { newStage, type Stage } from "@tidings/testkit/clock";
import { errorOf } from "@tidings/testkit/http";
import { shareService } from "@tidings/testkit/service";
import { createWorkflow, email, inApp, settled, trigger } from "@tidings/testkit/verbs";

const service = await shareService();
const { client } = service;
const start = "2026-03-02T09:00:00.000Z";

const exported = async (stage: Pick<Stage, "client">, query: Record<string, string>) =>
  (await stage.client("scenarios.export", { query })).body;
const refused = async (query: Record<string, string>, code: ErrorCode, from = client) =>
  errorOf(await from.raw("scenarios.export", { query }), code);

test("a digest is exported with all of its events, its recipients and what was sent", async () => {
  const stage = await newStage(service, start);
  await createWorkflow(stage.client, "news", [
    { name: "Collect", type: "digest", controlValues: { amount: 1, unit: "days" } },
    email({
      subject: "{{ steps.collect.eventCount }} news",
      body: "<p>Hello {{ subscriber.firstName }}, there are news.</p>",
    }),
  ]);
  const ada = { subscriberId: "ada", firstName: "Ada", email: "ada@example.com", data: { plan: "pro" } };
  await stage.client("subscribers.create", { body: ada });
  await stage.client("subscribers.updatePreferences", {
    params: { subscriberId: "ada" },
    body: { workflowId: "news", channels: { sms: false } },
  });
  const first = await trigger(stage.client, "news", "ada", { n: 1 });
  await stage.advance(90, "minutes");
  const second = await trigger(stage.client, "news", "ada", { n: 2 });
  await stage.advance(2, "days");
  const { scenario, yaml, notes } = await exported(stage, { transactionId: second });
  const expected: Scenario = {
    name: "news to ada",
    given: { time: start, subscribers: [{ ...ada, preferences: { news: { sms: false } } }] },
    when: [
      { at: "+0m", trigger: "news", to: "ada", payload: { n: 1 } },
      { at: "+1h30m", trigger: "news", to: "ada", payload: { n: 2 } },
    ],
    // biome-ignore lint/suspicious/noThenProperty: a list, which nothing takes for a promise
    then: [
      { to: "ada", channel: "email", at: "+1d", subject: "2 news", body: { contains: "Hello Ada, there are news." } },
    ],
  };
  assert.deepEqual(scenario, expected);
  assert.deepEqual(notes, []);
  assert.match(
    yaml,
    /^name: news to ada\ngiven:\n {2}time: "2026-03-02T09:00:00.000Z"\n {2}subscribers:\n {4}- subscriberId: ada\n/,
  );
  assert.match(yaml, /when:\n {2}- at: \+0m\n {4}trigger: news\n {4}to: ada\n {4}payload:\n {6}"n": 1\n/);
  assert.deepEqual((await exported(stage, { transactionId: first })).scenario, expected);
  const range = { from: start, to: "2026-03-05T00:00:00Z" };
  assert.deepEqual((await exported(stage, range)).scenario, expected);
  assert.deepEqual((await exported(stage, { ...range, from: "2026-03-02T10:00:00Z" })).scenario.when.length, 1);
  const open = await exported(stage, { transactionId: await trigger(stage.client, "news", "ada", { n: 3 }) });
  assert.deepEqual([open.scenario.until, open.scenario.then], ["+0m", []]);
  assert.match(open.yaml, /^# Steps still wait: the scenario ends before what they send later\.\nname: /);
});

test("topics, marks, contexts and cancelations are actions; secrets stay where they are", async () => {
  const stage = await newStage(service, start);
  await createWorkflow(stage.client, "orders", [
    inApp({ subject: "Order", body: "Order {{ payload.id }}" }),
    { name: "Wait", type: "delay", controlValues: { amount: 1, unit: "hours" } },
    inApp({ body: "Is it there?" }),
  ]);
  await stage.client("subscribers.create", { body: { subscriberId: "bob" } });
  await stage.client("topicSubscriptions.create", { params: { topicKey: "buyers" }, body: { subscriptions: ["bob"] } });
  const to = { type: "Topic" as const, topicKey: "buyers" };
  const body = { name: "orders", to, payload: { id: 7 }, actor: "cleo", overrides: { severity: "high" } };
  await stage.client("subscribers.create", { body: { subscriberId: "cleo" } });
  const { transactionId } = (await stage.client("events.trigger", { body })).body;
  await stage.advance(30, "minutes");
  await stage.client("subscribers.markAllMessages", { params: { subscriberId: "bob" }, body: { markAs: "read" } });
  await stage.advance(1, "hours");
  const { scenario, notes } = await exported(stage, { transactionId: transactionId! });
  assert.deepEqual(scenario.given.topics, { buyers: ["bob"] });
  assert.deepEqual(
    scenario.when.map(({ at, trigger: workflow, read, actor }) => ({ at, workflow, read, actor })),
    [
      { at: "+0m", workflow: "orders", read: undefined, actor: "cleo" },
      { at: "+30m", workflow: undefined, read: "bob", actor: undefined },
    ],
  );
  assert.deepEqual(scenario.when[0]!.to, to);
  assert.deepEqual(
    scenario.then.map(({ at, subject, body: text }) => [at, subject, text]),
    [
      ["+0m", "Order", "Order 7"],
      ["+1h", undefined, "Is it there?"],
    ],
  );
  assert.match(notes.join(), /^Overrides are left out, because they may hold credentials/);
  const canceled = await trigger(stage.client, "orders", "bob", { id: 8 });
  await stage.advance(1, "minutes");
  await stage.client("events.cancel", { params: { transactionId: canceled } });
  const second = await exported(stage, { transactionId: canceled });
  assert.deepEqual(second.scenario.when.at(-1), { at: "+1m", cancel: canceled });
});

test("signals and responses that runs got are in the scenario", async () => {
  const stage = await newStage(service, start);
  const request = (stepId: string, more: object) => ({
    ...{ name: stepId, stepId, type: "http_request" as const },
    controlValues: {
      ...{ method: "GET", url: "https://billing.example.com" },
      ...{ sampleResponse: { status: 200, body: { plan: "pro", seats: 3 } }, ...more },
    },
  });
  const wait = { type: "regular", amount: 1, unit: "days", signal: { name: "paid" } };
  await createWorkflow(stage.client, "bill", [
    request("whole", {}),
    request("part", { responseBodySchema: { type: "object", properties: { plan: { type: "string" } } } }),
    { name: "Wait", stepId: "wait", type: "wait", controlValues: wait },
    inApp({ body: "{{ steps.part.plan }} {{ steps.wait.reason }}" }),
  ]);
  const transactionId = await trigger(stage.client, "bill", "eve");
  await stage.advance(1, "hours");
  await stage.client("signals.send", { body: { name: "paid", to: "eve", key: "k" } });
  await stage.advance(1, "hours");
  const { scenario, notes } = await exported(stage, { transactionId });
  assert.deepEqual(scenario.given.responses, {
    bill: { whole: { status: 200, body: { plan: "pro", seats: 3 } }, part: { status: 200, body: { plan: "pro" } } },
  });
  assert.deepEqual(scenario.when[1], { at: "+1h", signal: "paid", to: "eve", key: "k" });
  assert.equal(scenario.then[0]!.body, "pro signal");
  assert.deepEqual(notes, []);
});

test("in real time a message is expected within seconds", async () => {
  await createWorkflow(client, "hello", [inApp()]);
  const transactionId = await trigger(client, "hello", "dan", { name: "Dan" });
  await settled(client, transactionId);
  const { scenario } = await exported(service, { transactionId });
  const [message] = scenario.then;
  assert.equal(message!.body, "Hello Dan");
  assert.deepEqual(Object.keys(message!.at!), ["from", "to"]);
});

test("bad requests are refused, and so is what is too large", async () => {
  const fault = async (query: Record<string, string>) =>
    JSON.stringify((await refused(query, "VALIDATION_ERROR")).errors);
  assert.match(await fault({}), /Give transactionId, or from and to/);
  assert.match(await fault({ transactionId: "x", from: start }), /Give either transactionId, or from and to/);
  assert.match(await fault({ from: "2026-03-03T00:00:00Z", to: start }), /from must not be later than to/);
  assert.match(await fault({ from: "1999-01-01T00:00:00Z", to: "1999-01-02T00:00:00Z" }), /No event was accepted/);
  assert.match(await fault({ from: "yesterday", to: start }), /from/);
  await refused({ transactionId: "moon" }, "TRANSACTION_NOT_FOUND");

  const stage = await newStage(service, start);
  await createWorkflow(stage.client, "many", [inApp({ body: "x" })]);
  const people = (from: number) => Array.from({ length: 60 }, (_, at) => `p${from + at}`);
  const wide = await trigger(stage.client, "many", people(0));
  await trigger(stage.client, "many", people(60));
  await stage.moveTo(start);
  const { message } = await refused({ from: start, to: start }, "SCENARIO_TOO_LARGE", stage.client);
  assert.match(message, /at most 100 subscribers/);
  await refused({ transactionId: wide }, "TRANSACTION_NOT_FOUND");
});

test("a tenant is exported with its name and data: a new environment has no tenants", async () => {
  const stage = await newStage(service, start);
  await createWorkflow(stage.client, "billed", [inApp({ body: "{{ tenant.name }} {{ tenant.data.plan }}" })]);
  const tenant = { identifier: "acme", name: "Acme", data: { plan: "pro" } };
  const send = async (given: string | object) =>
    (await stage.client("events.trigger", { body: { name: "billed", to: "ada", tenant: given } as never })).body;
  const first = await send(tenant);
  const second = await send("acme");
  await stage.advance(1, "minutes");
  for (const { transactionId } of [first, second]) {
    const { scenario } = await exported(stage, { transactionId: transactionId! });
    assert.deepEqual(scenario.when[0]!.tenant, tenant);
    assert.equal(scenario.then[0]!.body, "Acme pro");
  }
});

test("an attention budget is exported; its roll-ups are expected, and started by the service itself", async () => {
  const stage = await newStage(service, start);
  const budget = { channel: "in_app", limit: 1, window: { amount: 1, unit: "day" } } as const;
  await stage.client("attention.update", { body: { budgets: [budget] } });
  await createWorkflow(stage.client, "news", [inApp({ subject: "News", body: "x" })]);
  for (const _ of [1, 2, 3]) await trigger(stage.client, "news", "ada");
  await stage.advance(2, "days");
  const { scenario, notes } = await exported(stage, { from: start, to: "2026-03-05T00:00:00Z" });
  assert.deepEqual(scenario.given.attention, [{ ...budget, overflow: "roll_up" }]);
  assert.deepEqual(
    scenario.when.map((action) => action.trigger),
    ["news", "news", "news"],
  );
  assert.deepEqual(
    scenario.then.map(({ at, subject }) => [at, subject]),
    [
      ["+0m", "News"],
      ["+1d", "2 updates for you"],
    ],
  );
  assert.match(notes[0]!, /^The attention budget counts only what the scenario sends/);
});
