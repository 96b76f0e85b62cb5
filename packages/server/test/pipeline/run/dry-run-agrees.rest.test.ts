// The promise of the dry-run: what it says is what happens. Random workflows, people and pasts; each event is first
// predicted, then triggered, and the trail that it leaves is compared with the prediction, step by step. On a test
// clock, so that weeks of waiting take no time and every moment can be compared. FUZZ_RUNS raises the number of events.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  type AttentionBudget,
  digestFrequencies,
  type ExplainedMessage,
  type ExplainedStep,
  maxArmDepth,
  type Schedule,
  type StepIn,
} from "@tidings/contract";
import type { Client } from "@tidings/testkit/client";
import { newStage, type Stage } from "@tidings/testkit/clock";
import fc from "@tidings/testkit/properties";
import { shareService } from "@tidings/testkit/service";
import { createWorkflow } from "@tidings/testkit/verbs";

const service = await shareService();

const eventsPerStage = 10;
const stages = Math.max(2, Math.ceil(Number(process.env.FUZZ_RUNS ?? 20) / eventsPerStage));

const length = fc.record({
  amount: fc.integer({ min: 1, max: 40 }),
  unit: fc.constantFrom("minutes", "hours", "days"),
});
const condition = fc.constantFrom(
  { "==": [{ var: "payload.n" }, 1] },
  { "!": [{ var: "subscriber.email" }] },
  { ">": [{ var: "steps.first.eventCount" }, 0] },
  { "==": [{ var: "steps.first.throttled" }, false] },
  { "==": [{ var: "steps.first.reason" }, "signal"] },
  { "==": [{ var: "steps.first.variant" }, "a"] },
  { "==": [{ var: "steps.first.arm" }, "one"] },
  { "==": [{ var: "steps.first.status" }, 200] },
  { "==": [{ var: "subscriber.data.n" }, 1] },
  { nosuch: [1] },
);
const skip = fc.option(condition, { nil: undefined, freq: 2 });
const then = fc.constantFrom("continue", "continue", "end");
const body = fc.constantFrom(
  "Hello {{ subscriber.subscriberId }}, {{ payload.n }}",
  "{{ steps.first.eventCount }} {% for e in steps.first.events %}{{ e.payload.n }},{% endfor %}",
  "{{ steps.first.said }} in {{ context.tenant.id }}/{{ context.tenant.data.plan }}",
  "{{ payload.n | divided_by: 0 }}",
);

/** `arm`: the place that it takes where a branch is open, 0 for the first arm. */
type Step = {
  type: StepIn["type"];
  controlValues: Record<string, unknown>;
  shouldStopOnFail?: boolean;
  arm: number | undefined;
};

