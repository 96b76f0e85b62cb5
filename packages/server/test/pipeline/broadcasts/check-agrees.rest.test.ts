// The checklist of a broadcast equals what then happens, for random people and content on a test clock: addresses that
// are missing or suppressed, preferences, quiet hours, budgets that are used up, integrations that are off, conditions,
// experiments, templates that fail. `CHECK_RUNS=100` tries more, `CHECK_SEED=7` repeats one.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { AttentionBudget, BroadcastCheck, StepIn } from "@tidings/contract";
import { newStage, type Stage } from "@tidings/testkit/clock";
import { createRandom, type Random } from "@tidings/testkit/load/random";
import { chooseSeed } from "@tidings/testkit/long";
import { shareService } from "@tidings/testkit/service";
import { createWorkflow, email, inApp } from "@tidings/testkit/verbs";
import { eventually } from "@tidings/testkit/wait";

const service = await shareService();

const { CHECK_RUNS = "4", CHECK_SEED } = process.env;
const firstSeed = chooseSeed(1, CHECK_SEED);
const count = CHECK_SEED === undefined ? Number(CHECK_RUNS) : 1;

const start = "2026-03-28T20:00:00.000Z";
const zones = ["Europe/Berlin", "Australia/Lord_Howe", "America/New_York", undefined];
const mornings = ["06:00 PM", "10:00 PM", "06:00 AM", "12:00 PM"];

async function addPeople({ client }: Stage, random: Random, workflowId: string): Promise<string[]> {
  const names = Array.from({ length: 4 + random.below(10) }, (_, at) => `p${at}`);
  const subscribers = names.map((subscriberId) => ({
    subscriberId,
    ...(random.chance(0.8) && { email: `${subscriberId}@example.com` }),
    ...(random.chance(0.6) && { phone: `+49151${10_000_000 + random.below(1_000_000)}` }),
    timezone: random.pick(zones),
    data: { plan: random.pick(["free", "pro", "team"]), n: random.below(3) },
  }));
  await client("subscribers.createBulk", { body: { subscribers } });
  for (const { subscriberId, ...one } of subscribers) {
    if (one.email && random.chance(0.15)) {
      await client("suppressions.create", { body: { channel: "email", address: one.email } });
    }
    if (random.chance(0.25)) await choose(client, { subscriberId, workflowId }, random);
  }
  return names;
}

type Choice = { subscriberId: string; workflowId: string };

async function choose(client: Stage["client"], { subscriberId, workflowId }: Choice, random: Random): Promise<void> {
  const hours = [{ start: random.pick(mornings), end: "11:59 PM" }];
  const days = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];
  const weeklySchedule = Object.fromEntries(days.map((day) => [day, { isEnabled: random.chance(0.8), hours }]));
  const body = random.pick([
    { channels: { [random.pick(["email", "in_app", "sms"])]: false } },
    { workflowId, channels: { [random.pick(["email", "in_app"])]: false } },
    { schedule: { isEnabled: true, weeklySchedule } },
  ]);
  await client("subscribers.updatePreferences", { params: { subscriberId }, body: body as never });
}

async function switchOff({ client }: Stage, channel: string): Promise<void> {
  const { body } = await client("integrations.list", {});
  for (const { _id, ...one } of body.filter((row) => row.channel === channel)) {
    if (one.active) await client("integrations.update", { params: { integrationId: _id! }, body: { active: false } });
  }
}

function randomBudgets(random: Random): AttentionBudget[] {
  const window = random.pick([
    { amount: 1, unit: "hour" },
    { amount: 1, unit: "day" },
  ] as const);
  return (["email", "in_app"] as const)
    .filter(() => random.chance(0.5))
    .map((channel) => ({
      channel,
      classes: random.pick([["promotional"], ["transactional", "promotional"]] as const) as never,
      limit: 1 + random.below(2),
      window,
      overflow: random.pick(["roll_up", "roll_up", "drop", "delay"] as const),
    }));
}

const isPro = { "==": [{ var: "subscriber.data.plan" }, "pro"] };
const fragile = "{% if subscriber.data.n == 2 %}{% for i in (1..9999999) %}{{ i }}{% endfor %}{% endif %}Hello";

