// Edits whose effect is known: a backtest names exactly the messages that they change. And the promise that it only
// reads: no row of the environment is different afterwards.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { BacktestChange, BacktestEffect, StepIn } from "@tidings/contract";
import { startReceiver } from "@tidings/testkit/servers/receiver";
import { mailer } from "@tidings/testkit/servers/webhook-providers";
import { startTestService } from "@tidings/testkit/service";
import { createWorkflow, email, inApp, trigger } from "@tidings/testkit/verbs";
import { sql } from "kysely";
import { backtest, differencesOf, endHistory, named, newScene } from "./scene.ts";

const provider = await startReceiver();
const service = await startTestService();
const scene = await newScene(service, provider.url);
const { client } = scene;

const stepOf = (type: StepIn["type"], stepId: string, controlValues: object): StepIn =>
  named(stepId, { name: type, type, controlValues: controlValues as never });

const note = (body = "Order {{ payload.n }} of {{ payload.total }}", more: object = {}) =>
  named("note", inApp({ body, ...more }));
const mail = (subject = "Order {{ payload.n }}", more: object = {}) =>
  named("mail", email({ subject, body: "<p>Hello {{ subscriber.firstName }}</p>", ...more }));
const delay = (amount: number, unit = "hours") => stepOf("delay", "pause", { type: "regular", amount, unit });
const digest = (amount: number) => stepOf("digest", "collect", { type: "regular", amount, unit: "hours" });
const throttle = (threshold: number) =>
  stepOf("throttle", "limit", { type: "fixed", threshold, amount: 1, unit: "days" });
const wait = (amount: number) =>
  stepOf("wait", "answer", { type: "regular", amount, unit: "hours", signal: { name: "paid" } });
const atLeast = (total: number) => ({ skip: { ">=": [{ var: "payload.total" }, total] } });

const workflows: Record<string, StepIn[]> = {
  order: [note(), delay(2), mail()],
  weekly: [digest(3), mail("{{ steps.collect.eventCount }} events")],
  limited: [throttle(2), note("Limited {{ payload.n }}")],
  reminder: [wait(4), mail("Pay {{ payload.n }}", { skip: { "==": [{ var: "steps.answer.reason" }, "signal"] } })],
};

/** Transaction ids by workflow, person and number of the event. */
const sent: Record<string, string> = {};
const people = ["ada", "grace"];
const events = 6;

for (const [name, steps] of Object.entries(workflows)) await createWorkflow(client, name, steps);
await mailer(client, "second", provider.url);
for (const subscriberId of people) {
  const fields = { subscriberId, firstName: subscriberId, email: `${subscriberId}@example.com` };
  await client("subscribers.create", { body: fields });
}
for (let n = 0; n < events; n++) {
  for (const name of Object.keys(workflows)) {
    for (const subscriberId of people) {
      sent[`${name} ${subscriberId} ${n}`] = await trigger(client, name, subscriberId, { n, total: 10 * n });
    }
  }
  // The first two reminders of ada are paid before they are due.
  await scene.advance(30, "minutes");
  if (n === 1) await client("signals.send", { body: { to: "ada", name: "paid" } });
  await scene.advance(90, "minutes");
}
await scene.advance(1, "days");
await endHistory(scene);

const draft = (workflowId: string, steps: StepIn[], more: object = {}): BacktestChange => ({
  workflows: [{ workflowId, name: workflowId, steps, ...more }],
});

/** `<workflow> <person> <n>` → step and effect. */
type Expected = (workflow: string, person: string, n: number) => Record<string, BacktestEffect> | null;

const everyOrder =
  (effects: Record<string, BacktestEffect>, isOne: (n: number) => boolean = () => true): Expected =>
  (workflow, _person, n) =>
    workflow === "order" && isOne(n) ? effects : null;

/** More work than a step may do, for the last event. */
const endless =
  "Order {{ payload.n }} of {{ payload.total }}{% if payload.n == 5 %}{% for i in (1..900000000) %}x{% endfor %}{% endif %}";

