// Alerts end to end: a provider goes down and comes back, and people are notified once each time, by other ways.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Alert } from "@tidings/contract";
import { startScriptedMail } from "@tidings/testkit/mail/scripted-mail";
import { isSignedWith, startReceiver } from "@tidings/testkit/servers/receiver";
import { mailer, person } from "@tidings/testkit/servers/webhook-providers";
import { createWorkflow, email, trigger } from "@tidings/testkit/verbs";
import { eventually } from "@tidings/testkit/wait";
import { sql } from "kysely";
import { alertsOf, minutes, removeRules, startAlertService } from "../../support/alerts.ts";

let isDown = false;
const internet = await startReceiver(({ path }) => {
  if (path === "/main" && isDown) return { status: 503 };
  return path === "/slack" ? { status: 200, text: "ok" } : { status: 200 };
});
const post = await startScriptedMail(() => null);
const { service, pass } = await startAlertService({
  TIDINGS_CIRCUIT_FAILURES: "1",
  TIDINGS_PUBLIC_URL: "https://tidings.example.com",
});
const { client, db } = service;
await removeRules(client);
await createWorkflow(client, "mail", [email()]);

/** When the calls of the only failing integration began to fail. */
async function findFailingSince(): Promise<Date | undefined> {
  const { rows } = await sql<{ at: Date }>`
    select failing_since as at from integration_health where failing_since is not null`.execute(db);
  return rows[0]?.at;
}

const isSettled = (alert: Alert | undefined): boolean =>
  alert !== undefined && alert.messages.length > 0 && alert.messages.every(({ status }) => status !== "pending");

/** The newest alert, once its messages have been sent or given up. */
const newestSettled = (query = {}): Promise<Alert> =>
  eventually(async () => (await alertsOf(client, query)).filter(isSettled)[0], "the messages to be sent");

test("a provider that is down: one message to each target, none through it, and one when it responds again", async () => {
  const main = await mailer(client, "main", `${internet.url}/main`);
  await client("integrations.setPrimary", { params: { integrationId: main._id! } });
  const smtp = {
    ...{ providerId: "nodemailer" as const, channel: "email" as const, identifier: "spare", active: true },
    credentials: { host: "127.0.0.1", port: String(post.port), secure: false, from: "alerts@example.com" },
  };
  await client("integrations.create", { body: smtp });
  const { body: rule } = await client("alertRules.create", {
    body: {
      name: "Provider down",
      kind: "integration_failing",
      parameters: { forSeconds: 60 },
      targets: [
        { type: "webhook", url: `${internet.url}/hook` },
        { type: "slack", url: `${internet.url}/slack` },
        { type: "email", to: ["ops@example.com"], integrationIdentifier: "main" },
      ],
    },
  });
  isDown = true;
  await trigger(client, "mail", person("ada"));
  const start = (await eventually(findFailingSince, "a failed call")).getTime();
  const at = (ms: number) => pass(new Date(start + ms));

  await at(59_000);
  assert.deepEqual(await alertsOf(client), []);
  await at(minutes(1));
  await at(minutes(1.5));
  const [alert, ...others] = await alertsOf(client, { status: "open" });
  assert.deepEqual(others, []);
  assert.deepEqual(alert!.subject, { type: "integration", id: main._id, name: main.name });
  assert.deepEqual([alert!.code, alert!.kind, alert!.ruleId], ["breaker_open", "integration_failing", rule._id]);
  const { messages } = await newestSettled();
  assert.deepEqual(messages.map(({ target, status, detail }) => [target.type, status, detail]).sort(), [
    ["email", "sent", "Sent through the integration spare"],
    ["slack", "sent", "HTTP 200"],
    ["webhook", "sent", "HTTP 200"],
  ]);
  const link = `https://tidings.example.com/integrations/${main._id}?env=development`;
  const [hook, ...again] = internet.of("/hook");
  assert.deepEqual(again, []);
  assert.ok(isSignedWith(rule.targets[0]!.secret!, hook!));
  const sent = JSON.parse(hook!.body);
  assert.equal(sent.id, hook!.headers["webhook-id"]);
  assert.deepEqual([sent.type, sent.data.alerts[0].notice, sent.data.alerts[0].url], ["alerts", "opened", link]);
  const slack = JSON.parse(internet.of("/slack")[0]!.body);
  assert.match(slack.text, /^\[Development\] .* is failing$/);
  assert.match(slack.blocks[0].text.text, /\|Open the dashboard>/);
  const [mail] = post.mailsTo("ops@example.com");
  assert.equal(mail!.subject, slack.text);
  assert.ok(mail!.text!.includes(link), mail!.text);

  isDown = false;
  await client("integrations.tryNow", { params: { integrationId: main._id! } });
  await trigger(client, "mail", person("ada"));
  await eventually(async () => !(await findFailingSince()), "the provider to respond");
  await at(minutes(4));
  assert.equal((await alertsOf(client, { status: "open" })).length, 1);
  await at(minutes(4.5));
  await at(minutes(60));
  const [ended] = await alertsOf(client);
  assert.deepEqual([ended!._id, ended!.status, ended!.ending], [alert!._id, "resolved", "recovered"]);
  await newestSettled();
  assert.equal(post.mailsTo("ops@example.com").length, 2);
  assert.match(post.mailsTo("ops@example.com")[1]!.subject!, /^\[Development\] Resolved: /);
  assert.deepEqual([internet.of("/hook").length, internet.of("/slack").length], [2, 2]);
});
