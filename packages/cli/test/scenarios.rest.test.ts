// Scenario files: what they say happens on a test clock, in an environment that is gone afterwards.
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { Scenario } from "@tidings/contract";
import { newStage } from "@tidings/testkit/clock";
import fc from "@tidings/testkit/properties";
import { startTestService } from "@tidings/testkit/service";
import { createWorkflow, email, inApp, trigger } from "@tidings/testkit/verbs";
import { parse } from "yaml";
import { toYaml } from "../../server/src/app/events/scenario-yaml.ts";
import { keyOf, openTerminal } from "./support.ts";

const service = await startTestService({ TIDINGS_MAX_ENVIRONMENTS: "8" });
const { client } = service;
const terminal = openTerminal(service);
await createWorkflow(client, "onboarding", [
  email({
    subject: "Welcome {{ subscriber.firstName }}",
    body: "<p>Your code is 482913.</p><a href='https://example.com/start'>Start</a>",
  }),
  { name: "Wait", type: "delay", controlValues: { amount: 30, unit: "days" } },
  inApp({ subject: "Still there?", body: "It has been a month" }),
]);
await createWorkflow(client, "news", [
  { name: "Collect", type: "digest", controlValues: { amount: 1, unit: "hours" } },
  inApp({ body: "{{ steps.collect.eventCount }} news" }),
]);

const wait = (stepId: string, values: object) => ({
  ...{ name: stepId, stepId, type: "wait" as const },
  controlValues: { type: "regular", amount: 1, unit: "hours", ...values },
});
await createWorkflow(client, "offer", [
  inApp({ body: "An offer" }),
  wait("looked", { message: { stepId: "in-app", event: "seen" } }),
  email({ subject: "The offer", body: "<p>The offer</p>" }),
  wait("opened", { message: { stepId: "email", event: "clicked" } }),
  {
    ...{ name: "Interest", stepId: "interest", type: "branch" },
    controlValues: { arms: [{ id: "clicked", condition: { "==": [{ var: "steps.opened.reason" }, "message"] } }] },
  },
  { ...inApp({ body: "You clicked" }), stepId: "more", arm: "interest/clicked" },
  wait("answer", { signal: { name: "answered", key: "{{ payload.id }}" } }),
  { ...inApp({ body: "{{ steps.answer.reason }} {{ steps.answer.data.word }}" }), stepId: "last" },
]);

const write = (name: string, text: string) => {
  mkdirSync(join(terminal.folder, "scenarios"), { recursive: true });
  writeFileSync(join(terminal.folder, "scenarios", name), text);
  return `scenarios/${name}`;
};
const environments = async () => (await client("environments.list")).body.length;

const onboarding = `name: onboarding takes a month
given:
  time: "2026-03-02T09:00:00Z"
  subscribers:
    - subscriberId: ada
      firstName: Ada
      email: ada@example.com
    - subscriberId: bob
      email: bob@example.com
      preferences: { onboarding: { email: false } }
  topics: { team: [ada, bob] }
when:
  - { at: "+0m", trigger: onboarding, to: { type: Topic, topicKey: team } }
then:
  - to: ada
    channel: email
    at: "+0m"
    subject: Welcome Ada
    body: { contains: Your code }
    code: "482913"
    links: [https://example.com/start]
  - { to: ada, channel: in_app, at: "+30d", subject: { matches: "^Still" } }
  - { to: bob, channel: in_app, at: "2026-04-01T09:00:00Z", body: It has been a month }
`;

const digest = `name: three news are one message
given: { time: "2026-03-02T09:00:00Z", subscribers: [{ subscriberId: ada }] }
when:
  - { at: "+0m", trigger: news, to: ada }
  - { at: "+10m", trigger: news, to: ada }
  - { at: "+20m", broadcast: news }
then:
  - { to: ada, channel: in_app, at: { from: "+55m", to: "+65m" }, body: 3 news }
`;