const values: Record<Exclude<StepIn["type"], "push" | "start_workflow">, fc.Arbitrary<Record<string, unknown>>> = {
  in_app: fc.record({ body, redirect: fc.constant({ url: "https://example.com/{{ payload.n }}", target: "_blank" }) }),
  email: fc.record({ subject: fc.constant("No. {{ payload.n }}"), body, editorType: fc.constant("html") }),
  sms: fc.record({ body }),
  chat: fc.record({ body }),
  delay: length.map((given) => ({ type: "regular", ...given })),
  digest: fc
    .tuple(length, fc.option(length, { nil: undefined, freq: 2 }), fc.boolean(), fc.boolean())
    .map(([given, lookBackWindow, isKeyed, allowFrequencyChoice]) => ({
      type: "regular",
      ...given,
      ...(lookBackWindow && { lookBackWindow }),
      ...(isKeyed && { digestKey: "n" }),
      ...(allowFrequencyChoice && { allowFrequencyChoice }),
    })),
  throttle: fc
    .tuple(length, fc.integer({ min: 1, max: 2 }))
    .map(([given, threshold]) => ({ type: "fixed", ...given, threshold })),
  branch: fc.tuple(condition, condition).map(([one, two]) => ({
    arms: [
      { id: "one", name: "The first", condition: one },
      { id: "two", condition: two },
    ],
  })),
  experiment: fc.record({
    variants: fc.constantFrom([{ id: "a" }, { id: "b", weight: 2 }], [{ id: "a", weight: 0 }, { id: "b" }]),
    holdOutPercent: fc.constantFrom(0, 0, 0, 50),
  }),
  wait: fc
    .tuple(length, fc.constantFrom({}, { key: "{{ payload.n }}" }, { lookBackMinutes: 60 }), then, then)
    .map(([given, more, onEvent, onTimeout]) => ({
      ...given,
      signal: { name: "go", ...more },
      message: { stepId: "first", event: "seen" },
      onEvent,
      onTimeout,
    })),
  custom: fc.record({ custom: fc.constant({ said: "n is {{ payload.n }}" }) }),
  update_subscriber: fc.record({
    firstName: fc.constantFrom("N{{ payload.n }}", ""),
    email: fc.constantFrom("", "changed-{{ payload.n }}@example.com", "no address"),
    data: fc.constantFrom('{ "n": {{ payload.n }}, "said": "{{ steps.first.said }}" }', '{ "n": null }'),
  }),
  http_request: fc.record({
    method: fc.constantFrom("POST", "GET"),
    url: fc.constantFrom("https://example.com/{{ payload.n }}", "{{ payload.none }}"),
    body: fc.constantFrom('{"n": "{{ payload.n }}"}', '{"n": {{ payload.none }}}'),
    continueOnFailure: fc.boolean(),
    enforceSchemaValidation: fc.boolean(),
    responseBodySchema: fc.constantFrom({}, { properties: { said: { type: "string" } }, required: ["said"] }),
    sampleResponse: fc.constantFrom({ body: { said: "yes" } }, { body: { said: 1 } }, { status: 503 }, {}),
  }),
};

const step = fc.constantFrom(...(Object.keys(values) as (keyof typeof values)[])).chain((type) =>
  fc
    .record({
      controlValues: values[type],
      skip,
      shouldStopOnFail: fc.boolean(),
      arm: fc.constantFrom(undefined, 0, 1, 2),
    })
    .map(
      ({ controlValues, skip, shouldStopOnFail, arm }): Step => ({
        type,
        controlValues: skip ? { ...controlValues, skip } : controlValues,
        shouldStopOnFail,
        arm,
      }),
    ),
);

const armIds = ["one", "two", "else"];

/** The steps as a request has them: a step goes into an arm of the branch before it, as long as the order allows it. */
function toSteps(steps: Step[]): StepIn[] {
  const open: { branch: string; arm: number }[] = [];
  return steps.map(({ arm, ...step }, index): StepIn => {
    const stepId = index === 0 ? "first" : `s${index}`;
    const inner = open.at(-1);
    if (arm === undefined) open.length = 0;
    else if (inner && arm >= inner.arm) inner.arm = arm;
    else open.pop();
    const place = open.at(-1);
    const given = {
      name: `Step ${index}`,
      stepId,
      ...step,
      ...(place && { arm: `${place.branch}/${armIds[place.arm]}` }),
    };
    if (step.type === "branch" && open.length < maxArmDepth) open.push({ branch: stepId, arm: 0 });
    return given as StepIn;
  });
}

const channelChoice = fc.record(
  { in_app: fc.boolean(), email: fc.boolean(), sms: fc.boolean(), chat: fc.boolean() },
  { requiredKeys: [] },
);

const mondays: Schedule = {
  isEnabled: true,
  weeklySchedule: { monday: { isEnabled: true, hours: [{ start: "09:00 AM", end: "05:00 PM" }] } },
};
const never: Schedule = { isEnabled: true, weeklySchedule: { monday: { isEnabled: false } } };

