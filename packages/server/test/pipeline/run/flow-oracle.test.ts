// Workflows with branches, waits, experiments and delays, in random scenarios on a test clock, against an interpreter of
// the tree that shares no code with the engine. Random signals, marks and times: every run sends exactly what the
// interpreter sends, at the same time, and ends once. `ORACLE_RUNS=100` tries more, `ORACLE_SEED=7` repeats one.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { StepIn } from "@tidings/contract";
import { newStage } from "../../support/clock.ts";
import { shareService } from "../../support/service.ts";
import { createWorkflow } from "../../support/verbs.ts";
import { createRandom, type Random } from "./random.ts";

const service = await shareService();
const start = Date.parse("2026-03-02T09:00:00.000Z");
const people = ["ada", "bob", "cleo"];
const signals = ["go", "stop"];

/** What an author draws. A wait takes at most `minutes`. */
type Node =
  | { kind: "send"; id: string }
  | { kind: "delay"; id: string; minutes: number }
  | {
      kind: "wait";
      id: string;
      minutes: number;
      signal: string;
      isKeyed: boolean;
      back: number;
      ends: "" | "event" | "timeout";
    }
  | { kind: "fork"; id: string; arms: { test: Test; inside: Node[] }[]; otherwise: Node[] };
type Test = { kind: "n"; is: number } | { kind: "reason"; of: string; is: string } | { kind: "person"; is: string };

/** Different primes, so that waits rarely end at the same time. */
const lengths = [7, 11, 13, 17, 19, 23, 29];

function randomNodes(random: Random, depth: number, names: { next: number; waits: string[] }): Node[] {
  return Array.from({ length: 1 + random.below(depth === 0 ? 4 : 2) }, (): Node => {
    const id = `s${names.next++}`;
    const kind = random.pick(
      names.next > 14 || depth >= 3
        ? (["send", "wait"] as const)
        : (["send", "delay", "wait", "fork", "fork"] as const),
    );
    if (kind === "send") return { kind, id };
    const minutes = random.pick(lengths);
    if (kind === "delay") return { kind, id, minutes };
    if (kind === "wait") {
      const ends = random.pick(["", "", "", "event", "timeout"] as const);
      const node = {
        kind,
        id,
        minutes,
        signal: random.pick(signals),
        isKeyed: random.chance(0.3),
        back: random.chance(0.3) ? 15 : 0,
        ends,
      };
      names.waits.push(id);
      return node;
    }
    const known = [...names.waits];
    const test = (): Test => {
      if (known.length > 0 && random.chance(0.5)) {
        return { kind: "reason", of: random.pick(known), is: random.pick(["signal", "timeout"]) };
      }
      return random.chance(0.5) ? { kind: "n", is: random.below(2) } : { kind: "person", is: random.pick(people) };
    };
    const arms = Array.from({ length: 1 + random.below(2) }, () => ({
      test: test(),
      inside: randomNodes(random, depth + 1, names),
    }));
    return { kind, id, arms, otherwise: random.chance(0.5) ? randomNodes(random, depth + 1, names) : [] };
  });
}

const conditionOf = (one: Test): object => {
  if (one.kind === "n") return { "==": [{ var: "payload.kind" }, one.is] };
  if (one.kind === "person") return { "==": [{ var: "subscriber.subscriberId" }, one.is] };
  return { "==": [{ var: `steps.${one.of}.reason` }, one.is] };
};

const toSteps = (nodes: Node[], arm?: string): StepIn[] => nodes.flatMap((node) => stepsOf(node, arm));

function stepsOf(node: Node, arm?: string): StepIn[] {
  const common = { name: node.id, stepId: node.id, ...(arm && { arm }) };
  if (node.kind === "send") {
    return [{ ...common, type: "in_app", controlValues: { body: `${node.id} {{ payload.n }}` } }];
  }
  if (node.kind === "delay") {
    return [{ ...common, type: "delay", controlValues: { amount: node.minutes, unit: "minutes" } }];
  }
  if (node.kind === "wait") {
    const { minutes, signal, isKeyed, back, ends } = node;
    const controlValues = {
      amount: minutes,
      unit: "minutes",
      signal: { name: signal, ...(isKeyed && { key: "{{ payload.n }}" }), ...(back > 0 && { lookBackMinutes: back }) },
      ...(ends === "event" && { onEvent: "end" }),
      ...(ends === "timeout" && { onTimeout: "end" }),
    };
    return [{ ...common, type: "wait", controlValues }];
  }
  const arms = node.arms.map((one, index) => ({ id: `a${index}`, condition: conditionOf(one.test) }));
  return [
    { ...common, type: "branch", controlValues: { arms } },
    ...node.arms.flatMap(({ inside }, index) => toSteps(inside, `${node.id}/a${index}`)),
    ...toSteps(node.otherwise, `${node.id}/else`),
  ];
}

