// Signals of a replay: those that came after the period, and those of people with very many of them.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { BacktestChange, StepIn } from "@tidings/contract";
import { startReceiver } from "@tidings/testkit/servers/receiver";
import { shareService } from "@tidings/testkit/service";
import { createWorkflow, email, settled, trigger } from "@tidings/testkit/verbs";
import { eventually } from "@tidings/testkit/wait";
import { sql } from "kysely";
import { groupPeople } from "../../../src/pipeline/backtests/history.ts";
import type { PersonOfPeriod } from "../../../src/store/backtests/histories.ts";
import { backtest, differencesOf, endHistory, named, newScene } from "./scene.ts";

const provider = await startReceiver();
const service = await shareService();
const scene = await newScene(service, provider.url);
const { client } = scene;

const steps = (subject: string): StepIn[] => [
  {
    ...{ name: "Answer", stepId: "answer", type: "wait" },
    controlValues: { type: "regular", amount: 4, unit: "hours", signal: { name: "paid" } },
  },
  named("mail", email({ subject, body: "<p>x</p>", skip: { "==": [{ var: "steps.answer.reason" }, "signal"] } })),
];
await createWorkflow(client, "reminder", steps("Please pay"));
const people = ["ada", "grace"];
for (const subscriberId of people)
  await client("subscribers.create", { body: { subscriberId, email: `${subscriberId}@example.com` } });
const sent = [await trigger(client, "reminder", "ada", {}), await trigger(client, "reminder", "grace", {})];
await scene.advance(2, "hours");
await client("signals.send", { body: { to: "ada", name: "paid" } });
await scene.advance(1, "days");
await endHistory(scene);

const change: BacktestChange = {
  workflows: [{ workflowId: "reminder", name: "reminder", steps: steps("Pay now") }],
};
const expected = [`grace ${sent[1]} mail: content`];

test("a signal that came after the period ends a wait of the period", async () => {
  await client("subscribers.create", { body: { subscriberId: "joan", email: "joan@example.com" } });
  const transactionId = await trigger(client, "reminder", "joan", {});
  await eventually(async () => {
    const { body } = await client("notifications.list", { query: { transactionId } });
    return body.data[0]?.jobs?.some(({ status }) => status === "delayed") || null;
  }, "the wait");
  const to = new Date().toISOString();
  await eventually(() => new Date().toISOString() > to, "the time after the period");
  await client("signals.send", { body: { to: "joan", name: "paid" } });
  await settled(client, transactionId);
  const from = new Date(scene.start).toISOString();
  const { _id, report } = await backtest(scene, change, { lastDays: undefined, from, to });
  assert.equal(report.totals.runs, 3);
  assert.deepEqual(await differencesOf(scene, _id), expected);
});

test("people with very many signals are read in groups, and of one person the newest signals", async () => {
  await sql`insert into signals (environment_id, id, subscriber_id, name, key, data, created_at)
    select s.environment_id, gen_random_uuid(), s.id, 'seen', '', null, ${new Date(scene.start)}
    from subscribers s, generate_series(1, 7)
    where s.environment_id = ${scene.environmentId} and s.subscriber_id = 'ada'`.execute(service.db);
  const { rows } = await sql<PersonOfPeriod>`
    select * from subscribers where environment_id = ${scene.environmentId} and subscriber_id in ('ada', 'grace', 'joan') order by subscriber_id`.execute(
    service.db,
  );
  const period = { from: scene.start - 3_600_000, to: Date.now() };
  const groupsOf = async (most: number) => {
    const found: [string[], number, boolean][] = [];
    for await (const { people, signals, isCut } of groupPeople(service, scene.environmentId, rows, {
      period,
      until: period.to,
      most,
    })) {
      const names = people.map(({ subscriber_id }) => subscriber_id);
      const count = [...signals.values()].reduce((sum, own) => sum + own.length, 0);
      if (isCut)
        assert.ok(
          [...signals.values()].flat().some(({ name }) => name === "paid"),
          "the newest is kept",
        );
      found.push([names, count, isCut]);
    }
    return found;
  };
  assert.deepEqual(await groupsOf(9), [[["ada", "grace", "joan"], 9, false]]);
  assert.deepEqual(await groupsOf(8), [
    [["ada", "grace"], 8, false],
    [["joan"], 1, false],
  ]);
  assert.deepEqual(await groupsOf(3), [
    [["ada"], 3, true],
    [["grace"], 0, false],
    [["joan"], 1, false],
  ]);
});
