// Statistics of experiments over HTTP: random runs, signals, marks and receipts, compared with what a plain count of
// the same facts says; and what the operation refuses.
import assert from "node:assert/strict";
import { test } from "node:test";
import { experimentFigures, heldOutVariant, type StepIn } from "@tidings/contract";
import { newStage } from "@tidings/testkit/clock";
import { request } from "@tidings/testkit/http";
import { createRandom } from "@tidings/testkit/load/random";
import { chooseSeed } from "@tidings/testkit/long";
import { startScriptedMail } from "@tidings/testkit/mail/scripted-mail";
import { assertRefused, faultsOf } from "@tidings/testkit/refusals";
import { shareService } from "@tidings/testkit/service";
import { createWorkflow, email, inApp, messagesOf, settled, trigger } from "@tidings/testkit/verbs";
import { eventually } from "@tidings/testkit/wait";

const mail = await startScriptedMail(() => null);
const service = await shareService();

const hourMs = 3_600_000;
const start = Date.parse("2031-03-03T08:00:00Z");
const goals = ["bought", "upgraded"];
const experiment = (weights: Record<string, number>, more: object = {}): StepIn => ({
  name: "Which text",
  stepId: "exp",
  type: "experiment",
  controlValues: {
    variants: Object.entries(weights).map(([id, weight]) => ({ id, name: `Text ${id}`, weight })),
    holdOutPercent: 20,
    goals,
    ...more,
  },
});

type Sent = { channel: string; did: Set<string> };
type Run = { person: string; at: number; variant: string; sent: Sent[] };
type Signal = { person: string; at: number; name: string };

/** The people of a variant, and by figure or goal how many people and messages. */
type Row = { people: number; [name: string]: number };

/** The same numbers, from facts and not from rows. */
function count(runs: Run[], signals: Signal[], { from, to, goalMs }: { from: number; to: number; goalMs: number }) {
  const within = runs.filter(({ at }) => at >= from && at < to);
  const result = new Map<string, Row>();
  let moved = 0;
  for (const person of new Set(within.map((run) => run.person))) {
    const own = within.filter((run) => run.person === person).toSorted((a, b) => a.at - b.at);
    const [first] = own as [Run];
    const row: Row = result.get(first.variant) ?? { people: 0 };
    result.set(first.variant, row);
    row.people++;
    if (own.some(({ variant }) => variant !== first.variant)) moved++;
    const sent = own.filter(({ variant }) => variant === first.variant).flatMap((run) => run.sent);
    const add = (name: string, value: number) => (row[name] = (row[name] ?? 0) + value);
    const is: Record<string, (one: Sent) => boolean> = {
      sent: () => true,
      delivered: ({ channel, did }) =>
        channel === "in_app" || did.has("delivered") || did.has("opened") || did.has("clicked"),
      opened: ({ channel, did }) => (channel === "in_app" ? did.has("read") : did.has("opened") || did.has("clicked")),
      clicked: ({ did }) => did.has("clicked"),
      read: ({ channel, did }) => channel === "in_app" && did.has("read"),
    };
    for (const figure of experimentFigures) {
      const matching = sent.filter((one) => !one.did.has("bounced") && is[figure]!(one)).length;
      add(`${figure} messages`, matching);
      add(`${figure} people`, Math.min(1, matching));
    }
    for (const name of goals) {
      const isReached = signals.some(
        (one) => one.person === person && one.name === name && one.at >= first.at && one.at < first.at + goalMs,
      );
      add(`${name} people`, isReached ? 1 : 0);
    }
  }
  return { runs: within.length, moved, variants: result };
}

const { EXPERIMENT_SEED } = process.env;
const seed = chooseSeed(1, EXPERIMENT_SEED);