test("months pass in seconds, with the same result every time, and nothing is left behind", async () => {
  const before = await environments();
  write("onboarding.yaml", onboarding);
  write("news.yml", digest);
  const ran = await terminal.run("test", "--junit", "out/report.xml");
  assert.equal(ran.code, 0, ran.stdout + ran.stderr);
  assert.match(ran.stdout, /✓ three news are one message/);
  assert.match(ran.stdout, /2 passed, 0 failed\.\n$/);
  const junit = readFileSync(join(terminal.folder, "out/report.xml"), "utf8");
  assert.match(junit, /<testsuite name="tidings" tests="2" failures="0"/);
  assert.equal(await environments(), before);
  const one = await terminal.json<{ passed: number }>("test", "--filter", "three", "--parallel", "1");
  assert.equal(one.passed, 1);
});

const offer = `name: marks, reports and signals
given: { time: "2026-03-02T09:00:00Z", subscribers: [{ subscriberId: ada, email: ada@example.com }] }
when:
  - { at: "+0m", trigger: offer, to: ada, payload: { id: 7 } }
  - { at: "+10m", seen: ada, workflow: offer }
  - { at: "+20m", clicked: ada }
  - { at: "+25m", signal: answered, to: ada, key: "8", reached: 0 }
  - { at: "+30m", signal: answered, to: [ada], key: "7", data: { word: yes please }, reached: 1 }
then:
  - { to: ada, channel: in_app, at: "+0m", body: An offer }
  - { to: ada, channel: email, at: "+10m" }
  - { to: ada, channel: in_app, at: "+20m", body: You clicked }
  - { to: ada, channel: in_app, at: "+30m", body: signal yes please }
steps:
  - { to: ada, workflow: offer, step: interest, arm: clicked }
  - { to: ada, step: answer, outcome: done, reason: { contains: the signal answered arrived } }
`;