const scene = fc.record({
  steps: fc.array(step, { minLength: 1, maxLength: 5 }),
  outsideSchedule: fc.constantFrom("hold", "skip"),
  critical: fc.boolean(),
  /** Those of the workflow itself. */
  channels: channelChoice,
  person: fc.record({
    isKnown: fc.boolean(),
    email: fc.boolean(),
    phone: fc.boolean(),
    chat: fc.boolean(),
    isSuppressed: fc.constantFrom(false, false, true),
    timezone: fc.constantFrom("Europe/Berlin", "Asia/Kolkata"),
    global: fc.option(channelChoice, { nil: undefined, freq: 2 }),
    workflow: fc.option(channelChoice, { nil: undefined, freq: 2 }),
    schedule: fc.constantFrom(undefined, undefined, mondays, never),
    frequency: fc.constantFrom(undefined, ...digestFrequencies),
  }),
  context: fc.constantFrom(undefined, "acme", "new"),
  n: fc.integer({ min: 0, max: 2 }),
  /** A signal of the same moment, for a person who is known. */
  signal: fc.constantFrom(undefined, { key: "0" }, {}),
  /** Events of the same workflow for the same person before. */
  earlier: fc.constantFrom(0, 1, 1, 2),
});
type Scene = typeof scene extends fc.Arbitrary<infer T> ? T : never;

/** One step for each outcome: random scenes may happen to send nothing, and would then prove nothing. */
const certain: Scene = {
  steps: [
    { type: "in_app", controlValues: { body: "Hello" }, arm: undefined },
    { type: "custom", controlValues: { custom: { said: "n is {{ payload.n }}" } }, arm: undefined },
    { type: "in_app", controlValues: { body: "Hello", skip: { "==": [1, 1] } }, arm: undefined },
    { type: "in_app", controlValues: { body: "{{ payload.n | divided_by: 0 }}" }, arm: undefined },
  ],
  outsideSchedule: "hold",
  critical: true,
  channels: {},
  person: {
    ...{ isKnown: true, email: true, phone: true, chat: false, isSuppressed: false, timezone: "Europe/Berlin" },
    ...{ global: undefined, workflow: undefined, schedule: undefined, frequency: undefined },
  },
  context: undefined,
  n: 1,
  signal: undefined,
  earlier: 0,
};

const waits = new Set(["delay", "digest", "throttle", "wait"]);

/**
 * Another event that is still in progress may come before this one at a later digest or throttle, which nobody can know
 * beforehand. So earlier events are still in progress only where they can be met at one step at the most.
 */
const mayBeUnderWay = ({ steps, person }: Scene): boolean => {
  const waiting = steps.filter(({ type }) => waits.has(type)).length;
  // An earlier event that wakes first may change the person before this one does.
  const changes = steps.some(({ type }) => type === "update_subscriber");
  return person.schedule === undefined && waiting <= (changes ? 0 : 1);
};

/** Everything an event needs; returns the event. */
async function prepare(client: Client, name: string, scene: Scene) {
  const { person, steps, channels, critical, outsideSchedule, context, n } = scene;
  await createWorkflow(client, name, toSteps(steps), {
    outsideSchedule,
    preferences: {
      workflow: {
        all: { enabled: true, readOnly: critical },
        channels: Object.fromEntries(Object.entries(channels).map(([channel, enabled]) => [channel, { enabled }])),
      },
    } as never,
  });
  const webhook = { providerId: "svc-slack", credentials: { webhookUrl: `https://hooks.example/${name}` } };
  const phone = `+49${name.slice(1).padStart(6, "1")}`;
  const recipient = {
    subscriberId: `person-${name}`,
    timezone: person.timezone,
    ...(person.email && { email: `${name}@example.com` }),
    ...(person.phone && { phone }),
  };
  const event = {
    name,
    to: { ...recipient, ...(person.chat && { channels: [webhook] }) },
    payload: { n },
    ...(context && { context: { tenant: { id: context, data: { plan: "gold" } } } }),
  };
  const suppress = (channel: "email" | "sms", address: string) =>
    client("suppressions.create", { body: { channel, address } });
  if (person.isSuppressed) await Promise.all([suppress("email", `${name}@example.com`), suppress("sms", phone)]);
  if (!person.isKnown) return event;
  const { subscriberId } = recipient;
  await client("subscribers.create", { body: recipient });
  const choose = (body: object) =>
    client("subscribers.updatePreferences", { params: { subscriberId }, body: body as never });
  if (person.global || person.schedule) await choose({ channels: person.global, schedule: person.schedule });
  if (person.workflow && !critical) await choose({ workflowId: name, channels: person.workflow });
  const offers = steps.some(({ controlValues }) => controlValues.allowFrequencyChoice);
  if (person.frequency && offers && !critical) await choose({ workflowId: name, digestFrequency: person.frequency });
  return person.chat ? event : { ...event, to: subscriberId };
}