type Sent = { at: number; person: string; name: string; key: string };

/** Walks the tree with all signals known beforehand. Returns what is sent, each with its time in seconds. */
function interpret(nodes: Node[], run: { n: number; kind: number; person: string; at: number }, all: Sent[]): string[] {
  const sent: string[] = [];
  const reasons = new Map<string, string>();
  let now = run.at;
  const isTrue = (one: Test): boolean => {
    if (one.kind === "n") return run.kind === one.is;
    return one.kind === "person" ? run.person === one.is : reasons.get(one.of) === one.is;
  };
  /** False when the run ends. */
  const walk = (list: Node[]): boolean => {
    for (const node of list) {
      if (node.kind === "send") sent.push(`${now} ${run.person} ${node.id} ${run.n}`);
      else if (node.kind === "delay") now += node.minutes * 60;
      else if (node.kind === "wait") {
        const own = all.filter(
          ({ person, name, key }) =>
            person === run.person && name === node.signal && (!node.isKeyed || key === String(run.n)),
        );
        const isEarlier = node.back > 0 && own.some(({ at }) => at <= now && at >= now - node.back * 60);
        const next = own.find(({ at }) => at > now && at < now + node.minutes * 60);
        const reason = isEarlier || next ? "signal" : "timeout";
        if (!isEarlier) now = next ? next.at : now + node.minutes * 60;
        reasons.set(node.id, reason);
        if (node.ends === (reason === "signal" ? "event" : "timeout")) return false;
      } else {
        const taken = node.arms.find(({ test: one }) => isTrue(one))?.inside ?? node.otherwise;
        if (!walk(taken)) return false;
      }
    }
    return true;
  };
  walk(nodes);
  return sent;
}

const actions = 14;

async function compare(seed: number): Promise<void> {
  const random = createRandom(seed);
  const stage = await newStage(service, new Date(start).toISOString());
  const { client } = stage;
  const nodes = randomNodes(random, 0, { next: 0, waits: [] });
  const steps = toSteps(nodes).slice(0, 20);
  if (steps.length < toSteps(nodes).length) return;
  await createWorkflow(client, "flow", steps);
  for (const subscriberId of people) await client("subscribers.create", { body: { subscriberId } });
  const runs: { n: number; kind: number; person: string; at: number }[] = [];
  const all: Sent[] = [];
  let time = 0;
  const moveTo = async (next: number) => {
    time = next;
    await stage.moveTo(new Date(start + time * 1_000).toISOString());
  };
  for (let action = 1; action <= actions; action++) {
    // The seconds tell the requests apart: nothing of two requests becomes due at the same time.
    await moveTo((Math.floor(time / 60) + 1 + random.below(8)) * 60 + action);
    const person = random.pick(people);
    if (runs.length === 0 || random.chance(0.4)) {
      const run = { n: runs.length, kind: random.below(2), person, at: time };
      runs.push(run);
      await client("events.trigger", { body: { name: "flow", to: person, payload: { n: run.n, kind: run.kind } } });
    } else {
      const { n } = random.pick(runs);
      const sent = { at: time, person, name: random.pick(signals), key: String(n) };
      all.push(sent);
      await client("signals.send", { body: { name: sent.name, to: person, key: sent.key, data: { n } } });
    }
  }
  await moveTo(time + 24 * 3_600);
  const { data } = (await client("messages.list", { query: { limit: 1000 } })).body;
  const sent = data.map(
    ({ createdAt, subscriber, content }) =>
      `${Math.round((Date.parse(createdAt) - start) / 1_000)} ${subscriber!.subscriberId} ${content}`,
  );
  const expected = runs.flatMap((run) => interpret(nodes, run, all));
  assert.deepEqual(sent.toSorted(), expected.toSorted(), `seed ${seed}: ${JSON.stringify(nodes)}`);
  const { data: notifications } = (await client("notifications.list", { query: { limit: 50 } })).body;
  const open = notifications.flatMap(({ jobs = [] }) =>
    jobs.filter(({ status }) => ["pending", "delayed", "queued"].includes(status)),
  );
  assert.deepEqual(open, [], `seed ${seed}: every run has ended`);
}

const { ORACLE_RUNS = "4", ORACLE_SEED } = process.env;
const firstSeed = ORACLE_SEED === undefined ? Math.floor(Date.now() / 1_000) % 1_000_000 : Number(ORACLE_SEED);
const count = ORACLE_SEED === undefined ? Number(ORACLE_RUNS) : 1;

test(`runs take the way that the interpreter takes: seeds from ${firstSeed}`, async () => {
  for (let run = 0; run < count; run++) await compare(firstSeed + run);
});
