// Attention budgets in random scenarios on a test clock, against an interpreter (budget-model.ts): random budgets,
// messages, preferences and time zones in which clocks change. Every message is sent, held or rolled up as the
// interpreter does it, at the same time. `ORACLE_RUNS=100` tries more, `ORACLE_SEED=7` repeats one.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { AttentionBudget } from "@tidings/contract";
import { newStage, type Stage } from "@tidings/testkit/clock";
import { createRandom, type Random } from "@tidings/testkit/load/random";
import { chooseSeed } from "@tidings/testkit/long";
import { shareService } from "@tidings/testkit/service";
import { createWorkflow, inApp } from "@tidings/testkit/verbs";
import { type Happening, interpretBudgets } from "./budget-model.ts";

const service = await shareService();

const { ORACLE_RUNS = "2", ORACLE_SEED } = process.env;
const firstSeed = chooseSeed(1, ORACLE_SEED);
const count = ORACLE_SEED === undefined ? Number(ORACLE_RUNS) : 1;

const start = Date.parse("2026-03-28T06:00:00.000Z");
const actions = 30;
const hour = 3_600_000;
/** Clocks change by an hour on 29 March, and by half an hour on 5 April. */
const zones = { ada: "Europe/Berlin", grace: "Australia/Lord_Howe", radia: "America/New_York" } as const;
const people = Object.keys(zones) as (keyof typeof zones)[];
const workflows = { order: "transactional", news: "promotional", offer: "promotional", code: "critical" } as const;
const names = Object.keys(workflows) as (keyof typeof workflows)[];

function randomBudget(random: Random, classes: AttentionBudget["classes"]): AttentionBudget {
  const overflow = random.pick(["roll_up", "roll_up", "delay", "drop"] as const);
  const window = random.pick([
    { amount: 1 + random.below(5), unit: "hour" },
    { amount: 1, unit: "day" },
    { amount: 2, unit: "day" },
    { amount: 1, unit: "week" },
  ] as const);
  const rollUpAt = overflow === "roll_up" && random.below(3) === 0 ? random.pick(["02:30", "18:00"]) : undefined;
  return { channel: "in_app", classes, limit: 1 + random.below(3), window, overflow, ...(rollUpAt && { rollUpAt }) };
}

/** Transactional messages are counted by one budget only: who waits in two lines at once is not asked here. */
function randomBudgets(random: Random): AttentionBudget[] {
  const all = randomBudget(random, ["transactional", "promotional"]);
  const promotional = randomBudget(random, ["promotional"]);
  const isTwin = JSON.stringify(all.window) === JSON.stringify(promotional.window);
  return random.below(2) === 0 || isTwin ? [all] : random.below(2) === 0 ? [promotional, all] : [all, promotional];
}

async function play(stage: Stage, seed: number): Promise<void> {
  const random = createRandom(seed);
  const { client } = stage;
  const budgets = randomBudgets(random);
  await client("attention.update", { body: { budgets } });
  await showTitles(stage);
  for (const name of names) {
    await createWorkflow(client, name, [inApp({ subject: "{{ payload.title }}", body: "Text" })], {
      messageClass: workflows[name],
    });
  }
  for (const [subscriberId, timezone] of Object.entries(zones)) {
    await client("subscribers.create", { body: { subscriberId, timezone } });
  }
  const delays = budgets.some(({ overflow }) => overflow === "delay");
  const happenings: Happening[] = [];
  const off = new Set<string>();
  let at = start;
  for (let action = 1; action <= actions; action++) {
    // Different seconds: nothing becomes due at the time of a request.
    at = Math.floor(at / 60_000) * 60_000 + (1 + random.below(400)) * 60_000 + action * 1_000;
    await stage.moveTo(new Date(at).toISOString());
    const person = random.pick(people);
    const workflow = random.pick(names);
    const place = `${person} ${workflow}`;
    // A message that waits and is then switched off keeps its turn for a while, which is not asked here.
    if (!delays && workflow !== "code" && random.below(8) === 0) {
      const isOn = off.has(place);
      if (isOn) off.delete(place);
      else off.add(place);
      const body = { workflowId: workflow, channels: { in_app: isOn } };
      await client("subscribers.updatePreferences", { params: { subscriberId: person }, body });
      happenings.push({ at, kind: "switch", person, workflow, isOn });
      continue;
    }
    const title = `${workflow} ${action}`;
    happenings.push({ at, kind: "message", person, workflow, messageClass: workflows[workflow], title });
    await client("events.trigger", { body: { name: workflow, to: person, payload: { title } } });
  }
  const end = at + 40 * 24 * hour;
  await stage.moveTo(new Date(end).toISOString());
  const { data } = (await client("messages.list", { query: { limit: 1000 } })).body;
  const sent = data.map(({ createdAt, subscriber, subject }) =>
    [Date.parse(createdAt), subscriber!.subscriberId, subject].join(" "),
  );
  const expected = interpretBudgets(budgets, happenings, zones, end);
  const about = `seed ${seed}: ${JSON.stringify(budgets)}`;
  assert.deepEqual(readable(sent.toSorted()), readable(expected.sent), about);
}

/** Roll-ups whose subject has the titles of all items. */
async function showTitles({ client }: Stage): Promise<void> {
  const params = { workflowId: "roll-up" };
  if ((await client("attention.retrieve", {})).body.rollUpWorkflowId === null) return;
  const found = await client("workflows.retrieve", { params });
  const titles =
    "{% for item in payload.items %}{{ item.title }}{% unless forloop.last %}; {% endunless %}{% endfor %}";
  const step = found.body.steps.find(({ type }) => type === "in_app")!;
  const controlValues = { ...step.controlValues, subject: titles };
  await client("workflows.update", {
    params,
    body: {
      name: found.body.name,
      origin: "svc-cloud",
      preferences: {},
      steps: [{ _id: step._id, stepId: step.stepId, name: step.name, type: "in_app", controlValues }],
    },
  });
}

const readable = (lines: string[]): string[] =>
  lines.map((line) => line.replace(/^\d+/, (time) => new Date(Number(time)).toISOString()));

test(`people get what the interpreter sends: seeds from ${firstSeed}`, async () => {
  for (let run = 0; run < count; run++)
    await play(await newStage(service, new Date(start).toISOString()), firstSeed + run);
});