const comparableMessage = ({ _id, attempts, ...message }: ExplainedMessage) => message;

/** The words differ in tense only: what follows the colon is the same, but for the value of a condition. */
const comparable = ({ details, messages, reason, ...step }: ExplainedStep) => ({
  ...step,
  because: reason.split(/:(.*)/s)[1]?.replaceAll(" was ", " is ").replace("it would change", "it changed"),
  messages: messages.map(comparableMessage),
});

type Told = { scene: Scene; name: string; told: ExplainedStep[]; transactionId: string; subscriberId: string };

async function tellAndTrigger({ client }: Stage, name: string, scene: Scene, event: object): Promise<Told> {
  const subscriberId = `person-${name}`;
  if (scene.signal && scene.person.isKnown) {
    await client("signals.send", { body: { name: "go", to: subscriberId, ...scene.signal } });
  }
  const { body: dryRun } = await client("explain.dryRun", { body: event as never });
  assert.equal(dryRun.status, "processed");
  assert.equal(dryRun.recipients[0]!.isNew, !scene.person.isKnown && scene.earlier === 0);
  const { body } = await client("events.trigger", { body: event as never });
  return { scene, name, told: dryRun.recipients[0]!.steps, transactionId: body.transactionId!, subscriberId };
}

const window = { amount: 10, unit: "week" } as const;
const budgets: AttentionBudget[] = [
  { channel: "in_app", limit: 1, window, overflow: "drop" },
  { channel: "email", limit: 1, window, overflow: "delay" },
  { channel: "sms", limit: 1, window, overflow: "roll_up" },
];

/** All scenes in one environment. */
async function play(stage: Stage, scenes: [string, Scene][], isUnderWay: boolean): Promise<Map<string, number>> {
  const { client } = stage;
  const seen = new Map<string, number>();
  // Who waits for a place when others come cannot be known beforehand.
  if (!isUnderWay) await client("attention.update", { body: { budgets } });
  const events = await Promise.all(scenes.map(([name, scene]) => prepare(client, name, scene)));
  await Promise.all(
    scenes.flatMap(([, { earlier }], index) =>
      Array.from({ length: earlier }, () => client("events.trigger", { body: events[index]! as never })),
    ),
  );
  await stage.advance(isUnderWay ? 1 : 90, isUnderWay ? "seconds" : "days");
  const all = await Promise.all(
    scenes.map(([name, scene], index) => tellAndTrigger(stage, name, scene, events[index]!)),
  );
  await stage.advance(300, "days");
  for (const { scene, name, told, transactionId, subscriberId } of all) {
    const { body } = await client("explain.retrieve", { query: { transactionId, subscriberId } });
    const what = `${name} ${JSON.stringify(scene)}`;
    assert.deepEqual(told.map(comparable), body.steps.map(comparable), what);
    for (const { type, outcome } of told) seen.set(`${type} ${outcome}`, (seen.get(`${type} ${outcome}`) ?? 0) + 1);
  }
  return seen;
}

test("what the dry-run tells is what happens", async () => {
  const seen = new Map<string, number>();
  await fc.assert(
    fc.asyncProperty(fc.array(scene, { minLength: eventsPerStage, maxLength: eventsPerStage }), async (scenes) => {
      const named = [certain, ...scenes].map((one, index): [string, Scene] => [`w${index}`, one]);
      const { true: open = [], false: closed = [] } = Object.groupBy(named, ([, one]) => `${mayBeUnderWay(one)}`);
      const start = "2026-03-01T12:00:00.000Z";
      for (const [group, isUnderWay] of [
        [open, true],
        [closed, false],
      ] as const) {
        for (const [key, times] of await play(await newStage(service, start), [...group], isUnderWay)) {
          seen.set(key, (seen.get(key) ?? 0) + times);
        }
      }
    }),
    { numRuns: stages, endOnFailure: true },
  );
  const outcomes = new Set([...seen.keys()].map((key) => key.split(" ")[1]));
  for (const outcome of ["sent", "done", "skipped", "failed"]) assert.ok(outcomes.has(outcome), outcome);
});