const order = workflows.order!;
const edits: [string, BacktestChange, Expected][] = [
  ["nothing", {}, () => null],
  ["a definition as it is", draft("order", order), () => null],
  ["a subject", draft("order", [note(), delay(2), mail("New {{ payload.n }}")]), everyOrder({ mail: "content" })],
  ["a body", draft("order", [note("New {{ payload.n }}"), delay(2), mail()]), everyOrder({ note: "content" })],
  [
    "a text that some have",
    draft("order", [
      note("Order {{ payload.n }} of {% if payload.total > 30 %}many{% else %}{{ payload.total }}{% endif %}"),
      delay(2),
      mail(),
    ]),
    everyOrder({ note: "content" }, (n) => n > 3),
  ],
  [
    "a condition",
    draft("order", [note(undefined, atLeast(30)), delay(2), mail()]),
    everyOrder({ note: "removed" }, (n) => n >= 3),
  ],
  [
    "a threshold in a condition",
    draft("order", [note(undefined, atLeast(50)), delay(2), mail()]),
    everyOrder({ note: "removed" }, (n) => n >= 5),
  ],
  ["a longer delay", draft("order", [note(), delay(5), mail()]), everyOrder({ mail: "later" })],
  ["a shorter delay", draft("order", [note(), delay(30, "minutes"), mail()]), everyOrder({ mail: "earlier" })],
  ["no delay", draft("order", [note(), mail()]), everyOrder({ mail: "earlier" })],
  ["a step less", draft("order", [note()]), everyOrder({ mail: "removed" })],
  ["a step more", draft("order", [...order, named("again", inApp({ body: "Again" }))]), everyOrder({ again: "added" })],
  [
    "a step switched off",
    draft("order", [note(), delay(2), { ...mail(), active: false }]),
    everyOrder({ mail: "removed" }),
  ],
  [
    "a template that fails",
    draft("order", [note(endless), delay(2), mail()]),
    everyOrder({ note: "render_failed" }, (n) => n === 5),
  ],
  [
    "a workflow switched off",
    draft("order", order, { active: false }),
    everyOrder({ note: "removed", mail: "removed" }),
  ],
  [
    "a channel that is off",
    {
      preferenceDefaults: [
        {
          workflowId: "order",
          preference: { all: { enabled: true, readOnly: false }, channels: { email: { enabled: false } } } as never,
        },
      ],
    },
    everyOrder({ mail: "removed" }),
  ],
  [
    "another channel",
    draft("order", [named("mail-now", email({ subject: "Order", body: "<p>x</p>" })), delay(2), mail()]),
    everyOrder({ note: "channel" }),
  ],
  [
    "the order of integrations",
    { integrationOrder: [{ channel: "email", identifiers: ["second", "mail"] }] },
    (workflow, person, n) => mailsOf(workflow, person, n),
  ],
  [
    "a higher threshold",
    draft("limited", [throttle(4), note("Limited {{ payload.n }}")]),
    (workflow, _person, n) => (workflow === "limited" && (n === 2 || n === 3) ? { note: "added" } : null),
  ],
  [
    "a lower threshold",
    draft("limited", [throttle(1), note("Limited {{ payload.n }}")]),
    (workflow, _person, n) => (workflow === "limited" && n === 1 ? { note: "removed" } : null),
  ],
  [
    "no throttle",
    draft("limited", [note("Limited {{ payload.n }}")]),
    (workflow, _person, n) => (workflow === "limited" && n >= 2 ? { note: "added" } : null),
  ],
  [
    "a budget",
    { attention: { budgets: [{ channel: "in_app", limit: 3, window: { amount: 1, unit: "day" }, overflow: "drop" }] } },
    (workflow, _person, n) =>
      (workflow === "order" && n >= 2) || (workflow === "limited" && n === 1) ? { note: "removed" } : null,
  ],
  [
    "a wider digest",
    draft("weekly", [digest(24), mail("{{ steps.collect.eventCount }} events")]),
    (workflow, _person, n) => (workflow === "weekly" && n % 2 === 0 ? { mail: "digested" } : null),
  ],
  [
    "a shorter wait",
    draft("reminder", [wait(1), workflows.reminder![1]!]),
    (workflow, person, n) => {
      if (workflow !== "reminder" || (person === "ada" && n === 1)) return null;
      return { mail: person === "ada" && n === 0 ? "added" : "earlier" };
    },
  ],
];

/** Who gets a mail: everyone for orders, the first event of each digest, and reminders that were not paid. */
function mailsOf(workflow: string, person: string, n: number): Record<string, BacktestEffect> | null {
  if (workflow === "order") return { mail: "provider" };
  if (workflow === "weekly") return n % 2 === 0 ? { mail: "provider" } : null;
  return workflow === "reminder" && !(person === "ada" && n < 2) ? { mail: "provider" } : null;
}

const expectedOf = (expected: Expected): string[] =>
  Object.entries(sent)
    .flatMap(([name, transactionId]) => {
      const [workflow = "", person = "", n = ""] = name.split(" ");
      const effects = Object.entries(expected(workflow, person, Number(n)) ?? {});
      return effects.map(([stepId, effect]) => `${person} ${transactionId} ${stepId}: ${effect}`);
    })
    .sort();

/** Every table but those of backtests, and the bookkeeping of the queue and of requests. */
async function hashOfTables(): Promise<Record<string, string>> {
  const { rows: tables } = await sql<{ name: string }>`
    select c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = 'public' and c.relkind in ('r', 'p') and not c.relispartition
      and c.relname not like 'backtest%' and c.relname not in ('idempotent_answers', 'budgets', 'audit_log', 'api_keys')
      and c.relname not like 'installation%' and c.relname not like 'processes%'`.execute(service.db);
  const hashes: Record<string, string> = {};
  for (const { name } of tables) {
    const { rows } = await sql<{ hash: string }>`
      select md5(coalesce(string_agg(t::text, '|' order by t::text), '')) as hash from ${sql.table(name)} t`.execute(
      service.db,
    );
    hashes[name] = rows[0]!.hash;
  }
  return hashes;
}

for (const [name, change, expected] of edits) {
  test(name, async () => {
    const { _id, report } = await backtest(scene, change);
    assert.deepEqual(report.calibration.deviations, []);
    assert.equal(report.calibration.percent, 100);
    assert.deepEqual(await differencesOf(scene, _id), expectedOf(expected));
    const effects = expectedOf(expected).map((line) => line.split(": ")[1]!);
    const counts = Object.fromEntries([...Map.groupBy(effects, (one) => one)].map(([one, all]) => [one, all.length]));
    assert.deepEqual(report.totals.effects, counts);
  });
}

test("no row of the environment changes", async () => {
  const before = await hashOfTables();
  const { _id } = await backtest(scene, edits.at(-3)![1]);
  await differencesOf(scene, _id);
  assert.deepEqual(await hashOfTables(), before);
  assert.ok(Object.keys(before).length > 50);
});
