// The clients of the load: what each of them asks for, and how often. Each has its own random sequence, so its requests
// do not depend on how fast the others get their responses.
import { createRandom, type Random } from "@tidings/testkit/load/random";
import type { PlannedEvent } from "../../auditor/evidence.ts";
import { type Caller, type Final, pause, type Wanted } from "./caller.ts";
import {
  cancelEvent,
  createPlan,
  type Plan,
  retractEvent,
  sendSignal,
  triggerBulk,
  triggerOne,
  triggerWithId,
} from "./events.ts";
import type { Samples } from "./samples.ts";
import { signalName, workflows } from "./workflows.ts";
import type { LoadEnvironment } from "./world.ts";

export type Clients = {
  start(): void;
  /** No new requests. What is open is the caller's. */
  stop(): void;
  figures(): { events: number; skipped: number };
  plan: Plan;
  /** Follow-ups of an accepted event: sampled, perhaps canceled, retracted or signalled. */
  follow(environment: LoadEnvironment, event: PlannedEvent, transactionId: string): void;
};

type Kind = {
  name: string;
  perSecond: number;
  make(environment: LoadEnvironment, random: Random, plan: Plan): Wanted;
};

const single = (workflowId: string, perSecond: number, choose: (e: LoadEnvironment) => string[] = idsOf): Kind => ({
  ...{ name: workflowId, perSecond },
  make: (environment, random, plan) =>
    triggerOne(environment, workflowId, plan(environment, workflowId, { to: [random.pick(choose(environment))] })),
});

const withId = (workflowId: string, perSecond: number): Kind => ({
  ...{ name: `${workflowId} with id`, perSecond },
  make: (environment, random, plan) =>
    triggerWithId(environment, workflowId, plan(environment, workflowId, { to: [random.pick(idsOf(environment))] })),
});

const idsOf = ({ people }: LoadEnvironment): string[] => people.map(({ subscriberId }) => subscriberId);

const bulkWorkflows = ["now", "now", "now", "later", "collected", "mailed", "texted"];
const eventsPerBulk = 10;

const topicWorkflows = ["now", "now", "later", "texted"];

/** Over all environments, about 21 events a second; the ordered clients and SQL add the rest. */
const kinds: Kind[] = [
  single("now", 2),
  withId("now", 1),
  single("later", 1.5),
  single("collected", 2.5, ({ collecting }) => collecting),
  single("awaited", 1),
  single("mailed", 2),
  single("texted", 2),
  single("mailed-later", 0.5),
  single("texted-later", 0.5),
  single("unmet", 0.2),
  single("unwanted", 0.2),
  withId("switched-off", 0.2),
  {
    name: "bulk",
    perSecond: 0.5,
    make: (environment, random, plan) =>
      triggerBulk(
        environment,
        "bulk",
        Array.from({ length: eventsPerBulk }, () => planOneOf(environment, random, plan)),
      ),
  },
  {
    name: "topic",
    perSecond: 0.4,
    make(environment, random, plan) {
      const { key, members } = random.pick(environment.topics);
      return triggerOne(
        environment,
        "topic",
        plan(environment, random.pick(topicWorkflows), { to: members, topic: key }),
      );
    },
  },
  {
    name: "broadcast",
    perSecond: 1 / 30,
    make: (environment, _random, plan) =>
      triggerOne(environment, "broadcast", plan(environment, "now", { to: idsOf(environment), broadcast: true })),
  },
];

function planOneOf(environment: LoadEnvironment, random: Random, plan: Plan): PlannedEvent {
  const workflowId = random.pick(bulkWorkflows);
  const people = workflowId === "collected" ? environment.collecting : idsOf(environment);
  return plan(environment, workflowId, { to: [random.pick(people)] });
}

const tickMs = 50;
/** More requests without a response are not begun: clients wait for the service. */
const mostOpen = 300;
const limitedPerSecond = 1;
const orderedPerSecond = 0.5;
const canceledShare = 0.15;
/** A share of emails and SMS without a delay. They are canceled while their provider is called. */
const interruptedShare = 0.05;
const retractedShare = 0.02;
const signalledShare = 0.5;

type Tools = { environments: LoadEnvironment[]; caller: Caller; samples: Samples; seed: number; pace: number };

