// Histories: without a change, the replay is what happened, step by step. Random ones, and one with marks, signals,
// HTTP steps and roll-ups that later steps depend on. And a messy one, in which providers fail and people, events and
// messages go away: each deviation has a cause.
import assert from "node:assert/strict";
import { test } from "node:test";
import { type AttentionBudget, rollUpWorkflowId, type StepIn } from "@tidings/contract";
import { createRandom, type Random } from "@tidings/testkit/load/random";
import { isLong } from "@tidings/testkit/long";
import { type Answer, startReceiver } from "@tidings/testkit/servers/receiver";
import { texter } from "@tidings/testkit/servers/webhook-providers";
import { shareService } from "@tidings/testkit/service";
import { createWorkflow, email, feedOf, inApp, messagesOf, trigger } from "@tidings/testkit/verbs";
import { backtest, endHistory, named, newScene } from "./scene.ts";

let answers: (subject: string) => Answer = () => ({ status: 200 });
const provider = await startReceiver(({ body }) => answers(body));
const service = await shareService();

const stepOf = (type: StepIn["type"], stepId: string, controlValues: object): StepIn =>
  named(stepId, { name: stepId, type, controlValues: controlValues as never });

/** A wait, a count or a condition. */
function randomStep(random: Random, stepId: string): StepIn {
  const length = { amount: 1 + random.below(20), unit: random.pick(["minutes", "hours"]) };
  switch (random.below(5)) {
    case 0:
      return stepOf("delay", stepId, { type: "regular", ...length });
    case 1: {
      const lookBackWindow = random.chance(0.5) ? { lookBackWindow: { amount: 2, unit: "hours" } } : {};
      return stepOf("digest", stepId, {
        type: "regular",
        ...length,
        ...lookBackWindow,
        digestKey: random.chance(0.5) ? "kind" : "",
      });
    }
    case 2:
      return stepOf("throttle", stepId, { type: "fixed", threshold: 1 + random.below(3), ...length });
    case 3: {
      const lookBackMinutes = random.chance(0.5) ? { lookBackMinutes: 90 } : {};
      return stepOf("wait", stepId, { type: "regular", ...length, signal: { name: "done", ...lookBackMinutes } });
    }
    default:
      return named(stepId, inApp({ body: "{{ payload.n }}", skip: { "==": [{ var: "payload.kind" }, "a"] } }));
  }
}

function randomBudgets(random: Random): AttentionBudget[] {
  if (random.chance(0.5)) return [];
  const overflow = random.pick(["roll_up", "delay", "drop"] as const);
  const channel = random.pick(["in_app", "email"] as const);
  return [{ channel, limit: 2 + random.below(3), window: { amount: 6, unit: "hour" }, overflow }];
}

async function play(seed: number, events: number) {
  const random = createRandom(seed);
  const scene = await newScene(service, provider.url, 6);
  const { client } = scene;
  const names = ["one", "two", "three"];
  const budgets = randomBudgets(random);
  if (budgets.length > 0) await client("attention.update", { body: { budgets } });
  for (const name of names) {
    const [first, second] = [randomStep(random, "first"), randomStep(random, "second")];
    const note = named(
      "note",
      inApp({
        body: "{{ payload.n }} {{ steps.first.eventCount }}",
        skip: { "==": [{ var: "steps.first.reason" }, "signal"] },
      }),
    );
    const mail = named(
      "mail",
      email({ subject: "{{ payload.n }} {{ steps.second.eventCount }}", body: "<p>Hello</p>" }),
    );
    await createWorkflow(client, name, [first, note, second, mail]);
  }
  const people = ["ada", "grace", "radia"];
  for (const subscriberId of people)
    await client("subscribers.create", { body: { subscriberId, email: `${subscriberId}@example.com` } });
  for (let n = 0; n < events; n++) {
    const to = random.chance(0.3) ? people : random.pick(people);
    await trigger(client, random.pick(names), to, { n, kind: random.pick(["a", "b"]) });
    if (random.chance(0.3)) await client("signals.send", { body: { to: random.pick(people), name: "done" } });
    // Which of two events of one moment comes first to a budget is not stored.
    await scene.advance(random.chance(0.7) ? 1 + random.below(300) : 1, "minutes");
  }
  await scene.advance(36, "hours");
  return scene;
}

const seeds = isLong ? Array.from({ length: 40 }, (_, index) => index + 1) : [1, 2, 3, 4];
for (const seed of seeds) {
  test(`history ${seed}: the replay without a change is what happened`, async () => {
    const scene = await play(seed, 20);
    await endHistory(scene);
    const { report } = await backtest(scene);
    assert.deepEqual(report.calibration.deviations, []);
    assert.equal(report.calibration.percent, 100);
    assert.ok(report.calibration.compared > 50);
    assert.deepEqual(report.totals.effects, {});
    assert.equal(report.totals.before, report.totals.after);
  });
}

/** On a test clock it gets its sample response. */
const askPlan = stepOf("http_request", "ask", {
  ...{ method: "POST", url: `${provider.url}/plan`, body: "{{ payload.n }}" },
  responseBodySchema: { type: "object", properties: { plan: { type: "string" } } },
});

