// Events of different workflows with the same supersede key: a change of one workflow concerns the runs of the others.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { BacktestChange, StepIn } from "@tidings/contract";
import { startReceiver } from "@tidings/testkit/servers/receiver";
import { shareService } from "@tidings/testkit/service";
import { createWorkflow, email, inApp } from "@tidings/testkit/verbs";
import { backtest, differencesOf, endHistory, named, newScene } from "./scene.ts";

const provider = await startReceiver();
const service = await shareService();
const scene = await newScene(service, provider.url);
const { client } = scene;

const note = named("note", inApp({ body: "Paid" }));
const delay = (minutes: number): StepIn => ({
  ...{ name: "pause", stepId: "pause", type: "delay" },
  controlValues: { type: "regular", amount: minutes, unit: "minutes" },
});
await createWorkflow(client, "paid", [note]);
await createWorkflow(client, "reminder", [
  delay(180),
  named("mail", email({ subject: "Please pay", body: "<p>x</p>" })),
]);

await client("subscribers.create", { body: { subscriberId: "ada", email: "ada@example.com" } });
const sent: string[] = [];
for (const [name, hours] of [
  ["paid", 1],
  ["reminder", 1],
  ["paid", 6],
  ["reminder", 6],
  ["paid", 1],
] as const) {
  const { body } = await client("events.trigger", { body: { name, to: "ada", payload: {}, supersedeKey: "order-1" } });
  sent.push(body.transactionId!);
  await scene.advance(hours, "hours");
}
await scene.advance(1, "days");
await endHistory(scene);
const [first, reminder, second, , third] = sent;

const draft = (steps: StepIn[], more: object = {}): BacktestChange => ({
  workflows: [{ workflowId: "paid", name: "paid", steps, ...more }],
});

const cases: [string, BacktestChange, string[]][] = [
  ["without a change, the second payment cancels the first reminder", {}, []],
  [
    "an event that is refused cancels nothing of another workflow",
    draft([note], { active: false }),
    [
      `ada ${first} note: removed`,
      `ada ${reminder} mail: added`,
      `ada ${second} note: removed`,
      `ada ${third} note: removed`,
    ],
  ],
  [
    "an event that waits is canceled by one of another workflow",
    draft([delay(90), note]),
    [`ada ${first} note: removed`, `ada ${second} note: later`, `ada ${third} note: later`],
  ],
];

for (const [name, change, expected] of cases)
  test(name, async () => {
    const { _id, report } = await backtest(scene, change);
    assert.deepEqual(report.calibration.deviations, []);
    assert.deepEqual(await differencesOf(scene, _id), expected.sort());
  });
