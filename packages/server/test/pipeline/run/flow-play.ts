// Plays a random scenario in an environment on a test clock, and compares what was sent with what the interpreter of
// flow-model.ts sends.
import assert from "node:assert/strict";
import type { Stage } from "@tidings/testkit/clock";
import { createRandom, type Random } from "@tidings/testkit/load/random";
import { createWorkflow, feedOf } from "@tidings/testkit/verbs";
import { eventually } from "@tidings/testkit/wait";
import { type Happenings, interpret, people, randomNodes, type Start, signalNames, toSteps } from "./flow-model.ts";

const start = Date.parse("2026-03-02T09:00:00.000Z");
export const startTime = new Date(start).toISOString();
const actions = 18;

type Play = { stage: Stage; random: Random; runs: Start[]; happenings: Happenings };

/** `disturb` is called while the clock moves. */
export async function playFlow(stage: Stage, seed: number, disturb = async () => {}): Promise<void> {
  const random = createRandom(seed);
  const { client } = stage;
  const nodes = randomNodes(random, 0, { next: 0, waits: [], sends: [], trials: [] });
  if (toSteps(nodes).length > 20) return;
  await createWorkflow(client, "flow", toSteps(nodes));
  for (const subscriberId of people) await client("subscribers.create", { body: { subscriberId } });
  const play: Play = { stage, random, runs: [], happenings: { signals: [], reads: new Map() } };
  let time = 0;
  const moveTo = async (next: number) => {
    time = next;
    await Promise.all([moveClock(stage, new Date(start + time * 1_000).toISOString()), disturb()]);
  };
  for (let action = 1; action <= actions; action++) {
    // The seconds tell the requests apart: nothing of two requests becomes due at the same time.
    await moveTo((Math.floor(time / 60) + 1 + random.below(8)) * 60 + action);
    await act(play, random.pick(people), time);
  }
  await moveTo(time + 24 * 3_600);
  const { data } = (await client("messages.list", { query: { limit: 1000 } })).body;
  const sent = data.map(
    ({ createdAt, subscriber, content }) =>
      `${Math.round((Date.parse(createdAt) - start) / 1_000)} ${subscriber!.subscriberId} ${content}`,
  );
  const expected = play.runs.flatMap((run) => interpret(nodes, run, play.happenings));
  assert.deepEqual(sent.toSorted(), expected.toSorted(), `seed ${seed}: ${JSON.stringify(nodes)}`);
  const { data: notifications } = (await client("notifications.list", { query: { limit: 50 } })).body;
  assert.equal(notifications.length, play.runs.length, `seed ${seed}: a run for each event`);
  const open = notifications.flatMap(({ jobs = [] }) =>
    jobs.filter(({ status }) => ["pending", "delayed", "queued"].includes(status)),
  );
  assert.deepEqual(open, [], `seed ${seed}: every run has ended`);
}

/** Waits longer than a request does. */
async function moveClock({ client, environmentId }: Stage, now: string): Promise<void> {
  const params = { environmentId };
  await client("environments.updateClock", { params, body: { now } });
  const isThere = async () => (await client("environments.retrieveClock", { params })).body.status === "standing";
  await eventually(isThere, "the clock to arrive", 120_000);
}

/** An event, a read mark or a signal. */
async function act({ stage: { client }, random, runs, happenings }: Play, person: string, at: number): Promise<void> {
  const { signals, reads } = happenings;
  const dice = random.below(10);
  if (runs.length === 0 || dice < 4) {
    const run = { n: runs.length, kind: random.below(2), person, at };
    runs.push(run);
    await client("events.trigger", { body: { name: "flow", to: person, payload: { n: run.n, kind: run.kind } } });
  } else if (dice < 6) {
    const unread = (await feedOf(client, person)).filter(({ content }) => !reads.has(content!));
    if (unread.length === 0) return;
    const message = random.pick(unread.toSorted((a, b) => (a.content! < b.content! ? -1 : 1)));
    reads.set(message.content!, at);
    const params = { subscriberId: person, notificationId: message._id };
    await client("subscriberNotifications.markRead", { params } as never);
  } else {
    const key = String(random.pick(runs).n);
    const name = random.pick(signalNames);
    signals.push({ at, person, name, key });
    await client("signals.send", { body: { name, to: person, key, data: { n: key } } });
  }
}