test("what runs wait for happens at its time, and steps are checked", async () => {
  const late = offer
    .replace("name: marks", "name: no marks")
    .replace(/ {2}- \{ at: "\+(10|20|25|30)m".*\n/g, "")
    .replace(/then:[\s\S]*steps:\n/, "then: []\nuntil: +30m\nsteps:\n")
    .replace("then: []", "then: [{ to: ada, channel: in_app }]");
  const wrong = offer
    .replace("name: marks", "name: wrong marks")
    .replace("arm: clicked", "arm: else")
    .concat("  - { to: bob, step: answer }\n");
  const ran = await terminal.run("test", write("offer.yaml", `${offer}---\n${late}---\n${wrong}`));
  assert.equal(ran.code, 1);
  assert.match(ran.stdout, /✓ marks, reports and signals/);
  assert.match(ran.stdout, /✗ no marks[\s\S]*differs step interest of offer for ada\n +arm:\n +- clicked\n +\+ none: /);
  assert.match(ran.stdout, /✗ wrong marks[\s\S]*arm:\n +- else\n +\+ clicked\n +missing step answer for bob/);
  const refusals: [before: string, after: string, told: RegExp][] = [
    ["to: [ada], key", "to: [eve], key", /The signal answered is for eve, who is not a subscriber/],
    ["reached: 1", "reached: 2", /The signal answered reached 1 run, not 2/],
    ["clicked: ada", "clicked: ada, channel: sms", /"clicked" needs a message by sms, and none was sent/],
    [
      "given: {",
      "given: { variants: { offer: { interest: b } },",
      /names b of the step interest[\s\S]*not an experiment/,
    ],
    ["given: {", "given: { responses: { moon: {} },", /names the workflow moon, which does not exist/],
  ];
  const texts = refusals.map(([before, after], index) =>
    offer.replace(before, after).replace("name: marks", `name: refused ${index}`),
  );
  const refused = await terminal.run("test", write("offer.yaml", texts.join("---\n")));
  for (const [, , told] of refusals) assert.match(refused.stdout, told);
  assert.match(refused.stdout, /0 passed, 5 failed/);
  write("offer.yaml", offer);
});

test("what differs, is missing or was not expected is told, and fails", async () => {
  const before = await environments();
  const wrong = onboarding
    .replace("Welcome Ada", "Hello Ada")
    .replace('  - { to: bob, channel: in_app, at: "2026-04-01T09:00:00Z", body: It has been a month }\n', "")
    .replace("when:\n", 'until: "+40d"\nwhen:\n')
    .concat("  - { to: eve, channel: sms }\n");
  const file = write("wrong.yaml", wrong);
  const ran = await terminal.run("test", file, "--junit", "report.xml");
  assert.equal(ran.code, 1);
  assert.match(ran.stdout, /✗ onboarding takes a month .* scenarios\/wrong\.yaml:1/);
  assert.match(ran.stdout, /differs email to ada at \+0m "Welcome Ada"\n +subject:\n +- Hello Ada\n +\+ Welcome Ada/);
  assert.match(ran.stdout, /missing sms to eve/);
  assert.match(ran.stdout, /unexpected in_app to bob at \+30d "Still there\?"\n +\+ It has been a month/);
  assert.match(
    readFileSync(join(terminal.folder, "report.xml"), "utf8"),
    /failures="1"[\s\S]*<failure message="differs email/,
  );
  const unknown = write("unknown.yaml", onboarding.replaceAll("trigger: onboarding", "trigger: moon"));
  const refused = await terminal.run("test", unknown);
  assert.match(refused.stdout, /✗ [\s\S]*Workflow moon not found/);
  assert.equal(refused.code, 1);
  assert.equal(await environments(), before);
});

test("a file with a fault is refused with line and column, before anything runs", async () => {
  const cases: [text: string, fault: RegExp][] = [
    [
      onboarding.replace("firstName: Ada", "fristName: Ada"),
      /x\.yaml:6:7 subscribers: "fristName" is unknown\. Expected one of subscriberId/,
    ],
    [onboarding.replace('at: "+0m", trigger', 'at: "soon", trigger'), /x\.yaml:13:11 at has to be "\+0m"/],
    [
      onboarding.replace("trigger: onboarding, to", "trigger: onboarding, cancel: x, to"),
      /x\.yaml:13:5 an entry of "when" has one of/,
    ],
    [onboarding.replace("trigger: onboarding, to", "read: ada, to"), /x\.yaml:13:29 "to" does not belong to "read"/],
    [offer.replace("seen: ada, workflow", "seen: ada, key"), /x\.yaml:5:\d+ "key" does not belong to "seen"/],
    [offer.replace("to: [ada], ", ""), /x\.yaml:8:\d+ "signal" needs "to"/],
    [offer.replace("reached: 1", "reached: -1"), /x\.yaml:8:\d+ reached has to be a number/],
    [offer.replace("outcome: done", "outcome: fine"), /x\.yaml:16:\d+ outcome has to be one of sent, done/],
    [
      offer.replace("given: {", "given: { responses: { offer: { a: { status: 9 } } },"),
      /x\.yaml:2:\d+ status has to be an HTTP status/,
    ],
    [onboarding.replace('matches: "^Still"', 'matches: "("'), /x\.yaml:22:\d+ subject: Invalid regular expression/],
    [onboarding.replace("channel: email", "channel: pigeon"), /x\.yaml:16:14 channel has to be one of in_app/],
    [
      onboarding.replace("onboarding: { email: false }", "onboarding: { digestFrequency: monthly }"),
      /x\.yaml:10:\d+ digestFrequency has to be one of instant, hourly, daily, weekly/,
    ],
    [onboarding.replace("given:\n", "given: [\n"), /x\.yaml:\d+:\d+ /],
    ["", /x\.yaml:1:1 the file has no scenario/],
    ["name: x\n", /"given" is missing/],
  ];
  for (const [text, fault] of cases) {
    const ran = await terminal.run("test", write("x.yaml", text));
    assert.match(ran.stderr, fault);
    assert.equal(ran.code, 1);
  }
  write("x.yaml", digest);
  assert.match((await terminal.run("test", "nowhere")).stderr, /nowhere does not exist/);
  assert.match((await terminal.run("test", "--filter", "moon")).stderr, /No scenario has "moon"/);
  assert.equal((await terminal.run("test", "--parallel", "0")).code, 64);
});

test("without room for an environment, the error says what to do", async () => {
  const keys: string[] = [];
  for (let at = await environments(); at < 8; at++) {
    const { body } = await client("environments.create", { body: { name: `Room ${at}`, color: "#000000" } });
    keys.push(body._id, body.apiKeys![0]!.key);
  }
  const ran = await terminal.run("test", write("y.yaml", digest));
  assert.equal(ran.code, 1);
  assert.match(ran.stdout, /no more can be created[\s\S]*TIDINGS_MAX_ENVIRONMENTS/);
  for (let at = 0; at < keys.length; at += 2) {
    const headers = { authorization: `ApiKey ${keys[at + 1]}` };
    await fetch(`${service.url}/v1/environments/${keys[at]}`, { method: "DELETE", headers });
  }
});

test("an interrupted test leaves no environment", async () => {
  const before = await environments();
  const interrupted = new AbortController();
  const watched = terminal.watch({ signal: interrupted.signal }, "test", write("z.yaml", onboarding));
  await watched.until(async () => (await environments()) > before);
  interrupted.abort();
  assert.equal(await watched.code, 1);
  assert.equal(await environments(), before);
});

test("a run is saved as a scenario, which passes", async () => {
  const stage = await newStage(service, "2026-03-02T09:00:00Z");
  await createWorkflow(stage.client, "orders", [
    email({ subject: "Order {{ payload.id }}", body: "<p>Thank you, {{ subscriber.firstName }}.</p>" }),
    { name: "Collect", type: "digest", controlValues: { amount: 1, unit: "weeks", allowFrequencyChoice: true } },
    inApp({ body: '{{ steps.collect.eventCount }} orders: #1 "quoted"' }),
  ]);
  const ada = { subscriberId: "ada", firstName: "Ada", email: "ada@example.com", timezone: "Europe/Berlin" };
  await stage.client("subscribers.create", { body: { ...ada, data: { "key: odd": ["a: b", true, null] } } });
  await stage.client("subscribers.updatePreferences", {
    params: { subscriberId: "ada" },
    body: { workflowId: "orders", digestFrequency: "daily" },
  });
  await trigger(stage.client, "orders", "ada", { id: 7, note: "two\nlines" });
  await stage.advance(3, "hours");
  const second = await trigger(stage.client, "orders", "ada", { id: 8 });
  await stage.advance(2, "days");
  const there = openTerminal({ url: service.url, apiKey: await keyOf(stage.client) });
  const saved = await there.run("test", "--save", second);
  assert.equal(saved.code, 0, saved.stderr);
  assert.match(saved.stdout, /^saved scenarios\/orders-to-ada\.yaml\n/);
  const file = readFileSync(join(there.folder, "scenarios/orders-to-ada.yaml"), "utf8");
  assert.match(file, /orders:\n +digestFrequency: daily\n/);
  assert.match(file, /channel: in_app\n +at: \+23h\n/);
  const ran = await there.run("test");
  assert.equal(ran.code, 0, ran.stdout);
  assert.match(
    (await there.run("test", "--save", second)).stderr,
    /scenarios\/orders-to-ada\.yaml exists\.\n→ Name another/,
  );
  assert.match((await there.run("test", "--save", "moon")).stderr, /moon not found/);
});

test("a run that waited is saved with its marks and signals", async () => {
  const stage = await newStage(service, "2026-03-02T09:00:00Z");
  await createWorkflow(stage.client, "ask", [
    inApp({ body: "A question" }),
    wait("looked", { message: { stepId: "in-app", event: "seen" } }),
    wait("answer", { signal: { name: "answered", key: "{{ payload.id }}" } }),
    { ...inApp({ body: "{{ steps.answer.data.word }}" }), stepId: "last" },
  ]);
  const params = { subscriberId: "ada" };
  await stage.client("subscribers.create", { body: params });
  const transactionId = await trigger(stage.client, "ask", "ada", { id: 7 });
  await stage.advance(10, "minutes");
  await stage.client("subscribers.markAllMessages", { params, body: { markAs: "seen" } });
  await stage.advance(10, "minutes");
  const answered = { to: "ada", key: "7", data: { word: "yes" } };
  await stage.client("signals.send", { body: { ...answered, name: "unrelated" } });
  await stage.client("signals.send", { body: { ...answered, name: "answered" } });
  await stage.advance(1, "hours");
  const there = openTerminal({ url: service.url, apiKey: await keyOf(stage.client) });
  const { scenario } = await there.json<{ scenario: Scenario }>("test", "--save", transactionId);
  assert.deepEqual(scenario.when.slice(1), [
    { at: "+10m", seen: "ada", workflow: "ask" },
    { at: "+20m", signal: "answered", to: "ada", key: "7", data: { word: "yes" } },
  ]);
  const ran = await there.run("test");
  assert.equal(ran.code, 0, ran.stdout);
});

test("a scenario brings the variables that its workflows read", async () => {
  const values = [{ _environmentId: (await client("environments.list")).body[0]!._id, value: "here" }];
  await client("environmentVariables.create", { body: { key: "PLACE", values } });
  await createWorkflow(client, "place", [inApp({ body: "It is {{ env.PLACE }}" })]);
  const file = write(
    "place.yaml",
    `name: variables
given: { time: "2026-03-02T09:00:00Z", subscribers: [{ subscriberId: ada }], variables: { PLACE: there } }
when: [{ at: "+0m", trigger: place, to: ada }]
then: [{ to: ada, channel: in_app, body: It is there }]
`,
  );
  const ran = await terminal.run("test", file);
  assert.equal(ran.code, 0, ran.stdout + ran.stderr);
});

test("every value survives as YAML", async () => {
  await fc.assert(
    fc.asyncProperty(fc.dictionary(fc.string({ minLength: 1 }), fc.jsonValue({ maxDepth: 4 })), async (given) => {
      const value = JSON.parse(JSON.stringify(given));
      assert.deepEqual(parse(await toYaml(value)) ?? {}, value);
    }),
  );
  for (const text of [
    "yes",
    "+0m",
    "1e3",
    " a",
    "a\n b\n",
    "a\nb",
    "- x",
    "a: b",
    "#",
    "",
    "null",
    "~",
    "a\n\n  b",
    "\u0085",
    "2026-03-02",
  ])
    assert.deepEqual(parse(await toYaml({ text })), { text });
});

test("rendered content is compared with golden files", async () => {
  const missing = await terminal.run("render", "onboarding");
  assert.equal(missing.code, 1);
  assert.match(missing.stdout, /missing __renders__\/onboarding\/[\w-]+\.en_US\.txt/);
  const written = await terminal.run("render", "--update");
  assert.equal(written.code, 0, written.stderr);
  assert.match(written.stdout, /\d files written, 0 removed/);
  assert.equal((await terminal.run("render")).code, 0);
  const { body } = await client("workflows.retrieve", { params: { workflowId: "news" } });
  const steps = body.steps.map(({ name, type, stepId, controls }) => ({
    ...{ name, type, stepId },
    controlValues: type === "in_app" ? { body: "Changed news" } : controls.values,
  }));
  await client("workflows.update", {
    params: { workflowId: "news" },
    body: { name: "news", origin: body.origin, preferences: {}, steps: steps as never },
  });
  const changed = await terminal.run("render", "news");
  assert.equal(changed.code, 1);
  assert.match(changed.stdout, /differs __renders__\/news\/[\s\S]*\+ Changed news[\s\S]*--update/);
  const unknown = await terminal.run("render", "moon", "onboarding");
  assert.equal(unknown.code, 1);
  assert.match(
    unknown.stdout,
    /error {3}moon: .*moon not found\n[\s\S]*2 the same, 0 differ, 1 workflow could not be rendered/,
  );
  assert.match(unknown.stdout, /^Testing the workflows of Development, not files\.\n/);
});