test(`numbers agree with a plain count of what happened: seed ${seed}`, async () => {
  const random = createRandom(seed);
  const stage = await newStage(service, new Date(start).toISOString());
  const { client, environmentId } = stage;
  const key = `whsec_${Buffer.from("a key of thirty-two random bytes").toString("base64")}`;
  const credentials = {
    ...{ host: "127.0.0.1", port: mail.port, secure: false, ignoreTls: true, requireTls: false },
    ...{ from: "shop@example.com", senderName: "Shop" },
  };
  const configurations = { inboundWebhookEnabled: true, inboundWebhookSigningKey: key };
  const body = { providerId: "nodemailer" as const, channel: "email" as const, identifier: "smtp", active: true };
  const { _id: integrationId } = (
    await client("integrations.create", { body: { ...body, credentials, configurations } })
  ).body;
  await client("integrations.setPrimary", { params: { integrationId: "smtp" } });
  const report = async (messageId: string, status: string) => {
    const text = JSON.stringify([{ messageId, status }]);
    const authorization = `Basic ${Buffer.from(`x:${key}`).toString("base64")}`;
    const headers = { "content-type": "application/json", authorization };
    const path = `/v2/inbound-webhooks/delivery-providers/${environmentId}/${integrationId}`;
    const reply = await request(service, path, { method: "POST", headers, body: text });
    assert.equal(reply.status, 200, reply.text);
  };

  const people = Array.from({ length: 24 }, (_, number) => `p${number}`);
  for (const [number, subscriberId] of people.entries()) {
    const address = number % 4 === 0 ? {} : { email: `${subscriberId}@example.com` };
    await client("subscribers.create", { body: { subscriberId, ...address } });
  }
  const named = (stepId: string, step: StepIn): StepIn => ({ ...step, stepId, name: stepId });
  const stepsWith = (weights: Record<string, number>) => [
    named("before", inApp({ body: "before" })),
    experiment(weights),
    named("note", inApp({ body: "{{ steps.exp.variant }}" })),
    named("mail", email({ subject: "{{ steps.exp.variant }}", body: "<p>Hello</p>" })),
  ];
  await createWorkflow(client, "trial", stepsWith({ a: 2, b: 1, c: 1 }));

  const runs: Run[] = [];
  const signals: Signal[] = [];
  let now = start;
  for (let round = 0; round < 6; round++) {
    now += (1 + random.below(9)) * hourMs + round;
    await stage.moveTo(new Date(now).toISOString());
    if (round === 3) {
      const params = { workflowId: "trial" };
      const { preferences, origin, name } = (await client("workflows.retrieve", { params, query: {} })).body;
      const steps = stepsWith({ a: 1, b: 6 });
      await client("workflows.update", { params, body: { name, preferences, origin, steps } as never });
    }
    const reached = people.filter(() => random.chance(0.5));
    const transactionId = await trigger(client, "trial", reached);
    await settled(client, transactionId);
    const messages = await messagesOf(client, transactionId);
    for (const person of reached) {
      const own = messages.filter(({ subscriber }) => subscriber!.subscriberId === person);
      const behind = own.filter(({ content, status }) => content !== "before" && status === "sent");
      const variant = own.find(({ channel, content }) => channel === "in_app" && content !== "before")
        ?.content as string;
      const sent: Sent[] = [];
      for (const { _id, channel } of behind) {
        const did = new Set<string>();
        if (channel === "in_app" && random.chance(0.5)) {
          const params = { subscriberId: person };
          await client("subscribers.markMessages", { params, body: { messageId: _id!, markAs: "read" } });
          did.add("read");
          // What was read once counts, whatever the reader does later.
          if (random.chance(0.3)) {
            await client("subscribers.markMessages", { params, body: { messageId: _id!, markAs: "unread" } });
          }
        } else if (channel === "email") {
          const status = random.pick(["delivered", "opened", "clicked", ""]);
          if (status) await report(_id!, status);
          did.add(status);
        }
        sent.push({ channel, did });
      }
      runs.push({ person, at: now, variant: variant ?? heldOutVariant, sent });
      if (random.chance(0.3)) {
        const name = random.pick([...goals, "other"]);
        await client("signals.send", { body: { name, to: person } });
        signals.push({ person, at: now, name });
      }
    }
    for (const person of people.filter(() => random.chance(0.2))) {
      const name = random.pick(goals);
      now += 1_000;
      await stage.moveTo(new Date(now).toISOString());
      await client("signals.send", { body: { name, to: person } });
      signals.push({ person, at: now, name });
    }
  }
  await stage.advance(1, "hours");

  const compare = async (from: number, to: number) => {
    const query = { from: new Date(from).toISOString(), to: new Date(to).toISOString(), goalDays: 1 };
    const { experiments } = (
      await client("workflows.retrieveExperiments", { params: { workflowId: "trial" }, query: query as never })
    ).body;
    const expected = count(runs, signals, { from, to, goalMs: 24 * hourMs });
    const [only] = experiments;
    assert.deepEqual([only!.stepId, only!.runs, only!.isComplete], ["exp", expected.runs, true]);
    assert.equal(only!.moved, expected.moved);
    for (const { id, people: counted, figures, isHeldOut } of only!.variants) {
      const row: Row = expected.variants.get(id) ?? { people: 0 };
      const where = `${id} of seed ${seed}: ${JSON.stringify({ from, to })}`;
      assert.equal(counted, row.people, where);
      for (const { figure, goal, people: count, messages, share, low, high } of figures) {
        const name = goal ?? figure;
        assert.equal(count, row[`${name} people`] ?? 0, `${name} of ${where}`);
        if (goal === undefined) assert.equal(messages, row[`${name} messages`] ?? 0, where);
        assert.ok(low <= share && share <= high + 1e-9);
        assert.equal(share, counted === 0 ? 0 : count / counted);
      }
      assert.equal(figures.length, goals.length + (isHeldOut ? 0 : experimentFigures.length));
    }
    const shown = new Set(only!.variants.map(({ id }) => id));
    assert.deepEqual(
      [...expected.variants.keys()].filter((id) => !shown.has(id)),
      [],
      "every variant is listed",
    );
  };
  await compare(start, now + hourMs);
  await compare(start, runs.at(-1)!.at);
  await compare(runs[Math.floor(runs.length / 2)]!.at, now + hourMs);
});

