// Alert rules over the interface: what is accepted, what is refused, and what members see of it.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Input } from "@tidings/contract";
import { faultsOf, refused } from "@tidings/testkit/refusals";
import { startReceiver } from "@tidings/testkit/servers/receiver";
import { mailer } from "@tidings/testkit/servers/webhook-providers";
import { shareService } from "@tidings/testkit/service";

type RuleIn = Input<"alertRules.create">["body"];

const internet = await startReceiver(({ path }) =>
  path === "/broken" ? { status: 500, text: "no" } : { status: 200 },
);
const { client, production } = await shareService();

let rules = 0;
const ruleIn = (changes: Partial<RuleIn> = {}): RuleIn => ({
  name: `Rule ${++rules}`,
  kind: "queue_age",
  parameters: { seconds: 60 },
  ...changes,
});

test("a new environment has rules; in production the owners hear of them", async () => {
  const [development, live] = [await client("alertRules.list"), await production("alertRules.list")];
  const kindsOf = ({ body }: typeof live) => body.map(({ kind }) => kind).sort();
  assert.deepEqual(kindsOf(development), [
    ...["dead_letters", "integration_failing", "queue_age", "source_failing", "webhook_failing", "workflow_objective"],
  ]);
  assert.deepEqual(kindsOf(live), [...kindsOf(development), "storage", "workflow_runaway"].sort());
  assert.ok(development.body.every(({ targets, active }) => targets.length === 0 && active));
  assert.ok(live.body.every(({ targets }) => targets[0]?.type === "owners"));
  const { body: made } = await client("environments.create", { body: { name: "Third", color: "#aabbcc" } });
  assert.equal(made.name, "Third");
});

test("a rule is created, changed and deleted; a webhook keeps its secret", async () => {
  const url = `${internet.url}/hook`;
  const quiet = { timezone: "Europe/Berlin", days: [1, 2], from: "22:00", to: "07:00" };
  const targets: RuleIn["targets"] = [
    { type: "webhook", url },
    { type: "email", to: ["a@b.de", "a@b.de"] },
  ];
  const { body: created, status } = await client("alertRules.create", {
    body: ruleIn({ targets, quiet, repeatAfterMinutes: 30 }),
  });
  assert.equal(status, 201);
  const [hook, mail] = created.targets;
  assert.match(hook!.secret!, /^whsec_/);
  assert.deepEqual([hook!.host, mail!.to], [new URL(url).host, ["a@b.de"]]);
  assert.deepEqual([created.quiet, created.repeatAfterMinutes, created.openAlerts], [quiet, 30, 0]);
  const params = { ruleId: created._id };
  const { body: changed } = await client("alertRules.update", {
    params,
    body: { targets: [{ type: "webhook", url }], quiet: null, parameters: { seconds: 90 }, name: " New name " },
  });
  assert.deepEqual(changed.targets, [hook]);
  assert.deepEqual([changed.quiet, changed.parameters, changed.name], [null, { seconds: 90 }, "New name"]);
  assert.deepEqual((await client("alertRules.retrieve", { params })).body, changed);
  assert.equal((await client("alertRules.delete", { params })).status, 204);
  await refused(client, "alertRules.retrieve", { params }, "ALERT_RULE_NOT_FOUND");
});

test("a test of a rule says what each target said", async () => {
  await mailer(client, "spare", `${internet.url}/mail`);
  const targets: RuleIn["targets"] = [
    { type: "webhook", url: `${internet.url}/hook` },
    { type: "slack", url: `${internet.url}/broken` },
    { type: "email", to: ["ops@example.com"], integrationIdentifier: "spare" },
    { type: "owners" },
  ];
  const { body: rule } = await client("alertRules.create", { body: ruleIn({ targets }) });
  const { body } = await client("alertRules.test", { params: { ruleId: rule._id } });
  assert.deepEqual(
    body.map(({ target, status, detail }) => [target.type, status, detail]),
    [
      ["webhook", "sent", "HTTP 200"],
      ["slack", "failed", "HTTP 500: no"],
      ["email", "sent", "Sent through the integration spare"],
      ["owners", "failed", "No member has the role owner"],
    ],
  );
  assert.match(internet.of("/mail")[0]!.body, /Test of the alert rule/);
});

const email = (to: string[]): RuleIn["targets"] => [{ type: "email", to }];

