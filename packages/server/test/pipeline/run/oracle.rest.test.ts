// The service and an independent model of it (oracle.ts) in random scenarios on a test clock: digests, delays,
// throttles, topics, bulk requests with fields, cancelations. Both have to send the same, and no event may be lost or
// sent twice. `ORACLE_RUNS=100` tries more scenarios, `ORACLE_SEED=7` repeats one.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { StepIn, TriggerEvent } from "@tidings/contract";
import { newStage } from "@tidings/testkit/clock";
import { createRandom, type Random } from "@tidings/testkit/load/random";
import { chooseSeed } from "@tidings/testkit/long";
import { shareService } from "@tidings/testkit/service";
import { createWorkflow } from "@tidings/testkit/verbs";
import { createModel, type ModelEvent, type ModelStep } from "./oracle.ts";

const service = await shareService();

const people = ["ada", "bob", "cleo"];
const members = ["ada", "bob"];
const start = Date.parse("2026-03-02T09:00:00.000Z");

/** Different primes, so that waits of different lengths rarely end at the same time. */
const lengths = [7, 11, 13, 17, 19, 23, 29];

function randomSteps({ pick, chance, below }: Random): ModelStep[] {
  const waits = Array.from({ length: 1 + below(3) }, (): ModelStep => {
    const minutes = pick(lengths);
    const kind = pick(["delay", "digest", "digest", "throttle"] as const);
    if (kind === "delay") return { type: "delay", minutes };
    if (kind === "throttle") return { type: "throttle", minutes, threshold: 1 + below(2) };
    return { type: "digest", minutes, isKeyed: chance(0.3), lookBack: chance(0.3) ? 31 : null };
  });
  return [
    ...waits.flatMap((step): ModelStep[] => (chance(0.3) ? [{ type: "in_app" }, step] : [step])),
    { type: "in_app" },
  ];
}

function toStep(step: ModelStep, index: number, workflow: number, steps: ModelStep[]): StepIn {
  const common = { name: `s${index}`, stepId: `s${index}` };
  if (step.type === "in_app") {
    const digest = steps.slice(0, index).findLastIndex(({ type }) => type === "digest");
    const list = digest < 0 ? "" : `{{ steps.s${digest}.events | map: "payload" | map: "n" | join: "," }}`;
    const body = `${workflow}.${index} {{ payload.n }} v{{ subscriber.data.v }} [${list}]`;
    return { ...common, type: "in_app", controlValues: { body } };
  }
  const controlValues = { amount: step.minutes, unit: "minutes" };
  if (step.type === "delay") return { ...common, type: "delay", controlValues };
  if (step.type === "throttle")
    return { ...common, type: "throttle", controlValues: { ...controlValues, threshold: step.threshold } };
  const lookBackWindow = step.lookBack === null ? undefined : { amount: step.lookBack, unit: "minutes" };
  const digestKey = step.isKeyed ? "key" : undefined;
  return { ...common, type: "digest", controlValues: { ...controlValues, lookBackWindow, digestKey } };
}

function randomEvent({ pick, chance, below }: Random, n: number): ModelEvent {
  const isForTopic = chance(0.4);
  const named = isForTopic && chance(0.5) ? [] : people.filter(() => chance(0.5));
  if (named.length === 0 && !isForTopic) named.push("ada");
  const to = new Map(named.map((person) => [person, chance(0.4) ? n : null]));
  return { n, workflow: below(workflowsPerScenario), key: pick(["a", "b"]), to, isForTopic };
}

function toEvent({ n, workflow, key, to, isForTopic }: ModelEvent): TriggerEvent {
  const named = [...to].map(([subscriberId, v]) => (v === null ? subscriberId : { subscriberId, data: { v } }));
  const topic = isForTopic ? [{ type: "Topic" as const, topicKey: "team" }] : [];
  return { name: `w${workflow}`, to: [...named, ...topic], payload: { n, key }, transactionId: `n${n}` };
}