function randomSteps(random: Random): StepIn[] {
  const skip = random.chance(0.3) ? { skip: isPro } : {};
  const choices: StepIn[] = [
    { stepId: "in", ...inApp({ body: random.chance(0.3) ? fragile : "Hello", ...skip }) },
    { stepId: "mail", ...email({ subject: "Hi", body: random.chance(0.3) ? fragile : "<p>Hello</p>", ...skip }) },
    { stepId: "text", name: "SMS", type: "sms", controlValues: { body: "Hello" } },
    { stepId: "push", name: "Push", type: "push", controlValues: { subject: "Hi", body: "Hello" } },
    { stepId: "pause", name: "Delay", type: "delay", controlValues: { type: "regular", amount: 3, unit: "hours" } },
    {
      stepId: "arms",
      name: "Arms",
      type: "experiment",
      controlValues: { variants: [{ id: "a" }, { id: "b" }], holdOutPercent: random.pick([0, 20]) },
    },
  ];
  const chosen = choices.filter(() => random.chance(0.55));
  const again = { ...choices[1]!, stepId: "mail-again" };
  const steps = random.chance(0.2) ? [...chosen, again] : chosen;
  return steps.some(({ type }) => type === "email" || type === "in_app") ? steps : [...steps, choices[0]!];
}

type Steps = BroadcastCheck["steps"];

const wordOf = ({ outcome, code }: { outcome: string; code?: string }): string =>
  outcome === "sent" ? "sends" : outcome === "done" ? "done" : (code ?? outcome);

async function whatHappened({ client }: Stage, transactionId: string, people: string[]): Promise<Steps> {
  const steps = new Map<string, Steps[number]>();
  for (const subscriberId of people) {
    const { body } = await client("explain.retrieve", { query: { transactionId, subscriberId } });
    for (const step of body.steps) {
      const { stepId, type } = step;
      const own = steps.get(stepId) ?? { stepId, type, outcomes: {} };
      steps.set(stepId, own);
      own.outcomes[wordOf(step)] = (own.outcomes[wordOf(step)] ?? 0) + 1;
    }
  }
  return [...steps.values()];
}

const peopleOf = async ({ client }: Stage, broadcastId: string): Promise<string[]> =>
  (await client("broadcasts.listPeople", { params: { broadcastId }, query: { limit: 100 } })).body.data.map(
    ({ subscriberId }) => subscriberId,
  );

async function play(stage: Stage, seed: number): Promise<void> {
  const random = createRandom(seed);
  const { client } = stage;
  const steps = randomSteps(random);
  await createWorkflow(client, "saved", steps, { messageClass: random.pick(["transactional", "promotional"]) });
  await createWorkflow(client, "earlier", [inApp(), email()], { messageClass: "promotional" });
  const isSaved = random.chance(0.4);
  const content = isSaved ? { workflowId: "saved" } : { steps };
  const rule = random.pick([null, isPro, { "!": isPro }, { "<": [{ var: "subscriber.data.n" }, 2] }]);
  if (rule) await client("audiences.create", { body: { audienceId: "some", name: "Some", rule } });
  const audience = rule === null ? { include: [], everyone: true } : { include: ["some"] };
  const created = await client("broadcasts.create", { body: { name: `Seed ${seed}`, content, audience } });
  if (random.chance(0.2)) await switchOff(stage, "sms");
  const people = await addPeople(stage, random, isSaved ? "saved" : "broadcast");
  const budgets = randomBudgets(random);
  await client("attention.update", { body: { budgets } });
  const busy = people.filter(() => random.chance(0.4));
  if (busy.length > 0) await client("events.trigger", { body: { name: "earlier", to: busy, payload: { name: "x" } } });
  await stage.moveTo("2026-03-28T20:10:00.000Z");

  const params = { broadcastId: created.body._id };
  await client("broadcasts.check", { params });
  const check = await eventually(async () => {
    const { body } = await client("broadcasts.retrieveCheck", { params });
    return body.status === "running" ? null : body;
  }, "the check");
  const about = `seed ${seed}: ${JSON.stringify({ steps, budgets, check })}`;
  assert.equal(check.status, "completed", about);
  if (rule === null) assert.equal(check.people, people.length, about);

  await client("broadcasts.send", { params });
  await stage.advance(14, "days");
  const done = await eventually(async () => {
    const { body } = await client("broadcasts.retrieve", { params });
    return body.status === "completed" ? body : null;
  }, "the end");
  assert.equal(done.progress.people, check.people, about);
  const reached = await peopleOf(stage, params.broadcastId);
  assert.equal(reached.length, check.checked, about);
  const happened = await whatHappened(stage, done.transactionId!, reached);
  assert.deepEqual(sorted(happened), sorted(check.steps), about);
}

const sorted = (steps: Steps) => Object.fromEntries(steps.map(({ stepId, outcomes }) => [stepId, outcomes]));

test(`the check says what happens: seeds from ${firstSeed}`, async () => {
  for (let run = 0; run < count; run++) await play(await newStage(service, start), firstSeed + run);
});
