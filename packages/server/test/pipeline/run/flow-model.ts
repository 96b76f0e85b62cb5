// Random workflows with branches, waits, experiments and delays, as the steps of a request and as a tree, and an
// interpreter of the tree that shares no code with the engine.
import { createHash } from "node:crypto";
import type { StepIn } from "@tidings/contract";
import type { Random } from "@tidings/testkit/load/random";

export const people = ["ada", "bob", "cleo"];
export const signalNames = ["go", "stop"];

/** What an author draws. A wait takes at most `minutes`. */
export type Node =
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
      /** The step whose message it waits to be read, instead of the signal. */
      reading?: string;
    }
  | { kind: "trial"; id: string; weights: number[]; heldOut: number }
  | { kind: "fork"; id: string; arms: { test: Test; inside: Node[] }[]; otherwise: Node[] };
type Test =
  | { kind: "n"; is: number }
  | { kind: "variant"; of: string; is: string }
  | { kind: "reason"; of: string; is: string }
  | { kind: "person"; is: string };

/** Different primes, so that waits rarely end at the same time. */
const lengths = [7, 11, 13, 17, 19, 23, 29];

/** The steps that a later one can refer to. */
type Names = { next: number; waits: string[]; sends: string[]; trials: string[] };

export function randomNodes(random: Random, depth: number, names: Names): Node[] {
  return Array.from({ length: 1 + random.below(depth === 0 ? 4 : 2) }, (): Node => {
    const id = `s${names.next++}`;
    const kind = random.pick(
      names.next > 14 || depth >= 3
        ? (["send", "wait"] as const)
        : (["send", "delay", "wait", "trial", "fork", "fork"] as const),
    );
    if (kind === "send") {
      names.sends.push(id);
      return { kind, id };
    }
    if (kind === "trial") {
      names.trials.push(id);
      const weights = Array.from({ length: 2 + random.below(2) }, () => 1 + random.below(4));
      return { kind, id, weights, heldOut: random.chance(0.2) ? 40 : 0 };
    }
    const minutes = random.pick(lengths);
    if (kind === "delay") return { kind, id, minutes };
    if (kind === "wait") {
      const ends = random.pick(["", "", "", "event", "timeout"] as const);
      const node = {
        kind,
        id,
        minutes,
        signal: random.pick(signalNames),
        isKeyed: random.chance(0.3),
        back: random.chance(0.3) ? 15 : 0,
        ends,
        ...(names.sends.length > 0 && random.chance(0.4) && { reading: random.pick(names.sends) }),
      };
      names.waits.push(id);
      return node;
    }
    const known = [...names.waits];
    const trials = [...names.trials];
    const test = (): Test => {
      if (trials.length > 0 && random.chance(0.5)) {
        return { kind: "variant", of: random.pick(trials), is: `v${random.below(3)}` };
      }
      if (known.length > 0 && random.chance(0.5)) {
        return { kind: "reason", of: random.pick(known), is: random.pick(["signal", "message", "timeout"]) };
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
  return { "==": [{ var: `steps.${one.of}.${one.kind}` }, one.is] };
};

export const toSteps = (nodes: Node[], arm?: string): StepIn[] => nodes.flatMap((node) => stepsOf(node, arm));

function stepsOf(node: Node, arm?: string): StepIn[] {
  const common = { name: node.id, stepId: node.id, ...(arm && { arm }) };
  if (node.kind === "send") {
    return [{ ...common, type: "in_app", controlValues: { body: `${node.id} {{ payload.n }}` } }];
  }
  if (node.kind === "delay") {
    return [{ ...common, type: "delay", controlValues: { amount: node.minutes, unit: "minutes" } }];
  }
  if (node.kind === "wait") {
    const { minutes, signal, isKeyed, back, ends, reading } = node;
    const awaited = reading
      ? { message: { stepId: reading, event: "read" } }
      : {
          signal: {
            name: signal,
            ...(isKeyed && { key: "{{ payload.n }}" }),
            ...(back > 0 && { lookBackMinutes: back }),
          },
        };
    const controlValues = {
      amount: minutes,
      unit: "minutes",
      ...awaited,
      ...(ends === "event" && { onEvent: "end" }),
      ...(ends === "timeout" && { onTimeout: "end" }),
    };
    return [{ ...common, type: "wait", controlValues }];
  }
  if (node.kind === "trial") {
    const variants = node.weights.map((weight, index) => ({ id: `v${index}`, weight }));
    return [{ ...common, type: "experiment", controlValues: { variants, holdOutPercent: node.heldOut } }];
  }
  const arms = node.arms.map((one, index) => ({ id: `a${index}`, condition: conditionOf(one.test) }));
  return [
    { ...common, type: "branch", controlValues: { arms } },
    ...node.arms.flatMap(({ inside }, index) => toSteps(inside, `${node.id}/a${index}`)),
    ...toSteps(node.otherwise, `${node.id}/else`),
  ];
}

type Sent = { at: number; person: string; name: string; key: string };
/** Read marks, by the content of the message. */
type Reads = Map<string, number>;

/** As docs/experiments.md says: every variant draws a number from 0 to 1, and the largest root of its weight wins. */
function variantOf(step: string, person: string, weights: number[]): string {
  const draws = weights.map((weight, index) => drawOf([`flow/${step}`, `v${index}`, person]) ** (1 / weight));
  return `v${draws.indexOf(Math.max(...draws))}`;
}

function drawOf(parts: string[]): number {
  const hash = createHash("sha256").update(JSON.stringify(parts)).digest("hex");
  return (Number.parseInt(hash.slice(0, 12), 16) + 0.5) / 2 ** 48;
}

export type Start = { n: number; kind: number; person: string; at: number };
/** All that happens, known beforehand. */
export type Happenings = { signals: Sent[]; reads: Reads };

type Wait = Extract<Node, { kind: "wait" }>;

/** Walks the tree. Returns what is sent, each with its time in seconds. */
export function interpret(nodes: Node[], run: Start, happenings: Happenings): string[] {
  const sent: string[] = [];
  const contents = new Set<string>();
  /** Why waits ended, and the variants. */
  const results = new Map<string, string>();
  let now = run.at;
  const isTrue = (one: Test): boolean => {
    if (one.kind === "n") return run.kind === one.is;
    return one.kind === "person" ? run.person === one.is : results.get(one.of) === one.is;
  };
  /** The times of what the wait waits for. */
  const timesOf = (node: Wait): number[] => {
    const watched = `${node.reading} ${run.n}`;
    const readAt = contents.has(watched) ? happenings.reads.get(watched) : undefined;
    if (node.reading) return readAt === undefined ? [] : [readAt];
    return happenings.signals.flatMap(({ person, name, key, at }) =>
      person === run.person && name === node.signal && (!node.isKeyed || key === String(run.n)) ? [at] : [],
    );
  };
  /** False when the run ends. */
  const wait = (node: Wait): boolean => {
    const times = timesOf(node);
    const back = node.reading ? Number.POSITIVE_INFINITY : node.back * 60;
    const isEarlier = back > 0 && times.some((at) => at <= now && at >= now - back);
    const next = times.find((at) => at > now && at < now + node.minutes * 60);
    const event = node.reading ? "message" : "signal";
    const reason = isEarlier || next !== undefined ? event : "timeout";
    if (!isEarlier) now = next ?? now + node.minutes * 60;
    results.set(node.id, reason);
    return node.ends !== (reason === "timeout" ? "timeout" : "event");
  };
  const walk = (list: Node[]): boolean =>
    list.every((node) => {
      switch (node.kind) {
        case "send":
          sent.push(`${now} ${run.person} ${node.id} ${run.n}`);
          contents.add(`${node.id} ${run.n}`);
          return true;
        case "delay":
          now += node.minutes * 60;
          return true;
        case "wait":
          return wait(node);
        case "trial":
          results.set(node.id, variantOf(node.id, run.person, node.weights));
          return drawOf([`flow/${node.id}`, run.person]) * 100 >= node.heldOut;
        default:
          return walk(node.arms.find(({ test }) => isTrue(test))?.inside ?? node.otherwise);
      }
    });
  walk(nodes);
  return sent;
}