test("an erased person stays in the numbers, and is no longer named by them", async () => {
  const { client, db } = service;
  const steps = [experiment({ a: 1, b: 1 }, { holdOutPercent: 0 }), inApp()];
  await createWorkflow(client, "forgotten", steps);
  await settled(client, await trigger(client, "forgotten", "erased-person"));
  const variants = async () => {
    const params = { workflowId: "forgotten" };
    const { experiments } = (await client("workflows.retrieveExperiments", { params, query: {} })).body;
    return experiments[0]!.variants.map(({ id, people, figures }) => [id, people, figures[0]!.people]);
  };
  const before = await variants();
  const subscriber = await db
    .selectFrom("subscribers")
    .where("subscriber_id", "=", "erased-person")
    .select("id")
    .executeTakeFirstOrThrow();
  const isNamed = async () =>
    (await db.selectFrom("exposures").where("subscriber_id", "=", subscriber.id).select("variant").execute()).length;
  assert.equal(await isNamed(), 1);
  const { id } = (await client("subscribers.erase", { params: { subscriberId: "erased-person" }, body: {} })).body;
  await eventually(async () => {
    const erasure = (await client("erasures.retrieve", { params: { erasureId: id } })).body;
    return erasure.status === "completed";
  }, "the erasure");
  assert.equal(await isNamed(), 0);
  assert.deepEqual(await variants(), before);
});

test("a person has the same variant in another environment, and under a new name with the old one as seed", async () => {
  const { client, production } = service;
  const shown = inApp({ body: "{{ steps.exp.variant }}{{ steps.renamed.variant }}" });
  const { steps } = await createWorkflow(client, "kept", [experiment({ a: 1, b: 1, c: 1 }), shown]);
  const [target] = (await production("environments.list")).body.filter(({ type }) => type === "prod");
  const resources = [{ resourceType: "workflow" as const, resourceId: "kept" }];
  await production("environments.publish", { params: { targetEnvironmentId: target!._id }, body: { resources } });
  const people = Array.from({ length: 20 }, (_, number) => `kept-${number}`);
  const variantsIn = async (environment: typeof client): Promise<unknown[]> => {
    const transactionId = await trigger(environment, "kept", people);
    await settled(environment, transactionId);
    const sent = (await messagesOf(environment, transactionId)).filter(({ status }) => status === "sent");
    return sent.map(({ subscriber, content }) => [subscriber!.subscriberId, content]).toSorted();
  };
  const before = await variantsIn(client);
  assert.ok(before.length > 0);
  assert.deepEqual(await variantsIn(production), before);
  const params = { workflowId: "kept" };
  const rename = async (seed?: string) => {
    const { preferences, origin, name } = (await client("workflows.retrieve", { params, query: {} })).body;
    const renamed = { ...experiment({ a: 1, b: 1, c: 1 }, { seed }), stepId: "renamed", _id: steps[0]!._id };
    await client("workflows.update", { params, body: { name, preferences, origin, steps: [renamed, shown] } as never });
  };
  await rename();
  assert.notDeepEqual(await variantsIn(client), before);
  await rename("kept/exp");
  assert.deepEqual(await variantsIn(client), before);
  const { experiments } = (await client("workflows.retrieveExperiments", { params, query: {} })).body;
  assert.deepEqual([experiments[0]!.stepId, experiments[0]!.runs], ["renamed", 60], "the numbers stay with the step");
});

