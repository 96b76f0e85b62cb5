// Alerts as the API lists them, and what the messages about them do when a target fails.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Alert, Input } from "@tidings/contract";
import { startScriptedMail } from "@tidings/testkit/mail/scripted-mail";
import { refused } from "@tidings/testkit/refusals";
import { startReceiver } from "@tidings/testkit/servers/receiver";
import { announceDueTasks, eventually } from "@tidings/testkit/wait";
import { sql } from "kysely";
import { alertsOf, minutes, removeRules, startAlertService } from "../../support/alerts.ts";

const internet = await startReceiver(({ path }) => ({ status: path === "/gone" ? 404 : 503 }));
const post = await startScriptedMail(() => null);
const { service, pass } = await startAlertService();
const { client, production, db } = service;
await removeRules(client);

type RuleIn = Input<"alertRules.create">["body"];

/** The owner of the installation, whose address is the last way to tell somebody. */
await sql`update users set email = 'owner@example.com', email_key = 'owner@example.com', role = 'owner'`.execute(db);
const smtp = { host: "127.0.0.1", port: String(post.port), secure: false, from: "alerts@example.com" };
const { body: spare } = await production("integrations.create", {
  body: { providerId: "nodemailer", channel: "email", identifier: "spare", active: true, credentials: smtp },
});

/** A webhook that fails, by hand: calls take too long for a test. */
async function failingWebhook(since: Date): Promise<string> {
  const { body } = await client("webhooks.create", { body: { url: `${internet.url}/customer` } });
  await sql`update webhooks set failures = 4, failing_since = ${since}, last_error = 'HTTP 503'
    where id = ${body.id}`.execute(db);
  return body.id;
}

async function watchWebhooks(name: string, changes: Partial<RuleIn> = {}): Promise<string> {
  const parameters = { forMinutes: 5 };
  const { body } = await client("alertRules.create", {
    body: { name, kind: "webhook_failing", parameters, ...changes },
  });
  return body._id;
}

const messagesOf = ({ messages }: Alert) =>
  messages.map(({ target, status, attempts, isFallback }) => [target.type, status, attempts, isFallback]);

/** Lets the waits between attempts end at once. */
async function hurry(): Promise<void> {
  await sql`update queue.job_common set start_after = now() where name = 'alert' and state < 'active'`.execute(db);
  await announceDueTasks(db);
}

/** The newest alert of the rule, once each of its messages has been sent or given up. */
const settledAlert = (ruleId: string): Promise<Alert> =>
  eventually(async () => {
    await hurry();
    const [alert] = await alertsOf(client, { ruleId });
    return alert?.messages.length && alert.messages.every(({ status }) => status !== "pending") ? alert : null;
  }, "all messages to be sent or given up");

test("a target that fails: the owners get the message with the reason, and the alert says so", async () => {
  await failingWebhook(new Date(Date.now() - minutes(6)));
  const targets: RuleIn["targets"] = [
    { type: "webhook", url: `${internet.url}/down` },
    { type: "slack", url: `${internet.url}/gone` },
  ];
  const ruleId = await watchWebhooks("Falls back", { targets });
  await pass(new Date());
  const alert = await eventually(async () => {
    const found = await settledAlert(ruleId);
    return found.messages.length === 3 ? found : null;
  }, "the message to the owners");
  // Slack refused for good; the webhook was tried again. Both fall back to the same message.
  assert.deepEqual(messagesOf(alert).sort(), [
    ["owners", "sent", 1, true],
    ["slack", "failed", 1, false],
    ["webhook", "failed", 4, false],
  ]);
  const mails = post.mailsTo("owner@example.com");
  assert.equal(mails.length, 1);
  assert.match(mails[0]!.text!, /You get this message because the Slack channel at .* could not be reached: HTTP 404/);
  const { detail } = alert.messages.find(({ isFallback }) => isFallback)!;
  assert.equal(detail, "Sent through the integration spare");
  assert.equal(internet.of("/down").length, 4);
  const ids = new Set(internet.of("/down").map(({ headers }) => headers["webhook-id"]));
  assert.equal(ids.size, 1, "every attempt has the same id");
});

test("no way is left: the dashboard still has the alert", async () => {
  await production("integrations.update", { params: { integrationId: spare._id! }, body: { active: false } });
  const ruleId = await watchWebhooks("Nobody", { targets: [{ type: "email", to: ["a@example.com"] }] });
  await pass(new Date());
  const alert = await eventually(async () => {
    const found = await settledAlert(ruleId);
    return found.messages.length === 2 ? found : null;
  }, "the message to the owners");
  assert.deepEqual(messagesOf(alert).sort(), [
    ["email", "failed", 4, false],
    ["owners", "failed", 4, true],
  ]);
  assert.match(alert.messages[0]!.detail!, /^No email integration that works/);
  assert.equal(alert.status, "open");
});

test("alerts are listed by status, rule and subject; one that somebody took on says who", async () => {
  const all = (await client("alerts.list")).body;
  assert.deepEqual([all.openCount, all.totalCount, all.hasMore], [2, 2, false]);
  const [newest, oldest] = all.data;
  const subject = { subjectType: newest!.subject.type, subjectId: newest!.subject.id };
  assert.equal((await client("alerts.list", { query: subject })).body.totalCount, 2);
  assert.equal((await client("alerts.list", { query: { kind: "storage" } })).body.totalCount, 0);
  assert.equal((await client("alerts.list", { query: { ruleId: "nothing" } })).body.totalCount, 0);
  assert.deepEqual((await client("alerts.list", { query: { page: 1, limit: 1 } })).body.data, [oldest]);
  assert.deepEqual((await production("alerts.list")).body.data, []);
  const params = { alertId: newest!._id };
  const taken = (await client("alerts.acknowledge", { params })).body;
  assert.equal(taken.acknowledgedBy, "API key");
  assert.deepEqual((await client("alerts.acknowledge", { params })).body, taken);
  for (const alertId of [newest!._id, "unknown"]) {
    await refused(production, "alerts.acknowledge", { params: { alertId } }, "ALERT_NOT_FOUND");
  }
});

test("a paused or deleted rule closes its alerts without a message", async () => {
  const [paused, deleted] = (await alertsOf(client)).map(({ ruleId }) => ruleId);
  await client("alertRules.update", { params: { ruleId: paused! }, body: { active: false } });
  await client("alertRules.delete", { params: { ruleId: deleted! } });
  await pass(new Date());
  const ends = (await alertsOf(client)).filter(({ ruleId }) => ruleId === paused || ruleId === deleted);
  assert.deepEqual(ends.map(({ ending, status }) => [ending, status]).sort(), [
    ["rule_deleted", "resolved"],
    ["rule_paused", "resolved"],
  ]);
  assert.ok(ends.every(({ messages }) => messages.every(({ notice }) => notice === "opened")));
});