for (const [name, body, field, message] of [
  ["an unknown kind", { kind: "moon_phase" }, "kind", /must be one of: dead_letters/],
  ["parameters of another kind", { parameters: { forSeconds: 60 } }, "parameters.seconds", /is required/],
  ["an unknown parameter", { parameters: { seconds: 60, hours: 1 } }, "parameters.hours", /not a known member/],
  ["a parameter out of range", { parameters: { seconds: 1 } }, "parameters.seconds", /not be less than 10/],
  ["no name", { name: "  " }, "name", /invalid format/],
  ["a bad email address", { targets: email(["nobody"]) }, "targets.0.to.0", /invalid format/],
  ["an email to nobody", { targets: email([]) }, "targets.0.to", /must not be empty/],
  ["an email without recipients", { targets: [{ type: "email" }] }, "targets.0.to", /is required/],
  [
    "an unknown integration",
    { targets: [{ type: "email", to: ["a@b.de"], integrationIdentifier: "nope" }] },
    "targets.0.integrationIdentifier",
    /must name an email integration of this environment/,
  ],
  ["a webhook without an address", { targets: [{ type: "webhook" }] }, "targets.0.url", /is required/],
  [
    "a private address",
    { targets: [{ type: "slack", url: "http://169.254.169.254/latest" }] },
    "targets.0.url",
    /private or local address/,
  ],
  ["another protocol", { targets: [{ type: "webhook", url: "file:///etc/passwd" }] }, "targets.0.url", /https:/],
  [
    "a short secret",
    { targets: [{ type: "webhook", url: "https://a.de", secret: "x" }] },
    "targets.0.secret",
    /format/,
  ],
  [
    "a field of another type",
    { targets: [{ type: "owners", to: ["a@b.de"] }] },
    "targets.0.to",
    /does not belong to a target of the type owners/,
  ],
  ["too many targets", { targets: Array(11).fill({ type: "owners" }) }, "targets", /no more than 10/],
  [
    "an unknown time zone",
    { quiet: { timezone: "Mars/Base", days: [1], from: "22:00", to: "07:00" } },
    "quiet.timezone",
    /./,
  ],
  ["a bad time", { quiet: { timezone: "UTC", days: [1], from: "25:00", to: "07:00" } }, "quiet.from", /format/],
  ["a repeat every minute", { repeatAfterMinutes: 1 }, "repeatAfterMinutes", /not be less than 5/],
] as [string, object, string, RegExp][]) {
  test(`refused: ${name}`, async () => {
    const before = (await client("alertRules.list")).body.length;
    const faults = await faultsOf(client, "alertRules.create", { body: { ...ruleIn(), ...body } });
    assert.match(faults[field]?.[0] ?? JSON.stringify(faults), message);
    assert.equal((await client("alertRules.list")).body.length, before);
  });
}

test("refused: a taken name, parameters of another kind in a change, the rule of another environment", async () => {
  const { body: rule } = await client("alertRules.create", { body: ruleIn({ name: "Mine" }) });
  await refused(client, "alertRules.create", { body: ruleIn({ name: "mine" }) }, "ALERT_RULE_NAME_TAKEN");
  const { body: other } = await client("alertRules.create", { body: ruleIn() });
  const [params, ofOther] = [{ ruleId: rule._id }, { ruleId: other._id }];
  await refused(client, "alertRules.update", { params: ofOther, body: { name: "MINE" } }, "ALERT_RULE_NAME_TAKEN");
  const wrong = await faultsOf(client, "alertRules.update", { params, body: { parameters: { forMinutes: 5 } } });
  assert.deepEqual(wrong["parameters.seconds"], ["parameters.seconds is required"]);
  for (const id of ["alertRules.update", "alertRules.delete", "alertRules.test"] as const) {
    const body = id === "alertRules.update" ? { active: false } : undefined;
    await refused(production, id, { params, body }, "ALERT_RULE_NOT_FOUND");
  }
  assert.deepEqual((await client("alertRules.retrieve", { params })).body, rule);
});

test("in production, targets need https", async () => {
  const targets = [{ type: "webhook", url: `${internet.url}/hook` }];
  const faults = await faultsOf(production, "alertRules.create", { body: { ...ruleIn(), targets } });
  assert.deepEqual(faults, { "targets.0.url": ["targets.0.url must start with https://"] });
});

test("an environment has at most 50 rules, also under concurrent requests", async () => {
  const many = Array.from({ length: 60 }, () => client.raw("alertRules.create", { body: ruleIn() }));
  const statuses = new Set((await Promise.all(many)).map(({ status }) => status));
  assert.deepEqual([...statuses].sort(), [201, 409]);
  assert.equal((await client("alertRules.list")).body.length, 50);
});
