// Random histories on a quiet system: without a change, a replay is what happened, step by step. Events, signals, marks
// and cancels come in any order, at any distance, to workflows of any two steps that keep something between events.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { StepIn, TimeUnit } from "@tidings/contract";
import { isLong } from "@tidings/testkit/long";
import fc from "@tidings/testkit/properties";
import { startReceiver } from "@tidings/testkit/servers/receiver";
import { shareService } from "@tidings/testkit/service";
import { createWorkflow, email, feedOf, inApp, trigger } from "@tidings/testkit/verbs";
import { backtest, endHistory, named, newScene } from "./scene.ts";

const provider = await startReceiver();
const service = await shareService();

const people = ["ada", "grace"];

const length = fc.record({ amount: fc.integer({ min: 1, max: 90 }), unit: fc.constant("minutes") });
type Length = { amount: number; unit: string };

const stepOf = (type: StepIn["type"], controlValues: object) => (stepId: string) =>
  named(stepId, { name: stepId, type, controlValues: controlValues as never });

const regular = (given: Length) => ({ type: "regular", ...given });

const anyStep = fc.oneof(
  length.map((given) => stepOf("delay", regular(given))),
  fc
    .record({ given: length, digestKey: fc.constantFrom("", "kind"), looksBack: fc.boolean() })
    .map(({ given, digestKey, looksBack }) =>
      stepOf("digest", {
        ...regular(given),
        digestKey,
        ...(looksBack && { lookBackWindow: { amount: 1, unit: "hours" } }),
      }),
    ),
  fc
    .record({ given: length, threshold: fc.integer({ min: 1, max: 2 }) })
    .map(({ given, threshold }) => stepOf("throttle", { type: "fixed", threshold, ...given })),
  length.map((given) => stepOf("wait", { ...regular(given), signal: { name: "done" } })),
  length.map((given) => stepOf("wait", { ...regular(given), message: { stepId: "note", event: "seen" } })),
);

const note = named("note", inApp({ body: "{{ payload.n }} {{ steps.first.eventCount }}" }));
const last = named(
  "mail",
  email({
    subject: "{{ payload.n }} {{ steps.second.eventCount }} {{ steps.second.reason }}",
    body: "<p>Hello</p>",
    skip: { "==": [{ var: "steps.note.seen" }, true] },
  }),
);

type Act = { kind: "event" | "signal" | "read" | "cancel"; workflow: number; to: number; key: string; minutes: number };
const anyAct: fc.Arbitrary<Act> = fc.record({
  kind: fc.constantFrom("event", "event", "event", "event", "signal", "read", "cancel"),
  workflow: fc.nat(1),
  to: fc.nat(people.length),
  key: fc.constantFrom("a", "b"),
  minutes: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 60 })),
});

/** A wait for a message has to come after it. */
const isBehindNote = (step: StepIn): boolean => (step.controlValues as { message?: unknown }).message !== undefined;

const anyHistory = fc.record({
  steps: fc.array(fc.tuple(anyStep, anyStep), { minLength: 2, maxLength: 2 }),
  acts: fc.array(anyAct, { minLength: 8, maxLength: 14 }),
});

async function play({ steps, acts }: { steps: [(id: string) => StepIn, (id: string) => StepIn][]; acts: Act[] }) {
  const scene = await newScene(service, provider.url, 2);
  const { client } = scene;
  const pass = async (amount: number, unit: TimeUnit) => void (await scene.advance(amount, unit));
  for (const [index, [first, second]] of steps.entries()) {
    const made = first("first");
    const before = isBehindNote(made) ? [note, made] : [made, note];
    await createWorkflow(client, `flow-${index}`, [...before, second("second"), last]);
  }
  for (const subscriberId of people)
    await client("subscribers.create", { body: { subscriberId, email: `${subscriberId}@example.com` } });
  const sent: string[] = [];
  for (const [n, { kind, workflow, to, key, minutes }] of acts.entries()) {
    const person = people[to] ?? "ada";
    if (kind === "event") {
      sent.push(await trigger(client, `flow-${workflow}`, people[to] ?? people, { n, kind: key }));
    } else if (kind === "signal") {
      await client("signals.send", { body: { to: person, name: "done" } });
    } else if (kind === "read") {
      const [item] = await feedOf(client, person);
      const body = { messageId: [item?._id ?? ""], markAs: "read" as const };
      if (item) await client("subscribers.markMessages", { params: { subscriberId: person }, body });
    } else if (sent.length > 0) {
      await client("events.cancel", { params: { transactionId: sent.at(-1)! } });
    }
    if (minutes > 0) await pass(minutes, "minutes");
  }
  await pass(12, "hours");
  await endHistory(scene);
  return scene;
}

test("the replay of any history without a change is what happened", async () => {
  await fc.assert(
    fc.asyncProperty(anyHistory, async (history) => {
      const { report } = await backtest(await play(history as never));
      assert.deepEqual(report.calibration.deviations, []);
      assert.equal(report.calibration.percent ?? 100, 100);
      assert.deepEqual(report.totals.effects, {});
    }),
    // Shrinking takes a history for each step.
    { seed: 58, numRuns: isLong ? 60 : 4, endOnFailure: true },
  );
});