test("marks, signals, HTTP steps and roll-ups are those of then", async () => {
  const scene = await newScene(service, provider.url, 6);
  const { client } = scene;
  await client("attention.update", {
    body: { budgets: [{ channel: "sms", limit: 1, window: { amount: 6, unit: "hour" }, overflow: "roll_up" }] },
  });
  await texter(client, "text", provider.url);
  await createWorkflow(client, "watched", [
    named("note", inApp({ body: "Note {{ payload.n }}" })),
    stepOf("wait", "look", { type: "regular", amount: 2, unit: "hours", message: { stepId: "note", event: "seen" } }),
    named(
      "mail",
      email({
        subject: "{{ steps.look.reason }}",
        body: "<p>x</p>",
        skip: { "==": [{ var: "steps.note.read" }, true] },
      }),
    ),
  ]);
  await createWorkflow(client, "asked", [
    askPlan,
    stepOf("wait", "paid", {
      type: "regular",
      amount: 3,
      unit: "hours",
      signal: { name: "paid", key: "{{ payload.n }}" },
    }),
    named("end", inApp({ body: "{{ steps.ask.plan }}: {{ steps.paid.reason }} {{ steps.paid.data.sum }}" })),
  ]);
  await createWorkflow(client, "texts", [stepOf("sms", "text", { body: "Text {{ payload.n }}" })]);
  const people = ["ada", "grace"];
  for (const subscriberId of people)
    await client("subscribers.create", {
      body: { subscriberId, email: `${subscriberId}@example.com`, phone: "+4915112345678" },
    });
  for (let n = 0; n < 6; n++) {
    for (const name of ["watched", "asked", "texts"]) await trigger(client, name, people, { n });
    await scene.advance(20, "minutes");
    const [item] = await feedOf(client, "ada");
    const body = { messageId: [item!._id], markAs: n % 2 === 0 ? ("seen" as const) : ("read" as const) };
    if (n !== 3) await client("subscribers.markMessages", { params: { subscriberId: "ada" }, body });
    if (n < 4)
      await client("signals.send", { body: { to: "grace", name: "paid", key: String(n), data: { sum: 10 * n } } });
    await scene.advance(50, "minutes");
  }
  await scene.advance(1, "days");
  await endHistory(scene);
  const { report } = await backtest(scene);
  const { deviations, percent } = report.calibration;
  assert.deepEqual(deviations, []);
  assert.equal(percent, 100);
  const sentBy = (workflowId: string) => report.workflows.find((one) => one.workflowId === workflowId)?.before ?? 0;
  assert.equal(report.skipped.assumedAnswers, 12);
  assert.equal(sentBy("watched"), 22, "some mails were skipped, because their note was read");
  assert.deepEqual([sentBy("texts"), sentBy(rollUpWorkflowId)], [2, 2], "texts were rolled up");
});

test("a messy history: what a replay cannot reproduce has a cause", async () => {
  const scene = await newScene(service, provider.url, 6);
  const { client } = scene;
  await createWorkflow(client, "mails", [
    named("mail", email({ subject: "Mail {{ payload.n }}", body: "<p>{{ subscriber.firstName }}</p>" })),
    named("note", inApp({ body: "Note {{ payload.n }}" })),
    stepOf("digest", "collect", { type: "regular", amount: 2, unit: "hours" }),
    named("summary", inApp({ body: "{{ steps.collect.eventCount }}" })),
  ]);
  for (let n = 0; n < 20; n++)
    await client("subscribers.create", {
      body: { subscriberId: `p${n}`, firstName: `P${n}`, email: `p${n}@example.com` },
    });
  // One provider call in five fails for good, one in five at the first try.
  const failed = new Set<string>();
  answers = (body) => {
    const subject = /Mail \d+/.exec(body)?.[0] ?? "";
    const n = Number(subject.slice(5));
    if (n % 5 === 1) return { status: 400, text: "no" };
    if (n % 5 !== 2 || failed.has(subject)) return { status: 200 };
    failed.add(subject);
    return { status: 503 };
  };
  const ids: string[] = [];
  for (let n = 0; n < 60; n++) {
    ids.push(await trigger(client, "mails", `p${n % 20}`, { n }));
    if (n % 3 === 0) await scene.advance(20, "minutes");
    if (n % 20 === 7) await client("events.cancel", { params: { transactionId: ids.at(-1)! } });
  }
  await scene.advance(2, "days");
  const [first] = await messagesOf(client, ids[3]!);
  if (first?._id) await client("messages.delete", { params: { messageId: first._id } });
  await endHistory(scene);
  await client("subscribers.delete", { params: { subscriberId: "p19" } });
  const { report } = await backtest(scene);
  const { percent, compared, deviations } = report.calibration;
  assert.ok(compared > 200, String(compared));
  assert.ok(percent! >= 99.5, JSON.stringify(deviations));
  assert.ok(
    deviations.every(({ cause }) => cause !== "unknown"),
    JSON.stringify(deviations),
  );
});
