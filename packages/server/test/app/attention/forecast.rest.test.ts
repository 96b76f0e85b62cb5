// A forecast of messages that were sent without a budget says what a replay of the same events with the budget then
// does: messages that are sent, rolled up, delayed and dropped, roll-ups, people and workflows.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { AttentionBudget, AttentionForecast } from "@tidings/contract";
import { newStage, type Stage } from "@tidings/testkit/clock";
import { createRandom } from "@tidings/testkit/load/random";
import { shareService } from "@tidings/testkit/service";
import { createWorkflow, inApp } from "@tidings/testkit/verbs";

const service = await shareService();
const start = Date.parse("2026-03-20T06:00:00.000Z");
const zones = { ada: "Europe/Berlin", grace: "America/New_York", radia: "Asia/Kolkata" };
const people = Object.keys(zones);
const workflows = { order: "transactional", news: "promotional", code: "critical" } as const;
const names = Object.keys(workflows) as (keyof typeof workflows)[];

const count = 24;

type Step = { at: number; name: string; to: string; n: number };

function randomSteps(seed: number): Step[] {
  const random = createRandom(seed);
  let at = start;
  return Array.from({ length: count }, (_, n) => {
    at += (5 + random.below(300)) * 60_000 + 1_000;
    return { at, name: random.pick(names), to: random.pick(people), n };
  });
}

async function play(stage: Stage, steps: Step[], budgets: AttentionBudget[]): Promise<void> {
  const { client } = stage;
  if (budgets.length > 0) await client("attention.update", { body: { budgets } });
  for (const name of names) {
    await createWorkflow(client, name, [inApp({ subject: "{{ payload.n }}", body: "Text" })], {
      messageClass: workflows[name],
    });
  }
  for (const [subscriberId, timezone] of Object.entries(zones)) {
    await client("subscribers.create", { body: { subscriberId, timezone } });
  }
  for (const { at, name, to, n } of steps) {
    await stage.moveTo(new Date(at).toISOString());
    await client("events.trigger", { body: { name, to, payload: { n } } });
  }
  await stage.advance(1, "minutes");
}

/** The outcomes of the events, from their jobs. */
async function countOutcomes({ client }: Stage, steps: number): Promise<Record<string, number>> {
  const counts: Record<string, number> = { rolledUp: 0, delayed: 0, dropped: 0, rollUps: 0 };
  let seen = 0;
  for (let page = 0; page < 5; page++) {
    const { data } = (await client("notifications.list", { query: { limit: 50, page } })).body;
    for (const { jobs = [], template } of data) {
      if (template?.name === "Roll-up") counts.rollUps!++;
      else seen++;
      if (template?.name === "Roll-up") continue;
      const details = jobs.flatMap(({ executionDetails }) => executionDetails.map(({ detail }) => detail));
      if (details.includes("Over the attention budget, held for a roll-up")) counts.rolledUp!++;
      else if (details.includes("Over the attention budget, waits for a place")) counts.delayed!++;
      else if (details.includes("Over the attention budget, not sent")) counts.dropped!++;
    }
  }
  assert.equal(seen, steps);
  return counts;
}

const aDay = { amount: 1, unit: "day" } as const;
const cases: Record<string, AttentionBudget[]> = {
  "roll-ups": [{ channel: "in_app", limit: 2, window: aDay }],
  "roll-ups at a time": [{ channel: "in_app", limit: 1, window: aDay, rollUpAt: "18:00" }],
  delays: [{ channel: "in_app", limit: 1, window: { amount: 20, unit: "hour" }, overflow: "delay" }],
  "drops of one class": [
    { channel: "in_app", classes: ["promotional"], limit: 1, window: { amount: 2, unit: "day" }, overflow: "drop" },
    { channel: "in_app", limit: 3, window: aDay },
  ],
};

test("a forecast says what then happens", async () => {
  const steps = randomSteps(7);
  const before = await newStage(service, new Date(start).toISOString());
  await play(before, steps, []);
  for (const [name, budgets] of Object.entries(cases)) {
    const { body } = await before.client("attention.forecast", { body: { budgets, days: 30 } });
    const [channel] = (body as AttentionForecast).channels;
    const after = await newStage(service, new Date(start).toISOString());
    await play(after, steps, budgets);
    const { rolledUp, delayed, dropped, rollUps } = channel!;
    assert.deepEqual({ rolledUp, delayed, dropped, rollUps }, await countOutcomes(after, steps.length), name);
    assert.equal(channel!.messages, steps.length, name);
    assert.equal(channel!.sent + rolledUp + delayed + dropped, steps.length, name);
    assert.ok(
      body.workflows.every(({ workflowId }) => workflowId !== "code"),
      "critical workflows are not affected",
    );
    assert.ok(rolledUp + delayed + dropped > 2, "the budget holds something");
    assert.match(body.sentences[0]!, /^In the last 30 days, \d+ of 24 in-app messages would have been /);
  }
});

test("nothing was sent", async () => {
  const { client } = await newStage(service, new Date(start).toISOString());
  const { body } = await client("attention.forecast", { body: { budgets: cases.delays!, days: 1 } });
  assert.deepEqual(body.sentences, ["In the last day, no in-app messages were sent"]);
  assert.deepEqual(body.workflows, []);
});
