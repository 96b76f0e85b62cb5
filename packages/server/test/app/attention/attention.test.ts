// The attention budget of an environment over HTTP: what is stored, what is refused, and the workflow of roll-ups.
import assert from "node:assert/strict";
import { test } from "node:test";
import { faultsOf } from "@tidings/testkit/refusals";
import { shareService } from "@tidings/testkit/service";

const { client, production } = await shareService();

const daily = { channel: "email", limit: 3, window: { amount: 1, unit: "day" } } as const;
const put = async (...budgets: object[]) =>
  (await client("attention.update", { body: { budgets: budgets as never } })).body;
const stored = async () => (await client("attention.retrieve")).body;

test("budgets are replaced as a whole, with every default filled in, in one environment only", async () => {
  assert.deepEqual(await stored(), { budgets: [], rollUpWorkflowId: null });
  const dropping = { ...daily, classes: ["promotional"], overflow: "drop" };
  assert.deepEqual(await put(dropping), { budgets: [dropping], rollUpWorkflowId: null });
  const filled = { ...daily, classes: ["transactional", "promotional"], overflow: "roll_up" };
  const week = { ...daily, window: { amount: 2, unit: "week" }, overflow: "delay" };
  const { budgets } = await put({ ...daily, rollUpAt: null }, week);
  assert.deepEqual(budgets, [filled, { ...filled, ...week }]);
  assert.deepEqual((await production("attention.retrieve")).body, { budgets: [], rollUpWorkflowId: null });
  assert.deepEqual((await put()).budgets, []);
});

test("the first budget that rolls up creates the workflow of roll-ups, once; what people made of it stays", async () => {
  assert.equal((await put({ ...daily, rollUpAt: "18:00" })).rollUpWorkflowId, "roll-up");
  await client("workflows.patch", { params: { workflowId: "roll-up" }, body: { name: "Ours" } });
  await put();
  await Promise.all([put(daily), put({ ...daily, limit: 4 })]);
  const { body } = await client("workflows.retrieve", { params: { workflowId: "roll-up" } });
  assert.equal(body.name, "Ours");
  const active = (steps: typeof body.steps) => steps.filter((step) => step.active).map(({ type }) => type);
  assert.deepEqual(active(body.steps), ["email"]);
  assert.ok(
    body.steps.every(({ issues }) => !issues?.controls),
    "its template has no errors",
  );
  await put(daily, { ...daily, channel: "push" }, { ...daily, channel: "sms", overflow: "drop" });
  const { body: next } = await client("workflows.retrieve", { params: { workflowId: "roll-up" } });
  assert.deepEqual(active(next.steps), ["email", "push"], "a new budget turns its channel on");
});

test("wrong budgets are refused by field, and nothing changes", async () => {
  const before = await stored();
  const refusals: [budgets: unknown, field: string, message: RegExp][] = [
    [[{ ...daily, limit: 0 }], "budgets.0.limit", /must not be less than 1/],
    [[{ ...daily, limit: 101 }], "budgets.0.limit", /must not be greater than 100/],
    [[{ ...daily, limit: "many" }], "budgets.0.limit", /must be a number/],
    [[{ ...daily, limit: undefined }], "budgets.0.limit", /is required/],
    [[{ ...daily, channel: "fax" }], "budgets.0.channel", /must be one of/],
    [[{ ...daily, classes: ["critical"] }], "budgets.0.classes.0", /must be one of: transactional, promotional/],
    [[{ ...daily, classes: [] }], "budgets.0.classes", /./],
    [[{ ...daily, window: { amount: 91, unit: "day" } }], "budgets.0.window", /must not be longer than 90 days/],
    [[{ ...daily, window: { amount: 13, unit: "week" } }], "budgets.0.window", /must not be longer than 90 days/],
    [[{ ...daily, window: { amount: 1, unit: "month" } }], "budgets.0.window.unit", /must be one of: hour, day, week/],
    [[{ ...daily, overflow: "lose" }], "budgets.0.overflow", /must be one of/],
    [[{ ...daily, rollUpAt: "24:00" }], "budgets.0.rollUpAt", /./],
    [[{ ...daily, overflow: "delay", rollUpAt: "18:00" }], "budgets.0.rollUpAt", /only for a budget with overflow/],
    [[daily, { ...daily, limit: 5 }], "budgets.1", /has the channel, classes and window of budgets\.0/],
    [[daily, { ...daily, window: { amount: 24, unit: "hour" } }], "budgets.1", /remove one of them/],
    [Array.from({ length: 21 }, (_, at) => ({ ...daily, window: { amount: at + 1, unit: "day" } })), "budgets", /20/],
    ["none", "budgets", /must be an array/],
    [undefined, "budgets", /is required/],
  ];
  for (const [budgets, field, message] of refusals) {
    const faults = await faultsOf(client, "attention.update", { body: { budgets } });
    assert.match(String(faults[field]?.[0]), message, JSON.stringify({ budgets, faults }));
  }
  assert.deepEqual(await stored(), before);
});