const workflowsPerScenario = 3;
const actionsPerScenario = 12;

async function compare(seed: number): Promise<void> {
  const random = createRandom(seed);
  const stage = await newStage(service, new Date(start).toISOString());
  const { client } = stage;
  const workflows = Array.from({ length: workflowsPerScenario }, () => randomSteps(random));
  for (const [index, steps] of workflows.entries()) {
    await createWorkflow(
      client,
      `w${index}`,
      steps.map((step, at) => toStep(step, at, index, steps)),
    );
  }
  for (const subscriberId of people) await client("subscribers.create", { body: { subscriberId } });
  await client("topicSubscriptions.create", { params: { topicKey: "team" }, body: { subscriberIds: members } });

  const model = createModel(workflows, members);
  const events: ModelEvent[] = [];
  const canceled = new Set<number>();
  let time = 0;
  const moveTo = async (next: number) => {
    time = next;
    model.moveTo(time);
    await stage.moveTo(new Date(start + time * 1_000).toISOString());
  };
  for (let action = 1; action <= actionsPerScenario; action++) {
    // The seconds tell the requests apart: nothing of two requests becomes due at the same time.
    await moveTo((Math.floor(time / 60) + 1 + random.below(12)) * 60 + action);
    if (events.length > 0 && random.chance(0.35)) {
      const { n } = random.pick(events);
      const expected = model.cancel(n, time);
      const answer = (await client("events.cancel", { params: { transactionId: `n${n}` } })).body;
      assert.equal(answer, expected, `seed ${seed}: cancel of ${n}`);
      if (expected) canceled.add(n);
      continue;
    }
    const bulk = Array.from({ length: 1 + random.below(4) }, (_, index) =>
      randomEvent(random, events.length + index + 1),
    );
    events.push(...bulk);
    model.trigger(bulk, time);
    await client("events.triggerBulk", { body: { events: bulk.map(toEvent) } });
  }
  await moveTo(time + 24 * 3_600);

  const { data } = (await client("messages.list", { query: { limit: 1000 } })).body;
  const sent = data.map(({ createdAt, subscriber, content }) =>
    [Math.round((Date.parse(createdAt) - start) / 1_000), subscriber!.subscriberId, content].join(" "),
  );
  const expected = model.sent.map(({ time, person, content }) => [time, person, content].join(" "));
  assert.deepEqual(sent.toSorted(), expected.toSorted(), `seed ${seed}: ${JSON.stringify(workflows)}`);
  checkConservation(seed, workflows, events, canceled, sent);
}

/** Without a throttle, the last step sends every event that was not canceled exactly once to each of its recipients. */
function checkConservation(
  seed: number,
  workflows: ModelStep[][],
  events: ModelEvent[],
  canceled: ReadonlySet<number>,
  sent: string[],
): void {
  for (const event of events) {
    const steps = workflows[event.workflow]!;
    if (canceled.has(event.n) || steps.some(({ type }) => type === "throttle")) continue;
    const recipients = new Set([...event.to.keys(), ...(event.isForTopic ? members : [])]);
    const isDigested = steps.some(({ type }) => type === "digest");
    for (const person of recipients) {
      const own = sent.filter((line) => line.includes(` ${person} ${event.workflow}.${steps.length - 1} `));
      const count = own.filter((line) => {
        const [, root, list] = / (\d+) v\d* \[(.*)\]$/.exec(line)!;
        return isDigested ? list!.split(",").includes(String(event.n)) : root === String(event.n);
      }).length;
      assert.equal(count, 1, `seed ${seed}: event ${event.n} for ${person}`);
    }
  }
}

const { ORACLE_RUNS = "3", ORACLE_SEED } = process.env;
const firstSeed = chooseSeed(1, ORACLE_SEED);
const runs = ORACLE_SEED === undefined ? Number(ORACLE_RUNS) : 1;

test(`the service sends what the model sends: seeds from ${firstSeed}`, async () => {
  for (let run = 0; run < runs; run++) await compare(firstSeed + run);
});