test("explain names the variant or the hold-out with the reason; weights of 0 are an issue, and a reason", async () => {
  const { client } = service;
  const explained = async (workflowId: string, step: StepIn, to: string) => {
    const { steps } = await createWorkflow(client, workflowId, [step, inApp()]);
    const transactionId = await trigger(client, workflowId, to);
    await settled(client, transactionId);
    const query = { transactionId, subscriberId: to };
    const explanation = (await client("explain.retrieve", { query })).body;
    return { issues: steps[0]!.issues, verdict: explanation.verdict, steps: explanation.steps };
  };
  const chosen = await explained("chosen", experiment({ a: 1, b: 3 }, { holdOutPercent: 0 }), "eve");
  const { variant, text } = /the variant (?<variant>[ab]), (?<text>.*)/.exec(chosen.steps[0]!.reason)!.groups!;
  assert.equal(text, `where a hash of experiment and person puts ${variant === "a" ? 25 : 75} % of people`);
  const out = await explained("out", experiment({ a: 1, b: 3 }, { holdOutPercent: 99 }), "eve");
  const reason = "the person is among the 99 % that the experiment holds out";
  assert.equal(out.verdict, `In-app message was not sent: ${reason}.`);
  const decider = { kind: "experiment", id: "exp", name: "Which text" };
  assert.deepEqual([out.steps[0]!.decidedBy, out.steps[1]!.decidedBy], [decider, decider]);
  const none = await explained("none", experiment({ a: 0, b: 0 }, { holdOutPercent: 0 }), "eve");
  assert.match(JSON.stringify(none.issues), /The weights add up to 0: give at least one variant a weight of 1 or more/);
  assert.match(none.steps[0]!.reason, /failed: .*the weights of its variants add up to 0$/);
});

test("a workflow without experiments has none, and nobody yet is said plainly", async () => {
  const { client, production } = service;
  await createWorkflow(client, "plain", [inApp()]);
  const experimentsOf = async (workflowId: string, query: object = {}) =>
    (await client("workflows.retrieveExperiments", { params: { workflowId }, query: query as never })).body.experiments;
  assert.deepEqual(await experimentsOf("plain"), []);
  await createWorkflow(client, "empty", [experiment({ a: 1, b: 1 }), { ...inApp(), stepId: "note" }]);
  const [empty] = await experimentsOf("empty", { stepId: "exp" });
  assert.deepEqual(
    empty!.variants.map(({ id, people }) => [id, people]),
    [
      ["a", 0],
      ["b", 0],
      [heldOutVariant, 0],
    ],
  );
  const sentences = empty!.variants.map(({ figures }) => figures.at(-1)!.sentence);
  assert.deepEqual(sentences, [
    "Variant Text a: nobody yet.",
    "Variant Text b: nobody yet.",
    "People held out: nobody yet.",
  ]);

  const id = "workflows.retrieveExperiments";
  const input = (workflowId: string, query: object = {}) => ({ params: { workflowId }, query: query as never });
  await assertRefused(client, id, input("nobody"), { code: "WORKFLOW_NOT_FOUND" });
  await assertRefused(production, id, input("empty"), { code: "WORKFLOW_NOT_FOUND" });
  await assertRefused(client, id, input("empty", { stepId: "who" }), { code: "STEP_NOT_FOUND" });
  const [early, late] = ["2030-01-01T00:00:00Z", "2031-01-01T00:00:00Z"];
  const refusals: [object, string, RegExp][] = [
    [{ stepId: "note" }, "stepId", /experiment step/],
    [{ from: late, to: early }, "from", /earlier/],
    [{ from: early, to: late }, "from", /90 days/],
    [{ from: "yesterday" }, "from", /./],
    [{ goalDays: "91" }, "goalDays", /90/],
  ];
  for (const [query, field, message] of refusals) {
    const faults = await faultsOf(client, id, input("empty", query));
    assert.match(faults[field]![0]!, message);
  }
});