export function createClients({ environments, caller, samples, seed, pace }: Tools): Clients {
  const plan = createPlan();
  const counts = { events: 0, skipped: 0 };
  let isStopped = false;
  const timers: NodeJS.Timeout[] = [];
  const promiseOf = new Map(workflows.map(({ workflowId, promise }) => [workflowId, promise]));
  const following = createRandom(seed, "following");

  const follow: Clients["follow"] = (environment, event, transactionId) => {
    counts.events++;
    const promise = promiseOf.get(event.workflowId)!;
    const { kind } = promise;
    const isForProvider = kind === "email" || kind === "sms";
    const isDelayed = kind === "delay" || kind === "wait" || (isForProvider && promise.afterSeconds !== undefined);
    const sampled = { environment, transactionId, subscriberId: following.pick(event.to) };
    samples.add(kind === "silent" ? "silent" : kind === "budget" ? "limited" : "other", sampled);
    const { text } = event;
    const after = (leastMs: number, mostMs: number, wanted: Wanted) => {
      const act = () => {
        if (!isStopped) void caller.call(wanted);
      };
      setTimeout(act, following.between(leastMs, mostMs));
    };
    if (isDelayed && following.chance(canceledShare)) {
      samples.add("canceled", sampled);
      // Up to a little after the end of the delay.
      return after(100, 4_500, cancelEvent(environment, { text, transactionId }));
    }
    if (isForProvider && !isDelayed && following.chance(interruptedShare)) {
      samples.add("canceled", sampled);
      return after(0, 300, cancelEvent(environment, { text, transactionId }));
    }
    if (kind === "wait" && following.chance(signalledShare)) {
      const target = { signal: signalName, subscriberId: event.to[0]!, text };
      return after(500, 7_000, sendSignal(environment, target));
    }
    if (kind !== "silent" && following.chance(retractedShare)) {
      samples.add("retracted", sampled);
      after(200, 8_000, retractEvent(environment, { text, transactionId }));
    }
  };
  const fire = async (wanted: Wanted): Promise<Final | null> => {
    const final = await caller.call(wanted);
    for (const [n, event] of (wanted.events ?? []).entries()) {
      const transactionId = final?.transactionIds[n];
      if (transactionId) follow(wanted.environment, event, transactionId);
    }
    return final;
  };
  const every = (name: string, perSecond: number, work: (environment: LoadEnvironment, random: Random) => void) => {
    for (const environment of environments) {
      const random = createRandom(seed, `${name} ${environment.name}`);
      const perTick = (perSecond * pace * tickMs) / 1_000 / environments.length;
      const tick = () => {
        if (!random.chance(perTick)) return;
        if (caller.figures().open < mostOpen) work(environment, random);
        else counts.skipped++;
      };
      timers.push(setInterval(tick, tickMs));
    }
  };
  const runOrdered = async (environment: LoadEnvironment, subscriberId: string) => {
    const client = `ordered-${subscriberId}`;
    const random = createRandom(seed, `${client} ${environment.name}`);
    while (!isStopped) {
      await fire(triggerOne(environment, client, plan(environment, "now", { to: [subscriberId] })));
      // Often at once, so that two events are close to each other.
      if (random.chance(0.7)) await pause(random.between(0, 3_000 / orderedPerSecond / pace / 1.05));
    }
  };
  return {
    plan,
    follow,
    figures: () => ({ ...counts }),
    start() {
      for (const { name, perSecond, make } of kinds) {
        every(name, perSecond, (environment, random) => void fire(make(environment, random, plan)));
      }
      const rushes = new Map(environments.map((environment) => [environment, createRush(environment)]));
      every("limited", limitedPerSecond / rushSize, (environment, random) => {
        const subscriberId = rushes.get(environment)!(random);
        for (let n = 0; n < rushSize; n++) {
          void fire(triggerOne(environment, "limited", plan(environment, "limited", { to: [subscriberId] })));
        }
      });
      for (const environment of environments) {
        for (const subscriberId of environment.ordered) void runOrdered(environment, subscriberId);
      }
    },
    stop() {
      isStopped = true;
      for (const timer of timers) clearInterval(timer);
    },
  };
}

/** Messages for one person at the same moment, at different processes. */
const rushSize = 3;
/** So many for each person, before the next person's turn. More than the budget. */
const rushesPerPerson = 6;

/** One person after the other, so that budgets fill for the whole run and not just in its first minute. */
function createRush({ people }: LoadEnvironment): (random: Random) => string {
  let rushes = 0;
  return (random) => {
    const turn = Math.floor(rushes++ / rushesPerPerson) + random.below(2);
    return people[turn % people.length]!.subscriberId;
  };
}
